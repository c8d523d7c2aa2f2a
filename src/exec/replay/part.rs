use super::Request;
use super::topics::TopicChange;
use crate::error::{Code, Error, Result};
use crate::model::{Record, TimestampType, TopicPartition};
use crate::offset::Target;
use crate::plan::window::{Accounts, Range, Step};
use crate::report::{Ended, ReplayPartition, Warning};
use crate::sink::Sink;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The log ended before the window did.
#[derive(Debug, Clone, Copy)]
struct Stall {
    /// The offset that comes next there.
    at: i64,
    /// Since when.
    since: Instant,
    /// When to look at the cluster again.
    look_at: Instant,
}

/// One partition of a replay in progress.
#[derive(Debug)]
pub(super) struct Part {
    range: Range,
    topic_id: Option<String>,
    /// The window's own bounds in time, to count what contradicts them.
    times: (Option<i64>, Option<i64>),
    explicit_end: bool,
    read_committed: bool,
    wait_stable: Duration,
    accounts: Accounts,
    /// Where the range ends; moves back only where an open transaction holds the rest.
    end: i64,
    held_back: u64,
    taken: u64,
    bytes: u64,
    outside: u64,
    ended: Option<Ended>,
    ended_at: Instant,
    reason: Option<String>,
    stall: Option<Stall>,
}

impl Part {
    pub(super) fn new(range: &Range, topic_ids: &HashMap<String, Option<String>>, request: &Request) -> Self {
        let time = |target: Option<&Target>| match target {
            Some(Target::Timestamp(moment)) => Some(moment.timestamp.as_millis()),
            _ => None,
        };
        let nothing = range.start >= range.end;
        Part {
            topic_id: topic_ids.get(&range.partition.topic).cloned().flatten(),
            times: (time(Some(&request.window.from)), time(request.window.to.as_ref())),
            explicit_end: request.window.to.as_ref().is_some_and(|target| *target != Target::Latest),
            read_committed: request.read_committed,
            wait_stable: request.wait_stable,
            accounts: Accounts::at(range.start),
            end: range.end,
            held_back: 0,
            taken: 0,
            bytes: 0,
            outside: 0,
            ended: nothing.then_some(Ended::NothingToReplay),
            ended_at: Instant::now(),
            reason: range.reason.clone(),
            stall: None,
            range: range.clone(),
        }
    }

    pub(super) fn partition(&self) -> &TopicPartition {
        &self.range.partition
    }

    pub(super) fn ended(&self) -> Option<Ended> {
        self.ended
    }

    pub(super) fn next(&self) -> i64 {
        self.accounts.next
    }

    pub(super) fn end(&self) -> i64 {
        self.end
    }

    /// Offsets of the window.
    pub(super) fn offsets(&self) -> u64 {
        self.range.end.abs_diff(self.range.start)
    }

    pub(super) fn read_so_far(&self) -> u64 {
        self.accounts.next.abs_diff(self.range.start)
    }

    /// Whether anything of it was read.
    pub(super) fn has_read(&self) -> bool {
        self.range.start < self.range.end
    }

    fn finish(&mut self, ended: Ended, reason: Option<String>) {
        self.ended = Some(ended);
        self.ended_at = Instant::now();
        self.stall = None;
        if reason.is_some() {
            self.reason = reason;
        }
    }

    /// A record came; the sink gets it where it lies in the range.
    pub(super) fn record(&mut self, record: &Record<'_>, sink: &mut dyn Sink) -> Result<()> {
        self.stall = None;
        match self.accounts.record(record.offset, self.end) {
            Step::Take => {
                sink.write(record)?;
                self.taken += 1;
                self.bytes += record.bytes();
                if record.timestamp_type != TimestampType::NotAvailable {
                    let early = self.times.0.is_some_and(|from| record.timestamp_ms < from);
                    let late = self.times.1.is_some_and(|to| record.timestamp_ms >= to);
                    self.outside += u64::from(early || late);
                }
            }
            Step::Past => {}
            Step::Backwards => {
                let why = format!("offset {} came again after {}", record.offset, self.accounts.next - 1);
                self.finish(Ended::Truncated, Some(why));
                return Ok(());
            }
        }
        if self.accounts.next >= self.end {
            self.finish(Ended::EndReached, None);
        }
        Ok(())
    }

    /// Nothing more can be read now, and the next offset will be this one.
    pub(super) fn end_of_log(&mut self, offset: i64) {
        if offset >= self.end {
            self.accounts.reach(self.end);
            self.finish(Ended::EndReached, None);
        } else if self.stall.is_none_or(|stall| stall.at != offset) {
            let now = Instant::now();
            self.stall = Some(Stall { at: offset, since: now, look_at: now });
        }
    }

    /// Whether the cluster should be looked at because of a stall.
    pub(super) fn is_due(&self) -> bool {
        self.ended.is_none() && self.stall.is_some_and(|stall| Instant::now() >= stall.look_at)
    }

