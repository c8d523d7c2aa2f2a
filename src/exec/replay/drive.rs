use super::checkpoint::Keeper;
use super::conveyor::{Conveyor, Outcome, Parcel, Wanted};
use super::job::{Job, Limits};
use super::{Asker, End};
use crate::error::{Code, Error, Result};
use crate::exec::{Flow, Observer, Standing};
use crate::kafka::reader::{Batches, Event, Lent, is_final};
use crate::kafka::{BrokerFault, codes};
use crate::model::{Record, TopicPartition};
use crate::plan::pace::Pacer;
use crate::plan::select::{Choice, Selection};
use crate::plan::tally::{Place, Tally};
use crate::plan::window::WindowFilter;
use crate::report::Ended;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long one wait for records may take: a batch that is not full comes then.
const POLL: Duration = Duration::from_millis(10);

/// What librdkafka spends on a record besides its key and value, about.
const PER_RECORD: u64 = 300;

/// A partition that is being read.
pub(super) struct Part {
    pub(super) partition: TopicPartition,
    pub(super) tally: Tally,
    /// Records that were sent to the sink.
    pub(super) sent: u64,
    /// The offset behind the last record that the sink took.
    pub(super) delivered: i64,
    pub(super) held_back: u64,
    pub(super) end: Option<End>,
    pub(super) ended_at: Option<Instant>,
    pub(super) trouble: Option<Trouble>,
    pub(super) last_fault: Option<BrokerFault>,
}

/// Why a partition does not go on.
pub(super) struct Trouble {
    pub(super) kind: Kind,
    pub(super) since: Instant,
    pub(super) asked: Option<Instant>,
    pub(super) told: bool,
}

#[derive(PartialEq, Eq)]
pub(super) enum Kind {
    /// The log seems to end here, before the window's end.
    LogEnds { at: i64 },
    /// The next offset is not in the log.
    OutOfLog,
}

/// A topic's identity.
#[derive(Default)]
pub(super) struct Identity {
    pub(super) id: Option<String>,
    /// Until when it is known to be the same.
    pub(super) same_until: Option<Instant>,
    /// How often in a row it was not there.
    pub(super) missing: u32,
}

pub(super) struct Drive<'a> {
    pub(super) limits: &'a Limits,
    pub(super) parts: Vec<Part>,
    pub(super) topics: HashMap<String, Identity>,
    pub(super) asker: &'a Asker,
    pub(super) observer: &'a dyn Observer,
    /// Ended since the source was told.
    fresh: Vec<usize>,
    pub(super) open: usize,
    pub(super) last_progress: Instant,
    pub(super) last_topics: Instant,
    pub(super) topics_asked: bool,
    pub(super) topics_due: bool,
    pub(super) topic_was_missing: bool,
    selection: &'a Selection,
    /// Records and bytes that were sent, of all partitions.
    sent: (u64, u64),
    /// Records and bytes that came, wanted or not: a rate holds for reading.
    came: (u64, u64),
    pub(super) not_json: u64,
    /// Records that an earlier run passed on.
    pub(super) seen_records: u64,
    pub(super) keeper: Option<Keeper>,
    /// Why the checkpoint could not be written.
    unkept: Option<Error>,
    filter: WindowFilter,
}

impl Part {
    fn standing(&self) -> Standing<'_> {
        Standing {
            partition: &self.partition,
            start: self.tally.start(),
            next: self.tally.next(),
            end: self.tally.end(),
            records: self.sent,
            gaps: self.tally.gaps(),
            ended: None,
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.ended.is_whole())
    }

    /// The next offset: behind what the sink is known to have where records were lost on the way to it.
    pub(super) fn next_offset(&self) -> i64 {
        if self.tally.records() == self.sent { self.tally.next() } else { self.delivered }
    }
}

impl<'a> Drive<'a> {
    pub(super) fn new(job: &Job<'a>, asker: &'a Asker, observer: &'a dyn Observer) -> Self {
        let Job { captured, window, limits, selection, .. } = job;
        let parts: Vec<Part> = captured
            .to_read()
            .map(|captured| {
                let tally = job.tally(captured);
                let seen = tally.is_done();
                Part {
                    partition: captured.partition.clone(),
                    tally,
                    sent: tally.records(),
                    delivered: tally.next(),
                    held_back: 0,
                    end: seen.then_some(End { ended: Ended::EndReached, reason: None }),
                    ended_at: seen.then(Instant::now),
                    trouble: None,
                    last_fault: None,
                }
            })
            .collect();
        let topics = captured
            .topic_ids
            .iter()
            .map(|(name, id)| (name.clone(), Identity { id: id.clone(), ..Identity::default() }))
            .collect();
        let now = Instant::now();
        Drive {
            limits,
            open: parts.iter().filter(|part| part.end.is_none()).count(),
            fresh: (0..parts.len()).filter(|&index| parts[index].end.is_some()).collect(),
            parts,
            topics,
            asker,
            observer,
            last_progress: now,
            last_topics: now,
            topics_asked: false,
            topics_due: false,
            topic_was_missing: false,
            selection,
            sent: (0, 0),
            came: (0, 0),
            not_json: 0,
            seen_records: job.seen.values().map(Tally::records).sum(),
            keeper: None,
            unkept: None,
            filter: WindowFilter::of(window),
        }
    }

