//! The plan of a removal: which commits of a group go, and what is lost with each.

use crate::model::{CommittedOffset, TopicPartition};
use crate::report::{Action, ResetRow, Warning};
use crate::watermark::Watermarks;

/// What is known of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The partition.
    pub partition: TopicPartition,
    /// The topic's id.
    pub topic_id: Option<String>,
    /// The commit that stands.
    pub commit: Option<CommittedOffset>,
    /// The log.
    pub log: Log,
}

/// What is known of a partition's log. A commit can be removed whatever becomes of its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Log {
    /// Its bounds.
    Known(Watermarks),
    /// The topic or partition no longer exists.
    Gone,
    /// It could not be looked up, and why.
    Unseen(String),
}

/// Plans the rows of one group: each commit is removed, and a partition without one is in place.
pub fn plan(facts: &[Facts]) -> Vec<ResetRow> {
    let mut rows: Vec<ResetRow> = facts.iter().map(row).collect();
    rows.sort_by(|a, b| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)));
    rows
}

fn row(facts: &Facts) -> ResetRow {
    let current = facts.commit.as_ref().map(|commit| commit.offset);
    let watermarks = match facts.log {
        Log::Known(watermarks) => Some(watermarks),
        Log::Gone | Log::Unseen(_) => None,
    };
    let (action, reason) = match (&facts.commit, &facts.log) {
        (None, _) => (Action::Keep, Some("no commit".to_owned())),
        (Some(_), Log::Known(_)) => (Action::Remove, None),
        (Some(_), Log::Gone) => (Action::Remove, Some("the topic or partition no longer exists".to_owned())),
        (Some(_), Log::Unseen(why)) => (Action::Remove, Some(format!("its log could not be looked up: {why}"))),
    };
    ResetRow {
        topic: facts.partition.topic.clone(),
        topic_id: facts.topic_id.clone(),
        partition: facts.partition.partition,
        current_offset: current,
        current_metadata: facts.commit.as_ref().map(|commit| commit.metadata.clone()),
        requested: None,
        new_offset: None,
        new_timestamp: None,
        log_start_offset: watermarks.map(|log| log.log_start),
        log_end_offset: watermarks.map(|log| log.high_watermark),
        last_stable_offset: watermarks.map(|log| log.last_stable),
        lag_before: current.zip(watermarks).map(|(current, log)| log.lag(current)),
        lag_after: None,
        rereads: None,
        skips: None,
        action,
        reason,
        outcome: None,
        read_back: None,
        error: None,
        new_metadata: None,
    }
}

/// What a person should know before a whole group is deleted: how much of it can come back.
pub fn deletion_warning(group: &str, commits: usize, journalled: bool) -> Warning {
    if !journalled {
        let message = format!(
            "nothing of group `{group}` is kept (`--no-journal`), so no `undo` can bring it back once it is deleted"
        );
        return Warning::of_group("no-journal", group, message);
    }
    let message = match commits {
        0 => format!(
            "`undo` can't bring group `{group}` back: it has no commits, and they are all that `undo` could write"
        ),
        _ => format!(
            "what `undo` brings back of group `{group}` is a simple classic group with its commits: no members, no protocol"
        ),
    };
    Warning::of_group("simple-group", group, message)
}

/// What a person should know where ACLs limit what this login sees of a group that is deleted.
pub fn limited_warning(group: &str) -> Warning {
    let message = format!(
        "this login is limited by ACLs: commits of group `{group}` on topics that it may not describe are not shown here, would \
         be deleted too, and are not kept for `undo`"
    );
    Warning::of_group("limited-login", group, message)
}

/// What a person should know before the last commits of a group are removed; `None` where others stay.
pub fn last_commits_warning(group: &str, rows: &[ResetRow], commits: usize) -> Option<Warning> {
    let removed = rows.iter().filter(|row| row.action == Action::Remove).count();
    (removed > 0 && removed >= commits).then(|| {
        let message = format!(
            "these are all commits of group `{group}`: Kafka deletes a group without commits and members by itself"
        );
        Warning::of_group("last-commits", group, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(partition: i32, commit: Option<i64>, log: Log) -> Facts {
        let commit = commit.map(|offset| CommittedOffset { offset, leader_epoch: None, metadata: "m".to_owned() });
        Facts { partition: TopicPartition::new("orders", partition), topic_id: None, commit, log }
    }

    #[test]
    fn each_commit_goes_whatever_became_of_its_log() {
        let log = Log::Known(Watermarks { log_start: 2, high_watermark: 10, last_stable: 9 });
        let rows = plan(&[
            facts(3, Some(4), Log::Unseen("no leader".to_owned())),
            facts(2, Some(7), Log::Gone),
            facts(1, None, log.clone()),
            facts(0, Some(6), log),
        ]);
        let shown: Vec<_> =
            rows.iter().map(|row| (row.partition, row.action, row.current_offset, row.lag_before)).collect();
        assert_eq!(
            shown,
            [
                (0, Action::Remove, Some(6), Some(4)),
                (1, Action::Keep, None, None),
                (2, Action::Remove, Some(7), None),
                (3, Action::Remove, Some(4), None),
            ]
        );
        let reasons: Vec<&str> = rows.iter().map(|row| row.reason.as_deref().unwrap_or("-")).collect();
        assert_eq!(reasons[..3], ["-", "no commit", "the topic or partition no longer exists"]);
        assert!(reasons[3].contains("no leader"));
        assert!(rows.iter().all(|row| row.new_offset.is_none() && row.lag_after.is_none()));
        assert!(last_commits_warning("g", &rows, 4).is_none());
        assert_eq!(last_commits_warning("g", &rows, 3).unwrap().code, "last-commits");
    }
}
