//! The peak of memory stays where it is, however large the topic.

use super::support::*;
use local_kafka::client::Record;
use local_kafka::shared;
use std::process::Stdio;

/// Two hundred times what `--buffer` may hold would come by.
const RECORDS: usize = 200_000;

/// A debug build, its threads and librdkafka are about 25 MB; what is not bounded would be 200 MB and more.
const BOUND_MB: u64 = 64;

/// The most memory that a process has had so far, as the kernel tells it.
fn peak_mb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

#[test]
fn a_topic_far_larger_than_the_buffer_is_read_within_a_bound() {
    let cluster = shared();
    let topic = unique("memory");
    cluster.create_topic(&topic, 4, &[]).unwrap();
    let producer = cluster.producer(&[("compression.type", "lz4"), ("linger.ms", "50")]).unwrap();
    // Half of each value is random, so that the log is about as large as half the values.
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 16
    };
    for first in (0..RECORDS).step_by(20_000) {
        let records: Vec<Record> = (first..first + 20_000)
            .map(|n| {
                let mut value: String = (0..40).map(|_| format!("{:012x}", random() & 0xffff_ffff_ffff)).collect();
                value.push_str(&"x".repeat(540));
                Record::to(&topic).partition(i32::try_from(n % 4).unwrap()).value(value)
            })
            .collect();
        producer.produce(&records).unwrap();
    }
    let scratch = Scratch::new();
    for sink in ["null".to_owned(), scratch.text("a.jsonl")] {
        let mut command = command(&[&topic, "--from", "earliest", "--buffer", "8MB", "--into", &sink, "-o", "json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak_mb(child.id()).map_or(peak, |now| now.max(peak));
            std::thread::yield_now();
        }
        let output = child.wait_with_output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), &report["total"]["records"]), (Some(0), &RECORDS.into()), "{report}");
        eprintln!("PEAK {sink} {peak} {}", report["total"]);
        assert!(report["total"]["bytes"].as_u64().unwrap() > 200_000_000, "{report}");
        assert!(0 < peak && peak < BOUND_MB, "{sink}: {peak} MB");
    }
}
