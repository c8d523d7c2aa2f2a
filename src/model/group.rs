use serde::{Deserialize, Serialize};

/// What kind of group it is (KIP-848, KIP-932, KIP-1071).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupType {
    /// The classic protocol, or a group made by commits alone.
    Classic,
    /// The protocol of KIP-848 (`group.protocol=consumer`).
    Consumer,
    /// A share, streams or Connect group: librdkafka can't tell which, and krewind does not write them.
    Unmanaged,
    /// The broker did not tell.
    Unknown,
}

impl GroupType {
    /// The type's text in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            GroupType::Classic => "classic",
            GroupType::Consumer => "consumer",
            GroupType::Unmanaged => "unmanaged",
            GroupType::Unknown => "unknown",
        }
    }
}

/// A group's state, Kafka's word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupState {
    /// A state that librdkafka has no name for (KIP-848's Assigning and Reconciling among them). It counts as active.
    Unknown,
    /// Members are joining.
    PreparingRebalance,
    /// Members wait for their assignment.
    CompletingRebalance,
    /// Members have their assignment.
    Stable,
    /// No such group to this call: absent, or a share or streams group.
    Dead,
    /// The group has no members.
    Empty,
}

impl GroupState {
    /// Kafka's word.
    pub fn as_str(self) -> &'static str {
        match self {
            GroupState::Unknown => "Unknown",
            GroupState::PreparingRebalance => "PreparingRebalance",
            GroupState::CompletingRebalance => "CompletingRebalance",
            GroupState::Stable => "Stable",
            GroupState::Dead => "Dead",
            GroupState::Empty => "Empty",
        }
    }
}

/// The partitions of one topic that a member was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The topic's name.
    pub topic: String,
    /// Its partitions, ascending.
    pub partitions: Vec<i32>,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The id that the coordinator gave it.
    pub member_id: String,
    /// `group.instance.id` of a static member (KIP-345): it stays a member up to its session timeout after it stops.
    pub instance_id: Option<String>,
    /// Its `client.id`.
    pub client_id: String,
    /// The address that it connected from, as the broker writes it (`/10.0.0.7`).
    pub host: String,
    /// What it reads, by topic.
    pub assignment: Vec<Assignment>,
}

/// The broker that keeps a group's commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coordinator {
    /// The broker's id.
    pub id: i32,
    /// Its advertised host.
    pub host: String,
    /// Its advertised port.
    pub port: u16,
}

/// What DescribeConsumerGroups tells of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDescription {
    /// The group's id.
    pub group: String,
    /// Its type.
    pub group_type: GroupType,
    /// Its state.
    pub state: GroupState,
    /// Whether its commits come from no member.
    pub is_simple: bool,
    /// The partition assignor, where there is one.
    pub assignor: Option<String>,
    /// Its coordinator.
    pub coordinator: Option<Coordinator>,
    /// Its members, by member id.
    pub members: Vec<Member>,
}

impl GroupDescription {
    /// Whether a write must be refused: it has members, or a state other than Empty (Dead without members is the absent
    /// group, which the caller tells apart).
    pub fn is_active(&self) -> bool {
        !self.members.is_empty() || !matches!(self.state, GroupState::Empty | GroupState::Dead)
    }

    /// Whether this answer may mean that no such group exists: "Dead, no members" is what brokers say of an absent, a share
    /// and a streams group alike.
    pub fn is_dead(&self) -> bool {
        self.state == GroupState::Dead && self.members.is_empty()
    }
}

/// A committed offset: the next one that the group reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedOffset {
    /// The offset.
    pub offset: i64,
    /// The leader epoch of the record before it, where the committer gave one.
    pub leader_epoch: Option<i32>,
    /// The committer's own text.
    pub metadata: String,
}
