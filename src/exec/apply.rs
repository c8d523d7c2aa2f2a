//! The write: in a child process, since librdkafka can abort in admin calls across a coordinator's failure (librdkafka issue
//! 4605), and the report must not go with it. Then everything is read back.

mod child;
mod deletion;

use super::gather::{self, Commit};
use crate::kafka::{BrokerFault, Cluster, Connection, FoundOffset, OffsetSpec};
use crate::model::TopicPartition;
use crate::report::{
    Action, GroupOutcome, GroupPlan, RemoveRow, ResetRow, ResetTotal, RowOutcome, Warning, WriteChunk, WriteFault,
    WriteRequest, WriteRow,
};
pub use child::WRITE_COMMAND;
use child::{Answer, Child};
pub use deletion::{delete_group, read_back_deleted};
use std::collections::HashMap;
use std::time::Duration;

/// Beyond the timeout of one request: for the start, the connection and retries while a coordinator moves.
const GRACE: Duration = Duration::from_secs(15);

/// Rows in one request.
const CHUNK: usize = 1000;

/// What became of one row's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowAnswer {
    /// The broker took it.
    Done,
    /// The broker, or the client, said this.
    Said(WriteFault),
    /// It was not sent, and why.
    NotSent(String),
    /// The child ended, or was ended, without an answer: it is not known whether it was sent.
    Unseen(String),
}

/// The places of the rows of a plan that are written or removed.
pub fn rows_to_write(plan: &GroupPlan) -> Vec<usize> {
    let changes = |row: &ResetRow| match row.action {
        Action::Move => row.new_offset.is_some(),
        Action::Remove => true,
        Action::Keep | Action::Skip => false,
    };
    plan.rows.iter().enumerate().filter(|(_, row)| changes(row)).map(|(place, _)| place).collect()
}

/// The metadata that a row's commit is written with: a commit without any would erase what stands there.
pub fn metadata(row: &ResetRow) -> String {
    row.new_metadata.clone().or_else(|| row.current_metadata.clone()).unwrap_or_default()
}

/// The requests of a plan, with the places of the rows that each of them is about.
fn chunks(plan: &GroupPlan) -> Vec<(Vec<usize>, WriteChunk)> {
    let places = rows_to_write(plan);
    let (removed, moved): (Vec<usize>, Vec<usize>) =
        places.into_iter().partition(|&place| plan.rows[place].action == Action::Remove);
    let commit = |&place: &usize| {
        let row = &plan.rows[place];
        let (topic, offset) = (row.topic.clone(), row.new_offset.unwrap_or_default());
        WriteRow { topic, partition: row.partition, offset, metadata: metadata(row) }
    };
    let remove = |&place: &usize| {
        let row = &plan.rows[place];
        RemoveRow { topic: row.topic.clone(), partition: row.partition }
    };
    let commits =
        moved.chunks(CHUNK).map(|places| (places.to_vec(), WriteChunk::Commit(places.iter().map(commit).collect())));
    let removals =
        removed.chunks(CHUNK).map(|places| (places.to_vec(), WriteChunk::Remove(places.iter().map(remove).collect())));
    commits.chain(removals).collect()
}

/// Writes in a child process, request by request; `stop` is asked before each further one. The answers stand beside the places
/// of their rows.
pub fn write(
    connection: &Connection,
    cluster_id: &str,
    plan: &GroupPlan,
    stop: &dyn Fn() -> bool,
) -> Vec<(usize, RowAnswer)> {
    let chunks = chunks(plan);
    // The program may have been replaced or removed while the question stood.
    let child = Child::start(&request(connection, cluster_id, &plan.group))
        .map_err(|error| format!("the writing process could not be started: {error}"));
    answers(child, chunks, patience(connection), stop)
}

/// What the child needs to know before its first chunk.
fn request(connection: &Connection, cluster_id: &str, group: &str) -> WriteRequest {
    WriteRequest {
        properties: connection.properties.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        timeout_ms: u64::try_from(connection.timeout.as_millis()).unwrap_or(u64::MAX),
        cluster_id: cluster_id.to_owned(),
        group: group.to_owned(),
    }
}

