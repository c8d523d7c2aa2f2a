//! A look at a group, the plan that follows from it, and the second look right before a write.

use super::gather::{self, Commit};
use crate::error::{Code, Error, Result};
use crate::kafka::{BrokerFault, Cluster};
use crate::model::{
    GroupDescription, GroupState, GroupType, PartitionSet, Timestamp, TopicDescription, TopicPartition,
};
use crate::offset::Target;
use crate::plan::guard::{self, Commits};
use crate::plan::reset::{Destination, Log, PartitionFacts, Place, Planned, ResetSpec, destination_report, plan};
use crate::report::{GroupOutcome, GroupPlan, Preconditions, Refusal, ResetReport, ResetRow, ResetTotal, VERSION};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// How long a pending transactional commit is waited for.
const PENDING_PATIENCE: Duration = Duration::from_secs(3);

/// Which partitions of a group are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Each partition of each topic that the group has a commit on.
    AllTopics,
    /// These.
    Topics(BTreeMap<String, PartitionSet>),
    /// These, gone or not: they were there once.
    Partitions(BTreeSet<TopicPartition>),
}

/// What is asked of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The group's id.
    pub group: String,
    /// Which partitions.
    pub scope: Scope,
    /// Where to.
    pub spec: ResetSpec,
    /// Whether a group that does not exist may be made by the write.
    pub create_group: bool,
}

impl Request {
    /// The same request with the offsets that a plan came to in the place of its target: what is written is what was shown, and
    /// times need no second lookup, which takes a broker longer than all the rest.
    fn at(&self, rows: &[ResetRow]) -> Request {
        let place = |row: &ResetRow| {
            let place = Place { target: Target::Offset(row.new_offset?), metadata: row.new_metadata.clone() };
            Some((TopicPartition::new(row.topic.as_str(), row.partition), place))
        };
        let destination = Destination::Each {
            rows: rows.iter().filter_map(place).collect(),
            from: destination_report(&self.spec.destination),
            otherwise: "left as it is".to_owned(),
        };
        Request { spec: ResetSpec { destination, ..self.spec.clone() }, ..self.clone() }
    }
}

/// One look at a group and its logs.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The group.
    pub description: GroupDescription,
    /// All of its commits, also those outside the scope.
    pub commits: Commits,
    /// Partitions of the scope whose commit a transaction holds.
    pub pending: Vec<TopicPartition>,
    /// The plan that follows.
    pub planned: Planned,
}

/// Looks at the group, and plans.
pub fn look<C: Cluster + ?Sized>(cluster: &C, request: &Request) -> Result<Look> {
    look_by(cluster, request, |partitions, times| gather::logs(cluster, partitions, times))
}

fn look_by<C: Cluster + ?Sized>(
    cluster: &C,
    request: &Request,
    logs: impl Fn(&[TopicPartition], &[Option<i64>]) -> Vec<gather::Log>,
) -> Result<Look> {
    let group = request.group.as_str();
    let named: BTreeSet<&str> = match &request.scope {
        Scope::AllTopics => BTreeSet::new(),
        Scope::Topics(topics) => topics.keys().map(String::as_str).collect(),
        Scope::Partitions(partitions) => partitions.iter().map(|partition| partition.topic.as_str()).collect(),
    };
    let (mut described, commits, mut topics) = std::thread::scope(|scope| {
        let commits = scope.spawn(|| gather::all_commits(cluster, &[group]).pop());
        let topics = scope.spawn(|| gather::topics(cluster, &named));
        let described = gather::groups(cluster, &[group]);
        (described, commits.join().ok().flatten(), topics.join().unwrap_or_default())
    });
    let description = existing_group(described.pop(), request)?;
    let mut commits = commits
        .unwrap_or_else(|| Err(BrokerFault::no_answer()))
        .map_err(|fault| fault.into_error(&format!("reading the commits of group `{group}`")))?;

    if request.scope == Scope::AllTopics {
        let with_commit: BTreeSet<&str> = commits.keys().map(|partition| partition.topic.as_str()).collect();
        topics = gather::topics(cluster, &with_commit);
    }
    let partitions = partitions_in_scope(&request.scope, &topics, &commits)?;
    let unlisted: Vec<TopicPartition> =
        partitions.iter().filter(|partition| !commits.contains_key(partition)).cloned().collect();
    commits.extend(
        gather::commits(cluster, group, &unlisted)
            .map_err(|fault| fault.into_error(&format!("reading the commits of group `{group}`")))?,
    );
    let pending = wait_for_pending(cluster, group, &partitions, &mut commits)?;

    let facts = facts(request, &partitions, &topics, &commits, logs)?;
    let planned = plan(group, &request.spec, &facts);
    let commits = commits
        .into_iter()
        .filter_map(|(partition, commit)| match commit {
            Commit::Stands(committed) | Commit::Pending(Some(committed)) => Some((partition, committed)),
            _ => None,
        })
        .collect();
    Ok(Look { description, commits, pending, planned })
}

