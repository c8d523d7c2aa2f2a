//! A member of a consumer group, as applications are: it joins by `subscribe()`, and commits by itself or when it is told to.

use super::connect::{Connection, Context, client_config, creation_error};
use super::error::{BrokerFault, codes};
use super::ffi::Fault;
use super::reader::is_final;
use crate::error::{Code, Error, Result};
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use std::time::{Duration, Instant};

/// How long one wait for a record lasts before the ends of the log are looked at again.
const SLICE: Duration = Duration::from_millis(250);

/// How long a dead member stays in its group: the least that brokers allow by default.
const SESSION: &str = "6000";

/// Who commits, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commit {
    /// The client by itself, this often: whatever was delivered, processed or not.
    Auto {
        /// `auto.commit.interval.ms`.
        interval: Duration,
    },
    /// The application, by [`Subscriber::commit`].
    Manual,
}

/// A record that was delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// Its offset.
    pub offset: i64,
    /// Its time in milliseconds since the epoch, where it has one.
    pub timestamp_ms: Option<i64>,
    /// Its key.
    pub key: Option<Vec<u8>>,
    /// Its value.
    pub value: Option<Vec<u8>>,
}

/// The only member of a group, on a topic of one partition.
///
/// Between two polls the partition is paused, so that nothing is fetched ahead: what a poll returns was in the log then. (A client
/// that fetches ahead may deliver records that retention has taken meanwhile.)
pub struct Subscriber {
    consumer: BaseConsumer<Context>,
    topic: String,
    commit: Commit,
    timeout: Duration,
    /// The offset of the next record; known from the assignment on.
    next: Option<i64>,
}

impl Subscriber {
    /// Subscribes to the topic as a member of this group. Where the group has no commit, or its commit lies outside of the log,
    /// the log's start is next.
    pub fn join(connection: &Connection, group: &str, topic: &str, commit: Commit) -> Result<Self> {
        let mut config = client_config(connection);
        let (auto, interval) = match commit {
            Commit::Auto { interval } => ("true", interval.as_millis().clamp(1, 86_400_000).to_string()),
            Commit::Manual => ("false", "0".to_owned()),
        };
        let wanted = [
            ("group.id", group),
            ("enable.auto.commit", auto),
            // Delivered is stored, and what is stored is committed.
            ("enable.auto.offset.store", auto),
            ("auto.commit.interval.ms", &interval),
            ("auto.offset.reset", "earliest"),
            ("allow.auto.create.topics", "false"),
            ("isolation.level", "read_uncommitted"),
            ("enable.partition.eof", "false"),
            ("partition.assignment.strategy", "range"),
            ("session.timeout.ms", SESSION),
            ("heartbeat.interval.ms", "1500"),
            // The next poll may be a person's, who thinks.
            ("max.poll.interval.ms", "86400000"),
            ("fetch.wait.max.ms", "50"),
            // The topic may be seconds old: not every broker has heard of it.
            ("topic.metadata.refresh.fast.interval.ms", "100"),
        ];
        for (key, value) in wanted {
            config.set(key, value);
        }
        let consumer: BaseConsumer<Context> =
            config.create_with_context(Context::new(connection.log.clone())).map_err(creation_error)?;
        consumer
            .subscribe(&[topic])
            .map_err(|error| broken(error, &format!("subscribing to topic `{topic}` in group `{group}`")))?;
        Ok(Subscriber { consumer, topic: topic.to_owned(), commit, timeout: connection.timeout, next: None })
    }

    /// Waits until the partition is assigned to this member. A member that died stays in the group until its session ends, and is
    /// waited for.
    pub fn wait_for_assignment(&mut self, deadline: Instant) -> Result<()> {
        let what = format!("joining the group on topic `{}`", self.topic);
        loop {
            if let Some(answer) = self.consumer.poll(Duration::from_millis(50)) {
                match answer {
                    // Nothing is delivered before the look below.
                    Ok(_) => return Err(Error::new(Code::Internal, format!("{what}: a record came too early"))),
                    Err(error) => {
                        let fault = fault_of(&error);
                        // A broker that has not heard of the topic yet.
                        if is_final(&fault) && !fault.is_missing_topic() {
                            return Err(fault.into_error(&what));
                        }
                    }
                }
            }
            let assigned = self.consumer.assignment().map_err(|error| broken(error, &what))?;
            if assigned.find_partition(&self.topic, 0).is_some() {
                break;
            }
            if let Some(fault) = self.consumer.context().give_up() {
                return Err(BrokerFault::from(fault).into_error(&what));
            }
            if Instant::now() >= deadline {
                let fault = self.consumer.context().reason().unwrap_or_else(|| Fault::of(codes::TIMED_OUT));
                return Err(BrokerFault::from(fault).into_error(&what));
            }
        }
        self.consumer.context().connected();
        self.consumer.pause(&self.partition()).map_err(|error| broken(error, &what))?;
        let committed =
            self.consumer.committed_offsets(self.partition(), self.timeout).map_err(|error| broken(error, &what))?;
        let committed = committed.find_partition(&self.topic, 0).and_then(|row| match row.offset() {
            Offset::Offset(offset) => Some(offset),
            _ => None,
        });
        let (start, end) = self.ends()?;
        self.next = Some(committed.filter(|offset| (start..=end).contains(offset)).unwrap_or(start));
        Ok(())
    }

