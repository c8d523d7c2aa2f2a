//! The write: in a child process, since librdkafka can abort in admin calls across a coordinator's failure (librdkafka issue
//! 4605), and the report must not go with it. Then everything is read back.

use super::gather::{self, Commit};
use crate::kafka::{Cluster, Connection};
use crate::model::TopicPartition;
use crate::report::{
    Action, GroupOutcome, GroupPlan, ResetTotal, RowOutcome, WriteFault, WriteReply, WriteRequest, WriteRequestRow,
};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The hidden subcommand that the child runs.
pub const WRITE_COMMAND: &str = "__write";

/// Beyond the timeout of one request: for the start, the connection and retries while a coordinator moves.
const GRACE: Duration = Duration::from_secs(15);

/// What the child's end told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteAnswer {
    /// Each row's answer, in the order sent.
    Rows(Vec<Option<WriteFault>>),
    /// Nothing was sent, and why.
    NotSent(WriteFault),
    /// The child ended, or was ended, without an answer: it is not known what was sent.
    Silent(String),
}

/// The rows of a plan that are written, in its order.
pub fn rows_to_write(plan: &GroupPlan) -> Vec<WriteRequestRow> {
    plan.rows
        .iter()
        .filter(|row| row.action == Action::Move)
        .filter_map(|row| {
            Some(WriteRequestRow {
                topic: row.topic.clone(),
                partition: row.partition,
                offset: row.new_offset?,
                // A commit without metadata would erase what stands there.
                metadata: row.current_metadata.clone().unwrap_or_default(),
            })
        })
        .collect()
}

/// Writes in a child process and waits for its answer.
pub fn write(connection: &Connection, cluster_id: &str, group: &str, rows: Vec<WriteRequestRow>) -> WriteAnswer {
    let request = WriteRequest {
        properties: connection.properties.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        timeout_ms: u64::try_from(connection.timeout.as_millis()).unwrap_or(u64::MAX),
        cluster_id: cluster_id.to_owned(),
        group: group.to_owned(),
        rows,
    };
    let started = serde_json::to_vec(&request).map_err(std::io::Error::from).and_then(|text| Ok((start()?, text)));
    match started {
        Ok((mut child, text)) => converse(&mut child, text, connection.timeout * 2 + GRACE),
        // The program may have been replaced or removed while the question stood.
        Err(error) => not_sent(format!("the writing process could not be started: {error}")),
    }
}

fn start() -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .arg(WRITE_COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own: Ctrl-C at the terminal must not end a write half-way.
        .process_group(0)
        .spawn()
}

fn not_sent(message: String) -> WriteAnswer {
    WriteAnswer::NotSent(WriteFault { message, undecided: false })
}

fn converse(child: &mut Child, request: Vec<u8>, patience: Duration) -> WriteAnswer {
    // On a thread: a child that does not read would hold up its deadline.
    let handed_over = child.stdin.take().map(|mut stdin| std::thread::spawn(move || stdin.write_all(&request)));
    let collect = |mut pipe: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.read_to_end(&mut text);
            text
        })
    };
    let stdout = child.stdout.take().map(|pipe| collect(Box::new(pipe)));
    let stderr = child.stderr.take().map(|pipe| collect(Box::new(pipe)));
    let deadline = Instant::now() + patience;
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    if let Some(Ok(Err(error))) = handed_over.map(std::thread::JoinHandle::join) {
        // The child starts only once it has read everything.
        return not_sent(format!("the writing process did not take its work: {error}"));
    }
    let text = stdout.and_then(|reader| reader.join().ok()).unwrap_or_default();
    if let Ok(reply) = serde_json::from_slice::<WriteReply>(&text) {
        return match reply {
            WriteReply::Rows(rows) => WriteAnswer::Rows(rows),
            WriteReply::NotSent(fault) => WriteAnswer::NotSent(fault),
        };
    }
    let words = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
    let words = String::from_utf8_lossy(&words);
    let last =
        words.lines().rev().find(|line| !line.trim().is_empty()).map(|line| format!(": {line}")).unwrap_or_default();
    WriteAnswer::Silent(match ended {
        Some(status) => format!("the writing process ended without an answer ({status}){last}"),
        None => format!("the writing process gave no answer within {}s and was ended{last}", patience.as_secs()),
    })
}

