use super::WindowReport;
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How far a replay has got: what a run that was killed goes on from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// `checkpoint`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// Whether the result was published: there is nothing to go on with.
    pub complete: bool,
    /// What was asked for, by the names of the arguments, as it was typed: another request has another checkpoint.
    pub asked: BTreeMap<String, Vec<String>>,
    /// The cluster's id.
    pub cluster_id: String,
    /// When the ends were captured.
    pub captured_at: Timestamp,
    /// What the window resolved to then; it is not resolved anew.
    pub window: WindowReport,
    /// Where the sink goes on.
    pub sink: CheckpointSink,
    /// The partitions, by topic and number.
    pub partitions: Vec<CheckpointPartition>,
}

/// The sink's place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointSink {
    /// The kind of sink.
    pub into: String,
    /// The target.
    pub target: String,
    /// What the sink needs to go on; nothing before it was asked the first time.
    pub place: Option<serde_json::Value>,
}

/// How far one partition has got: everything before `next_offset` is in the sink, and counted here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointPartition {
    /// The topic's name.
    pub topic: String,
    /// The topic's id: another one is another topic.
    pub topic_id: Option<String>,
    /// The partition.
    pub partition: i32,
    /// The window's first offset.
    pub start_offset: i64,
    /// The window's end, exclusive.
    pub end_offset: i64,
    /// The next offset to read.
    pub next_offset: i64,
    /// The high watermark when the window was captured.
    pub high_watermark: i64,
    /// What is in the sink, what was left out, and what held no record, before `next_offset`.
    pub counts: Counts,
    /// Why the window is empty, or what was clamped.
    pub reason: Option<String>,
}

/// What became of the offsets that were passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Records that the sink took.
    pub records: u64,
    /// Records that a filter left out.
    pub filtered: u64,
    /// Records that were left out by their timestamps.
    pub left_out: u64,
    /// Records whose timestamps contradict the window, beside the others.
    pub contradicting: u64,
    /// Offsets without a record.
    pub gaps: u64,
    /// Bytes of keys and values that the sink took.
    pub bytes: u64,
}

impl Checkpoint {
    /// Whether every partition was read to its window's end.
    pub fn is_read(&self) -> bool {
        self.partitions.iter().all(|partition| partition.next_offset >= partition.end_offset)
    }
}
