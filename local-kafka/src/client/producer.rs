use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::ClientContext;
use rdkafka::consumer::Consumer;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, Message, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, DeliveryResult, Producer as _, ProducerContext};

use super::{Cluster, LIMIT};
use crate::Error;
use crate::guard::left;

/// A record to produce.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    topic: String,
    partition: Option<i32>,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(String, Option<Vec<u8>>)>,
    timestamp: Option<i64>,
}

impl Record {
    /// An empty record for a topic: no key, no value (a tombstone), no headers, produced now into
    /// any partition.
    #[must_use]
    pub fn to(topic: &str) -> Record {
        Record { topic: topic.to_owned(), ..Record::default() }
    }

    /// Into this partition.
    #[must_use]
    pub fn partition(mut self, partition: i32) -> Record {
        self.partition = Some(partition);
        self
    }

    /// With a key.
    #[must_use]
    pub fn key(mut self, key: impl AsRef<[u8]>) -> Record {
        self.key = Some(key.as_ref().to_vec());
        self
    }

    /// With a value.
    #[must_use]
    pub fn value(mut self, value: impl AsRef<[u8]>) -> Record {
        self.value = Some(value.as_ref().to_vec());
        self
    }

    /// With one more header, whose value may be null.
    #[must_use]
    pub fn header(mut self, key: &str, value: Option<&[u8]>) -> Record {
        self.headers.push((key.to_owned(), value.map(<[u8]>::to_vec)));
        self
    }

    /// With a timestamp, in milliseconds since 1970.
    #[must_use]
    pub fn timestamp(mut self, milliseconds: i64) -> Record {
        self.timestamp = Some(milliseconds);
        self
    }
}

/// What became of a record: its partition and offset, or the error.
type Delivery = Result<(i32, i64), KafkaError>;

/// Collects the deliveries, by the number of the record in its call.
#[derive(Debug, Clone, Default)]
struct Deliveries(Arc<Mutex<HashMap<usize, Delivery>>>);

impl ClientContext for Deliveries {}

impl ProducerContext for Deliveries {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, number: usize) {
        let delivery = match result {
            Ok(message) => Ok((message.partition(), message.offset())),
            Err((error, _)) => Err(error.clone()),
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(number, delivery);
    }
}

/// Produces records and waits for their acknowledgements; plain or transactional.
pub struct Producer {
    producer: BaseProducer<Deliveries>,
    deliveries: Deliveries,
}

impl std::fmt::Debug for Producer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Producer").finish_non_exhaustive()
    }
}

impl Cluster {
    /// A producer that waits for all replicas.
    ///
    /// # Errors
    /// When a property is wrong.
    pub fn producer(&self, more: &[(&str, &str)]) -> Result<Producer, Error> {
        let deliveries = Deliveries::default();
        let mut config = self.config(&[
            ("acks", "all"),
            ("enable.idempotence", "true"),
            ("linger.ms", "5"),
            ("message.timeout.ms", "60000"),
            // Topics are produced to when they are known to be there; half a minute otherwise.
            ("topic.metadata.propagation.max.ms", "5000"),
        ]);
        for (key, value) in more {
            config.set(*key, *value);
        }
        let producer = config.create_with_context(deliveries.clone()).map_err(Error::kafka("make a producer"))?;
        Ok(Producer { producer, deliveries })
    }

    /// A transactional producer, initialized: an older one with this id is fenced.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn transactional_producer(&self, id: &str, more: &[(&str, &str)]) -> Result<Producer, Error> {
        let config = [&[("transactional.id", id)], more].concat();
        let producer = self.producer(&config)?;
        producer
            .producer
            .init_transactions(LIMIT)
            .map_err(Error::kafka(format!("initialize transactional id {id}")))?;
        Ok(producer)
    }

    /// Produces records by a producer made for it.
    ///
    /// # Errors
    /// As [`Producer::produce`].
    pub fn produce(&self, records: &[Record]) -> Result<Vec<(i32, i64)>, Error> {
        self.producer(&[])?.produce(records)
    }

    /// Produces `count` records, with values `0`, `1`, …, into one partition.
    ///
    /// # Errors
    /// As [`Producer::produce`].
    pub fn produce_numbers(&self, topic: &str, partition: i32, count: usize) -> Result<(), Error> {
        let records: Vec<Record> =
            (0..count).map(|n| Record::to(topic).partition(partition).value(n.to_string())).collect();
        self.produce(&records).map(drop)
    }
}

