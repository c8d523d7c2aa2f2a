use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::{Cluster, LIMIT, Producer};
use crate::Error;
use crate::wait::{Check, wait_for};

/// A committed offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The next offset to read.
    pub offset: i64,
    /// What the committer wrote beside it; often empty.
    pub metadata: String,
}

pub(super) fn list(offsets: &[(&str, i32, i64)]) -> Result<TopicPartitionList, Error> {
    let mut list = TopicPartitionList::new();
    for (topic, partition, offset) in offsets {
        list.add_partition_offset(topic, *partition, Offset::Offset(*offset))
            .map_err(Error::kafka("make a list of offsets"))?;
    }
    Ok(list)
}

impl Cluster {
    /// Commits as a consumer does that was given its partitions by `assign()`: it is no member.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn commit(&self, group: &str, topic: &str, partition: i32, offset: i64, metadata: &str) -> Result<(), Error> {
        let what = || format!("commit for group {group}");
        let list = list(&[(topic, partition, offset)])?;
        if let Some(mut row) = list.find_partition(topic, partition) {
            row.set_metadata(metadata);
        }
        self.consumer(group, &[])?.commit(&list, CommitMode::Sync).map_err(Error::kafka(what()))
    }

    /// Commits several offsets of a group at once, without metadata.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn commit_all(&self, group: &str, offsets: &[(&str, i32, i64)]) -> Result<(), Error> {
        self.consumer(group, &[])?
            .commit(&list(offsets)?, CommitMode::Sync)
            .map_err(Error::kafka(format!("commit for group {group}")))
    }

    /// What a group has committed, by partition in the order given; `None` where nothing. A commit
    /// that is pending in a transaction does not show.
    ///
    /// # Errors
    /// When the coordinator does not answer.
    pub fn committed(&self, group: &str, topic: &str, partitions: &[i32]) -> Result<Vec<Option<Committed>>, Error> {
        let what = || format!("ask for the offsets of group {group}");
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition(topic, *partition);
        }
        let consumer = self.consumer(group, &[("isolation.level", "read_uncommitted")])?;
        let list = consumer.committed_offsets(list, LIMIT).map_err(Error::kafka(what()))?;
        partitions
            .iter()
            .map(|partition| {
                let Some(row) = list.find_partition(topic, *partition) else {
                    return Ok(None);
                };
                row.error().map_err(Error::kafka(what()))?;
                Ok(match row.offset() {
                    Offset::Offset(offset) => Some(Committed { offset, metadata: row.metadata().to_owned() }),
                    _ => None,
                })
            })
            .collect()
    }

    /// [`committed`](Cluster::committed) without metadata.
    ///
    /// # Errors
    /// When the coordinator does not answer.
    pub fn committed_offsets(&self, group: &str, topic: &str, partitions: &[i32]) -> Result<Vec<Option<i64>>, Error> {
        let rows = self.committed(group, topic, partitions)?;
        Ok(rows.into_iter().map(|row| row.map(|row| row.offset)).collect())
    }

    /// Waits until a group has committed this offset.
    ///
    /// # Errors
    /// When it does not come, or the coordinator does not answer.
    pub fn await_committed(&self, group: &str, topic: &str, partition: i32, offset: i64) -> Result<(), Error> {
        let what = format!("group {group} to commit {offset} on {topic}-{partition}");
        wait_for(&what, LIMIT, || {
            let now = self.committed_offsets(group, topic, &[partition])?;
            Ok(match now[..] {
                [Some(now)] if now == offset => Check::Done(()),
                _ => Check::NotYet(format!("{now:?}")),
            })
        })
    }

    /// A transaction in which offsets of a group are committed, left open.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn pending_commit(
        &self,
        transactional_id: &str,
        group: &str,
        offsets: &[(&str, i32, i64)],
    ) -> Result<PendingCommit, Error> {
        let producer = self.transactional_producer(transactional_id, &[])?;
        producer.begin()?;
        producer.send_offsets(self, group, offsets)?;
        Ok(PendingCommit { producer })
    }
}

/// Offsets committed in a transaction that is open. Dropping it leaves the transaction to its
/// timeout (a minute), as the crash of an application does.
#[derive(Debug)]
pub struct PendingCommit {
    producer: Producer,
}

impl PendingCommit {
    /// Ends the transaction: the offsets count now.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn commit(self) -> Result<(), Error> {
        self.producer.commit()
    }

    /// Ends the transaction: the offsets never were.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn abort(self) -> Result<(), Error> {
        self.producer.abort()
    }
}
