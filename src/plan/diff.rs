//! Two looks at groups, side by side.

use crate::error::Code;
use crate::model::{PartitionSet, Timestamp, TopicPartition, TopicSelection};
use crate::report::{
    Action, Change, DescribeReport, DiffDelta, DiffOffsets, DiffReport, DiffRow, DiffSide, DiffTotal, PartitionStatus,
    ResetReport, VERSION, Warning,
};
use std::collections::{BTreeMap, BTreeSet};

/// One side: rows by group and partition, and what the look was limited to.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// When it was captured.
    pub captured_at: Timestamp,
    /// A file's path, or `live`.
    pub source: String,
    /// The cluster.
    pub cluster_id: String,
    /// The groups that were looked at.
    pub groups: BTreeSet<String>,
    /// The partitions that were looked at; `None`: those of the groups.
    pub topics: Option<BTreeMap<String, PartitionSet>>,
    rows: BTreeMap<(String, TopicPartition), (Option<String>, DiffOffsets)>,
    /// What could not be seen, and why: it is not compared, and that is said.
    unseen: BTreeMap<(String, TopicPartition), String>,
    unseen_groups: BTreeMap<String, String>,
}

impl Side {
    /// A snapshot, or what `describe` sees now.
    pub fn of_describe(report: &DescribeReport, source: &str) -> Self {
        let mut rows = BTreeMap::new();
        let mut unseen = BTreeMap::new();
        let mut unseen_groups = BTreeMap::new();
        for group in &report.groups {
            match &group.error {
                // A group that is gone has no commits: that is a change.
                Some(error) if error.code != Code::GroupNotFound.as_str() => {
                    unseen_groups.insert(group.group.clone(), error.message.clone());
                }
                _ => {}
            }
            for row in &group.partitions {
                // A topic that is gone was seen to be gone.
                if row.status.is_failure() && row.status != PartitionStatus::TopicMissing {
                    let why = row.reason.clone().unwrap_or_else(|| row.status.as_str().to_owned());
                    unseen.insert((group.group.clone(), TopicPartition::new(row.topic.as_str(), row.partition)), why);
                    continue;
                }
                let offsets = DiffOffsets {
                    current_offset: row.current_offset,
                    log_start_offset: row.log_start_offset,
                    log_end_offset: row.log_end_offset,
                    lag: row.lag,
                };
                let partition = TopicPartition::new(row.topic.as_str(), row.partition);
                rows.insert((group.group.clone(), partition), (row.topic_id.clone(), offsets));
            }
        }
        Side {
            captured_at: report.captured_at,
            source: source.to_owned(),
            cluster_id: report.cluster_id.clone(),
            groups: report.groups.iter().map(|group| group.group.clone()).collect(),
            topics: report.topics.as_ref().map(|topics| {
                let selections = topics.iter().filter_map(|text| text.parse::<TopicSelection>().ok());
                selections.map(|selection| (selection.topic, selection.partitions)).collect()
            }),
            rows,
            unseen,
            unseen_groups,
        }
    }

    /// A reset's report. `before`: what stood before it, else what stands after it (or would, after a dry run).
    pub fn of_reset(report: &ResetReport, source: &str, before: bool) -> Self {
        let mut rows = BTreeMap::new();
        let mut topics: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
        for group in &report.groups {
            for row in &group.rows {
                topics.entry(row.topic.clone()).or_default().insert(row.partition);
                let written = row.outcome.map(|_| row.read_back);
                let planned = if row.action == Action::Skip { row.current_offset } else { row.new_offset };
                let current = if before { row.current_offset } else { written.unwrap_or(planned) };
                let lag = match (before, row.action) {
                    (true, _) | (false, Action::Skip) => row.lag_before,
                    (false, _) => row.lag_after.filter(|_| current == row.new_offset),
                };
                let offsets = DiffOffsets {
                    current_offset: current,
                    log_start_offset: row.log_start_offset,
                    log_end_offset: row.log_end_offset,
                    lag,
                };
                let partition = TopicPartition::new(row.topic.as_str(), row.partition);
                rows.insert((group.group.clone(), partition), (row.topic_id.clone(), offsets));
            }
        }
        Side {
            captured_at: if before { report.computed_at } else { report.applied_at.unwrap_or(report.computed_at) },
            source: source.to_owned(),
            cluster_id: report.cluster_id.clone(),
            groups: report.groups.iter().map(|group| group.group.clone()).collect(),
            topics: Some(topics.into_iter().map(|(topic, rows)| (topic, PartitionSet::Only(rows))).collect()),
            rows,
            unseen: BTreeMap::new(),
            unseen_groups: BTreeMap::new(),
        }
    }

