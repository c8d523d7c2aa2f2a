//! The child that sends a write: its work comes by standard input, a request a line; its answers go to standard output.

use crate::error::{Code, Error, Exit};
use crate::kafka::config::ClientProperties;
use crate::kafka::{BrokerFault, Client, Cluster, Connection, WriteRow, codes};
use crate::model::TopicPartition;
use crate::plan::guard;
use crate::report::{WriteChunk, WriteFault, WriteReply, WriteRequest};
use std::io::BufRead;
use std::time::Duration;

/// Reads the request, then chunk after chunk: writes, answers.
pub fn run() -> Exit {
    let mut lines = std::io::stdin().lock().lines();
    let first = lines.next().and_then(Result::ok);
    let Some(request) = first.and_then(|line| serde_json::from_str::<WriteRequest>(&line).ok()) else {
        // The parent ended before it had handed over everything, or this was started by hand.
        return Exit::Usage;
    };
    let group = request.group.clone();
    let client = connect(request);
    for line in lines {
        let Some(chunk) = line.ok().and_then(|line| serde_json::from_str::<WriteChunk>(&line).ok()) else {
            return Exit::Usage;
        };
        let reply = match client
            .as_ref()
            .map_err(|error| error.message.clone())
            .and_then(|client| write(client, &group, chunk).map_err(|error| error.message))
        {
            Ok(rows) => WriteReply::Rows(rows),
            Err(message) => WriteReply::NotSent(WriteFault { message, undecided: false }),
        };
        let mut text = serde_json::to_string(&reply).unwrap_or_default();
        text.push('\n');
        if super::print(&text).is_err() {
            return Exit::Failed;
        }
    }
    Exit::Done
}

fn connect(request: WriteRequest) -> Result<&'static Client, Error> {
    let connection = Connection {
        properties: ClientProperties::from_translated(request.properties),
        timeout: Duration::from_millis(request.timeout_ms),
        log: None,
    };
    // Not dropped: the process ends when it has answered.
    let client: &'static Client = Box::leak(Box::new(Client::connect(connection)?));
    match guard::other_cluster(&request.cluster_id, client.id()) {
        Some(refusal) => Err(Error::new(Code::StalePlan, refusal.message)),
        None => Ok(client),
    }
}

fn write(client: &Client, group: &str, chunk: WriteChunk) -> Result<Vec<Option<WriteFault>>, Error> {
    let answers = match chunk {
        WriteChunk::Commit(rows) => {
            let rows: Vec<WriteRow> = rows
                .into_iter()
                .map(|row| WriteRow {
                    partition: TopicPartition::new(row.topic, row.partition),
                    offset: row.offset,
                    metadata: row.metadata,
                })
                .collect();
            client.alter_committed_offsets(group, &rows)?
        }
        WriteChunk::Remove(rows) => {
            let partitions: Vec<TopicPartition> =
                rows.into_iter().map(|row| TopicPartition::new(row.topic, row.partition)).collect();
            client.delete_committed_offsets(group, &partitions)?
        }
        WriteChunk::DeleteGroup => vec![client.delete_group(group)?],
    };
    Ok(answers.into_iter().map(|answer| answer.err().map(|fault| write_fault(&fault))).collect())
}

fn write_fault(fault: &BrokerFault) -> WriteFault {
    let message = match fault.code {
        // The broker speaks of the writer, who is no member; what it means is that the group has some.
        codes::UNKNOWN_MEMBER_ID | codes::NON_EMPTY_GROUP | codes::GROUP_SUBSCRIBED_TO_TOPIC => {
            format!("a member joined the group meanwhile ({})", fault.name)
        }
        _ => fault.to_string(),
    };
    WriteFault { message, undecided: fault.is_undecided() }
}
