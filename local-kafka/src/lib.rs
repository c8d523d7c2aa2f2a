//! A real Apache Kafka on this machine, from its Maven jars: for tests, benchmarks and
//! demonstrations.
//!
//! ```no_run
//! let kafka = local_kafka::Kafka::start()?;
//! let cluster = kafka.client();
//! cluster.create_topic("orders", 3, &[])?;
//! # Ok::<(), local_kafka::Error>(())
//! ```
//!
//! - [`Kafka`] is one node or three, plain or [`secured`](KafkaBuilder::secured); it ends with the
//!   process that started it, also when that is killed.
//! - [`shared`] is one broker for all tests of a process, or the one in `KREWIND_TEST_BOOTSTRAP`.
//! - [`client`] arranges a cluster and looks at it: topics, records, transactions, members, commits.
//! - [`tool`] runs one of Kafka's own tools.
//! - [`Standing`] is a broker that stays, for trying things by hand.
//!
//! The jars are fetched once by `mvn`, into the user's cache directory. `KREWIND_KAFKA_VERSION`
//! asks for another version than [`DEFAULT_VERSION`]; 3.9.1 and 4.0.0 start too, but have no
//! [`ShareGroup`](client::ShareGroup) and no [`StreamsApp`](client::StreamsApp) by the protocol
//! `streams`.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod broker;
mod builder;
pub mod client;
mod error;
mod guard;
mod jars;
mod node;
mod ready;
pub mod security;
mod settings;
mod standing;
mod wait;

use std::process::Command;
use std::sync::OnceLock;

pub use broker::Kafka;
pub use builder::KafkaBuilder;
pub use client::Cluster;
pub use error::Error;
pub use jars::{DEFAULT_VERSION, Jars};
pub use node::Node;
pub use security::{Resource, Security};
pub use standing::{Running, Standing};
pub use wait::{Check, wait_for};

/// One cluster for all tests of this process: the one in `KREWIND_TEST_BOOTSTRAP`, or a broker of
/// its own that is started at the first call and ends with the process.
///
/// # Panics
/// When none can be had, with the whole reason: a test that finds no broker must not pass.
#[must_use]
pub fn shared() -> &'static Cluster {
    static SHARED: OnceLock<(Cluster, Option<Kafka>)> = OnceLock::new();
    let (cluster, _) = SHARED.get_or_init(|| {
        if let Some(bootstrap) = test_bootstrap() {
            return (Cluster::new(&bootstrap), None);
        }
        match Kafka::start() {
            Ok(kafka) => (kafka.client(), Some(kafka)),
            Err(error) => panic!("these tests need a broker: {error}"),
        }
    });
    cluster
}

/// The broker to test against, when one was given.
fn test_bootstrap() -> Option<String> {
    std::env::var("KREWIND_TEST_BOOTSTRAP").ok().filter(|bootstrap| !bootstrap.is_empty())
}

/// A command that runs a Java class from Kafka's jars, as
/// `org.apache.kafka.tools.consumer.group.ConsumerGroupCommand`. Its log goes to stderr.
///
/// # Errors
/// When Java or the jars cannot be had.
pub fn tool(class: &str, args: &[&str]) -> Result<Command, Error> {
    let mut command = Jars::get()?.java(128);
    command.arg(class).args(args);
    Ok(command)
}
