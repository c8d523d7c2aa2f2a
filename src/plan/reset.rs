//! Where a reset takes each partition, and what that means for who reads next.

use crate::model::{CommittedOffset, Timestamp, TopicPartition};
use crate::offset::{Facts, Policies, Resolution, Target, TimeLookup, resolve};
use crate::report::{Action, ResetRow, TargetReport, Warning};
use crate::watermark::Watermarks;
use std::collections::BTreeMap;

/// What to do with rows that would move forward past records which the group has not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipUnread {
    /// A person decides; without one, the write is refused.
    Ask,
    /// Move them.
    Allow,
    /// Leave them as they are.
    Keep,
}

/// Where the partitions of a plan go.
#[derive(Debug, Clone, PartialEq)]
pub enum Destination {
    /// All by one rule.
    One(Target),
    /// Each to a place of its own: a file's rows, or another group's commits.
    Each {
        /// The places; they are the scope.
        rows: BTreeMap<TopicPartition, Place>,
        /// Where they come from.
        from: TargetReport,
        /// Why a partition that is in the scope all the same has no place.
        otherwise: String,
    },
}

/// Where one partition goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The offset, or how it is found.
    pub target: Target,
    /// The metadata that goes with it; `None`: that of the commit that stands.
    pub metadata: Option<String>,
}

impl Destination {
    /// Where this partition goes; `None` for one that is not in the plan.
    pub fn of(&self, partition: &TopicPartition) -> Option<(&Target, Option<&str>)> {
        match self {
            Destination::One(target) => Some((target, None)),
            Destination::Each { rows, .. } => {
                rows.get(partition).map(|place| (&place.target, place.metadata.as_deref()))
            }
        }
    }

    /// The moments that have to be looked up, each once, in milliseconds.
    pub fn times_ms(&self) -> Vec<i64> {
        let time = |target: &Target| match target {
            Target::Timestamp(moment) => Some(moment.timestamp.as_millis()),
            _ => None,
        };
        let mut times: Vec<i64> = match self {
            Destination::One(target) => time(target).into_iter().collect(),
            Destination::Each { rows, .. } => rows.values().filter_map(|place| time(&place.target)).collect(),
        };
        times.sort_unstable();
        times.dedup();
        times
    }

    /// Whether some partition goes where a time says, which can be past records that were not read.
    pub fn has_times(&self) -> bool {
        !self.times_ms().is_empty()
    }
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ResetSpec {
    /// Where to.
    pub destination: Destination,
    /// How the ambiguous cases are decided.
    pub policies: Policies,
    /// For rows that would skip unread records.
    pub skip_unread: SkipUnread,
}

/// What is known of one partition in the scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionFacts {
    /// The partition.
    pub partition: TopicPartition,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The commit that stands.
    pub commit: Option<CommittedOffset>,
    /// The log, and the answer to the target's time.
    pub log: Log,
}

/// What is known of a partition's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// Its bounds, and the answer to the target's time.
    Known(Watermarks, TimeLookup),
    /// The topic or partition no longer exists, though the group has a commit there.
    Gone,
}

/// The rows of a plan, and which of them keep it from being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The rows, by topic and partition.
    pub rows: Vec<ResetRow>,
    /// Rows whose target lies outside the log.
    pub out_of_range: Vec<TopicPartition>,
    /// Rows without a record at or after the time, where that was to be refused.
    pub no_record: Vec<TopicPartition>,
    /// Rows without a commit to start from, where that was to be refused.
    pub no_commit: Vec<TopicPartition>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

impl Planned {
    /// Whether some row has no place to go that its policy takes.
    pub fn is_blocked(&self) -> bool {
        !(self.out_of_range.is_empty() && self.no_record.is_empty() && self.no_commit.is_empty())
    }

    /// The same plan, with what blocks it taken as seen.
    pub fn unblocked(&self) -> Planned {
        Planned { out_of_range: Vec::new(), no_record: Vec::new(), no_commit: Vec::new(), ..self.clone() }
    }
}

/// Plans the rows of one group.
pub fn plan(group: &str, spec: &ResetSpec, facts: &[PartitionFacts]) -> Planned {
    let mut planned = Planned {
        rows: Vec::with_capacity(facts.len()),
        out_of_range: Vec::new(),
        no_record: Vec::new(),
        no_commit: Vec::new(),
        warnings: Vec::new(),
    };
    for fact in facts {
        let row = row(spec, fact, &mut planned);
        if spec.destination.of(&fact.partition).is_some_and(|(target, _)| *target == Target::Latest)
            && let (Some(end), Some(stable)) = (row.log_end_offset, row.last_stable_offset)
            && stable < end
        {
            planned.warnings.push(
                Warning::of_group(
                    "open-transaction",
                    group,
                    format!(
                        "`{}` has an open transaction from {stable} on: the {} offsets up to the end would never be delivered, whatever \
                         becomes of it",
                        fact.partition,
                        end - stable
                    ),
                )
                .topic(&fact.partition.topic)
                .partition(fact.partition.partition),
            );
        }
        planned.rows.push(row);
    }
    planned.rows.sort_by(|a, b| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)));
    planned
}

