use super::{GroupError, Warning};
use crate::model::{GroupState, GroupType, Timestamp};
use serde::{Deserialize, Serialize};

/// The groups of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListReport {
    /// `list`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The cluster's id.
    pub cluster_id: String,
    /// When they were listed.
    pub captured_at: Timestamp,
    /// The groups, by name.
    pub groups: Vec<ListRow>,
    /// Brokers that did not list their groups: some may be missing.
    pub incomplete: Vec<Incomplete>,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// `authorized` where brokers hide what this login may not describe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
}

/// One group of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListRow {
    /// The group's id.
    pub group: String,
    /// Its type.
    #[serde(rename = "type")]
    pub group_type: GroupType,
    /// Its state.
    pub state: GroupState,
    /// How many members it has; `null` where that was not asked.
    pub members: Option<usize>,
    /// The topics that it has commits on or was assigned; likewise.
    pub topics: Option<Vec<String>>,
    /// The sum of the lags that are known; likewise.
    pub lag: Option<u64>,
    /// Rows whose lag is not known; likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<usize>,
    /// Why it could not be described.
    pub error: Option<GroupError>,
}

/// A broker that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incomplete {
    /// Its id; `null` where librdkafka does not tell.
    pub broker: Option<i32>,
    /// Why.
    pub reason: String,
}
