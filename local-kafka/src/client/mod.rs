//! Arranging a cluster and looking at it, without krewind.

mod java;
mod member;
mod offsets;
mod producer;
mod topics;

use std::time::Duration;

use rdkafka::admin::AdminClient;
use rdkafka::client::DefaultClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::{BaseConsumer, DefaultConsumerContext};

pub use java::{ShareGroup, StreamsApp};
pub use member::{LiveMember, MemberOptions};
pub use offsets::{Committed, PendingCommit};
pub use producer::{Producer, Record};

use crate::Error;

/// How long a call or a condition may take before it counts as failed.
pub const LIMIT: Duration = Duration::from_secs(60);

/// A cluster, and how to reach it.
#[derive(Debug, Clone)]
pub struct Cluster {
    bootstrap: String,
    config: Vec<(String, String)>,
}

impl Cluster {
    /// The cluster behind `host:port,…`.
    #[must_use]
    pub fn new(bootstrap: &str) -> Cluster {
        Cluster { bootstrap: bootstrap.to_owned(), config: Vec::new() }
    }

    /// With a librdkafka property for every client that is made from it.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Cluster {
        self.config.push((key.to_owned(), value.to_owned()));
        self
    }

    /// `host:port,…`
    #[must_use]
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// The properties given by [`with`](Cluster::with).
    #[must_use]
    pub fn properties(&self) -> &[(String, String)] {
        &self.config
    }

    /// A librdkafka configuration for this cluster that says nothing by itself.
    #[must_use]
    pub fn config(&self, more: &[(&str, &str)]) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.bootstrap)
            .set("broker.address.family", "v4")
            .set("log.connection.close", "false")
            .set("reconnect.backoff.ms", "50")
            .set("reconnect.backoff.max.ms", "500")
            .set_log_level(RDKafkaLogLevel::Emerg);
        let own = self.config.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        for (key, value) in own.chain(more.iter().copied()) {
            config.set(key, value);
        }
        config
    }

    /// A consumer with this `group.id` that has joined nothing, commits nothing by itself and
    /// starts at the earliest record.
    ///
    /// # Errors
    /// When a property is wrong.
    pub fn consumer(&self, group: &str, more: &[(&str, &str)]) -> Result<BaseConsumer, Error> {
        self.consumer_with(group, more, DefaultConsumerContext)
    }

    pub(crate) fn consumer_with<C: rdkafka::consumer::ConsumerContext + 'static>(
        &self,
        group: &str,
        more: &[(&str, &str)],
        context: C,
    ) -> Result<BaseConsumer<C>, Error> {
        let mut config =
            self.config(&[("group.id", group), ("enable.auto.commit", "false"), ("auto.offset.reset", "earliest")]);
        for (key, value) in more {
            config.set(*key, *value);
        }
        config.create_with_context(context).map_err(Error::kafka("make a consumer"))
    }

    pub(crate) fn admin(&self) -> Result<AdminClient<DefaultClientContext>, Error> {
        self.config(&[]).create().map_err(Error::kafka("make an admin client"))
    }

    /// The names of all groups that the brokers' list of old names, share and streams groups
    /// included.
    ///
    /// # Errors
    /// When the brokers do not answer.
    pub fn group_names(&self) -> Result<Vec<String>, Error> {
        use rdkafka::consumer::Consumer;
        let consumer = self.consumer("local-kafka-list", &[])?;
        let list = consumer.fetch_group_list(None, Duration::from_secs(10)).map_err(Error::kafka("list groups"))?;
        Ok(list.groups().iter().map(|g| g.name().to_owned()).collect())
    }
}
