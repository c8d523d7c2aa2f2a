//! What arrives: bytes as they were, files that are whole or not there, readers that leave, topics made anew.

use super::support::*;
use base64::Engine;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::{Value, json};
use std::io::Read;

/// The bytes of a field, from its text or its base64 form.
fn bytes(record: &Value, name: &str) -> Option<Vec<u8>> {
    let plain = record.get(name);
    match record.get(format!("{name}_base64")) {
        Some(text) => {
            assert!(plain.is_none(), "both forms of {name}: {record}");
            Some(base64::engine::general_purpose::STANDARD.decode(text.as_str().unwrap()).unwrap())
        }
        None => match plain.unwrap_or_else(|| panic!("no form of {name}: {record}")) {
            Value::Null => None,
            text => Some(text.as_str().unwrap().as_bytes().to_vec()),
        },
    }
}

#[test]
fn keys_values_and_headers_come_back_byte_for_byte() {
    let cluster = shared();
    let topic = unique("bytes");
    // The records are older than what is kept by default.
    cluster.create_topic(&topic, 1, &[("retention.ms", "-1")]).unwrap();
    let every: Vec<u8> = (0..=255).collect();
    let text = "quote \" slash \\ newline \n tab \t nul \0 é 注文 😀 \u{2028}";
    type Bytes<'a> = Option<&'a [u8]>;
    let contents: [(Bytes<'_>, Bytes<'_>); 7] = [
        (None, None),
        (Some(b""), Some(b"")),
        (None, Some(b"")),
        (Some(b"k"), None),
        (Some(&every), Some(&every)),
        (Some(text.as_bytes()), Some(text.as_bytes())),
        (Some(b"\xc3\x28"), Some(b"{\"a\": 1}")),
    ];
    let headers: [(&str, Option<&[u8]>); 5] =
        [("b", Some(b"2")), ("a", None), ("b", Some(b"1")), ("é", Some(b"")), ("bin", Some(b"\xff\x00"))];
    let sent: Vec<Record> = contents
        .iter()
        .enumerate()
        .map(|(n, (key, value))| {
            let mut record = Record::to(&topic).partition(0).timestamp(1_780_300_800_000 + n as i64);
            if let Some(key) = key {
                record = record.key(key);
            }
            if let Some(value) = value {
                record = record.value(value);
            }
            headers.iter().take(n).fold(record, |record, (name, value)| record.header(name, *value))
        })
        .collect();
    cluster.produce(&sent).unwrap();

    let ran = replay(&[&topic, "--from", "earliest"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = ran.records();
    assert_eq!(found.len(), contents.len());
    for (n, (record, (key, value))) in found.iter().zip(contents).enumerate() {
        assert_eq!(bytes(record, "key").as_deref(), key, "{record}");
        assert_eq!(bytes(record, "value").as_deref(), value, "{record}");
        assert_eq!(record["offset"], n);
        assert_eq!(record["timestamp_ms"], 1_780_300_800_000 + n as i64);
        assert_eq!(record["timestamp"], format!("2026-06-01T08:00:00.{n:03}Z"));
        assert_eq!(record["timestamp_type"], "CreateTime");
        let found: Vec<(Vec<u8>, Option<Vec<u8>>)> = record["headers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|header| (bytes(header, "key").unwrap(), bytes(header, "value")))
            .collect();
        let expected: Vec<(Vec<u8>, Option<Vec<u8>>)> =
            headers.iter().take(n).map(|(name, value)| (name.as_bytes().to_vec(), value.map(<[u8]>::to_vec))).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_time_of_the_broker_is_said_to_be_that() {
    let cluster = shared();
    let topic = unique("append-time");
    cluster.create_topic(&topic, 1, &[("message.timestamp.type", "LogAppendTime")]).unwrap();
    cluster.produce(&[Record::to(&topic).partition(0).value("v").timestamp(1000)]).unwrap();
    let record = &replay(&[&topic, "--from", "earliest"]).records()[0];
    assert_eq!(record["timestamp_type"], "LogAppendTime");
    assert_ne!(record["timestamp_ms"], 1000);
}

#[test]
fn a_file_that_exists_is_left_as_it_is_and_nothing_is_read() {
    let cluster = shared();
    let topic = unique("exists");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce_numbers(&topic, 0, 3).unwrap();
    let scratch = Scratch::new();
    std::fs::write(scratch.path("a.jsonl"), "mine\n").unwrap();
    let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text("a.jsonl"), "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (3, &json!("target-exists")), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
    assert_eq!(std::fs::read(scratch.path("a.jsonl")).unwrap(), b"mine\n");
    // So is a report.
    let ran = replay(&[&topic, "--from", "earliest", "--report", &scratch.text("a.jsonl")]);
    assert_eq!((ran.code, ran.stdout.len()), (3, 0), "{}", ran.stderr);
    assert_eq!(std::fs::read(scratch.path("a.jsonl")).unwrap(), b"mine\n");
    assert_eq!(scratch.names(), ["a.jsonl"]);
}

#[test]
fn reports_in_every_form_beside_a_file_that_is_whole() {
    let cluster = shared();
    let topic = unique("forms");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce_numbers(&topic, 0, 5).unwrap();
    let scratch = Scratch::new();
    let run = |form: &str| {
        let (report, path) = scratch.report();
        let ran = replay(&[
            &topic,
            "--from",
            "earliest",
            "--into",
            &scratch.text(&format!("{form}.jsonl")),
            "--report",
            &report,
            "-o",
            form,
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let file = std::fs::read(scratch.path(&format!("{form}.jsonl"))).unwrap();
        assert_eq!(values(&records(&file)), ["0", "1", "2", "3", "4"]);
        (ran, read_json(&path))
    };
    let (ran, reported) = run("json");
    let report = ran.json();
    assert_eq!(report, reported);
    assert_eq!((&report["kind"], &report["version"]), (&json!("replay"), &json!(1)));
    assert_eq!((&report["outcome"], &report["resume"]), (&json!("complete"), &Value::Null));
    assert_eq!((&report["total"]["records"], &report["total"]["bytes"]), (&json!(5), &json!(5)));
    assert_eq!(report["sink"]["written"], 5);
    let row = partition(&report, 0);
    let numbers = ["start_offset", "end_offset", "next_offset", "high_watermark", "held_back", "records", "filtered"]
        .map(|name| row[name].as_i64().unwrap());
    assert_eq!(numbers, [0, 5, 5, 5, 0, 5, 0]);
    assert!(row["topic_id"].is_string(), "{row}");
    assert_eq!((&row["gaps"], &row["outside_window"], &row["reason"]), (&json!(0), &json!(0), &Value::Null));

    for form in ["table", "wide"] {
        let text = String::from_utf8(run(form).0.stdout).unwrap();
        let header = text.lines().next().unwrap();
        assert!(header.starts_with("TOPIC") && header.contains("ENDED"), "{text}");
        assert!(text.contains(&topic) && text.contains("end-reached") && text.contains("complete"), "{text}");
    }
    let text = String::from_utf8(run("csv").0.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("topic,") && lines[0].contains(",ended"), "{text}");
    assert_eq!(lines.len(), 2);
    assert!(lines[1].starts_with(&topic), "{text}");
    assert!(scratch.names().iter().all(|name| !name.contains("partial")), "{:?}", scratch.names());
}

#[test]
fn standard_output_holds_records_alone() {
    let cluster = shared();
    let topic = unique("alone");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce_numbers(&topic, 0, 5).unwrap();
    let ran = replay(&[&topic, "--from", "earliest", "-o", "json"]);
    assert_eq!((ran.code, values(&ran.records())), (0, vec!["0", "1", "2", "3", "4"]));
    assert!(ran.stderr.contains("end-reached"), "{}", ran.stderr);
    // Neither an error that a broker tells, nor one of the command line.
    let missing = unique("missing");
    for args in [&[missing.as_str(), "--from", "earliest", "-o", "json"][..], &[&missing, "--nonsense", "-o", "json"]] {
        let ran = replay(args);
        assert!(ran.code > 0 && ran.stdout.is_empty() && ran.stderr.contains("error:"), "{ran:?}");
    }
}

#[test]
fn nothing_to_replay_is_an_empty_file() {
    let cluster = shared();
    let topic = unique("nothing");
    cluster.create_topic(&topic, 2, &[]).unwrap();
    let scratch = Scratch::new();
    let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text("a.jsonl"), "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (0, &json!("nothing-to-replay")), "{}", ran.stderr);
    assert_eq!(std::fs::read(scratch.path("a.jsonl")).unwrap(), b"");
    assert_eq!(scratch.names(), ["a.jsonl"]);
}

/// Records of 1 kB that no pipe and no buffer holds at once.
fn many(topic: &str, count: usize) -> Vec<Record> {
    let value = "x".repeat(1000);
    (0..count).map(|n| Record::to(topic).partition(0).value(format!("{n} {value}"))).collect()
}

#[test]
fn a_reader_that_leaves_makes_the_run_incomplete() {
    let cluster = shared();
    let topic = unique("leaves");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce(&many(&topic, 5000)).unwrap();
    let scratch = Scratch::new();
    let mut running = start(&[&topic, "--from", "earliest", "--report", &scratch.text("report.json")]);
    let mut pipe = running.child.stdout.take().unwrap();
    pipe.read_exact(&mut [0; 100]).unwrap();
    drop(pipe);
    let ran = running.end();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = read_json(&scratch.path("report.json"));
    assert_eq!(report["outcome"], "incomplete");
    assert_eq!(partition(&report, 0)["ended"], "sink-closed");
    assert!(report["sink"]["written"].as_i64().unwrap() < 5000, "{report}");
}

#[test]
fn a_topic_made_anew_and_longer_is_not_taken_for_the_old_one() {
    let cluster = shared();
    let topic = unique("anew");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce(&many(&topic, 5000)).unwrap();
    let scratch = Scratch::new();
    let mut running =
        start(&[&topic, "--from", "earliest", "--buffer", "1MB", "--report", &scratch.text("report.json")]);
    // It has begun, and can't go on: nobody reads the pipe.
    running.child.stdout.as_mut().unwrap().read_exact(&mut [0; 1]).unwrap();
    cluster.delete_topic(&topic).unwrap();
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce(&many(&topic, 6000)).unwrap();
    let ran = running.end();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = read_json(&scratch.path("report.json"));
    assert_eq!(report["outcome"], "incomplete");
    assert_eq!(partition(&report, 0)["ended"], "recreated", "{report}");
    assert!(ran.stderr.contains("recreated"), "{}", ran.stderr);
}

#[test]
fn ctrl_c_ends_a_run_whose_reader_is_slow() {
    let cluster = shared();
    let topic = unique("slow");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce(&many(&topic, 5000)).unwrap();
    let scratch = Scratch::new();
    let mut running =
        start(&[&topic, "--from", "earliest", "--buffer", "1MB", "--report", &scratch.text("report.json")]);
    running.child.stdout.as_mut().unwrap().read_exact(&mut [0; 1]).unwrap();
    running.signal("INT");
    // The reader goes on: what was written is cut at a line's end.
    let ran = running.end();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let report = read_json(&scratch.path("report.json"));
    assert_eq!((&report["outcome"], &partition(&report, 0)["ended"]), (&json!("interrupted"), &json!("interrupted")));
    let lines = ran.stdout.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(report["sink"]["written"], lines);
    assert_eq!(ran.stdout.last(), Some(&b'\n'));
}

#[test]
fn ctrl_c_ends_a_run_whose_reader_does_not_read() {
    let cluster = shared();
    let topic = unique("blocked");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce(&many(&topic, 5000)).unwrap();
    let scratch = Scratch::new();
    let mut running =
        start(&[&topic, "--from", "earliest", "--buffer", "1MB", "--report", &scratch.text("report.json")]);
    let mut pipe = running.child.stdout.take().unwrap();
    pipe.read_exact(&mut [0; 1]).unwrap();
    running.signal("INT");
    let ran = running.end();
    drop(pipe);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let report = read_json(&scratch.path("report.json"));
    assert_eq!(report["outcome"], "interrupted");
}
