//! The things krewind speaks of: topic partitions, timestamps, groups, commits, records. Data alone, no I/O, no clock.

mod group;
mod record;
mod text;
mod timestamp;
mod topic;

pub use group::{Assignment, CommittedOffset, Coordinator, GroupDescription, GroupState, GroupType, Member};
pub use record::{Header, Record, TimestampType};
pub use text::visible;
pub use timestamp::Timestamp;
pub use topic::{PartitionSet, TopicDescription, TopicPartition, TopicSelection};
