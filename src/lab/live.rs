//! The lab on a real cluster: a real topic, a real group, a consumer in a process of its own that is really killed, and a database
//! as its sink. Everything has a fresh name, and is deleted afterwards.

pub mod child;
pub mod consumer;
pub mod orders;

use super::account::{Account, Facts, Fate};
use super::event::{Event, FIRST_EVENTS};
use super::model::{CommitMode, Happened, Lab, Settings, Step, Target};
use super::script::Action;
use super::sink::SinkMode;
use super::walk::World;
use crate::error::{Code, Error, Result};
use crate::kafka::scratch::{NewRecord, ScratchTopic};
use crate::kafka::{Client, Cluster, OffsetSpec, WriteRow, codes};
use crate::model::TopicPartition;
use crate::report::{ConsumerCommit, ConsumerSink, ConsumerStart, LabNumbers, LabStep, OrderValue};
use consumer::Consumer;
use orders::Orders;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the client's timer commits (`auto.commit.interval.ms`).
pub const AUTO_COMMIT_INTERVAL: Duration = Duration::from_millis(100);

/// How long the broker counts a killed consumer as a member (`session.timeout.ms`), and some seconds more.
const SESSION_PATIENCE: Duration = Duration::from_secs(20);

/// How long a timer's commit is waited for.
const COMMIT_PATIENCE: Duration = Duration::from_secs(10);

/// Between two looks at the group.
const PAUSE: Duration = Duration::from_millis(50);

/// What is made, and deleted afterwards.
#[derive(Debug, Clone)]
pub struct Names {
    /// The topic, of one partition.
    pub topic: String,
    /// The group.
    pub group: String,
    /// The sink's file.
    pub database: PathBuf,
}

/// The group, as `krewind describe` sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The committed offset.
    pub committed: Option<i64>,
    /// The oldest offset that is kept.
    pub log_start: i64,
    /// The high watermark.
    pub log_end: i64,
    /// Its lag.
    pub lag: Option<u64>,
    /// Its members.
    pub members: usize,
}

/// Looks at the group.
pub type Look<'c> = Box<dyn Fn(&Names) -> Result<Seen> + 'c>;

/// Says what goes on.
pub type Tell<'c> = Box<dyn Fn(&str) + 'c>;

/// What the lab is given.
pub struct Means<'c> {
    /// The cluster.
    pub client: &'c Client,
    /// What is made.
    pub names: Names,
    /// How the consumer works.
    pub settings: Settings,
    /// Midnight of the day of the events, in milliseconds since the epoch.
    pub midnight_ms: i64,
    /// Looks at the group; the code of `krewind describe`.
    pub look: Look<'c>,
    /// Set when a person wants it to stop.
    pub stop: &'c AtomicBool,
    /// Says what goes on.
    pub tell: Tell<'c>,
}

/// A lab on a real cluster. Dropped, it deletes what it made.
pub struct Live<'c> {
    means: Means<'c>,
    topic: Option<ScratchTopic<'c>>,
    consumer: Option<Consumer>,
    /// What the consumer polled and has not written.
    in_hand: VecDeque<i64>,
    account: Account,
    cleaned: bool,
}

