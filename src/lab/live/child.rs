//! The consumer's process: a real member of a real group, which takes one step for each line that it is given.

use super::orders::{Order, Orders};
use crate::error::{Code, Error, Exit, Result};
use crate::kafka::Connection;
use crate::kafka::config::ClientProperties;
use crate::kafka::subscriber::{Commit, Delivered, Subscriber};
use crate::report::{ConsumerCommit, ConsumerRecord, ConsumerReply, ConsumerRequest, ConsumerStart, OrderValue};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// The hidden subcommand that the process runs.
pub const CONSUMER_COMMAND: &str = "__lab-consumer";

/// How long an assignment may take beyond the timeout: a member that was killed stays for its session, and brokers let a new group
/// wait for more members.
pub const JOIN_PATIENCE: Duration = Duration::from_secs(20);

/// Takes the lines of standard input one by one; `answer` prints a line. Where the input ends, whoever gave it is gone: the group is
/// left all the same.
pub fn serve(
    lines: &mut dyn Iterator<Item = std::io::Result<String>>,
    answer: &mut dyn FnMut(&ConsumerReply) -> Result<()>,
) -> Exit {
    let first = lines.next().and_then(std::result::Result::ok);
    let Some(start) = first.and_then(|line| serde_json::from_str::<ConsumerStart>(&line).ok()) else {
        // The parent ended before it had handed over everything, or this was started by hand.
        return Exit::Usage;
    };
    let mut consumer = match Stepper::join(start) {
        Ok(consumer) => consumer,
        Err(error) => {
            let _ = answer(&failed(&error));
            return Exit::Failed;
        }
    };
    let position = consumer.subscriber.position().unwrap_or_default();
    let mut reply = ConsumerReply::Joined { position };
    loop {
        // A reader that is gone is noticed by the end of the input.
        let told = answer(&reply);
        let request = if told.is_ok() { lines.next() } else { None };
        let Some(Ok(line)) = request else {
            consumer.subscriber.leave();
            return Exit::Done;
        };
        reply = match serde_json::from_str::<ConsumerRequest>(&line) {
            Ok(ConsumerRequest::Leave) => {
                consumer.subscriber.leave();
                return if answer(&ConsumerReply::Left).is_ok() { Exit::Done } else { Exit::Failed };
            }
            Ok(request) => consumer.step(request).unwrap_or_else(|error| failed(&error)),
            Err(error) => failed(&Error::new(Code::Internal, format!("not a request of the lab: {error}"))),
        };
    }
}

fn failed(error: &Error) -> ConsumerReply {
    ConsumerReply::Failed { code: error.code.as_str().to_owned(), message: error.message.clone() }
}

struct Stepper {
    subscriber: Subscriber,
    orders: Orders,
    /// What was polled, by offset.
    in_hand: BTreeMap<i64, ConsumerRecord>,
}

impl Stepper {
    fn join(start: ConsumerStart) -> Result<Self> {
        let orders = Orders::open(Path::new(&start.database), start.sink)?;
        let connection = Connection {
            properties: ClientProperties::from_translated(start.properties),
            timeout: Duration::from_millis(start.timeout_ms),
            log: None,
        };
        let commit = match start.commit {
            ConsumerCommit::Auto { interval_ms } => Commit::Auto { interval: Duration::from_millis(interval_ms) },
            ConsumerCommit::Manual => Commit::Manual,
        };
        let mut subscriber = Subscriber::join(&connection, &start.group, &start.topic, commit)?;
        subscriber.wait_for_assignment(Instant::now() + connection.timeout + JOIN_PATIENCE)?;
        Ok(Stepper { subscriber, orders, in_hand: BTreeMap::new() })
    }

    fn step(&mut self, request: ConsumerRequest) -> Result<ConsumerReply> {
        match request {
            ConsumerRequest::Poll { max } => {
                let records =
                    self.subscriber.poll(max)?.into_iter().map(understood).collect::<Result<Vec<ConsumerRecord>>>()?;
                self.in_hand.extend(records.iter().map(|record| (record.offset, record.clone())));
                Ok(ConsumerReply::Polled { records, position: self.subscriber.position().unwrap_or_default() })
            }
            ConsumerRequest::Process => Ok(ConsumerReply::Processed),
            ConsumerRequest::Write { offset } => {
                let record = self.in_hand.get(&offset).ok_or_else(|| {
                    Error::new(Code::Internal, format!("the record of offset {offset} was not polled"))
                })?;
                let order =
                    Order { order_id: record.order_id, status: record.status.clone(), log_offset: record.offset };
                self.orders.write(&order)?;
                Ok(ConsumerReply::Written)
            }
            ConsumerRequest::Commit { next } => self.subscriber.commit(next).map(|()| ConsumerReply::Committed),
            ConsumerRequest::Leave => Ok(ConsumerReply::Left),
        }
    }
}

/// The order that a record tells of: its key and its value name the same.
fn understood(record: Delivered) -> Result<ConsumerRecord> {
    let key = record.key.as_deref().and_then(|key| std::str::from_utf8(key).ok()?.parse::<i64>().ok());
    let value = record.value.as_deref().and_then(|value| serde_json::from_slice::<OrderValue>(value).ok());
    match (key, value) {
        (Some(order_id), Some(value)) if order_id == value.order => {
            Ok(ConsumerRecord { offset: record.offset, order_id, status: value.status })
        }
        _ => Err(Error::new(Code::Internal, format!("the record of offset {} is not one of the lab's", record.offset))),
    }
}