impl Producer {
    /// Produces records and waits until all are acknowledged. Returns partition and offset of each,
    /// in the order given.
    ///
    /// # Errors
    /// When any record is refused.
    pub fn produce(&self, records: &[Record]) -> Result<Vec<(i32, i64)>, Error> {
        let what = || "produce".to_owned();
        let end = Instant::now() + LIMIT;
        self.deliveries().clear();
        for (number, record) in records.iter().enumerate() {
            let mut message = message(record, number);
            loop {
                match self.producer.send(message) {
                    Ok(()) => break,
                    Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), back)) if !left(end).is_zero() => {
                        message = back;
                        self.producer.poll(Duration::from_millis(50));
                    }
                    Err((error, _)) => return Err(Error::kafka(what())(error)),
                }
            }
        }
        self.producer.flush(LIMIT).map_err(Error::kafka(what()))?;
        // One more turn for callbacks that the flush left.
        while self.deliveries().len() < records.len() && !left(end).is_zero() {
            self.producer.poll(Duration::from_millis(20));
        }
        let mut deliveries = self.deliveries();
        (0..records.len())
            .map(|number| {
                deliveries
                    .remove(&number)
                    .unwrap_or(Err(KafkaError::MessageProduction(RDKafkaErrorCode::OperationTimedOut)))
                    .map_err(Error::kafka(what()))
            })
            .collect()
    }

    fn deliveries(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Delivery>> {
        self.deliveries.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// When one is open, or the producer is not transactional.
    pub fn begin(&self) -> Result<(), Error> {
        self.producer.begin_transaction().map_err(Error::kafka("begin a transaction"))
    }

    /// Commits the open transaction.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn commit(&self) -> Result<(), Error> {
        self.producer.commit_transaction(LIMIT).map_err(Error::kafka("commit a transaction"))
    }

    /// Aborts the open transaction.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn abort(&self) -> Result<(), Error> {
        self.producer.abort_transaction(LIMIT).map_err(Error::kafka("abort a transaction"))
    }

    /// Adds a group's offsets to the open transaction: pending until it ends.
    ///
    /// # Errors
    /// When the coordinator refuses.
    pub fn send_offsets(&self, cluster: &Cluster, group: &str, offsets: &[(&str, i32, i64)]) -> Result<(), Error> {
        let what = || format!("add offsets of group {group} to a transaction");
        let consumer = cluster.consumer(group, &[])?;
        let Some(metadata) = consumer.group_metadata() else {
            return Err(Error::Unsupported(format!("cannot {}: the consumer has no group", what())));
        };
        let list = super::offsets::list(offsets)?;
        self.producer.send_offsets_to_transaction(&list, &metadata, LIMIT).map_err(Error::kafka(what()))
    }
}

fn message(record: &Record, number: usize) -> BaseRecord<'_, [u8], [u8], usize> {
    let mut message = BaseRecord::with_opaque_to(&record.topic, number);
    if let Some(partition) = record.partition {
        message = message.partition(partition);
    }
    if let Some(key) = &record.key {
        message = message.key(key.as_slice());
    }
    if let Some(value) = &record.value {
        message = message.payload(value.as_slice());
    }
    if let Some(timestamp) = record.timestamp {
        message = message.timestamp(timestamp);
    }
    if !record.headers.is_empty() {
        let mut headers = OwnedHeaders::new_with_capacity(record.headers.len());
        for (key, value) in &record.headers {
            headers = headers.insert(Header { key, value: value.as_deref() });
        }
        message = message.headers(headers);
    }
    message
}
