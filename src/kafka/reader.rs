//! Reading partitions from given offsets, beside every group: by `assign()`, in batches, without a copy and without a commit.

use super::connect::{Connection, Context, client_config, creation_error};
use super::error::{BrokerFault, codes};
use super::ffi::batch::{BatchQueue, Message, PARTITION_EOF};
use super::ffi::{Fault, Native};
use crate::error::{Code, Error, Result};
use crate::model::{Header, Record, TopicPartition};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use std::collections::HashMap;
use std::time::Duration;

/// Messages a batch: enough that the queue's lock and the clock cost nothing per record.
const BATCH: usize = 2048;

/// Whether records of open and aborted transactions are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Committed ones alone.
    ReadCommitted,
    /// All.
    ReadUncommitted,
}

impl Isolation {
    /// Kafka's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Isolation::ReadCommitted => "read_committed",
            Isolation::ReadUncommitted => "read_uncommitted",
        }
    }
}

/// What comes from a partition that is read. `partition` is its index in the list that was given.
#[derive(Debug)]
pub enum Event<'a> {
    /// A record, lent until the call returns.
    Record {
        /// Whose.
        partition: usize,
        /// The record.
        record: Record<'a>,
    },
    /// This reader has everything before `offset`; more may come.
    End {
        /// Whose.
        partition: usize,
        /// The offset that comes next.
        offset: i64,
    },
    /// Reading a partition fails; librdkafka may go on by itself.
    Fault {
        /// Whose.
        partition: usize,
        /// Why.
        fault: BrokerFault,
    },
}

/// Where records come from: a cluster, or a test's script.
pub trait Source {
    /// Waits up to `timeout` and hands each event that came to `each`, in order, until that fails. How many came.
    fn poll(&mut self, timeout: Duration, each: &mut dyn FnMut(Event<'_>) -> Result<()>) -> Result<usize>;

    /// These partitions are not wanted any more. A few of their records may still come.
    fn stop(&mut self, partitions: &[usize]);

    /// Why nothing comes, where the client knows.
    fn trouble(&self) -> Option<BrokerFault> {
        None
    }
}

/// A consumer that belongs to no group.
pub struct Reader {
    consumer: BaseConsumer<Context>,
}

impl Reader {
    /// A consumer with this `group.id`, which `assign()` asks for: it never joins, and never commits.
    pub fn new(connection: &Connection, group: &str, isolation: Isolation) -> Result<Self> {
        let mut config = client_config(connection);
        let wanted = [
            ("group.id", group),
            ("enable.auto.commit", "false"),
            ("enable.auto.offset.store", "false"),
            ("allow.auto.create.topics", "false"),
            ("isolation.level", isolation.as_str()),
            ("enable.partition.eof", "true"),
            // `largest`, the default, would jump to the end where the next offset was deleted, and look like success.
            ("auto.offset.reset", "error"),
            // With the default of a second the reader waits most of the time.
            ("fetch.queue.backoff.ms", "5"),
            // The end of a log is told by a fetch that found nothing, so much later.
            ("fetch.wait.max.ms", "20"),
            ("fetch.message.max.bytes", "4194304"),
            ("queued.max.messages.kbytes", "65536"),
            // A sink may block for as long as it likes.
            ("max.poll.interval.ms", "86400000"),
        ];
        for (key, value) in wanted {
            config.set(key, value);
        }
        let consumer = config.create_with_context(Context::new(connection.log.clone())).map_err(creation_error)?;
        Ok(Reader { consumer })
    }

    /// Begins to read each partition at its offset.
    pub fn start(&self, partitions: &[(TopicPartition, i64)]) -> Result<Reading<'_>> {
        let queue = BatchQueue::new(Native::of(self.consumer.client()), BATCH);
        let mut list = TopicPartitionList::with_capacity(partitions.len());
        let mut indexes: HashMap<String, HashMap<i32, usize>> = HashMap::new();
        for (index, (partition, offset)) in partitions.iter().enumerate() {
            let (topic, number) = (&partition.topic, partition.partition);
            indexes.entry(topic.clone()).or_default().insert(number, index);
            // Before the assignment, or the first records would go to the consumer's own queue.
            queue.forward(topic, number).map_err(|fault| BrokerFault::from(fault).into_error("starting to read"))?;
            list.add_partition_offset(topic, number, Offset::Offset(*offset))
                .map_err(|error| start_error(partition, error))?;
        }
        self.consumer
            .assign(&list)
            .map_err(|error| Error::new(Code::Internal, "the partitions could not be assigned").caused_by(error))?;
        let partitions = partitions.iter().map(|(partition, _)| partition.clone()).collect();
        Ok(Reading { consumer: &self.consumer, queue, partitions, indexes })
    }
}

fn start_error(partition: &TopicPartition, error: rdkafka::error::KafkaError) -> Error {
    Error::new(Code::Internal, format!("`{partition}` could not be assigned")).caused_by(error)
}

/// Partitions being read.
pub struct Reading<'r> {
    consumer: &'r BaseConsumer<Context>,
    queue: BatchQueue<'r>,
    partitions: Vec<TopicPartition>,
    indexes: HashMap<String, HashMap<i32, usize>>,
}

