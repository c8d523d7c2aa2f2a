//! `--checkpoint`: runs that are killed and go on, read back with something other than krewind.

use super::arrived::{arrived, ends};
use super::databases_support::postgres;
use super::support::*;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const PARTITIONS: i32 = 3;
const EACH: i64 = 12_000;

/// A topic of three partitions whose records say where they are.
fn filled(what: &str) -> String {
    let topic = unique(what);
    shared().create_topic(&topic, PARTITIONS, &[]).unwrap();
    let records: Vec<Record> = (0..PARTITIONS)
        .flat_map(|partition| (0..EACH).map(move |n| (partition, n)))
        .map(|(partition, n)| Record::to(&topic).partition(partition).key("k").value(format!("{partition}:{n}")))
        .collect();
    shared().produce(&records).unwrap();
    topic
}

/// What was produced: each record's partition, offset and value, in order.
fn list() -> Vec<String> {
    let mut all: Vec<String> =
        (0..PARTITIONS).flat_map(|p| (0..EACH).map(move |n| format!("{p} {n} {p}:{n}"))).collect();
    all.sort();
    all
}

fn passed(checkpoint: &Path) -> i64 {
    let Ok(bytes) = std::fs::read(checkpoint) else { return 0 };
    // A checkpoint is replaced as a whole: what is there can be read at any instant.
    let saved: Value = serde_json::from_slice(&bytes).unwrap();
    saved["partitions"].as_array().unwrap().iter().map(|part| part["next_offset"].as_i64().unwrap()).sum()
}

