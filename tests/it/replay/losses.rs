//! Logs that lose records under the reader: named, never skipped in silence.

use super::held::*;
use super::support::*;
use local_kafka::client::Record;
use local_kafka::{Kafka, shared};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::path::PathBuf;

/// The offsets of one partition are 0, 1, …, without a hole; returns how many.
fn without_hole(places: &[(i64, i64)], partition: i64) -> i64 {
    let of: Vec<i64> = places.iter().filter(|place| place.0 == partition).map(|place| place.1).collect();
    let count = i64::try_from(of.len()).unwrap();
    assert_eq!(of, (0..count).collect::<Vec<i64>>());
    count
}

fn words<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_else(|| panic!("{row}"))
}

#[test]
fn retention_that_passes_a_reader_held_back_by_its_sink_is_named() {
    let cluster = shared();
    let topic = unique("retention");
    cluster.create_topic(&topic, 2, &[]).unwrap();
    let mut records = many(&topic, 1, 6000);
    records.extend((6000..6010).map(|n| {
        let record = Record::to(&topic).partition(1);
        record.key(format!("k{n}")).value(value(n))
    }));
    let produced = list(&cluster.produce(&records).unwrap());
    let scratch = Scratch::new();
    let (report, path) = scratch.report();
    let held = Held::start(command(&[&topic, "--from", "earliest", "--report", &report]));
    assert_eq!(cluster.delete_records(&topic, 0, 5000).unwrap(), 5000);
    let ran = held.let_go();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = read_json(&path);
    let row = partition(&report, 0);
    assert_eq!((&report["outcome"], &row["ended"]), (&"incomplete".into(), &"retention".into()), "{row}");
    // What came is whole up to the place that the report tells, and nothing behind the deleted records is passed on.
    let found = as_produced(&ran.records(), &produced);
    let count = without_hole(&found, 0);
    assert!(0 < count && count < 5000, "{count}");
    assert_eq!((row["next_offset"].as_i64(), row["records"].as_i64()), (Some(count), Some(count)), "{row}");
    assert_eq!(row["gaps"], 0, "{row}");
    let reason = words(row, "reason");
    assert!(reason.contains(&format!("{} offsets were deleted", 5000 - count)) && reason.contains("5000"), "{reason}");
    assert!(ran.stderr.contains("retention"), "{}", ran.stderr);
    // The other partition is whole.
    let row = partition(&report, 1);
    assert_eq!((&row["ended"], &row["records"]), (&"end-reached".into(), &10.into()), "{row}");
    assert_eq!(without_hole(&found, 1), 10);
}

#[test]
fn retention_that_passes_a_reader_held_back_by_its_rate_is_named_and_no_file_looks_whole() {
    let cluster = shared();
    let topic = unique("rated");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce(&many(&topic, 1, 6000)).unwrap();
    let scratch = Scratch::new();
    let into = scratch.text("a.jsonl");
    let args =
        [&topic, "--from", "earliest", "--rate", "300", "--buffer", "1MB", "--into", &into, "--if-exists", "fail"];
    let running = start(&[&args[..], &["-o", "json"]].concat());
    // Under another name until it is whole.
    until("the first records", || {
        scratch.names().iter().any(|name| scratch.path(name).metadata().is_ok_and(|file| file.len() > 0))
    });
    assert_eq!(cluster.delete_records(&topic, 0, 6000).unwrap(), 6000);
    let ran = running.end();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    let row = partition(&report, 0);
    assert_eq!((&report["outcome"], &row["ended"]), (&"incomplete".into(), &"retention".into()), "{row}");
    assert!(!scratch.path("a.jsonl").exists());
    let partial = report["sink"]["partial"].as_str().unwrap();
    let count = without_hole(&places(&records(&std::fs::read(partial).unwrap())), 0);
    assert_eq!((row["next_offset"].as_i64(), row["records"].as_i64()), (Some(count), Some(count)), "{row}");
}

#[test]
fn a_topic_that_is_deleted_meanwhile_is_named() {
    let cluster = shared();
    let topic = unique("deleted");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    let produced = list(&cluster.produce(&many(&topic, 1, 6000)).unwrap());
    let scratch = Scratch::new();
    let (report, path) = scratch.report();
    let held = Held::start(command(&[&topic, "--from", "earliest", "--report", &report]));
    cluster.delete_topic(&topic).unwrap();
    let ran = held.let_go();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = read_json(&path);
    let row = partition(&report, 0);
    assert_eq!((&report["outcome"], &row["ended"]), (&"incomplete".into(), &"error".into()), "{row}");
    let reason = words(row, "reason").to_lowercase();
    assert!(reason.contains("deleted") || reason.contains("unknown topic"), "{reason}");
    let count = without_hole(&as_produced(&ran.records(), &produced), 0);
    assert_eq!(row["next_offset"].as_i64(), Some(count), "{row}");
    // The replay did not make it again by asking for it.
    assert!(!topic_names(cluster).contains(&topic));
}