impl<'c> Live<'c> {
    /// Makes the topic with its first events, and starts the consumer.
    pub fn begin(means: Means<'c>) -> Result<Live<'c>> {
        let mut live = Live {
            topic: None,
            consumer: None,
            in_hand: VecDeque::new(),
            account: Account::default(),
            cleaned: false,
            means,
        };
        let begun = live.make().and_then(|()| live.start());
        match begun {
            Ok(()) => Ok(live),
            Err(error) => Err(live.clean_up().into_iter().fold(error, Error::hint)),
        }
    }

    fn make(&mut self) -> Result<()> {
        (self.means.tell)(&format!("creating topic `{}` with {FIRST_EVENTS} events", self.means.names.topic));
        let client = self.means.client;
        let name = &self.means.names.topic;
        let made = ScratchTopic::create(client, name).map_err(|error| match error.code {
            Code::TargetExists | Code::Unauthorized => error,
            _ => error.hint(format!("whether topic `{name}` is there is not known: look for it before the next try")),
        })?;
        let topic = self.topic.insert(made);
        produce(topic, 0, FIRST_EVENTS, self.means.midnight_ms)
    }

    fn start(&mut self) -> Result<()> {
        self.may_go_on()?;
        let client = self.means.client;
        let connection = client.connection();
        let started = Consumer::start(&ConsumerStart {
            properties: connection.properties.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            timeout_ms: u64::try_from(connection.timeout.as_millis()).unwrap_or(u64::MAX),
            group: self.means.names.group.clone(),
            topic: self.means.names.topic.clone(),
            commit: match self.means.settings.commit {
                CommitMode::Auto => ConsumerCommit::Auto {
                    interval_ms: u64::try_from(AUTO_COMMIT_INTERVAL.as_millis()).unwrap_or(u64::MAX),
                },
                CommitMode::Manual => ConsumerCommit::Manual,
            },
            sink: sink(self.means.settings.sink),
            database: self.means.names.database.to_string_lossy().into_owned(),
        })?;
        (self.means.tell)(&format!("consumer started: process {}, at offset {}", started.pid(), started.position()));
        self.consumer = Some(started);
        Ok(())
    }

    /// An error where a person wants it to stop.
    fn may_go_on(&self) -> Result<()> {
        if self.means.stop.load(Ordering::SeqCst) {
            return Err(Error::new(Code::Interrupted, "interrupted"));
        }
        Ok(())
    }

    fn running(&mut self) -> Result<&mut Consumer> {
        self.consumer.as_mut().ok_or_else(|| Error::new(Code::Internal, "the lab's consumer does not run"))
    }

    fn made(&self) -> Result<&ScratchTopic<'c>> {
        self.topic.as_ref().ok_or_else(|| Error::new(Code::Internal, "the lab's topic is not there"))
    }

    fn seen(&self) -> Result<Seen> {
        (self.means.look)(&self.means.names)
    }

