//! A look at what a write left of a group, the way back, and the second look right before it.

use super::gather::{self, Commit};
use super::reset::wait_for_pending;
use crate::error::{Code, Error, Result};
use crate::kafka::{BrokerFault, Cluster};
use crate::model::{GroupDescription, GroupState, GroupType, Timestamp, TopicPartition};
use crate::offset::{OutOfRange, TimeLookup};
use crate::plan::guard::{self, Commits};
use crate::plan::reset::Log;
use crate::plan::undo::{Moved, Planned, Row, may_have_changed, plan};
use crate::report::{
    Action, GroupOutcome, GroupPlan, JournalGroup, JournalRow, Preconditions, Refusal, ResetReport, ResetTotal,
    TargetReport, VERSION, Warning,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is asked of one group of a write.
#[derive(Debug, Clone)]
pub struct Request {
    /// The write's id.
    pub id: String,
    /// What it did to the group.
    pub written: JournalGroup,
    /// For commits that moved since.
    pub moved: Moved,
    /// For places that the log no longer has.
    pub out_of_range: OutOfRange,
}

/// One look at a group.
#[derive(Debug, Clone)]
pub struct Look {
    /// The group; a group that does not exist reads `Dead`.
    pub description: GroupDescription,
    /// All of its commits, also those that the write did not touch.
    pub commits: Commits,
    /// Partitions whose commit a transaction holds.
    pub pending: Vec<TopicPartition>,
    /// The way back.
    pub planned: Planned,
}

/// Looks at the group, and plans.
pub fn look<C: Cluster + ?Sized>(cluster: &C, request: &Request) -> Result<Look> {
    let group = request.written.group.as_str();
    let failed = |fault: BrokerFault| fault.into_error(&format!("reading the commits of group `{group}`"));
    let rows: Vec<&JournalRow> = request.written.rows.iter().filter(|row| may_have_changed(row)).collect();
    let partitions: Vec<TopicPartition> =
        rows.iter().map(|row| TopicPartition::new(row.topic.as_str(), row.partition)).collect();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.topic.as_str()).collect();
    let (mut described, commits, topics) = std::thread::scope(|scope| {
        let commits = scope.spawn(|| gather::all_commits(cluster, &[group]).pop());
        let topics = scope.spawn(|| gather::topics(cluster, &names));
        let described = gather::groups(cluster, &[group]);
        (described, commits.join().ok().flatten(), topics.join().unwrap_or_default())
    });
    let description = description(described.pop(), group)?;
    let mut commits = commits.unwrap_or_else(|| Err(BrokerFault::no_answer())).map_err(failed)?;
    let unlisted: Vec<TopicPartition> =
        partitions.iter().filter(|partition| !commits.contains_key(partition)).cloned().collect();
    commits.extend(gather::commits(cluster, group, &unlisted).map_err(failed)?);
    let pending = wait_for_pending(cluster, group, &partitions, &mut commits)?;

    let exists = |partition: &&TopicPartition| matches!(topics.get(&partition.topic), Some(Ok(topic)) if topic.has_partition(partition.partition));
    let existing: Vec<TopicPartition> = partitions.iter().filter(exists).cloned().collect();
    let mut logs: HashMap<&TopicPartition, Log> = HashMap::new();
    for (partition, log) in existing.iter().zip(gather::logs(cluster, &existing, &[])) {
        let watermarks =
            log.watermarks.map_err(|fault| fault.into_error(&format!("looking up offsets of `{partition}`")))?;
        logs.insert(partition, Log::Known(watermarks, TimeLookup::NotAsked));
    }
    let mut back = Vec::with_capacity(rows.len());
    for (journalled, partition) in rows.into_iter().zip(&partitions) {
        let topic = topics.get(&partition.topic);
        if let Some(Err(fault)) = topic
            && !fault.is_missing_topic()
        {
            return Err(fault.clone().into_error(&format!("describing topic `{}`", partition.topic)));
        }
        back.push(Row {
            journalled,
            commit: standing(&commits, partition)?,
            topic_id: topic.and_then(|topic| topic.as_ref().ok()).and_then(|topic| topic.topic_id.clone()),
            log: logs.get(partition).copied().unwrap_or(Log::Gone),
        });
    }
    let planned = plan(&back, request.moved, request.out_of_range);
    let commits = commits
        .into_iter()
        .filter_map(|(partition, commit)| match commit {
            Commit::Stands(committed) | Commit::Pending(Some(committed)) => Some((partition, committed)),
            _ => None,
        })
        .collect();
    Ok(Look { description, commits, pending, planned })
}