    /// Reads until all parts have ended, or `stop`. The error is the sink's.
    pub(super) fn read(&mut self, source: &mut dyn Batches, conveyor: &mut Conveyor, stop: &AtomicBool) -> Result<()> {
        let total: u64 = self.parts.iter().map(|part| part.tally.left()).sum();
        let started = Instant::now();
        let mut pacer = self.limits.rate.map(Pacer::new);
        // Kept before the first record is on its way: a run that is killed at once can be gone on with too.
        if let Some(keeper) = &mut self.keeper {
            keeper.asks(&self.parts);
            conveyor.mark();
            self.arrive(conveyor, stop)?;
        }
        while self.open > 0 && !stop.load(Ordering::SeqCst) {
            let wait = pacer.as_ref().map_or(Duration::ZERO, |pacer| pacer.wait(started.elapsed()));
            if conveyor.has_room() && wait.is_zero() {
                let lent = source.next(POLL, pacer.as_ref().map_or(usize::MAX, Pacer::most_at_once));
                if !lent.is_empty() {
                    self.last_progress = Instant::now();
                    let before = self.came;
                    self.parcel(lent, conveyor)?;
                    if let Some(pacer) = &mut pacer {
                        pacer.came(self.came.0 - before.0, self.came.1 - before.1, started.elapsed());
                    }
                }
                self.collect(conveyor, Duration::ZERO)?;
            } else {
                // Waiting is no lack of progress.
                self.last_progress = Instant::now();
                self.collect(conveyor, if wait.is_zero() { POLL } else { POLL.min(wait) })?;
            }
            if !self.fresh.is_empty() {
                source.stop(&self.fresh);
                self.fresh.clear();
            }
            while let Some(answer) = self.asker.answer() {
                self.answered(answer, false);
            }
            self.look_after(source);
            if let Some(keeper) = self.keeper.as_mut().filter(|keeper| keeper.is_due()) {
                keeper.asks(&self.parts);
                conveyor.mark();
            }
            self.observer.flow(&Flow {
                passed: self.parts.iter().map(|part| part.tally.passed()).sum(),
                total,
                records: self.sent.0,
                bytes: self.sent.1,
            });
            self.observer.reading(&mut self.parts.iter().filter(|part| part.end.is_none()).map(Part::standing));
        }
        self.arrive(conveyor, stop)
    }

    /// Waits until everything that was sent has arrived.
    pub(super) fn arrive(&mut self, conveyor: &mut Conveyor, stop: &AtomicBool) -> Result<()> {
        if stop.load(Ordering::SeqCst) && conveyor.is_busy() {
            self.observer.status("interrupted: the sink still takes what is on its way, for some seconds at most");
        }
        conveyor.settle(stop, &mut |outcome| self.came_of(outcome))?;
        self.unkept.take().map_or(Ok(()), Err)
    }

    /// Takes what came back from the sink; waits up to `timeout` for the first of it.
    fn collect(&mut self, conveyor: &mut Conveyor, timeout: Duration) -> Result<()> {
        let mut timeout = timeout;
        while let Some(outcome) = conveyor.outcome(timeout) {
            match outcome {
                Outcome::Failed(error) => return Err(error),
                outcome => self.came_of(outcome),
            }
            if let Some(error) = self.unkept.take() {
                return Err(error);
            }
            timeout = Duration::ZERO;
        }
        Ok(())
    }

