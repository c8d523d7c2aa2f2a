//! Lag of groups, gathered and put together.

use super::gather::{self, Commit, Log};
use crate::error::{Error, Result};
use crate::kafka::{BrokerFault, Cluster};
use crate::model::{GroupDescription, GroupState, GroupType, Member, Timestamp, TopicDescription, TopicPartition};
use crate::plan::lag::standing;
use crate::report::{
    DescribeReport, GroupError, GroupReport, GroupTotal, PartitionReport, PartitionStatus, VERSION, Warning,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Describes these groups. A group that fails stands in the report with its error.
pub fn describe<C: Cluster + ?Sized>(
    cluster: &C,
    names: &[&str],
    clock: impl Fn() -> Timestamp,
) -> Result<DescribeReport> {
    // Commits are read before ends, so that lag is never negative by a race.
    let (described, mut commits) = std::thread::scope(|scope| {
        let commits = scope.spawn(|| gather::all_commits(cluster, names));
        let described = gather::groups(cluster, names);
        (described, commits.join())
    });
    let described = described?;
    let mut commits = match &mut commits {
        Ok(commits) => std::mem::take(commits),
        Err(_) => return Err(Error::new(crate::error::Code::Internal, "the thread that reads commits ended early")),
    };
    let captured_at = clock();

    let mut topic_names: BTreeSet<&str> = BTreeSet::new();
    for (group, commits) in described.iter().zip(&commits) {
        topic_names.extend(commits.iter().flat_map(|commits| commits.keys()).map(|partition| partition.topic.as_str()));
        topic_names.extend(group.iter().flat_map(assigned).map(|(assignment, _)| assignment));
    }
    let topics = gather::topics(cluster, &topic_names);

    // Rows: committed, assigned, and each partition of a topic that has a commit.
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

    let existing: Vec<TopicPartition> = rows
        .iter()
        .flatten()
        .filter(|row| matches!(topics.get(&row.topic), Some(Ok(topic)) if topic.partitions.contains(&row.partition)))
        .cloned()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let answers = gather::logs(cluster, &existing, None);
    let logs: HashMap<&TopicPartition, &Log> = existing.iter().zip(&answers).collect();

    let mut warnings = Vec::new();
    let mut groups: Vec<GroupReport> = Vec::with_capacity(names.len());
    for (((&name, group), commits), rows) in names.iter().zip(described).zip(commits).zip(rows) {
        groups.push(match (group, commits) {
            (Ok(group), Ok(commits)) => {
                if group.group_type == GroupType::Unmanaged {
                    warnings.push(unmanaged(name));
                }
                let readers = readers(&group);
                let rows = rows
                    .iter()
                    .map(|row| {
                        let commit = commits.get(row).unwrap_or(&Commit::Absent);
                        partition(
                            row,
                            commit,
                            topics.get(&row.topic),
                            logs.get(row).copied(),
                            readers.get(row).copied(),
                        )
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
        groups,
        warnings,
        visibility: None,
    })
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
    let error = GroupError { code: error.code.as_str().to_owned(), message: error.message.clone() };
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
            "group `{group}` is a share or streams group: its members can't be seen from here; use Kafka's `kafka-share-groups` or \
             `kafka-streams-groups`"
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
    };
    let watermarks = match (topic, log) {
        (Some(Err(fault)), _) => Err(fault.clone()),
        (Some(Ok(topic)), _) if !topic.partitions.contains(&row.partition) => {
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

/// All groups that the brokers list as consumer groups, and those that only the list of names tells: share and streams groups.
pub fn all_groups<C: Cluster + ?Sized>(cluster: &C) -> Result<(Vec<String>, Vec<BrokerFault>)> {
    let (listing, names) = std::thread::scope(|scope| {
        let names = scope.spawn(|| cluster.group_names());
        (cluster.list_groups(), names.join())
    });
    let listing = listing?;
    let mut groups: BTreeMap<String, ()> = listing.groups.into_iter().map(|listed| (listed.group, ())).collect();
    let mut faults = listing.faults;
    match names {
        Ok(Ok(names)) => groups.extend(names.into_iter().map(|name| (name, ()))),
        // A broker that does not answer is told by the listing already; only where the listing is whole is this news.
        _ if faults.is_empty() => faults.push(BrokerFault::no_answer()),
        _ => {}
    }
    Ok((groups.into_keys().collect(), faults))
}
