//! The peak of memory stays where it is, however large the topic.

use super::support::*;
use local_kafka::client::Record;
use local_kafka::{Check, shared, wait_for};
use std::process::Stdio;
use std::time::Duration;

/// Of a kilobyte each: 25 times what `--buffer` may hold.
const RECORDS: usize = 200_000;

/// 200 MB on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(240);

/// A debug build, its threads and librdkafka are about 25 MB; what is not bounded would be 200 MB and more.
const BOUND_MB: u64 = 64;

/// The most memory that a process has had so far, as the kernel tells it.
fn peak_mb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// A topic of 200 MB, of which each value is random up to this length and the same letter from there.
fn filled(what: &str, partitions: usize, random_part: usize) -> String {
    let cluster = shared();
    let topic = unique(what);
    cluster.create_topic(&topic, i32::try_from(partitions).unwrap(), &[]).unwrap();
    let producer = cluster.producer(&[("compression.type", "lz4"), ("linger.ms", "50")]).unwrap();
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 16
    };
    for first in (0..RECORDS).step_by(20_000) {
        let records: Vec<Record> = (first..first + 20_000)
            .map(|n| {
                let mut value: String = (0..random_part / 12).map(|_| format!("{:012x}", random())).collect();
                value.push_str(&"x".repeat(1020 - value.len()));
                Record::to(&topic).partition(i32::try_from(n % partitions).unwrap()).value(value)
            })
            .collect();
        producer.produce(&records).unwrap();
    }
    topic
}

/// Reads it all within the bound.
fn read(topic: &str, into: &str) {
    let mut command = command(&[topic, "--from", "earliest", "--buffer", "8MB", "--into", into, "-o", "json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut peak = 0;
    wait_for("krewind to end", PATIENCE, || {
        peak = peak_mb(child.id()).map_or(peak, |now| now.max(peak));
        Ok(match child.try_wait().unwrap() {
            Some(_) => Check::Done(()),
            None => Check::NotYet(String::new()),
        })
    })
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["total"]["records"]), (Some(0), &RECORDS.into()), "{report}");
    assert_eq!(report["total"]["bytes"], 204_000_000, "{report}");
    assert!(0 < peak && peak < BOUND_MB, "{into}: {peak} MB");
}

#[test]
fn a_topic_far_larger_than_the_buffer_is_read_within_a_bound() {
    let scratch = Scratch::new();
    // Compressed to about half, and hardly; few partitions, and so many that each one's share of a fetch must be small.
    for (what, partitions, random_part) in [("half", 4, 480), ("many", 60, 960)] {
        let topic = filled(what, partitions, random_part);
        read(&topic, "null");
        read(&topic, &scratch.text(&format!("{what}.jsonl")));
        shared().delete_topic(&topic).unwrap();
    }
}
