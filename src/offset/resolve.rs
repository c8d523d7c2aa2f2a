use super::Target;
use crate::watermark::Watermarks;

/// What a lookup by time answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLookup {
    /// The target asks for no time.
    NotAsked,
    /// The first record at or after the time.
    Found {
        /// Its offset.
        offset: i64,
        /// Its timestamp in milliseconds.
        timestamp_ms: Option<i64>,
    },
    /// Kafka's −1: no record at or after the time. The partition may be empty, or every record older.
    NoRecord,
}

/// What is known of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The log's bounds.
    pub watermarks: Watermarks,
    /// The answer to the target's time.
    pub time: TimeLookup,
    /// The commit that stands.
    pub committed: Option<i64>,
}

/// What to do with an offset outside the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutOfRange {
    /// Refuse.
    Fail,
    /// Take the nearest offset within it.
    Clamp,
}

/// What to do where no record has the time or a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRecord {
    /// Stand at the end: the next record is the first one that is new.
    Latest,
    /// Leave the partition as it is.
    Skip,
    /// Refuse.
    Fail,
}

/// What to do where a target that starts from the commit finds none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCommit {
    /// Leave the partition without one.
    Skip,
    /// Stand at the log start.
    UseEarliest,
    /// Stand at the end.
    UseLatest,
    /// Refuse.
    Fail,
}

/// How the ambiguous cases are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policies {
    /// For offsets outside the log.
    pub out_of_range: OutOfRange,
    /// For times after the last record.
    pub no_record: NoRecord,
    /// For a shift, or the current offset, of a partition without a commit.
    pub no_commit: NoCommit,
}

/// Where a target leads in one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// To this offset, which lies within the log.
    At {
        /// What the target alone said; `None` where nothing did (no record at that time).
        requested: Option<i64>,
        /// The offset after policies.
        offset: i64,
        /// The timestamp of the record there, where a lookup gave it.
        timestamp_ms: Option<i64>,
        /// What a policy did.
        reason: Option<String>,
    },
    /// Nowhere: the partition stays as it is.
    Leave {
        /// Why.
        reason: String,
    },
    /// The offset lies outside the log, and the policy refuses.
    OutOfRange {
        /// What the target said.
        requested: i64,
        /// By how much, in words.
        reason: String,
    },
    /// No record has the time or a later one, and the policy refuses.
    NoRecord {
        /// In words.
        reason: String,
    },
    /// There is no commit to start from, and the policy refuses.
    NoCommit {
        /// In words.
        reason: String,
    },
}

/// Resolves a target against one partition's facts. The result lies within the log, or says why there is none.
pub fn resolve(target: &Target, facts: &Facts, policies: &Policies) -> Resolution {
    let log = facts.watermarks;
    let at = |offset: i64| Resolution::At { requested: Some(offset), offset, timestamp_ms: None, reason: None };
    match target {
        Target::Earliest => at(log.log_start),
        Target::Latest => at(log.high_watermark),
        Target::Offset(offset) => within(log, *offset, None, policies),
        Target::ShiftBy(by) => match facts.committed {
            Some(committed) => within(log, committed.saturating_add(*by), None, policies),
            None => no_commit(log, policies),
        },
        Target::Current => match facts.committed {
            // Where it stands, in the log or not: nothing moves, so no policy is asked.
            Some(committed) => at(committed),
            None => no_commit(log, policies),
        },
        Target::Timestamp(_) => match facts.time {
            TimeLookup::Found { offset, timestamp_ms } => within(log, offset, timestamp_ms, policies),
            TimeLookup::NoRecord | TimeLookup::NotAsked => no_record(log, policies),
        },
    }
}

fn no_commit(log: Watermarks, policies: &Policies) -> Resolution {
    let at = |offset, policy| Resolution::At {
        requested: None,
        offset,
        timestamp_ms: None,
        reason: Some(format!("no commit to start from: {policy}")),
    };
    match policies.no_commit {
        NoCommit::Skip => Resolution::Leave { reason: "no commit to start from: skipped".to_owned() },
        NoCommit::UseEarliest => at(log.log_start, "earliest"),
        NoCommit::UseLatest => at(log.high_watermark, "latest"),
        NoCommit::Fail => Resolution::NoCommit { reason: "no commit to start from".to_owned() },
    }
}

fn within(log: Watermarks, offset: i64, timestamp_ms: Option<i64>, policies: &Policies) -> Resolution {
    if log.contains(offset) {
        return Resolution::At { requested: Some(offset), offset, timestamp_ms, reason: None };
    }
    let by = if offset > log.high_watermark {
        format!("{} past the end {}", offset.abs_diff(log.high_watermark), log.high_watermark)
    } else {
        format!("{} before the log start {}", offset.abs_diff(log.log_start), log.log_start)
    };
    match policies.out_of_range {
        OutOfRange::Fail => Resolution::OutOfRange { requested: offset, reason: format!("{offset} is {by}") },
        OutOfRange::Clamp => Resolution::At {
            requested: Some(offset),
            offset: log.clamp(offset),
            timestamp_ms: None,
            reason: Some(format!("clamped: {offset} is {by}")),
        },
    }
}