fn existing_group(described: Option<gather::DescribedGroup>, request: &Request) -> Result<GroupDescription> {
    let group = &request.group;
    match described {
        Some(Ok(description)) if description.group_type == GroupType::Unmanaged => Err(Error::new(
            Code::UnmanagedGroup,
            format!("group `{group}` is a share, streams or Connect group, which krewind does not write"),
        )
        .hint(format!("a share group: `kafka-share-groups --reset-offsets --group {group}` of Kafka itself"))
        .hint(format!("a Kafka Streams application: `kafka-streams-groups --reset-offsets --group {group}`, which knows its state too"))),
        Some(Ok(description)) => Ok(description),
        Some(Err(error)) if error.code == Code::GroupNotFound && request.create_group => Ok(GroupDescription {
            group: group.clone(),
            group_type: GroupType::Classic,
            state: GroupState::Dead,
            is_simple: true,
            assignor: None,
            coordinator: None,
            members: Vec::new(),
        }),
        Some(Err(error)) if error.code == Code::GroupNotFound => {
            Err(error.hint("`--create-group` makes it, if that is what you want").on_write())
        }
        Some(Err(error)) => Err(error),
        None => Err(BrokerFault::no_answer().into_error(&format!("describing group `{group}`"))),
    }
}

/// Each partition that was asked for; one that does not exist is an error, unless the group itself has a commit there.
fn partitions_in_scope(
    scope: &Scope,
    topics: &HashMap<String, Result<TopicDescription, BrokerFault>>,
    commits: &BTreeMap<TopicPartition, Commit>,
) -> Result<Vec<TopicPartition>> {
    let mut partitions: BTreeSet<TopicPartition> = BTreeSet::new();
    match scope {
        Scope::AllTopics => {
            partitions.extend(commits.keys().cloned());
            for (name, topic) in topics {
                match topic {
                    Ok(topic) => partitions
                        .extend(topic.partitions.iter().map(|&number| TopicPartition::new(name.as_str(), number))),
                    Err(fault) if fault.is_missing_topic() => {}
                    Err(fault) => return Err(fault.clone().into_error(&format!("describing topic `{name}`"))),
                }
            }
        }
        Scope::Partitions(wanted) => {
            for (name, topic) in topics {
                if let Some(fault) = topic.as_ref().err().filter(|fault| !fault.is_missing_topic()) {
                    return Err(fault.clone().into_error(&format!("describing topic `{name}`")));
                }
            }
            partitions.extend(wanted.iter().cloned());
        }
        Scope::Topics(wanted) => partitions.extend(gather::selected(wanted, topics).map_err(Error::on_write)?),
    }
    Ok(partitions.into_iter().collect())
}

/// Waits a moment for transactions to end that hold commits in the scope; what is still held then.
pub(super) fn wait_for_pending<C: Cluster + ?Sized>(
    cluster: &C,
    group: &str,
    partitions: &[TopicPartition],
    commits: &mut BTreeMap<TopicPartition, Commit>,
) -> Result<Vec<TopicPartition>> {
    let deadline = Instant::now() + PENDING_PATIENCE;
    loop {
        let pending: Vec<TopicPartition> = partitions
            .iter()
            .filter(|partition| matches!(commits.get(partition), Some(Commit::Pending(_))))
            .cloned()
            .collect();
        if pending.is_empty() || Instant::now() >= deadline {
            return Ok(pending);
        }
        std::thread::sleep(Duration::from_millis(150));
        let again = gather::commits(cluster, group, &pending)
            .map_err(|fault| fault.into_error(&format!("reading the commits of group `{group}`")))?;
        commits.extend(again);
    }
}

