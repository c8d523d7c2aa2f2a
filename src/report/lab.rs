use super::Warning;
use serde::{Deserialize, Serialize};

/// A run of the lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabReport {
    /// `lab`.
    pub kind: String,
    /// The shape's version.
    pub version: u32,
    /// The scenario's name; `null` for a script.
    pub scenario: Option<String>,
    /// Whether it ran on a real cluster.
    pub live: bool,
    /// `auto` or `manual`: who commits, at the beginning.
    pub commit: String,
    /// `append` or `upsert`: what the sink does with an order that it has, at the beginning.
    pub sink: String,
    /// Events of one poll, at most, at the beginning.
    pub batch: u32,
    /// What to look at.
    pub look_at: Option<String>,
    /// What was done, in order.
    pub steps: Vec<LabStep>,
    /// How it stands at the end.
    #[serde(rename = "final")]
    pub end: LabNumbers,
    /// What follows from it.
    pub conclude: Option<String>,
    /// The command that answers this in production.
    pub in_production: Option<String>,
    /// What a person should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// One action, and how it stands after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabStep {
    /// What was done, as a script says it.
    pub action: String,
    /// What happened, and why.
    pub why: String,
    /// How it stands.
    #[serde(flatten)]
    pub numbers: LabNumbers,
}

/// How the lab stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabNumbers {
    /// The committed offset: the next one to read. `null` before the first commit.
    pub committed: Option<i64>,
    /// Where the consumer reads next; `null` while none runs.
    pub position: Option<i64>,
    /// The oldest offset that is kept.
    pub log_start_offset: i64,
    /// The offset behind the last event.
    pub log_end_offset: i64,
    /// Offsets between the committed offset and the log end; `null` before the first commit.
    pub lag: Option<u64>,
    /// Rows of the sink.
    pub sink_rows: u64,
    /// Distinct orders in the sink.
    pub distinct_orders: u64,
    /// Events that are not in the sink, and that nobody will read.
    pub lost: u64,
    /// Writes to the sink beyond the first of an event: rows of an append-only sink, absorbed by an upsert.
    pub duplicates: u64,
    /// Writes to the sink.
    pub sink_writes: u64,
    /// Events that reached the sink.
    pub read: u64,
    /// Events that retention deleted before they were read.
    pub retained_away: u64,
    /// Events that the consumer has in hand or will read. With `read`, `lost` and `retained_away` it makes up all events.
    pub to_come: u64,
}
