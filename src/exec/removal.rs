//! A look at the commits of a group that would be removed, or at a group that would be deleted; the plan that follows; and the
//! second look right before the write.

use super::gather::{self, Commit};
use super::reset::wait_for_pending;
use crate::error::{Code, Error, Result};
use crate::kafka::{BrokerFault, Cluster};
use crate::model::{GroupDescription, GroupType, PartitionSet, Timestamp, TopicDescription, TopicPartition};
use crate::plan::guard::{self, Commits};
use crate::plan::removal::{Facts, Log, deletion_warning, last_commits_warning, limited_warning, plan};
use crate::report::{
    Action, GroupOutcome, GroupPlan, Preconditions, Refusal, ResetReport, ResetRow, ResetTotal, TargetReport, VERSION,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

type Topics = HashMap<String, Result<TopicDescription, BrokerFault>>;

/// What of a group is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// The group itself, with each of its commits.
    Group,
    /// Its commits on these.
    Topics(BTreeMap<String, PartitionSet>),
}

/// What is asked of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The group's id.
    pub group: String,
    /// What of it.
    pub scope: Scope,
    /// Whether the journal will keep what is removed.
    pub journalled: bool,
}

impl Request {
    fn deletes_group(&self) -> bool {
        self.scope == Scope::Group
    }
}

/// One look at a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The group.
    pub description: GroupDescription,
    /// All of its commits, also those outside the scope.
    pub commits: Commits,
    /// Partitions of the scope whose commit a transaction holds.
    pub pending: Vec<TopicPartition>,
    /// The plan that follows.
    pub rows: Vec<ResetRow>,
}

/// Looks at the group, and plans.
pub fn look<C: Cluster + ?Sized>(cluster: &C, request: &Request) -> Result<Look> {
    let group = request.group.as_str();
    let failed = |fault: BrokerFault| fault.into_error(&format!("reading the commits of group `{group}`"));
    let (mut described, commits) = std::thread::scope(|scope| {
        let commits = scope.spawn(|| gather::all_commits(cluster, &[group]).pop());
        (gather::groups(cluster, &[group]), commits.join().ok().flatten())
    });
    let description = managed_group(described.pop(), request)?;
    let mut commits = commits.unwrap_or_else(|| Err(BrokerFault::no_answer())).map_err(failed)?;

    let named: BTreeSet<&str> = match &request.scope {
        Scope::Group => commits.keys().map(|partition| partition.topic.as_str()).collect(),
        Scope::Topics(topics) => topics.keys().map(String::as_str).collect(),
    };
    let topics = gather::topics(cluster, &named);
    let partitions = partitions_in_scope(&request.scope, &topics, &commits)?;
    let unlisted: Vec<TopicPartition> =
        partitions.iter().filter(|partition| !commits.contains_key(partition)).cloned().collect();
    commits.extend(gather::commits(cluster, group, &unlisted).map_err(failed)?);
    let pending = wait_for_pending(cluster, group, &partitions, &mut commits)?;

    let mut facts = facts(cluster, &partitions, &topics, &commits)?;
    if request.deletes_group() {
        // Nobody named these partitions: those without a commit were looked at for pending ones alone.
        facts.retain(|facts| facts.commit.is_some());
    }
    let commits = commits
        .into_iter()
        .filter_map(|(partition, commit)| match commit {
            Commit::Stands(committed) | Commit::Pending(Some(committed)) => Some((partition, committed)),
            _ => None,
        })
        .collect();
    Ok(Look { description, commits, pending, rows: plan(&facts) })
}

fn managed_group(described: Option<gather::DescribedGroup>, request: &Request) -> Result<GroupDescription> {
    let group = &request.group;
    match described {
        Some(Ok(description)) if description.group_type == GroupType::Unmanaged => {
            let flag = if request.deletes_group() { "--delete" } else { "--delete-offsets" };
            Err(Error::new(
                Code::UnmanagedGroup,
                format!("group `{group}` is a share, streams or Connect group, which krewind does not write"),
            )
            .hint(format!("a share group: `kafka-share-groups {flag} --group {group}` of Kafka itself"))
            .hint(format!("a Kafka Streams application: `kafka-streams-groups {flag} --group {group}`")))
        }
        Some(answer) => answer.map_err(Error::on_write),
        None => Err(BrokerFault::no_answer().into_error(&format!("describing group `{group}`"))),
    }
}

