use std::path::Path;

use crate::Error;
use crate::builder::KafkaBuilder;
use crate::client::Cluster;
use crate::guard::Guard;
use crate::jars::Jars;
use crate::node::Node;
use crate::security::{self, Security};
use crate::settings::Listener;

/// A running Apache Kafka. Dropping it stops its processes and removes its data; so does the end
/// of this process, however it comes about.
#[derive(Debug)]
pub struct Kafka {
    pub(crate) nodes: Vec<Node>,
    pub(crate) bootstrap: String,
    pub(crate) listeners: Vec<Listener>,
    pub(crate) security: Option<Security>,
    pub(crate) jars: &'static Jars,
    pub(crate) guard: Guard,
}

impl Kafka {
    /// One plain node with the defaults for tests.
    ///
    /// # Errors
    /// As [`KafkaBuilder::start`].
    pub fn start() -> Result<Kafka, Error> {
        Kafka::builder().start()
    }

    /// For anything else than one plain node.
    #[must_use]
    pub fn builder() -> KafkaBuilder {
        KafkaBuilder::default()
    }

    /// `host:port` of every node, of the plain listener that asks for no login.
    #[must_use]
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// The id of this cluster, another one at each start.
    #[must_use]
    pub fn cluster_id(&self) -> &str {
        self.nodes[0].cluster_id()
    }

    /// A client without a login; on a secured broker it may do everything.
    #[must_use]
    pub fn client(&self) -> Cluster {
        Cluster::new(&self.bootstrap)
    }

    /// A node by its id, from 1.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    pub fn node(&self, id: i32) -> &Node {
        match self.nodes.iter().find(|node| node.id() == id) {
            Some(node) => node,
            None => panic!("no node {id}: the cluster has nodes 1 to {}", self.nodes.len()),
        }
    }

    /// All nodes, by id.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// `127.0.0.1:port` on which a listener of the first node accepts connections; for a listener
    /// behind a proxy this is where the proxy has to connect to.
    ///
    /// # Panics
    /// When there is no listener of this name.
    #[must_use]
    pub fn listener(&self, name: &str) -> String {
        match self.listeners.iter().find(|listener| listener.name == name) {
            Some(listener) => format!("127.0.0.1:{}", listener.port),
            None => panic!("no listener {name}"),
        }
    }

    /// Certificates, users and logins of a broker that was built with
    /// [`secured`](KafkaBuilder::secured).
    ///
    /// # Panics
    /// When it was not.
    #[must_use]
    pub fn security(&self) -> &Security {
        match &self.security {
            Some(security) => security,
            None => panic!("this broker was not built with `secured()`"),
        }
    }

    /// Allows `principal` (as `User:alice`) an operation (as `Read`) on a resource.
    ///
    /// # Errors
    /// When Kafka's tool fails.
    pub fn add_acl(&self, principal: &str, operation: &str, resource: security::Resource<'_>) -> Result<(), Error> {
        security::add_acl(self.jars, &self.bootstrap, principal, operation, resource)
    }

    /// Where the nodes' files lie: properties, logs, data, certificates.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        self.guard.dir()
    }

    /// The last lines of each node's log.
    #[must_use]
    pub fn log_tail(&self) -> String {
        let tails: Vec<String> = self.nodes.iter().map(Node::log_tail).collect();
        tails.join("\n")
    }

    /// Stops it in order and removes its data; dropping it does the same without a word.
    ///
    /// # Errors
    /// When a process does not end.
    pub fn stop(self) -> Result<(), Error> {
        self.stop_nodes()
    }

    fn stop_nodes(&self) -> Result<(), Error> {
        // All at once: the nodes of a cluster wait for each other.
        let asked = self.nodes.iter().map(Node::terminate).collect::<Vec<_>>();
        let ended = self.nodes.iter().map(Node::stop).collect::<Vec<_>>();
        asked.into_iter().chain(ended).collect()
    }
}

impl Drop for Kafka {
    fn drop(&mut self) {
        // What is left is the guard's work.
        let _ = self.stop_nodes();
    }
}
