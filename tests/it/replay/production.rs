//! Live groups beside a slow replay: nothing of theirs is touched, and there is no group more.

use super::held::*;
use super::support::*;
use crate::reset::place::kafka_consumer_groups;
use local_kafka::{Cluster, Kafka};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext, Rebalance};
use rdkafka::{ClientContext, Message};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a member's consumer was told.
#[derive(Default)]
struct Told {
    assigned: AtomicUsize,
    revoked: AtomicUsize,
    errors: AtomicUsize,
    /// Whether it may read on, or has to stand still.
    go: AtomicBool,
    leave: AtomicBool,
    read: Mutex<Vec<(i64, i64)>>,
}

struct Context(Arc<Told>);

impl ClientContext for Context {}

impl ConsumerContext for Context {
    fn post_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Assign(list) => {
                consumer.pause(list).unwrap();
                self.0.assigned.fetch_add(1, Ordering::SeqCst);
            }
            Rebalance::Revoke(_) => drop(self.0.revoked.fetch_add(1, Ordering::SeqCst)),
            Rebalance::Error(_) => drop(self.0.errors.fetch_add(1, Ordering::SeqCst)),
        }
    }
}

/// A member that stands still where its group's commits are, until it may read on: its lag stays the same.
struct Member {
    told: Arc<Told>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Member {
    fn join(cluster: &Cluster, group: &str, topic: &str, protocol: &str) -> Member {
        let told = Arc::new(Told::default());
        let mut config = cluster.config(&[
            ("group.id", group),
            ("group.protocol", protocol),
            ("client.id", protocol),
            ("enable.auto.commit", "false"),
            ("auto.offset.reset", "error"),
        ]);
        if protocol == "classic" {
            config.set("session.timeout.ms", "10000").set("heartbeat.interval.ms", "500");
        }
        let consumer: BaseConsumer<Context> = config.create_with_context(Context(Arc::clone(&told))).unwrap();
        consumer.subscribe(&[topic]).unwrap();
        let its = Arc::clone(&told);
        let thread = std::thread::spawn(move || {
            let mut going = false;
            while !its.leave.load(Ordering::SeqCst) {
                if !going && its.go.load(Ordering::SeqCst) {
                    going = true;
                    consumer.resume(&consumer.assignment().unwrap()).unwrap();
                }
                if let Some(message) = consumer.poll(Duration::from_millis(50)) {
                    let message = message.unwrap();
                    its.read.lock().unwrap().push((i64::from(message.partition()), message.offset()));
                }
            }
        });
        let member = Member { told, thread: Some(thread) };
        until("an assignment", || member.told.assigned.load(Ordering::SeqCst) > 0);
        member
    }

    /// Assignments, revocations and errors.
    fn rebalances(&self) -> (usize, usize, usize) {
        let of = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        (of(&self.told.assigned), of(&self.told.revoked), of(&self.told.errors))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.told.leave.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What Kafka's own tool says of all groups: commits, ends and lag; member ids, epochs and assignments; states and epochs.
fn view(cluster: &Cluster) -> [Vec<String>; 3] {
    let what = [["--offsets", "--verbose"], ["--members", "--verbose"], ["--state", "--verbose"]];
    std::thread::scope(|scope| {
        what.map(|what| {
            scope.spawn(move || {
                let text = kafka_consumer_groups(cluster, &[&["--describe", "--all-groups"], &what[..]].concat());
                // The widths of the columns and the groups' order are of no matter.
                let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
                let mut lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
                lines.sort();
                lines
            })
        })
        .map(|asked| asked.join().unwrap())
    })
}

/// The ends of the log in which the coordinators keep every commit, every generation and every member.
fn coordinators_log(cluster: &Cluster) -> BTreeMap<i32, i64> {
    let consumer = cluster.consumer("replay-look", &[]).unwrap();
    let metadata = consumer.fetch_metadata(Some("__consumer_offsets"), LIMIT).unwrap();
    let partitions = metadata.topics()[0].partitions().iter().map(rdkafka::metadata::MetadataPartition::id);
    partitions.map(|partition| (partition, cluster.watermarks("__consumer_offsets", partition).unwrap().1)).collect()
}

#[test]
fn live_groups_of_both_protocols_are_the_same_before_during_and_after() {
    // A broker of its own: whatever its coordinators write down would be the replay's doing.
    let kafka = Kafka::start().unwrap();
    let cluster = kafka.client();
    let (topic, partitions) = ("orders", [0, 1]);
    cluster.create_topic(topic, 2, &[]).unwrap();
    let produced = list(&cluster.produce(&many(topic, 2, 12_000)).unwrap());
    for group in ["classic-live", "consumer-live", "stopped"] {
        cluster.commit_all(group, &[(topic, 0, 5900), (topic, 1, 5700)]).unwrap();
    }
    let classic = Member::join(&cluster, "classic-live", topic, "classic");
    let consumer = Member::join(&cluster, "consumer-live", topic, "consumer");
    // Until all of that is done: epochs and generations stand.
    let mut before = view(&cluster);
    until("the groups to be at rest", || {
        let last = std::mem::replace(&mut before, view(&cluster));
        before == last && before[2].iter().filter(|line| line.contains("Stable")).count() == 2
    });
    for (group, protocol) in [("classic-live", "classic"), ("consumer-live", "consumer")] {
        let [offsets, members, _] = &before;
        // 6000 - 5900 and 6000 - 5700, by hand.
        for (partition, commit, lag) in [(0, 5900, 100), (1, 5700, 300)] {
            let has = |line: &&String| {
                line.contains(group)
                    && line.contains(&format!("{topic} {partition} "))
                    && line.contains(&format!("{commit} "))
                    && line.contains(&format!(" 6000 {lag} "))
            };
            assert_eq!(offsets.iter().filter(has).count(), 1, "{offsets:#?}");
        }
        assert_eq!(members.iter().filter(|line| line.contains(group) && line.contains(protocol)).count(), 1);
    }
    let (log, groups, topics) = (coordinators_log(&cluster), cluster.group_names().unwrap(), topic_names(&cluster));
    assert!(log.values().sum::<i64>() > 0);
    let rebalances = [classic.rebalances(), consumer.rebalances()];
    assert_eq!(rebalances, [(1, 0, 0), (1, 0, 0)]);

    let scratch = Scratch::new();
    let (report, path) = scratch.report();
    let args = [topic, "--from", "earliest", "--rate", "3k", "--report", &report];
    let mut held = Held::start(command_on(&cluster, &args));
    held.take(4_000_000);
    // It goes on reading while it is looked at, and is not done before.
    let (looked, ran) = std::thread::scope(|scope| {
        let look = scope.spawn(|| (view(&cluster), coordinators_log(&cluster), cluster.group_names().unwrap()));
        while !look.is_finished() && held.so_far() < 10_000_000 {
            held.take(50_000);
        }
        let looked = look.join().unwrap();
        assert!(held.runs());
        (looked, held.let_go())
    });
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(as_produced(&ran.records(), &produced), produced.keys().copied().collect::<Vec<_>>());
    assert_eq!(read_json(&path)["outcome"], "complete");

    let after = (view(&cluster), coordinators_log(&cluster), cluster.group_names().unwrap());
    for (when, found) in [("during", looked), ("after", after)] {
        assert_eq!(found.0, before, "{when}");
        // No commit, no generation, no member and no group was written down by anybody.
        assert_eq!(found.1, log, "{when}");
        assert_eq!(found.2, groups, "{when}");
    }
    assert_eq!(topic_names(&cluster), topics);
    assert_eq!([classic.rebalances(), consumer.rebalances()], rebalances);
    let named = kafka_consumer_groups(&cluster, &["--list"]);
    let mut named: Vec<&str> = named.lines().collect();
    named.sort_unstable();
    assert_eq!(named, ["classic-live", "consumer-live", "stopped"]);

    // Both go on where they stood.
    for (group, member) in [("classic-live", &classic), ("consumer-live", &consumer)] {
        member.told.go.store(true, Ordering::SeqCst);
        until("the rest", || member.told.read.lock().unwrap().len() >= 400);
        let mut read = member.told.read.lock().unwrap().clone();
        read.sort_unstable();
        let expected: Vec<(i64, i64)> = [(0, 5900), (1, 5700)]
            .into_iter()
            .flat_map(|(p, from)| (from..6000).map(move |offset| (p, offset)))
            .collect();
        assert_eq!(read, expected);
        assert_eq!(cluster.committed_offsets(group, topic, &partitions).unwrap(), [Some(5900), Some(5700)]);
    }
}
