//! A window per partition: half open, captured once, before the first record is read.

use crate::model::TopicPartition;
use crate::offset::{Facts, NoRecord, OutOfRange, Policies, Resolution, Target, TimeLookup, resolve};
use crate::report::{Bound, WindowReport};
use crate::watermark::Watermarks;

/// What was asked for, the same for each partition.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSpec {
    /// Where it begins.
    pub from: Target,
    /// Where it ends, exclusive; `None`: the high watermark at the start.
    pub to: Option<Target>,
    /// What to do with an offset outside the log.
    pub out_of_range: OutOfRange,
}

/// What is known of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowFacts {
    /// The partition.
    pub partition: TopicPartition,
    /// Its log.
    pub watermarks: Watermarks,
    /// The answer to the time of `from`.
    pub from: TimeLookup,
    /// The answer to the time of `to`.
    pub to: TimeLookup,
}

/// The window of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The partition.
    pub partition: TopicPartition,
    /// The first offset.
    pub start: i64,
    /// The offset after the last.
    pub end: i64,
    /// The high watermark when it was captured.
    pub high_watermark: i64,
    /// What a policy did, or why it is empty.
    pub reason: Option<String>,
}

/// A partition whose offsets lie outside its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// The partition.
    pub partition: TopicPartition,
    /// In words.
    pub reason: String,
}

/// Resolves the window of one partition.
pub fn resolve_range(spec: &WindowSpec, facts: &WindowFacts) -> Result<Range, Outside> {
    let policies = Policies { out_of_range: spec.out_of_range, no_record: NoRecord::Latest };
    let log = facts.watermarks;
    let outside = |reason: String| Outside { partition: facts.partition.clone(), reason };
    let at = |target: &Target, time: TimeLookup| match resolve(target, &Facts { watermarks: log, time }, &policies) {
        Resolution::At { offset, reason, .. } => Ok((offset, reason)),
        Resolution::OutOfRange { reason, .. } | Resolution::NoRecord { reason } | Resolution::Leave { reason } => {
            Err(reason)
        }
    };
    let (start, mut reason) = at(&spec.from, facts.from).map_err(|why| outside(format!("the start {why}")))?;
    let end = match &spec.to {
        None => log.high_watermark,
        Some(target) => {
            let (end, why) = at(target, facts.to).map_err(|why| outside(format!("the end {why}")))?;
            reason = reason.or(why);
            end
        }
    };
    if start >= end && reason.is_none() {
        reason = Some("the window ends where it begins".to_owned());
    }
    Ok(Range {
        partition: facts.partition.clone(),
        start,
        end: end.max(start),
        high_watermark: log.high_watermark,
        reason,
    })
}

/// The window as a report tells it.
pub fn window_report(spec: &WindowSpec) -> WindowReport {
    WindowReport { mode: "offsets".to_owned(), from: bound(&spec.from), to: spec.to.as_ref().map(bound) }
}

fn bound(target: &Target) -> Bound {
    match target {
        Target::Earliest => Bound::Named("earliest".to_owned()),
        Target::Latest => Bound::Named("latest".to_owned()),
        Target::Offset(offset) => Bound::Offset { offset: *offset },
        Target::Timestamp(moment) => Bound::Time { timestamp_ms: moment.timestamp.as_millis() },
    }
}

/// Where every offset of a range went: counted from what was seen, one thing after another, never computed as the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accounts {
    /// The position: the offset that comes next.
    pub next: i64,
    /// Offsets between records that held none.
    pub gaps: u64,
    /// Records that came.
    pub records: u64,
}

/// What a record does to the accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It lies in the range.
    Take,
    /// It lies behind the end: everything before is accounted for.
    Past,
    /// It lies before the position: the log is not the one that was read until now.
    Backwards,
}

impl Accounts {
    /// At the start of a range.
    pub fn at(start: i64) -> Self {
        Accounts { next: start, gaps: 0, records: 0 }
    }

    /// A record came at this offset.
    pub fn record(&mut self, offset: i64, end: i64) -> Step {
        if offset < self.next {
            return Step::Backwards;
        }
        if offset >= end {
            self.reach(end);
            return Step::Past;
        }
        self.gaps += offset.abs_diff(self.next);
        self.records += 1;
        self.next = offset + 1;
        Step::Take
    }

