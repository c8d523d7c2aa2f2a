use super::Warning;
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};

/// What a replay read, and where every offset of its window is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayReport {
    /// `replay`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// How it ended.
    pub outcome: ReplayOutcome,
    /// The cluster's id.
    pub cluster_id: String,
    /// When the window's ends were captured.
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
    /// How to go on; `null` where there is no way.
    pub resume: Option<Resume>,
    /// What a person should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// How a replay ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplayOutcome {
    /// Every offset of the window is accounted for.
    Complete,
    /// A limit that was asked for ended it.
    Limited,
    /// The window holds no offsets.
    NothingToReplay,
    /// Ctrl-C.
    Interrupted,
    /// Something of the window is missing.
    Incomplete,
}

impl ReplayOutcome {
    /// The outcome's text.
    pub fn as_str(self) -> &'static str {
        match self {
            ReplayOutcome::Complete => "complete",
            ReplayOutcome::Limited => "limited",
            ReplayOutcome::NothingToReplay => "nothing-to-replay",
            ReplayOutcome::Interrupted => "interrupted",
            ReplayOutcome::Incomplete => "incomplete",
        }
    }
}

/// The window that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowReport {
    /// `offsets`: contiguous offsets, found by time lookup where a time was given.
    pub mode: String,
    /// Where it begins.
    pub from: Bound,
    /// Where it ends, exclusive; `null`: the high watermark at the start.
    pub to: Option<Bound>,
}

/// One end of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Bound {
    /// The first record at or after this moment.
    Time {
        /// Milliseconds since the epoch.
        timestamp_ms: i64,
    },
    /// This offset.
    Offset {
        /// The offset.
        offset: i64,
    },
    /// `earliest` or `latest`.
    Named(String),
}

/// How a partition ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The position reached the end.
    EndReached,
    /// The window holds no offsets there.
    NothingToReplay,
    /// A limit that was asked for.
    Limit,
    /// An open transaction holds the rest back; without an explicit end the window is complete up to there.
    HeldBack,
    /// Ctrl-C.
    Interrupted,
    /// An open transaction lies before the explicit end.
    OpenTransaction,
    /// The log ends before the window does.
    Truncated,
    /// The topic was made anew.
    Recreated,
    /// Retention passed the reader.
    Retention,
    /// The reader of the sink left.
    SinkClosed,
    /// Anything else.
    Error,
}

impl Ended {
    /// The end's text.
    pub fn as_str(self) -> &'static str {
        match self {
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

    /// Whether what the window holds of the partition was read.
    pub fn is_whole(self) -> bool {
        matches!(self, Ended::EndReached | Ended::NothingToReplay | Ended::HeldBack)
    }
}

/// One partition of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayPartition {
    /// The topic's name.
    pub topic: String,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The partition.
    pub partition: i32,
    /// Where the window begins.
    pub start_offset: i64,
    /// Where it ends, exclusive.
    pub end_offset: i64,
    /// The position: everything before it is accounted for.
    pub next_offset: i64,
    /// The high watermark when the window was captured.
    pub high_watermark: i64,
    /// Offsets up to the high watermark that an open transaction holds back.
    pub held_back: u64,
    /// Records that the sink took.
    pub records: u64,
    /// Records that were left out because a filter said so.
    pub filtered: u64,
    /// Records whose own timestamp lies outside a window by time. They are written all the same.
    pub outside_window: u64,
    /// Offsets that held no record: compacted, markers, aborted.
    pub gaps: u64,
    /// Bytes of keys and values that the sink took.
    pub bytes: u64,
    /// How it ended.
    pub ended: Ended,
    /// Why.
    pub reason: Option<String>,
}

/// Sums over partitions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplayTotal {
    /// Records that the sink took.
    pub records: u64,
    /// Records left out by a filter.
    pub filtered: u64,
    /// Bytes of keys and values.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// Records a second.
    pub records_per_second: f64,
}

/// Where the records went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SinkReport {
    /// The kind of sink.
    pub into: String,
    /// Its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where what was read lies, when it is not whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Records that it took.
    pub written: u64,
    /// Records that it had already.
    pub duplicates: u64,
}

/// How to go on with a replay that ended early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The checkpoint file.
    pub checkpoint: String,
    /// The command line.
    pub command: String,
}