/// How long one chunk's answer is waited for.
fn patience(connection: &Connection) -> Duration {
    connection.timeout * 2 + GRACE
}

fn answers(
    child: Result<Child, String>,
    chunks: Vec<(Vec<usize>, WriteChunk)>,
    patience: Duration,
    stop: &dyn Fn() -> bool,
) -> Vec<(usize, RowAnswer)> {
    let (mut child, mut ended) = match child {
        Ok(child) => (Some(child), None),
        Err(why) => (None, Some(why)),
    };
    let mut answers = Vec::new();
    for (index, (places, chunk)) in chunks.into_iter().enumerate() {
        if index > 0 && ended.is_none() && stop() {
            ended = Some("not sent: interrupted".to_owned());
        }
        let answer = match (&ended, &mut child) {
            (None, Some(child)) => child.ask(&chunk, patience),
            (Some(why), _) => Answer::NotSent(why.clone()),
            (None, None) => Answer::NotSent("the writing process is gone".to_owned()),
        };
        match answer {
            Answer::Rows(rows) => {
                // Where a whole request went unanswered the next one fares no better, and each would wait its full time.
                if !rows.is_empty() && rows.iter().all(|row| row.as_ref().is_some_and(|fault| fault.undecided)) {
                    ended = Some("not sent: the request before it went unanswered".to_owned());
                }
                for (place, row) in places.iter().enumerate() {
                    answers.push((
                        *row,
                        match rows.get(place) {
                            Some(None) => RowAnswer::Done,
                            Some(Some(fault)) => RowAnswer::Said(fault.clone()),
                            None => RowAnswer::Unseen("the writing process left this row out of its answer".to_owned()),
                        },
                    ));
                }
            }
            Answer::NotSent(why) => {
                answers.extend(places.into_iter().map(|row| (row, RowAnswer::NotSent(why.clone()))));
                ended.get_or_insert(why);
            }
            Answer::Silent(why) => {
                answers.extend(places.into_iter().map(|row| (row, RowAnswer::Unseen(why.clone()))));
                ended = Some("not sent: the request before it went unanswered".to_owned());
            }
        }
    }
    answers
}

/// Why the end of a write was not seen, where it was not.
pub fn unseen(answers: &[(usize, RowAnswer)]) -> Option<&str> {
    answers.iter().find_map(|(_, answer)| match answer {
        RowAnswer::Unseen(why) => Some(why.as_str()),
        _ => None,
    })
}