/// Each partition that is meant. One that does not exist is an error, unless the group has a commit there: that is what may have
/// to be removed. A whole group takes in each partition of its topics: a first commit that is pending stands in no list.
fn partitions_in_scope(
    scope: &Scope,
    topics: &Topics,
    commits: &BTreeMap<TopicPartition, Commit>,
) -> Result<Vec<TopicPartition>> {
    let mut partitions: BTreeSet<TopicPartition> = BTreeSet::new();
    match scope {
        Scope::Group => {
            partitions.extend(commits.keys().cloned());
            for (name, topic) in topics {
                let numbers = topic.iter().flat_map(|topic| &topic.partitions);
                partitions.extend(numbers.map(|&number| TopicPartition::new(name.as_str(), number)));
            }
        }
        Scope::Topics(wanted) => {
            let mut others = BTreeMap::new();
            for (name, set) in wanted {
                let committed: BTreeSet<i32> = commits
                    .keys()
                    .filter(|partition| partition.topic == *name)
                    .map(|partition| partition.partition)
                    .filter(|number| match set {
                        PartitionSet::All => true,
                        PartitionSet::Only(numbers) => numbers.contains(number),
                    })
                    .collect();
                let exists = matches!(topics.get(name), Some(Ok(_)));
                let rest = match set {
                    PartitionSet::All => (exists || committed.is_empty()).then_some(PartitionSet::All),
                    PartitionSet::Only(numbers) => {
                        let rest: BTreeSet<i32> = numbers.difference(&committed).copied().collect();
                        (!rest.is_empty()).then_some(PartitionSet::Only(rest))
                    }
                };
                others.extend(rest.map(|rest| (name.clone(), rest)));
                partitions.extend(committed.into_iter().map(|number| TopicPartition::new(name.as_str(), number)));
            }
            partitions.extend(gather::selected(&others, topics).map_err(Error::on_write)?);
        }
    }
    Ok(partitions.into_iter().collect())
}

fn facts<C: Cluster + ?Sized>(
    cluster: &C,
    partitions: &[TopicPartition],
    topics: &Topics,
    commits: &BTreeMap<TopicPartition, Commit>,
) -> Result<Vec<Facts>> {
    let exists = |partition: &TopicPartition| matches!(topics.get(&partition.topic), Some(Ok(topic)) if topic.has_partition(partition.partition));
    let existing: Vec<TopicPartition> = partitions.iter().filter(|partition| exists(partition)).cloned().collect();
    let logs = gather::logs(cluster, &existing, &vec![None; existing.len()]);
    let known: HashMap<&TopicPartition, gather::Log> = existing.iter().zip(logs).collect();
    partitions
        .iter()
        .map(|partition| {
            let commit = match commits.get(partition) {
                None | Some(Commit::Absent) => None,
                Some(Commit::Stands(committed)) => Some(committed.clone()),
                Some(Commit::Pending(before)) => before.clone(),
                // What can't be read can't be shown, nor kept for `undo`.
                Some(Commit::Failed(fault)) => {
                    return Err(fault.clone().into_error(&format!("reading the commit on `{partition}`")));
                }
            };
            let topic = topics.get(&partition.topic);
            let log = match (known.get(partition).map(|log| &log.watermarks), topic) {
                (Some(Ok(watermarks)), _) => Log::Known(*watermarks),
                (Some(Err(fault)), _) => Log::Unseen(fault.to_string()),
                (None, Some(Err(fault))) if !fault.is_missing_topic() => Log::Unseen(fault.to_string()),
                (None, _) => Log::Gone,
            };
            let topic_id = topic.and_then(|topic| topic.as_ref().ok()).and_then(|topic| topic.topic_id.clone());
            Ok(Facts { partition: partition.clone(), topic_id, commit, log })
        })
        .collect()
}

