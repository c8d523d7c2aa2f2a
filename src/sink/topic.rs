//! A topic: key, value, headers and timestamp as they were, each record acknowledged by all replicas before it counts.

use super::{Finished, Remark, Sink};
use crate::error::{Code, Error, Result};
use crate::kafka::producer::{Delivery, Outgoing, Producer, refusals};
use crate::model::{Header, Record, TimestampType};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Records between two looks at what was delivered.
const LOOK: u32 = 256;

/// How long one wait for deliveries lasts before Ctrl-C is looked at.
const WAIT: Duration = Duration::from_millis(20);

/// How long what is on its way may take to arrive once the run ends without being whole.
const GRACE: Duration = Duration::from_secs(10);

/// A mark holds a place in the list of source partitions and an offset: 2^48 offsets are more than a log ever has.
const OFFSET_BITS: u32 = 48;

/// Names of the headers that tell where a record comes from.
pub const ORIGIN_HEADERS: [&str; 5] = [
    "krewind.source.cluster",
    "krewind.source.topic",
    "krewind.source.partition",
    "krewind.source.offset",
    "krewind.source.timestamp",
];

/// Which partition a record goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partitioner {
    /// The one of the same number.
    Keep,
    /// The one that Java's producer chooses for the key; a record without a key goes to any.
    Murmur2,
}

/// What is done to each record.
#[derive(Debug, Clone)]
pub struct Manner {
    /// Which partition it goes to.
    pub partitioner: Partitioner,
    /// Whether headers tell where it comes from.
    pub origin_headers: bool,
    /// The cluster that it comes from, where that is known.
    pub cluster_id: Option<String>,
}

/// What a run that goes on needs to know of the target.
pub struct GoingOn {
    /// Where the target's partitions end: records that a later run must look through begin there.
    pub ends: Box<dyn Fn() -> Result<BTreeMap<i32, i64>> + Send>,
    /// Where an earlier run's place was; empty for the first one.
    pub since: BTreeMap<i32, i64>,
    /// What is in the target behind that: offsets in order, by the partition that they come from.
    pub present: BTreeMap<(String, i32), Vec<i64>>,
}

impl GoingOn {
    /// The place that the next run looks from: the old one until all that stood behind it has come by here too.
    fn place(&self, came_by: u64) -> Result<BTreeMap<i32, i64>> {
        let present: u64 = self.present.values().map(|offsets| offsets.len() as u64).sum();
        if came_by < present { Ok(self.since.clone()) } else { (self.ends)() }
    }
}

/// Produces records to a topic.
pub struct Topic {
    producer: Producer,
    /// As reports name it.
    target: String,
    manner: Manner,
    remarks: Vec<Remark>,
    stop: &'static AtomicBool,
    going_on: Option<GoingOn>,
    /// Records that were there already.
    duplicates: u64,
    /// The source partitions, by the place that marks tell.
    sources: Vec<(String, i32)>,
    /// Place of the source partition that the last record came from.
    current: usize,
    origin: [String; 5],
    sent: u64,
    ended: u64,
    written: u64,
    since_look: u32,
    failed: Option<Delivery>,
    failed_count: u64,
    told: bool,
}

impl Topic {
    /// A sink that produces by `producer`. `target` names the topic in reports; `stop` is Ctrl-C.
    pub fn new(
        producer: Producer,
        target: String,
        manner: Manner,
        remarks: Vec<Remark>,
        stop: &'static AtomicBool,
    ) -> Self {
        Topic {
            producer,
            target,
            manner,
            remarks,
            stop,
            going_on: None,
            duplicates: 0,
            sources: Vec::new(),
            current: 0,
            origin: std::array::from_fn(|_| String::new()),
            sent: 0,
            ended: 0,
            written: 0,
            since_look: 0,
            failed: None,
            failed_count: 0,
            told: false,
        }
    }

    /// The same, for a run that may be gone on with.
    pub fn going_on(self, going_on: GoingOn) -> Self {
        Topic { going_on: Some(going_on), ..self }
    }

