//! Producing records to one topic: idempotent, from lent slices, each delivery reported.

use super::connect::{Connection, Context, client_config, creation_error};
use super::error::BrokerFault;
use super::ffi::produce::{ProduceTopic, QUEUE_FULL};
use super::ffi::{Fault, Native};
use crate::error::{Code, Error, Result};
use rdkafka::producer::{BaseProducer, DeliveryResult, Producer as _, ProducerContext};
use std::time::Duration;

pub use super::ffi::produce::{Delivery, Outgoing};

/// Bytes of keys and values that wait for their acknowledgement, at most.
const QUEUE_KBYTES: &str = "32768";

/// The same in records: librdkafka spends some 200 bytes on each.
const QUEUE_MESSAGES: &str = "100000";

/// A topic's `max.message.bytes` where it is not known: Kafka's default.
const USUAL_MAX_MESSAGE_BYTES: u64 = 1_048_588;

/// Codes of records that were not taken, for hints.
pub mod refusals {
    #![allow(missing_docs)]
    pub const MSG_SIZE_TOO_LARGE: i32 = 10;
    pub const INVALID_TIMESTAMP: i32 = 32;
    pub const INVALID_RECORD: i32 = 87;
    pub const UNKNOWN_PARTITION: i32 = -190;
    pub const TOPIC_AUTHORIZATION_FAILED: i32 = 29;
    pub const MSG_TIMED_OUT: i32 = -192;
}

impl ProducerContext for Context {
    type DeliveryOpaque = ();

    fn delivery(&self, _: &DeliveryResult<'_>, (): ()) {}
}

/// What produces to one topic. It lives until the process ends.
pub struct Producer {
    client: &'static BaseProducer<Context>,
    topic: ProduceTopic<'static>,
    trouble: Option<BrokerFault>,
}

impl Producer {
    /// A producer for this topic, whose `max.message.bytes` is this. Where a record names no partition, Java's murmur2 does.
    pub fn new(connection: &Connection, topic: &str, max_message_bytes: Option<u64>) -> Result<Self> {
        let mut config = client_config(connection);
        let limit = max_message_bytes.unwrap_or(USUAL_MAX_MESSAGE_BYTES).min(1_000_000_000 - 65_536);
        // The user's choice where there is one.
        let preferred = [("linger.ms", "10"), ("compression.type", "lz4"), ("batch.num.messages", "100000")];
        for (key, value) in preferred {
            if connection.properties.get(key).is_none() {
                config.set(key, value);
            }
        }
        let wanted = [
            ("enable.idempotence", "true"),
            ("acks", "all"),
            ("allow.auto.create.topics", "false"),
            ("partitioner", "murmur2_random"),
            ("queue.buffering.max.kbytes", QUEUE_KBYTES),
            ("queue.buffering.max.messages", QUEUE_MESSAGES),
            // The topic is known to be there.
            ("topic.metadata.propagation.max.ms", "5000"),
        ];
        for (key, value) in wanted {
            config.set(key, value);
        }
        // A record that the broker takes must not be too large here; the batches keep below what the broker takes.
        config.set("message.max.bytes", (limit + 65_536).to_string());
        config.set("batch.size", limit.saturating_sub(4096).clamp(1, 1_000_000).to_string());
        let client: BaseProducer<Context> =
            config.create_with_context(Context::new(connection.log.clone())).map_err(creation_error)?;
        let client: &'static BaseProducer<Context> = Box::leak(Box::new(client));
        let topic = ProduceTopic::new(Native::of(client.client()), topic)
            .map_err(|fault| Error::new(Code::Internal, format!("the topic can't be named: {}", fault.message)))?;
        Ok(Producer { client, topic, trouble: None })
    }

    /// Takes a copy of the record; false where the queue is full, and deliveries must be polled for first.
    pub fn send(&self, record: &Outgoing<'_>, mark: u64) -> Result<bool, BrokerFault> {
        match self.topic.send(Native::of(self.client.client()), record, mark) {
            Ok(()) => Ok(true),
            Err(fault) if fault.code == QUEUE_FULL => Ok(false),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Waits up to `timeout` for something to happen, and tells all deliveries that are there.
    pub fn poll(&mut self, timeout: Duration, delivered: &mut dyn FnMut(Delivery)) {
        let (topic, trouble) = (&self.topic, &mut self.trouble);
        let mut timeout = timeout;
        while topic.poll(timeout, delivered, &mut |code, message| {
            let fault = Fault::of(code);
            *trouble = Some(BrokerFault { code, name: fault.name, message });
        }) {
            timeout = Duration::ZERO;
        }
    }

    /// The last error of the whole client.
    pub fn trouble(&self) -> Option<&BrokerFault> {
        self.trouble.as_ref()
    }

    /// What a delivery's code means.
    pub fn fault(code: i32) -> BrokerFault {
        Fault::of(code).into()
    }
}
