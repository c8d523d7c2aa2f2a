use super::Warning;
use crate::model::{GroupState, GroupType, Member, Timestamp};
use serde::{Deserialize, Serialize};

/// A planned or applied move of commits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResetReport {
    /// `reset`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The subcommand that made it.
    pub command: String,
    /// What became of it, over all groups.
    pub outcome: GroupOutcome,
    /// The cluster's id.
    pub cluster_id: String,
    /// When the plan was computed.
    pub computed_at: Timestamp,
    /// When it was written.
    pub applied_at: Option<Timestamp>,
    /// What was asked for.
    pub target: TargetReport,
    /// The groups, by name.
    pub groups: Vec<GroupPlan>,
    /// Sums over all groups.
    pub total: ResetTotal,
    /// What a person should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "kebab-case")]
pub enum TargetReport {
    /// The log start offset.
    Earliest,
    /// The high watermark.
    Latest,
    /// This offset.
    Offset {
        /// The offset.
        offset: i64,
    },
    /// This many offsets on, or back.
    ShiftBy {
        /// How many; negative: back.
        by: i64,
    },
    /// Where each commit stands.
    Current,
    /// Where another group stands.
    Group {
        /// Its id.
        group: String,
    },
    /// What each row of a file says.
    File {
        /// The file's name.
        file: String,
    },
    /// Back to what a write replaced.
    Undo {
        /// The write's id.
        id: String,
    },
    /// Nowhere: commits are removed.
    Removed,
    /// The first record at or after this moment.
    Timestamp {
        /// Milliseconds since the epoch.
        timestamp_ms: i64,
        /// The same as text.
        timestamp: Timestamp,
    },
}

/// What became of a group's plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupOutcome {
    /// A dry run: nothing was written.
    Planned,
    /// Every row that moves was written and reads back.
    Applied,
    /// Some rows were written, others not, or read back otherwise.
    Partial,
    /// Refused before anything was written.
    Refused,
    /// No row was written.
    Failed,
    /// An earlier group stopped the run.
    NotBegun,
    /// Every commit is where it was asked to be.
    NothingToDo,
    /// The write's end was not seen.
    Unknown,
}

impl GroupOutcome {
    /// What became of a write of several groups.
    pub fn of(groups: impl IntoIterator<Item = GroupOutcome>) -> Self {
        use GroupOutcome::{Applied, Failed, NotBegun, NothingToDo, Partial, Planned, Refused, Unknown};
        let all: Vec<GroupOutcome> = groups.into_iter().filter(|outcome| *outcome != NothingToDo).collect();
        let any = |wanted: GroupOutcome| all.contains(&wanted);
        match all.first() {
            None => NothingToDo,
            Some(first) if all.iter().all(|outcome| outcome == first) => *first,
            _ if any(Unknown) => Unknown,
            _ if any(Applied) || any(Partial) => Partial,
            _ if any(Failed) => Failed,
            _ if any(Refused) => Refused,
            _ if any(Planned) => Planned,
            _ => NotBegun,
        }
    }

    /// The outcome's text.
    pub fn as_str(self) -> &'static str {
        match self {
            GroupOutcome::Planned => "planned",
            GroupOutcome::Applied => "applied",
            GroupOutcome::Partial => "partial",
            GroupOutcome::Refused => "refused",
            GroupOutcome::Failed => "failed",
            GroupOutcome::NotBegun => "not-begun",
            GroupOutcome::NothingToDo => "nothing-to-do",
            GroupOutcome::Unknown => "unknown",
        }
    }
}

/// Why a write was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The stable code.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// The members that keep the group active.
    #[serde(default)]
    pub members: Vec<Member>,
}

/// One group's plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupPlan {
    /// The group's id.
    pub group: String,
    /// Its type.
    #[serde(rename = "type")]
    pub group_type: GroupType,
    /// What became of it.
    pub outcome: GroupOutcome,
    /// Why it was refused.
    pub refusal: Option<Refusal>,
    /// Why it would be refused now (dry run).
    pub would_refuse: Option<Refusal>,
    /// What must hold when it is written.
    pub preconditions: Preconditions,
    /// The rows, by topic and partition.
    pub rows: Vec<ResetRow>,
    /// Sums.
    pub total: ResetTotal,
    /// What `undo` needs.
    pub undo: Option<UndoReference>,
    /// What went wrong with the group as a whole, where it was to be deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What was so when the plan was made, and must be so when it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preconditions {
    /// The group's state.
    pub state: GroupState,
    /// How many members it has.
    pub members: usize,
}

/// Where the replaced commits are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoReference {
    /// The write's id.
    pub id: String,
    /// The journal file.
    pub journal: String,
}

