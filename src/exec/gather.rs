//! What the cluster says of groups, topics and logs, in as few round trips as that takes.

use crate::error::{Code, Error, Result};
use crate::kafka::{BrokerFault, Cluster, CommitLookup, FoundOffset, OffsetSpec};
use crate::model::{CommittedOffset, GroupDescription, GroupType, PartitionSet, TopicDescription, TopicPartition};
use crate::offset::TimeLookup;
use crate::watermark::Watermarks;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A partition's commit as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// None.
    Absent,
    /// This one.
    Stands(CommittedOffset),
    /// A transaction holds another one that is not decided; this is the one before it.
    Pending(Option<CommittedOffset>),
    /// It could not be read.
    Failed(BrokerFault),
}

/// A group as its coordinator describes it, absent and unmanaged ones told apart.
pub type DescribedGroup = Result<GroupDescription, Error>;

/// Describes groups, in the order asked. "Dead, no members" is what brokers say of an absent group and of a share or streams
/// group alike: the list of all names tells them apart, and only then is it asked for.
pub fn groups<C: Cluster + ?Sized>(cluster: &C, names: &[&str]) -> Vec<DescribedGroup> {
    let answers = cluster.describe_groups(names);
    let dead = answers.iter().any(|answer| answer.as_ref().is_ok_and(GroupDescription::is_dead));
    let listed = dead.then(|| cluster.group_names());
    names
        .iter()
        .zip(answers)
        .map(|(&name, answer)| match answer {
            Err(fault) => Err(fault.into_error(&format!("describing group `{name}`"))),
            Ok(description) if !description.is_dead() => Ok(description),
            Ok(mut description) if listed.as_ref().is_some_and(|listed| listed.names.contains(name)) => {
                description.group_type = GroupType::Unmanaged;
                description.state = crate::model::GroupState::Unknown;
                Ok(description)
            }
            Ok(_) => Err(match listed.as_ref().and_then(|listed| listed.fault.clone()) {
                Some(fault) => fault.into_error(&format!("telling whether group `{name}` exists")),
                None => group_not_found(name),
            }),
        })
        .collect()
}

/// No such group.
pub fn group_not_found(name: &str) -> Error {
    Error::new(Code::GroupNotFound, format!("group `{name}` does not exist"))
        .hint("names are literal and case-sensitive; `krewind describe --all-groups` shows those that exist")
}

/// `authorized` where brokers may leave out of their answers what this login may not describe.
pub fn visibility<C: Cluster + ?Sized>(cluster: &C) -> Option<String> {
    cluster.is_restricted().unwrap_or(false).then(|| "authorized".to_owned())
}

/// All commits of each group, in the order asked; pending ones told from decided ones.
pub fn all_commits<C: Cluster + ?Sized>(
    cluster: &C,
    groups: &[&str],
) -> Vec<Result<BTreeMap<TopicPartition, Commit>, BrokerFault>> {
    let lookups: Vec<CommitLookup<'_>> = groups.iter().map(|&group| CommitLookup { group, partitions: None }).collect();
    commits_of_each(cluster, &lookups)
}

/// The commits of one group on these partitions.
pub fn commits<C: Cluster + ?Sized>(
    cluster: &C,
    group: &str,
    partitions: &[TopicPartition],
) -> Result<BTreeMap<TopicPartition, Commit>, BrokerFault> {
    if partitions.is_empty() {
        return Ok(BTreeMap::new());
    }
    let lookup = CommitLookup { group, partitions: Some(partitions) };
    commits_of_each(cluster, &[lookup]).pop().unwrap_or_else(|| Err(BrokerFault::no_answer()))
}

