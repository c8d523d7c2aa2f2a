use super::connect::Client;
use super::error::{BrokerFault, codes};
use super::ffi::{self as native, Fault, topics as ffi};
use crate::model::TopicDescription;
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// Topics a request.
const CHUNK: usize = 100;

/// How long one broker may keep silent before another is asked.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many brokers are asked by name.
const BROKERS: usize = 3;

type Answer = Result<Vec<ffi::DescribedTopic>, Fault>;

impl Client {
    pub(super) fn described_topics(&self, topics: &[&str]) -> Vec<Result<TopicDescription, BrokerFault>> {
        let chunks: Vec<&[&str]> = topics.chunks(CHUNK).collect();
        let answers = self.ask_for_topics(&chunks);
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

    /// Any broker can answer, yet librdkafka asks the controller alone, for which KRaft brokers name any one of them: where that
    /// one is frozen or dead, the others are asked by their ids, and at last once more whoever is the controller then.
    fn ask_for_topics(&self, chunks: &[&[&str]]) -> Vec<Answer> {
        let timeout = self.connection().timeout;
        let deadline = Instant::now() + timeout;
        let patience = (timeout / 3).min(PATIENCE);
        let ask = |broker: Option<i32>, timeout: Duration, chunks: &[&[&str]]| {
            self.ask(timeout, 64, |native, wait| ffi::describe_topics(native, wait, broker, chunks))
        };
        let mut answers = ask(None, patience, chunks);
        if silent(&answers).is_empty() {
            return answers;
        }
        let brokers =
            self.ask(patience, 1, |native, _| native::groups::broker_ids(native, patience)).unwrap_or_default();
        for broker in brokers.into_iter().take(BROKERS).map(Some).chain([None]) {
            let again = silent(&answers);
            let left = deadline.saturating_duration_since(Instant::now());
            if again.is_empty() || left.is_zero() {
                break;
            }
            let limit = if broker.is_some() { patience.min(left) } else { left };
            let questions: Vec<&[&str]> = again.iter().map(|&index| chunks[index]).collect();
            for (index, answer) in again.into_iter().zip(ask(broker, limit, &questions)) {
                answers[index] = answer;
            }
        }
        answers
    }
}

/// The chunks that nobody answered.
fn silent(answers: &[Answer]) -> Vec<usize> {
    let is_silent =
        |answer: &Answer| answer.as_ref().is_err_and(|fault| matches!(fault.code, codes::TIMED_OUT | codes::TRANSPORT));
    answers.iter().enumerate().filter(|(_, answer)| is_silent(answer)).map(|(index, _)| index).collect()
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