/// What happens to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A commit is written.
    Move,
    /// The commit is there already.
    Keep,
    /// Left as it is, for a reason.
    Skip,
    /// The commit is removed.
    Remove,
}

impl Action {
    /// The action's text.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Move => "move",
            Action::Keep => "keep",
            Action::Skip => "skip",
            Action::Remove => "remove",
        }
    }
}

/// What became of a row that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowOutcome {
    /// Written, and reads back.
    Applied,
    /// The broker refused it.
    Failed,
    /// Written, yet it reads back otherwise though the group has no members.
    Drifted,
    /// Written, then members came and committed.
    TakenOver,
    /// The write's end was not seen.
    Unknown,
}

impl RowOutcome {
    /// The outcome's text.
    pub fn as_str(self) -> &'static str {
        match self {
            RowOutcome::Applied => "applied",
            RowOutcome::Failed => "failed",
            RowOutcome::Drifted => "drifted",
            RowOutcome::TakenOver => "taken-over",
            RowOutcome::Unknown => "unknown",
        }
    }
}

/// One partition of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResetRow {
    /// The topic's name.
    pub topic: String,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The partition.
    pub partition: i32,
    /// The commit before; `null` without one.
    pub current_offset: Option<i64>,
    /// The metadata of the commit before.
    pub current_metadata: Option<String>,
    /// The offset that the target resolved to, before any policy.
    pub requested: Option<i64>,
    /// The offset that the group will stand at.
    pub new_offset: Option<i64>,
    /// The timestamp of the first record that comes next, where the lookup gave it.
    pub new_timestamp: Option<Timestamp>,
    /// The oldest offset that is kept.
    pub log_start_offset: Option<i64>,
    /// The high watermark.
    pub log_end_offset: Option<i64>,
    /// Where the oldest open transaction starts, else the high watermark.
    pub last_stable_offset: Option<i64>,
    /// Lag at the commit before.
    pub lag_before: Option<u64>,
    /// Lag at the new commit.
    pub lag_after: Option<u64>,
    /// Offsets delivered again; `null` without a commit before.
    pub rereads: Option<u64>,
    /// Offsets never delivered; `null` without a commit before.
    pub skips: Option<u64>,
    /// What happens.
    pub action: Action,
    /// Why, and what a policy did.
    pub reason: Option<String>,
    /// What became of it; `null` before a write.
    pub outcome: Option<RowOutcome>,
    /// The commit that stands after the write.
    pub read_back: Option<i64>,
    /// What the broker said.
    pub error: Option<String>,
    /// The metadata that goes with the new commit, where it is not that of the commit before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_metadata: Option<String>,
}

/// Sums over rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResetTotal {
    /// Rows that move.
    pub moved: usize,
    /// Rows that are there already.
    pub kept: usize,
    /// Rows left as they are.
    pub skipped: usize,
    /// Rows that the broker refused, or that read back otherwise.
    pub failed: usize,
    /// Offsets delivered again.
    pub rereads: u64,
    /// Offsets never delivered.
    pub skips: u64,
    /// Moving rows without a commit before, whose rereads and skips are not known.
    pub unknown: usize,
}

