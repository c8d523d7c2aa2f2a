use super::Warning;
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};

/// What changed between two looks at groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffReport {
    /// `diff`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The first look.
    pub before: DiffSide,
    /// The second look.
    pub after: DiffSide,
    /// Whether a commit moved, came, went, or its topic was made anew. A topic that merely grew is no change.
    pub changed: bool,
    /// The rows, by group, topic and partition; those that are the same only where they were asked for.
    pub rows: Vec<DiffRow>,
    /// Sums over all rows, also those not shown.
    pub total: DiffTotal,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// Where one side comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffSide {
    /// When it was captured.
    pub captured_at: Timestamp,
    /// A file's path, or `live`.
    pub source: String,
}

/// One partition of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffRow {
    /// The group's id.
    pub group: String,
    /// The topic's name.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// What changed.
    pub change: Change,
    /// The row before; `null` where there was none.
    pub before: Option<DiffOffsets>,
    /// The row after; `null` where there is none.
    pub after: Option<DiffOffsets>,
    /// Differences, where both sides tell.
    pub delta: DiffDelta,
}

/// What changed in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The commit moved.
    Moved,
    /// There was no commit, and now there is.
    Added,
    /// There was a commit, and now there is none.
    Removed,
    /// The topic was made anew: its offsets mean other records now.
    Recreated,
    /// The commit is where it was.
    Same,
}

impl Change {
    /// The change's text.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::Moved => "moved",
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Recreated => "recreated",
            Change::Same => "same",
        }
    }
}

/// One side of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffOffsets {
    /// The commit.
    pub current_offset: Option<i64>,
    /// The oldest offset that is kept.
    pub log_start_offset: Option<i64>,
    /// The high watermark.
    pub log_end_offset: Option<i64>,
    /// Offsets still to read.
    pub lag: Option<u64>,
}

/// After minus before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffDelta {
    /// Of the commit.
    pub current_offset: Option<i64>,
    /// Of the high watermark.
    pub log_end_offset: Option<i64>,
    /// Of the lag.
    pub lag: Option<i64>,
}

/// How many rows changed how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffTotal {
    /// Commits that moved.
    pub moved: usize,
    /// Commits that came.
    pub added: usize,
    /// Commits that went.
    pub removed: usize,
    /// Rows of topics made anew.
    pub recreated: usize,
    /// Rows that are the same.
    pub same: usize,
    /// The sum of the differences in lag that are known.
    pub lag_delta: i64,
}
