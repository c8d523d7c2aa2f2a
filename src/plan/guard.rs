//! What keeps a plan from being written.

use super::reset::{Planned, ResetSpec, SkipUnread};
use crate::error::Code;
use crate::model::{CommittedOffset, GroupDescription, Member, TopicPartition};
use crate::report::{Refusal, ResetRow};
use std::collections::BTreeMap;

/// How many partitions a sentence names before it says "and N more".
const NAMED: usize = 5;

/// How the refusal begins of a saved plan of which nothing but commits has changed.
pub const COMMITS_MOVED_SINCE_PLAN: &str = "commits moved since the plan was made";

/// The first thing that keeps a plan from being written; `None` where nothing does. `pending`: partitions of the scope whose
/// commit a transaction holds. `unattended`: nobody is asked (`--yes`).
pub fn refusal(
    group: &GroupDescription,
    spec: &ResetSpec,
    planned: &Planned,
    pending: &[TopicPartition],
    unattended: bool,
) -> Option<Refusal> {
    if let Some(refusal) = removal(group, pending) {
        return Some(refusal);
    }
    if let Some(refusal) = out_of_range(&planned.out_of_range) {
        return Some(refusal);
    }
    if !planned.no_record.is_empty() {
        return Some(refused(
            Code::NoRecordAtTime,
            format!("no record at or after that time in {}", listed(&planned.no_record)),
        ));
    }
    if !planned.no_commit.is_empty() {
        return Some(refused(
            Code::NoCommit,
            format!("there is no commit to start from on {}", listed(&planned.no_commit)),
        ));
    }
    let skips: u64 = planned.rows.iter().filter_map(|row| row.skips).sum();
    if unattended && skips > 0 && spec.skip_unread == SkipUnread::Ask && spec.destination.has_times() {
        let skipping: Vec<TopicPartition> = planned
            .rows
            .iter()
            .filter(|row| row.skips.is_some_and(|skips| skips > 0))
            .map(|row| TopicPartition::new(row.topic.as_str(), row.partition))
            .collect();
        return Some(refused(
            Code::WouldSkip,
            format!("{skips} offsets that the group has not read would never be delivered, in {}", listed(&skipping)),
        ));
    }
    None
}

/// What keeps commits from being removed, and from being moved too: members, and transactions that hold some of them.
pub fn removal(group: &GroupDescription, pending: &[TopicPartition]) -> Option<Refusal> {
    if group.is_active() {
        return Some(active(group));
    }
    (!pending.is_empty()).then(|| pending_transaction(&group.group, pending))
}

/// Commits that no longer stand where a write left them.
pub fn moved_since(group: &str, moved: &[String]) -> Option<Refusal> {
    (!moved.is_empty()).then(|| {
        refused(Code::MovedSince, format!("commits of group `{group}` moved since that write: {}", some_of(moved)))
    })
}

/// Places that the log does not have.
pub fn out_of_range(partitions: &[TopicPartition]) -> Option<Refusal> {
    (!partitions.is_empty())
        .then(|| refused(Code::OutOfRange, format!("the target lies outside the log of {}", listed(partitions))))
}

/// A refusal without members.
pub fn refused(code: Code, message: String) -> Refusal {
    Refusal { code: code.as_str().to_owned(), message, members: Vec::new() }
}

/// The group has members, or a state in which it may have some in a moment.
pub fn active(group: &GroupDescription) -> Refusal {
    let name = &group.group;
    let message = match group.members.len() {
        0 => format!("group `{name}` is {}, not Empty", group.state.as_str()),
        1 => format!("group `{name}` is {} with 1 member", group.state.as_str()),
        count => format!("group `{name}` is {} with {count} members", group.state.as_str()),
    };
    Refusal { code: Code::GroupActive.as_str().to_owned(), message, members: group.members.clone() }
}

/// Another cluster answers at the same address: a tunnel or a name that leads elsewhere now.
pub fn other_cluster(planned: &str, now: &str) -> Option<Refusal> {
    (planned != now).then(|| {
        refused(Code::StalePlan, format!("the plan was made for cluster `{planned}`, and cluster `{now}` answers now"))
    })
}

fn pending_transaction(group: &str, pending: &[TopicPartition]) -> Refusal {
    refused(
        Code::PendingTransaction,
        format!("an open transaction holds commits of group `{group}` on {}", listed(pending)),
    )
}

/// What would help against a refusal.
pub fn hints(refusal: &Refusal) -> Vec<String> {
    match Code::named(&refusal.code) {
        Some(Code::GroupActive) => {
            let mut hints = vec!["stop its consumers, then run this again; `--dry-run` shows the plan meanwhile".to_owned()];
            let fixed: Vec<&str> = refusal.members.iter().filter_map(|member| member.instance_id.as_deref()).collect();
            if !fixed.is_empty() {
                hints.push(format!(
                    "`group.instance.id` {}: a static member stays up to its session timeout after it stops, 45 s by default",
                    fixed.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
                ));
            }
            hints
        }
        Some(Code::CommitsMoving) => vec![
            "something commits without being a member, as Flink and other users of `assign()` do: stop it, then run this again".to_owned(),
        ],
        Some(Code::PendingTransaction) => {
            vec!["wait until the transaction ends (`transaction.timeout.ms` at the latest), then run this again".to_owned()]
        }
        Some(Code::OutOfRange) => vec!["`--out-of-range clamp` takes the nearest offset within the log".to_owned()],
        Some(Code::NoRecordAtTime) => {
            vec!["`--no-record latest` stands at the end there, `--no-record skip` leaves those partitions".to_owned()]
        }
        Some(Code::MovedSince) => vec![
            "`--moved keep` leaves those commits where they are now, `--moved overwrite` puts back what the write replaced".to_owned(),
        ],
        Some(Code::NoCommit) => {
            vec!["`--no-commit skip` leaves those partitions, `use-earliest` or `use-latest` gives them a place".to_owned()]
        }
        Some(Code::WouldSkip) => vec![
            "`--skip-unread allow` moves those partitions too, `--skip-unread keep` leaves them where they are".to_owned(),
        ],
        Some(Code::StalePlan) if refusal.message.starts_with(COMMITS_MOVED_SINCE_PLAN) => vec![
            "`--allow-moved-commits` accepts that, and shows the counts computed anew; else make a new plan".to_owned(),
        ],
        Some(Code::StalePlan) => vec!["run `krewind reset` again for a new plan".to_owned()],
        Some(Code::Protected) => vec![
            "`--confirm WORDS` beside `--yes` gives what a person would type; without `--yes` a terminal asks for it".to_owned(),
        ],
        Some(Code::NoTerminal) => vec!["`--yes` answers for a script, `--dry-run` shows the plan alone".to_owned()],
        _ => Vec::new(),
    }
}

