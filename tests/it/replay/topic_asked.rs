//! Producing is a write: what is refused, what is warned of, how it is asked for, and that nothing was written then.

use super::arrived::ends;
use super::support::*;
use crate::reset::runner::Krewind;
use crate::reset::terminal::Terminal;
use local_kafka::client::Record;
use local_kafka::{Kafka, shared};
use serde_json::json;

/// A topic with three records in each of three partitions.
fn source(what: &str) -> String {
    let topic = unique(what);
    let cluster = shared();
    cluster.create_topic(&topic, 3, &[]).unwrap();
    (0..3).for_each(|partition| cluster.produce_numbers(&topic, partition, 3).unwrap());
    topic
}

fn target(partitions: i32, settings: &[(&str, &str)]) -> String {
    let topic = unique("target");
    shared().create_topic(&topic, partitions, settings).unwrap();
    topic
}

/// Runs it with these arguments after the window; refused with this code, and the target is empty.
#[track_caller]
fn refused(source: &str, target: &str, more: &[&str], code: &str) -> String {
    let into = format!("kafka:{target}");
    let ran = replay(&[&[source, "--from", "earliest", "--into", &into, "-o", "json"], more].concat());
    assert_eq!((ran.code, &ran.json()["code"]), (3, &json!(code)), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn what_can_not_be_is_refused_before_anything_is_written() {
    let cluster = shared();
    let source = source("refusals");
    let copy = target(3, &[]);
    // Nobody can be asked here.
    let stderr = refused(&source, &copy, &[], "no-terminal");
    assert!(stderr.contains("hint: `--yes`"), "{stderr}");
    refused(&source, &copy, &["--yes", "--read-only"], "read-only");
    let stderr = refused(&source, &copy, &["--yes", "--confirm", "other"], "declined");
    assert!(stderr.contains(&copy), "{stderr}");
    assert_eq!(ends(cluster, &copy, 3), 0);
    // Fewer partitions can't keep all records in theirs.
    let small = target(2, &[]);
    let stderr = refused(&source, &small, &["--yes"], "out-of-range");
    assert!(stderr.contains("--into-partitioner murmur2") && stderr.contains("--partitions 3"), "{stderr}");
    assert_eq!(ends(cluster, &small, 2), 0);
    // A topic is never created by the way.
    let missing = unique("missing");
    let stderr = refused(&source, &missing, &["--yes"], "topic-not-found");
    let line =
        format!("kafka-topics --bootstrap-server {} --create --topic {missing} --partitions 3", cluster.bootstrap());
    assert!(stderr.contains(&line), "{stderr}");
    assert!(!topic_names(cluster).contains(&missing));
    refused(&source, "__consumer_offsets", &["--yes"], "protected");
}

#[test]
fn a_replay_never_feeds_itself_by_whatever_address() {
    let cluster = shared();
    let source = source("own");
    let stderr = refused(&source, &source, &["--yes"], "own-source");
    assert!(stderr.contains("nothing was written"), "{stderr}");
    let port = cluster.bootstrap().rsplit(':').next().unwrap();
    for host in ["localhost", "127.0.0.1"] {
        let into = format!("kafka://{host}:{port}/{source}");
        let ran = replay(&[&source, "--from", "earliest", "--into", &into, "--yes", "-o", "json"]);
        assert_eq!((ran.code, &ran.json()["code"]), (3, &json!("own-source")), "{}", ran.stderr);
    }
    // Nor one of several.
    let other = target(3, &[]);
    cluster.produce(&[Record::to(&other).partition(0).value("v")]).unwrap();
    let ran =
        replay(&[&source, &other, "--from", "earliest", "--into", &format!("kafka:{source}"), "--yes", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (3, &json!("own-source")), "{}", ran.stderr);
    assert_eq!(ends(cluster, &source, 3), 9);
}

#[test]
fn another_cluster_may_have_a_topic_of_that_name() {
    let source = source("elsewhere");
    let kafka = Kafka::start().unwrap();
    let there = kafka.client();
    there.create_topic(&source, 3, &[]).unwrap();
    let into = format!("kafka://{}/{source}", there.bootstrap());
    let scratch = Scratch::new();
    std::fs::write(scratch.path("there.properties"), "client.id=copier\n").unwrap();
    let config = scratch.text("there.properties");
    let run = ["--from", "earliest", "--into", &into, "--into-command-config", &config, "--yes", "-o", "json"];
    let ran = replay(&[&[source.as_str()], &run[..]].concat());
    let report = ran.json();
    assert_eq!((ran.code, &report["sink"]["written"]), (0, &json!(9)), "{}", ran.stderr);
    assert_eq!(report["sink"]["target"], into);
    assert_eq!((ends(&there, &source, 3), ends(shared(), &source, 3)), (9, 9));
}

#[test]
fn a_dry_run_shows_the_plan_and_writes_nothing() {
    let cluster = shared();
    let source = source("dry");
    let copy = target(3, &[]);
    let into = format!("kafka:{copy}");
    for more in [&["--dry-run"][..], &["--dry-run", "--yes"], &["--dry-run", "--read-only"]] {
        let ran = replay(&[&[&source, "--from", "earliest", "--into", &into, "-o", "json"], more].concat());
        let report = ran.json();
        assert_eq!((ran.code, &report["outcome"]), (0, &json!("planned")), "{}", ran.stderr);
        assert_eq!(partition(&report, 2)["end_offset"], 3);
        assert_eq!(report["sink"]["written"], 0);
        assert!(ran.stderr.contains(&format!("into: {copy} (3 partitions) of ")), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("from: {source} (3 partitions, 9 offsets)")), "{}", ran.stderr);
    }
    assert_eq!(ends(cluster, &copy, 3), 0);
}

#[test]
fn a_person_types_the_topics_name() {
    let cluster = shared();
    let source = source("typed");
    let copy = target(3, &[]);
    let krewind = Krewind::on(cluster);
    let into = format!("kafka:{copy}");
    let run = ["replay", &source, "--from", "earliest", "--into", &into, "-o", "json"];
    let mut terminal = Terminal::start(&krewind, &run);
    terminal.shows(&format!("type {copy} to produce"));
    terminal.types("yes");
    let ran = terminal.end().exits(3).tells("nothing was written");
    assert_eq!(ran.json()["code"], "declined");
    assert_eq!(ends(cluster, &copy, 3), 0);
    let mut terminal = Terminal::start(&krewind, &run);
    terminal.shows(&format!("type {copy} to produce"));
    terminal.types(&copy);
    let ran = terminal.end().exits(0).tells("9 records at most, each in its partition");
    assert_eq!(ran.json()["sink"]["written"], 9);
    assert_eq!(ends(cluster, &copy, 3), 9);
}

#[test]
fn what_the_target_would_do_to_the_records_is_said_before() {
    let cluster = shared();
    let source = unique("warned");
    cluster
        .create_topic(&source, 1, &[("retention.ms", "-1"), ("message.timestamp.after.max.ms", "9223372036854775807")])
        .unwrap();
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let day = 86_400_000;
    let dated = |at: i64| Record::to(&source).partition(0).key("k").value("v").timestamp(at);
    cluster.produce(&[dated(now - 3 * day), dated(now - day), dated(now + day)]).unwrap();
    let codes = |settings: &[(&str, &str)], partitions: i32, window: &[&str]| -> Vec<String> {
        let into = format!("kafka:{}", target(partitions, settings));
        let ran = replay(&[&[source.as_str(), "--into", &into, "--dry-run", "-o", "json"], window].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let report = ran.json();
        let warnings = report["warnings"].as_array().cloned().unwrap_or_default();
        for warning in &warnings {
            assert!(ran.stderr.contains(warning["message"].as_str().unwrap()), "{warning} {}", ran.stderr);
        }
        warnings.iter().map(|warning| warning["code"].as_str().unwrap().to_owned()).collect()
    };
    let all = &["--from", "earliest"][..];
    let keep = ("retention.ms", "-1");
    let far = ("message.timestamp.after.max.ms", "9223372036854775807");
    assert_eq!(codes(&[keep, far], 1, all), [] as [&str; 0]);
    assert_eq!(codes(&[keep, far], 2, all), ["partition-count"]);
    assert_eq!(codes(&[("retention.ms", "172800000"), far], 1, all), ["retention"]);
    assert_eq!(codes(&[("retention.ms", "172800000"), far], 1, &["--from", "36h"]), [] as [&str; 0]);
    assert_eq!(codes(&[keep, far, ("message.timestamp.before.max.ms", "172800000")], 1, all), ["timestamp-too-old"]);
    // An hour by default.
    assert_eq!(codes(&[keep], 1, all), ["timestamp-too-new"]);
    assert_eq!(codes(&[keep], 1, &["--from", "earliest", "--end-offset", "2"]), [] as [&str; 0]);
    assert_eq!(codes(&[keep, far, ("message.timestamp.type", "LogAppendTime")], 1, all), ["timestamps-replaced"]);
    assert_eq!(codes(&[keep, far, ("max.message.bytes", "2000")], 1, all), ["max-message-bytes"]);
    assert_eq!(codes(&[far, ("cleanup.policy", "compact")], 1, all), ["compacted"]);
}

#[test]
fn arguments_that_say_nothing_are_refused() {
    for (args, words) in [
        (&["t", "--from", "2h", "--dry-run"][..], "`--dry-run` says nothing"),
        (&["t", "--from", "2h", "--into", "null", "--yes"], "`--yes` says nothing"),
        (&["t", "--from", "2h", "--into", "kafka:x", "--value-format", "json"], "takes records as they are"),
        (&["t", "--from", "2h", "--into", "kafka:x", "--into-command-config", "f"], "for another cluster"),
    ] {
        let ran = replay(args);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
}
