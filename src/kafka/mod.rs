//! The cluster, and the only importer of rdkafka. Blocking calls that return owned data; `unsafe` lives in [`ffi`].

pub mod config;
mod configs;
mod connect;
mod error;
#[cfg(test)]
pub mod fake;
pub mod ffi;
mod groups;
mod offsets;
pub mod producer;
pub mod reader;
mod removal;
pub mod scratch;
pub mod subscriber;
mod topics;

pub use configs::Settings;
pub use connect::{Client, Connection, LogSink};
pub use error::{BrokerFault, codes};
pub use ffi::leave;
pub use groups::{GroupListing, GroupNames, ListedGroup, SilentBroker};
pub use offsets::{CommitLookup, CommitRow, FoundOffset, OffsetSpec, WriteRow};

use crate::error::{Code, Error, Result};
use crate::model::{GroupDescription, TopicDescription, TopicPartition};

/// What krewind asks of a cluster. Calls block, answer for each thing asked, and retry only where nothing can have been
/// written: while a coordinator moves or loads, while a leader is elected.
pub trait Cluster: Sync {
    /// The cluster's id.
    fn cluster_id(&self) -> Result<String>;

    /// Whether an authorizer limits this login; what it may not describe, brokers leave out of their lists without a word.
    /// `None` where that is not known.
    fn is_restricted(&self) -> Option<bool>;

    /// All groups that brokers list as consumer groups, with the brokers that did not answer.
    fn list_groups(&self) -> Result<GroupListing>;

    /// The names of all groups whatever their kind; share and streams groups are named here alone.
    fn group_names(&self) -> GroupNames;

    /// Each group's state and members, in the order asked. An absent group is no error: it reads `Dead` without members.
    fn describe_groups(&self, groups: &[&str]) -> Vec<Result<GroupDescription, BrokerFault>>;

    /// Committed offsets, in the order asked. With `require_stable`, a partition with a pending transactional commit fails with
    /// UNSTABLE_OFFSET_COMMIT; without, it shows the value before.
    fn committed_offsets(
        &self,
        lookups: &[CommitLookup<'_>],
        require_stable: bool,
    ) -> Vec<Result<Vec<CommitRow>, BrokerFault>>;

    /// Writes committed offsets of one group; each row is answered by itself, in the order given.
    fn alter_committed_offsets(&self, group: &str, rows: &[WriteRow]) -> Result<Vec<Result<(), BrokerFault>>>;

    /// Removes committed offsets of one group; each row is answered by itself, in the order given.
    fn delete_committed_offsets(
        &self,
        group: &str,
        partitions: &[TopicPartition],
    ) -> Result<Vec<Result<(), BrokerFault>>>;

    /// Deletes a group with all of its commits.
    fn delete_group(&self, group: &str) -> Result<Result<(), BrokerFault>>;

    /// Offsets by spec, each answered by itself, in the order asked. `Ok(None)`: no record at or after that time.
    fn list_offsets(&self, queries: &[(TopicPartition, OffsetSpec)]) -> Vec<Result<Option<FoundOffset>, BrokerFault>>;

    /// Topics, each answered by itself, in the order asked.
    fn describe_topics(&self, topics: &[&str]) -> Vec<Result<TopicDescription, BrokerFault>>;

    /// Settings of topics, each topic answered by itself, in the order asked.
    fn topic_settings(&self, topics: &[&str], names: &[&str]) -> Vec<Result<Settings, BrokerFault>>;

    /// Settings of one broker.
    fn broker_settings(&self, broker: i32, names: &[&str]) -> Result<Settings, BrokerFault>;

    /// The names of all topics that this login may describe.
    fn topic_names(&self) -> Result<Vec<String>, BrokerFault>;
}

fn read_only(group: &str) -> Error {
    Error::new(Code::ReadOnly, format!("this run is read-only, so group `{group}` is left as it is"))
}

/// A cluster that refuses every write, whatever the caller does: dry runs and `--read-only` get this.
pub struct ReadOnly<'a, C: ?Sized>(pub &'a C);

impl<C: Cluster + ?Sized> Cluster for ReadOnly<'_, C> {
    fn cluster_id(&self) -> Result<String> {
        self.0.cluster_id()
    }
    fn is_restricted(&self) -> Option<bool> {
        self.0.is_restricted()
    }
    fn list_groups(&self) -> Result<GroupListing> {
        self.0.list_groups()
    }
    fn group_names(&self) -> GroupNames {
        self.0.group_names()
    }
    fn describe_groups(&self, groups: &[&str]) -> Vec<Result<GroupDescription, BrokerFault>> {
        self.0.describe_groups(groups)
    }
    fn committed_offsets(
        &self,
        lookups: &[CommitLookup<'_>],
        require_stable: bool,
    ) -> Vec<Result<Vec<CommitRow>, BrokerFault>> {
        self.0.committed_offsets(lookups, require_stable)
    }
    fn alter_committed_offsets(&self, group: &str, _: &[WriteRow]) -> Result<Vec<Result<(), BrokerFault>>> {
        Err(read_only(group))
    }
    fn delete_committed_offsets(&self, group: &str, _: &[TopicPartition]) -> Result<Vec<Result<(), BrokerFault>>> {
        Err(read_only(group))
    }
    fn delete_group(&self, group: &str) -> Result<Result<(), BrokerFault>> {
        Err(read_only(group))
    }
    fn list_offsets(&self, queries: &[(TopicPartition, OffsetSpec)]) -> Vec<Result<Option<FoundOffset>, BrokerFault>> {
        self.0.list_offsets(queries)
    }
    fn describe_topics(&self, topics: &[&str]) -> Vec<Result<TopicDescription, BrokerFault>> {
        self.0.describe_topics(topics)
    }
    fn topic_settings(&self, topics: &[&str], names: &[&str]) -> Vec<Result<Settings, BrokerFault>> {
        self.0.topic_settings(topics, names)
    }
    fn broker_settings(&self, broker: i32, names: &[&str]) -> Result<Settings, BrokerFault> {
        self.0.broker_settings(broker, names)
    }
    fn topic_names(&self) -> Result<Vec<String>, BrokerFault> {
        self.0.topic_names()
    }
}