/// Reads back what stands after the write, and tells each row's outcome.
pub fn read_back<C: Cluster + ?Sized>(cluster: &C, plan: &mut GroupPlan, answer: &WriteAnswer) {
    let written: Vec<usize> =
        plan.rows.iter().enumerate().filter(|(_, row)| row.action == Action::Move).map(|(index, _)| index).collect();
    let partitions: Vec<TopicPartition> = written
        .iter()
        .map(|&index| TopicPartition::new(plan.rows[index].topic.as_str(), plan.rows[index].partition))
        .collect();
    let (commits, described) = std::thread::scope(|scope| {
        let described = scope.spawn(|| cluster.describe_groups(&[plan.group.as_str()]).pop());
        (gather::commits(cluster, &plan.group, &partitions), described.join().ok().flatten())
    });
    let has_members = matches!(&described, Some(Ok(group)) if group.is_active());
    for (place, &index) in written.iter().enumerate() {
        let row = &mut plan.rows[index];
        let said: Option<&WriteFault> = match answer {
            WriteAnswer::Rows(rows) => rows.get(place).and_then(Option::as_ref),
            WriteAnswer::NotSent(fault) => Some(fault),
            WriteAnswer::Silent(_) => None,
        };
        let stands: std::result::Result<Option<i64>, String> = match &commits {
            Err(fault) => Err(fault.to_string()),
            Ok(commits) => match commits.get(&partitions[place]) {
                None | Some(Commit::Absent) => Ok(None),
                Some(Commit::Stands(committed)) => Ok(Some(committed.offset)),
                Some(Commit::Pending(before)) => Ok(before.as_ref().map(|committed| committed.offset)),
                Some(Commit::Failed(fault)) => Err(fault.to_string()),
            },
        };
        row.read_back = stands.as_ref().ok().copied().flatten();
        row.error = said.map(|fault| fault.message.clone());
        let decided_against = matches!(answer, WriteAnswer::NotSent(_)) || said.is_some_and(|fault| !fault.undecided);
        let not_seen = matches!(answer, WriteAnswer::Silent(_)) || said.is_some_and(|fault| fault.undecided);
        row.outcome = Some(match stands {
            _ if decided_against => RowOutcome::Failed,
            Err(why) => {
                let why = format!("could not be read back: {why}");
                row.error = Some(row.error.take().map_or(why.clone(), |said| format!("{said}; {why}")));
                RowOutcome::Unknown
            }
            Ok(stands) if stands == row.new_offset => {
                row.error = None;
                RowOutcome::Applied
            }
            // It may still arrive.
            Ok(_) if not_seen => RowOutcome::Unknown,
            Ok(_) if has_members => RowOutcome::TakenOver,
            Ok(_) => RowOutcome::Drifted,
        });
        if let (WriteAnswer::Silent(why), Some(RowOutcome::Unknown)) = (answer, row.outcome) {
            row.error = Some(why.clone());
        }
    }
    plan.total = ResetTotal::of(&plan.rows);
    plan.outcome = outcome(plan);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer of a shell in the place of the writing process.
    fn answer(script: &str, request: usize, patience: Duration) -> WriteAnswer {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        converse(&mut command.spawn().unwrap(), vec![b'x'; request], patience)
    }

    const LONG: Duration = Duration::from_secs(60);
    /// More than a pipe holds.
    const LARGE: usize = 1 << 20;

    #[test]
    fn a_child_that_does_not_take_its_work_has_sent_nothing() {
        for (script, patience) in [("exec sleep 60", Duration::from_millis(200)), ("exit 3", LONG)] {
            let started = Instant::now();
            let answer = answer(script, LARGE, patience);
            assert!(matches!(&answer, WriteAnswer::NotSent(fault) if !fault.undecided), "{answer:?}");
            assert!(started.elapsed() < Duration::from_secs(30), "{script}");
        }
    }

    #[test]
    fn a_child_that_took_its_work_and_says_nothing_may_have_sent_it() {
        let silent = |script, patience| match answer(script, LARGE, patience) {
            WriteAnswer::Silent(why) => why,
            other => panic!("{other:?}"),
        };
        assert!(silent("cat >/dev/null; echo oops >&2; kill -ABRT $$", LONG).contains("signal: 6"));
        assert!(silent("cat >/dev/null; echo oops >&2; exit 1", LONG).ends_with("oops"));
        assert!(silent("cat >/dev/null; echo nonsense", LONG).contains("without an answer"));
        assert!(silent("cat >/dev/null; exec sleep 60", Duration::from_millis(500)).contains("gave no answer"));
    }

    #[test]
    fn the_answer_is_what_the_child_prints() {
        let script = r#"cat >/dev/null; echo '{"rows": [null, {"message": "no", "undecided": false}]}'"#;
        let refused = WriteFault { message: "no".to_owned(), undecided: false };
        assert_eq!(answer(script, LARGE, LONG), WriteAnswer::Rows(vec![None, Some(refused)]));
    }
}
