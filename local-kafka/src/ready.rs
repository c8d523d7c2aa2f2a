//! When a broker counts as ready.

use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::TopicPartitionList;

use crate::Error;
use crate::client::Cluster;
use crate::guard::left;
use crate::wait::{Check, wait_for};

/// How long a broker may take. A start takes about 3 s on an idle machine.
pub(crate) const START: Duration = Duration::from_secs(90);

/// Waits until `bootstrap`, of the cluster with this id, has named all `brokers` and has answered a first group call for each
/// of several groups, which between them have all brokers as coordinators.
pub(crate) fn wait(
    bootstrap: &str,
    cluster_id: &str,
    brokers: &[i32],
    mut alive: impl FnMut() -> Result<(), Error>,
) -> Result<(), Error> {
    let end = Instant::now() + START;
    let cluster = Cluster::new(bootstrap).with("reconnect.backoff.ms", "20").with("reconnect.backoff.max.ms", "100");
    let what = format!("the broker at {bootstrap} to be ready");
    let groups = if brokers.len() == 1 { 1 } else { 8 };
    for number in 0..groups {
        let consumer = cluster.consumer(&format!("local-kafka-ready-{number}"), &[])?;
        wait_for(&what, left(end), || {
            alive()?;
            Ok(match ask(&consumer, cluster_id, brokers) {
                Ok(()) => Check::Done(()),
                Err(why) => Check::NotYet(why),
            })
        })?;
    }
    Ok(())
}

fn ask(consumer: &BaseConsumer, cluster_id: &str, brokers: &[i32]) -> Result<(), String> {
    let second = Duration::from_secs(1);
    let text = |error: rdkafka::error::KafkaError| error.to_string();
    let metadata = consumer.fetch_metadata(None, second).map_err(text)?;
    let seen: Vec<i32> = metadata.brokers().iter().map(|broker| broker.id()).collect();
    if !brokers.iter().all(|id| seen.contains(id)) {
        return Err(format!("brokers {seen:?} so far"));
    }
    // Our port may have been taken by another broker, just before ours wanted it.
    let id = consumer.client().fetch_cluster_id(second);
    if id.as_deref() != Some(cluster_id) {
        return Err(format!("cluster {id:?} answers, not {cluster_id}"));
    }
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition("local-kafka-ready", 0);
    let offsets = consumer.committed_offsets(partitions, second * 2).map_err(text)?;
    offsets.elements().iter().try_for_each(|row| row.error()).map_err(text)
}
