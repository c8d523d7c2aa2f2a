use serde::{Deserialize, Serialize};

/// What the parent hands to the child that writes, in the first line. It holds secrets, so it goes through a pipe and has no
/// `Debug`. Each further line is a [`WriteChunk`], answered by a [`WriteReply`] in a line.
#[derive(Serialize, Deserialize)]
pub struct WriteRequest {
    /// The client's properties.
    pub properties: Vec<(String, String)>,
    /// The longest that one request may take.
    pub timeout_ms: u64,
    /// The cluster that the plan was made for.
    pub cluster_id: String,
    /// The group's id.
    pub group: String,
}

/// One request of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteChunk {
    /// Commits.
    Commit(Vec<WriteRow>),
    /// Commits to remove.
    Remove(Vec<RemoveRow>),
    /// The whole group to delete.
    DeleteGroup,
}

/// One commit to write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteRow {
    /// The topic's name.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// The metadata that goes with it.
    pub metadata: String,
}

/// One commit to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveRow {
    /// The topic's name.
    pub topic: String,
    /// The partition.
    pub partition: i32,
}

/// What the child answers to a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteReply {
    /// Each row's answer, in the order of the chunk; `null` is success. One answer for a group.
    Rows(Vec<Option<WriteFault>>),
    /// Nothing was sent.
    NotSent(WriteFault),
}

/// What a broker or the client said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteFault {
    /// Words for a person.
    pub message: String,
    /// Whether the broker may have done it all the same.
    pub undecided: bool,
}