fn no_record(log: Watermarks, policies: &Policies) -> Resolution {
    let empty = log.log_start == log.high_watermark;
    let why = if empty { "partition is empty" } else { "no record at or after that time" };
    match policies.no_record {
        NoRecord::Latest => Resolution::At {
            requested: None,
            offset: log.high_watermark,
            timestamp_ms: None,
            reason: Some(format!("{why}: latest")),
        },
        NoRecord::Skip => Resolution::Leave { reason: why.to_owned() },
        NoRecord::Fail => Resolution::NoRecord { reason: why.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;
    use proptest::prelude::*;

    fn facts(log_start: i64, high_watermark: i64, time: TimeLookup) -> Facts {
        Facts {
            watermarks: Watermarks { log_start, high_watermark, last_stable: high_watermark },
            time,
            committed: None,
        }
    }

    fn some_time() -> Target {
        let now = Timestamp(1_796_119_200_000);
        Target::Timestamp(super::super::time::parse("2h", now, &jiff::tz::TimeZone::UTC).unwrap())
    }

    const STRICT: Policies =
        Policies { out_of_range: OutOfRange::Fail, no_record: NoRecord::Fail, no_commit: NoCommit::Fail };

    #[test]
    fn an_offset_at_the_end_is_within_and_one_further_is_not() {
        let log = facts(3, 12, TimeLookup::NotAsked);
        assert!(matches!(resolve(&Target::Offset(12), &log, &STRICT), Resolution::At { offset: 12, .. }));
        assert!(matches!(resolve(&Target::Offset(3), &log, &STRICT), Resolution::At { offset: 3, .. }));
        assert_eq!(
            resolve(&Target::Offset(13), &log, &STRICT),
            Resolution::OutOfRange { requested: 13, reason: "13 is 1 past the end 12".to_owned() }
        );
        assert_eq!(
            resolve(&Target::Offset(0), &log, &STRICT),
            Resolution::OutOfRange { requested: 0, reason: "0 is 3 before the log start 3".to_owned() }
        );
    }

    #[test]
    fn a_time_after_the_last_record_is_a_case_of_its_own() {
        let log = facts(3, 12, TimeLookup::NoRecord);
        assert!(matches!(resolve(&some_time(), &log, &STRICT), Resolution::NoRecord { .. }));
        let latest = Policies { no_record: NoRecord::Latest, ..STRICT };
        assert_eq!(
            resolve(&some_time(), &log, &latest),
            Resolution::At {
                requested: None,
                offset: 12,
                timestamp_ms: None,
                reason: Some("no record at or after that time: latest".to_owned())
            }
        );
        let skip = Policies { no_record: NoRecord::Skip, ..STRICT };
        assert!(matches!(resolve(&some_time(), &log, &skip), Resolution::Leave { .. }));
    }

    #[test]
    fn a_shift_starts_from_the_commit_and_stays_within_the_log() {
        let at = |committed| Facts { committed, ..facts(3, 12, TimeLookup::NotAsked) };
        assert!(matches!(resolve(&Target::ShiftBy(-2), &at(Some(7)), &STRICT), Resolution::At { offset: 5, .. }));
        assert!(matches!(
            resolve(&Target::ShiftBy(-5), &at(Some(7)), &STRICT),
            Resolution::OutOfRange { requested: 2, .. }
        ));
        let clamp = Policies { out_of_range: OutOfRange::Clamp, ..STRICT };
        assert!(matches!(resolve(&Target::ShiftBy(-5), &at(Some(7)), &clamp), Resolution::At { offset: 3, .. }));
        assert!(matches!(resolve(&Target::ShiftBy(i64::MAX), &at(Some(7)), &clamp), Resolution::At { offset: 12, .. }));
    }

    #[test]
    fn without_a_commit_a_policy_decides_and_never_silently_the_end() {
        let none = facts(3, 12, TimeLookup::NotAsked);
        for target in [Target::ShiftBy(1), Target::Current] {
            assert!(matches!(resolve(&target, &none, &STRICT), Resolution::NoCommit { .. }));
            for (no_commit, expected) in
                [(NoCommit::Skip, None), (NoCommit::UseEarliest, Some(3)), (NoCommit::UseLatest, Some(12))]
            {
                match resolve(&target, &none, &Policies { no_commit, ..STRICT }) {
                    Resolution::At { offset, reason, .. } => assert!(Some(offset) == expected && reason.is_some()),
                    Resolution::Leave { .. } => assert_eq!(expected, None),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_resolved_lies_within_the_log(
            start in 0i64..100, length in 0i64..100, wanted in any::<i64>(), found in 0i64..300, pick in 0u8..5, clamp in any::<bool>(),
        ) {
            let time = if found < 200 { TimeLookup::Found { offset: found, timestamp_ms: None } } else { TimeLookup::NoRecord };
            let facts = facts(start, start + length, time);
            let target = match pick { 0 => Target::Earliest, 1 => Target::Latest, 2 => Target::Offset(wanted), _ => some_time() };
            let policies = Policies {
                out_of_range: if clamp { OutOfRange::Clamp } else { OutOfRange::Fail },
                no_record: NoRecord::Latest,
                no_commit: NoCommit::Fail,
            };
            match resolve(&target, &facts, &policies) {
                Resolution::At { offset, .. } => prop_assert!(facts.watermarks.contains(offset)),
                Resolution::OutOfRange { requested, .. } => prop_assert!(!clamp && !facts.watermarks.contains(requested)),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