    /// Whether it waits for a transaction.
    pub(super) fn waits(&self) -> bool {
        self.read_committed && self.stall.is_some_and(|stall| stall.since.elapsed() <= self.wait_stable * 2)
    }

    pub(super) fn look_later(&mut self) {
        if let Some(stall) = &mut self.stall {
            stall.look_at = Instant::now() + Duration::from_millis(500);
        }
    }

    /// The log reaches the window's end, yet the reader does not get there: `stable` is how far readers of `read_committed` get.
    pub(super) fn still_open(&mut self, stable: i64, request: &Request) {
        let Some(stall) = &mut self.stall else { return };
        let now = Instant::now();
        let deadline = stall.since + request.wait_stable;
        if !self.read_committed || stable > stall.at {
            // Readable by now: the reader gets it in a moment.
            stall.look_at = now + Duration::from_millis(500);
            return;
        }
        if now < deadline {
            stall.look_at = deadline;
            return;
        }
        let at = stall.at.max(self.accounts.next);
        self.accounts.reach(at);
        let held_back = self.end.abs_diff(at);
        let why = format!("an open transaction from {stable} on holds back {held_back} offsets before the end");
        if self.explicit_end {
            self.held_back = held_back;
            self.finish(Ended::OpenTransaction, Some(why));
        } else {
            self.held_back = held_back;
            self.end = at;
            self.finish(Ended::HeldBack, Some(why));
        }
    }

    pub(super) fn truncated(&mut self, end: i64) {
        self.finish(Ended::Truncated, Some(format!("the log now ends at {end}, before the window's end {}", self.end)));
    }

    pub(super) fn passed_by_retention(&mut self, start: i64) {
        let why = format!(
            "the log now starts at {start}: {} offsets were deleted before they were read",
            start - self.accounts.next
        );
        self.finish(Ended::Retention, Some(why));
    }

    pub(super) fn fail(&mut self, why: String) {
        self.finish(Ended::Error, Some(why));
    }

    /// The topic is another one, or gone, since some time after `change.last_good`.
    pub(super) fn recreated(&mut self, change: &TopicChange) {
        if !self.has_read() || matches!(self.ended, Some(Ended::Recreated)) {
            return;
        }
        // What had ended while the id was right is of the topic that was asked for.
        if self.ended.is_some_and(Ended::is_whole) && self.ended_at <= change.last_good {
            return;
        }
        if change.gone {
            if self.ended.is_none_or(|ended| !ended.is_whole()) {
                self.finish(Ended::Error, Some(format!("topic `{}` was deleted", change.topic)));
            }
            return;
        }
        let why = format!("topic `{}` was made anew: records of either topic may have been read", change.topic);
        self.finish(Ended::Recreated, Some(why));
    }

    /// The run is over; what had not ended by itself ends by what ended the run. Then the accounts must add up.
    pub(super) fn close(&mut self, interrupted: bool, error: Option<&Error>) {
        // What a sink that failed had taken last never arrived, whichever partition it was from.
        let sink_failed = error.is_some_and(|error| matches!(error.code, Code::SinkClosed | Code::SinkFailed));
        if self.ended.is_none() || sink_failed && self.has_read() {
            match error {
                Some(error) if error.code == Code::SinkClosed => self.finish(Ended::SinkClosed, None),
                Some(error) => self.finish(Ended::Error, Some(error.message.clone())),
                None if interrupted => self.finish(Ended::Interrupted, None),
                None => self.finish(Ended::Error, Some("it ended early".to_owned())),
            }
        }
        let accounted = self.taken + self.accounts.gaps;
        let expected = self.end.abs_diff(self.range.start);
        if self.ended.is_some_and(Ended::is_whole) && accounted != expected {
            let why =
                format!("{} records and {} gaps do not add up to {expected} offsets", self.taken, self.accounts.gaps);
            self.finish(Ended::Error, Some(why));
        }
    }

    /// What a person should know about how it ended.
    pub(super) fn warning(&self) -> Option<Warning> {
        let ended = self
            .ended
            .filter(|ended| !matches!(ended, Ended::EndReached | Ended::NothingToReplay | Ended::Interrupted))?;
        let partition = &self.range.partition;
        let why = self.reason.as_deref().unwrap_or("it ended early");
        Some(Warning {
            code: ended.as_str().to_owned(),
            message: format!("{partition}: {why}"),
            group: None,
            topic: Some(partition.topic.clone()),
            partition: Some(partition.partition),
        })
    }

    pub(super) fn report(self) -> ReplayPartition {
        ReplayPartition {
            topic: self.range.partition.topic,
            topic_id: self.topic_id,
            partition: self.range.partition.partition,
            start_offset: self.range.start,
            end_offset: self.end,
            next_offset: self.accounts.next,
            high_watermark: self.range.high_watermark,
            held_back: self.held_back,
            records: self.taken,
            filtered: 0,
            outside_window: self.outside,
            gaps: self.accounts.gaps,
            bytes: self.bytes,
            ended: self.ended.unwrap_or(Ended::Error),
            reason: self.reason,
        }
    }
}