impl Source for Reading<'_> {
    fn poll(&mut self, timeout: Duration, each: &mut dyn FnMut(Event<'_>) -> Result<()>) -> Result<usize> {
        // The consumer's own queue has no records, but logins to renew, and errors of the coordinator that is of no use here.
        while self.consumer.poll(Duration::ZERO).is_some() {}
        let batch = self.queue.poll(timeout);
        if !batch.is_empty() {
            self.consumer.context().connected();
        }
        let mut headers: Vec<Header<'_>> = Vec::new();
        // Messages come in runs of one partition. A topic object lives as long as the batch, so its address tells the topic.
        let mut run: Option<(usize, i32, usize)> = None;
        for message in batch.iter() {
            let (address, number) = (message.topic_address(), message.partition());
            let partition = match run {
                Some((same, partition, index)) if same == address && partition == number => index,
                _ => {
                    let known = self.indexes.get(message.topic()).and_then(|numbers| numbers.get(&number));
                    // An error of the whole client has no partition; librdkafka mends those, or the stall timeout ends the run.
                    let Some(&index) = known else { continue };
                    run = Some((address, number, index));
                    index
                }
            };
            each(event(message, partition, &mut headers))?;
        }
        Ok(batch.len())
    }

    fn stop(&mut self, partitions: &[usize]) {
        let mut list = TopicPartitionList::with_capacity(partitions.len());
        for &index in partitions {
            if let Some(partition) = self.partitions.get(index) {
                list.add_partition(&partition.topic, partition.partition);
            }
        }
        // Where it fails, more is read than needed, and left out.
        let _ = self.consumer.pause(&list);
    }

    fn trouble(&self) -> Option<BrokerFault> {
        self.consumer.context().reason().map(BrokerFault::from)
    }
}

fn event<'b, 'h>(message: Message<'b>, partition: usize, headers: &'h mut Vec<Header<'b>>) -> Event<'h>
where
    'b: 'h,
{
    match message.code() {
        0 => {
            message.headers(headers);
            let (timestamp_ms, timestamp_type) = message.timestamp();
            let record = Record {
                topic: message.topic(),
                partition: message.partition(),
                offset: message.offset(),
                timestamp_ms,
                timestamp_type,
                key: message.key(),
                value: message.value(),
                headers,
            };
            Event::Record { partition, record }
        }
        PARTITION_EOF => Event::End { partition, offset: message.offset() },
        code => {
            let mut fault = Fault::of(code);
            let text = message.error_text();
            if !text.is_empty() {
                fault.message = text;
            }
            Event::Fault { partition, fault: fault.into() }
        }
    }
}

/// Whether a partition's fault ends its reading for good; librdkafka gets over the others by itself.
pub fn is_final(fault: &BrokerFault) -> bool {
    /// The record batch is damaged; librdkafka would leave it out and go on.
    const BAD_MSG: i32 = -199;
    const BAD_COMPRESSION: i32 = -198;
    const NOT_IMPLEMENTED: i32 = -170;
    const UNDERFLOW: i32 = -155;
    const FATAL: i32 = -150;
    const CORRUPT_MESSAGE: i32 = 2;
    const MSG_SIZE_TOO_LARGE: i32 = 10;
    fault.is_missing_topic()
        || fault.is_unauthorized()
        || matches!(
            fault.code,
            codes::AUTO_OFFSET_RESET
                | BAD_MSG
                | BAD_COMPRESSION
                | NOT_IMPLEMENTED
                | UNDERFLOW
                | FATAL
                | CORRUPT_MESSAGE
                | MSG_SIZE_TOO_LARGE
        )
}
