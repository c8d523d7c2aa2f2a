use super::ask::{Answer, Question};
use super::{Asker, Captured, End, verdict};
use crate::error::{Code, Error, Result};
use crate::exec::Observer;
use crate::exec::gather::Log;
use crate::kafka::reader::{Event, Isolation, Source, is_final};
use crate::kafka::{BrokerFault, codes};
use crate::model::{TopicDescription, TopicPartition};
use crate::plan::tally::{Place, Tally};
use crate::report::{Ended, ReplayReport, WindowReport};
use crate::sink::Sink;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long one wait for records may take: a batch that is not full comes then.
const POLL: Duration = Duration::from_millis(10);

/// An open transaction that ends within this is not worth a word.
const WORTH_TELLING: Duration = Duration::from_millis(500);

/// How long a log may look shorter than it was: a new leader's first answers may.
const LEADER_PATIENCE: Duration = Duration::from_secs(3);

/// Between two questions on what went wrong in a partition.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// The last comparison of topic ids waits this long for its answer.
const LAST_CHECK: Duration = Duration::from_secs(30);

/// How long to wait for what.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Whether open and aborted transactions are read.
    pub isolation: Isolation,
    /// Whether the window's end was named.
    pub explicit_end: bool,
    /// How long an open transaction before the end is waited for.
    pub wait_stable: Duration,
    /// How long nothing at all may come.
    pub stall: Duration,
    /// How often topic ids are compared.
    pub check_topics: Duration,
}

/// What became of it.
#[derive(Debug)]
pub struct Run {
    /// The report.
    pub report: ReplayReport,
    /// Why the sink failed.
    pub error: Option<Error>,
}

/// A partition that is being read.
pub(super) struct Part {
    pub(super) partition: TopicPartition,
    pub(super) tally: Tally,
    pub(super) held_back: u64,
    pub(super) end: Option<End>,
    ended_at: Option<Instant>,
    trouble: Option<Trouble>,
    last_fault: Option<BrokerFault>,
}

/// Why a partition does not go on.
struct Trouble {
    kind: Kind,
    since: Instant,
    asked: Option<Instant>,
    told: bool,
}

#[derive(PartialEq, Eq)]
enum Kind {
    /// The log seems to end here, before the window's end.
    LogEnds { at: i64 },
    /// The next offset is not in the log.
    OutOfLog,
}

/// A topic's identity.
#[derive(Default)]
struct Identity {
    id: Option<String>,
    /// Until when it is known to be the same.
    same_until: Option<Instant>,
    /// How often in a row it was not there.
    missing: u32,
}

pub(super) struct Drive<'a> {
    pub(super) limits: &'a Limits,
    pub(super) parts: Vec<Part>,
    topics: HashMap<String, Identity>,
    asker: &'a Asker,
    observer: &'a dyn Observer,
    /// Ended since the source was told.
    fresh: Vec<usize>,
    open: usize,
    last_progress: Instant,
    last_topics: Instant,
    topics_asked: bool,
    topics_due: bool,
    topic_was_missing: bool,
}

/// Reads the captured windows into the sink, until each partition is at its end, something is wrong with it, or `stop` is set.
/// It always ends by itself.
#[allow(clippy::too_many_arguments)]
pub fn run(
    captured: &Captured,
    window: WindowReport,
    limits: &Limits,
    source: &mut dyn Source,
    sink: &mut dyn Sink,
    asker: &Asker,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Run {
    let started = Instant::now();
    let mut drive = Drive::new(captured, limits, asker, observer);
    let mut failure = drive.read(source, sink, stop).err();
    let elapsed = started.elapsed();
    // Ctrl-C ends the reader of a pipe too, mostly a moment before: what was asked for is told then, not what followed from it.
    let follows = |error: &Error| matches!(error.code, Code::SinkClosed | Code::Interrupted);
    if stop.load(Ordering::SeqCst) && failure.as_ref().is_some_and(follows) {
        failure = None;
        drive.reopen_unsure();
    }
    let mut interrupted = drive.open > 0 && failure.is_none();
    if let Some(error) = &failure {
        drive.sink_failed(error);
    } else if interrupted {
        drive.end_rest(Ended::Interrupted, None);
    } else if drive.topic_was_missing || drive.parts.iter().any(Part::is_whole) {
        interrupted = !drive.last_check(stop);
    }
    drive.check_sums();
    let whole = failure.is_none() && !interrupted && drive.parts.iter().all(Part::is_whole);
    let finished = sink.finish(whole);
    if let Some(error) = finished.error {
        // Where lines could not be passed on at the very end, no partition's records are sure to have arrived.
        if error.code == Code::SinkClosed {
            drive.sink_failed(&error);
        }
        failure.get_or_insert(error);
    }
    let report =
        verdict::report(captured, window, &drive, sink, finished.partial, elapsed, interrupted, failure.is_some());
    Run { report, error: failure }
}

impl Part {
    fn is_whole(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.ended.is_whole())
    }
}

