use super::{Warning, WindowReport};
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};

/// What a replay read, partition by partition: each offset of the window is accounted for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayReport {
    /// `replay`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// What became of the run.
    pub outcome: ReplayOutcome,
    /// The cluster's id.
    pub cluster_id: String,
    /// When the ends were captured.
    pub captured_at: Timestamp,
    /// `read_committed` or `read_uncommitted`.
    pub isolation_level: String,
    /// What was asked for.
    pub window: WindowReport,
    /// The partitions, by topic and number.
    pub partitions: Vec<ReplayPartition>,
    /// Sums.
    pub total: ReplayTotal,
    /// Where the records went.
    pub sink: SinkReport,
    /// How to go on; `null` where a run can't be resumed.
    pub resume: Option<serde_json::Value>,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayOutcome {
    /// Nothing was begun: a dry run.
    Planned,
    /// Every partition was read to its window's end.
    Complete,
    /// It ended at the number of records that was asked for.
    Limited,
    /// There was nothing in any window.
    NothingToReplay,
    /// Ctrl-C.
    Interrupted,
    /// Something of the window is missing or not to be trusted.
    Incomplete,
}

impl ReplayOutcome {
    /// The outcome's text.
    pub fn as_str(self) -> &'static str {
        match self {
            ReplayOutcome::Planned => "planned",
            ReplayOutcome::Complete => "complete",
            ReplayOutcome::Limited => "limited",
            ReplayOutcome::NothingToReplay => "nothing-to-replay",
            ReplayOutcome::Interrupted => "interrupted",
            ReplayOutcome::Incomplete => "incomplete",
        }
    }

    /// Whether the result is what was asked for.
    pub fn is_whole(self) -> bool {
        matches!(self, ReplayOutcome::Complete | ReplayOutcome::Limited | ReplayOutcome::NothingToReplay)
    }
}

/// Why a partition's reading ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// A dry run.
    NotBegun,
    /// The position reached the window's end.
    EndReached,
    /// The window is empty.
    NothingToReplay,
    /// The number of records that was asked for.
    Limit,
    /// An open transaction held the rest back; no end was named, so the run is complete up to there.
    HeldBack,
    /// Ctrl-C.
    Interrupted,
    /// An open transaction held the rest back, though an end was named.
    OpenTransaction,
    /// The log is shorter than it was.
    Truncated,
    /// The topic was deleted and made anew.
    Recreated,
    /// Records were deleted before they were read.
    Retention,
    /// The reader of standard output left.
    SinkClosed,
    /// Anything else; the reason says what.
    Error,
}

impl Ended {
    /// The text of it.
    pub fn as_str(self) -> &'static str {
        match self {
            Ended::NotBegun => "not-begun",
            Ended::EndReached => "end-reached",
            Ended::NothingToReplay => "nothing-to-replay",
            Ended::Limit => "limit",
            Ended::HeldBack => "held-back",
            Ended::Interrupted => "interrupted",
            Ended::OpenTransaction => "open-transaction",
            Ended::Truncated => "truncated",
            Ended::Recreated => "recreated",
            Ended::Retention => "retention",
            Ended::SinkClosed => "sink-closed",
            Ended::Error => "error",
        }
    }

    /// Whether the partition's part of the result is what was asked for.
    pub fn is_whole(self) -> bool {
        matches!(self, Ended::EndReached | Ended::NothingToReplay | Ended::Limit | Ended::HeldBack)
    }
}

/// One partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayPartition {
    /// The topic's name.
    pub topic: String,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The partition.
    pub partition: i32,
    /// The window's first offset.
    pub start_offset: i64,
    /// The window's end, exclusive; with `held-back` the place that was reached.
    pub end_offset: i64,
    /// The next offset that would be read.
    pub next_offset: i64,
    /// The high watermark when the window was captured.
    pub high_watermark: i64,
    /// Offsets that an open transaction held back.
    pub held_back: u64,
    /// Records that the sink took.
    pub records: u64,
    /// Records that a filter left out.
    pub filtered: u64,
    /// Records whose timestamp lies outside the window.
    pub outside_window: u64,
    /// Offsets that held no record for this reader: compacted, transaction markers, aborted.
    pub gaps: u64,
    /// Bytes of keys and values that the sink took.
    pub bytes: u64,
    /// Why reading ended.
    pub ended: Ended,
    /// In words.
    pub reason: Option<String>,
}

/// Sums.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReplayTotal {
    /// Records that the sink took.
    pub records: u64,
    /// Records that a filter left out.
    pub filtered: u64,
    /// Bytes of keys and values that the sink took.
    pub bytes: u64,
    /// From the first fetch to the last record.
    pub seconds: f64,
    /// Records a second.
    pub records_per_second: f64,
}

/// Where the records went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinkReport {
    /// The kind of sink: `jsonl`.
    pub into: String,
    /// The file; `-` is standard output.
    pub target: String,
    /// The file that holds what was read where the run is not whole, beside a target that does not exist.
    pub partial: Option<String>,
    /// Records that reached the target.
    pub written: u64,
    /// Records that were there already.
    pub duplicates: u64,
}
