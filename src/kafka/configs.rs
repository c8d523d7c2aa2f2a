use super::connect::Client;
use super::error::BrokerFault;
use super::ffi::configs::{self as ffi, Resource};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Topics a request.
const CHUNK: usize = 200;

/// Settings explain a plan and decide nothing: they are not waited for as long as other answers.
const PATIENCE: Duration = Duration::from_secs(3);

/// Settings by name; one that has no value is absent.
pub type Settings = BTreeMap<String, String>;

impl Client {
    fn patience(&self) -> Duration {
        self.connection().timeout.min(PATIENCE)
    }

    pub(super) fn settings_of_topics(&self, topics: &[&str], names: &[&str]) -> Vec<Result<Settings, BrokerFault>> {
        let resources: Vec<Resource<'_>> = topics.iter().map(|&topic| Resource::Topic(topic)).collect();
        let chunks: Vec<&[Resource<'_>]> = resources.chunks(CHUNK).collect();
        let answers = self.ask(self.patience(), 16, |native, wait| ffi::describe_configs(native, wait, &chunks, names));
        let mut found: HashMap<String, Result<Settings, BrokerFault>> = HashMap::new();
        for (chunk, answer) in topics.chunks(CHUNK).zip(answers) {
            match answer {
                Err(fault) => {
                    let fault = self.explain(fault);
                    found.extend(chunk.iter().map(|&topic| (topic.to_owned(), Err(fault.clone()))));
                }
                Ok(described) => found.extend(described.into_iter().map(|topic| (topic.name.clone(), settings(topic)))),
            }
        }
        topics.iter().map(|&topic| found.remove(topic).unwrap_or_else(|| Err(BrokerFault::no_answer()))).collect()
    }

    pub(super) fn settings_of_broker(&self, broker: i32, names: &[&str]) -> Result<Settings, BrokerFault> {
        let resource = [Resource::Broker(broker)];
        let answers =
            self.ask(self.patience(), 1, |native, wait| ffi::describe_configs(native, wait, &[&resource], names));
        let described =
            answers.into_iter().next().unwrap_or_else(|| Ok(Vec::new())).map_err(|fault| self.explain(fault))?;
        described.into_iter().next().map_or_else(|| Err(BrokerFault::no_answer()), settings)
    }

    pub(super) fn names_of_topics(&self) -> Result<Vec<String>, BrokerFault> {
        self.ask(self.patience(), 1, |native, wait| ffi::topic_names(native, wait.timeout))
            .map_err(|fault| self.explain(fault))
    }
}

fn settings(described: ffi::DescribedConfigs) -> Result<Settings, BrokerFault> {
    match described.fault {
        Some(fault) => Err(BrokerFault::from(fault)),
        None => Ok(described.values),
    }
}