impl<'a> Drive<'a> {
    fn new(captured: &Captured, limits: &'a Limits, asker: &'a Asker, observer: &'a dyn Observer) -> Self {
        let parts: Vec<Part> = captured
            .to_read()
            .map(|captured| Part {
                partition: captured.partition.clone(),
                tally: Tally::new(captured.window.start, captured.window.end),
                held_back: 0,
                end: None,
                ended_at: None,
                trouble: None,
                last_fault: None,
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
            open: parts.len(),
            parts,
            topics,
            asker,
            observer,
            fresh: Vec::new(),
            last_progress: now,
            last_topics: now,
            topics_asked: false,
            topics_due: false,
            topic_was_missing: false,
        }
    }

    /// Reads until all parts have ended, or `stop`. The error is the sink's.
    fn read(&mut self, source: &mut dyn Source, sink: &mut dyn Sink, stop: &AtomicBool) -> Result<()> {
        let total: u64 = self.parts.iter().map(|part| part.tally.left()).sum();
        while self.open > 0 && !stop.load(Ordering::SeqCst) {
            let came = source.poll(POLL, &mut |event| self.event(event, sink))?;
            if came == 0 {
                sink.flush()?;
            } else {
                self.last_progress = Instant::now();
            }
            if !self.fresh.is_empty() {
                source.stop(&self.fresh);
                self.fresh.clear();
            }
            while let Some(answer) = self.asker.answer() {
                self.answered(answer, false);
            }
            self.look_after(source);
            self.observer.progress(self.parts.iter().map(|part| part.tally.passed()).sum(), total);
        }
        sink.flush()
    }

    #[inline]
    fn event(&mut self, event: Event<'_>, sink: &mut dyn Sink) -> Result<()> {
        match event {
            Event::Record { partition, record } => {
                let Some(part) = self.parts.get_mut(partition).filter(|part| part.end.is_none()) else {
                    return Ok(());
                };
                part.trouble = None;
                if part.tally.arrived(record.offset) == Place::Within {
                    sink.put(&record)?;
                    part.tally.took(record.bytes());
                }
                if part.tally.is_done() {
                    self.end(partition, Ended::EndReached, None);
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
    }

    fn fault(&mut self, partition: usize, fault: BrokerFault) {
        let Some(part) = self.parts.get_mut(partition).filter(|part| part.end.is_none()) else { return };
        if fault.code == codes::AUTO_OFFSET_RESET {
            part.trouble_of(Kind::OutOfLog);
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

    fn end(&mut self, partition: usize, ended: Ended, reason: Option<String>) {
        let part = &mut self.parts[partition];
        if part.end.is_none() {
            self.open -= 1;
            part.ended_at = Some(Instant::now());
            self.fresh.push(partition);
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
    fn sink_failed(&mut self, error: &Error) {
        let (ended, reason) = match error.code {
            Code::SinkClosed => (Ended::SinkClosed, None),
            _ => (Ended::Error, Some(error.message.clone())),
        };
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            if part.end.is_none() || part.is_whole() && part.tally.records() > 0 {
                self.end(index, ended, reason.clone());
            }
        }
    }

    /// What was taken may not have arrived, so that no partition that had records counts as ended.
    fn reopen_unsure(&mut self) {
        for part in &mut self.parts {
            if part.is_whole() && part.tally.records() > 0 {
                part.end = None;
                self.open += 1;
            }
        }
    }

    fn check_sums(&mut self) {
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            if part.is_whole() && !part.tally.adds_up() {
                let tally = &part.tally;
                let reason = format!(
                    "the account does not add up: {} records and {} gaps in {} offsets",
                    tally.records(),
                    tally.gaps(),
                    tally.end().abs_diff(tally.start())
                );
                self.end(index, Ended::Error, Some(reason));
            }
        }
    }

    /// Asks what needs asking, and gives up what has waited long enough.
    fn look_after(&mut self, source: &dyn Source) {
        let now = Instant::now();
        self.topics_due |= now.duration_since(self.last_topics) >= self.limits.check_topics;
        if self.topics_due && !self.topics_asked {
            (self.last_topics, self.topics_asked, self.topics_due) = (now, true, false);
            self.asker.ask(Question::Topics);
        }
        let patience = match self.limits.isolation {
            Isolation::ReadCommitted => self.limits.wait_stable,
            Isolation::ReadUncommitted => LEADER_PATIENCE,
        };
        let mut questions = Vec::new();
        let (mut first_question, limits) = (false, self.limits);
        for (index, part) in self.parts.iter_mut().enumerate() {
            let Some(trouble) = part.trouble.as_mut().filter(|_| part.end.is_none()) else { continue };
            let waited = now.duration_since(trouble.since);
            if let (Kind::LogEnds { at }, Isolation::ReadCommitted) = (&trouble.kind, limits.isolation)
                && !trouble.told
                && waited >= WORTH_TELLING.min(patience)
            {
                trouble.told = true;
                self.observer.status(&format!(
                    "`{}` stands at {at}, {} before the window's end: waiting up to {} for a transaction that seems open",
                    part.partition,
                    part.tally.left(),
                    seconds(limits.wait_stable)
                ));
            }
            let due = trouble.kind == Kind::OutOfLog || waited >= patience;
            if due && trouble.asked.is_none_or(|asked| now.duration_since(asked) >= ASK_AGAIN) {
                first_question |= trouble.asked.is_none();
                trouble.asked = Some(now);
                questions.push((index, part.partition.clone()));
            }
        }
        if first_question {
            self.last_progress = now;
        }
        if !questions.is_empty() {
            self.asker.ask(Question::Logs(questions));
        }
        if now.duration_since(self.last_progress) >= limits.stall {
            self.give_up(source.trouble());
        }
    }

    /// Nothing came for too long: whoever does not wait for a transaction ends here.
    fn give_up(&mut self, trouble: Option<BrokerFault>) {
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            let waits = part.trouble.as_ref().is_some_and(|trouble| trouble.asked.is_none());
            if part.end.is_some() || waits {
                continue;
            }
            let why =
                part.last_fault.as_ref().or(trouble.as_ref()).map(|fault| format!(": {fault}")).unwrap_or_default();
            let reason = format!("nothing came for {}{why}", seconds(self.limits.stall));
            self.end(index, Ended::Error, Some(reason));
        }
    }

    fn answered(&mut self, answer: Answer, last: bool) {
        match answer {
            Answer::Topics { asked, topics } => {
                self.topics_asked = false;
                for (name, answer) in topics {
                    self.compare(&name, asked, &answer, last);
                }
            }
            Answer::Logs(logs) => {
                for (index, log) in logs {
                    self.settle(index, &log);
                }
            }
        }
    }

    /// Compares a topic's id with the one at the start.
    fn compare(&mut self, name: &str, asked: Instant, answer: &Result<TopicDescription, BrokerFault>, last: bool) {
        let Some(identity) = self.topics.get_mut(name) else { return };
        let (ended, reason) = match answer {
            Ok(now) => {
                identity.missing = 0;
                match (&identity.id, &now.topic_id) {
                    (Some(before), Some(now)) if before != now => {
                        (Ended::Recreated, "the topic was deleted and made anew meanwhile".to_owned())
                    }
                    _ => {
                        identity.same_until = Some(asked);
                        return;
                    }
                }
            }
            Err(fault) if fault.is_missing_topic() => {
                identity.missing += 1;
                // A broker that has just started may not know it yet.
                if identity.missing < 2 && !last {
                    return;
                }
                (Ended::Error, "the topic was deleted meanwhile".to_owned())
            }
            Err(fault) if last => {
                (Ended::Error, format!("it can't be told whether the topic was made anew meanwhile: {fault}"))
            }
            Err(_) => return,
        };
        let same_until = identity.same_until;
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            // What ended while the topic was still the same is right.
            let sure = match (part.ended_at, same_until) {
                (Some(at), Some(until)) => at <= until,
                _ => false,
            };
            let touched = part.end.is_none() || ended == Ended::Recreated || last && part.is_whole();
            if part.partition.topic == name && touched && !sure {
                self.end(index, ended, Some(reason.clone()));
            }
        }
    }

    /// Decides a partition that does not go on, by what its log looks like now.
    fn settle(&mut self, index: usize, log: &Log) {
        let part = &mut self.parts[index];
        let (None, Some(trouble), Ok(log)) = (&part.end, &mut part.trouble, &log.watermarks) else { return };
        let (next, end) = (part.tally.next(), part.tally.end());
        let (ended, reason) = match trouble.kind {
            Kind::OutOfLog if log.log_start > next => (
                Ended::Retention,
                format!(
                    "{} offsets were deleted before they were read: the log starts at {} now",
                    log.lost(next),
                    log.log_start
                ),
            ),
            Kind::OutOfLog | Kind::LogEnds { .. } if log.high_watermark < end => {
                (Ended::Truncated, format!("the log ends at {} now, before the window's end {end}", log.high_watermark))
            }
            Kind::OutOfLog => (Ended::Error, format!("offset {next} could not be read, though the log has it")),
            Kind::LogEnds { at }
                if self.limits.isolation == Isolation::ReadCommitted && log.last_stable <= at.max(next) =>
            {
                if self.limits.explicit_end {
                    part.held_back = part.tally.left();
                    (
                        Ended::OpenTransaction,
                        format!("a transaction is open at {next}: {} offsets are held back", part.held_back),
                    )
                } else {
                    part.held_back = part.tally.end_here();
                    (
                        Ended::HeldBack,
                        format!("a transaction is open at {next}: {} offsets are held back", part.held_back),
                    )
                }
            }
            Kind::LogEnds { .. } => {
                // The log goes on, so the reader will.
                *trouble =
                    Trouble { since: Instant::now(), asked: trouble.asked, ..Trouble::new(Kind::LogEnds { at: next }) };
                return;
            }
        };
        self.end(index, ended, Some(reason));
    }

    /// Compares the topics' ids once more, before the result is published. False where `stop` came first.
    fn last_check(&mut self, stop: &AtomicBool) -> bool {
        let begun = Instant::now();
        self.asker.ask(Question::Topics);
        loop {
            if stop.load(Ordering::SeqCst) {
                return false;
            }
            match self.asker.wait(Duration::from_millis(50)) {
                // An answer to an earlier question says nothing of now.
                Some(Answer::Topics { asked, topics }) if asked >= begun => {
                    self.answered(Answer::Topics { asked, topics }, true);
                    return true;
                }
                Some(earlier) => self.answered(earlier, false),
                None if begun.elapsed() >= LAST_CHECK => {
                    let names: Vec<String> = self.topics.keys().cloned().collect();
                    for name in names {
                        self.compare(&name, begun, &Err(BrokerFault::no_answer()), true);
                    }
                    return true;
                }
                None => {}
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
    fn new(kind: Kind) -> Self {
        Trouble { kind, since: Instant::now(), asked: None, told: false }
    }
}

/// `10s`, `1.5s`.
fn seconds(duration: Duration) -> String {
    format!("{}s", duration.as_secs_f64())
}