    /// Whether an earlier run produced it already.
    fn is_present(&self, record: &Record<'_>) -> bool {
        let Some(present) = self.going_on.as_ref().map(|going_on| &going_on.present).filter(|all| !all.is_empty())
        else {
            return false;
        };
        let offsets = present.get(&(record.topic.to_owned(), record.partition));
        offsets.is_some_and(|offsets| offsets.binary_search(&record.offset).is_ok())
    }

    fn label(&mut self, record: &Record<'_>) -> u64 {
        let same = |(topic, partition): &(String, i32)| *partition == record.partition && topic == record.topic;
        if !self.sources.get(self.current).is_some_and(same) {
            self.current = self.sources.iter().position(same).unwrap_or_else(|| {
                self.sources.push((record.topic.to_owned(), record.partition));
                self.sources.len() - 1
            });
        }
        // Beyond what a mark can tell, errors name another source; nothing else hangs on it.
        let place = self.current.min(usize::from(u16::MAX)) as u64;
        place << OFFSET_BITS | record.offset.cast_unsigned() & ((1 << OFFSET_BITS) - 1)
    }

    fn name_of(&self, mark: u64) -> String {
        let offset = mark & ((1 << OFFSET_BITS) - 1);
        match self.sources.get((mark >> OFFSET_BITS) as usize) {
            Some((topic, partition)) => format!("the record of `{topic}-{partition}` at offset {offset}"),
            None => format!("the record at offset {offset}"),
        }
    }

    fn poll(&mut self, timeout: Duration) {
        let Topic { producer, ended, written, failed, failed_count, .. } = self;
        producer.poll(timeout, &mut |delivery| count(delivery, ended, written, failed, failed_count));
        self.since_look = 0;
    }

    /// The first record that was not taken, told once.
    fn failure(&mut self) -> Result<()> {
        match self.failed {
            Some(delivery) if !self.told => {
                self.told = true;
                Err(self.not_taken(&self.name_of(delivery.mark), delivery.code))
            }
            _ => Ok(()),
        }
    }

    fn not_taken(&self, record: &str, code: i32) -> Error {
        let fault = Producer::fault(code);
        let why = match self.producer.trouble() {
            Some(trouble) if code == refusals::MSG_TIMED_OUT => format!("{fault}; {}", trouble.message),
            _ => fault.to_string(),
        };
        let error = Error::new(Code::SinkFailed, format!("{record} did not arrive in `{}`: {why}", self.target));
        match code {
            refusals::INVALID_TIMESTAMP => error.hint(
                "it, or one of its batch, is older than the topic's `message.timestamp.before.max.ms` or further ahead than its `message.timestamp.after.max.ms`",
            ),
            refusals::MSG_SIZE_TOO_LARGE => error.hint("the topic's `max.message.bytes` is smaller than that record"),
            refusals::INVALID_RECORD => error.hint("a topic with `cleanup.policy=compact` takes no record without a key"),
            refusals::UNKNOWN_PARTITION => error.hint("`--into-partitioner murmur2` chooses among the partitions that there are"),
            refusals::TOPIC_AUTHORIZATION_FAILED => error.hint("ask for WRITE on the topic (`kafka-acls --add …`)"),
            _ => error,
        }
    }

    fn interrupted() -> Error {
        Error::new(Code::Interrupted, "interrupted while the brokers did not take records")
    }

    /// Records that were sent and of which nothing is known.
    fn unknown(&self) -> u64 {
        self.sent - self.ended
    }

    fn origin_of(&mut self, record: &Record<'_>) {
        use std::fmt::Write;
        let [cluster, topic, partition, offset, timestamp] = &mut self.origin;
        if topic != record.topic || cluster.is_empty() {
            self.manner.cluster_id.as_deref().unwrap_or_default().clone_into(cluster);
            record.topic.clone_into(topic);
        }
        for (text, number) in
            [(partition, i64::from(record.partition)), (offset, record.offset), (timestamp, record.timestamp_ms)]
        {
            text.clear();
            let _ = write!(text, "{number}");
        }
    }
}

