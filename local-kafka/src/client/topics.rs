use std::time::Duration;

use rdkafka::Message;
use rdkafka::admin::{AdminOptions, NewPartitions, NewTopic, TopicReplication, TopicResult};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::{Cluster, LIMIT};
use crate::Error;
use crate::wait::{Check, wait_for};

fn options() -> AdminOptions {
    AdminOptions::new().request_timeout(Some(LIMIT)).operation_timeout(Some(LIMIT))
}

/// One topic was asked about: its result is the whole result.
fn only(result: KafkaResult<Vec<TopicResult>>, what: String) -> Result<(), Error> {
    result
        .and_then(|rows| {
            rows.into_iter().try_for_each(|row| row.map(drop).map_err(|(_, code)| KafkaError::AdminOp(code)))
        })
        .map_err(Error::kafka(what))
}

impl Cluster {
    /// Makes a topic with one replica, and waits until every partition has a leader.
    ///
    /// # Errors
    /// When the topic exists or the cluster refuses.
    pub fn create_topic(&self, name: &str, partitions: i32, config: &[(&str, &str)]) -> Result<(), Error> {
        self.create_replicated_topic(name, partitions, 1, config)
    }

    /// [`create_topic`](Cluster::create_topic) with more replicas.
    ///
    /// # Errors
    /// When the topic exists or the cluster refuses.
    pub fn create_replicated_topic(
        &self,
        name: &str,
        partitions: i32,
        replicas: i32,
        config: &[(&str, &str)],
    ) -> Result<(), Error> {
        let mut topic = NewTopic::new(name, partitions, TopicReplication::Fixed(replicas));
        for (key, value) in config {
            topic = topic.set(key, value);
        }
        let admin = self.admin()?;
        let result = pollster::block_on(admin.create_topics([&topic], &options()));
        only(result, format!("create topic {name}"))?;
        self.await_leaders(name, partitions)
    }

    /// Deletes a topic and waits until no broker knows it.
    ///
    /// # Errors
    /// When the cluster refuses.
    pub fn delete_topic(&self, name: &str) -> Result<(), Error> {
        let admin = self.admin()?;
        let result = pollster::block_on(admin.delete_topics(&[name], &options()));
        only(result, format!("delete topic {name}"))?;
        let consumer = self.consumer("local-kafka-look", &[])?;
        let what = format!("topic {name} to be gone");
        wait_for(&what, LIMIT, || {
            // All topics: asking for one by its name is answered with an error row.
            Ok(match consumer.fetch_metadata(None, LIMIT) {
                Ok(metadata) if metadata.topics().iter().all(|t| t.name() != name) => Check::Done(()),
                Ok(_) => Check::NotYet("it is still listed".to_owned()),
                Err(error) => Check::NotYet(error.to_string()),
            })
        })
    }

    /// Raises the number of partitions to `total`.
    ///
    /// # Errors
    /// When the cluster refuses.
    pub fn add_partitions(&self, name: &str, total: i32) -> Result<(), Error> {
        let count = usize::try_from(total).unwrap_or(0);
        let more = NewPartitions::new(name, count);
        let admin = self.admin()?;
        let result = pollster::block_on(admin.create_partitions([&more], &options()));
        only(result, format!("add partitions to topic {name}"))?;
        self.await_leaders(name, total)
    }

    /// Deletes the records before `offset`; returns the partition's new first offset.
    ///
    /// # Errors
    /// When the cluster refuses.
    pub fn delete_records(&self, topic: &str, partition: i32, offset: i64) -> Result<i64, Error> {
        let what = || format!("delete records of {topic}-{partition}");
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(topic, partition, Offset::Offset(offset)).map_err(Error::kafka(what()))?;
        let admin = self.admin()?;
        let list = pollster::block_on(admin.delete_records(&list, &options())).map_err(Error::kafka(what()))?;
        let rows = list.elements();
        let Some(row) = rows.first() else {
            return Err(Error::Unsupported(format!("{}: no answer for the partition", what())));
        };
        row.error().map_err(Error::kafka(what()))?;
        Ok(row.offset().to_raw().unwrap_or(-1))
    }

    /// The first offset and the high watermark, as the leader tells them now.
    ///
    /// # Errors
    /// When the leader does not answer.
    pub fn watermarks(&self, topic: &str, partition: i32) -> Result<(i64, i64), Error> {
        let more = [("isolation.level", "read_uncommitted")];
        let what = format!("the ends of {topic}-{partition}");
        wait_for(&what, LIMIT, || {
            // A consumer that was told of a leader goes on asking it for minutes, dead or not.
            let consumer = self.consumer("local-kafka-look", &more)?;
            match consumer.fetch_watermarks(topic, partition, Duration::from_secs(3)) {
                Ok(ends) => Ok(Check::Done(ends)),
                Err(error) if passes(&error) => Ok(Check::NotYet(error.to_string())),
                Err(error) => Err(Error::kafka(format!("ask for {what}"))(error)),
            }
        })
    }

    /// The offset of the first record that a consumer gets: past the first offset where compaction or an abort left a gap.
    ///
    /// # Errors
    /// When none comes.
    pub fn first_record(&self, topic: &str, partition: i32) -> Result<i64, Error> {
        let what = || format!("read the first record of {topic}-{partition}");
        let consumer = self.consumer("local-kafka-look", &[])?;
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(topic, partition, Offset::Beginning).map_err(Error::kafka(what()))?;
        consumer.assign(&list).map_err(Error::kafka(what()))?;
        match consumer.poll(LIMIT) {
            Some(Ok(message)) => Ok(message.offset()),
            Some(Err(error)) => Err(Error::kafka(what())(error)),
            None => Err(Error::Unsupported(format!("{}: nothing came", what()))),
        }
    }

    fn await_leaders(&self, name: &str, partitions: i32) -> Result<(), Error> {
        let consumer = self.consumer("local-kafka-look", &[])?;
        let what = format!("leaders of the {partitions} partitions of topic {name}");
        wait_for(&what, LIMIT, || {
            Ok(match led(&consumer, name, partitions) {
                Ok(()) => Check::Done(()),
                Err(why) => Check::NotYet(why),
            })
        })
    }
}

/// Whether an error comes from a leader that is dead or not known yet.
fn passes(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::OperationTimedOut
                | RDKafkaErrorCode::RequestTimedOut
                | RDKafkaErrorCode::BrokerTransportFailure
                | RDKafkaErrorCode::AllBrokersDown
                | RDKafkaErrorCode::LeaderNotAvailable
                | RDKafkaErrorCode::NotLeaderForPartition
        )
    )
}

/// Whether each partition has a leader, and that leader answers for it.
fn led(consumer: &BaseConsumer, name: &str, partitions: i32) -> Result<(), String> {
    let text = |error: KafkaError| error.to_string();
    let second = Duration::from_secs(5);
    let metadata = consumer.fetch_metadata(Some(name), second).map_err(text)?;
    let topic = metadata.topics().first().ok_or("no such topic")?;
    let count = topic.partitions().iter().filter(|p| p.leader() >= 0).count();
    if i32::try_from(count) != Ok(partitions) {
        return Err(format!("{count} have one"));
    }
    for partition in 0..partitions {
        consumer.fetch_watermarks(name, partition, second).map_err(text)?;
    }
    Ok(())
}
