use super::Warning;
use crate::model::{Coordinator, GroupState, GroupType, Member, Timestamp};
use serde::{Deserialize, Serialize};

/// Lag of groups: what `describe` prints and `--save` keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribeReport {
    /// `describe`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The cluster's id.
    pub cluster_id: String,
    /// When the commits were read.
    pub captured_at: Timestamp,
    /// The topics that the report was limited to, as `--topic` takes them; absent where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topics: Option<Vec<String>>,
    /// The groups, by name.
    pub groups: Vec<GroupReport>,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// `authorized` where the broker hides what this principal may not describe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupReport {
    /// The group's id.
    pub group: String,
    /// Its type.
    #[serde(rename = "type")]
    pub group_type: GroupType,
    /// Its state.
    pub state: GroupState,
    /// Whether its commits come from no member.
    pub is_simple: bool,
    /// The partition assignor.
    pub assignor: Option<String>,
    /// The broker that keeps its commits.
    pub coordinator: Option<Coordinator>,
    /// Its members, by member id.
    pub members: Vec<Member>,
    /// Its partitions, by topic and number.
    pub partitions: Vec<PartitionReport>,
    /// Sums.
    pub total: GroupTotal,
    /// Why the group as a whole could not be described.
    pub error: Option<GroupError>,
}

/// Why a group could not be described.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupError {
    /// The stable code.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What would help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// One partition of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartitionReport {
    /// The topic's name.
    pub topic: String,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The partition.
    pub partition: i32,
    /// The committed offset: the next one that the group reads.
    pub current_offset: Option<i64>,
    /// The oldest offset that is kept.
    pub log_start_offset: Option<i64>,
    /// The high watermark.
    pub log_end_offset: Option<i64>,
    /// Where the oldest open transaction starts, else the high watermark.
    pub last_stable_offset: Option<i64>,
    /// Offsets still to read.
    pub lag: Option<u64>,
    /// Offsets deleted before this group read them.
    pub lost: Option<u64>,
    /// The age of the oldest unread record, in milliseconds.
    pub time_lag_ms: Option<i64>,
    /// The timestamp of the oldest unread record.
    pub oldest_unread_timestamp: Option<Timestamp>,
    /// The commit's leader epoch.
    pub leader_epoch: Option<i32>,
    /// The commit's metadata; `null` without a commit.
    pub metadata: Option<String>,
    /// The member that reads it.
    pub member_id: Option<String>,
    /// That member's `client.id`.
    pub client_id: Option<String>,
    /// That member's address.
    pub host: Option<String>,
    /// What the row is worth.
    pub status: PartitionStatus,
    /// Words for the status.
    pub reason: Option<String>,
    /// Offsets a second that the group read since the look before (`--watch`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consume_rate: Option<f64>,
    /// Offsets a second that were produced since the look before (`--watch`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub produce_rate: Option<f64>,
    /// How long it takes at these rates until nothing is left to read (`--watch`); absent where that never comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caught_up_seconds: Option<f64>,
}

/// What a row is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartitionStatus {
    /// The commit lies in the log.
    Ok,
    /// The group has no commit there.
    NoCommit,
    /// The commit lies before the log's start.
    BehindLogStart,
    /// The commit lies past the log's end.
    AheadOfLogEnd,
    /// A transaction holds an undecided commit; the value before it is shown.
    PendingTransaction,
    /// The topic or partition does not exist.
    TopicMissing,
    /// The partition has no leader.
    NoLeader,
    /// This principal may not read it.
    Unauthorized,
    /// Anything else that went wrong.
    Error,
}

impl PartitionStatus {
    /// The status's text.
    pub fn as_str(self) -> &'static str {
        match self {
            PartitionStatus::Ok => "ok",
            PartitionStatus::NoCommit => "no-commit",
            PartitionStatus::BehindLogStart => "behind-log-start",
            PartitionStatus::AheadOfLogEnd => "ahead-of-log-end",
            PartitionStatus::PendingTransaction => "pending-transaction",
            PartitionStatus::TopicMissing => "topic-missing",
            PartitionStatus::NoLeader => "no-leader",
            PartitionStatus::Unauthorized => "unauthorized",
            PartitionStatus::Error => "error",
        }
    }

    /// Whether the row failed: the exit code is then 1.
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            PartitionStatus::TopicMissing
                | PartitionStatus::NoLeader
                | PartitionStatus::Unauthorized
                | PartitionStatus::Error
        )
    }
}

/// Sums over a group's partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupTotal {
    /// Rows.
    pub partitions: usize,
    /// The sum of the lags that are known; `null` where there are rows and none is known.
    pub lag: Option<u64>,
    /// The sum of the losses that are known, likewise.
    pub lost: Option<u64>,
    /// The largest time lag that is known.
    pub max_time_lag_ms: Option<i64>,
    /// Rows whose lag is not known (no commit among them).
    #[serde(default)]
    pub unknown: usize,
}

impl GroupTotal {
    /// The sums of these rows.
    pub fn of(rows: &[PartitionReport]) -> Self {
        let sum = |field: fn(&PartitionReport) -> Option<u64>| -> Option<u64> {
            let known: Vec<u64> = rows.iter().filter_map(field).collect();
            (rows.is_empty() || !known.is_empty()).then(|| known.iter().sum())
        };
        GroupTotal {
            partitions: rows.len(),
            lag: sum(|row| row.lag),
            lost: sum(|row| row.lost),
            max_time_lag_ms: rows.iter().filter_map(|row| row.time_lag_ms).max(),
            unknown: rows.iter().filter(|row| row.lag.is_none()).count(),
        }
    }
}

impl DescribeReport {
    /// Whether any row or group failed.
    pub fn has_failures(&self) -> bool {
        self.groups
            .iter()
            .any(|group| group.error.is_some() || group.partitions.iter().any(|row| row.status.is_failure()))
    }
}