/// Reads back what stands after the write, and tells each row's outcome.
pub fn read_back<C: Cluster + ?Sized>(cluster: &C, plan: &mut GroupPlan, answers: &[(usize, RowAnswer)]) {
    let partitions: Vec<TopicPartition> = answers
        .iter()
        .map(|&(place, _)| TopicPartition::new(plan.rows[place].topic.as_str(), plan.rows[place].partition))
        .collect();
    let (commits, described) = std::thread::scope(|scope| {
        let described = scope.spawn(|| cluster.describe_groups(&[plan.group.as_str()]).pop());
        (gather::commits(cluster, &plan.group, &partitions), described.join().ok().flatten())
    });
    let has_members = matches!(&described, Some(Ok(group)) if group.is_active());
    for ((place, answer), partition) in answers.iter().zip(&partitions) {
        let row = &mut plan.rows[*place];
        let stands = match &commits {
            Err(fault) => Err(fault.to_string()),
            Ok(commits) => match commits.get(partition) {
                None | Some(Commit::Absent) => Ok(None),
                Some(Commit::Stands(committed)) => Ok(Some(committed)),
                Some(Commit::Pending(before)) => Ok(before.as_ref()),
                Some(Commit::Failed(fault)) => Err(fault.to_string()),
            },
        };
        let wanted = match row.action {
            Action::Remove => None,
            _ => row.new_offset.map(|offset| (offset, metadata(row))),
        };
        let as_wanted = stands.as_ref().is_ok_and(|stands| {
            stands.map(|commit| (commit.offset, commit.metadata.as_str()))
                == wanted.as_ref().map(|(offset, metadata)| (*offset, metadata.as_str()))
        });
        row.read_back = stands.as_ref().ok().and_then(|stands| stands.map(|commit| commit.offset));
        let (decided_against, not_seen) = match answer {
            RowAnswer::Done => (false, false),
            RowAnswer::Said(fault) => (!fault.undecided, fault.undecided),
            RowAnswer::NotSent(_) => (true, false),
            RowAnswer::Unseen(_) => (false, true),
        };
        row.error = match answer {
            RowAnswer::Done => None,
            RowAnswer::Said(fault) => Some(fault.message.clone()),
            RowAnswer::NotSent(why) | RowAnswer::Unseen(why) => Some(why.clone()),
        };
        row.outcome = Some(match stands {
            _ if decided_against => RowOutcome::Failed,
            Err(why) => {
                let why = format!("could not be read back: {why}");
                row.error = Some(row.error.take().map_or(why.clone(), |said| format!("{said}; {why}")));
                RowOutcome::Unknown
            }
            Ok(_) if as_wanted => {
                row.error = None;
                RowOutcome::Applied
            }
            // It may still arrive.
            Ok(_) if not_seen => RowOutcome::Unknown,
            Ok(_) if has_members => RowOutcome::TakenOver,
            Ok(_) => RowOutcome::Drifted,
        });
    }
    plan.total = ResetTotal::of(&plan.rows);
    plan.outcome = outcome(plan);
}

/// Where the logs of the rows start now that commits were written: retention goes on meanwhile.
pub fn log_starts<C: Cluster + ?Sized>(
    cluster: &C,
    partitions: Vec<TopicPartition>,
) -> Vec<(TopicPartition, Result<i64, BrokerFault>)> {
    let queries: Vec<_> = partitions.into_iter().map(|partition| (partition, OffsetSpec::Earliest)).collect();
    let answers = cluster.list_offsets(&queries);
    let start = |answer: Result<Option<FoundOffset>, BrokerFault>| {
        answer?.map(|found| found.offset).ok_or_else(BrokerFault::leader_did_not_answer)
    };
    queries.into_iter().zip(answers).map(|((partition, _), answer)| (partition, start(answer))).collect()
}

/// Commits that were written and that the log start has passed by now.
pub fn passed(plan: &GroupPlan, starts: &[(TopicPartition, Result<i64, BrokerFault>)]) -> Vec<Warning> {
    let starts: HashMap<(&str, i32), i64> = starts
        .iter()
        .filter_map(|(partition, start)| Some(((partition.topic.as_str(), partition.partition), *start.as_ref().ok()?)))
        .collect();
    let passed = plan.rows.iter().filter(|row| row.outcome == Some(RowOutcome::Applied)).filter_map(|row| {
        let (at, start) = (row.read_back?, *starts.get(&(row.topic.as_str(), row.partition))?);
        (start > at).then(|| {
            let group = &plan.group;
            let message = format!(
                "the log of `{}-{}` starts at {start} by now, past {at} where `{group}` was moved: {} offsets were deleted \
                 before the group read them, and `auto.offset.reset` of its consumers decides where they go on",
                row.topic,
                row.partition,
                start - at
            );
            Warning::of_group("behind-log-start", group, message).topic(&row.topic).partition(row.partition)
        })
    });
    passed.collect()
}

fn outcome(plan: &GroupPlan) -> GroupOutcome {
    let outcomes: Vec<RowOutcome> = plan.rows.iter().filter_map(|row| row.outcome).collect();
    let all = |wanted: RowOutcome| outcomes.iter().all(|outcome| *outcome == wanted);
    if all(RowOutcome::Applied) {
        GroupOutcome::Applied
    } else if all(RowOutcome::Failed) {
        GroupOutcome::Failed
    } else if outcomes.contains(&RowOutcome::Unknown) {
        GroupOutcome::Unknown
    } else {
        GroupOutcome::Partial
    }
}
