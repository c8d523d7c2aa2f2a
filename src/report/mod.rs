//! What krewind prints, saves and reads back: the only types that are serialized. Fields are added within a version, never
//! renamed or removed. Absent is `null`.

mod checkpoint;
mod config;
mod describe;
mod diff;
mod error;
mod history;
mod journal;
mod lab;
mod lab_child;
mod list;
mod load;
mod peek;
mod record;
mod replay;
mod reset;
mod window;
mod write;

pub use checkpoint::{Checkpoint, CheckpointPartition, CheckpointSink, Counts};
pub use config::{ConfigCheck, ConfigProblem, ConfigReport, Setting};
pub use describe::{DescribeReport, GroupError, GroupReport, GroupTotal, PartitionReport, PartitionStatus};
pub use diff::{Change, DiffDelta, DiffOffsets, DiffReport, DiffRow, DiffSide, DiffTotal};
pub use error::ErrorReport;
pub use history::{HistoryEntry, HistoryReport};
pub use journal::{JournalEntry, JournalGroup, JournalRow, JournalState};
pub use lab::{LabNumbers, LabReport, LabStep};
pub use lab_child::{
    ConsumerCommit, ConsumerRecord, ConsumerReply, ConsumerRequest, ConsumerSink, ConsumerStart, OrderValue,
};
pub use list::{Incomplete, ListReport, ListRow};
pub use load::{LoadPartition, LoadReport, LoadWindow};
pub use peek::{PeekPartition, PeekRecord, PeekReport};
pub use record::{HeaderLine, RecordLine};
pub use replay::{Ended, ReplayOutcome, ReplayPartition, ReplayReport, ReplayTotal, SinkReport};
pub use reset::{
    Action, GroupOutcome, GroupPlan, Preconditions, Refusal, ResetReport, ResetRow, ResetTotal, RowOutcome,
    TargetReport, UndoReference,
};
pub use window::{WindowPartition, WindowReport, WindowSide, WindowTotal, WindowsReport};
pub use write::{RemoveRow, WriteChunk, WriteFault, WriteReply, WriteRequest, WriteRow};

use serde::{Deserialize, Serialize};

/// The version of every report's shape.
pub const VERSION: u32 = 1;

/// Something that a person should know before believing or doing more, with what it concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// A stable code.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// The group that it concerns.
    pub group: Option<String>,
    /// The topic that it concerns.
    pub topic: Option<String>,
    /// The partition that it concerns.
    pub partition: Option<i32>,
}

impl Warning {
    /// A warning about a group.
    pub fn of_group(code: &str, group: &str, message: impl Into<String>) -> Self {
        Warning {
            code: code.to_owned(),
            message: message.into(),
            group: Some(group.to_owned()),
            topic: None,
            partition: None,
        }
    }

    /// The same warning, about this topic.
    #[must_use]
    pub fn topic(mut self, topic: &str) -> Self {
        self.topic = Some(topic.to_owned());
        self
    }

    /// The same warning, about this partition.
    #[must_use]
    pub fn partition(mut self, partition: i32) -> Self {
        self.partition = Some(partition);
        self
    }
}
