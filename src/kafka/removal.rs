use super::connect::Client;
use super::error::BrokerFault;
use super::ffi::owned::PartitionEntry;
use super::ffi::removal as ffi;
use crate::model::TopicPartition;
use std::collections::HashMap;

impl Client {
    /// Removes commits of a group; each row is answered by itself, in the order given. Long lists are the caller's to divide.
    pub(super) fn removed_offsets(&self, group: &str, partitions: &[TopicPartition]) -> Vec<Result<(), BrokerFault>> {
        let questions: Vec<&TopicPartition> = partitions.iter().collect();
        self.retry_coordinator(
            &questions,
            |partitions| {
                let entries: Vec<PartitionEntry<'_>> = partitions
                    .iter()
                    .map(|partition| PartitionEntry {
                        topic: &partition.topic,
                        partition: partition.partition,
                        offset: 0,
                        metadata: None,
                    })
                    .collect();
                let answer = self.ask(self.connection().timeout, 1, |native, wait| {
                    ffi::delete_group_offsets(native, wait, group, &entries)
                });
                match answer {
                    Err(fault) => {
                        let fault = self.explain(fault);
                        partitions.iter().map(|_| Err(fault.clone())).collect()
                    }
                    Ok(rows) => {
                        let mut answered: HashMap<TopicPartition, Result<(), BrokerFault>> = rows
                            .into_iter()
                            .map(|row| {
                                let answer = row.fault.map_or(Ok(()), |fault| Err(BrokerFault::from(fault)));
                                (TopicPartition::new(row.topic, row.partition), answer)
                            })
                            .collect();
                        partitions
                            .iter()
                            .map(|partition| {
                                answered.remove(partition).unwrap_or_else(|| Err(BrokerFault::no_answer()))
                            })
                            .collect()
                    }
                }
            },
            |answer: &Result<(), BrokerFault>| answer.as_ref().err().cloned(),
        )
    }

    /// Deletes a group with all of its commits.
    pub(super) fn removed_group(&self, group: &str) -> Result<(), BrokerFault> {
        let answers = self.retry_coordinator(
            &[group],
            |groups| {
                let delete = |group: &&str| {
                    self.ask(self.connection().timeout, 1, |native, wait| ffi::delete_group(native, wait, group))
                        .map_err(|fault| self.explain(fault))
                };
                groups.iter().map(delete).collect()
            },
            |answer: &Result<(), BrokerFault>| answer.as_ref().err().cloned(),
        );
        answers.into_iter().next().unwrap_or_else(|| Err(BrokerFault::no_answer()))
    }
}
