//! Lag of groups, gathered and put together.

use super::gather::{self, Commit, DescribedGroup, Log};
use crate::error::{Code, Error, Result};
use crate::kafka::{BrokerFault, Cluster, CommitLookup, ListedGroup};
use crate::model::{
    GroupDescription, GroupState, GroupType, Member, PartitionSet, Timestamp, TopicDescription, TopicPartition,
    TopicSelection,
};
use crate::plan::lag::standing;
use crate::report::{
    DescribeReport, GroupError, GroupReport, GroupTotal, PartitionReport, PartitionStatus, VERSION, Warning,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The groups, by name, without duplicates.
    pub groups: Vec<String>,
    /// These topics alone, and then also where there is no commit; `None`: what the group has commits on or was assigned.
    pub topics: Option<BTreeMap<String, PartitionSet>>,
    /// What a listing already told of groups that are Empty: they have no members to ask for.
    pub empty: HashMap<String, ListedGroup>,
}

impl Request {
    /// These groups as a whole.
    pub fn of(groups: &[&str]) -> Self {
        Request { groups: groups.iter().map(|&group| group.to_owned()).collect(), ..Request::default() }
    }
}

/// What was gathered of the groups: the report's raw material.
struct Gathered {
    described: Vec<DescribedGroup>,
    commits: Vec<Result<BTreeMap<TopicPartition, Commit>, BrokerFault>>,
    topics: HashMap<String, Result<TopicDescription, BrokerFault>>,
    rows: Vec<BTreeSet<TopicPartition>>,
    captured_at: Timestamp,
}

/// Describes these groups. A group that fails stands in the report with its error.
pub fn describe<C: Cluster + ?Sized>(
    cluster: &C,
    request: &Request,
    clock: impl Fn() -> Timestamp,
) -> Result<DescribeReport> {
    // Commits are read before ends, so that lag is never negative by a race.
    let gathered = match &request.topics {
        None => gather_all(cluster, request, clock)?,
        Some(topics) => gather_topics(cluster, request, topics, clock)?,
    };
    let Gathered { described, commits, topics, rows, captured_at } = gathered;
    let existing: Vec<TopicPartition> = rows
        .iter()
        .flatten()
        .filter(|row| matches!(topics.get(&row.topic), Some(Ok(topic)) if topic.has_partition(row.partition)))
        .cloned()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let answers = gather::logs(cluster, &existing, &[]);
    let logs: HashMap<&TopicPartition, &Log> = existing.iter().zip(&answers).collect();

    let mut warnings = Vec::new();
    let mut groups: Vec<GroupReport> = Vec::with_capacity(request.groups.len());
    for (((name, group), commits), rows) in request.groups.iter().zip(described).zip(commits).zip(rows) {
        groups.push(match (group, commits) {
            (Ok(group), Ok(commits)) => {
                if group.group_type == GroupType::Unmanaged {
                    warnings.push(unmanaged(name));
                }
                let readers = readers(&group);
                // In a group at rest each partition has its reader, unless nobody subscribes to the topic any more.
                let at_rest = group.state == GroupState::Stable;
                let rows = rows
                    .iter()
                    .map(|row| {
                        let commit = commits.get(row).unwrap_or(&Commit::Absent);
                        let reader = readers.get(row).copied();
                        let log = logs.get(row).copied();
                        let mut report = partition(row, commit, topics.get(&row.topic), log, reader);
                        if at_rest && reader.is_none() && report.status == PartitionStatus::Ok {
                            report.reason.get_or_insert_with(|| "no member reads it".to_owned());
                        }
                        report
                    })
                    .collect();
                report(group, rows)
            }
            (Err(error), _) => failed_group(name, &error),
            (Ok(group), Err(fault)) => {
                let error = fault.into_error(&format!("reading the commits of group `{name}`"));
                GroupReport { error: failed_group(name, &error).error, ..report(group, Vec::new()) }
            }
        });
    }
    groups.sort_by(|a, b| a.group.cmp(&b.group));
    Ok(DescribeReport {
        kind: "describe".to_owned(),
        version: VERSION,
        cluster_id: cluster.cluster_id()?,
        captured_at,
        topics: request.topics.as_ref().map(|topics| {
            let text = |(topic, partitions): (&String, &PartitionSet)| {
                TopicSelection { topic: topic.clone(), partitions: partitions.clone() }.to_string()
            };
            topics.iter().map(text).collect()
        }),
        groups,
        warnings,
        visibility: gather::visibility(cluster),
    })
}