impl Sink for Topic {
    fn put(&mut self, record: &Record<'_>) -> Result<()> {
        if record.timestamp_ms == 0 && record.timestamp_type != TimestampType::NotAvailable {
            let name = format!("the record of `{}-{}` at offset {}", record.topic, record.partition, record.offset);
            return Err(Error::new(
                Code::SinkFailed,
                format!("{name} has the timestamp 0, which can't be kept: the client library would date it now"),
            ));
        }
        if self.is_present(record) {
            self.duplicates += 1;
            return Ok(());
        }
        let mark = self.label(record);
        let mut headers: [Header<'_>; 5] = [Header { key: b"", value: None }; 5];
        let mut added: &[Header<'_>] = &[];
        if self.manner.origin_headers {
            self.origin_of(record);
            for ((header, name), value) in headers.iter_mut().zip(ORIGIN_HEADERS).zip(&self.origin) {
                *header = Header { key: name.as_bytes(), value: Some(value.as_bytes()) };
            }
            // A file does not tell its cluster.
            added = if self.manner.cluster_id.is_some() { &headers } else { &headers[1..] };
        }
        let outgoing = Outgoing {
            partition: (self.manner.partitioner == Partitioner::Keep).then_some(record.partition),
            timestamp_ms: match record.timestamp_type {
                TimestampType::NotAvailable => -1,
                _ => record.timestamp_ms,
            },
            key: record.key,
            value: record.value,
            headers: [record.headers, added],
        };
        loop {
            match self.producer.send(&outgoing, mark) {
                Ok(true) => break,
                Ok(false) => {}
                Err(fault) => {
                    self.told = true;
                    return Err(self.not_taken(&self.name_of(mark), fault.code));
                }
            }
            // Full: what waits must arrive first. The borrow of the origin's text ends with each round.
            if self.stop.load(Ordering::SeqCst) {
                return Err(Topic::interrupted());
            }
            let Topic { producer, ended, written, failed, failed_count, .. } = self;
            producer.poll(WAIT, &mut |delivery| count(delivery, ended, written, failed, failed_count));
            if self.failed.is_some() {
                return self.failure();
            }
        }
        self.sent += 1;
        self.since_look += 1;
        if self.since_look >= LOOK {
            self.poll(Duration::ZERO);
            return self.failure();
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        loop {
            self.failure()?;
            if self.unknown() == 0 || self.failed.is_some() {
                return Ok(());
            }
            if self.stop.load(Ordering::SeqCst) {
                return Err(Topic::interrupted());
            }
            self.poll(WAIT);
        }
    }

    fn mark(&mut self) -> Result<serde_json::Value> {
        self.flush()?;
        match &self.going_on {
            Some(going_on) => Ok(serde_json::json!({ "ends": going_on.place(self.duplicates)? })),
            None => Err(Error::new(Code::Internal, "this topic was not opened to go on from")),
        }
    }

    fn finish(&mut self, whole: bool) -> Finished {
        let error = if whole { self.flush().err() } else { None };
        let deadline = Instant::now() + GRACE;
        while self.unknown() > 0 && Instant::now() < deadline {
            self.poll(WAIT);
        }
        let error = error.or_else(|| self.failure().err());
        if self.unknown() > 0 {
            self.remarks.push(Remark {
                code: "unconfirmed",
                message: format!(
                    "{} records were sent to `{}` and not acknowledged: whether they arrived is not known",
                    self.unknown(),
                    self.target
                ),
            });
        }
        if self.failed_count > 1 {
            self.remarks.push(Remark {
                code: "not-taken",
                message: format!("{} records did not arrive in `{}`", self.failed_count, self.target),
            });
        }
        Finished { partial: None, error }
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn duplicates(&self) -> u64 {
        self.duplicates
    }

    fn remarks(&self) -> Vec<Remark> {
        self.remarks.clone()
    }

    fn name(&self) -> (&'static str, String) {
        ("kafka", self.target.clone())
    }
}

fn count(delivery: Delivery, ended: &mut u64, written: &mut u64, failed: &mut Option<Delivery>, failures: &mut u64) {
    *ended += 1;
    if delivery.code == 0 {
        *written += 1;
    } else {
        *failures += 1;
        failed.get_or_insert(delivery);
    }
}
