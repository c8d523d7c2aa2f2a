use super::Warning;
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowReport {
    /// `offsets`: bounds are offsets, looked up once; records within are not filtered by their timestamps. `timestamps`: exactly
    /// the records whose own timestamp lies within, out of a range of offsets that reaches farther.
    pub mode: String,
    /// The start.
    pub from: WindowSide,
    /// The end; `null` is the high watermark when the run began.
    pub to: Option<WindowSide>,
    /// How far past the end records of the window were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding_ms: Option<i64>,
    /// Whether no record of the window can lie outside the range that was looked up; `false`: one may, behind a record that
    /// is later than the end by the padding or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
}

impl WindowReport {
    /// The mode in which bounds are offsets.
    pub const OFFSETS: &'static str = "offsets";
    /// The mode in which bounds are timestamps.
    pub const TIMESTAMPS: &'static str = "timestamps";
}

/// One side of a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WindowSide {
    /// The first record at or after this moment.
    Time {
        /// Milliseconds since the epoch.
        timestamp_ms: i64,
        /// The same as text.
        timestamp: Timestamp,
    },
    /// This offset, in each partition.
    Offset {
        /// The offset.
        offset: i64,
    },
    /// `earliest` or `latest`.
    Position {
        /// The word.
        position: String,
    },
    /// Where this group's commits stand.
    Group {
        /// The group.
        group: String,
    },
    /// So many offsets before the end.
    Last {
        /// How many.
        last: i64,
    },
    /// As this file says, partition by partition.
    File {
        /// The file's name.
        file: String,
    },
}

/// Windows that were resolved and not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowsReport {
    /// `window`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The cluster's id.
    pub cluster_id: String,
    /// When the ends were captured.
    pub captured_at: Timestamp,
    /// What was asked for.
    pub window: WindowReport,
    /// The partitions, by topic and number.
    pub partitions: Vec<WindowPartition>,
    /// Sums.
    pub total: WindowTotal,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// One partition's window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowPartition {
    /// The topic's name.
    pub topic: String,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The partition.
    pub partition: i32,
    /// The window's first offset.
    pub start_offset: i64,
    /// The window's end, exclusive.
    pub end_offset: i64,
    /// Offsets in it; records may be fewer.
    pub offsets: u64,
    /// The timestamp of the window's first record, where a lookup told it.
    pub first_timestamp: Option<Timestamp>,
    /// The log start.
    pub log_start_offset: i64,
    /// The high watermark when the window was captured.
    pub high_watermark: i64,
    /// The last stable offset then.
    pub last_stable_offset: i64,
    /// The topic's `retention.ms`, -1 without a limit; `null` where nothing is deleted by age, or the broker did not tell.
    pub retention_ms: Option<i64>,
    /// Offsets between the log start and the window.
    pub margin_offsets: u64,
    /// Until when the window's records are kept by the topic's settings; `null` where those promise nothing.
    pub kept_at_least_until: Option<Timestamp>,
    /// What is worth saying: why the window is empty, or what was clamped.
    pub reason: Option<String>,
}

/// Sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowTotal {
    /// Partitions.
    pub partitions: usize,
    /// Offsets in their windows.
    pub offsets: u64,
}
