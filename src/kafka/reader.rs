//! Reading partitions from given offsets, beside every group: by `assign()`, in batches, without a copy and without a commit.

use super::connect::{Connection, Context, client_config, creation_error};
use super::error::{BrokerFault, codes};
use super::ffi::batch::{Batch, BatchQueue, Message, PARTITION_EOF};
use super::ffi::{Fault, Native};
use crate::error::{Code, Error, Result};
use crate::model::{Header, Record, TopicPartition};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
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
}

/// A source whose records outlive the call: they are passed on to another thread as they came.
pub trait Batches {
    /// Waits up to `timeout` for at most `most` events.
    fn next(&mut self, timeout: Duration, most: usize) -> Box<dyn Lent>;

    /// These partitions are not wanted any more. A few of their records may still come.
    fn stop(&mut self, partitions: &[usize]);

    /// Why nothing comes, where the client knows.
    fn trouble(&self) -> Option<BrokerFault> {
        None
    }
}

/// Events that came together; while it lives, so do the buffers that their records point into.
pub trait Lent: Send {
    /// How many events.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each event with its place, in order, until `each` fails. Records have their headers where `headers` asks for them, which
    /// costs.
    fn events(&self, headers: bool, each: &mut dyn FnMut(usize, Event<'_>) -> Result<()>) -> Result<()>;

    /// The records at these places, which hold records, until `each` fails.
    fn records(&self, places: Range<usize>, each: &mut dyn FnMut(&Record<'_>) -> Result<()>) -> Result<()>;
}

/// A consumer that belongs to no group.
pub struct Reader {
    consumer: BaseConsumer<Context>,
}

impl Reader {
    /// A consumer with this `group.id`, which `assign()` asks for: it never joins, and never commits. Of `buffer` bytes an eighth is for
    /// keys and values that wait: librdkafka spends some 300 bytes more on each record, and what is being fetched comes to that.
    pub fn new(connection: &Connection, group: &str, isolation: Isolation, buffer: u64) -> Result<Self> {
        let mut config = client_config(connection);
        let queue = (buffer / 8 / 1024).max(128).to_string();
        let fetch = (buffer / 64).clamp(64 * 1024, 4 * 1024 * 1024).to_string();
        let fetches = (buffer / 8).clamp(1024 * 1024, 50 * 1024 * 1024).to_string();
        let wanted = [
            ("group.id", group),
            ("enable.auto.commit", "false"),
            ("enable.auto.offset.store", "false"),
            ("allow.auto.create.topics", "false"),
            ("isolation.level", isolation.as_str()),
            ("enable.partition.eof", "true"),
            // `largest`, the default, would jump to the end where the next offset was deleted, and look like success.
            ("auto.offset.reset", "error"),
            // A sink may block for as long as it likes.
            ("max.poll.interval.ms", "86400000"),
        ];
        for (key, value) in wanted {
            config.set(key, value);
        }
        let preferred = [
            // With the default of a second the reader waits most of the time.
            ("fetch.queue.backoff.ms", "5"),
            // The end of a log is told by a fetch that found nothing, so much later.
            ("fetch.wait.max.ms", "20"),
            ("fetch.message.max.bytes", &fetch),
            ("fetch.max.bytes", &fetches),
            ("queued.max.messages.kbytes", &queue),
        ];
        // The user's choice where there is one.
        for (key, value) in preferred.into_iter().filter(|(key, _)| connection.properties.get(key).is_none()) {
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
        let partitions: Arc<[TopicPartition]> = partitions.iter().map(|(partition, _)| partition.clone()).collect();
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
    partitions: Arc<[TopicPartition]>,
    indexes: HashMap<String, HashMap<i32, usize>>,
}

impl<'r> Reading<'r> {
    fn batch(&self, timeout: Duration, most: usize) -> RecordBatch<'r> {
        // The consumer's own queue has no records, but logins to renew, and errors of the coordinator that is of no use here.
        while self.consumer.poll(Duration::ZERO).is_some() {}
        let batch = self.queue.poll(timeout, most);
        if !batch.is_empty() {
            self.consumer.context().connected();
        }
        // Messages come in runs of one partition. A topic object lives as long as the batch, so its address tells the topic.
        let mut runs: Vec<Run> = Vec::new();
        let mut last: Option<(usize, i32)> = None;
        for (place, message) in batch.iter().enumerate() {
            let whose = (message.topic_address(), message.partition());
            if last != Some(whose) {
                last = Some(whose);
                let known = self.indexes.get(message.topic()).and_then(|numbers| numbers.get(&whose.1));
                runs.push(Run { end: place, partition: known.copied() });
            }
            if let Some(run) = runs.last_mut() {
                run.end = place + 1;
            }
        }
        RecordBatch { batch, runs, partitions: self.partitions.clone() }
    }

    fn pause(&self, partitions: &[usize]) {
        let mut list = TopicPartitionList::with_capacity(partitions.len());
        for &index in partitions {
            if let Some(partition) = self.partitions.get(index) {
                list.add_partition(&partition.topic, partition.partition);
            }
        }
        // Where it fails, more is read than needed, and left out.
        let _ = self.consumer.pause(&list);
    }
}

impl Source for Reading<'_> {
    fn poll(&mut self, timeout: Duration, each: &mut dyn FnMut(Event<'_>) -> Result<()>) -> Result<usize> {
        let batch = self.batch(timeout, BATCH);
        batch.events(true, &mut |_, event| each(event))?;
        Ok(batch.len())
    }

    fn stop(&mut self, partitions: &[usize]) {
        self.pause(partitions);
    }
}

impl Batches for Reading<'static> {
    fn next(&mut self, timeout: Duration, most: usize) -> Box<dyn Lent> {
        Box::new(self.batch(timeout, most))
    }

    fn stop(&mut self, partitions: &[usize]) {
        self.pause(partitions);
    }

    fn trouble(&self) -> Option<BrokerFault> {
        self.consumer.context().reason().map(BrokerFault::from)
    }
}

/// Events in a row that are of one partition.
struct Run {
    /// The place after the last one.
    end: usize,
    /// The partition's index. An error of the whole client has none; librdkafka mends those, or the stall timeout ends the run.
    partition: Option<usize>,
}

struct RecordBatch<'r> {
    batch: Batch<'r>,
    runs: Vec<Run>,
    partitions: Arc<[TopicPartition]>,
}

impl Lent for RecordBatch<'_> {
    fn len(&self) -> usize {
        self.batch.len()
    }

    fn events(&self, with_headers: bool, each: &mut dyn FnMut(usize, Event<'_>) -> Result<()>) -> Result<()> {
        let mut headers = Vec::new();
        let mut from = 0;
        for run in &self.runs {
            let places = std::mem::replace(&mut from, run.end)..run.end;
            let Some(partition) = run.partition else { continue };
            for place in places {
                let message = self.batch.get(place);
                let event = match message.code() {
                    0 => {
                        if with_headers {
                            message.headers(&mut headers);
                        }
                        let record = record(message, &self.partitions[partition], &headers);
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
                };
                each(place, event)?;
            }
        }
        Ok(())
    }

    fn records(&self, places: Range<usize>, each: &mut dyn FnMut(&Record<'_>) -> Result<()>) -> Result<()> {
        let mut headers = Vec::new();
        let mut from = 0;
        for run in &self.runs {
            let here = from.max(places.start)..run.end.min(places.end);
            from = run.end;
            let Some(partition) = run.partition else { continue };
            for place in here {
                let message = self.batch.get(place);
                message.headers(&mut headers);
                each(&record(message, &self.partitions[partition], &headers))?;
            }
        }
        Ok(())
    }
}

#[inline]
fn record<'h, 'b: 'h>(message: Message<'b>, whose: &'h TopicPartition, headers: &'h [Header<'b>]) -> Record<'h> {
    let (timestamp_ms, timestamp_type) = message.timestamp();
    Record {
        topic: &whose.topic,
        partition: whose.partition,
        offset: message.offset(),
        timestamp_ms,
        timestamp_type,
        key: message.key(),
        value: message.value(),
        headers,
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
