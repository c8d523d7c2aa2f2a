use super::RowOutcome;
use super::reset::GroupOutcome;
use crate::model::Timestamp;
use serde::{Deserialize, Serialize};

/// One write as the journal keeps it: begun before anything is sent, ended after it was read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// `journal`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The write's id.
    pub id: String,
    /// `begun`, or what became of the write.
    pub state: JournalState,
    /// When it began.
    pub begun_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The operating system's user.
    pub user: Option<String>,
    /// The command line, secrets removed.
    pub command: String,
    /// The cluster's id.
    pub cluster_id: String,
    /// Where the cluster was reached.
    pub bootstrap_servers: String,
    /// The write that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The groups that are written.
    pub groups: Vec<JournalGroup>,
}

/// How far a write got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JournalState {
    /// It was about to be sent. Where this stays, its end is not known.
    Begun,
    /// Its end was seen; the groups tell it.
    Ended,
}

/// One group of a write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalGroup {
    /// The group's id.
    pub group: String,
    /// What became of it.
    pub outcome: Option<GroupOutcome>,
    /// The write that took this one back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// Whether nothing of the write is left to take back, though no write of the journal did it: an undo found everything as it
    /// was, or went without a journal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
    /// Whether the whole group is deleted.
    #[serde(default)]
    pub deleted: bool,
    /// The commits that are replaced.
    pub rows: Vec<JournalRow>,
}

impl JournalGroup {
    /// Whether the write may have changed something of the group: one that was not begun, or failed as a whole, did not.
    pub fn may_have_changed(&self) -> bool {
        !matches!(self.outcome, Some(GroupOutcome::NotBegun | GroupOutcome::Failed))
    }

    /// Whether something may be left to take back.
    pub fn is_open(&self) -> bool {
        self.may_have_changed() && self.undone_by.is_none() && !self.settled
    }
}

/// One commit that is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalRow {
    /// The topic's name.
    pub topic: String,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The partition.
    pub partition: i32,
    /// The commit before; `null`: there was none.
    pub previous_offset: Option<i64>,
    /// Its metadata.
    pub previous_metadata: Option<String>,
    /// Its leader epoch.
    pub previous_leader_epoch: Option<i32>,
    /// The commit that was sent; `null`: it was removed.
    pub new_offset: Option<i64>,
    /// Its metadata.
    #[serde(default)]
    pub new_metadata: Option<String>,
    /// What became of the row.
    pub outcome: Option<RowOutcome>,
    /// The commit that stood after the write.
    pub read_back: Option<i64>,
}
