//! A topic that is made for a while: one partition, records of given times, retention by hand, and its end.

use super::codes;
use super::connect::Client;
use super::error::BrokerFault;
use super::ffi::scratch as ffi;
use super::producer::{Outgoing, Producer};
use crate::error::{Code, Error, Result};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Settings of the topic: nothing goes by itself while it is used, what was left behind by accident goes within a week, and records
/// keep the times that they are given.
const SETTINGS: [(&str, &str); 4] = [
    ("cleanup.policy", "delete"),
    ("retention.ms", "604800000"),
    ("retention.bytes", "-1"),
    ("message.timestamp.type", "CreateTime"),
];

/// How long between two looks at whether a broker has heard of the topic.
const PAUSE: Duration = Duration::from_millis(20);

/// A record to produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewRecord<'a> {
    /// Its time (`CreateTime`) in milliseconds since the epoch, never 0: librdkafka reads that as "now".
    pub timestamp_ms: i64,
    /// Its key.
    pub key: &'a [u8],
    /// Its value.
    pub value: &'a [u8],
}

/// A topic of one partition that this process made. It does not go by itself: [`ScratchTopic::delete`] ends it.
pub struct ScratchTopic<'c> {
    client: &'c Client,
    name: String,
    /// Made when there is something to produce.
    output: Mutex<Option<Output>>,
}

struct Output {
    producer: Producer,
    /// The mark of the next record: what was given up may be told of later.
    next: u64,
}

impl<'c> ScratchTopic<'c> {
    /// Makes the topic and waits until it has a leader. One that exists already is refused and left alone.
    pub fn create(client: &'c Client, name: &str) -> Result<Self> {
        let timeout = client.connection().timeout;
        let what = format!("creating topic `{name}`");
        client
            .ask(timeout, 1, |native, wait| ffi::create_topic(native, wait, name, &SETTINGS))
            .map_err(|fault| client.explain(fault))
            .map_err(|fault| match fault.code {
                codes::TOPIC_ALREADY_EXISTS => {
                    Error::new(Code::TargetExists, format!("topic `{name}` exists already, so it was left alone"))
                }
                _ if fault.is_undecided() => {
                    fault.into_error(&what).hint(format!("topic `{name}` may exist now: look, and delete it"))
                }
                _ => fault.into_error(&what),
            })?;
        let topic = ScratchTopic { client, name: name.to_owned(), output: Mutex::default() };
        match topic.wait_for_leader(Instant::now() + timeout) {
            Ok(()) => Ok(topic),
            Err(error) => Err(match topic.delete() {
                Ok(()) => error,
                Err(left) => error.hint(format!("topic `{name}` is left: {left}")),
            }),
        }
    }

    fn wait_for_leader(&self, deadline: Instant) -> Result<()> {
        loop {
            let mut last = BrokerFault::no_answer();
            match described(self.client, &self.name) {
                Ok(topic) if topic.partitions == [0] && topic.leaderless.is_empty() => return Ok(()),
                Ok(_) => last.message = "its partition has no leader yet".to_owned(),
                // A broker that has not heard of it.
                Err(fault) => last = fault,
            }
            if Instant::now() >= deadline {
                return Err(last.into_error(&format!("waiting for topic `{}`", self.name)));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether a topic of this name exists.
    pub fn exists(client: &Client, name: &str) -> Result<bool> {
        match described(client, name) {
            Ok(_) => Ok(true),
            Err(fault) if fault.is_missing_topic() => Ok(false),
            Err(fault) => Err(fault.into_error(&format!("asking for topic `{name}`"))),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Produces these records in order, and waits until all in-sync replicas have them. Their offsets.
    pub fn produce(&self, records: &[NewRecord<'_>]) -> Result<Vec<i64>> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        if output.is_none() {
            let producer = Producer::new(self.client.connection(), &self.name, None)?;
            *output = Some(Output { producer, next: 0 });
        }
        let Some(Output { producer, next }) = output.as_mut() else { return Ok(Vec::new()) };
        let what = format!("producing to topic `{}`", self.name);
        let first = *next;
        let mut offsets: Vec<Option<i64>> = vec![None; records.len()];
        let deadline = Instant::now() + self.client.connection().timeout;
        let mut take = |producer: &mut Producer| -> Result<usize> {
            let mut refused = None;
            producer.poll(PAUSE, &mut |delivery| {
                let place = delivery.mark.checked_sub(first).and_then(|place| usize::try_from(place).ok());
                if let Some(offset) = place.and_then(|place| offsets.get_mut(place)) {
                    match delivery.code {
                        0 => *offset = Some(delivery.offset),
                        code => refused = Some(Producer::fault(code)),
                    }
                }
            });
            if let Some(fault) = refused {
                return Err(fault.into_error(&what));
            }
            let waiting = offsets.iter().filter(|offset| offset.is_none()).count();
            if waiting > 0 && Instant::now() >= deadline {
                let fault = producer.trouble().cloned().unwrap_or_else(|| Producer::fault(codes::TIMED_OUT));
                return Err(fault.into_error(&what));
            }
            Ok(waiting)
        };
        for record in records {
            let outgoing = Outgoing {
                partition: Some(0),
                timestamp_ms: record.timestamp_ms,
                key: Some(record.key),
                value: Some(record.value),
                headers: [&[], &[]],
            };
            while !producer.send(&outgoing, *next).map_err(|fault| fault.into_error(&what))? {
                take(producer)?;
            }
            *next += 1;
        }
        while take(producer)? > 0 {}
        Ok(offsets.into_iter().flatten().collect())
    }

    /// Deletes the records before this offset, as retention would. The log's start then.
    pub fn delete_records_before(&self, offset: i64) -> Result<i64> {
        self.client
            .ask(self.client.connection().timeout, 1, |native, wait| {
                ffi::delete_records(native, wait, &self.name, 0, offset)
            })
            .map_err(|fault| {
                self.client.explain(fault).into_error(&format!("deleting the oldest records of topic `{}`", self.name))
            })
    }

    /// Deletes the topic with its records; one that is gone already is no error.
    pub fn delete(&self) -> Result<()> {
        let answer = self
            .client
            .ask(self.client.connection().timeout, 1, |native, wait| ffi::delete_topic(native, wait, &self.name));
        match answer.map_err(|fault| self.client.explain(fault)) {
            Err(fault) if !fault.is_missing_topic() => {
                Err(fault.into_error(&format!("deleting topic `{}`", self.name)))
            }
            _ => Ok(()),
        }
    }
}

fn described(client: &Client, name: &str) -> Result<crate::model::TopicDescription, BrokerFault> {
    client.described_topics(&[name]).into_iter().next().unwrap_or_else(|| Err(BrokerFault::no_answer()))
}