    /// Looks at the group until it stands so.
    fn wait_until(&self, what: &str, patience: Duration, holds: impl Fn(Seen) -> bool) -> Result<Seen> {
        let deadline = Instant::now() + patience;
        loop {
            let seen = self.seen()?;
            if holds(seen) {
                return Ok(seen);
            }
            self.may_go_on()?;
            if Instant::now() >= deadline {
                return Err(Error::new(
                    Code::TimedOut,
                    format!("{what} was waited for {} s in vain", patience.as_secs()),
                ));
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn commit(&mut self) -> Result<()> {
        let position = self.running()?.position();
        match self.means.settings.commit {
            CommitMode::Auto => self
                .wait_until("the auto-commit timer's commit", COMMIT_PATIENCE, |seen| seen.committed == Some(position))
                .map(drop),
            CommitMode::Manual => {
                let next = self.in_hand.front().copied().unwrap_or(position);
                self.running()?.commit(next)
            }
        }
    }

    fn rewind(&mut self, target: Target) -> Result<()> {
        if self.seen()?.members > 0 {
            (self.means.tell)(
                "waiting for the broker to drop the killed consumer from the group (session.timeout.ms, 6 s)",
            );
        }
        let seen = self.wait_until("the group without members", SESSION_PATIENCE, |seen| seen.members == 0)?;
        let partition = TopicPartition::new(self.means.names.topic.clone(), 0);
        let to = match target {
            Target::Earliest => seen.log_start,
            Target::Latest => seen.log_end,
            Target::Offset(offset) => offset,
            Target::Time(time) => {
                let at = OffsetSpec::AtTime(self.means.midnight_ms + time.0 * 60_000);
                let found = self.means.client.list_offsets(&[(partition.clone(), at)]).into_iter().next();
                match found {
                    Some(Ok(found)) => found.map_or(seen.log_end, |found| found.offset),
                    Some(Err(fault)) => return Err(fault.into_error("looking up a time in the lab's topic")),
                    None => return Err(Error::new(Code::Internal, "no broker answered for the lab's topic")),
                }
            }
        };
        let row = WriteRow { partition, offset: to, metadata: String::new() };
        let answers = self.means.client.alter_committed_offsets(&self.means.names.group, &[row])?;
        match answers.into_iter().find_map(std::result::Result::err) {
            Some(fault) => Err(fault.into_error("moving the lab's committed offset")),
            None => Ok(()),
        }
    }

    /// Brings the account up to date with what stands now.
    fn settle(&mut self) -> Result<()> {
        let seen = self.seen()?;
        let orders = self.orders()?;
        let written = orders.written_offsets()?.into_iter().collect();
        let in_hand = self.in_hand.iter().copied().collect();
        let next = self.consumer.as_ref().map(Consumer::position).or(seen.committed);
        self.account.settle(Facts {
            log_start: seen.log_start,
            log_end: seen.log_end,
            next,
            in_hand: &in_hand,
            written: &written,
        });
        Ok(())
    }

    fn orders(&self) -> Result<Orders> {
        Orders::open(&self.means.names.database, sink(self.means.settings.sink))
    }

    /// Deletes what was made. What could not be deleted, in words.
    pub fn clean_up(&mut self) -> Vec<String> {
        if std::mem::replace(&mut self.cleaned, true) {
            return Vec::new();
        }
        let mut left = Vec::new();
        // In order, so that the group is empty at once; where that fails, it is killed.
        if let Some(consumer) = self.consumer.take() {
            let _ = consumer.leave();
        }
        if let Some(topic) = self.topic.take()
            && let Err(error) = topic.delete()
        {
            left.push(format!("topic `{}` is still there: {error}", topic.name()));
        }
        if let Err(error) = self.delete_group() {
            let group = &self.means.names.group;
            left.push(format!("group `{group}` is still there: {error}; `krewind delete {group}` removes it"));
        }
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let mut path = self.means.names.database.clone().into_os_string();
            path.push(suffix);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    left.push(format!("file `{}` is still there: {error}", path.to_string_lossy()));
                }
                _ => {}
            }
        }
        if left.is_empty() {
            (self.means.tell)("deleted: topic, group and file");
        }
        left
    }

    /// A killed consumer stays a member until its session ends, and a group with members can't be deleted.
    fn delete_group(&self) -> Result<()> {
        let (client, group) = (self.means.client, &self.means.names.group);
        let deadline = Instant::now() + SESSION_PATIENCE;
        let mut told = false;
        loop {
            match client.delete_group(group)? {
                Ok(()) => return Ok(()),
                Err(fault) if fault.code == codes::GROUP_ID_NOT_FOUND => return Ok(()),
                Err(fault) if fault.code == codes::NON_EMPTY_GROUP && Instant::now() < deadline => {
                    if !std::mem::replace(&mut told, true) {
                        (self.means.tell)("waiting for the broker to drop the killed consumer, to delete the group");
                    }
                    std::thread::sleep(PAUSE);
                }
                Err(fault) => return Err(fault.into_error("deleting it")),
            }
        }
    }
}

