use serde::{Deserialize, Serialize};

/// What the lab hands to its consumer process, in the first line; answered by [`ConsumerReply::Joined`]. It holds secrets, so it goes
/// through a pipe and has no `Debug`. Each further line is a [`ConsumerRequest`], answered by a [`ConsumerReply`] in a line.
#[derive(Serialize, Deserialize)]
pub struct ConsumerStart {
    /// The client's properties.
    pub properties: Vec<(String, String)>,
    /// The longest that one request to the cluster may take.
    pub timeout_ms: u64,
    /// The group that it joins.
    pub group: String,
    /// The topic that it reads, of one partition.
    pub topic: String,
    /// Who commits.
    pub commit: ConsumerCommit,
    /// How it writes.
    pub sink: ConsumerSink,
    /// The database that it writes to.
    pub database: String,
}

/// Who commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConsumerCommit {
    /// The client by itself.
    Auto {
        /// This often.
        interval_ms: u64,
    },
    /// The application, when [`ConsumerRequest::Commit`] asks for it.
    Manual,
}

/// How orders are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConsumerSink {
    /// A row for each record.
    Append,
    /// A row for each order.
    Upsert,
}

/// One step of the consumer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConsumerRequest {
    /// Poll for the next records.
    Poll {
        /// So many of them; fewer come where the log ends.
        max: usize,
    },
    /// Process what was polled.
    Process,
    /// Write the record of this offset, which was polled, to the database.
    Write {
        /// Which.
        offset: i64,
    },
    /// Commit.
    Commit {
        /// The offset that is to be read next.
        next: i64,
    },
    /// Leave the group and end.
    Leave,
}

/// What the consumer answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConsumerReply {
    /// It is a member, and its partition is assigned.
    Joined {
        /// The offset that it reads next.
        position: i64,
    },
    /// The records that came.
    Polled {
        /// In the order of the log.
        records: Vec<ConsumerRecord>,
        /// The offset that it reads next.
        position: i64,
    },
    /// Processed.
    Processed,
    /// Written: it stands in the database whatever happens to the process.
    Written,
    /// Committed: the broker has it.
    Committed,
    /// It has left the group.
    Left,
    /// That could not be done.
    Failed {
        /// The error's code.
        code: String,
        /// Words for a person.
        message: String,
    },
}

/// A record as the consumer understood it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsumerRecord {
    /// Its offset.
    pub offset: i64,
    /// The order.
    pub order_id: i64,
    /// What became of the order.
    pub status: String,
}

/// The value of a record of the lab's topic: `{"order":1001,"status":"placed"}`. The key is the order's number as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderValue {
    /// The order.
    pub order: i64,
    /// What became of it.
    pub status: String,
}
