use super::connect::Client;
use super::error::{BrokerFault, codes};
use super::ffi::owned::PartitionEntry;
use super::ffi::{offsets as ffi, owned};
use super::{Cluster, GroupListing, GroupNames, Settings};
use crate::error::Result;
use crate::model::{CommittedOffset, GroupDescription, TopicDescription, TopicPartition};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Partitions in one ListOffsets request: librdkafka merges answers in quadratic time, and small chunks in flight together
/// measured fastest.
const LOOKUP_CHUNK: usize = 300;

/// Partitions in one request for commits, or to write them: librdkafka matches them in quadratic time.
const COMMIT_CHUNK: usize = 1000;

/// Librdkafka's "no offset".
const NONE: i64 = -1001;

/// How long partitions without a leader are asked again.
const LEADER_PATIENCE: Duration = Duration::from_secs(2);

/// What is asked of a partition's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OffsetSpec {
    /// The log start offset.
    Earliest,
    /// The high watermark.
    Latest,
    /// The last stable offset.
    LatestStable,
    /// The first offset whose record has this timestamp or a later one, in milliseconds.
    AtTime(i64),
}

/// An offset that a leader told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundOffset {
    /// The offset.
    pub offset: i64,
    /// The timestamp of the record there, where the lookup gave it.
    pub timestamp_ms: Option<i64>,
}

/// Whose committed offsets are asked for.
#[derive(Debug, Clone, Copy)]
pub struct CommitLookup<'a> {
    /// The group's id.
    pub group: &'a str,
    /// These partitions; `None`: all that it has a commit on.
    pub partitions: Option<&'a [TopicPartition]>,
}

/// A partition's commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRow {
    /// The partition.
    pub partition: TopicPartition,
    /// The commit, `None` where there is none.
    pub commit: Result<Option<CommittedOffset>, BrokerFault>,
}

/// A commit to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteRow {
    /// The partition.
    pub partition: TopicPartition,
    /// The offset, never negative.
    pub offset: i64,
    /// Metadata to go with it.
    pub metadata: String,
}

fn entry(partition: &TopicPartition, offset: i64) -> PartitionEntry<'_> {
    PartitionEntry { topic: &partition.topic, partition: partition.partition, offset, metadata: None }
}

impl Cluster for Client {
    fn cluster_id(&self) -> Result<String> {
        Ok(self.id().to_owned())
    }

    fn is_restricted(&self) -> Option<bool> {
        self.asked_restricted()
    }

    fn list_groups(&self) -> Result<GroupListing> {
        self.listed_groups()
    }

    fn group_names(&self) -> GroupNames {
        self.all_group_names()
    }

    fn describe_groups(&self, groups: &[&str]) -> Vec<Result<GroupDescription, BrokerFault>> {
        self.described_groups(groups)
    }