impl World for Live<'_> {
    fn perform(&mut self, step: Step, _: &Happened, lab: &Lab) -> Result<()> {
        self.may_go_on()?;
        match step {
            Step::Poll => {
                let max = usize::try_from(self.means.settings.batch).unwrap_or(usize::MAX);
                let records = self.running()?.poll(max)?;
                self.in_hand.extend(records.iter().map(|record| record.offset));
            }
            Step::Process => self.running()?.process()?,
            Step::Write => {
                let offset = self
                    .in_hand
                    .front()
                    .copied()
                    .ok_or_else(|| Error::new(Code::Internal, "the real consumer has nothing in hand"))?;
                self.running()?.write(offset)?;
                self.in_hand.pop_front();
            }
            Step::Commit => self.commit()?,
            Step::Crash => {
                if let Some(consumer) = self.consumer.take() {
                    let pid = consumer.pid();
                    consumer.kill()?;
                    (self.means.tell)(&format!("killed process {pid} (SIGKILL)"));
                }
                self.in_hand.clear();
            }
            Step::Start => {
                if self.seen()?.members > 0 {
                    (self.means.tell)(
                        "the new consumer waits until the broker drops the killed one (session.timeout.ms, 6 s)",
                    );
                }
                self.start()?;
            }
            Step::Leave => {
                if let Some(consumer) = self.consumer.take() {
                    consumer.leave()?;
                }
                // The process has ended when it left; the group says so a moment later.
                self.wait_until("the consumer's leaving", SESSION_PATIENCE, |seen| seen.members == 0)?;
            }
            Step::Rewind(target) => self.rewind(target)?,
            Step::Produce(count) => {
                let first = self.seen()?.log_end;
                produce(self.made()?, first, first + i64::from(count), self.means.midnight_ms)?;
            }
            Step::Retention(count) => {
                let start = self.seen()?.log_start;
                self.made()?.delete_records_before(start + i64::from(count))?;
            }
            Step::Use(_) => {
                return Err(Error::usage("a live run keeps the settings that it began with"));
            }
        }
        debug_assert_eq!(lab.settings(), self.means.settings);
        self.settle()
    }

    fn numbers(&mut self, _: &Lab) -> Result<LabNumbers> {
        let seen = self.seen()?;
        let orders = self.orders()?;
        let counts = orders.counts()?;
        let written = orders.written_offsets()?.into_iter().collect();
        let in_hand = self.in_hand.iter().copied().collect();
        let position = self.consumer.as_ref().map(Consumer::position);
        let facts = Facts {
            log_start: seen.log_start,
            log_end: seen.log_end,
            next: position.or(seen.committed),
            in_hand: &in_hand,
            written: &written,
        };
        let count = |fate| self.account.of(fate, facts).len() as u64;
        Ok(LabNumbers {
            committed: seen.committed,
            position,
            log_start_offset: seen.log_start,
            log_end_offset: seen.log_end,
            lag: seen.lag,
            sink_rows: counts.rows,
            distinct_orders: counts.distinct_orders,
            lost: count(Fate::Lost),
            duplicates: counts.writes - counts.distinct_writes,
            sink_writes: counts.writes,
            read: count(Fate::Read),
            retained_away: count(Fate::RetainedAway),
            to_come: count(Fate::ToCome),
        })
    }

    fn is_live(&self) -> bool {
        true
    }

    fn begins(&mut self, action: Action) {
        (self.means.tell)(&format!("> {action}"));
    }

    fn ended(&mut self, step: &LabStep) {
        let known = |number: Option<i64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        (self.means.tell)(&format!(
            "  committed {}, position {}; {} rows in the sink",
            known(step.numbers.committed),
            known(step.numbers.position),
            step.numbers.sink_rows
        ));
    }
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        for left in self.clean_up() {
            (self.means.tell)(&left);
        }
    }
}

fn sink(mode: SinkMode) -> ConsumerSink {
    match mode {
        SinkMode::Append => ConsumerSink::Append,
        SinkMode::Upsert => ConsumerSink::Upsert,
    }
}

/// Produces the events `first..next`; an error where they do not get these offsets.
fn produce(topic: &ScratchTopic<'_>, first: i64, next: i64, midnight_ms: i64) -> Result<()> {
    let events: Vec<(i64, String, String)> = (first..next)
        .map(Event::at)
        .map(|event| {
            let value = OrderValue { order: i64::from(event.order), status: event.status().to_owned() };
            let value = serde_json::to_string(&value).unwrap_or_default();
            (midnight_ms + event.time().0 * 60_000, event.order.to_string(), value)
        })
        .collect();
    let records: Vec<NewRecord<'_>> = events
        .iter()
        .map(|(timestamp_ms, key, value)| NewRecord {
            timestamp_ms: *timestamp_ms,
            key: key.as_bytes(),
            value: value.as_bytes(),
        })
        .collect();
    let offsets = topic.produce(&records)?;
    if offsets != (first..next).collect::<Vec<_>>() {
        return Err(Error::new(Code::Internal, format!("somebody else writes to topic `{}`", topic.name())));
    }
    Ok(())
}