    /// Enters what the sink took, and keeps the checkpoint.
    pub(super) fn came_of(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Taken(taken) => {
                for taken in taken {
                    let part = &mut self.parts[taken.part];
                    part.tally.took_all(taken.records, taken.bytes);
                    part.delivered = taken.next;
                }
            }
            Outcome::Marked(place) => {
                if let Some(keeper) = &mut self.keeper {
                    self.unkept = keeper.marked(place, &self.parts).err();
                }
            }
            Outcome::Failed(_) => {}
        }
    }

    /// Accounts for what came, and sends on what is wanted of it.
    fn parcel(&mut self, lent: Box<dyn Lent>, conveyor: &mut Conveyor) -> Result<()> {
        let before = self.sent;
        let mut wanted: Vec<Wanted> = Vec::new();
        lent.events(self.selection.needs_headers(), &mut |place, event| {
            match event {
                Event::Record { partition, record } => {
                    if self.record(partition, &record) {
                        match wanted.last_mut() {
                            Some(last) if last.part == partition && last.places.end == place => last.places.end += 1,
                            _ => wanted.push(Wanted { part: partition, places: place..place + 1 }),
                        }
                    }
                }
                Event::End { partition, offset } => {
                    let Some(part) = self.parts.get_mut(partition).filter(|part| part.end.is_none()) else {
                        return Ok(());
                    };
                    if part.tally.log_ends_at(offset) {
                        self.end(partition, Ended::EndReached, None);
                    } else {
                        part.trouble_of(Kind::LogEnds { at: offset });
                    }
                }
                Event::Fault { partition, fault } => self.fault(partition, fault),
            }
            Ok(())
        })?;
        if !wanted.is_empty() {
            // What is not wanted of a batch is held as long as the rest of it.
            let bytes = self.sent.1 - before.1 + lent.len() as u64 * PER_RECORD;
            conveyor.send(Parcel { lent, wanted, bytes });
        }
        Ok(())
    }

    /// Accounts for a record; whether it is to be sent on.
    #[inline]
    fn record(&mut self, partition: usize, record: &Record<'_>) -> bool {
        let Some(part) = self.parts.get_mut(partition).filter(|part| part.end.is_none()) else { return false };
        part.trouble = None;
        self.came.0 += 1;
        self.came.1 += record.bytes();
        // Before it is accounted for: the record at which a limit is reached was not read.
        if self.limits.most_records.is_some_and(|most| self.sent.0 >= most)
            || self.limits.most_bytes.is_some_and(|most| self.sent.1 + record.bytes() > most)
        {
            self.end_rest(Ended::Limit, None);
            return false;
        }
        let mut send = false;
        if part.tally.arrived(record.offset) == Place::Within && part.tally.admits(&self.filter, record) {
            match if self.selection.is_everything() { Choice::Wanted } else { self.selection.choose(record) } {
                Choice::Wanted => {
                    part.sent += 1;
                    self.sent.0 += 1;
                    self.sent.1 += record.bytes();
                    send = true;
                }
                Choice::Unwanted => part.tally.left_out(),
                Choice::NotJson => {
                    part.tally.left_out();
                    self.not_json += 1;
                }
            }
        }
        if part.tally.is_done() {
            self.end(partition, Ended::EndReached, None);
        }
        send
    }

    fn fault(&mut self, partition: usize, fault: BrokerFault) {
        let Some(part) = self.parts.get_mut(partition).filter(|part| part.end.is_none()) else { return };
        if fault.code == codes::AUTO_OFFSET_RESET {
            part.trouble_of(Kind::OutOfLog);
            part.last_fault = Some(fault);
        } else if is_final(&fault) {
            if fault.is_missing_topic() {
                // It may have been made anew.
                (self.topics_due, self.topic_was_missing) = (true, true);
            }
            self.end(partition, Ended::Error, Some(fault.to_string()));
        } else {
            part.last_fault = Some(fault);
        }
    }

    pub(super) fn end(&mut self, partition: usize, ended: Ended, reason: Option<String>) {
        let part = &mut self.parts[partition];
        if part.end.is_none() {
            self.open -= 1;
            part.ended_at = Some(Instant::now());
            self.fresh.push(partition);
            self.observer.ended(&Standing { ended: Some(ended), ..part.standing() });
        }
        part.end = Some(End { ended, reason });
    }

    pub(super) fn end_rest(&mut self, ended: Ended, reason: Option<&str>) {
        for index in 0..self.parts.len() {
            if self.parts[index].end.is_none() {
                self.end(index, ended, reason.map(str::to_owned));
            }
        }
    }

    /// What was taken may not have arrived, so no partition that had records counts as read.
    pub(super) fn sink_failed(&mut self, error: &Error) {
        let (ended, reason) = match error.code {
            Code::SinkClosed => (Ended::SinkClosed, None),
            _ => (Ended::Error, Some(error.message.clone())),
        };
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            if part.end.is_none() || part.is_whole() && part.sent > 0 {
                self.end(index, ended, reason.clone());
            }
        }
    }

    /// What was taken may not have arrived, so that no partition that had records counts as ended.
    pub(super) fn reopen_unsure(&mut self) {
        for part in &mut self.parts {
            if part.is_whole() && part.sent > 0 {
                part.end = None;
                self.open += 1;
            }
        }
    }

    pub(super) fn check_sums(&mut self) {
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            let Some(end) = part.end.as_ref().filter(|_| part.is_whole()) else { continue };
            let adds_up = match end.ended {
                Ended::Limit => part.tally.adds_up_so_far(),
                _ => part.tally.adds_up(),
            };
            if !adds_up {
                let tally = &part.tally;
                let reason = format!(
                    "the account does not add up: {} records that the sink took, {} that a filter left out and {} gaps in {} \
                     offsets",
                    tally.records(),
                    tally.filtered(),
                    tally.gaps(),
                    tally.passed()
                );
                self.end(index, Ended::Error, Some(reason));
            }
        }
    }
}

impl Part {
    fn trouble_of(&mut self, kind: Kind) {
        if self.trouble.as_ref().is_none_or(|trouble| trouble.kind != kind) {
            self.trouble = Some(Trouble::new(kind));
        }
    }
}

impl Trouble {
    pub(super) fn new(kind: Kind) -> Self {
        Trouble { kind, since: Instant::now(), asked: None, told: false }
    }
}
