//! A cluster in memory, for tests of the modules that drive one: it answers what a test told it.

use super::{
    BrokerFault, Cluster, CommitLookup, CommitRow, FoundOffset, GroupListing, GroupNames, OffsetSpec, Settings,
    WriteRow, codes,
};
use crate::error::Result;
use crate::model::{
    CommittedOffset, GroupDescription, GroupState, GroupType, Member, TopicDescription, TopicPartition,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// What the fake holds.
#[derive(Default)]
pub struct State {
    /// Groups that a describe can see.
    pub groups: BTreeMap<String, GroupDescription>,
    /// Names that only the list of all names tells.
    pub other_names: BTreeSet<String>,
    /// Commits by group.
    pub commits: BTreeMap<String, BTreeMap<TopicPartition, CommittedOffset>>,
    /// Partitions on which a transaction holds a commit.
    pub pending: BTreeSet<TopicPartition>,
    /// Log start and end, by partition.
    pub logs: BTreeMap<TopicPartition, (i64, i64)>,
    /// Faults of partitions when their offsets are looked up.
    pub log_faults: BTreeMap<TopicPartition, i32>,
    /// Topic ids.
    pub topic_ids: BTreeMap<String, String>,
    /// What was asked for, in order: `commits`, `offsets`.
    pub calls: Vec<&'static str>,
    /// Whether commits can be read at all.
    pub commits_unreadable: bool,
}

/// A cluster in memory.
#[derive(Default)]
pub struct Fake(pub Mutex<State>);

/// A fault of this code.
pub fn fault(code: i32) -> BrokerFault {
    BrokerFault { code, name: format!("CODE_{code}"), message: format!("code {code}") }
}

/// A group of this state with these members.
pub fn group(name: &str, state: GroupState, members: Vec<Member>) -> GroupDescription {
    GroupDescription {
        group: name.to_owned(),
        group_type: GroupType::Classic,
        state,
        is_simple: false,
        assignor: None,
        coordinator: None,
        members,
    }
}

impl Fake {
    /// Changes what it holds.
    pub fn set<R>(&self, change: impl FnOnce(&mut State) -> R) {
        change(&mut self.0.lock().unwrap());
    }

    /// A partition's log, with its topic.
    pub fn log(&self, topic: &str, partition: i32, start: i64, end: i64) {
        self.set(|state| {
            state.logs.insert(TopicPartition::new(topic, partition), (start, end));
            state.topic_ids.entry(topic.to_owned()).or_insert_with(|| format!("id-{topic}"));
        });
    }

    /// A commit.
    pub fn commit(&self, group: &str, topic: &str, partition: i32, offset: i64) {
        let commit = CommittedOffset { offset, leader_epoch: None, metadata: "kept".to_owned() };
        self.set(|state| {
            state.commits.entry(group.to_owned()).or_default().insert(TopicPartition::new(topic, partition), commit);
        });
    }
}

impl Cluster for Fake {
    fn is_restricted(&self) -> Option<bool> {
        Some(false)
    }
    fn cluster_id(&self) -> Result<String> {
        Ok("fake".to_owned())
    }

    fn list_groups(&self) -> Result<GroupListing> {
        Ok(GroupListing { groups: Vec::new(), silent: Vec::new() })
    }

    fn group_names(&self) -> GroupNames {
        let state = self.0.lock().unwrap();
        GroupNames { names: state.groups.keys().chain(&state.other_names).cloned().collect(), fault: None }
    }

    fn describe_groups(&self, groups: &[&str]) -> Vec<Result<GroupDescription, BrokerFault>> {
        let state = self.0.lock().unwrap();
        groups
            .iter()
            .map(|&name| {
                Ok(state.groups.get(name).cloned().unwrap_or_else(|| group(name, GroupState::Dead, Vec::new())))
            })
            .collect()
    }

    fn committed_offsets(
        &self,
        lookups: &[CommitLookup<'_>],
        require_stable: bool,
    ) -> Vec<Result<Vec<CommitRow>, BrokerFault>> {
        let mut state = self.0.lock().unwrap();
        state.calls.push("commits");
        let none = BTreeMap::new();
        lookups
            .iter()
            .map(|lookup| {
                if state.commits_unreadable {
                    return Err(fault(codes::TIMED_OUT));
                }
                let commits = state.commits.get(lookup.group).unwrap_or(&none);
                let asked: Vec<TopicPartition> = match lookup.partitions {
                    Some(partitions) => partitions.to_vec(),
                    None => commits.keys().cloned().collect(),
                };
                Ok(asked
                    .into_iter()
                    .map(|partition| {
                        let commit = if require_stable && state.pending.contains(&partition) {
                            Err(fault(codes::UNSTABLE_OFFSET_COMMIT))
                        } else {
                            Ok(commits.get(&partition).cloned())
                        };
                        CommitRow { partition, commit }
                    })
                    .collect())
            })
            .collect()
    }

    fn alter_committed_offsets(&self, group: &str, rows: &[WriteRow]) -> Result<Vec<Result<(), BrokerFault>>> {
        let mut state = self.0.lock().unwrap();
        let commits = state.commits.entry(group.to_owned()).or_default();
        for row in rows {
            let commit = CommittedOffset { offset: row.offset, leader_epoch: None, metadata: row.metadata.clone() };
            commits.insert(row.partition.clone(), commit);
        }
        Ok(rows.iter().map(|_| Ok(())).collect())
    }

    fn delete_committed_offsets(
        &self,
        group: &str,
        partitions: &[TopicPartition],
    ) -> Result<Vec<Result<(), BrokerFault>>> {
        let mut state = self.0.lock().unwrap();
        let commits = state.commits.entry(group.to_owned()).or_default();
        for partition in partitions {
            commits.remove(partition);
        }
        Ok(partitions.iter().map(|_| Ok(())).collect())
    }

    fn delete_group(&self, group: &str) -> Result<Result<(), BrokerFault>> {
        let mut state = self.0.lock().unwrap();
        state.groups.remove(group);
        state.commits.remove(group);
        Ok(Ok(()))
    }

    fn list_offsets(&self, queries: &[(TopicPartition, OffsetSpec)]) -> Vec<Result<Option<FoundOffset>, BrokerFault>> {
        let mut state = self.0.lock().unwrap();
        state.calls.push("offsets");
        queries
            .iter()
            .map(|(partition, spec)| {
                if let Some(code) = state.log_faults.get(partition) {
                    return Err(fault(*code));
                }
                let (start, end) =
                    state.logs.get(partition).copied().ok_or_else(|| fault(codes::UNKNOWN_TOPIC_OR_PARTITION))?;
                Ok(match spec {
                    OffsetSpec::Earliest => Some(FoundOffset { offset: start, timestamp_ms: None }),
                    OffsetSpec::Latest | OffsetSpec::LatestStable => {
                        Some(FoundOffset { offset: end, timestamp_ms: None })
                    }
                    OffsetSpec::AtTime(_) => None,
                })
            })
            .collect()
    }

    fn describe_topics(&self, topics: &[&str]) -> Vec<Result<TopicDescription, BrokerFault>> {
        let state = self.0.lock().unwrap();
        topics
            .iter()
            .map(|&topic| {
                let partitions: Vec<i32> =
                    state.logs.keys().filter(|log| log.topic == topic).map(|log| log.partition).collect();
                if partitions.is_empty() {
                    return Err(fault(codes::UNKNOWN_TOPIC_OR_PARTITION));
                }
                Ok(TopicDescription {
                    topic: topic.to_owned(),
                    topic_id: state.topic_ids.get(topic).cloned(),
                    partitions,
                    leaderless: BTreeSet::new(),
                    is_internal: false,
                })
            })
            .collect()
    }

    fn topic_settings(&self, topics: &[&str], _: &[&str]) -> Vec<Result<Settings, BrokerFault>> {
        topics.iter().map(|_| Ok(Settings::new())).collect()
    }

    fn broker_settings(&self, _: i32, _: &[&str]) -> Result<Settings, BrokerFault> {
        Ok(Settings::new())
    }

    fn topic_names(&self) -> Result<Vec<String>, BrokerFault> {
        Ok(self.0.lock().unwrap().topic_ids.keys().cloned().collect())
    }
}