fn row(spec: &ResetSpec, facts: &PartitionFacts, planned: &mut Planned) -> ResetRow {
    let current = facts.commit.as_ref().map(|commit| commit.offset);
    let mut row = ResetRow {
        topic: facts.partition.topic.clone(),
        topic_id: facts.topic_id.clone(),
        partition: facts.partition.partition,
        current_offset: current,
        current_metadata: facts.commit.as_ref().map(|commit| commit.metadata.clone()),
        requested: None,
        new_offset: None,
        new_timestamp: None,
        log_start_offset: None,
        log_end_offset: None,
        last_stable_offset: None,
        lag_before: None,
        lag_after: None,
        rereads: None,
        skips: None,
        action: Action::Skip,
        reason: None,
        outcome: None,
        read_back: None,
        error: None,
        new_metadata: None,
    };
    let Some((target, metadata)) = spec.destination.of(&facts.partition) else {
        if let Destination::Each { otherwise, .. } = &spec.destination {
            row.reason = Some(otherwise.clone());
        }
        return row;
    };
    let Log::Known(watermarks, time) = facts.log else {
        row.reason = Some("the topic or partition no longer exists".to_owned());
        return row;
    };
    row.log_start_offset = Some(watermarks.log_start);
    row.log_end_offset = Some(watermarks.high_watermark);
    row.last_stable_offset = Some(watermarks.last_stable);
    row.lag_before = current.map(|current| watermarks.lag(current));
    let (requested, offset, timestamp_ms, reason) =
        match resolve(target, &Facts { watermarks, time, committed: current }, &spec.policies) {
            Resolution::At { requested, offset, timestamp_ms, reason } => (requested, offset, timestamp_ms, reason),
            Resolution::Leave { reason } => {
                row.reason = Some(reason);
                return row;
            }
            Resolution::OutOfRange { requested, reason } => {
                row.requested = Some(requested);
                row.reason = Some(reason);
                planned.out_of_range.push(facts.partition.clone());
                return row;
            }
            Resolution::NoRecord { reason } => {
                row.reason = Some(reason);
                planned.no_record.push(facts.partition.clone());
                return row;
            }
            Resolution::NoCommit { reason } => {
                row.reason = Some(reason);
                planned.no_commit.push(facts.partition.clone());
                return row;
            }
        };
    row.requested = requested;
    row.reason = reason;
    let skips = current.map(|current| watermarks.skips(current, offset));
    if let (SkipUnread::Keep, Some(skips @ 1..)) = (spec.skip_unread, skips) {
        row.reason = Some(format!("left where it is: moving would skip {skips} unread offsets"));
        return row;
    }
    row.new_offset = Some(offset);
    row.new_timestamp = timestamp_ms.map(Timestamp);
    row.lag_after = Some(watermarks.lag(offset));
    row.rereads = current.map(|current| watermarks.rereads(current, offset));
    row.skips = skips;
    row.new_metadata = metadata.filter(|new| row.current_metadata.as_deref() != Some(new)).map(str::to_owned);
    row.action = if current == Some(offset) && row.new_metadata.is_none() { Action::Keep } else { Action::Move };
    row
}

/// The destination as a report tells it.
pub fn destination_report(destination: &Destination) -> TargetReport {
    match destination {
        Destination::One(target) => target_report(target),
        Destination::Each { from, .. } => from.clone(),
    }
}