fn facts(
    request: &Request,
    partitions: &[TopicPartition],
    topics: &HashMap<String, Result<TopicDescription, BrokerFault>>,
    commits: &BTreeMap<TopicPartition, Commit>,
    logs: impl Fn(&[TopicPartition], &[Option<i64>]) -> Vec<gather::Log>,
) -> Result<Vec<PartitionFacts>> {
    let exists = |partition: &TopicPartition| matches!(topics.get(&partition.topic), Some(Ok(topic)) if topic.has_partition(partition.partition));
    let existing: Vec<TopicPartition> = partitions.iter().filter(|partition| exists(partition)).cloned().collect();
    let times: Vec<Option<i64>> = existing
        .iter()
        .map(|partition| match request.spec.destination.of(partition) {
            Some((Target::Timestamp(moment), _)) => Some(moment.timestamp.as_millis()),
            _ => None,
        })
        .collect();
    let logs = logs(&existing, &times);
    let is_leaderless = |partition: &TopicPartition| matches!(topics.get(&partition.topic), Some(Ok(topic)) if topic.leaderless.contains(&partition.partition));
    let leaderless: Vec<TopicPartition> = existing
        .iter()
        .zip(&logs)
        .filter(|(partition, log)| is_leaderless(partition) && (log.watermarks.is_err() || log.time().is_err()))
        .map(|(partition, _)| partition.clone())
        .collect();
    if !leaderless.is_empty() {
        return Err(Error::new(Code::Internal, format!("no broker leads {} now", guard::listed(&leaderless)))
            .hint("`--topic TOPIC:PARTITIONS` takes the others alone"));
    }
    let mut known: HashMap<&TopicPartition, Log> = HashMap::new();
    for (partition, log) in existing.iter().zip(logs) {
        let failed = |fault: BrokerFault| fault.into_error(&format!("looking up offsets of `{partition}`"));
        let time = log.time().map_err(failed)?;
        known.insert(partition, Log::Known(log.watermarks.map_err(failed)?, time));
    }
    partitions
        .iter()
        .map(|partition| {
            let commit = match commits.get(partition) {
                None | Some(Commit::Absent) => None,
                Some(Commit::Stands(committed)) => Some(committed.clone()),
                Some(Commit::Pending(before)) => before.clone(),
                Some(Commit::Failed(fault)) => {
                    return Err(fault.clone().into_error(&format!("reading the commit on `{partition}`")));
                }
            };
            let topic = topics.get(&partition.topic).and_then(|topic| topic.as_ref().ok());
            Ok(PartitionFacts {
                partition: partition.clone(),
                topic_id: topic.and_then(|topic| topic.topic_id.clone()),
                commit,
                log: known.get(partition).copied().unwrap_or(Log::Gone),
            })
        })
        .collect()
}

/// The report of a plan: `planned`, or `nothing-to-do`.
pub fn report<C: Cluster + ?Sized>(cluster: &C, request: &Request, look: &Look, now: Timestamp) -> Result<ResetReport> {
    let rows = look.planned.rows.clone();
    let total = ResetTotal::of(&rows);
    let blocked = look.planned.is_blocked();
    let outcome = if total.moved == 0 && !blocked { GroupOutcome::NothingToDo } else { GroupOutcome::Planned };
    let group = GroupPlan {
        group: request.group.clone(),
        group_type: look.description.group_type,
        outcome,
        refusal: None,
        would_refuse: None,
        preconditions: Preconditions { state: look.description.state, members: look.description.members.len() },
        rows,
        total,
        undo: None,
        error: None,
    };
    Ok(ResetReport {
        kind: "reset".to_owned(),
        version: VERSION,
        command: "reset".to_owned(),
        outcome,
        cluster_id: cluster.cluster_id()?,
        computed_at: now,
        applied_at: None,
        target: destination_report(&request.spec.destination),
        total: group.total,
        groups: vec![group],
        warnings: look.planned.warnings.clone(),
    })
}

/// One report of plans for several groups, in the order of their names; `None` without any.
pub fn together(reports: Vec<ResetReport>) -> Option<ResetReport> {
    let mut reports = reports.into_iter();
    let mut all = reports.next()?;
    for report in reports {
        all.groups.extend(report.groups);
        all.warnings.extend(report.warnings);
    }
    all.total = ResetTotal::of(all.groups.iter().flat_map(|group| &group.rows));
    all.outcome = GroupOutcome::of(all.groups.iter().map(|group| group.outcome));
    Some(all)
}

/// Looks again right before a write: whether what the plan rests on still holds.
pub fn look_again<C: Cluster + ?Sized>(cluster: &C, request: &Request, first: &Look) -> Result<Result<Look, Refusal>> {
    let at = request.at(&first.planned.rows);
    let now = look_by(cluster, &at, |partitions, _| gather::bounds(cluster, partitions))?;
    let refusal = if now.description.is_active() {
        Some(guard::active(&now.description))
    } else {
        guard::commits_moving(&request.group, &first.commits, &now.commits)
            .or_else(|| guard::refusal(&now.description, &request.spec, &now.planned.unblocked(), &now.pending, false))
            .or_else(|| guard::stale(&first.planned.rows, &now.planned.rows))
    };
    Ok(match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(now),
    })
}
