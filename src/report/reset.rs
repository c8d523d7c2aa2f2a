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