/// The report of a plan. A group is deleted also where it has no commits.
pub fn report<C: Cluster + ?Sized>(cluster: &C, request: &Request, look: &Look, now: Timestamp) -> Result<ResetReport> {
    let rows = look.rows.clone();
    let removes = rows.iter().any(|row| row.action == Action::Remove);
    let (command, outcome) = match request.scope {
        Scope::Group => ("delete", GroupOutcome::Planned),
        Scope::Topics(_) if removes => ("delete-offsets", GroupOutcome::Planned),
        Scope::Topics(_) => ("delete-offsets", GroupOutcome::NothingToDo),
    };
    let warnings = match request.scope {
        Scope::Group => {
            // What a broker leaves out for want of rights goes with the group all the same.
            let limited = cluster.is_restricted().unwrap_or(false).then(|| limited_warning(&request.group));
            let kept = deletion_warning(&request.group, rows.len(), request.journalled);
            [Some(kept), limited].into_iter().flatten().collect()
        }
        Scope::Topics(_) => last_commits_warning(&request.group, &rows, look.commits.len()).into_iter().collect(),
    };
    let total = ResetTotal::of(&rows);
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
        command: command.to_owned(),
        outcome,
        cluster_id: cluster.cluster_id()?,
        computed_at: now,
        applied_at: None,
        target: TargetReport::Removed,
        total,
        groups: vec![group],
        warnings,
    })
}

