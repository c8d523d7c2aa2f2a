//! The world of the lab and its steps: a log, a consumer that reads it in batches, a committed offset, a sink.
//!
//! What the steps do is Kafka's own behaviour: the committed offset is the next one to read; a consumer starts at it, or at the
//! log start where there is none or it lies outside the log (`auto.offset.reset=earliest`); a group with members can't be moved.

pub use super::happened::{Happened, Refused};

use super::account::{Account, Facts, Fate};
use super::event::{Event, FIRST_EVENTS, MOST_EVENTS, TimeOfDay};
use super::sink::{Sink, SinkMode};
use crate::report::LabNumbers;
use std::collections::{BTreeSet, VecDeque};

/// Who commits, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitMode {
    /// The client's timer commits what the consumer was given, whatever became of it (`enable.auto.commit=true`). In the lab it
    /// fires at the worst moment: right after each poll.
    Auto,
    /// The consumer commits a batch when all of it is in the sink.
    Manual,
}

impl CommitMode {
    /// `auto` or `manual`.
    pub fn as_str(self) -> &'static str {
        match self {
            CommitMode::Auto => "auto",
            CommitMode::Manual => "manual",
        }
    }
}

/// The largest batch.
pub const LARGEST_BATCH: u32 = 100;

/// What the person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Who commits.
    pub commit: CommitMode,
    /// What the sink does with an order that it has.
    pub sink: SinkMode,
    /// Events of one poll, at most (`max.poll.records`): 1 to [`LARGEST_BATCH`].
    pub batch: u32,
}

impl Default for Settings {
    /// Kafka's default, `enable.auto.commit=true`, into a sink that only appends.
    fn default() -> Self {
        Settings { commit: CommitMode::Auto, sink: SinkMode::Append, batch: 4 }
    }
}

/// Where to rewind to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The log start.
    Earliest,
    /// The log end.
    Latest,
    /// An offset within the log.
    Offset(i64),
    /// The first event at or after this time; the log end where there is none.
    Time(TimeOfDay),
}

/// One step of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The consumer takes a batch.
    Poll,
    /// The consumer works on the first event in hand.
    Process,
    /// The consumer writes the first event in hand to the sink.
    Write,
    /// The committed offset moves: to the position (auto), or behind what is in the sink (manual).
    Commit,
    /// The consumer dies, with all that it has in hand.
    Crash,
    /// A consumer starts.
    Start,
    /// The consumer leaves the group, with nothing in hand.
    Leave,
    /// The committed offset is moved, while the group has no members.
    Rewind(Target),
    /// New events.
    Produce(u32),
    /// Retention deletes so many of the oldest events.
    Retention(u32),
    /// Other settings, while nothing is in hand.
    Use(Settings),
}

/// A consumer that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Consumer {
    position: i64,
    in_hand: VecDeque<i64>,
    processed: bool,
    /// Whether something was polled that no commit of this consumer covers.
    uncommitted: bool,
}

/// The world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lab {
    settings: Settings,
    log_start: i64,
    log_end: i64,
    committed: Option<i64>,
    consumer: Option<Consumer>,
    sink: Sink,
    account: Account,
}

impl Lab {
    /// Twelve events, no commit yet, an empty sink, and a consumer that has just started.
    pub fn new(settings: Settings) -> Lab {
        Lab {
            settings,
            log_start: 0,
            log_end: FIRST_EVENTS,
            committed: None,
            consumer: Some(Consumer::at(0)),
            sink: Sink::new(settings.sink),
            account: Account::default(),
        }
    }

    /// What the person chose.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Whether a consumer runs.
    pub fn is_running(&self) -> bool {
        self.consumer.is_some()
    }

    /// Whether a consumer runs that has nothing in hand and nothing to commit.
    pub fn is_idle(&self) -> bool {
        self.consumer.as_ref().is_some_and(|consumer| consumer.in_hand.is_empty() && !consumer.uncommitted)
    }

    /// Whether a batch is in the sink as a whole, and its commit is still to come.
    pub fn batch_awaits_commit(&self) -> bool {
        self.consumer.as_ref().is_some_and(|consumer| consumer.in_hand.is_empty() && consumer.uncommitted)
    }

    /// The oldest offset that is kept.
    pub fn log_start(&self) -> i64 {
        self.log_start
    }

    /// The offset behind the last event.
    pub fn log_end(&self) -> i64 {
        self.log_end
    }

    /// The committed offset.
    pub fn committed(&self) -> Option<i64> {
        self.committed
    }

    /// Where the consumer reads next, while one runs.
    pub fn position(&self) -> Option<i64> {
        self.consumer.as_ref().map(|consumer| consumer.position)
    }

    /// What the consumer polled and has not written yet, the next one first.
    pub fn in_hand(&self) -> Vec<i64> {
        self.consumer.iter().flat_map(|consumer| consumer.in_hand.iter().copied()).collect()
    }

