//! What is done about partitions that do not go on, and topics that may not be the same: questions to the cluster, patience, and
//! decisions.

use super::ask::{Answer, Question};
use super::drive::{Drive, Kind, Trouble};
use crate::error::Result;
use crate::exec::gather::Log;
use crate::kafka::BrokerFault;
use crate::kafka::reader::{Batches, Isolation};
use crate::model::TopicDescription;
use crate::report::Ended;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An open transaction that ends within this is not worth a word.
const WORTH_TELLING: Duration = Duration::from_millis(500);

/// How long a log may look shorter than it was: a new leader's first answers may.
const LEADER_PATIENCE: Duration = Duration::from_secs(3);

/// Between two questions on what went wrong in a partition.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// The last comparison of topic ids waits this long for its answer.
const LAST_CHECK: Duration = Duration::from_secs(30);

impl Drive<'_> {
    /// Asks what needs asking, and gives up what has waited long enough.
    pub(super) fn look_after(&mut self, source: &dyn Batches) {
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

    pub(super) fn answered(&mut self, answer: Answer, last: bool) {
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
            // Other records stand where the log was cut off; librdkafka tells that from the leader's epochs, in words alone.
            Kind::OutOfLog
                if part.last_fault.as_ref().is_some_and(|fault| fault.message.contains("log truncation")) =>
            {
                (
                    Ended::Truncated,
                    format!("the log was cut off before offset {next}, and has grown again with other records"),
                )
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
    pub(super) fn last_check(&mut self, stop: &AtomicBool) -> bool {
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

/// `10s`, `1.5s`.
fn seconds(duration: Duration) -> String {
    format!("{}s", duration.as_secs_f64())
}