/// A member in one line, with everything that helps to find it.
pub fn member_line(member: &Member) -> String {
    let mut line = format!("client `{}` at {}, member {}", member.client_id, member.host, member.member_id);
    if let Some(instance) = &member.instance_id {
        line.push_str(&format!(", instance `{instance}`"));
    }
    let reads: Vec<String> = member
        .assignment
        .iter()
        .map(|assignment| {
            let partitions: Vec<String> = assignment.partitions.iter().map(i32::to_string).collect();
            format!("{}:{}", assignment.topic, partitions.join(","))
        })
        .collect();
    if reads.is_empty() {
        line.push_str(", reads nothing now");
    } else {
        line.push_str(&format!(", reads {}", reads.join(" ")));
    }
    line
}

/// Commits of a group by partition; absent ones are left out.
pub type Commits = BTreeMap<TopicPartition, CommittedOffset>;

/// The commits that differ between two looks, told in words; `None` where they stood still.
pub fn commits_moving(group: &str, before: &Commits, after: &Commits) -> Option<Refusal> {
    let offset = |commits: &Commits, partition: &TopicPartition| {
        commits.get(partition).map(|commit| (commit.offset, commit.metadata.clone()))
    };
    let moved: Vec<String> = before
        .keys()
        .chain(after.keys().filter(|partition| !before.contains_key(*partition)))
        .filter(|partition| offset(before, partition) != offset(after, partition))
        .map(|partition| {
            let text = |commits: &Commits| {
                commits.get(partition).map_or_else(|| "none".to_owned(), |commit| commit.offset.to_string())
            };
            format!("{partition} from {} to {}", text(before), text(after))
        })
        .collect();
    (!moved.is_empty()).then(|| {
        refused(
            Code::CommitsMoving,
            format!("commits of group `{group}` moved since the plan was made: {}", some_of(&moved)),
        )
    })
}

/// What no longer holds of the rows that move: topics made anew, targets that the log has passed.
pub fn stale(rows: &[ResetRow], now: &[ResetRow]) -> Option<Refusal> {
    let now: BTreeMap<(&str, i32), &ResetRow> =
        now.iter().map(|row| ((row.topic.as_str(), row.partition), row)).collect();
    let mut differences = Vec::new();
    for row in rows.iter().filter(|row| row.new_offset.is_some()) {
        let name = format!("{}-{}", row.topic, row.partition);
        match now.get(&(row.topic.as_str(), row.partition)) {
            None => differences.push(format!("{name} no longer exists")),
            Some(other) if other.topic_id.is_none() && other.log_start_offset.is_none() => {
                differences.push(format!("{name} no longer exists"));
            }
            Some(other) if other.topic_id != row.topic_id => differences.push(format!("topic of {name} was made anew")),
            Some(other) => {
                let (new, start, end) = (row.new_offset, other.log_start_offset, other.log_end_offset);
                if new < start {
                    differences.push(format!("the log of {name} now starts at {}", start.unwrap_or_default()));
                } else if new > end {
                    differences.push(format!("the log of {name} now ends at {}", end.unwrap_or_default()));
                }
            }
        }
    }
    (!differences.is_empty())
        .then(|| refused(Code::StalePlan, format!("the plan no longer holds: {}", some_of(&differences))))
}

/// The names of some partitions, the first few of many.
pub fn listed(partitions: &[TopicPartition]) -> String {
    some_of(&partitions.iter().map(|partition| format!("`{partition}`")).collect::<Vec<_>>())
}

fn some_of(items: &[String]) -> String {
    let shown = items.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits(rows: &[(i32, i64)]) -> Commits {
        rows.iter()
            .map(|&(partition, offset)| {
                let commit = CommittedOffset { offset, leader_epoch: None, metadata: String::new() };
                (TopicPartition::new("orders", partition), commit)
            })
            .collect()
    }

    #[test]
    fn moved_added_and_vanished_commits_are_named() {
        assert_eq!(commits_moving("g", &commits(&[(0, 5)]), &commits(&[(0, 5)])), None);
        let refusal = commits_moving("g", &commits(&[(0, 5), (1, 2)]), &commits(&[(0, 6), (2, 1)])).unwrap();
        assert_eq!(refusal.code, "commits-moving");
        for part in ["orders-0 from 5 to 6", "orders-1 from 2 to none", "orders-2 from none to 1"] {
            assert!(refusal.message.contains(part), "{}", refusal.message);
        }
    }

    #[test]
    fn long_lists_say_how_many_more_there_are() {
        let all: Vec<TopicPartition> = (0..8).map(|partition| TopicPartition::new("t", partition)).collect();
        assert_eq!(listed(&all), "`t-0`, `t-1`, `t-2`, `t-3`, `t-4` and 3 more");
    }
}