/// Describes the groups that have members to tell of; what a listing told of Empty ones is taken as it is.
fn describe_groups<C: Cluster + ?Sized>(cluster: &C, request: &Request) -> Vec<DescribedGroup> {
    let asked: Vec<&str> =
        request.groups.iter().map(String::as_str).filter(|name| !request.empty.contains_key(*name)).collect();
    let mut answers: HashMap<&str, DescribedGroup> =
        asked.iter().copied().zip(gather::groups(cluster, &asked)).collect();
    request
        .groups
        .iter()
        .map(|name| match request.empty.get(name) {
            Some(listed) => Ok(GroupDescription {
                group: name.clone(),
                group_type: listed.group_type,
                state: listed.state,
                is_simple: listed.is_simple,
                assignor: None,
                coordinator: None,
                members: Vec::new(),
            }),
            None => answers.remove(name.as_str()).unwrap_or_else(|| Err(gather::group_not_found(name))),
        })
        .collect()
}

/// Rows: committed, assigned, and each partition of a topic that has a commit.
fn gather_all<C: Cluster + ?Sized>(cluster: &C, request: &Request, clock: impl Fn() -> Timestamp) -> Result<Gathered> {
    let names: Vec<&str> = request.groups.iter().map(String::as_str).collect();
    let (described, commits) = std::thread::scope(|scope| {
        let commits = scope.spawn(|| gather::all_commits(cluster, &names));
        let described = describe_groups(cluster, request);
        (described, commits.join())
    });
    let Ok(mut commits) = commits else {
        return Err(Error::new(Code::Internal, "the thread that reads commits ended early"));
    };
    let captured_at = clock();
    let mut topic_names: BTreeSet<&str> = BTreeSet::new();
    for (group, commits) in described.iter().zip(&commits) {
        topic_names.extend(commits.iter().flat_map(|commits| commits.keys()).map(|partition| partition.topic.as_str()));
        topic_names.extend(group.iter().flat_map(assigned).map(|(assignment, _)| assignment));
    }
    let topics = gather::topics(cluster, &topic_names);
    let mut rows: Vec<BTreeSet<TopicPartition>> = Vec::with_capacity(names.len());
    for (group, commits) in described.iter().zip(&commits) {
        let mut of_group: BTreeSet<TopicPartition> = BTreeSet::new();
        if let (Ok(group), Ok(commits)) = (group, commits) {
            let with_commit: BTreeSet<&str> = commits.keys().map(|partition| partition.topic.as_str()).collect();
            for topic in with_commit {
                if let Some(Ok(description)) = topics.get(topic) {
                    of_group
                        .extend(description.partitions.iter().map(|&partition| TopicPartition::new(topic, partition)));
                }
            }
            of_group.extend(commits.keys().cloned());
            of_group.extend(assigned(group).map(|(topic, partition)| TopicPartition::new(topic, partition)));
        }
        rows.push(of_group);
    }
    // A first commit that is still pending, and what the broker hides from a list of all, is told only to who asks by name.
    for ((&name, rows), commits) in names.iter().zip(&rows).zip(&mut commits) {
        let Ok(commits) = commits else { continue };
        let unlisted: Vec<TopicPartition> = rows.iter().filter(|row| !commits.contains_key(row)).cloned().collect();
        match gather::commits(cluster, name, &unlisted) {
            Ok(more) => commits.extend(more),
            Err(fault) => commits.extend(unlisted.into_iter().map(|row| (row, Commit::Failed(fault.clone())))),
        }
    }
    Ok(Gathered { described, commits, topics, rows, captured_at })
}

/// Rows: the partitions of the topics that were named, with or without a commit.
fn gather_topics<C: Cluster + ?Sized>(
    cluster: &C,
    request: &Request,
    wanted: &BTreeMap<String, PartitionSet>,
    clock: impl Fn() -> Timestamp,
) -> Result<Gathered> {
    let (described, topics) = std::thread::scope(|scope| {
        let topics = scope.spawn(|| gather::topics(cluster, &wanted.keys().map(String::as_str).collect()));
        let described = describe_groups(cluster, request);
        (described, topics.join().unwrap_or_default())
    });
    let partitions = gather::selected(wanted, &topics)?;
    let names: Vec<&str> = request.groups.iter().map(String::as_str).collect();
    let lookups: Vec<CommitLookup<'_>> =
        names.iter().map(|&group| CommitLookup { group, partitions: Some(&partitions) }).collect();
    let commits = gather::commits_of_each(cluster, &lookups);
    let captured_at = clock();
    let rows = names.iter().map(|_| partitions.iter().cloned().collect()).collect();
    Ok(Gathered { described, commits, topics, rows, captured_at })
}

fn assigned(group: &GroupDescription) -> impl Iterator<Item = (&str, i32)> {
    group
        .members
        .iter()
        .flat_map(|member| &member.assignment)
        .flat_map(|assignment| assignment.partitions.iter().map(|&partition| (assignment.topic.as_str(), partition)))
}

fn readers(group: &GroupDescription) -> HashMap<TopicPartition, &Member> {
    let mut readers = HashMap::new();
    for member in &group.members {
        for assignment in &member.assignment {
            for &partition in &assignment.partitions {
                readers.insert(TopicPartition::new(assignment.topic.as_str(), partition), member);
            }
        }
    }
    readers
}

