//! The deletion of a whole group: one request, and a look whether the group is gone.

use super::child::{Answer, Child};
use super::{RowAnswer, patience, read_back, request, rows_to_write};
use crate::error::Code;
use crate::exec::gather;
use crate::kafka::{BrokerFault, Cluster, Connection};
use crate::model::GroupDescription;
use crate::report::{GroupOutcome, GroupPlan, WriteChunk};

/// Deletes the group in a child process.
pub fn delete_group(connection: &Connection, cluster_id: &str, group: &str) -> RowAnswer {
    let mut child = match Child::start(&request(connection, cluster_id, group)) {
        Ok(child) => child,
        Err(error) => return RowAnswer::NotSent(format!("the writing process could not be started: {error}")),
    };
    match child.ask(&WriteChunk::DeleteGroup, patience(connection)) {
        Answer::Rows(answers) => match answers.into_iter().next() {
            Some(None) => RowAnswer::Done,
            Some(Some(fault)) => RowAnswer::Said(fault),
            None => RowAnswer::Unseen("the writing process left the group out of its answer".to_owned()),
        },
        Answer::NotSent(why) => RowAnswer::NotSent(why),
        Answer::Silent(why) => RowAnswer::Unseen(why),
    }
}

/// Reads back whether the group is gone, and its commits, and tells the outcome.
pub fn read_back_deleted<C: Cluster + ?Sized>(cluster: &C, plan: &mut GroupPlan, answer: &RowAnswer) {
    let described = gather::groups(cluster, &[plan.group.as_str()])
        .pop()
        .unwrap_or_else(|| Err(BrokerFault::no_answer().into_error("describing the group")));
    let answers: Vec<(usize, RowAnswer)> =
        rows_to_write(plan).into_iter().map(|place| (place, answer.clone())).collect();
    read_back(cluster, plan, &answers);
    let (said, decided_against) = match answer {
        RowAnswer::Done => (None, false),
        RowAnswer::Said(fault) => (Some(fault.message.as_str()), !fault.undecided),
        RowAnswer::NotSent(why) => (Some(why.as_str()), true),
        RowAnswer::Unseen(why) => (Some(why.as_str()), false),
    };
    let with_words = |stands: String| said.map_or(stands.clone(), |said| format!("{said}; {stands}"));
    let (outcome, error) = match described {
        Err(error) if error.code == Code::GroupNotFound && decided_against => {
            (GroupOutcome::Failed, Some(with_words("the group no longer exists all the same".to_owned())))
        }
        // The rows tell it.
        Err(error) if error.code == Code::GroupNotFound => (plan.outcome, None),
        _ if decided_against => (GroupOutcome::Failed, said.map(str::to_owned)),
        Err(error) => (GroupOutcome::Unknown, Some(with_words(format!("could not be read back: {}", error.message)))),
        // The request may still arrive.
        Ok(group) if said.is_some() => {
            (GroupOutcome::Unknown, Some(with_words(format!("the group still exists, {}", stands(&group)))))
        }
        Ok(group) => {
            let outcome =
                if plan.outcome == GroupOutcome::Unknown { GroupOutcome::Unknown } else { GroupOutcome::Partial };
            (outcome, Some(format!("it was deleted, yet it exists again, {}", stands(&group))))
        }
    };
    (plan.outcome, plan.error) = (outcome, error);
}

fn stands(group: &GroupDescription) -> String {
    match group.members.len() {
        1 => format!("{} with 1 member", group.state.as_str()),
        count => format!("{} with {count} members", group.state.as_str()),
    }
}
