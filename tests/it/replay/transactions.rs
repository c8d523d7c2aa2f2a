//! Markers, aborted records, and transactions that stay open.

use super::support::*;
use local_kafka::client::{Producer, Record};
use local_kafka::{Cluster, shared};

fn record(topic: &str, value: &str) -> Record {
    Record::to(topic).partition(0).value(value)
}

fn produced(producer: &Producer, topic: &str, values: &[&str]) {
    let records: Vec<Record> = values.iter().map(|value| record(topic, value)).collect();
    producer.produce(&records).unwrap();
}

/// The high watermark, once it is this: the brokers tell it a moment after a transaction's end.
fn await_end(cluster: &Cluster, topic: &str, end: i64) {
    until(&format!("the end {end}"), || cluster.watermarks(topic, 0).unwrap() == (0, end));
}

#[test]
fn markers_and_aborted_records_are_gaps_and_an_aborted_end_is_an_end() {
    let cluster = shared();
    let topic = unique("aborted");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    let producer = cluster.transactional_producer(&unique("tx"), &[]).unwrap();
    // 0 1 2 plain, 3 4 committed, 5 its marker, 6 7 8 aborted, 9 its marker.
    cluster.produce(&["a", "b", "c"].map(|value| record(&topic, value))).unwrap();
    producer.begin().unwrap();
    produced(&producer, &topic, &["d", "e"]);
    producer.commit().unwrap();
    producer.begin().unwrap();
    produced(&producer, &topic, &["x", "y", "z"]);
    producer.abort().unwrap();
    await_end(cluster, &topic, 10);

    let scratch = Scratch::new();
    let run = |more: &[&str]| {
        let (report, path) = scratch.report();
        let ran = replay(&[&[topic.as_str(), "--from", "earliest", "--report", &report], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let report = read_json(&path);
        (ran.records(), partition(&report, 0).clone(), report)
    };
    let (records, row, report_of) = run(&[]);
    assert_eq!(values(&records), ["a", "b", "c", "d", "e"]);
    assert_eq!((&row["end_offset"], &row["records"], &row["gaps"]), (&10.into(), &5.into(), &5.into()));
    assert_eq!((&row["ended"], &report_of["isolation_level"]), (&"end-reached".into(), &"read_committed".into()));
    let (records, row, _) = run(&["--isolation-level", "read_uncommitted"]);
    assert_eq!(values(&records), ["a", "b", "c", "d", "e", "x", "y", "z"]);
    assert_eq!((&row["records"], &row["gaps"], &row["ended"]), (&8.into(), &2.into(), &"end-reached".into()));
}

/// 0 1 2 plain, 3 4 in a transaction that is open, 5 6 plain.
fn with_open_transaction(cluster: &Cluster, topic: &str) -> Producer {
    cluster.create_topic(topic, 1, &[]).unwrap();
    let producer = cluster.transactional_producer(&unique("tx"), &[]).unwrap();
    cluster.produce(&["a", "b", "c"].map(|value| record(topic, value))).unwrap();
    producer.begin().unwrap();
    produced(&producer, topic, &["d", "e"]);
    cluster.produce(&["f", "g"].map(|value| record(topic, value))).unwrap();
    await_end(cluster, topic, 7);
    producer
}

#[test]
fn an_open_transaction_holds_back_the_rest() {
    let cluster = shared();
    let topic = unique("open");
    let producer = with_open_transaction(cluster, &topic);
    let scratch = Scratch::new();
    let (file, report) = (scratch.text("a.jsonl"), scratch.text("report.json"));

    // No end was named: complete up to there.
    let ran = replay(&[&topic, "--from", "earliest", "--wait-stable", "300ms", "--into", &file, "-o", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let row = partition(&ran.json(), 0).clone();
    assert_eq!(ran.json()["outcome"], "complete");
    assert_eq!((&row["ended"], &row["held_back"], &row["records"]), (&"held-back".into(), &4.into(), &3.into()));
    assert_eq!((&row["end_offset"], &row["high_watermark"]), (&3.into(), &7.into()));
    assert_eq!(values(&records(&std::fs::read(scratch.path("a.jsonl")).unwrap())), ["a", "b", "c"]);
    assert!(ran.stderr.contains("transaction"), "{}", ran.stderr);

    // An end was named: not whole, and no file that looks whole.
    let file = scratch.text("b.jsonl");
    let args =
        [&topic, "--from", "earliest", "--end-offset", "6", "--wait-stable", "300ms", "--into", &file, "-o", "json"];
    let ran = replay(&args);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let row = partition(&ran.json(), 0).clone();
    assert_eq!(ran.json()["outcome"], "incomplete");
    assert_eq!(
        (&row["ended"], &row["held_back"], &row["next_offset"]),
        (&"open-transaction".into(), &3.into(), &3.into())
    );
    assert!(!scratch.path("b.jsonl").exists());

    // An end before the transaction is reached without waiting.
    let ran = replay(&[&topic, "--from", "earliest", "--end-offset", "3", "--wait-stable", "1h"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(values(&ran.records()), ["a", "b", "c"]);

    // Everything, whatever becomes of it.
    let ran = replay(&[&topic, "--from", "earliest", "--isolation-level", "read_uncommitted", "--report", &report]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(values(&ran.records()), ["a", "b", "c", "d", "e", "f", "g"]);
    producer.abort().unwrap();
}

#[test]
fn a_transaction_that_is_committed_while_it_is_waited_for_makes_the_window_whole() {
    let cluster = shared();
    let topic = unique("committed");
    let producer = with_open_transaction(cluster, &topic);
    let scratch = Scratch::new();
    let report = scratch.text("report.json");
    let args = [&topic, "--from", "earliest", "--end-offset", "7", "--wait-stable", "10m", "--report", &report];
    let running = start(&args);
    running.says("transaction");
    producer.commit().unwrap();
    let ran = running.end();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(values(&ran.records()), ["a", "b", "c", "d", "e", "f", "g"]);
    let row = partition(&read_json(&scratch.path("report.json")), 0).clone();
    assert_eq!(
        (&row["ended"], &row["records"], &row["gaps"], &row["held_back"]),
        (&"end-reached".into(), &7.into(), &0.into(), &0.into())
    );
}

#[test]
fn ctrl_c_while_waiting_ends_the_run_with_a_report() {
    let cluster = shared();
    let topic = unique("interrupted");
    let producer = with_open_transaction(cluster, &topic);
    let scratch = Scratch::new();
    let (file, report) = (scratch.text("a.jsonl"), scratch.text("report.json"));
    let args =
        [&topic, "--from", "earliest", "--wait-stable", "10m", "--into", &file, "--report", &report, "-o", "json"];
    let running = start(&args);
    running.says("transaction");
    running.signal("INT");
    let ran = running.end();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert_eq!(ran.json(), read_json(&scratch.path("report.json")));
    let row = partition(&ran.json(), 0).clone();
    assert_eq!(ran.json()["outcome"], "interrupted");
    assert_eq!((&row["ended"], &row["records"], &row["next_offset"]), (&"interrupted".into(), &3.into(), &3.into()));
    assert!(!scratch.path("a.jsonl").exists());
    // What was read is kept under another name, which the report tells.
    let partial = ran.json()["sink"]["partial"].as_str().unwrap().to_owned();
    assert_eq!(values(&records(&std::fs::read(partial).unwrap())), ["a", "b", "c"]);
    no_replay_group(cluster);
    producer.abort().unwrap();
}
