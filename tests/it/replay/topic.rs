//! A topic as the sink: what arrives there, read by consumers that are not krewind's.

use super::arrived::*;
use super::support::*;
use local_kafka::client::Record;
use local_kafka::{Cluster, shared, tool};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// Two topics that keep records of any age.
fn topics(cluster: &Cluster, what: &str, from: i32, to: i32) -> (String, String) {
    let (source, target) = (unique(what), unique(&format!("{what}-copy")));
    cluster.create_topic(&source, from, &[("retention.ms", "-1")]).unwrap();
    cluster.create_topic(&target, to, &[("retention.ms", "-1")]).unwrap();
    (source, target)
}

/// Copies everything; the report.
fn copied(source: &str, target: &str, more: &[&str]) -> Value {
    let into = format!("kafka:{target}");
    let ran = replay(&[&[source, "--from", "earliest", "--into", &into, "--yes", "-o", "json"], more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.json()
}

#[test]
fn every_record_arrives_as_it_was_in_its_partition_and_order() {
    let cluster = shared();
    let (source, target) = topics(cluster, "kinds", 3, 3);
    let expected = produce(cluster, &source, &of_every_kind(1_780_300_800_000));
    let report = copied(&source, &target, &[]);
    assert_eq!(arrived(cluster, &target, 3), expected);
    assert_eq!(report["outcome"], "complete");
    assert_eq!((&report["sink"]["into"], &report["sink"]["target"]), (&json!("kafka"), &json!(target)));
    assert_eq!((&report["sink"]["written"], &report["total"]["records"]), (&json!(27), &json!(27)));
    assert_eq!(report.get("warnings"), None);
    // And the source is as it was.
    assert_eq!(arrived(cluster, &source, 3), expected);
    no_replay_group(cluster);
}

#[test]
fn kafkas_own_console_consumer_prints_both_alike() {
    let cluster = shared();
    let (source, target) = topics(cluster, "console", 2, 2);
    let records: Vec<Record> = (0..10)
        .map(|n| {
            let record =
                Record::to(&source).partition(n % 2).key(format!("k{n}")).timestamp(1_700_000_000_000 + i64::from(n));
            record.value(format!("v{n}")).header("h", Some(b"1")).header("h", None)
        })
        .collect();
    cluster.produce(&records).unwrap();
    copied(&source, &target, &[]);
    let properties =
        ["print.key=true", "print.timestamp=true", "print.headers=true", "print.partition=true", "print.offset=true"];
    let lines = console_consumer(cluster, &target, &properties);
    assert_eq!(lines.len(), 10);
    assert!(lines[0].contains("CreateTime:1700000000000") && lines[0].contains("h:1,h:null"), "{}", lines[0]);
    assert_eq!(lines, console_consumer(cluster, &source, &properties));
}

#[test]
fn murmur2_puts_each_key_where_javas_producer_puts_it() {
    let cluster = shared();
    let (source, target) = topics(cluster, "murmur2", 1, 7);
    let javas = unique("murmur2-java");
    cluster.create_topic(&javas, 7, &[]).unwrap();
    let keys: Vec<String> =
        (0..60).map(|n| ["customer-", "", "é注", "x"][n % 4].to_owned() + &(n * n).to_string()).collect();
    let mut command =
        tool("org.apache.kafka.tools.ConsoleProducer", &["--bootstrap-server", cluster.bootstrap(), "--topic", &javas])
            .unwrap();
    command.args(["--reader-property", "parse.key=true", "--reader-property", "key.separator=|"]);
    let mut producer = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = producer.stdin.take().unwrap();
    for key in &keys {
        writeln!(stdin, "{key}|v").unwrap();
    }
    drop(stdin);
    let output = producer.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let placed = |topic: &str| {
        let mut placed: Vec<(Vec<u8>, i32)> =
            arrived(cluster, topic, 7).into_iter().map(|record| (record.key.unwrap(), record.partition)).collect();
        placed.sort();
        placed
    };
    assert_eq!(ends(cluster, &javas, 7), 60);

    let records: Vec<Record> = keys.iter().map(|key| Record::to(&source).partition(0).key(key).value("v")).collect();
    cluster.produce(&records).unwrap();
    copied(&source, &target, &["--into-partitioner", "murmur2"]);
    assert_eq!(placed(&target), placed(&javas));
}

#[test]
fn headers_of_origin_come_after_the_records_own() {
    let cluster = shared();
    let (source, target) = topics(cluster, "origin", 2, 2);
    cluster
        .produce(&[
            Record::to(&source).partition(1).value("a").timestamp(1_700_000_000_000).header("own", Some(b"1")),
            Record::to(&source).partition(1).value("b").timestamp(1_700_000_000_001),
            Record::to(&source).partition(0).value("c").timestamp(1_700_000_000_002),
        ])
        .unwrap();
    let report = copied(&source, &target, &["--origin-headers"]);
    let cluster_id = report["cluster_id"].as_str().unwrap();
    let found = arrived(cluster, &target, 2);
    let origin = |record: &Arrived| {
        ["cluster", "topic", "partition", "offset", "timestamp"]
            .map(|name| record.header(&format!("krewind.source.{name}")).join("|"))
    };
    assert_eq!(found.iter().map(Arrived::text).collect::<Vec<_>>(), ["c", "a", "b"]);
    assert_eq!(origin(&found[0]), [cluster_id, &source, "0", "0", "1700000000002"]);
    assert_eq!(origin(&found[1]), [cluster_id, &source, "1", "0", "1700000000000"]);
    assert_eq!(origin(&found[2]), [cluster_id, &source, "1", "1", "1700000000001"]);
    assert_eq!((found[1].headers.len(), found[1].headers[0].0.as_str()), (6, "own"));
}

#[test]
fn an_interrupted_run_says_how_many_were_produced() {
    let cluster = shared();
    let (source, target) = topics(cluster, "interrupted", 1, 1);
    let producer = cluster.transactional_producer(&unique("tx"), &[]).unwrap();
    let numbers = |from: usize, to: usize| -> Vec<Record> {
        (from..to).map(|n| Record::to(&source).partition(0).value(n.to_string())).collect()
    };
    cluster.produce(&numbers(0, 5)).unwrap();
    producer.begin().unwrap();
    producer.produce(&numbers(5, 8)).unwrap();
    let into = format!("kafka:{target}");
    let running = start(&[
        &source,
        "--from",
        "earliest",
        "--end-offset",
        "8",
        "--into",
        &into,
        "--yes",
        "-o",
        "json",
        "--wait-stable",
        "60s",
    ]);
    // Five were read, and the sixth waits for the transaction.
    running.says("waiting up to");
    until("five records to arrive", || ends(cluster, &target, 1) == 5);
    running.signal("INT");
    let ran = running.end();
    producer.abort().unwrap();
    let report = ran.json();
    assert_eq!((ran.code, &report["outcome"]), (130, &json!("interrupted")), "{}", ran.stderr);
    assert_eq!((&report["sink"]["written"], ends(cluster, &target, 1)), (&json!(5), 5));
}

#[test]
fn a_record_that_the_brokers_refuse_is_named_and_the_run_is_not_whole() {
    let cluster = shared();
    let (source, target) = (unique("refused"), unique("refused-copy"));
    cluster.create_topic(&source, 1, &[]).unwrap();
    cluster.create_topic(&target, 1, &[("cleanup.policy", "compact")]).unwrap();
    let keyed = |n: i32| Record::to(&source).partition(0).key(n.to_string()).value("v");
    cluster.produce(&[keyed(0), keyed(1), Record::to(&source).partition(0).value("no key")]).unwrap();
    let into = format!("kafka:{target}");
    let ran = replay(&[&source, "--from", "earliest", "--into", &into, "--yes", "-o", "json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["outcome"]), (1, &json!("incomplete")), "{}", ran.stderr);
    let codes: Vec<&str> =
        report["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"compacted"), "{codes:?}");
    assert!(ran.stderr.contains(&format!("of `{source}-0` at offset ")), "{}", ran.stderr);
    assert_eq!(report["sink"]["written"].as_i64().unwrap(), ends(cluster, &target, 1), "{}", ran.stderr);
}