    /// Why that row could not be seen, where it could not.
    fn blind(&self, key: &(String, TopicPartition)) -> Option<&String> {
        self.unseen_groups.get(&key.0).or_else(|| self.unseen.get(key))
    }

    /// Whether this look would have seen that row.
    fn looked_at(&self, group: &str, partition: &TopicPartition) -> bool {
        let in_scope = |topics: &BTreeMap<String, PartitionSet>| {
            topics.get(&partition.topic).is_some_and(|partitions| partitions.contains(partition.partition))
        };
        self.groups.contains(group) && self.topics.as_ref().is_none_or(in_scope)
    }
}

/// What changed from one side to the other. What one of them did not look at is left out; `all` also shows what is the same.
pub fn diff(before: &Side, after: &Side, all: bool) -> DiffReport {
    let keys: BTreeSet<&(String, TopicPartition)> =
        [before, after].into_iter().flat_map(|side| side.rows.keys().chain(side.unseen.keys())).collect();
    let mut total = DiffTotal::default();
    let mut rows = Vec::new();
    let mut warnings = Vec::new();
    for key in keys {
        let (group, partition) = key;
        if !before.looked_at(group, partition) || !after.looked_at(group, partition) {
            continue;
        }
        if let Some(why) = before.blind(key).or_else(|| after.blind(key)) {
            warnings.push(
                Warning::of_group("not-compared", group, format!("{partition} of `{group}` was not compared: {why}"))
                    .topic(&partition.topic)
                    .partition(partition.partition),
            );
            continue;
        }
        let (was, is) = (before.rows.get(key), after.rows.get(key));
        let change = change(was, is);
        let delta = delta(was.map(|row| row.1), is.map(|row| row.1));
        match change {
            Change::Moved => total.moved += 1,
            Change::Added => total.added += 1,
            Change::Removed => total.removed += 1,
            Change::Recreated => total.recreated += 1,
            Change::Same => total.same += 1,
        }
        total.lag_delta += delta.lag.unwrap_or(0);
        if all || change != Change::Same {
            rows.push(DiffRow {
                group: group.clone(),
                topic: partition.topic.clone(),
                partition: partition.partition,
                change,
                before: was.map(|row| row.1),
                after: is.map(|row| row.1),
                delta,
            });
        }
    }
    DiffReport {
        kind: "diff".to_owned(),
        version: VERSION,
        before: DiffSide { captured_at: before.captured_at, source: before.source.clone() },
        after: DiffSide { captured_at: after.captured_at, source: after.source.clone() },
        changed: total.moved + total.added + total.removed + total.recreated > 0,
        rows,
        total,
        warnings,
    }
}

type Row = (Option<String>, DiffOffsets);

fn change(before: Option<&Row>, after: Option<&Row>) -> Change {
    if let (Some((Some(was), _)), Some((Some(is), _))) = (before, after)
        && was != is
    {
        return Change::Recreated;
    }
    let commit = |row: Option<&Row>| row.and_then(|row| row.1.current_offset);
    match (commit(before), commit(after)) {
        (Some(was), Some(is)) if was != is => Change::Moved,
        (None, Some(_)) => Change::Added,
        (Some(_), None) => Change::Removed,
        _ => Change::Same,
    }
}