impl ResetTotal {
    /// The sums of these rows.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a ResetRow>) -> Self {
        let mut total = ResetTotal::default();
        for row in rows {
            match row.action {
                Action::Move | Action::Remove => {
                    total.moved += 1;
                    total.rereads += row.rereads.unwrap_or(0);
                    total.skips += row.skips.unwrap_or(0);
                    total.unknown += usize::from(row.rereads.is_none());
                }
                Action::Keep => total.kept += 1,
                Action::Skip => total.skipped += 1,
            }
            total.failed += usize::from(row.outcome.is_some_and(|outcome| outcome != RowOutcome::Applied));
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::option::of;
    use proptest::prelude::*;

    fn moment() -> impl Strategy<Value = Timestamp> {
        (0i64..4_102_444_800_000).prop_map(Timestamp)
    }

    /// Names and words with what JSON has to escape.
    fn words() -> impl Strategy<Value = String> {
        "[a-z \"\\\\\n\t\u{0}\u{202e}é注🛒,]{0,12}"
    }

    fn row() -> impl Strategy<Value = ResetRow> {
        let action = prop_oneof![Just(Action::Move), Just(Action::Keep), Just(Action::Skip), Just(Action::Remove)];
        let outcome = prop_oneof![
            Just(RowOutcome::Applied),
            Just(RowOutcome::Failed),
            Just(RowOutcome::Drifted),
            Just(RowOutcome::TakenOver),
            Just(RowOutcome::Unknown)
        ];
        let place = (words(), of(words()), 0..i32::MAX, of(words()), of(words()), of(words()));
        let offsets = proptest::array::uniform7(of(0..i64::MAX));
        let counts = proptest::array::uniform4(of(0..u64::MAX));
        (place, offsets, counts, of(moment()), action, of(outcome)).prop_map(
            |(place, offsets, counts, new_timestamp, action, outcome)| ResetRow {
                topic: place.0,
                topic_id: place.1,
                partition: place.2,
                current_offset: offsets[0],
                current_metadata: place.3,
                requested: offsets[1],
                new_offset: offsets[2],
                new_timestamp,
                log_start_offset: offsets[3],
                log_end_offset: offsets[4],
                last_stable_offset: offsets[5],
                lag_before: counts[0],
                lag_after: counts[1],
                rereads: counts[2],
                skips: counts[3],
                new_metadata: place.4.clone(),
                action,
                reason: place.4,
                outcome,
                read_back: offsets[6],
                error: place.5,
            },
        )
    }

    fn refusal() -> impl Strategy<Value = Refusal> {
        let assignment = (words(), proptest::collection::vec(0..9i32, 0..3))
            .prop_map(|(topic, partitions)| crate::model::Assignment { topic, partitions });
        let member = (words(), of(words()), words(), words(), proptest::collection::vec(assignment, 0..2)).prop_map(
            |(member_id, instance_id, client_id, host, assignment)| Member {
                member_id,
                instance_id,
                client_id,
                host,
                assignment,
            },
        );
        (words(), words(), proptest::collection::vec(member, 0..3)).prop_map(|(code, message, members)| Refusal {
            code,
            message,
            members,
        })
    }

    fn outcome() -> impl Strategy<Value = GroupOutcome> {
        prop_oneof![
            Just(GroupOutcome::Planned),
            Just(GroupOutcome::Applied),
            Just(GroupOutcome::Partial),
            Just(GroupOutcome::Refused),
            Just(GroupOutcome::Failed),
            Just(GroupOutcome::NotBegun),
            Just(GroupOutcome::NothingToDo),
            Just(GroupOutcome::Unknown)
        ]
    }

    fn group() -> impl Strategy<Value = GroupPlan> {
        let undo = (words(), words()).prop_map(|(id, journal)| UndoReference { id, journal });
        // Sums of numbers near the largest would not fit.
        let rows = proptest::collection::vec(row(), 0..3).prop_map(|mut rows| {
            for row in &mut rows {
                row.rereads = row.rereads.map(|count| count >> 8);
                row.skips = row.skips.map(|count| count >> 8);
            }
            rows
        });
        (words(), outcome(), of(refusal()), of(refusal()), rows, of(undo), of(words())).prop_map(
            |(group, outcome, refusal, would_refuse, rows, undo, error)| GroupPlan {
                group,
                group_type: GroupType::Consumer,
                outcome,
                refusal,
                would_refuse,
                preconditions: Preconditions { state: GroupState::Empty, members: rows.len() },
                total: ResetTotal::of(&rows),
                rows,
                undo,
                error,
            },
        )
    }

    fn report() -> impl Strategy<Value = ResetReport> {
        let target = prop_oneof![
            Just(TargetReport::Earliest),
            Just(TargetReport::Latest),
            (0..i64::MAX).prop_map(|offset| TargetReport::Offset { offset }),
            moment().prop_map(|moment| TargetReport::Timestamp { timestamp_ms: moment.as_millis(), timestamp: moment }),
        ];
        let groups = proptest::collection::vec(group(), 0..3);
        let warnings = proptest::collection::vec((words(), words(), words()), 0..2).prop_map(|warnings| {
            warnings
                .into_iter()
                .map(|(code, group, message)| Warning::of_group(&code, &group, message).topic("t").partition(3))
                .collect()
        });
        (words(), outcome(), moment(), of(moment()), target, groups, warnings).prop_map(
            |(cluster_id, outcome, computed_at, applied_at, target, groups, warnings)| ResetReport {
                kind: "reset".to_owned(),
                version: crate::report::VERSION,
                command: "reset".to_owned(),
                outcome,
                cluster_id,
                computed_at,
                applied_at,
                target,
                total: ResetTotal::of(groups.iter().flat_map(|group| &group.rows)),
                groups,
                warnings,
            },
        )
    }

    proptest! {
        /// A saved plan is this JSON: what was planned is what is applied.
        #[test]
        fn a_report_is_read_back_as_it_was_written(report in report()) {
            let text = serde_json::to_string_pretty(&report).unwrap();
            let back: ResetReport = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&back, &report);
            prop_assert_eq!(serde_json::to_string_pretty(&back).unwrap(), text);
        }
    }
}