/// Looks again right before the write: the commits that stand, or what no longer holds of the plan.
pub fn look_again<C: Cluster + ?Sized>(
    cluster: &C,
    request: &Request,
    first: &Look,
) -> Result<Result<Commits, Refusal>> {
    let now = look(cluster, request)?;
    let refusal = if now.description.is_active() {
        Some(guard::active(&now.description))
    } else {
        guard::commits_moving(&request.group, &first.commits, &now.commits)
            .or_else(|| guard::removal(&now.description, &now.pending))
    };
    Ok(match refusal {
        Some(refusal) => Err(refusal),
        None => Ok(now.commits),
    })
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::apply::{RowAnswer, read_back_deleted};
    use crate::kafka::codes;
    use crate::kafka::fake::{Fake, group};
    use crate::model::GroupState;
    use crate::report::{RowOutcome, WriteFault};

    /// Group `g` with commits on a partition of `orders`, on one that `orders` never had, on a topic that is gone, and on one
    /// without a leader.
    fn cluster() -> Fake {
        let fake = Fake::default();
        fake.set(|state| state.groups.insert("g".to_owned(), group("g", GroupState::Empty, Vec::new())));
        for (topic, partition) in [("orders", 0), ("orders", 1), ("stuck", 0)] {
            fake.log(topic, partition, 0, 10);
        }
        fake.set(|state| state.log_faults.insert(TopicPartition::new("stuck", 0), codes::TIMED_OUT));
        for (topic, partition) in [("orders", 0), ("orders", 7), ("gone", 3), ("stuck", 0)] {
            fake.commit("g", topic, partition, 4);
        }
        fake
    }

    fn request(scope: Scope) -> Request {
        Request { group: "g".to_owned(), scope, journalled: true }
    }

    fn named(topics: &[(&str, Option<i32>)]) -> Scope {
        let set = |number: &Option<i32>| number.map_or(PartitionSet::All, |number| PartitionSet::Only([number].into()));
        Scope::Topics(topics.iter().map(|(topic, number)| ((*topic).to_owned(), set(number))).collect())
    }

    fn removed(look: &Look) -> Vec<(&str, i32, Option<u64>)> {
        let removed = look.rows.iter().filter(|row| row.action == Action::Remove);
        removed.map(|row| (row.topic.as_str(), row.partition, row.lag_before)).collect()
    }

    #[test]
    fn a_group_goes_with_commits_whose_logs_are_gone_or_silent() {
        let fake = cluster();
        let look = look(&fake, &request(Scope::Group)).unwrap();
        let expected = [("gone", 3, None), ("orders", 0, Some(6)), ("orders", 7, None), ("stuck", 0, None)];
        assert_eq!(removed(&look), expected);
        assert_eq!((look.rows.len(), look.commits.len()), (4, 4));
    }

    #[test]
    fn commits_on_what_no_longer_exists_can_be_named_and_nothing_else_that_does_not() {
        let fake = cluster();
        for topics in [[("gone", None)], [("gone", Some(3))]] {
            assert_eq!(removed(&look(&fake, &request(named(&topics))).unwrap()), [("gone", 3, None)]);
        }
        let orders = look(&fake, &request(named(&[("orders", None)]))).unwrap();
        assert_eq!(removed(&orders), [("orders", 0, Some(6)), ("orders", 7, None)]);
        // Partition 1 has no commit.
        assert_eq!(orders.rows.len(), 3);
        for topics in [("gone", Some(2)), ("orders", Some(8)), ("never", None)] {
            let error = look(&fake, &request(named(&[topics]))).unwrap_err();
            assert_eq!((error.code, error.exit), (Code::TopicNotFound, crate::error::Exit::Refused), "{topics:?}");
        }
    }

    fn deleted(fake: &Fake, answer: RowAnswer) -> GroupPlan {
        let request = request(Scope::Group);
        let first = look(fake, &request).unwrap();
        let mut plan = report(fake, &request, &first, Timestamp(0)).unwrap().groups.remove(0);
        assert_eq!(plan.outcome, GroupOutcome::Planned);
        if answer == RowAnswer::Done || answer == RowAnswer::Unseen("lost".to_owned()) {
            fake.delete_group("g").unwrap().unwrap();
        }
        read_back_deleted(fake, &mut plan, &answer);
        plan
    }

    #[test]
    fn a_deletion_is_what_reads_back() {
        for with_commits in [true, false] {
            let fake = || {
                let fake = cluster();
                fake.set(|state| {
                    if !with_commits {
                        state.commits.clear()
                    }
                });
                fake
            };
            let rows = |plan: &GroupPlan, outcome| plan.rows.iter().all(|row| row.outcome == Some(outcome));
            for answer in [RowAnswer::Done, RowAnswer::Unseen("lost".to_owned())] {
                let plan = deleted(&fake(), answer);
                assert_eq!((plan.outcome, plan.error.as_deref()), (GroupOutcome::Applied, None));
                assert!(rows(&plan, RowOutcome::Applied));
            }
            let said = |undecided| RowAnswer::Said(WriteFault { message: "no".to_owned(), undecided });
            let plan = deleted(&fake(), said(false));
            assert_eq!((plan.outcome, plan.error.as_deref()), (GroupOutcome::Failed, Some("no")));
            assert!(rows(&plan, RowOutcome::Failed));
            let plan = deleted(&fake(), said(true));
            assert_eq!(plan.outcome, GroupOutcome::Unknown);
            assert_eq!(plan.error.as_deref(), Some("no; the group still exists, Empty with 0 members"));
            assert!(rows(&plan, RowOutcome::Unknown));
        }
    }

    #[test]
    fn what_changes_between_the_looks_is_refused() {
        let fake = cluster();
        let request = request(Scope::Group);
        let first = look(&fake, &request).unwrap();
        assert_eq!(look_again(&fake, &request, &first).unwrap().unwrap().len(), 4);
        fake.set(|state| state.pending.insert(TopicPartition::new("orders", 1)));
        assert_eq!(look_again(&fake, &request, &first).unwrap().unwrap_err().code, "pending-transaction");
        fake.commit("g", "orders", 0, 5);
        assert_eq!(look_again(&fake, &request, &first).unwrap().unwrap_err().code, "commits-moving");
        fake.set(|state| state.groups.insert("g".to_owned(), group("g", GroupState::Stable, Vec::new())));
        assert_eq!(look_again(&fake, &request, &first).unwrap().unwrap_err().code, "group-active");
        fake.set(|state| state.groups.clear());
        assert_eq!(look_again(&fake, &request, &first).unwrap_err().code, Code::GroupNotFound);
    }
}
