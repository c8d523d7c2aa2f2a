//! A partition without a leader: said soon and by name, and no other partition has to wait for it.

use super::place::{kafka_consumer_groups, unique};
use super::runner::{DEADLINE, Krewind, each};
use local_kafka::{Check, Kafka, tool, wait_for};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The leader of each partition of a topic, as Kafka's own tool has it.
fn leaders(cluster: &local_kafka::Cluster, topic: &str) -> BTreeMap<i32, Option<i32>> {
    let args = ["--bootstrap-server", cluster.bootstrap(), "--describe", "--topic", topic];
    let output = tool("org.apache.kafka.tools.TopicCommand", &args).unwrap().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let field = |line: &str, name: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.iter().position(|word| *word == name).map(|at| words[at + 1].to_owned())
    };
    text.lines()
        .filter_map(|line| Some((field(line, "Partition:")?.parse().ok()?, field(line, "Leader:")?.parse().ok())))
        .collect()
}

#[test]
fn a_partition_without_a_leader_fails_soon_and_by_name_and_the_others_can_be_moved() {
    let kafka = Kafka::builder().nodes(3).setting("broker.session.timeout.ms", "3000").start().unwrap();
    let cluster = kafka.client();
    let (topic, group) = (unique("topic"), unique("group"));
    // One replica each.
    cluster.create_topic(&topic, 6, &[]).unwrap();
    for partition in 0..6 {
        cluster.produce_numbers(&topic, partition, 9).unwrap();
    }
    let all: Vec<i32> = (0..6).collect();
    let commits: Vec<(&str, i32, i64)> = all.iter().map(|&partition| (topic.as_str(), partition, 5)).collect();
    cluster.commit_all(&group, &commits).unwrap();
    let state = kafka_consumer_groups(&cluster, &["--describe", "--state", "--group", &group]);
    let line = state.lines().find(|line| line.contains(&group)).unwrap();
    let coordinator: i32 = line.split(['(', ')']).nth(1).unwrap().parse().unwrap();
    let victim = (1..=3).find(|id| *id != coordinator).unwrap();
    let (gone, led): (Vec<i32>, Vec<i32>) = {
        let before = leaders(&cluster, &topic);
        all.iter().partition(|partition| before[*partition] == Some(victim))
    };
    assert!(!gone.is_empty() && !led.is_empty());
    kafka.node(victim).kill().unwrap();
    wait_for("the partitions to have no leader", DEADLINE, || {
        let now = leaders(&cluster, &topic);
        let done = now.len() == 6 && gone.iter().all(|partition| now[partition].is_none());
        Ok(if done { Check::Done(()) } else { Check::NotYet(format!("{now:?}")) })
    })
    .unwrap();

    let krewind = Krewind::on(&cluster);
    let stands = || cluster.committed_offsets(&group, &topic, &all).unwrap();
    for target in [&["--to-earliest"][..], &["--to-offset", "2"], &["--to-timestamp", "2h"], &["--to-current"]] {
        let started = Instant::now();
        let ran = krewind.reset(&[&[&group, "--topic", &topic, "--yes"], target].concat()).exits(1);
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        let named: Vec<String> = gone.iter().map(|partition| format!("`{topic}-{partition}`")).collect();
        ran.tells(&format!("no broker leads {} now", named.join(", "))).tells("hint: `--topic");
        assert_eq!(stands(), [Some(5); 6], "{target:?}");
    }
    assert_eq!(krewind.journal().len(), 0);

    let list = |partitions: &[i32]| {
        let numbers: Vec<String> = partitions.iter().map(i32::to_string).collect();
        format!("{topic}:{}", numbers.join(","))
    };
    let report = krewind.reset(&[&group, "--topic", &list(&led), "--to-offset", "2", "--yes"]).applied();
    assert_eq!(each(&report, "partition"), led);
    // A commit needs no leader of its partition to be removed.
    let report = krewind.run(&["delete-offsets", &group, "--topic", &list(&gone), "--yes", "-o", "json"]).applied();
    assert_eq!(each(&report, "log_end_offset"), vec![&json!(null); gone.len()]);
    for (partition, stands) in stands().into_iter().enumerate() {
        let expected = if gone.contains(&i32::try_from(partition).unwrap()) { None } else { Some(2) };
        assert_eq!(stands, expected, "{partition}");
    }
}
