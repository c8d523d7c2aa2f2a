//! The broker's properties file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Settings in which a broker for tests differs from Kafka's defaults. Settings that a version
/// does not know are ignored by it.
const TEST_SETTINGS: &[(&str, &str)] = &[
    ("process.roles", "broker,controller"),
    ("controller.listener.names", "CONTROLLER"),
    ("num.partitions", "1"),
    // With it, asking for a topic would make the topic.
    ("auto.create.topics.enable", "false"),
    ("offsets.topic.num.partitions", "5"),
    ("transaction.state.log.num.partitions", "2"),
    ("transaction.state.log.min.isr", "1"),
    ("share.coordinator.state.topic.min.isr", "1"),
    ("share.coordinator.state.topic.num.partitions", "2"),
    // Members come and go quickly.
    ("group.initial.rebalance.delay.ms", "0"),
    ("group.streams.initial.rebalance.delay.ms", "0"),
    ("group.min.session.timeout.ms", "1000"),
    ("group.consumer.min.heartbeat.interval.ms", "500"),
    ("group.consumer.heartbeat.interval.ms", "1000"),
    ("group.consumer.min.session.timeout.ms", "3000"),
    ("group.consumer.session.timeout.ms", "6000"),
    // Compaction, retention and dead transactions are looked at often.
    ("log.cleaner.backoff.ms", "200"),
    ("log.retention.check.interval.ms", "1000"),
    ("log.initial.task.delay.ms", "500"),
    ("transaction.abort.timed.out.transaction.cleanup.interval.ms", "500"),
    // 128 MB otherwise: more than the rest of a small broker.
    ("log.cleaner.dedupe.buffer.size", "2097152"),
    ("num.network.threads", "2"),
    ("num.io.threads", "4"),
];

/// With several nodes, a dead one is noticed soon.
const FAILOVER_SETTINGS: &[(&str, &str)] = &[
    ("broker.session.timeout.ms", "3000"),
    ("broker.heartbeat.interval.ms", "500"),
    ("controller.quorum.fetch.timeout.ms", "1000"),
    ("controller.quorum.election.timeout.ms", "500"),
];

/// One listener of a broker.
#[derive(Debug, Clone)]
pub(crate) struct Listener {
    pub(crate) name: String,
    pub(crate) protocol: &'static str,
    pub(crate) port: u16,
    /// Where clients are sent: the port itself, or that of a proxy before it.
    pub(crate) advertised: u16,
}

impl Listener {
    pub(crate) fn new(name: &str, protocol: &'static str, port: u16) -> Listener {
        Listener { name: name.to_owned(), protocol, port, advertised: port }
    }
}

/// A properties file in the making; what is set later wins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// The settings of node `id` of a cluster whose controllers listen on `controllers`, by id from 1.
    pub(crate) fn of_node(id: i32, listeners: &[Listener], controllers: &[u16], log_dir: &Path) -> Settings {
        let mut settings = Settings::default();
        let pairs = |settings: &mut Settings, pairs: &[(&str, &str)]| {
            for (key, value) in pairs {
                settings.set(key, *value);
            }
        };
        pairs(&mut settings, TEST_SETTINGS);
        let own = controllers[usize::try_from(id - 1).unwrap_or(0)];
        let controller = Listener::new("CONTROLLER", "PLAINTEXT", own);
        let address = |l: &Listener, port: u16| format!("{}://127.0.0.1:{port}", l.name);
        let all: Vec<&Listener> = listeners.iter().chain([&controller]).collect();
        let join = |parts: Vec<String>| parts.join(",");
        settings.set("node.id", id.to_string());
        settings.set("listeners", join(all.iter().map(|l| address(l, l.port)).collect()));
        settings.set("advertised.listeners", join(listeners.iter().map(|l| address(l, l.advertised)).collect()));
        settings.set(
            "listener.security.protocol.map",
            join(all.iter().map(|l| format!("{}:{}", l.name, l.protocol)).collect()),
        );
        settings.set("inter.broker.listener.name", listeners[0].name.as_str());
        settings.set("log.dirs", log_dir.display().to_string());
        let replicas = controllers.len().to_string();
        for topic in ["offsets.topic", "transaction.state.log", "share.coordinator.state.topic"] {
            settings.set(&format!("{topic}.replication.factor"), replicas.as_str());
        }
        if let [only] = controllers {
            settings.set("controller.quorum.bootstrap.servers", format!("127.0.0.1:{only}"));
        } else {
            pairs(&mut settings, FAILOVER_SETTINGS);
            let voter = |(index, port): (usize, &u16)| format!("{}@127.0.0.1:{port}", index + 1);
            settings.set("controller.quorum.voters", join(controllers.iter().enumerate().map(voter).collect()));
        }
        settings
    }

    pub(crate) fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// As Java's properties format wants it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.0 {
            let value = value.replace('\\', "\\\\").replace('\n', "\\n");
            let _ = writeln!(text, "{key}={value}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_alone_is_its_own_quorum() {
        let listeners = [Listener::new("PLAINTEXT", "PLAINTEXT", 9001)];
        let mut settings = Settings::of_node(1, &listeners, &[9002], Path::new("/data"));
        settings.set("num.partitions", "7");
        let text = settings.text();
        for line in [
            "listeners=PLAINTEXT://127.0.0.1:9001,CONTROLLER://127.0.0.1:9002\n",
            "advertised.listeners=PLAINTEXT://127.0.0.1:9001\n",
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n",
            "controller.quorum.bootstrap.servers=127.0.0.1:9002\n",
            "offsets.topic.replication.factor=1\n",
            "num.partitions=7\n",
        ] {
            assert!(text.contains(line), "{line} not in\n{text}");
        }
        assert!(!text.contains("controller.quorum.voters"));
    }

    #[test]
    fn three_nodes_vote() {
        let listeners = [Listener::new("PLAINTEXT", "PLAINTEXT", 9001)];
        let text = Settings::of_node(2, &listeners, &[1, 2, 3], Path::new("/data")).text();
        assert!(text.contains("controller.quorum.voters=1@127.0.0.1:1,2@127.0.0.1:2,3@127.0.0.1:3\n"));
        assert!(text.contains("CONTROLLER://127.0.0.1:2\n"));
        assert!(text.contains("offsets.topic.replication.factor=3\n"));
    }

    #[test]
    fn a_proxy_is_advertised_in_the_place_of_its_broker() {
        let mut listener = Listener::new("PROXIED", "PLAINTEXT", 9001);
        listener.advertised = 9100;
        let text = Settings::of_node(1, &[listener], &[9002], Path::new("/data")).text();
        assert!(text.contains("listeners=PROXIED://127.0.0.1:9001,"));
        assert!(text.contains("advertised.listeners=PROXIED://127.0.0.1:9100\n"));
    }
}