/// Kills the run twice, each time after it has kept a place further on, then lets it end.
fn killed_twice(topic: &str, scratch: &Scratch, into: &str, more: &[&str]) -> Value {
    let checkpoint = scratch.path("checkpoint.json");
    let report = scratch.text("report.json");
    let name = checkpoint.to_str().unwrap();
    let base = [topic, "--from", "earliest", "--into", into, "--checkpoint", name];
    let slow = [&base[..], more, &["--rate", "6k"]].concat();
    for _ in 0..2 {
        let before = passed(&checkpoint);
        let mut running = start(&slow);
        until("a place further on", || passed(&checkpoint) > before);
        running.signal("KILL");
        running.child.wait().unwrap();
    }
    let kept = passed(&checkpoint);
    assert!(kept > 0 && kept < i64::from(PARTITIONS) * EACH, "{kept}");
    let ran = replay(&[&base[..], more, &["--report", &report]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = read_json(Path::new(&report));
    assert_eq!(report["outcome"], "complete");
    assert_eq!(report["total"]["records"], i64::from(PARTITIONS) * EACH);
    assert_eq!(report["resume"], Value::Null);
    report
}

fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn same_as_the_list(mut found: Vec<String>) {
    found.sort();
    let list = list();
    assert_eq!(found.len(), list.len());
    assert!(found == list, "first difference: {:?}", found.iter().zip(&list).find(|(found, sent)| found != sent));
}

fn of_lines(text: &str) -> Vec<String> {
    records(text.as_bytes())
        .iter()
        .map(|record| format!("{} {} {}", record["partition"], record["offset"], record["value"].as_str().unwrap()))
        .collect()
}

#[test]
fn json_lines_of_a_killed_run_go_on() {
    let (topic, scratch) = (filled("resumed-jsonl"), Scratch::new());
    let path = scratch.text("out.jsonl");
    killed_twice(&topic, &scratch, &path, &[]);
    same_as_the_list(of_lines(&std::fs::read_to_string(&path).unwrap()));
    assert_eq!(scratch.names(), ["checkpoint.json", "out.jsonl", "report.json"], "nothing partial is left");

    // The same command once more does nothing, and says so.
    let name = scratch.text("checkpoint.json");
    let ran = replay(&[&topic, "--from", "earliest", "--into", &path, "--checkpoint", &name]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("is complete"), "{}", ran.stderr);
}

#[test]
fn compressed_lines_of_a_killed_run_go_on() {
    let topic = filled("resumed-compressed");
    for (ending, program) in [("gz", "gzip"), ("zst", "zstd")] {
        let scratch = Scratch::new();
        let path = scratch.text(&format!("out.jsonl.{ending}"));
        killed_twice(&topic, &scratch, &path, &[]);
        same_as_the_list(of_lines(&output(program, &["-dc", &path])));
    }
}

#[test]
fn a_csv_file_of_a_killed_run_has_one_header() {
    let (topic, scratch) = (filled("resumed-csv"), Scratch::new());
    let path = scratch.text("out.csv");
    killed_twice(&topic, &scratch, &path, &[]);
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let found = reader.records().map(|row| {
        let row = row.unwrap();
        format!("{} {} {}", &row[1], &row[2], &row[6])
    });
    same_as_the_list(found.collect());
}

#[test]
fn a_table_of_a_killed_run_has_each_record_once() {
    let (topic, scratch) = (filled("resumed-sqlite"), Scratch::new());
    let path = scratch.text("out.sqlite");
    let report = killed_twice(&topic, &scratch, &path, &["--value-format", "string"]);
    let rows =
        output("sqlite3", &[&path, "select kafka_partition || ' ' || kafka_offset || ' ' || kafka_value from records"]);
    same_as_the_list(rows.lines().map(str::to_owned).collect());
    assert_eq!(report["sink"]["into"], "sqlite");
}

#[test]
fn a_run_that_was_interrupted_says_how_to_go_on() {
    let (topic, scratch) = (filled("resumed-interrupted"), Scratch::new());
    let (path, checkpoint) = (scratch.text("out.jsonl"), scratch.text("checkpoint.json"));
    let args = [&topic, "--from", "earliest", "--into", &path, "--checkpoint", &checkpoint];
    let running = start(&[&args[..], &["--rate", "6k", "-o", "json"]].concat());
    until("a place to go on from", || passed(Path::new(&checkpoint)) > 0);
    running.signal("INT");
    let ran = running.end();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["resume"]["checkpoint"], checkpoint);
    assert!(report["resume"]["command"].as_str().unwrap().contains("--checkpoint"), "{report}");
    // What Ctrl-C found was kept to the last record.
    assert_eq!(passed(Path::new(&checkpoint)), report["total"]["records"].as_i64().unwrap());
    let ran = replay(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    same_as_the_list(of_lines(&std::fs::read_to_string(&path).unwrap()));
}

#[test]
fn the_window_of_the_first_run_holds() {
    let (topic, scratch) = (filled("resumed-window"), Scratch::new());
    let (path, checkpoint) = (scratch.text("out.jsonl"), scratch.text("checkpoint.json"));
    let running = start(&[&topic, "--from", "2h", "--into", &path, "--checkpoint", &checkpoint, "--rate", "6k"]);
    until("a place to go on from", || passed(Path::new(&checkpoint)) > 0);
    running.signal("KILL");
    drop(running);
    // What comes after the end was captured is not in the window, and neither is `2h` counted from now on.
    shared().produce(&[Record::to(&topic).partition(0).value("later")]).unwrap();
    let window = read_json(Path::new(&checkpoint))["window"].clone();
    let before = std::fs::read(&checkpoint).unwrap();

    // Another request is refused, and leaves everything as it was.
    let other = ["--from", "1h", "--into", &path, "--checkpoint", &checkpoint];
    let ran = replay(&[&[topic.as_str()][..], &other].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("`--from` was `2h`, and is `1h`"), "{}", ran.stderr);
    let ran = replay(&[&topic, "--from", "2h", "--into", &path, "--checkpoint", &checkpoint, "--key", "k"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("`--key`"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&checkpoint).unwrap(), before);

    let (name, report) = scratch.report();
    let ran = replay(&[&topic, "--from", "2h", "--into", &path, "--checkpoint", &checkpoint, "--report", &name]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(read_json(&report)["window"], window);
    same_as_the_list(of_lines(&std::fs::read_to_string(&path).unwrap()));
}

#[test]
fn a_topic_made_anew_is_not_gone_on_with() {
    let (topic, scratch) = (filled("resumed-anew"), Scratch::new());
    let (path, checkpoint) = (scratch.text("out.jsonl"), scratch.text("checkpoint.json"));
    let args = [&topic, "--from", "earliest", "--into", &path, "--checkpoint", &checkpoint];
    let running = start(&[&args[..], &["--rate", "6k"]].concat());
    until("a place to go on from", || passed(Path::new(&checkpoint)) > 0);
    running.signal("KILL");
    drop(running);
    let names = scratch.names();
    shared().delete_topic(&topic).unwrap();
    shared().create_topic(&topic, PARTITIONS, &[]).unwrap();
    let ran = replay(&args);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("made anew"), "{}", ran.stderr);
    assert_eq!(scratch.names(), names, "what was read stays");
}

#[test]
fn one_run_at_a_time_and_no_sink_that_can_not_go_on() {
    let (topic, scratch) = (filled("resumed-locked"), Scratch::new());
    let (path, checkpoint) = (scratch.text("out.jsonl"), scratch.text("checkpoint.json"));
    let args = [&topic, "--from", "earliest", "--into", &path, "--checkpoint", &checkpoint];
    let running = start(&[&args[..], &["--rate", "6k"]].concat());
    until("a place to go on from", || passed(Path::new(&checkpoint)) > 0);
    let ran = replay(&args);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("another run"), "{}", ran.stderr);
    drop(running);

    let fresh = scratch.text("other.json");
    for (into, more) in [
        ("-".to_owned(), None),
        (scratch.text("out.parquet"), None),
        (scratch.text("o.jsonl"), Some("append")),
        (scratch.text("o.sqlite"), Some("append")),
    ] {
        let policy = more.map_or(vec![], |policy| vec!["--if-exists", policy]);
        let ran =
            replay(&[&[&topic, "--from", "earliest", "--into", &into, "--checkpoint", &fresh], &policy[..]].concat());
        assert_eq!(ran.code, 2, "{into}: {}", ran.stderr);
        assert!(ran.stderr.contains("--checkpoint"), "{}", ran.stderr);
    }
    std::fs::write(&fresh, json!({"kind": "replay"}).to_string()).unwrap();
    let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text("p.jsonl"), "--checkpoint", &fresh]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("is no checkpoint"), "{}", ran.stderr);
}