/// A log file of a topic with one partition and one segment.
fn segment(kafka: &Kafka, topic: &str) -> PathBuf {
    fn find(dir: PathBuf, name: &str) -> Option<PathBuf> {
        let entries = dir.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let mut directories: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        directories.sort();
        directories.into_iter().find_map(|path| if path.ends_with(name) { Some(path) } else { find(path, name) })
    }
    let dir = find(kafka.data_dir().to_owned(), &format!("{topic}-0")).unwrap();
    dir.join("00000000000000000000.log")
}

/// Cuts a log as a power failure does that comes before the disk has all: after it the broker takes what is whole for the log.
fn cut(kafka: &Kafka, log: &PathBuf, bytes: u64) {
    let node = kafka.node(1);
    node.stop().unwrap();
    // With this file the broker would trust its logs.
    let clean = log.parent().and_then(|dir| dir.parent()).unwrap().join(".kafka_cleanshutdown");
    std::fs::remove_file(clean).unwrap();
    OpenOptions::new().write(true).open(log).and_then(|file: File| file.set_len(bytes)).unwrap();
    node.restart().unwrap();
}

#[test]
fn a_log_that_was_truncated_before_the_end_of_the_window_is_named() {
    let kafka = Kafka::start().unwrap();
    let cluster = kafka.client();
    for (topic, bytes) in [("ahead-of-the-reader", 4_500_000), ("behind-the-reader", 100_000)] {
        cluster.create_topic(topic, 1, &[]).unwrap();
        let producer = cluster.producer(&[("batch.size", "16384")]).unwrap();
        let produced = list(&producer.produce(&many(topic, 1, 6000)).unwrap());
        let scratch = Scratch::new();
        let (report, path) = scratch.report();
        let args = [topic, "--from", "earliest", "--wait-stable", "500ms", "--report", &report];
        let mut held = Held::start(command_on(&cluster, &args));
        // Beyond the shorter cut.
        held.take(500_000);
        cut(&kafka, &segment(&kafka, topic), bytes);
        let end = cluster.watermarks(topic, 0).unwrap().1;
        assert!(0 < end && end < 6000, "{end}");
        let ran = held.let_go();
        assert_eq!(ran.code, 1, "{topic}: {}", ran.stderr);
        let report = read_json(&path);
        let row = partition(&report, 0);
        assert_eq!((&report["outcome"], &row["ended"]), (&"incomplete".into(), &"truncated".into()), "{topic}: {row}");
        let reason = words(row, "reason");
        assert!(reason.contains(&format!("ends at {end} now")) && reason.contains("6000"), "{reason}");
        let count = without_hole(&as_produced(&ran.records(), &produced), 0);
        assert_eq!(row["next_offset"].as_i64(), Some(count), "{topic}: {row}");
        assert!(ran.stderr.contains("truncated"), "{}", ran.stderr);
    }
}

#[test]
fn a_log_that_was_truncated_and_grew_past_the_reader_is_named() {
    let kafka = Kafka::start().unwrap();
    let cluster = kafka.client();
    let topic = "grown-again";
    cluster.create_topic(topic, 1, &[]).unwrap();
    let producer = cluster.producer(&[("batch.size", "16384")]).unwrap();
    let produced = list(&producer.produce(&many(topic, 1, 6000)).unwrap());
    drop(producer);
    let scratch = Scratch::new();
    let (report, path) = scratch.report();
    let args = [topic, "--from", "earliest", "--stall-timeout", "20s", "--report", &report];
    let mut held = Held::start(command_on(&cluster, &args));
    held.take(500_000);
    cut(&kafka, &segment(&kafka, topic), 100_000);
    // Other records at the same offsets, beyond the window's end.
    let other = |_| Record::to(topic).partition(0).key("other").value("other");
    let other: Vec<Record> = (0..7000).map(other).collect();
    cluster.produce(&other).unwrap();
    let ran = held.let_go();
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let count = without_hole(&as_produced(&ran.records(), &produced), 0);
    let report = read_json(&path);
    let row = partition(&report, 0);
    assert_eq!(row["next_offset"].as_i64(), Some(count), "{topic}: {row}");
    assert_eq!((&report["outcome"], &row["ended"]), (&"incomplete".into(), &"truncated".into()), "{topic}: {row}");
    assert!(words(row, "reason").contains("grown again"), "{row}");
}