fn delta(before: Option<DiffOffsets>, after: Option<DiffOffsets>) -> DiffDelta {
    let (Some(before), Some(after)) = (before, after) else { return DiffDelta::default() };
    let minus = |after: Option<i64>, before: Option<i64>| after?.checked_sub(before?);
    let signed = |lag: Option<u64>| lag.and_then(|lag| i64::try_from(lag).ok());
    DiffDelta {
        current_offset: minus(after.current_offset, before.current_offset),
        log_end_offset: minus(after.log_end_offset, before.log_end_offset),
        lag: minus(signed(after.lag), signed(before.lag)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{GroupState, GroupType};
    use crate::report::{GroupReport, GroupTotal, PartitionReport};
    use proptest::prelude::*;

    fn row(partition: i32, id: &str, current: Option<i64>, end: i64) -> PartitionReport {
        PartitionReport {
            topic: "orders".to_owned(),
            topic_id: Some(id.to_owned()),
            partition,
            current_offset: current,
            log_start_offset: Some(0),
            log_end_offset: Some(end),
            last_stable_offset: Some(end),
            lag: current.map(|current| end.abs_diff(current)),
            lost: current.map(|_| 0),
            time_lag_ms: None,
            oldest_unread_timestamp: None,
            leader_epoch: None,
            metadata: None,
            member_id: None,
            client_id: None,
            host: None,
            status: PartitionStatus::Ok,
            reason: None,
            consume_rate: None,
            produce_rate: None,
            caught_up_seconds: None,
        }
    }

    fn side(rows: Vec<PartitionReport>) -> Side {
        let group = GroupReport {
            group: "g".to_owned(),
            group_type: GroupType::Classic,
            state: GroupState::Empty,
            is_simple: false,
            assignor: None,
            coordinator: None,
            members: Vec::new(),
            total: GroupTotal::of(&rows),
            partitions: rows,
            error: None,
        };
        let report = DescribeReport {
            kind: "describe".to_owned(),
            version: VERSION,
            cluster_id: "c".to_owned(),
            captured_at: Timestamp(0),
            topics: None,
            groups: vec![group],
            warnings: Vec::new(),
            visibility: None,
        };
        Side::of_describe(&report, "live")
    }

    #[test]
    fn each_change_of_a_hand_worked_pair() {
        let before = side(vec![
            row(0, "a", Some(5), 10),
            row(1, "a", None, 10),
            row(2, "a", Some(3), 10),
            row(3, "a", Some(4), 10),
            row(4, "a", Some(4), 10),
        ]);
        let after = side(vec![
            row(0, "a", Some(2), 12),
            row(1, "a", Some(1), 10),
            row(2, "a", None, 10),
            row(3, "b", Some(4), 10),
            row(4, "a", Some(4), 30),
            row(5, "a", None, 3),
        ]);
        let report = diff(&before, &after, true);
        let changes: Vec<Change> = report.rows.iter().map(|row| row.change).collect();
        use Change::{Added, Moved, Recreated, Removed, Same};
        assert_eq!(changes, [Moved, Added, Removed, Recreated, Same, Same]);
        assert_eq!(report.rows[0].delta, DiffDelta { current_offset: Some(-3), log_end_offset: Some(2), lag: Some(5) });
        assert!(report.changed);
        assert_eq!(diff(&before, &after, false).rows.len(), 4);
    }

    #[test]
    fn a_topic_that_merely_grew_is_no_change() {
        let before = side(vec![row(0, "a", Some(5), 10)]);
        let after = side(vec![row(0, "a", Some(5), 500), row(1, "a", None, 3)]);
        let report = diff(&before, &after, false);
        assert!(!report.changed && report.rows.is_empty());
        assert_eq!(report.total.lag_delta, 490);
    }

    #[test]
    fn what_one_side_did_not_look_at_is_no_change() {
        let mut before = side(vec![row(0, "a", Some(5), 10)]);
        before.topics = Some(BTreeMap::from([("payments".to_owned(), PartitionSet::All)]));
        assert!(!diff(&before, &side(vec![row(0, "a", Some(6), 10)]), true).changed);
        before.topics = Some(BTreeMap::from([("orders".to_owned(), PartitionSet::Only(BTreeSet::from([0])))]));
        let after = side(vec![row(0, "a", Some(5), 10), row(1, "a", Some(6), 10)]);
        assert!(!diff(&before, &after, true).changed);
    }

    #[test]
    fn a_row_that_one_side_could_not_see_is_said_rather_than_called_removed() {
        let before = side(vec![row(0, "a", Some(5), 10), row(1, "a", Some(5), 10)]);
        let mut blind = row(0, "a", None, 0);
        blind.status = PartitionStatus::NoLeader;
        let report = diff(&before, &side(vec![blind, row(1, "a", Some(5), 10)]), true);
        assert!(!report.changed);
        assert_eq!(report.rows.len(), 1);
        assert_eq!(report.warnings[0].code, "not-compared");
    }

    proptest! {
        #[test]
        fn a_look_does_not_differ_from_itself(rows in proptest::collection::vec((proptest::option::of(0i64..50), 0i64..50), 0..20)) {
            let rows = rows.iter().enumerate().map(|(index, &(current, end))| row(index as i32, "a", current, end)).collect();
            let side = side(rows);
            let report = diff(&side, &side, false);
            prop_assert!(!report.changed && report.rows.is_empty());
            prop_assert_eq!(report.total.lag_delta, 0);
        }
    }
}
