//! Which properties a file may set, and why the others are left out.

/// Properties whose values krewind depends on: a file's are left out, `-X` is refused.
pub(super) const OWNED: &[&str] = &[
    "group.id",
    "group.instance.id",
    "group.protocol",
    "enable.auto.commit",
    "auto.commit.enable",
    "enable.auto.offset.store",
    "auto.offset.reset",
    "enable.partition.eof",
    "allow.auto.create.topics",
    "isolation.level",
    "partition.assignment.strategy",
];

/// librdkafka 2.12.1's global properties (`CONFIGURATION.md`) that say how to reach a cluster; a file's pass as they are.
const PASSED: &[&str] = &[
    "api.version.fallback.ms",
    "api.version.request",
    "api.version.request.timeout.ms",
    "bootstrap.servers",
    "broker.address.family",
    "broker.address.ttl",
    "broker.version.fallback",
    "client.dns.lookup",
    "client.id",
    "client.rack",
    "debug",
    "enable.sasl.oauthbearer.unsecure.jwt",
    "enable.ssl.certificate.verification",
    "message.max.bytes",
    "metadata.recovery.rebootstrap.trigger.ms",
    "metadata.recovery.strategy",
    "receive.message.max.bytes",
    "sasl.mechanism",
    "sasl.oauthbearer.config",
    "sasl.password",
    "sasl.username",
    "security.protocol",
    "socket.keepalive.enable",
    "socket.nagle.disable",
    "socket.receive.buffer.bytes",
    "socket.send.buffer.bytes",
    "ssl.ca.certificate.stores",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.location",
    "ssl.certificate.pem",
    "ssl.cipher.suites",
    "ssl.crl.location",
    "ssl.curves.list",
    "ssl.endpoint.identification.algorithm",
    "ssl.engine.id",
    "ssl.engine.location",
    "ssl.key.location",
    "ssl.key.password",
    "ssl.key.pem",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.providers",
    "ssl.sigalgs.list",
];

/// Keys that `super::tls` and `super::sasl` translate before this table is asked; what is left of them has been used.
const TRANSLATED: &[&str] = &[
    "sasl.jaas.config",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.type",
    "ssl.truststore.certificates",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.type",
];

/// Of consumers only (`ConsumerConfig`, librdkafka's `C`).
const CONSUMER: &[&str] = &[
    "auto.commit.interval.ms",
    "check.crcs",
    "coordinator.query.interval.ms",
    "exclude.internal.topics",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "key.deserializer",
    "offset.store.method",
    "session.timeout.ms",
    "value.deserializer",
];

/// Of producers only (`ProducerConfig`, librdkafka's `P`).
const PRODUCER: &[&str] = &[
    "acks",
    "batch.num.messages",
    "batch.size",
    "buffer.memory",
    "compression.codec",
    "compression.level",
    "compression.type",
    "delivery.report.only.error",
    "enable.gapless.guarantee",
    "enable.idempotence",
    "key.serializer",
    "linger.ms",
    "max.block.ms",
    "max.in.flight",
    "max.in.flight.requests.per.connection",
    "max.request.size",
    "message.send.max.retries",
    "queuing.strategy",
    "request.required.acks",
    "retries",
    "transactional.id",
    "value.serializer",
];

/// What a file's property is to krewind.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Handed to librdkafka.
    Pass,
    /// Used by a translation.
    Translated,
    /// Left out, and why.
    Ignored(&'static str),
}

/// What a file's property is to krewind. A file is written for another program, so nothing unknown in it is an error.
pub(super) fn of(key: &str) -> Use {
    if PASSED.contains(&key) {
        return Use::Pass;
    }
    if TRANSLATED.contains(&key) {
        return Use::Translated;
    }
    if is_owned(key) {
        return Use::Ignored("krewind sets it itself");
    }
    Use::Ignored(match key {
        "request.timeout.ms" | "default.api.timeout.ms" | "socket.timeout.ms" | "metadata.request.timeout.ms" => {
            "a timeout is given by `--timeout`"
        }
        "connections.max.idle.ms"
        | "enable.metrics.push"
        | "log.connection.close"
        | "metadata.max.age.ms"
        | "reconnect.backoff.max.ms"
        | "reconnect.backoff.ms"
        | "retry.backoff.max.ms"
        | "retry.backoff.ms"
        | "socket.connection.setup.timeout.max.ms"
        | "socket.connection.setup.timeout.ms" => "krewind sets it for a short run; `-X` overrides it",
        "send.buffer.bytes" => "a Java property; librdkafka's is `socket.send.buffer.bytes`",
        "receive.buffer.bytes" => "a Java property; librdkafka's is `socket.receive.buffer.bytes`",
        "ssl.protocol" | "ssl.enabled.protocols" => "OpenSSL agrees with the broker on the newest TLS version",
        "" => "it has no name",
        _ if CONSUMER.contains(&key) || starts(key, &["fetch.", "max.poll.", "max.partition.", "queued."]) => {
            "of a consumer group's members; krewind is none"
        }
        _ if PRODUCER.contains(&key)
            || starts(key, &["queue.buffering.", "partitioner.", "transaction.", "delivery."]) =>
        {
            "of producers"
        }
        _ if key.ends_with(".serializer") || key.ends_with(".deserializer") || key.ends_with(".classes") => {
            "names a Java class"
        }
        _ if key.ends_with(".class") || key.ends_with(".providers") || key.ends_with(".reporters") => {
            "names a Java class"
        }
        _ if starts(key, &["schema.registry.", "basic.auth.", "bearer.auth."]) => {
            "of a schema registry, which krewind does not ask"
        }
        _ if starts(key, &["confluent."]) => "of Confluent's own clients",
        _ if starts(key, &["sasl.kerberos."]) => "Kerberos is not built in",
        _ if starts(key, &["sasl.oauthbearer.", "https."]) => "OAuth tokens from a server are not built in",
        _ if starts(key, &["ssl.", "sasl.", "security."]) => "not known to librdkafka",
        _ => "not a property that krewind uses",
    })
}

/// Whether krewind sets this property itself; `topic.` is librdkafka's optional prefix for a topic's properties.
pub(super) fn is_owned(key: &str) -> bool {
    OWNED.contains(&key.strip_prefix("topic.").unwrap_or(key))
}

fn starts(key: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| key.starts_with(prefix))
}