fn report(group: GroupDescription, partitions: Vec<PartitionReport>) -> GroupReport {
    GroupReport {
        group: group.group,
        group_type: group.group_type,
        state: group.state,
        is_simple: group.is_simple && group.group_type != GroupType::Unmanaged,
        assignor: group.assignor,
        coordinator: group.coordinator,
        members: group.members,
        total: GroupTotal::of(&partitions),
        partitions,
        error: None,
    }
}

fn failed_group(name: &str, error: &Error) -> GroupReport {
    let description = GroupDescription {
        group: name.to_owned(),
        group_type: GroupType::Unknown,
        state: GroupState::Unknown,
        is_simple: false,
        assignor: None,
        coordinator: None,
        members: Vec::new(),
    };
    let error =
        GroupError { code: error.code.as_str().to_owned(), message: error.message.clone(), hints: error.hints.clone() };
    let mut report = report(description, Vec::new());
    report.total.lag = None;
    report.total.lost = None;
    report.error = Some(error);
    report
}

fn unmanaged(group: &str) -> Warning {
    Warning::of_group(
        "unmanaged-group",
        group,
        format!(
            "group `{group}` is a share, streams or Connect group: its members can't be seen from here; use Kafka's \
             `kafka-share-groups` or `kafka-streams-groups`, or the Connect cluster's REST interface"
        ),
    )
}

fn partition(
    row: &TopicPartition,
    commit: &Commit,
    topic: Option<&Result<TopicDescription, BrokerFault>>,
    log: Option<&Log>,
    reader: Option<&Member>,
) -> PartitionReport {
    let (committed, pending) = match commit {
        Commit::Absent | Commit::Failed(_) => (None, false),
        Commit::Stands(committed) => (Some(committed), false),
        Commit::Pending(before) => (before.as_ref(), true),
    };
    let mut report = PartitionReport {
        topic: row.topic.clone(),
        topic_id: topic.and_then(|topic| topic.as_ref().ok()).and_then(|topic| topic.topic_id.clone()),
        partition: row.partition,
        current_offset: committed.map(|committed| committed.offset),
        log_start_offset: None,
        log_end_offset: None,
        last_stable_offset: None,
        lag: None,
        lost: None,
        time_lag_ms: None,
        oldest_unread_timestamp: None,
        leader_epoch: committed.and_then(|committed| committed.leader_epoch),
        metadata: committed.map(|committed| committed.metadata.clone()),
        member_id: reader.map(|member| member.member_id.clone()),
        client_id: reader.map(|member| member.client_id.clone()),
        host: reader.map(|member| member.host.clone()),
        status: PartitionStatus::Error,
        reason: None,
        consume_rate: None,
        produce_rate: None,
        caught_up_seconds: None,
    };
    let watermarks = match (topic, log) {
        (Some(Err(fault)), _) => Err(fault.clone()),
        (Some(Ok(topic)), _) if !topic.has_partition(row.partition) => {
            report.status = PartitionStatus::TopicMissing;
            report.reason = Some(format!(
                "topic `{}` has no partition {}: it has {}",
                row.topic,
                row.partition,
                topic.partitions.len()
            ));
            return report;
        }
        (Some(Ok(_)), Some(log)) => log.watermarks.clone(),
        _ => Err(BrokerFault::no_answer()),
    };
    if let Ok(log) = &watermarks {
        report.log_start_offset = Some(log.log_start);
        report.log_end_offset = Some(log.high_watermark);
        report.last_stable_offset = Some(log.last_stable);
    }
    let fault = match (commit, &watermarks) {
        (Commit::Failed(fault), _) => Some(fault.clone()),
        (_, Err(fault)) => Some(fault.clone()),
        _ => None,
    };
    match (fault, watermarks) {
        (None, Ok(log)) => {
            let standing = standing(report.current_offset, pending, log);
            report.lag = standing.lag;
            report.lost = standing.lost;
            report.status = standing.status;
            report.reason = standing.reason;
        }
        (fault, _) => {
            let fault = fault.unwrap_or_else(BrokerFault::no_answer);
            report.status = failure(&fault, topic, row.partition);
            report.reason = Some(fault.to_string());
        }
    }
    report
}

fn failure(
    fault: &BrokerFault,
    topic: Option<&Result<TopicDescription, BrokerFault>>,
    partition: i32,
) -> PartitionStatus {
    use crate::kafka::codes;
    let leaderless = matches!(topic, Some(Ok(topic)) if topic.leaderless.contains(&partition));
    if fault.is_missing_topic() {
        PartitionStatus::TopicMissing
    } else if fault.is_unauthorized() {
        PartitionStatus::Unauthorized
    } else if leaderless || fault.code == codes::LEADER_NOT_AVAILABLE {
        PartitionStatus::NoLeader
    } else {
        PartitionStatus::Error
    }
}
