use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::guard::Guard;
use crate::jars::{Jars, copy_tree};
use crate::node::{Jvm, Node};
use crate::security::{self, Security};
use crate::settings::{Listener, Settings};
use crate::{Error, Kafka, ready};

/// How often a start is tried on other ports after another program was faster.
const PORT_ATTEMPTS: usize = 5;

/// What [`Kafka`] is to be started.
#[derive(Debug, Clone)]
pub struct KafkaBuilder {
    nodes: i32,
    settings: BTreeMap<String, String>,
    secured: bool,
    port: Option<u16>,
    heap_mb: u32,
    as_a_server: bool,
    proxied: Option<u16>,
}

impl Default for KafkaBuilder {
    fn default() -> KafkaBuilder {
        KafkaBuilder {
            nodes: 1,
            settings: BTreeMap::new(),
            secured: false,
            port: None,
            heap_mb: 256,
            as_a_server: false,
            proxied: None,
        }
    }
}

impl KafkaBuilder {
    /// How many nodes, each a broker and a controller: 1 or 3.
    #[must_use]
    pub fn nodes(mut self, nodes: i32) -> KafkaBuilder {
        self.nodes = nodes;
        self
    }

    /// A broker setting, over the defaults.
    #[must_use]
    pub fn setting(mut self, key: &str, value: &str) -> KafkaBuilder {
        self.settings.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Listeners with SCRAM, PLAIN, TLS and client certificates beside the plain one, and ACLs:
    /// see [`Security`]. One node only.
    #[must_use]
    pub fn secured(mut self) -> KafkaBuilder {
        self.secured = true;
        self
    }

    /// The port of the first node's plain listener, instead of any free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> KafkaBuilder {
        self.port = Some(port);
        self
    }

    /// The heap limit of each node in MB; 256 otherwise.
    #[must_use]
    pub fn heap_mb(mut self, heap_mb: u32) -> KafkaBuilder {
        self.heap_mb = heap_mb;
        self
    }

    /// With the JVM's flags of Kafka's own scripts, for measurements; otherwise those that start fastest.
    #[must_use]
    pub fn as_a_server(mut self) -> KafkaBuilder {
        self.as_a_server = true;
        self
    }

    /// One more listener, `PROXIED`, which sends its clients to `port`: that of a proxy, which
    /// connects to [`Kafka::listener`]`("PROXIED")`. One node only.
    #[must_use]
    pub fn proxied(mut self, port: u16) -> KafkaBuilder {
        self.proxied = Some(port);
        self
    }

    /// Starts it and waits until it answers group calls.
    ///
    /// # Errors
    /// When Java, Maven or the jars cannot be had, or when it does not come up; the end of its log
    /// is then in the error.
    pub fn start(&self) -> Result<Kafka, Error> {
        if self.nodes != 1 && self.nodes != 3 {
            return Err(Error::Unsupported(format!("a local Kafka has 1 node or 3, not {}", self.nodes)));
        }
        if self.nodes != 1 && (self.secured || self.proxied.is_some()) {
            return Err(Error::Unsupported("a secured or proxied local Kafka has 1 node".to_owned()));
        }
        if let Some(port) = self.port {
            ensure_free(port)?;
        }
        let jars = Jars::get()?;
        let mut attempt = 1;
        loop {
            match self.try_start(jars) {
                Err(Error::Died { log, .. }) if attempt < PORT_ATTEMPTS && is_port_taken(&log) => {
                    attempt += 1;
                }
                other => return other,
            }
        }
    }

    fn try_start(&self, jars: &'static Jars) -> Result<Kafka, Error> {
        let guard = Guard::new("local-kafka-")?;
        let layout = self.layout(guard.dir())?;
        let nodes = self.launch(jars, guard.dir(), &layout)?;
        let kafka = Kafka {
            bootstrap: join(nodes.iter().map(|node| node.bootstrap().to_owned())),
            nodes,
            listeners: layout.listeners,
            security: layout.security,
            jars,
            guard,
        };
        let ids: Vec<i32> = kafka.nodes.iter().map(Node::id).collect();
        ready::wait(&kafka.bootstrap, kafka.cluster_id(), &ids, || kafka.nodes.iter().try_for_each(Node::check_alive))?;
        Ok(kafka)
    }

    /// One node that nothing guards, for [`Standing`](crate::Standing).
    pub(crate) fn launch_in(&self, jars: &'static Jars, dir: &Path) -> Result<Node, Error> {
        if let Some(port) = self.port {
            ensure_free(port)?;
        }
        let mut nodes = self.launch(jars, dir, &self.layout(dir)?)?;
        Ok(nodes.remove(0))
    }

    fn layout(&self, dir: &Path) -> Result<Layout, Error> {
        let mut ports = Ports::default();
        let mut listeners = Vec::new();
        for id in 1..=self.nodes {
            let port = match self.port {
                Some(port) if id == 1 => port,
                _ => ports.next()?,
            };
            listeners.push(Listener::new("PLAINTEXT", "PLAINTEXT", port));
        }
        let mut security = None;
        if self.secured {
            for (name, protocol) in security::LISTENERS {
                listeners.push(Listener::new(name, protocol, ports.next()?));
            }
            security = Some(Security::create(&dir.join("tls"), &listeners)?);
        }
        if let Some(advertised) = self.proxied {
            let mut listener = Listener::new("PROXIED", "PLAINTEXT", ports.next()?);
            listener.advertised = advertised;
            listeners.push(listener);
        }
        let controllers = (0..self.nodes).map(|_| ports.next()).collect::<Result<Vec<u16>, Error>>()?;
        Ok(Layout { listeners, controllers, security })
    }