    fn committed_offsets(
        &self,
        lookups: &[CommitLookup<'_>],
        require_stable: bool,
    ) -> Vec<Result<Vec<CommitRow>, BrokerFault>> {
        // A long list goes as several requests of the same group.
        let mut pieces: Vec<(usize, CommitLookup<'_>)> = Vec::new();
        for (index, lookup) in lookups.iter().enumerate() {
            match lookup.partitions {
                None => pieces.push((index, *lookup)),
                Some(partitions) => pieces.extend(
                    partitions
                        .chunks(COMMIT_CHUNK)
                        .map(|chunk| (index, CommitLookup { group: lookup.group, partitions: Some(chunk) })),
                ),
            }
        }
        let answers = self.retry_coordinator(
            &pieces,
            |pieces| self.committed_pieces(pieces, require_stable),
            |answer: &Result<Vec<CommitRow>, BrokerFault>| match answer {
                Err(fault) => Some(fault.clone()),
                Ok(rows) => rows
                    .iter()
                    .filter_map(|row| row.commit.as_ref().err())
                    .find(|fault| fault.is_coordinator_moving())
                    .cloned(),
            },
        );
        let mut merged: Vec<Result<Vec<CommitRow>, BrokerFault>> = lookups.iter().map(|_| Ok(Vec::new())).collect();
        for ((index, _), answer) in pieces.into_iter().zip(answers) {
            match (&mut merged[index], answer) {
                (Ok(rows), Ok(more)) => rows.extend(more),
                (Ok(_), Err(fault)) => merged[index] = Err(fault),
                (Err(_), _) => {}
            }
        }
        merged
    }

    fn alter_committed_offsets(&self, group: &str, rows: &[WriteRow]) -> Result<Vec<Result<(), BrokerFault>>> {
        let mut outcomes: Vec<Result<(), BrokerFault>> = Vec::with_capacity(rows.len());
        for chunk in rows.chunks(COMMIT_CHUNK) {
            // Where a whole chunk went unanswered the next one fares no better, and each would wait its full time.
            let unanswered = |answer: &Result<(), BrokerFault>| {
                answer.as_ref().is_err_and(|fault| fault.is_undecided() || fault.code == codes::NOT_SENT)
            };
            if !outcomes.is_empty() && outcomes.iter().all(unanswered) {
                outcomes.extend(chunk.iter().map(|_| Err(BrokerFault::not_sent())));
                continue;
            }
            let chunk: Vec<&WriteRow> = chunk.iter().collect();
            outcomes.extend(self.retry_coordinator(
                &chunk,
                |rows| self.alter_chunk(group, rows),
                |answer: &Result<(), BrokerFault>| answer.as_ref().err().cloned(),
            ));
        }
        Ok(outcomes)
    }

    fn delete_committed_offsets(
        &self,
        group: &str,
        partitions: &[TopicPartition],
    ) -> Result<Vec<Result<(), BrokerFault>>> {
        Ok(partitions.chunks(COMMIT_CHUNK).flat_map(|chunk| self.removed_offsets(group, chunk)).collect())
    }

    fn delete_group(&self, group: &str) -> Result<Result<(), BrokerFault>> {
        Ok(self.removed_group(group))
    }

    fn list_offsets(&self, queries: &[(TopicPartition, OffsetSpec)]) -> Vec<Result<Option<FoundOffset>, BrokerFault>> {
        let started = Instant::now();
        let mut answers = self.look_up(&queries.iter().collect::<Vec<_>>());
        let mut pause = Duration::from_millis(50);
        loop {
            let again: Vec<usize> = answers
                .iter()
                .enumerate()
                .filter(|(_, answer)| answer.as_ref().is_err_and(may_get_a_leader))
                .map(|(index, _)| index)
                .collect();
            if again.is_empty() || started.elapsed() + pause >= LEADER_PATIENCE {
                return answers;
            }
            std::thread::sleep(pause);
            pause *= 2;
            let questions: Vec<&(TopicPartition, OffsetSpec)> = again.iter().map(|&index| &queries[index]).collect();
            for (index, answer) in again.into_iter().zip(self.look_up(&questions)) {
                answers[index] = answer;
            }
        }
    }

    fn describe_topics(&self, topics: &[&str]) -> Vec<Result<TopicDescription, BrokerFault>> {
        self.described_topics(topics)
    }

    fn topic_settings(&self, topics: &[&str], names: &[&str]) -> Vec<Result<Settings, BrokerFault>> {
        self.settings_of_topics(topics, names)
    }

    fn broker_settings(&self, broker: i32, names: &[&str]) -> Result<Settings, BrokerFault> {
        self.settings_of_broker(broker, names)
    }

    fn topic_names(&self) -> Result<Vec<String>, BrokerFault> {
        self.names_of_topics()
    }
}

/// Whether a leader may be there in a moment: an election, or a leader that has not caught up with one.
fn may_get_a_leader(fault: &BrokerFault) -> bool {
    matches!(
        fault.code,
        codes::NOT_LEADER_OR_FOLLOWER
            | codes::LEADER_NOT_AVAILABLE
            | codes::OFFSET_NOT_AVAILABLE
            | codes::LEADER_DID_NOT_ANSWER
    )
}

impl Client {
    fn committed_pieces(
        &self,
        pieces: &[(usize, CommitLookup<'_>)],
        require_stable: bool,
    ) -> Vec<Result<Vec<CommitRow>, BrokerFault>> {
        let requests: Vec<ffi::CommitLookup<'_>> = pieces
            .iter()
            .map(|(_, lookup)| ffi::CommitLookup {
                group: lookup.group,
                entries: lookup.partitions.map(|all| all.iter().map(|partition| entry(partition, NONE)).collect()),
            })
            .collect();
        let answers = self.ask_each(&requests, |native, wait, requests| {
            ffi::list_group_offsets(native, wait, require_stable, requests)
        });
        pieces
            .iter()
            .zip(answers)
            .map(|((_, lookup), answer)| {
                let rows = answer.map_err(|fault| self.explain(fault))?;
                Ok(match lookup.partitions {
                    None => rows.into_iter().map(commit_row).collect(),
                    Some(partitions) => {
                        let mut found: HashMap<TopicPartition, CommitRow> =
                            rows.into_iter().map(commit_row).map(|row| (row.partition.clone(), row)).collect();
                        partitions
                            .iter()
                            .map(|partition| {
                                found.remove(partition).unwrap_or_else(|| CommitRow {
                                    partition: partition.clone(),
                                    commit: Err(BrokerFault::no_answer()),
                                })
                            })
                            .collect()
                    }
                })
            })
            .collect()
    }

    fn alter_chunk(&self, group: &str, rows: &[&WriteRow]) -> Vec<Result<(), BrokerFault>> {
        let entries: Vec<PartitionEntry<'_>> = rows
            .iter()
            .map(|row| PartitionEntry {
                topic: &row.partition.topic,
                partition: row.partition.partition,
                offset: row.offset,
                metadata: Some(&row.metadata),
            })
            .collect();
        let answer = self
            .ask(self.connection().timeout, 1, |native, wait| ffi::alter_group_offsets(native, wait, group, &entries));
        match answer {
            Err(fault) => {
                let fault = self.explain(fault);
                rows.iter().map(|_| Err(fault.clone())).collect()
            }
            Ok(answered) => {
                let mut outcomes: HashMap<TopicPartition, Result<(), BrokerFault>> = answered
                    .into_iter()
                    .map(|row| {
                        (
                            TopicPartition::new(row.topic, row.partition),
                            row.fault.map_or(Ok(()), |fault| Err(BrokerFault::from(fault))),
                        )
                    })
                    .collect();
                rows.iter()
                    .map(|row| outcomes.remove(&row.partition).unwrap_or_else(|| Err(BrokerFault::no_answer())))
                    .collect()
            }
        }
    }

    /// One round of lookups: chunks by isolation level, all in flight on one queue.
    fn look_up(&self, queries: &[&(TopicPartition, OffsetSpec)]) -> Vec<Result<Option<FoundOffset>, BrokerFault>> {
        // A request may name a partition once, so each spec has its own chunks.
        let mut by_spec: HashMap<OffsetSpec, Vec<usize>> = HashMap::new();
        for (index, (_, spec)) in queries.iter().enumerate() {
            by_spec.entry(*spec).or_default().push(index);
        }
        let mut groups: Vec<(OffsetSpec, Vec<usize>)> = by_spec.into_iter().collect();
        groups.sort_unstable_by_key(|(spec, _)| *spec);
        let chunks: Vec<(OffsetSpec, &[usize])> = groups
            .iter()
            .flat_map(|(spec, indexes)| indexes.chunks(LOOKUP_CHUNK).map(move |chunk| (*spec, chunk)))
            .collect();
        let requests: Vec<ffi::OffsetLookup<'_>> = chunks
            .iter()
            .map(|(spec, indexes)| ffi::OffsetLookup {
                entries: indexes.iter().map(|&index| entry(&queries[index].0, wire_spec(*spec))).collect(),
                read_committed: *spec == OffsetSpec::LatestStable,
            })
            .collect();
        let results =
            self.ask(self.connection().timeout, usize::MAX, |native, wait| ffi::list_offsets(native, wait, &requests));
        let mut answers: Vec<Result<Option<FoundOffset>, BrokerFault>> =
            queries.iter().map(|_| Err(BrokerFault::no_answer())).collect();
        for ((spec, indexes), result) in chunks.into_iter().zip(results) {
            match result {
                Err(fault) => {
                    let fault = self.explain(fault);
                    for &index in indexes {
                        answers[index] = Err(fault.clone());
                    }
                }
                Ok(rows) => {
                    for (&index, row) in indexes.iter().zip(rows) {
                        if let Some(row) = row {
                            answers[index] = found_offset(spec, row);
                        }
                    }
                }
            }
        }
        answers
    }
}

/// Kafka's `ListOffsetsRequest`: −1 latest, −2 earliest, else a timestamp.
fn wire_spec(spec: OffsetSpec) -> i64 {
    match spec {
        OffsetSpec::Earliest => -2,
        OffsetSpec::Latest | OffsetSpec::LatestStable => -1,
        OffsetSpec::AtTime(timestamp_ms) => timestamp_ms.max(0),
    }
}

fn found_offset(spec: OffsetSpec, row: ffi::FoundOffset) -> Result<Option<FoundOffset>, BrokerFault> {
    if let Some(fault) = row.fault {
        return Err(BrokerFault::from(fault));
    }
    match (row.offset, spec) {
        (offset @ 0.., _) => {
            Ok(Some(FoundOffset { offset, timestamp_ms: (row.timestamp >= 0).then_some(row.timestamp) }))
        }
        // Kafka's "no record at or after that time".
        (-1, OffsetSpec::AtTime(_)) => Ok(None),
        _ => Err(BrokerFault::leader_did_not_answer()),
    }
}

fn commit_row(row: owned::PartitionRow) -> CommitRow {
    let commit = match row.fault {
        Some(fault) => Err(BrokerFault::from(fault)),
        None if row.offset < 0 => Ok(None),
        None => Ok(Some(CommittedOffset {
            offset: row.offset,
            leader_epoch: (row.leader_epoch >= 0).then_some(row.leader_epoch),
            metadata: String::from_utf8_lossy(&row.metadata.unwrap_or_default()).into_owned(),
        })),
    };
    CommitRow { partition: TopicPartition::new(row.topic, row.partition), commit }
}
