use super::GroupOutcome;
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};

/// The writes that the journal keeps, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryReport {
    /// `history`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The writes.
    pub entries: Vec<HistoryEntry>,
}

/// One write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Its id.
    pub id: String,
    /// When it began.
    pub when: Timestamp,
    /// The operating system's user.
    pub user: Option<String>,
    /// The command line, secrets removed.
    pub command: String,
    /// The cluster.
    pub cluster_id: String,
    /// The groups.
    pub groups: Vec<String>,
    /// What became of it; `null`: its end is not known.
    pub outcome: Option<GroupOutcome>,
    /// The write that this one takes back.
    pub undoes: Option<String>,
    /// The write that took this one back, all of its groups.
    pub undone_by: Option<String>,
}
