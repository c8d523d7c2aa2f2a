//! Files that a replay writes, read back with something other than krewind and compared with the producer's own list.

mod existing;
mod parquet;
mod python;
mod text;

use super::support::*;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::{Value, json};

/// What was produced, and the offset it got.
#[derive(Debug, Clone, PartialEq)]
struct Sent {
    offset: i64,
    timestamp_ms: Option<i64>,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(String, Option<Vec<u8>>)>,
}

type Bytes<'a> = Option<&'a [u8]>;

/// 2026-06-01T08:00:00.000Z.
const EPOCH: i64 = 1_780_300_800_000;

/// Text that trips up quoting, in any form.
const AWKWARD: &str =
    "quote \" double \"\" comma , semicolon ; slash \\ crlf \r\n newline \n tab \t nul \0 é 注文 😀 \u{2028}";

/// Produces these to a new topic of one partition, with more and more of the headers, a millisecond apart from [`EPOCH`] on;
/// the last but one has no timestamp.
fn produced(what: &str, contents: &[(Bytes<'_>, Bytes<'_>)]) -> (String, Vec<Sent>) {
    let cluster = shared();
    let topic = unique(what);
    cluster.create_topic(&topic, 1, &[("retention.ms", "-1")]).unwrap();
    let headers: [(&str, Bytes<'_>); 6] = [
        ("b", Some(b"2")),
        ("a", None),
        ("b", Some(b"1")),
        ("é", Some(b"")),
        ("bin", Some(b"\xff\x00")),
        (",\"", Some(b"\n")),
    ];
    let sent: Vec<Sent> = contents
        .iter()
        .enumerate()
        .map(|(n, (key, value))| Sent {
            offset: n as i64,
            timestamp_ms: (n + 2 != contents.len()).then_some(EPOCH + n as i64),
            key: key.map(<[u8]>::to_vec),
            value: value.map(<[u8]>::to_vec),
            headers: headers
                .iter()
                .take(n)
                .map(|(key, value)| ((*key).to_owned(), value.map(<[u8]>::to_vec)))
                .collect(),
        })
        .collect();
    let records: Vec<Record> = sent
        .iter()
        .map(|sent| {
            let mut record = Record::to(&topic).partition(0).timestamp(sent.timestamp_ms.unwrap_or(-1));
            if let Some(key) = &sent.key {
                record = record.key(key);
            }
            if let Some(value) = &sent.value {
                record = record.value(value);
            }
            sent.headers.iter().fold(record, |record, (key, value)| record.header(key, value.as_deref()))
        })
        .collect();
    cluster.produce(&records).unwrap();
    (topic, sent)
}

/// Null, empty, binary and awkward text, as key and as value.
fn every_kind() -> (String, Vec<Sent>) {
    let every: Vec<u8> = (0..=255).rev().collect();
    produced(
        "every",
        &[
            (None, None),
            (Some(b""), Some(b"")),
            (None, Some(b"")),
            (Some(b"k"), None),
            (Some(&every), Some(&every)),
            (Some(AWKWARD.as_bytes()), Some(AWKWARD.as_bytes())),
            (Some(b"\xc3\x28"), Some(b"{\"a\": 1}")),
            (Some(b"last"), Some(b"one")),
        ],
    )
}

/// Text alone.
fn texts() -> (String, Vec<Sent>) {
    produced(
        "texts",
        &[
            (None, None),
            (Some(b""), Some(b"")),
            (None, Some(b"")),
            (Some(b"k"), None),
            (Some(AWKWARD.as_bytes()), Some(AWKWARD.as_bytes())),
            (Some(b"null"), Some(b" spaces ")),
            (Some(b"\""), Some(b"\"\"")),
            (Some(b"last"), Some(b"one")),
        ],
    )
}

/// Replays the whole topic into this file; the report.
fn into(topic: &str, path: &str, more: &[&str]) -> Value {
    let ran = replay(&[&["--topic", topic, "--from", "earliest", "--into", path, "-o", "json"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["outcome"], "complete");
    report
}