    /// Makes the data directories and starts the nodes, without waiting for them.
    fn launch(&self, jars: &'static Jars, dir: &Path, layout: &Layout) -> Result<Vec<Node>, Error> {
        let cluster_id = cluster_id();
        let mut nodes = Vec::new();
        for id in 1..=self.nodes {
            // With several nodes each has one listener, else the one node has them all.
            let listeners = if self.nodes == 1 {
                &layout.listeners[..]
            } else {
                std::slice::from_ref(&layout.listeners[usize::try_from(id - 1).unwrap_or(0)])
            };
            let settings_for = |log_dir: &Path| {
                let mut settings = Settings::of_node(id, listeners, &layout.controllers, log_dir);
                if let Some(security) = &layout.security {
                    security.settings(&mut settings);
                }
                for (key, value) in &self.settings {
                    settings.set(key, value.as_str());
                }
                settings
            };
            let kind = match (self.secured, self.nodes) {
                (true, _) => "format-secured".to_owned(),
                (false, 1) => "format-one".to_owned(),
                (false, _) => format!("format-three-{id}"),
            };
            let template =
                jars.cached(&kind, |target| self.format(jars, &settings_for(&target.join("log")), target))?;
            let log_dir = dir.join(format!("data-{id}"));
            copy_tree(&template.join("log"), &log_dir)
                .and_then(|()| set_cluster_id(&log_dir.join("meta.properties"), &cluster_id))
                .map_err(Error::io("copy a formatted data directory"))?;
            let bootstrap = format!("127.0.0.1:{}", listeners[0].advertised);
            let settings = settings_for(&log_dir);
            let jvm = Jvm { heap_mb: self.heap_mb, as_a_server: self.as_a_server };
            nodes.push(Node::start(id, dir, bootstrap, &cluster_id, jvm, jars, &settings)?);
        }
        Ok(nodes)
    }

    fn format(&self, jars: &Jars, settings: &Settings, dir: &Path) -> Result<(), Error> {
        let file = dir.join("server.properties");
        fs::write(&file, settings.text()).map_err(Error::io("write the broker's properties file"))?;
        let mut command = jars.java(128);
        command.args(["kafka.tools.StorageTool", "format", "-t", &cluster_id(), "-c"]).arg(&file);
        if self.nodes == 1 {
            command.arg("--standalone");
        }
        if self.secured {
            command.args(security::format_args());
        }
        // Its stdout would show the users' derived keys.
        let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output().map_err(Error::io("run java"))?;
        if !output.status.success() {
            return Err(Error::tool("Kafka's StorageTool", &output));
        }
        Ok(())
    }
}

/// The ports and certificates of a cluster.
struct Layout {
    listeners: Vec<Listener>,
    controllers: Vec<u16>,
    security: Option<Security>,
}

/// Free ports, all different: each is held until the last one is known.
#[derive(Default)]
struct Ports(Vec<TcpListener>);

impl Ports {
    fn next(&mut self) -> Result<u16, Error> {
        let what = || Error::io("find a free port on 127.0.0.1");
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(what())?;
        let port = listener.local_addr().map_err(what())?.port();
        self.0.push(listener);
        Ok(port)
    }
}

fn ensure_free(port: u16) -> Result<(), Error> {
    match TcpListener::bind(("127.0.0.1", port)) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::PortInUse(port)),
    }
}

fn is_port_taken(log: &str) -> bool {
    log.contains("Address already in use") || log.contains("BindException")
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

/// 22 characters that Kafka reads as a random 16-byte id, other ones each time.
fn cluster_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut id: String = (0..21)
        .map(|_| {
            let random = RandomState::new().hash_one(0) % DIGITS.len() as u64;
            char::from(DIGITS[usize::try_from(random).unwrap_or(0)])
        })
        .collect();
    // The last character stands for two bits only.
    id.push('A');
    id
}

/// Copies of one formatted directory are still different clusters.
fn set_cluster_id(file: &PathBuf, id: &str) -> std::io::Result<()> {
    let text = fs::read_to_string(file)?;
    let lines: Vec<String> = text
        .lines()
        .map(|line| match line.starts_with("cluster.id=") {
            true => format!("cluster.id={id}"),
            false => line.to_owned(),
        })
        .collect();
    fs::write(file, lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_work_is_said_at_once() {
        for builder in
            [Kafka::builder().nodes(2), Kafka::builder().nodes(3).secured(), Kafka::builder().nodes(3).proxied(1)]
        {
            assert!(matches!(builder.start(), Err(Error::Unsupported(_))));
        }
    }

    #[test]
    fn a_port_in_use_is_one_sentence() {
        let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = Kafka::builder().port(port).start().unwrap_err();
        assert!(matches!(error, Error::PortInUse(p) if p == port), "{error}");
    }

    #[test]
    fn each_cluster_has_its_own_id() {
        let (one, two) = (cluster_id(), cluster_id());
        assert_ne!(one, two);
        assert_eq!(one.len(), 22);
    }

    #[test]
    fn free_ports_differ() {
        let mut ports = Ports::default();
        let mut seen: Vec<u16> = (0..20).map(|_| ports.next().unwrap()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 20);
    }
}