fn standing(
    commits: &BTreeMap<TopicPartition, Commit>,
    partition: &TopicPartition,
) -> Result<Option<crate::model::CommittedOffset>> {
    match commits.get(partition) {
        None | Some(Commit::Absent) => Ok(None),
        Some(Commit::Stands(committed)) => Ok(Some(committed.clone())),
        Some(Commit::Pending(before)) => Ok(before.clone()),
        Some(Commit::Failed(fault)) => Err(fault.clone().into_error(&format!("reading the commit on `{partition}`"))),
    }
}

/// A group that is gone can come back: its commits make it anew.
fn description(described: Option<gather::DescribedGroup>, group: &str) -> Result<GroupDescription> {
    match described {
        Some(Ok(description)) if description.group_type == GroupType::Unmanaged => Err(Error::new(
            Code::UnmanagedGroup,
            format!("group `{group}` is a share, streams or Connect group now, which krewind does not write"),
        )),
        Some(Err(error)) if error.code == Code::GroupNotFound => Ok(GroupDescription {
            group: group.to_owned(),
            group_type: GroupType::Classic,
            state: GroupState::Dead,
            is_simple: true,
            assignor: None,
            coordinator: None,
            members: Vec::new(),
        }),
        Some(answer) => answer,
        None => Err(BrokerFault::no_answer().into_error(&format!("describing group `{group}`"))),
    }
}

/// The first thing that keeps the way back from being written.
pub fn refusal(look: &Look) -> Option<Refusal> {
    let group = &look.description.group;
    guard::removal(&look.description, &look.pending)
        .or_else(|| guard::moved_since(group, &look.planned.moved))
        .or_else(|| guard::out_of_range(&look.planned.out_of_range))
}

/// The report of the plan: `planned`, or `nothing-to-do`.
pub fn report<C: Cluster + ?Sized>(cluster: &C, request: &Request, look: &Look, now: Timestamp) -> Result<ResetReport> {
    let rows = look.planned.rows.clone();
    let changes = rows.iter().any(|row| matches!(row.action, Action::Move | Action::Remove));
    let outcome = if changes || !look.planned.out_of_range.is_empty() {
        GroupOutcome::Planned
    } else {
        GroupOutcome::NothingToDo
    };
    let group = request.written.group.as_str();
    let mut warnings = Vec::new();
    if look.description.is_dead() && changes {
        let message =
            format!("group `{group}` does not exist: what comes back is a simple classic group with its commits");
        warnings.push(Warning::of_group("simple-group", group, message));
    }
    let failed = request.written.rows.len() - rows.len();
    if failed > 0 {
        let message =
            format!("{failed} rows of `{group}` failed in that write, so there is nothing to take back of them");
        warnings.push(Warning::of_group("failed-rows", group, message));
    }
    let total = ResetTotal::of(&rows);
    let plan = GroupPlan {
        group: group.to_owned(),
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
        command: "undo".to_owned(),
        outcome,
        cluster_id: cluster.cluster_id()?,
        computed_at: now,
        applied_at: None,
        target: TargetReport::Undo { id: request.id.clone() },
        total,
        groups: vec![plan],
        warnings,
    })
}

/// Looks again right before the write: the commits that stand, or what no longer holds of the plan.
pub fn look_again<C: Cluster + ?Sized>(
    cluster: &C,
    request: &Request,
    first: &Look,
) -> Result<std::result::Result<Commits, Refusal>> {
    let now = look(cluster, request)?;
    let refused = guard::removal(&now.description, &now.pending)
        .or_else(|| guard::commits_moving(&request.written.group, &first.commits, &now.commits))
        .or_else(|| guard::stale(&first.planned.rows, &now.planned.rows));
    Ok(match refused {
        Some(refusal) => Err(refusal),
        None => Ok(now.commits),
    })
}
