//! Brokers that go or freeze while a replay reads.

use super::held::*;
use super::support::*;
use local_kafka::{Cluster, Kafka};
use rdkafka::consumer::Consumer;
use std::collections::BTreeMap;

const PARTITIONS: usize = 6;

/// The leader of each partition, as any broker tells that answers.
fn leaders(cluster: &Cluster, topic: &str) -> Option<BTreeMap<i32, i32>> {
    let consumer = cluster.consumer("replay-look", &[]).unwrap();
    let metadata = consumer.fetch_metadata(Some(topic), std::time::Duration::from_secs(5)).ok()?;
    Some(metadata.topics()[0].partitions().iter().map(|partition| (partition.id(), partition.leader())).collect())
}

/// Waits until each partition has a leader, and this node leads none.
fn await_moved(cluster: &Cluster, topic: &str, gone: i32) {
    until(&format!("node {gone} to lead nothing"), || {
        leaders(cluster, topic)
            .is_some_and(|now| now.len() == PARTITIONS && now.values().all(|leader| *leader > 0 && *leader != gone))
    });
}

fn start_three() -> Kafka {
    Kafka::builder().nodes(3).setting("broker.session.timeout.ms", "3000").start().unwrap()
}

#[test]
fn a_leader_that_is_killed_or_freezes_makes_no_difference_to_what_is_read() {
    let kafka = start_three();
    let cluster = kafka.client();
    let topic = "moving";
    cluster.create_replicated_topic(topic, i32::try_from(PARTITIONS).unwrap(), 3, &[]).unwrap();
    let produced = list(&cluster.produce(&many(topic, PARTITIONS, 12_000)).unwrap());
    for how in ["killed", "frozen"] {
        let scratch = Scratch::new();
        let (report, path) = scratch.report();
        let mut command = command_on(&cluster, &[topic, "--from", "earliest", "--report", &report]);
        command.args(["--timeout", "5s"]);
        let held = Held::start(command);
        let victim = leaders(&cluster, topic).unwrap()[&0];
        if how == "killed" {
            kafka.node(victim).kill().unwrap();
        } else {
            kafka.node(victim).pause().unwrap();
        }
        await_moved(&cluster, topic, victim);
        let ran = held.let_go();
        assert_eq!(ran.code, 0, "{how}: {}", ran.stderr);
        // Each record once, none else.
        let found = as_produced(&ran.records(), &produced);
        assert_eq!(found, produced.keys().copied().collect::<Vec<_>>(), "{how}");
        let report = read_json(&path);
        assert_eq!((&report["outcome"], &report["total"]["records"]), (&"complete".into(), &12_000.into()), "{how}");
        if how == "killed" {
            kafka.node(victim).restart().unwrap();
        } else {
            kafka.node(victim).resume().unwrap();
        }
    }
}

#[test]
fn a_cluster_that_freezes_for_too_long_ends_the_run_and_one_that_comes_back_does_not() {
    let kafka = start_three();
    let cluster = kafka.client();
    let topic = "frozen";
    cluster.create_replicated_topic(topic, i32::try_from(PARTITIONS).unwrap(), 3, &[]).unwrap();
    let produced = list(&cluster.produce(&many(topic, PARTITIONS, 12_000)).unwrap());
    let scratch = Scratch::new();

    // For too long.
    let (report, path) = scratch.report();
    let args = [topic, "--from", "earliest", "--report", &report, "--stall-timeout", "3s", "--timeout", "5s"];
    let held = Held::start(command_on(&cluster, &args));
    kafka.nodes().iter().for_each(|node| node.pause().unwrap());
    let ran = held.let_go();
    kafka.nodes().iter().for_each(|node| node.resume().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = read_json(&path);
    assert_eq!(report["outcome"], "incomplete");
    let found = as_produced(&ran.records(), &produced);
    assert!(found.len() < produced.len());
    for number in 0..PARTITIONS {
        let row = partition(&report, i64::try_from(number).unwrap());
        assert_eq!(row["ended"], "error", "{row}");
        assert!(row["reason"].as_str().unwrap().starts_with("nothing came for 3s"), "{row}");
        let count = found.iter().filter(|place| place.0 == i64::try_from(number).unwrap()).count();
        assert_eq!(row["next_offset"], count, "{row}");
    }
    assert!(ran.stderr.contains("nothing came for 3s"), "{}", ran.stderr);

    // For a while.
    until("all leaders", || {
        leaders(&cluster, topic).is_some_and(|now| now.len() == PARTITIONS && now.values().all(|leader| *leader > 0))
    });
    let (report, path) = scratch.report();
    let args = [topic, "--from", "earliest", "--report", &report, "--timeout", "5s", "--stall-timeout", "2m"];
    let held = Held::start(command_on(&cluster, &args));
    kafka.nodes().iter().for_each(|node| node.pause().unwrap());
    let (tell, told) = std::sync::mpsc::channel();
    let ran = std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            tell.send(()).unwrap();
            held.let_go()
        });
        told.recv().unwrap();
        // It has read what it had, and waits: the processes' own clock tells.
        until("the client to miss the brokers", || leaders(&cluster, topic).is_none());
        kafka.nodes().iter().for_each(|node| node.resume().unwrap());
        reading.join().unwrap()
    });
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = as_produced(&ran.records(), &produced);
    assert_eq!(found, produced.keys().copied().collect::<Vec<_>>());
    assert_eq!(read_json(&path)["outcome"], "complete");
}
