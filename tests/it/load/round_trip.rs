//! Replay, load, replay: the same records, byte for byte.

use super::load;
use crate::replay::arrived::{arrived, ends, of_every_kind, produce};
use crate::replay::support::*;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// A topic that keeps records of any age.
fn topic(what: &str, partitions: i32) -> String {
    let topic = unique(what);
    shared().create_topic(&topic, partitions, &[("retention.ms", "-1")]).unwrap();
    topic
}

/// Everything of a topic as the lines of a replay, by partition and offset, under this topic's name.
fn lines(topic: &str, called: &str) -> Vec<String> {
    let ran = replay(&[topic, "--from", "earliest"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = String::from_utf8(ran.stdout).unwrap();
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| line.replacen(&format!("{{\"topic\":\"{topic}\""), &format!("{{\"topic\":\"{called}\""), 1))
        .collect();
    lines.sort_by_key(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        (record["partition"].as_i64(), record["offset"].as_i64())
    });
    lines
}

fn replayed(topic: &str, into: &str) {
    let ran = replay(&[topic, "--from", "earliest", "--into", into]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn what_a_replay_wrote_is_loaded_byte_for_byte() {
    let cluster = shared();
    let (source, copy) = (topic("trip", 3), topic("trip-copy", 3));
    let expected = produce(cluster, &source, &of_every_kind(1_780_300_800_000));
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    replayed(&source, &file);
    let into = format!("kafka:{copy}");
    let ran = load(&[&file, "--into", &into, "--yes"]);
    let report = ran.json();
    assert_eq!(
        (ran.code, &report["kind"], &report["outcome"]),
        (0, &json!("load"), &json!("complete")),
        "{}",
        ran.stderr
    );
    assert_eq!((&report["sink"]["written"], &report["window"]["records"]), (&json!(27), &json!(27)));
    assert_eq!((&report["window"]["file"], &report["window"]["json"]), (&json!(file), &json!(0)));
    assert_eq!(report.get("warnings"), None);
    let rows = report["partitions"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["topic"] == source && row["records"] == 9 && row["end_offset"] == 9), "{report}");
    // What a consumer that is not krewind's reads is what the test's producer sent.
    assert_eq!(arrived(cluster, &copy, 3), expected);
    assert_eq!(lines(&copy, "t"), lines(&source, "t"));
}

#[test]
fn compressed_files_of_gzip_and_zstd_themselves_are_read() {
    let cluster = shared();
    let source = topic("compressed", 2);
    let expected = produce(
        cluster,
        &source,
        &of_every_kind(1_780_300_800_000).into_iter().filter(|record| record.partition < 2).collect::<Vec<_>>(),
    );
    let scratch = Scratch::new();
    replayed(&source, &scratch.text("a.jsonl"));
    let status = Command::new("gzip").args(["-k", &scratch.text("a.jsonl")]).status().unwrap();
    assert!(status.success());
    // Two members one after the other, as a file that grew has.
    let once = std::fs::read(scratch.path("a.jsonl.gz")).unwrap();
    std::fs::write(scratch.path("twice.jsonl.gz"), [once.as_slice(), &once].concat()).unwrap();
    let whole = std::fs::read(scratch.path("a.jsonl")).unwrap();
    std::fs::write(scratch.path("a.jsonl.zst"), zstd::encode_all(whole.as_slice(), 3).unwrap()).unwrap();
    for (name, times) in [("a.jsonl.gz", 1), ("a.jsonl.zst", 1), ("twice.jsonl.gz", 2)] {
        let copy = topic("compressed-copy", 2);
        let ran = load(&[&scratch.text(name), "--into", &format!("kafka:{copy}"), "--yes"]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        assert_eq!(ends(cluster, &copy, 2), 18 * times, "{name}");
        let found = arrived(cluster, &copy, 2);
        if times == 1 {
            assert_eq!(found, expected, "{name}");
        } else {
            // The same once more is not in a partition's order.
            assert!(ran.stderr.contains("do not come after the ones before them"), "{}", ran.stderr);
        }
    }
}

#[test]
fn json_is_produced_as_it_stands_and_said_to_be_no_promise() {
    let cluster = shared();
    let copy = topic("json-copy", 1);
    let scratch = Scratch::new();
    let line = |offset: i32, value: &str| {
        format!(
            r#"{{"topic":"orders","partition":0,"offset":{offset},"timestamp":"2026-12-01T09:59:58.120Z","timestamp_ms":1796119198120,"timestamp_type":"CreateTime","key":null,{value},"headers":[]}}"#
        ) + "\n"
    };
    let text = [
        line(0, r#""value":{"b":1.50e400,"a":12345678901234567890123,"a":[" x"]},"value_format":"json""#),
        // JSON's own null, and then the record's.
        line(1, r#""value":null,"value_format":"json""#),
        line(2, r#""value":null"#),
        line(3, r#""value_base64":"AAAAAAdhdnJv","value_format":"json""#),
        line(4, r#""value":"{\"b\": 1}""#),
    ];
    std::fs::write(scratch.path("a.jsonl"), text.concat()).unwrap();
    let ran = load(&[&scratch.text("a.jsonl"), "--into", &format!("kafka:{copy}"), "--yes"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["window"]["json"]), (0, &json!(2)), "{}", ran.stderr);
    assert_eq!(report["warnings"][0]["code"], "json-values");
    assert!(ran.stderr.contains("need not be the bytes that they had"), "{}", ran.stderr);
    let values: Vec<Option<Vec<u8>>> = arrived(cluster, &copy, 1).into_iter().map(|record| record.value).collect();
    let expected: [Option<&[u8]>; 5] = [
        Some(br#"{"b":1.50e400,"a":12345678901234567890123,"a":[" x"]}"#),
        Some(b"null"),
        None,
        Some(b"\x00\x00\x00\x00\x07avro"),
        Some(br#"{"b": 1}"#),
    ];
    assert_eq!(values.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
}

#[test]
fn a_dry_run_counts_and_produces_nothing() {
    let cluster = shared();
    let (source, copy) = (topic("counted", 2), topic("counted-copy", 2));
    (0..2).for_each(|partition| cluster.produce_numbers(&source, partition, 4).unwrap());
    let scratch = Scratch::new();
    replayed(&source, &scratch.text("a.jsonl"));
    let into = format!("kafka:{copy}");
    let ran = load(&[&scratch.text("a.jsonl"), "--into", &into, "--dry-run"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["outcome"], &report["window"]["records"]), (0, &json!("planned"), &json!(8)));
    assert!(ran.stderr.contains(&format!("written from {source} (2 partitions, 8 records)")), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("into: {copy} (2 partitions) of ")), "{}", ran.stderr);
    assert_eq!(ends(cluster, &copy, 2), 0);
}

#[test]
fn murmur2_and_headers_of_origin_are_the_replays() {
    let cluster = shared();
    let (source, by_replay, by_load) = (topic("load-keys", 1), topic("by-replay", 5), topic("by-load", 5));
    let records: Vec<Record> = (0..30)
        .map(|n| Record::to(&source).partition(0).key(format!("k{n}")).value("v").timestamp(1_700_000_000_000 + n))
        .collect();
    cluster.produce(&records).unwrap();
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    replayed(&source, &file);
    let more = ["--into-partitioner", "murmur2", "--origin-headers", "--yes"];
    let ran = replay(
        &[&[source.as_str(), "--from", "earliest", "--into", &format!("kafka:{by_replay}")], &more[..]].concat(),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = load(&[&[file.as_str(), "--into", &format!("kafka:{by_load}")], &more[..]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut expected = arrived(cluster, &by_replay, 5);
    // A file does not tell its cluster.
    expected.iter_mut().for_each(|record| record.headers.retain(|(name, _)| name != "krewind.source.cluster"));
    assert_eq!(arrived(cluster, &by_load, 5), expected);
    assert_eq!(expected[0].headers.len(), 4);
}

#[test]
fn an_interrupted_load_says_how_many_were_produced() {
    let cluster = shared();
    let copy = topic("stopped-copy", 1);
    let scratch = Scratch::new();
    // Enough that the signal comes before the end.
    let value = "x".repeat(2000);
    let lines: Vec<String> = (0..200_000)
        .map(|n| format!(r#"{{"topic":"t","partition":0,"offset":{n},"timestamp":null,"timestamp_ms":null,"timestamp_type":"NoTimestampType","key":null,"value":"{value}","headers":[]}}"#))
        .collect();
    std::fs::write(scratch.path("a.jsonl"), lines.join("\n") + "\n").unwrap();
    let mut command = command_of(
        cluster,
        "load",
        &[&scratch.text("a.jsonl"), "--into", &format!("kafka:{copy}"), "--yes", "-o", "json"],
    );
    let running = started(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    until("records to arrive", || ends(cluster, &copy, 1) > 0);
    running.signal("INT");
    let ran = running.end();
    let report = ran.json();
    assert_eq!((ran.code, &report["outcome"]), (130, &json!("interrupted")), "{}", ran.stderr);
    let written = report["sink"]["written"].as_i64().unwrap();
    assert!(written < 200_000);
    assert_eq!(ends(cluster, &copy, 1), written, "{}", ran.stderr);
}

#[test]
fn parquet_is_loaded_byte_for_byte() {
    let cluster = shared();
    let source = topic("columns", 3);
    let expected = produce(cluster, &source, &of_every_kind(1_780_300_800_000));
    let scratch = Scratch::new();
    let file = scratch.text("a.parquet");
    replayed(&source, &file);
    let copy = topic("columns-copy", 3);
    let ran = load(&[&file, "--into", &format!("kafka:{copy}"), "--yes"]);
    assert_eq!((ran.code, &ran.json()["sink"]["written"]), (0, &json!(27)), "{}", ran.stderr);
    assert_eq!(arrived(cluster, &copy, 3), expected);
}
