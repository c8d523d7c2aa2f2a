use super::connect::Client;
use super::error::BrokerFault;
use super::ffi::topics as ffi;
use crate::model::TopicDescription;
use std::collections::{BTreeSet, HashMap};

/// Topics a request.
const CHUNK: usize = 100;

impl Client {
    pub(super) fn described_topics(&self, topics: &[&str]) -> Vec<Result<TopicDescription, BrokerFault>> {
        let chunks: Vec<&[&str]> = topics.chunks(CHUNK).collect();
        let answers =
            self.ask(self.connection().timeout, 64, |native, wait| ffi::describe_topics(native, wait, &chunks));
        let mut found: HashMap<String, Result<TopicDescription, BrokerFault>> = HashMap::new();
        for (chunk, answer) in chunks.iter().zip(answers) {
            match answer {
                Err(fault) => {
                    let fault = self.explain(fault);
                    found.extend(chunk.iter().map(|topic| ((*topic).to_owned(), Err(fault.clone()))));
                }
                Ok(described) => {
                    for topic in described {
                        let name = topic.topic.clone();
                        let answer = match topic.fault {
                            Some(fault) => Err(BrokerFault::from(fault)),
                            None => Ok(description(topic)),
                        };
                        found.insert(name, answer);
                    }
                }
            }
        }
        topics.iter().map(|&topic| found.get(topic).cloned().unwrap_or_else(|| Err(BrokerFault::no_answer()))).collect()
    }
}

/// The id of no topic, from brokers that have none.
const ZERO_ID: &str = "AAAAAAAAAAAAAAAAAAAAAA";

fn description(topic: ffi::DescribedTopic) -> TopicDescription {
    let mut partitions: Vec<i32> = topic.partitions.iter().map(|&(partition, _)| partition).collect();
    partitions.sort_unstable();
    let leaderless: BTreeSet<i32> =
        topic.partitions.iter().filter(|(_, has_leader)| !has_leader).map(|&(partition, _)| partition).collect();
    TopicDescription {
        topic: topic.topic,
        topic_id: topic.topic_id.map(url_safe).filter(|id| id != ZERO_ID),
        partitions,
        leaderless,
        is_internal: topic.is_internal,
    }
}

/// The id as Kafka's own tools write it (`org.apache.kafka.common.Uuid`): base64 for URLs, without padding.
fn url_safe(base64: String) -> String {
    base64.trim_end_matches('=').replace('+', "-").replace('/', "_")
}