fn target_report(target: &Target) -> TargetReport {
    match target {
        Target::ShiftBy(by) => TargetReport::ShiftBy { by: *by },
        Target::Current => TargetReport::Current,
        Target::Earliest => TargetReport::Earliest,
        Target::Latest => TargetReport::Latest,
        Target::Offset(offset) => TargetReport::Offset { offset: *offset },
        Target::Timestamp(moment) => {
            TargetReport::Timestamp { timestamp_ms: moment.timestamp.as_millis(), timestamp: moment.timestamp }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offset::{NoCommit, NoRecord, OutOfRange};
    use proptest::prelude::*;

    fn spec(target: Target, skip_unread: SkipUnread) -> ResetSpec {
        let policies =
            Policies { out_of_range: OutOfRange::Fail, no_record: NoRecord::Latest, no_commit: NoCommit::Skip };
        ResetSpec { destination: Destination::One(target), policies, skip_unread }
    }

    fn two_hours_ago() -> Target {
        let now = Timestamp(1_796_119_200_000);
        Target::Timestamp(crate::offset::time::parse("2h", now, &jiff::tz::TimeZone::UTC).unwrap())
    }

    fn facts(partition: i32, current: Option<i64>, start: i64, end: i64, time: TimeLookup) -> PartitionFacts {
        let commit = current.map(|offset| CommittedOffset { offset, leader_epoch: None, metadata: "m".to_owned() });
        let log = Watermarks { log_start: start, high_watermark: end, last_stable: end };
        PartitionFacts {
            partition: TopicPartition::new("orders", partition),
            topic_id: None,
            commit,
            log: Log::Known(log, time),
        }
    }

    #[test]
    fn a_hand_worked_plan_by_time() {
        let found = |offset| TimeLookup::Found { offset, timestamp_ms: Some(1_796_112_000_500) };
        let facts = [
            facts(0, Some(7), 0, 12, found(4)),
            facts(1, Some(2), 0, 12, found(5)),
            facts(2, Some(9), 0, 9, TimeLookup::NoRecord),
            facts(3, None, 0, 12, found(6)),
        ];
        let planned = plan("inventory", &spec(two_hours_ago(), SkipUnread::Ask), &facts);
        let shown: Vec<_> = planned
            .rows
            .iter()
            .map(|row| (row.action, row.new_offset, row.rereads, row.skips, row.lag_before, row.lag_after))
            .collect();
        assert_eq!(
            shown,
            [
                (Action::Move, Some(4), Some(3), Some(0), Some(5), Some(8)),
                (Action::Move, Some(5), Some(0), Some(3), Some(10), Some(7)),
                (Action::Keep, Some(9), Some(0), Some(0), Some(0), Some(0)),
                (Action::Move, Some(6), None, None, None, Some(6)),
            ]
        );
        assert_eq!(planned.rows[2].reason.as_deref(), Some("no record at or after that time: latest"));
        let kept = plan("inventory", &spec(two_hours_ago(), SkipUnread::Keep), &facts);
        assert_eq!(kept.rows[1].action, Action::Skip);
        assert_eq!(kept.rows[1].new_offset, None);
        assert_eq!(kept.rows[0].action, Action::Move);
    }

    #[test]
    fn a_commit_on_a_topic_that_is_gone_is_left_and_said() {
        let gone = PartitionFacts { log: Log::Gone, ..facts(0, Some(7), 0, 0, TimeLookup::NotAsked) };
        let planned = plan("inventory", &spec(Target::Earliest, SkipUnread::Ask), &[gone]);
        assert_eq!(planned.rows[0].action, Action::Skip);
        assert!(planned.rows[0].reason.is_some());
    }

    proptest! {
        #[test]
        fn each_partition_appears_once_and_moves_within_its_log(
            partitions in proptest::collection::vec((proptest::option::of(0i64..60), 0i64..30, 0i64..30), 0..12),
            target in 0u8..3, wanted in 0i64..70, clamp in any::<bool>(),
        ) {
            let facts: Vec<PartitionFacts> = partitions
                .iter()
                .enumerate()
                .map(|(index, &(current, start, length))| facts(index as i32, current, start, start + length, TimeLookup::NoRecord))
                .collect();
            let target = match target { 0 => Target::Earliest, 1 => Target::Latest, _ => Target::Offset(wanted) };
            let mut spec = spec(target, SkipUnread::Allow);
            if clamp { spec.policies.out_of_range = OutOfRange::Clamp; }
            let planned = plan("g", &spec, &facts);
            prop_assert_eq!(planned.rows.len(), facts.len());
            for (index, row) in planned.rows.iter().enumerate() {
                prop_assert_eq!(row.partition, index as i32);
                let (current, start, length) = partitions[index];
                match row.new_offset {
                    Some(new) => {
                        prop_assert!((start..=start + length).contains(&new));
                        prop_assert_eq!(row.action == Action::Keep, current == Some(new));
                        // Counted one by one: what exists, was behind the old position, and comes again.
                        if let Some(current) = current {
                            let kept = start..start + length;
                            let again = kept.clone().filter(|offset| *offset >= new && *offset < current).count() as u64;
                            let never = kept.filter(|offset| *offset < new && *offset >= current).count() as u64;
                            prop_assert_eq!(row.rereads, Some(again));
                            prop_assert_eq!(row.skips, Some(never));
                        }
                    }
                    None => prop_assert!(!clamp && planned.out_of_range.iter().any(|p| p.partition == row.partition)),
                }
            }
        }
    }
}
