//! The child that sends a write: its work comes by standard input, its answer goes to standard output.

use crate::error::{Code, Error, Exit};
use crate::kafka::config::ClientProperties;
use crate::kafka::{BrokerFault, Client, Cluster, Connection, WriteRow, codes};
use crate::model::TopicPartition;
use crate::plan::guard;
use crate::report::{WriteFault, WriteReply, WriteRequest};
use std::time::Duration;

/// Reads the request, writes, answers.
pub fn run() -> Exit {
    let request: WriteRequest = match serde_json::from_reader(std::io::stdin().lock()) {
        Ok(request) => request,
        // The parent ended before it had handed over everything, or this was started by hand.
        Err(_) => return Exit::Usage,
    };
    let reply = match write(request) {
        Ok(rows) => WriteReply::Rows(rows),
        Err(error) => WriteReply::NotSent(WriteFault { message: error.message, undecided: false }),
    };
    match super::print(&serde_json::to_string(&reply).unwrap_or_default()) {
        Ok(_) => Exit::Done,
        Err(_) => Exit::Failed,
    }
}

fn write(request: WriteRequest) -> Result<Vec<Option<WriteFault>>, Error> {
    let connection = Connection {
        properties: ClientProperties::from_translated(request.properties),
        timeout: Duration::from_millis(request.timeout_ms),
        log: None,
    };
    // Not dropped: the process ends when it has answered.
    let client: &'static Client = Box::leak(Box::new(Client::connect(connection)?));
    if let Some(refusal) = guard::other_cluster(&request.cluster_id, client.id()) {
        return Err(Error::new(Code::StalePlan, refusal.message));
    }
    let rows: Vec<WriteRow> = request
        .rows
        .into_iter()
        .map(|row| WriteRow {
            partition: TopicPartition::new(row.topic, row.partition),
            offset: row.offset,
            metadata: row.metadata,
        })
        .collect();
    let answers = client.alter_committed_offsets(&request.group, &rows)?;
    Ok(answers.into_iter().map(|answer| answer.err().map(|fault| write_fault(&fault))).collect())
}

fn write_fault(fault: &BrokerFault) -> WriteFault {
    let message = match fault.code {
        // The broker speaks of the writer, who is no member; what it means is that the group has some.
        codes::UNKNOWN_MEMBER_ID => format!("a member joined the group meanwhile ({})", fault.name),
        _ => fault.to_string(),
    };
    WriteFault { message, undecided: fault.is_undecided() }
}
