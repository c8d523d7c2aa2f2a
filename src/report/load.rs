use super::{Ended, ReplayOutcome, ReplayTotal, SinkReport, VERSION, Warning};
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};

/// What a load produced again: a replay's report, whose source is a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadReport {
    /// `load`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// What became of the run.
    pub outcome: ReplayOutcome,
    /// The id of the cluster that the records went to.
    pub cluster_id: String,
    /// When the file was looked at.
    pub captured_at: Timestamp,
    /// `null`: a file does not tell it.
    pub isolation_level: Option<String>,
    /// The file.
    pub window: LoadWindow,
    /// The partitions that the records come from, by topic and number.
    pub partitions: Vec<LoadPartition>,
    /// Sums.
    pub total: ReplayTotal,
    /// Where the records went.
    pub sink: SinkReport,
    /// `null`: a load begins anew.
    pub resume: Option<serde_json::Value>,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// The file that is loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadWindow {
    /// `file`.
    pub mode: String,
    /// Its path.
    pub file: String,
    /// Records in it.
    pub records: u64,
    /// Records whose value or key stands there as JSON, so that its bytes are not sure to be the same.
    pub json: u64,
}

/// The records of one partition of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadPartition {
    /// The topic that they come from.
    pub topic: String,
    /// `null`: a file does not tell it.
    pub topic_id: Option<String>,
    /// The partition that they come from.
    pub partition: i32,
    /// The lowest offset in the file.
    pub start_offset: i64,
    /// After the highest offset in the file.
    pub end_offset: i64,
    /// `null`: a file does not tell it.
    pub high_watermark: Option<i64>,
    /// Records that the sink took.
    pub records: u64,
    /// Offsets between the lowest and the highest that the file has no record of.
    pub gaps: u64,
    /// Bytes of keys and values that the sink took.
    pub bytes: u64,
    /// Why it ended.
    pub ended: Ended,
    /// In words.
    pub reason: Option<String>,
}

impl LoadReport {
    /// The report's kind and version.
    pub fn head() -> (String, u32) {
        ("load".to_owned(), VERSION)
    }
}
