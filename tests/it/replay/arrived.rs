//! What stands in a topic, read by a consumer that is not krewind's.

use super::support::LIMIT;
use local_kafka::client::Record;
use local_kafka::{Check, Cluster, tool, wait_for};
use rdkafka::consumer::Consumer;
use rdkafka::message::{Headers, Message};
use rdkafka::{Offset, TopicPartitionList};
use std::time::Duration;

/// A record as it was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrived {
    pub partition: i32,
    pub timestamp: Option<i64>,
    pub key: Option<Vec<u8>>,
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Arrived {
    /// The value as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(self.value.as_deref().unwrap()).unwrap()
    }

    /// A header's values as text, in order.
    pub fn header(&self, name: &str) -> Vec<&str> {
        let named = self.headers.iter().filter(|(key, _)| key == name);
        named.map(|(_, value)| std::str::from_utf8(value.as_deref().unwrap()).unwrap()).collect()
    }
}

/// The sums of all ends.
pub fn ends(cluster: &Cluster, topic: &str, partitions: i32) -> i64 {
    (0..partitions).map(|partition| cluster.watermarks(topic, partition).unwrap().1).sum()
}

/// All records of a topic, by partition and offset.
pub fn arrived(cluster: &Cluster, topic: &str, partitions: i32) -> Vec<Arrived> {
    let consumer = cluster.consumer("replay-look", &[("enable.partition.eof", "false")]).unwrap();
    let mut list = TopicPartitionList::new();
    for partition in 0..partitions {
        list.add_partition_offset(topic, partition, Offset::Beginning).unwrap();
    }
    consumer.assign(&list).unwrap();
    let total = usize::try_from(ends(cluster, topic, partitions)).unwrap();
    let mut found: Vec<(i32, i64, Arrived)> = Vec::new();
    wait_for(&format!("{total} records of {topic}"), LIMIT, || {
        while found.len() < total {
            let Some(message) = consumer.poll(Duration::from_millis(100)) else {
                return Ok(Check::NotYet(format!("{} came", found.len())));
            };
            let message = message.unwrap();
            let headers = message.headers().map_or_else(Vec::new, |headers| {
                headers.iter().map(|header| (header.key.to_owned(), header.value.map(<[u8]>::to_vec))).collect()
            });
            found.push((
                message.partition(),
                message.offset(),
                Arrived {
                    partition: message.partition(),
                    timestamp: message.timestamp().to_millis(),
                    key: message.key().map(<[u8]>::to_vec),
                    value: message.payload().map(<[u8]>::to_vec),
                    headers,
                },
            ));
        }
        Ok(Check::Done(()))
    })
    .unwrap();
    found.sort_by_key(|(partition, offset, _)| (*partition, *offset));
    found.into_iter().map(|(_, _, record)| record).collect()
}

/// Produces these, and returns what must be found of them, by partition in the order given.
pub fn produce(cluster: &Cluster, topic: &str, records: &[Arrived]) -> Vec<Arrived> {
    let sent: Vec<Record> = records
        .iter()
        .map(|record| {
            let mut sent = Record::to(topic).partition(record.partition);
            if let Some(timestamp) = record.timestamp {
                sent = sent.timestamp(timestamp);
            }
            if let Some(key) = &record.key {
                sent = sent.key(key);
            }
            if let Some(value) = &record.value {
                sent = sent.value(value);
            }
            record.headers.iter().fold(sent, |sent, (name, value)| sent.header(name, value.as_deref()))
        })
        .collect();
    cluster.produce(&sent).unwrap();
    let mut expected = records.to_vec();
    expected.sort_by_key(|record| record.partition);
    expected
}

/// Records of every kind, over three partitions.
pub fn of_every_kind(base: i64) -> Vec<Arrived> {
    let every: Vec<u8> = (0..=255).collect();
    let text = "quote \" slash \\ newline \n nul \0 é 注文 😀 \u{2028}".as_bytes();
    type Bytes<'a> = Option<&'a [u8]>;
    let contents: [(Bytes<'_>, Bytes<'_>); 9] = [
        (None, None),
        (Some(b""), Some(b"")),
        (None, Some(b"")),
        (Some(b""), None),
        (Some(b"k"), None),
        (Some(&every), Some(&every)),
        (Some(text), Some(text)),
        (Some(b"\xc3\x28"), Some(b"{\"a\": 1}")),
        (Some(b"k"), Some(b"\x00\x00\x00\x00\x07avro")),
    ];
    let headers: [(&str, Bytes<'_>); 6] = [
        ("b", Some(b"2")),
        ("a", None),
        ("b", Some(b"1")),
        ("é", Some(b"")),
        ("bin", Some(b"\xff\x00")),
        ("b", Some(b"2")),
    ];
    (0..27)
        .map(|n| Arrived {
            partition: (n % 3) as i32,
            // Out of order, too.
            timestamp: Some(base + [0, 500, -700][n % 3] + n as i64),
            key: contents[n % 9].0.map(<[u8]>::to_vec),
            value: contents[(n + n / 9) % 9].1.map(<[u8]>::to_vec),
            headers: headers
                .iter()
                .take(n % 7)
                .map(|(name, value)| ((*name).to_owned(), value.map(<[u8]>::to_vec)))
                .collect(),
        })
        .collect()
}

/// What Kafka's own console consumer prints of a topic, with these properties.
pub fn console_consumer(cluster: &Cluster, topic: &str, properties: &[&str]) -> Vec<String> {
    let class = "org.apache.kafka.tools.consumer.ConsoleConsumer";
    let mut command = tool(class, &["--bootstrap-server", cluster.bootstrap(), "--topic", topic]).unwrap();
    command.args(["--from-beginning", "--timeout-ms", "5000"]);
    for property in properties {
        command.args(["--formatter-property", property]);
    }
    let output = command.output().unwrap();
    let mut lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}