#[test]
fn a_topic_of_a_killed_run_holds_each_record_once() {
    for partitioner in ["keep", "murmur2"] {
        let (topic, scratch) = (filled("resumed-topic"), Scratch::new());
        let copy = unique("resumed-copy");
        shared().create_topic(&copy, PARTITIONS, &[]).unwrap();
        let into = format!("kafka:{copy}");
        let refused = scratch.text("refused.json");
        let ran = replay(&[&topic, "--from", "earliest", "--into", &into, "--yes", "--checkpoint", &refused]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("--origin-headers"), "{}", ran.stderr);
        killed_twice(&topic, &scratch, &into, &["--yes", "--origin-headers", "--into-partitioner", partitioner]);
        assert_eq!(ends(shared(), &copy, PARTITIONS), i64::from(PARTITIONS) * EACH);
        let mut values: Vec<String> =
            arrived(shared(), &copy, PARTITIONS).iter().map(|record| record.text().to_owned()).collect();
        values.sort();
        let mut sent: Vec<String> = (0..PARTITIONS).flat_map(|p| (0..EACH).map(move |n| format!("{p}:{n}"))).collect();
        sent.sort();
        assert_eq!(values.len(), sent.len(), "{partitioner}");
        assert!(values == sent, "{partitioner}");
    }
}

#[test]
fn a_table_in_postgres_of_a_killed_run_has_each_record_once() {
    let (topic, scratch) = (filled("resumed-postgres"), Scratch::new());
    let table = format!("resumed_{}", std::process::id());
    killed_twice(&topic, &scratch, &postgres().url(), &["--table", &table, "--value-format", "string"]);
    let rows =
        postgres().psql(&format!("SELECT kafka_partition || ' ' || kafka_offset || ' ' || kafka_value FROM {table}"));
    same_as_the_list(rows.lines().map(str::to_owned).collect());
    // Another table is another request.
    let checkpoint = scratch.text("checkpoint.json");
    let url = postgres().url();
    let ran = replay(&[
        &topic,
        "--from",
        "earliest",
        "--into",
        &url,
        "--table",
        "other",
        "--value-format",
        "string",
        "--checkpoint",
        &checkpoint,
    ]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("`--table`"), "{}", ran.stderr);
}
