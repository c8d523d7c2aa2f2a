use super::Warning;
use crate::model::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

/// The records around each commit of a group.
#[derive(Debug, Clone, Serialize)]
pub struct PeekReport {
    /// `peek`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The cluster's id.
    pub cluster_id: String,
    /// When the commits were read.
    pub captured_at: Timestamp,
    /// The partitions, by topic and number.
    pub partitions: Vec<PeekPartition>,
    /// What a person should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// The records around one commit.
#[derive(Debug, Clone, Serialize)]
pub struct PeekPartition {
    /// The group's id.
    pub group: String,
    /// The topic's name.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The commit: the next offset that the group reads; `null` without one.
    pub current_offset: Option<i64>,
    /// Records that the group has passed, the nearest last.
    pub before: Vec<PeekRecord>,
    /// Records that come next.
    pub after: Vec<PeekRecord>,
    /// Why there are fewer than were asked for, or none.
    pub reason: Option<String>,
}

/// A record as replay writes it, and what a table shows of it.
#[derive(Debug, Clone)]
pub struct PeekRecord {
    /// The line.
    pub line: Box<RawValue>,
    /// The offset.
    pub offset: i64,
    /// The timestamp, where it has one.
    pub timestamp: Option<Timestamp>,
    /// The key, as text; `None` is null.
    pub key: Option<String>,
    /// The value, as text; `None` is null.
    pub value: Option<String>,
}

impl Serialize for PeekRecord {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.line.serialize(serializer)
    }
}
