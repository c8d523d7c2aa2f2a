//! A replay into a pipe that is read as far as a test wants: it has begun, and can't end before it is let go.

use super::support::*;
use local_kafka::client::Record;
use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Stdio};

/// Values of about 1 kB, so that no pipe and no small buffer holds them all.
pub fn value(n: usize) -> String {
    format!("{n} {}", "x".repeat(1000))
}

/// This many of them in each of the first partitions, in turn.
pub fn many(topic: &str, partitions: usize, count: usize) -> Vec<Record> {
    (0..count)
        .map(|n| {
            Record::to(topic).partition(i32::try_from(n % partitions).unwrap()).key(format!("k{n}")).value(value(n))
        })
        .collect()
}

/// What was produced, by partition and offset.
pub type Produced = BTreeMap<(i64, i64), usize>;

/// The producer's list, from what it was told of each record.
pub fn list(acknowledged: &[(i32, i64)]) -> Produced {
    let places = acknowledged.iter().enumerate();
    places.map(|(n, (partition, offset))| ((i64::from(*partition), *offset), n)).collect()
}

/// Each record is the one that was produced at its place, and none came twice. Returns the places, in order.
#[track_caller]
pub fn as_produced(records: &[serde_json::Value], produced: &Produced) -> Vec<(i64, i64)> {
    for record in records {
        let place = (record["partition"].as_i64().unwrap(), record["offset"].as_i64().unwrap());
        let n = produced[&place];
        assert_eq!(record["key"].as_str(), Some(&*format!("k{n}")), "{place:?}");
        assert_eq!(record["value"].as_str(), Some(&*value(n)), "{place:?}");
    }
    places(records)
}

/// The run, and what was read of it.
pub struct Held {
    pub running: Running,
    taken: Vec<u8>,
}

impl Held {
    /// Begins, with little room between the brokers and the pipe, and waits until the first records have come through.
    pub fn start(mut command: Command) -> Held {
        command.args(["--buffer", "1MB"]);
        let running = started(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut held = Held { running, taken: Vec::new() };
        held.take(10_000);
        held
    }

    /// Reads this many bytes.
    pub fn take(&mut self, bytes: usize) {
        let pipe = self.running.child.stdout.as_mut().unwrap();
        let before = self.taken.len();
        self.taken.resize(before + bytes, 0);
        pipe.read_exact(&mut self.taken[before..]).unwrap();
    }

    /// How many bytes were read.
    pub fn so_far(&self) -> usize {
        self.taken.len()
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        self.running.child.try_wait().unwrap().is_none()
    }

    /// Reads the rest, to the end.
    pub fn let_go(self) -> Ran {
        let Held { running, mut taken } = self;
        let ran = running.end();
        taken.extend_from_slice(&ran.stdout);
        Ran { stdout: taken, ..ran }
    }
}
