//! Files that are wrong in one place, topics that the records come from, and nobody to ask: nothing is produced.

use super::{load, refused};
use crate::replay::arrived::ends;
use crate::replay::support::*;
use crate::reset::runner::Krewind;
use crate::reset::terminal::Terminal;
use local_kafka::shared;

const GOOD: &str = r#"{"topic":"orders","partition":0,"offset":5,"timestamp":"2026-12-01T09:59:58.120Z","timestamp_ms":1796119198120,"timestamp_type":"CreateTime","key":"k","value":"v","headers":[]}"#;

fn topic() -> String {
    let topic = unique("load-target");
    shared().create_topic(&topic, 1, &[("retention.ms", "-1")]).unwrap();
    topic
}

#[test]
fn one_bad_line_refuses_the_file_with_its_number() {
    let copy = topic();
    let scratch = Scratch::new();
    let changed = |from: &str, to: &str| {
        let line = GOOD.replacen(from, to, 1);
        assert_ne!(line, GOOD);
        line
    };
    for (bad, why) in [
        ("".to_owned(), "EOF"),
        ("not JSON".to_owned(), "expected"),
        (changed("\"headers\":[]}", "\"headers\":[]"), "EOF"),
        (changed("\"offset\":5,", ""), "missing field `offset`"),
        (changed("\"offset\":5", "\"offset\":-5"), "never below zero"),
        (changed("\"timestamp_ms\":1796119198120,", ""), "missing field `timestamp_ms`"),
        (changed("1796119198120", "0"), "its timestamp is 0"),
        (changed("CreateTime", "Created"), "`Created` is no timestamp type"),
        (changed(",\"value\":\"v\"", ""), "value is missing"),
        (changed("\"value\":\"v\"", "\"value\":{}"), "value is neither text nor null"),
        (changed("\"value\":\"v\"", "\"value\":\"v\",\"value_base64\":\"dg==\""), "both as text and as base64"),
        (changed("\"key\":\"k\"", "\"key_base64\":\"?\""), "key is no base64"),
        (changed("\"headers\":[]", "\"headers\":[{\"value\":null}]"), "a header's key is missing"),
        (changed("\"key\":\"k\"", "\"key\":\"k\",\"key\":\"l\""), "duplicate field `key`"),
    ] {
        let file = scratch.text("bad.jsonl");
        std::fs::write(&file, format!("{GOOD}\n{GOOD}\n{bad}\n{GOOD}\n")).unwrap();
        let run = load(&[&file, "--into", &format!("kafka:{copy}"), "--yes"]);
        assert_eq!(refused(&run, 2), "bad-file", "{bad}");
        assert!(run.stderr.contains("line 3 of") && run.stderr.contains(why), "{bad}: {}", run.stderr);
    }
    assert_eq!(ends(shared(), &copy, 1), 0);
}

#[test]
fn a_file_that_is_cut_is_refused() {
    let copy = topic();
    let scratch = Scratch::new();
    let whole = format!("{GOOD}\n").repeat(1000);
    std::fs::write(scratch.path("cut.jsonl"), whole.trim_end()).unwrap();
    std::fs::write(scratch.path("orders.jsonl.partial-a1b2c3"), &whole).unwrap();
    let packed = zstd::encode_all(whole.as_bytes(), 3).unwrap();
    std::fs::write(scratch.path("cut.jsonl.zst"), &packed[..packed.len() - 5]).unwrap();
    std::fs::write(scratch.path("a.jsonl"), &whole).unwrap();
    assert!(std::process::Command::new("gzip").arg(scratch.path("a.jsonl")).status().unwrap().success());
    let packed = std::fs::read(scratch.path("a.jsonl.gz")).unwrap();
    std::fs::write(scratch.path("cut.jsonl.gz"), &packed[..packed.len() - 9]).unwrap();
    for (name, why) in [
        ("cut.jsonl", "line 1000 of"),
        ("orders.jsonl.partial-a1b2c3", "did not end well"),
        ("cut.jsonl.zst", "line "),
        ("cut.jsonl.gz", "line "),
        ("missing.jsonl", "can't be read"),
    ] {
        let run = load(&[&scratch.text(name), "--into", &format!("kafka:{copy}"), "--yes"]);
        assert_eq!(refused(&run, 2), "bad-file", "{name}");
        assert!(run.stderr.contains(why), "{name}: {}", run.stderr);
    }
    assert_eq!(ends(shared(), &copy, 1), 0);
}

#[test]
fn records_do_not_go_back_to_their_topic_unless_told() {
    let cluster = shared();
    let source = topic();
    cluster.produce_numbers(&source, 0, 3).unwrap();
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    assert_eq!(replay(&[&source, "--from", "earliest", "--into", &file]).code, 0);
    let into = format!("kafka:{source}");
    let run = load(&[&file, "--into", &into, "--yes"]);
    assert_eq!(refused(&run, 3), "own-source");
    assert!(run.stderr.contains("--into-source-topic"), "{}", run.stderr);
    assert_eq!(ends(cluster, &source, 1), 3);
    let run = load(&[&file, "--into", &into, "--yes", "--into-source-topic"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(ends(cluster, &source, 1), 6);
}

#[test]
fn it_asks_as_every_write_does() {
    let cluster = shared();
    let copy = topic();
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    std::fs::write(&file, format!("{GOOD}\n")).unwrap();
    let into = format!("kafka:{copy}");
    assert_eq!(refused(&load(&[&file, "--into", &into]), 3), "no-terminal");
    assert_eq!(refused(&load(&[&file, "--into", &into, "--yes", "--read-only"]), 3), "read-only");
    assert_eq!(refused(&load(&[&file, "--into", "kafka:no-such-topic", "--yes"]), 3), "topic-not-found");
    assert_eq!(refused(&load(&[&file, "--into", "null", "--yes"]), 2), "usage");
    assert_eq!(refused(&load(&["a.csv", "--into", &into, "--yes"]), 2), "usage");
    assert_eq!(ends(cluster, &copy, 1), 0);
    let krewind = Krewind::on(cluster);
    for (typed, exit, end) in [("no", 3, 0), (copy.as_str(), 0, 1)] {
        let mut terminal = Terminal::start(&krewind, &["load", &file, "--into", &into]);
        terminal.shows(&format!("type {copy} to produce"));
        terminal.types(typed);
        terminal.end().exits(exit).tells("1 records, each in its partition");
        assert_eq!(ends(cluster, &copy, 1), end);
    }
}