    /// Whether the first event in hand was worked on.
    pub fn is_processed(&self) -> bool {
        self.consumer.as_ref().is_some_and(|consumer| consumer.processed)
    }

    /// The sink.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// What became of the event at this offset.
    pub fn fate(&self, offset: i64) -> Fate {
        self.with_facts(|facts| self.account.fate(offset, facts))
    }

    /// The events of this fate.
    pub fn of(&self, fate: Fate) -> BTreeSet<i64> {
        self.with_facts(|facts| self.account.of(fate, facts))
    }

    fn with_facts<T>(&self, look: impl FnOnce(Facts<'_>) -> T) -> T {
        let in_hand = self.in_hand().into_iter().collect();
        let written = self.sink.written();
        look(Facts {
            log_start: self.log_start,
            log_end: self.log_end,
            next: self.position().or(self.committed),
            in_hand: &in_hand,
            written: &written,
        })
    }

    /// The numbers that are shown.
    pub fn numbers(&self) -> LabNumbers {
        let count = |fate| self.of(fate).len() as u64;
        LabNumbers {
            committed: self.committed,
            position: self.position(),
            log_start_offset: self.log_start,
            log_end_offset: self.log_end,
            lag: self.committed.map(|committed| (self.log_end - committed.max(self.log_start)).unsigned_abs()),
            sink_rows: self.sink.rows().len() as u64,
            distinct_orders: self.sink.distinct_orders() as u64,
            lost: count(Fate::Lost),
            duplicates: self.sink.duplicates() as u64,
            sink_writes: self.sink.writes().len() as u64,
            read: count(Fate::Read),
            retained_away: count(Fate::RetainedAway),
            to_come: count(Fate::ToCome),
        }
    }

    /// What the consumer does next by itself; `None` where it waits for events, or none runs.
    pub fn next_step(&self) -> Option<Step> {
        let consumer = self.consumer.as_ref()?;
        match (consumer.in_hand.is_empty(), self.settings.commit) {
            (true, _) if consumer.uncommitted => Some(Step::Commit),
            (true, _) => (consumer.position.max(self.log_start) < self.log_end).then_some(Step::Poll),
            (false, CommitMode::Auto) if consumer.uncommitted => Some(Step::Commit),
            (false, _) if consumer.processed => Some(Step::Write),
            (false, _) => Some(Step::Process),
        }
    }

    /// Takes a step. One that is refused changes nothing.
    pub fn take(&mut self, step: Step) -> Result<Happened, Refused> {
        let happened = match step {
            Step::Poll => self.poll()?,
            Step::Process => self.process()?,
            Step::Write => self.write()?,
            Step::Commit => self.commit()?,
            Step::Crash => self.crash()?,
            Step::Start => self.start()?,
            Step::Leave => self.leave()?,
            Step::Rewind(target) => self.rewind(target)?,
            Step::Produce(count) => self.produce(count)?,
            Step::Retention(count) => self.retention(count)?,
            Step::Use(settings) => self.choose(settings)?,
        };
        let mut account = std::mem::take(&mut self.account);
        self.with_facts(|facts| account.settle(facts));
        self.account = account;
        Ok(happened)
    }

    fn poll(&mut self) -> Result<Happened, Refused> {
        let consumer = self.consumer.as_mut().ok_or(Refused::Down)?;
        if !consumer.in_hand.is_empty() {
            return Err(Refused::Busy);
        }
        let position = consumer.position;
        let first = position.max(self.log_start);
        let next = self.log_end.min(first + i64::from(self.settings.batch));
        if first >= next {
            return Ok(Happened::NothingToPoll(position));
        }
        consumer.in_hand = (first..next).collect();
        consumer.position = next;
        consumer.uncommitted = true;
        Ok(Happened::Polled { first, next, out_of_range: (position < first).then_some(position) })
    }

    fn process(&mut self) -> Result<Happened, Refused> {
        let consumer = self.consumer.as_mut().ok_or(Refused::Down)?;
        let offset = *consumer.in_hand.front().ok_or(Refused::NothingInHand)?;
        consumer.processed = true;
        Ok(Happened::Processed(Event::at(offset)))
    }

    fn write(&mut self) -> Result<Happened, Refused> {
        let consumer = self.consumer.as_mut().ok_or(Refused::Down)?;
        let event = Event::at(consumer.in_hand.pop_front().ok_or(Refused::NothingInHand)?);
        consumer.processed = false;
        let again = self.sink.times_written(event.offset) > 0;
        self.sink.write(event);
        Ok(Happened::Wrote { event, sink: self.sink.mode(), again })
    }

    fn commit(&mut self) -> Result<Happened, Refused> {
        let consumer = self.consumer.as_mut().ok_or(Refused::Down)?;
        let by = self.settings.commit;
        let unwritten = consumer.in_hand.front().copied();
        let offset = match by {
            CommitMode::Auto => consumer.position,
            CommitMode::Manual => unwritten.unwrap_or(consumer.position),
        };
        if !consumer.uncommitted || self.committed == Some(offset) {
            return Ok(Happened::NothingToCommit);
        }
        self.committed = Some(offset);
        consumer.uncommitted = offset != consumer.position;
        Ok(Happened::Committed { offset, by, unwritten_from: unwritten.filter(|&first| first < offset) })
    }

    fn crash(&mut self) -> Result<Happened, Refused> {
        let consumer = self.consumer.take().ok_or(Refused::Down)?;
        let committed = self.committed;
        let (lost, kept): (Vec<i64>, Vec<i64>) =
            consumer.in_hand.iter().partition(|&&offset| committed.is_some_and(|committed| offset < committed));
        let (gone, unread) = kept.into_iter().partition(|&offset| offset < self.log_start);
        // Where no commit is, the next consumer begins at the log start.
        let next = committed.unwrap_or(self.log_start).max(self.log_start);
        let done = consumer.in_hand.front().copied().unwrap_or(consumer.position);
        let repeats = (next..done).filter(|&offset| self.sink.times_written(offset) > 0).collect();
        Ok(Happened::Crashed { committed, lost, repeats, unread, gone })
    }

    fn start(&mut self) -> Result<Happened, Refused> {
        if self.consumer.is_some() {
            return Err(Refused::Running);
        }
        let committed = self.committed;
        let position = committed.unwrap_or(self.log_start).max(self.log_start);
        let missing = self.of(Fate::RetainedAway);
        let gone = missing.range(committed.unwrap_or(0).min(position)..position).copied().collect();
        self.consumer = Some(Consumer::at(position));
        Ok(Happened::Started { position, committed, gone })
    }

    fn leave(&mut self) -> Result<Happened, Refused> {
        let consumer = self.consumer.as_ref().ok_or(Refused::Down)?;
        if !consumer.in_hand.is_empty() || consumer.uncommitted {
            return Err(Refused::Busy);
        }
        self.consumer = None;
        Ok(Happened::Left { committed: self.committed })
    }

    fn rewind(&mut self, target: Target) -> Result<Happened, Refused> {
        if self.consumer.is_some() {
            return Err(Refused::Running);
        }
        let (start, end) = (self.log_start, self.log_end);
        let to = match target {
            Target::Earliest => start,
            Target::Latest => end,
            Target::Offset(offset) if (start..=end).contains(&offset) => offset,
            Target::Offset(offset) => return Err(Refused::OutOfRange { offset, start, end }),
            Target::Time(time) => (start..end).find(|&offset| Event::at(offset).time() >= time).unwrap_or(end),
        };
        let (lost, coming) = (self.of(Fate::Lost), self.of(Fate::ToCome));
        let from = self.committed.replace(to);
        let (lost_now, coming_now) = (self.of(Fate::Lost), self.of(Fate::ToCome));
        let missing = self.of(Fate::RetainedAway);
        Ok(Happened::Moved {
            from,
            to,
            target,
            rereads: (to..end).filter(|&offset| self.sink.times_written(offset) > 0).collect(),
            rescued: lost.intersection(&coming_now).copied().collect(),
            skipped: coming.intersection(&lost_now).copied().collect(),
            gone: (0..start).filter(|offset| missing.contains(offset) || lost_now.contains(offset)).collect(),
        })
    }

    fn produce(&mut self, count: u32) -> Result<Happened, Refused> {
        let (first, next) = (self.log_end, self.log_end + i64::from(count));
        if next > MOST_EVENTS {
            return Err(Refused::Full);
        }
        self.log_end = next;
        Ok(Happened::Produced { first, next })
    }

    fn retention(&mut self, count: u32) -> Result<Happened, Refused> {
        let (first, next) = (self.log_start, self.log_start + i64::from(count));
        if next > self.log_end {
            return Err(Refused::TooFew(self.log_end - self.log_start));
        }
        let held: BTreeSet<i64> = self.in_hand().into_iter().collect();
        let of = |fate| -> Vec<i64> { self.of(fate).range(first..next).copied().collect() };
        let (coming, lost) = (of(Fate::ToCome), of(Fate::Lost));
        let (in_hand, unread) = coming.into_iter().partition(|offset| held.contains(offset));
        self.log_start = next;
        Ok(Happened::Deleted { first, next, unread, lost, in_hand })
    }

    fn choose(&mut self, settings: Settings) -> Result<Happened, Refused> {
        if self.is_running() && !self.is_idle() {
            return Err(Refused::Busy);
        }
        self.settings = settings;
        self.sink.change(settings.sink);
        Ok(Happened::Chose(settings))
    }
}

impl Consumer {
    fn at(position: i64) -> Consumer {
        Consumer { position, in_hand: VecDeque::new(), processed: false, uncommitted: false }
    }
}
