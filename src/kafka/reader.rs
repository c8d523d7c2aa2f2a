//! Reading fixed ranges of partitions: `assign()` by a consumer whose group nobody shares and that never commits.

use super::connect::{Connection, Context, client_config, creation_error};
use super::error::{BrokerFault, codes};
use super::ffi::batch::{Batch, BatchQueue, Message, PARTITION_EOF};
use super::ffi::{Fault, Native};
use crate::error::{Code, Error, Result};
use crate::model::{Header, Record, TopicPartition};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::TopicPartitionList;
use std::collections::HashMap;
use std::time::Duration;

/// Records that one look at the queue may bring.
const BATCH: usize = 2048;

/// How a reader reads.
#[derive(Debug, Clone)]
pub struct ReaderOptions {
    /// The group id that librdkafka asks of an assigned consumer. Nothing is ever committed to it, so no such group comes to be.
    pub group_id: String,
    /// Whether records of open and aborted transactions are left out.
    pub read_committed: bool,
}

/// A consumer that reads by assignment alone.
pub struct Reader {
    consumer: BaseConsumer<Context>,
}

/// One thing that came from a partition; the index is the partition's place in the list that was assigned.
#[derive(Debug)]
pub enum Item<'a> {
    /// A record.
    Record(usize, Record<'a>),
    /// The end of what can be read now: the offset that comes next there.
    End(usize, i64),
    /// Something went wrong with this partition.
    Fault(usize, BrokerFault),
}

impl Reader {
    /// Makes the consumer; nothing is read yet.
    pub fn open(connection: &Connection, options: &ReaderOptions) -> Result<Self> {
        let mut config = client_config(connection);
        config
            .set("group.id", &options.group_id)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("allow.auto.create.topics", "false")
            // A start that retention has passed is an error, not a silent jump to the end.
            .set("auto.offset.reset", "error")
            .set("enable.partition.eof", "true")
            .set("isolation.level", if options.read_committed { "read_committed" } else { "read_uncommitted" })
            // With a full queue librdkafka pauses for a second by default, which costs most of the speed.
            .set("fetch.queue.backoff.ms", "5")
            // How late the end of a log is told.
            .set("fetch.wait.max.ms", "50")
            .set("queued.max.messages.kbytes", "65536");
        let consumer = config.create_with_context(Context::new(connection.log.clone())).map_err(creation_error)?;
        Ok(Reader { consumer })
    }

    /// Assigns the partitions at their offsets.
    pub fn start(&self, partitions: &[(TopicPartition, i64)]) -> Result<Reading<'_>> {
        let queue = BatchQueue::new(Native::of(self.consumer.client()), BATCH);
        let mut list = TopicPartitionList::with_capacity(partitions.len());
        for (partition, offset) in partitions {
            // Before `assign()`: the forwarding outlives it, and no record goes another way.
            queue.forward(&partition.topic, partition.partition).map_err(|fault| failed(&fault, partition))?;
            list.add_partition(&partition.topic, partition.partition)
                .set_offset(rdkafka::Offset::Offset(*offset))
                .map_err(|error| internal("a start offset was refused", error))?;
        }
        self.consumer.assign(&list).map_err(|error| internal("the partitions could not be assigned", error))?;
        let places = partitions
            .iter()
            .enumerate()
            .map(|(index, (partition, _))| ((partition.topic.clone(), partition.partition), index))
            .collect();
        Ok(Reading { reader: self, queue, places, by_address: HashMap::new() })
    }
}

fn failed(fault: &Fault, partition: &TopicPartition) -> Error {
    BrokerFault::from(fault.clone()).into_error(&format!("reading `{partition}`"))
}

fn internal(what: &str, error: rdkafka::error::KafkaError) -> Error {
    Error::new(Code::Internal, what.to_owned()).caused_by(error)
}

/// Assigned partitions, read in batches.
pub struct Reading<'r> {
    reader: &'r Reader,
    queue: BatchQueue<'r>,
    places: HashMap<(String, i32), usize>,
    /// By the topic object's address, so that names need not be hashed for each record.
    by_address: HashMap<(usize, i32), usize>,
}

impl Reading<'_> {
    /// Waits up to `timeout` for what comes, and hands each thing over in its order. How many came. An error of the receiver
    /// ends the hand-over.
    pub fn poll<E>(
        &mut self,
        timeout: Duration,
        mut receive: impl FnMut(Item<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<usize, E> {
        // Log, error and token events. Errors of the group's coordinator come here, and mean nothing to an assigned reader.
        let _ = self.reader.consumer.poll(Duration::ZERO);
        let batch: Batch<'_> = self.queue.poll(timeout);
        let count = batch.len();
        let mut headers: Vec<Header<'_>> = Vec::new();
        for message in batch.iter() {
            let Some(index) = place(&self.places, &mut self.by_address, message) else { continue };
            match message.code() {
                0 => {
                    message.headers(&mut headers);
                    let (timestamp_ms, timestamp_type) = message.timestamp();
                    let record = Record {
                        topic: message.topic(),
                        partition: message.partition(),
                        offset: message.offset(),
                        timestamp_ms,
                        timestamp_type,
                        key: message.key(),
                        value: message.value(),
                        headers: &headers,
                    };
                    receive(Item::Record(index, record))?;
                }
                PARTITION_EOF => receive(Item::End(index, message.offset()))?,
                code => {
                    let fault = BrokerFault { message: message.error_text(), ..BrokerFault::from(Fault::of(code)) };
                    receive(Item::Fault(index, fault))?;
                }
            }
        }
        Ok(count)
    }

    /// Stops fetching this partition.
    pub fn finish(&self, partition: &TopicPartition) {
        let mut list = TopicPartitionList::with_capacity(1);
        list.add_partition(&partition.topic, partition.partition);
        // At worst records come that nobody wants.
        let _ = self.reader.consumer.pause(&list);
    }
}

fn place(
    places: &HashMap<(String, i32), usize>,
    by_address: &mut HashMap<(usize, i32), usize>,
    message: Message<'_>,
) -> Option<usize> {
    let key = (message.topic_address(), message.partition());
    if let Some(&index) = by_address.get(&key) {
        return Some(index);
    }
    let index = *places.get(&(message.topic().to_owned(), message.partition()))?;
    by_address.insert(key, index);
    Some(index)
}

/// Whether the offset that was asked for is no longer, or not yet, in the log.
pub fn is_out_of_log(fault: &BrokerFault) -> bool {
    matches!(fault.code, codes::AUTO_OFFSET_RESET | codes::OFFSET_OUT_OF_RANGE)
}