/// The commits that each lookup asks for, in the order asked.
pub fn commits_of_each<C: Cluster + ?Sized>(
    cluster: &C,
    lookups: &[CommitLookup<'_>],
) -> Vec<Result<BTreeMap<TopicPartition, Commit>, BrokerFault>> {
    let answers = cluster.committed_offsets(lookups, true);
    lookups
        .iter()
        .zip(answers)
        .map(|(lookup, answer)| {
            let mut commits: BTreeMap<TopicPartition, Commit> =
                answer?.into_iter().map(|row| (row.partition, commit(row.commit))).collect();
            values_before_pending(cluster, lookup.group, &mut commits);
            Ok(commits)
        })
        .collect()
}

/// Each partition that was selected, in order; a topic or partition that does not exist is an error.
pub fn selected(
    wanted: &BTreeMap<String, PartitionSet>,
    topics: &HashMap<String, Result<TopicDescription, BrokerFault>>,
) -> Result<Vec<TopicPartition>> {
    let mut partitions: BTreeSet<TopicPartition> = BTreeSet::new();
    for (name, set) in wanted {
        let topic = match topics.get(name) {
            Some(Ok(topic)) => topic,
            Some(Err(fault)) if fault.is_missing_topic() => return Err(topic_not_found(name)),
            Some(Err(fault)) => return Err(fault.clone().into_error(&format!("describing topic `{name}`"))),
            None => return Err(BrokerFault::no_answer().into_error(&format!("describing topic `{name}`"))),
        };
        let numbers: Vec<i32> = match set {
            PartitionSet::All => topic.partitions.clone(),
            PartitionSet::Only(numbers) => numbers.iter().copied().collect(),
        };
        for number in numbers {
            if !topic.has_partition(number) {
                return Err(Error::new(
                    Code::TopicNotFound,
                    format!("topic `{name}` has no partition {number}: it has {}", topic.partitions.len()),
                ));
            }
            partitions.insert(TopicPartition::new(name.as_str(), number));
        }
    }
    Ok(partitions.into_iter().collect())
}

/// No such topic, or one that may not be described.
fn topic_not_found(name: &str) -> Error {
    Error::new(Code::TopicNotFound, format!("topic `{name}` does not exist"))
        .hint("names are literal and case-sensitive; a topic that may not be described looks the same")
}

fn commit(answer: Result<Option<CommittedOffset>, BrokerFault>) -> Commit {
    match answer {
        Ok(None) => Commit::Absent,
        Ok(Some(committed)) => Commit::Stands(committed),
        Err(fault) if fault.code == crate::kafka::codes::UNSTABLE_OFFSET_COMMIT => Commit::Pending(None),
        Err(fault) => Commit::Failed(fault),
    }
}

/// Asks for the values before pending commits, which a stable read does not give.
fn values_before_pending<C: Cluster + ?Sized>(
    cluster: &C,
    group: &str,
    commits: &mut BTreeMap<TopicPartition, Commit>,
) {
    let pending: Vec<TopicPartition> = commits
        .iter()
        .filter(|(_, commit)| matches!(commit, Commit::Pending(_)))
        .map(|(partition, _)| partition.clone())
        .collect();
    if pending.is_empty() {
        return;
    }
    let lookup = CommitLookup { group, partitions: Some(&pending) };
    let Some(Ok(rows)) = cluster.committed_offsets(&[lookup], false).pop() else { return };
    for row in rows {
        if let Ok(before) = row.commit {
            commits.insert(row.partition, Commit::Pending(before));
        }
    }
}

/// Topics by name.
pub fn topics<C: Cluster + ?Sized>(
    cluster: &C,
    names: &BTreeSet<&str>,
) -> HashMap<String, Result<TopicDescription, BrokerFault>> {
    if names.is_empty() {
        return HashMap::new();
    }
    let names: Vec<&str> = names.iter().copied().collect();
    let answers = cluster.describe_topics(&names);
    names.iter().map(|&name| name.to_owned()).zip(answers).collect()
}

/// One partition's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Its bounds.
    pub watermarks: Result<Watermarks, BrokerFault>,
    /// The first record at or after the time that was asked for; `Ok(None)`: no such record.
    pub at_time: Option<Result<Option<FoundOffset>, BrokerFault>>,
}

impl Log {
    /// What the lookup of its time answered, as offset resolution takes it.
    pub fn time(&self) -> Result<TimeLookup, BrokerFault> {
        match &self.at_time {
            None => Ok(TimeLookup::NotAsked),
            Some(Err(fault)) => Err(fault.clone()),
            Some(Ok(None)) => Ok(TimeLookup::NoRecord),
            Some(Ok(Some(found))) => Ok(TimeLookup::Found { offset: found.offset, timestamp_ms: found.timestamp_ms }),
        }
    }
}

/// The logs of these partitions, in the order asked; with a time (in the place of its partition) also the first record at or
/// after it.
pub fn logs<C: Cluster + ?Sized>(cluster: &C, partitions: &[TopicPartition], times_ms: &[Option<i64>]) -> Vec<Log> {
    logs_by(cluster, [OffsetSpec::Earliest, OffsetSpec::LatestStable, OffsetSpec::Latest], partitions, times_ms)
}

/// The bounds of these logs, in the order asked, without their last stable offsets, in whose place the high watermark stands: for
/// a look whose rows nobody sees.
pub fn bounds<C: Cluster + ?Sized>(cluster: &C, partitions: &[TopicPartition]) -> Vec<Log> {
    logs_by(cluster, [OffsetSpec::Earliest, OffsetSpec::Latest], partitions, &[])
}

/// The first of the specs gives the log start, the last one the high watermark, the second one the last stable offset.
fn logs_by<C: Cluster + ?Sized, const SPECS: usize>(
    cluster: &C,
    specs: [OffsetSpec; SPECS],
    partitions: &[TopicPartition],
    times_ms: &[Option<i64>],
) -> Vec<Log> {
    let mut queries: Vec<(TopicPartition, OffsetSpec)> =
        specs.iter().flat_map(|&spec| partitions.iter().map(move |partition| (partition.clone(), spec))).collect();
    let time = |index: usize| times_ms.get(index).copied().flatten();
    let mut places: HashMap<usize, usize> = HashMap::new();
    for (index, partition) in partitions.iter().enumerate() {
        if let Some(time) = time(index) {
            places.insert(index, queries.len());
            queries.push((partition.clone(), OffsetSpec::AtTime(time)));
        }
    }
    let answers = cluster.list_offsets(&queries);
    let count = partitions.len();
    let answer = |place: usize| answers.get(place).cloned().unwrap_or_else(|| Err(BrokerFault::no_answer()));
    let known = |spec: usize, index: usize| -> Result<i64, BrokerFault> {
        answer(spec * count + index)?.map(|found| found.offset).ok_or_else(BrokerFault::leader_did_not_answer)
    };
    (0..count)
        .map(|index| {
            let at_time = places.get(&index).map(|&place| answer(place));
            let watermarks = known(0, index).and_then(|log_start| {
                let (last_stable, high_watermark) = (known(1, index)?, known(SPECS - 1, index)?);
                // The answers are moments apart while the log goes on: a record that one of them saw exists for all.
                let found = at_time.as_ref().and_then(|found| found.as_ref().ok().copied().flatten());
                let last_found = found.map_or(0, |found| found.offset.saturating_add(1));
                let high_watermark = high_watermark.max(log_start).max(last_found);
                Ok(Watermarks { log_start, high_watermark, last_stable: last_stable.clamp(log_start, high_watermark) })
            });
            Log { watermarks, at_time }
        })
        .collect()
}
