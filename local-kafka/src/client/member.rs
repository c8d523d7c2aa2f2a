use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance};
use rdkafka::{ClientContext, Message};

use super::{Cluster, LIMIT};
use crate::Error;
use crate::guard::left;

/// How a [`LiveMember`] joins.
#[derive(Debug, Clone, Default)]
pub struct MemberOptions {
    config: Vec<(String, String)>,
    may_idle: bool,
}

impl MemberOptions {
    /// A dynamic member of a classic group with a session of 10 s, which commits nothing.
    #[must_use]
    pub fn new() -> MemberOptions {
        MemberOptions::default()
            .set("group.protocol", "classic")
            .set("session.timeout.ms", "10000")
            .set("heartbeat.interval.ms", "500")
    }

    /// By the protocol of KIP-848: the broker assigns and keeps the session.
    #[must_use]
    pub fn consumer_protocol(mut self) -> MemberOptions {
        self.config.retain(|(key, _)| !["session.timeout.ms", "heartbeat.interval.ms"].contains(&key.as_str()));
        self.set("group.protocol", "consumer")
    }

    /// A static member: after a clean stop the group waits for it until its session ends.
    #[must_use]
    pub fn instance(self, id: &str) -> MemberOptions {
        self.set("group.instance.id", id)
    }

    /// With this `client.id`.
    #[must_use]
    pub fn client_id(self, id: &str) -> MemberOptions {
        self.set("client.id", id)
    }

    /// With this session timeout; classic groups only.
    #[must_use]
    pub fn session_timeout(self, timeout: Duration) -> MemberOptions {
        self.set("session.timeout.ms", &timeout.as_millis().to_string())
    }

    /// Commits what it has read, every 200 ms and when it leaves.
    #[must_use]
    pub fn auto_commit(self) -> MemberOptions {
        self.set("enable.auto.commit", "true").set("auto.commit.interval.ms", "200")
    }

    /// Counts as joined also when no partition is left for it.
    #[must_use]
    pub fn may_idle(mut self) -> MemberOptions {
        self.may_idle = true;
        self
    }

    /// With a librdkafka property.
    #[must_use]
    pub fn set(mut self, key: &str, value: &str) -> MemberOptions {
        self.config.push((key.to_owned(), value.to_owned()));
        self
    }
}

/// What the member's thread tells.
#[derive(Debug, Default)]
struct Seen {
    assigned: AtomicBool,
    consumed: AtomicUsize,
    leave: AtomicBool,
    assignment: Mutex<Vec<(String, i32)>>,
}

/// Notes that an assignment came, also an empty one.
struct Context(Arc<Seen>);

impl ClientContext for Context {}

impl ConsumerContext for Context {
    fn post_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if matches!(rebalance, Rebalance::Assign(_)) {
            self.0.assigned.store(true, Ordering::SeqCst);
        }
    }
}

/// A member of a consumer group that polls on a thread of its own until it leaves; dropping it
/// leaves too.
#[derive(Debug)]
pub struct LiveMember {
    seen: Arc<Seen>,
    thread: Option<JoinHandle<()>>,
}

impl LiveMember {
    /// Joins and returns once partitions are assigned to it.
    ///
    /// # Errors
    /// When a property is wrong or no assignment comes.
    pub fn join(cluster: &Cluster, group: &str, topics: &[&str], options: &MemberOptions) -> Result<LiveMember, Error> {
        let seen = Arc::new(Seen::default());
        let config: Vec<(&str, &str)> =
            options.config.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let consumer = cluster.consumer_with(group, &config, Context(Arc::clone(&seen)))?;
        consumer.subscribe(topics).map_err(Error::kafka(format!("subscribe in group {group}")))?;
        let (joined, wait) = mpsc::channel();
        let thread_seen = Arc::clone(&seen);
        let may_idle = options.may_idle;
        let thread = std::thread::Builder::new()
            .name(format!("member of {group}"))
            .spawn(move || poll(&consumer, &thread_seen, may_idle, &joined))
            .map_err(Error::io("start a thread"))?;
        let member = LiveMember { seen, thread: Some(thread) };
        match wait.recv_timeout(LIMIT) {
            Ok(()) => Ok(member),
            Err(_) => Err(Error::Timeout {
                what: format!("an assignment in group {group}"),
                seconds: LIMIT.as_secs(),
                last: String::new(),
            }),
        }
    }

    /// The partitions that it has now.
    #[must_use]
    pub fn assignment(&self) -> Vec<(String, i32)> {
        self.seen.assignment.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many records it was given so far.
    #[must_use]
    pub fn consumed(&self) -> usize {
        self.seen.consumed.load(Ordering::SeqCst)
    }

    /// Closes the consumer and waits until that is done. A static member stays in the group, by
    /// design, until its session ends.
    pub fn leave(mut self) {
        self.close();
    }

    fn close(&mut self) {
        self.seen.leave.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was printed there.
            let _ = thread.join();
        }
    }
}

impl Drop for LiveMember {
    fn drop(&mut self) {
        self.close();
    }
}

fn poll(consumer: &BaseConsumer<Context>, seen: &Seen, may_idle: bool, joined: &mpsc::Sender<()>) {
    let mut told = false;
    while !seen.leave.load(Ordering::SeqCst) {
        if let Some(Ok(_)) = consumer.poll(Duration::from_millis(50)) {
            seen.consumed.fetch_add(1, Ordering::SeqCst);
        }
        let partitions: Vec<(String, i32)> = match consumer.assignment() {
            Ok(list) => list.elements().iter().map(|row| (row.topic().to_owned(), row.partition())).collect(),
            Err(_) => Vec::new(),
        };
        let enough = !partitions.is_empty() || may_idle;
        *seen.assignment.lock().unwrap_or_else(PoisonError::into_inner) = partitions;
        if !told && enough && seen.assigned.load(Ordering::SeqCst) {
            told = true;
            let _ = joined.send(());
        }
    }
}

impl Cluster {
    /// Joins a group, reads `count` records, commits after the last and leaves. Returns what it
    /// committed, by partition.
    ///
    /// # Errors
    /// When fewer records come.
    pub fn read_and_leave(&self, group: &str, topic: &str, count: usize) -> Result<BTreeMap<i32, i64>, Error> {
        let consumer = self.consumer(group, &[("session.timeout.ms", "10000")])?;
        consumer.subscribe(&[topic]).map_err(Error::kafka(format!("subscribe in group {group}")))?;
        let end = Instant::now() + LIMIT;
        let mut next = BTreeMap::new();
        let mut read = 0;
        while read < count {
            if left(end).is_zero() {
                return Err(Error::Timeout {
                    what: format!("{count} records of {topic} in group {group}"),
                    seconds: LIMIT.as_secs(),
                    last: format!(": {read} came"),
                });
            }
            if let Some(message) = consumer.poll(Duration::from_millis(100)) {
                let message = message.map_err(Error::kafka(format!("read {topic}")))?;
                next.insert(message.partition(), message.offset() + 1);
                read += 1;
            }
        }
        let offsets: Vec<(&str, i32, i64)> = next.iter().map(|(p, o)| (topic, *p, *o)).collect();
        consumer
            .commit(&super::offsets::list(&offsets)?, CommitMode::Sync)
            .map_err(Error::kafka(format!("commit for group {group}")))?;
        Ok(next)
    }
}