    /// The position is known to be at least `offset`: what lies between held no record.
    pub fn reach(&mut self, offset: i64) {
        if offset > self.next {
            self.gaps += offset.abs_diff(self.next);
            self.next = offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn facts(from: TimeLookup, to: TimeLookup) -> WindowFacts {
        let watermarks = Watermarks { log_start: 3, high_watermark: 12, last_stable: 12 };
        WindowFacts { partition: TopicPartition::new("orders", 0), watermarks, from, to }
    }

    fn spec(from: Target, to: Option<Target>) -> WindowSpec {
        WindowSpec { from, to, out_of_range: OutOfRange::Fail }
    }

    fn time() -> Target {
        let now = crate::model::Timestamp(1_796_119_200_000);
        Target::Timestamp(crate::offset::time::parse("2h", now, &jiff::tz::TimeZone::UTC).unwrap())
    }

    fn found(offset: i64) -> TimeLookup {
        TimeLookup::Found { offset, timestamp_ms: None }
    }

    #[test]
    fn hand_worked_windows_of_a_log_from_3_to_12() {
        let none = TimeLookup::NotAsked;
        let of = |spec: &WindowSpec, facts: &WindowFacts| {
            resolve_range(spec, facts).map(|range| (range.start, range.end)).map_err(|outside| outside.reason)
        };
        assert_eq!(of(&spec(Target::Earliest, None), &facts(none, none)), Ok((3, 12)));
        assert_eq!(of(&spec(time(), None), &facts(found(7), none)), Ok((7, 12)));
        assert_eq!(of(&spec(time(), Some(time())), &facts(found(5), found(9))), Ok((5, 9)));
        // No record at or after the end's time: the end is the log's.
        assert_eq!(of(&spec(time(), Some(time())), &facts(found(5), TimeLookup::NoRecord)), Ok((5, 12)));
        // No record at or after the start's time: nothing to read.
        assert_eq!(of(&spec(time(), None), &facts(TimeLookup::NoRecord, none)), Ok((12, 12)));
        // Out-of-order timestamps can turn the lookups around: that is empty, not negative.
        assert_eq!(of(&spec(time(), Some(time())), &facts(found(9), found(5))), Ok((9, 9)));
        assert_eq!(of(&spec(Target::Offset(4), Some(Target::Offset(6))), &facts(none, none)), Ok((4, 6)));
        assert!(of(&spec(Target::Offset(2), None), &facts(none, none)).unwrap_err().contains("before the log start 3"));
        assert!(
            of(&spec(Target::Offset(4), Some(Target::Offset(13))), &facts(none, none))
                .unwrap_err()
                .contains("past the end 12")
        );
        let mut clamped = spec(Target::Offset(0), Some(Target::Offset(99)));
        clamped.out_of_range = OutOfRange::Clamp;
        assert_eq!(of(&clamped, &facts(none, none)), Ok((3, 12)));
    }

    #[test]
    fn a_record_that_lies_before_the_position_is_noticed() {
        let mut accounts = Accounts::at(5);
        assert_eq!(accounts.record(6, 10), Step::Take);
        assert_eq!(accounts.record(6, 10), Step::Backwards);
        assert_eq!((accounts.records, accounts.gaps, accounts.next), (1, 1, 7));
    }

    proptest! {
        #[test]
        fn every_offset_is_a_record_or_a_gap(present in proptest::collection::vec(any::<bool>(), 0..60), end in 0i64..60) {
            let mut accounts = Accounts::at(0);
            for (offset, _) in present.iter().enumerate().filter(|(_, present)| **present) {
                if accounts.record(offset as i64, end) == Step::Past {
                    break;
                }
            }
            accounts.reach(end);
            let expected = present.iter().take(end as usize).filter(|present| **present).count() as u64;
            prop_assert_eq!(accounts.records, expected);
            prop_assert_eq!(accounts.records + accounts.gaps, end as u64);
            prop_assert_eq!(accounts.next, end);
        }
    }
}
