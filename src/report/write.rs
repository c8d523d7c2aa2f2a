use serde::{Deserialize, Serialize};

/// What the parent hands to the child that writes. It holds secrets, so it goes through a pipe and has no `Debug`.
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
    /// The commits to write.
    pub rows: Vec<WriteRequestRow>,
}

/// One commit to write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteRequestRow {
    /// The topic's name.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// The metadata that goes with it.
    pub metadata: String,
}

/// What the child answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteReply {
    /// Each row's answer, in the order of the request; `null` is success.
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