    /// The next records, `max` of them; fewer where the log ends. Records that retention took before they were read are passed
    /// over, as the client's reset to `earliest` does.
    pub fn poll(&mut self, max: usize) -> Result<Vec<Delivered>> {
        let what = format!("reading topic `{}`", self.topic);
        let mut records = Vec::new();
        if self.next.is_none() {
            return Err(Error::new(Code::Internal, format!("{what}: no partition is assigned")));
        }
        let mut end = self.look()?;
        if max == 0 || self.next >= Some(end) {
            return Ok(records);
        }
        self.consumer.resume(&self.partition()).map_err(|error| broken(error, &what))?;
        let deadline = Instant::now() + self.timeout;
        while records.len() < max && self.next < Some(end) {
            match self.consumer.poll(SLICE) {
                // Heartbeats, an assignment, or nothing: the log may have lost its oldest records meanwhile.
                None => end = self.look()?,
                Some(Ok(message)) => {
                    self.next = Some(message.offset() + 1);
                    records.push(Delivered {
                        offset: message.offset(),
                        timestamp_ms: message.timestamp().to_millis(),
                        key: message.key().map(<[u8]>::to_vec),
                        value: message.payload().map(<[u8]>::to_vec),
                    });
                    continue;
                }
                Some(Err(error)) => {
                    let fault = fault_of(&error);
                    if is_final(&fault) {
                        return Err(fault.into_error(&what));
                    }
                }
            }
            if Instant::now() >= deadline {
                let fault = self.consumer.context().reason().unwrap_or_else(|| Fault::of(codes::TIMED_OUT));
                return Err(BrokerFault::from(fault).into_error(&what));
            }
        }
        self.consumer.pause(&self.partition()).map_err(|error| broken(error, &what))?;
        Ok(records)
    }

    /// Commits this offset, the next one to read, and waits for the broker's answer. For [`Commit::Manual`] alone.
    pub fn commit(&self, next: i64) -> Result<()> {
        let what = format!("committing offset {next} on topic `{}`", self.topic);
        if self.commit != Commit::Manual {
            return Err(Error::new(Code::Internal, format!("{what}: this member commits by itself")));
        }
        let mut list = TopicPartitionList::with_capacity(1);
        list.add_partition_offset(&self.topic, 0, Offset::Offset(next)).map_err(|error| broken(error, &what))?;
        self.consumer.commit(&list, CommitMode::Sync).map_err(|error| broken(error, &what))
    }

    /// The offset of the next record; `None` before the assignment.
    pub fn position(&self) -> Option<i64> {
        self.next
    }

    /// Leaves the group and waits until that is done. By [`Commit::Auto`], what was delivered is committed first.
    pub fn leave(self) {
        // Closing takes the assignment back, commits what is stored, and tells the coordinator; the partition is paused, so that
        // nothing more is delivered on the way.
        drop(self.consumer);
    }

    /// The log's end now; a position before its start goes there.
    fn look(&mut self) -> Result<i64> {
        let (start, end) = self.ends()?;
        self.next = self.next.map(|next| next.max(start));
        Ok(end)
    }

    fn ends(&self) -> Result<(i64, i64)> {
        self.consumer
            .fetch_watermarks(&self.topic, 0, self.timeout)
            .map_err(|error| broken(error, &format!("asking where the log of topic `{}` ends", self.topic)))
    }

    fn partition(&self) -> TopicPartitionList {
        let mut list = TopicPartitionList::with_capacity(1);
        list.add_partition(&self.topic, 0);
        list
    }
}

fn fault_of(error: &KafkaError) -> BrokerFault {
    let code = error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Fail) as i32;
    let fault = BrokerFault::from(Fault::of(code));
    match error {
        KafkaError::MessageConsumptionFatal(_) => BrokerFault { code: FATAL, ..fault },
        _ => fault,
    }
}

/// librdkafka's code of an error that nothing mends.
const FATAL: i32 = -150;

fn broken(error: KafkaError, what: &str) -> Error {
    fault_of(&error).into_error(what).caused_by(error)
}
