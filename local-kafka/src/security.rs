//! A broker with logins, certificates and access control lists.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};

use crate::Error;
use crate::client::Cluster;
use crate::jars::Jars;
use crate::settings::{Listener, Settings};

const SASL_PLAINTEXT: &str = "SASL_PLAINTEXT";
const SASL_SSL: &str = "SASL_SSL";
const MTLS: &str = "MTLS";

/// The listeners beside the plain one, with Kafka's name of their protocol.
pub(crate) const LISTENERS: [(&str, &str); 3] =
    [(SASL_PLAINTEXT, "SASL_PLAINTEXT"), (SASL_SSL, "SASL_SSL"), (MTLS, "SSL")];

/// A user with a password. None of them may do anything until [`Kafka::add_acl`](crate::Kafka::add_acl).
#[derive(Debug, Clone, Copy)]
pub struct User {
    /// `principal` is `User:<name>`.
    pub name: &'static str,
    /// In clear: these users exist in tests only.
    pub password: &'static str,
    /// As in `sasl.mechanism`.
    pub mechanism: &'static str,
}

/// Logs in by SCRAM-SHA-256, on both SASL listeners.
pub const ALICE: User = User { name: "alice", password: "alice-secret", mechanism: "SCRAM-SHA-256" };
/// Logs in by SCRAM-SHA-512, over TLS only.
pub const BOB: User = User { name: "bob", password: "bob-secret", mechanism: "SCRAM-SHA-512" };
/// Logs in by PLAIN, without TLS only.
pub const DAVE: User = User { name: "dave", password: "dave-secret", mechanism: "PLAIN" };
/// Logs in by a client certificate: the principal is `User:carol`.
pub const CAROL: &str = "carol";

/// What a client needs to log in to a secured broker: addresses, users, certificates.
///
/// The plain listener ([`Kafka::bootstrap`](crate::Kafka::bootstrap)) asks for no login, and who
/// comes by it may do everything: tests arrange the cluster by it.
#[derive(Debug, Clone)]
pub struct Security {
    /// The certificate of the authority that signed the broker's and carol's.
    pub ca: PathBuf,
    /// The certificate of another authority: a client that trusts it alone must refuse the broker.
    pub other_ca: PathBuf,
    /// Carol's certificate.
    pub client_certificate: PathBuf,
    /// Carol's key, not encrypted.
    pub client_key: PathBuf,
    keystore: PathBuf,
    addresses: [String; 3],
}

impl Security {
    /// Makes the certificates in `dir`.
    pub(crate) fn create(dir: &Path, listeners: &[Listener]) -> Result<Security, Error> {
        fs::create_dir_all(dir).map_err(Error::io(format!("make {}", dir.display())))?;
        let authority = Authority::new("local-kafka CA")?;
        let other = Authority::new("another CA")?;
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let server = authority.sign("localhost", names.to_vec(), ExtendedKeyUsagePurpose::ServerAuth)?;
        let client = authority.sign(CAROL, Vec::new(), ExtendedKeyUsagePurpose::ClientAuth)?;
        let write = |name: &str, text: String| {
            let path = dir.join(name);
            fs::write(&path, text).map_err(Error::io(format!("write {}", path.display())))?;
            Ok::<PathBuf, Error>(path)
        };
        let address = |name: &str| {
            let port = listeners.iter().find(|l| l.name == name).map(|l| l.port);
            format!("127.0.0.1:{}", port.unwrap_or_default())
        };
        Ok(Security {
            ca: write("ca.pem", authority.pem)?,
            other_ca: write("other-ca.pem", other.pem)?,
            client_certificate: write("carol.pem", client.certificate)?,
            client_key: write("carol.key", client.key)?,
            // Kafka wants the key first.
            keystore: write("server-keystore.pem", server.key + &server.certificate)?,
            addresses: [address(SASL_PLAINTEXT), address(SASL_SSL), address(MTLS)],
        })
    }

    /// `host:port` of the listener for SCRAM-SHA-256 and PLAIN without TLS.
    #[must_use]
    pub fn sasl_plaintext(&self) -> &str {
        &self.addresses[0]
    }

    /// `host:port` of the listener for SCRAM over TLS.
    #[must_use]
    pub fn sasl_ssl(&self) -> &str {
        &self.addresses[1]
    }

    /// `host:port` of the listener for client certificates.
    #[must_use]
    pub fn mtls(&self) -> &str {
        &self.addresses[2]
    }

    /// A client that logs in as `user` without TLS.
    #[must_use]
    pub fn login(&self, user: User) -> Cluster {
        sasl(Cluster::new(self.sasl_plaintext()), user).with("security.protocol", "SASL_PLAINTEXT")
    }

    /// A client that logs in as `user` over TLS.
    #[must_use]
    pub fn login_tls(&self, user: User) -> Cluster {
        sasl(Cluster::new(self.sasl_ssl()), user)
            .with("security.protocol", "SASL_SSL")
            .with("ssl.ca.location", &self.ca.display().to_string())
    }

    /// A client that shows carol's certificate.
    #[must_use]
    pub fn login_certificate(&self) -> Cluster {
        Cluster::new(self.mtls())
            .with("security.protocol", "SSL")
            .with("ssl.ca.location", &self.ca.display().to_string())
            .with("ssl.certificate.location", &self.client_certificate.display().to_string())
            .with("ssl.key.location", &self.client_key.display().to_string())
    }

    pub(crate) fn settings(&self, settings: &mut Settings) {
        const SCRAM: &str = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
        let plain = format!(
            "org.apache.kafka.common.security.plain.PlainLoginModule required user_{}=\"{}\";",
            DAVE.name, DAVE.password
        );
        // Kafka wants the listener's name in lower case in these keys.
        let mut set = |listener: &str, key: &str, value: &str| {
            let listener = listener.to_lowercase();
            settings.set(&format!("listener.name.{listener}.{key}"), value);
        };
        set(SASL_PLAINTEXT, "sasl.enabled.mechanisms", "SCRAM-SHA-256,PLAIN");
        set(SASL_PLAINTEXT, "scram-sha-256.sasl.jaas.config", SCRAM);
        set(SASL_PLAINTEXT, "plain.sasl.jaas.config", &plain);
        set(SASL_SSL, "sasl.enabled.mechanisms", "SCRAM-SHA-256,SCRAM-SHA-512");
        set(SASL_SSL, "scram-sha-256.sasl.jaas.config", SCRAM);
        set(SASL_SSL, "scram-sha-512.sasl.jaas.config", SCRAM);
        set(MTLS, "ssl.client.auth", "required");
        set(MTLS, "ssl.principal.mapping.rules", "RULE:^.*CN=([^,]+).*$/$1/,DEFAULT");
        settings.set("ssl.keystore.type", "PEM");
        settings.set("ssl.keystore.location", self.keystore.display().to_string());
        settings.set("ssl.truststore.type", "PEM");
        settings.set("ssl.truststore.location", self.ca.display().to_string());
        settings.set("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.set("super.users", "User:ANONYMOUS");
        settings.set("allow.everyone.if.no.acl.found", "false");
    }
}

fn sasl(cluster: Cluster, user: User) -> Cluster {
    cluster.with("sasl.mechanism", user.mechanism).with("sasl.username", user.name).with("sasl.password", user.password)
}

/// SCRAM users are made when the data directory is formatted.
pub(crate) fn format_args() -> Vec<String> {
    [ALICE, BOB]
        .iter()
        .flat_map(|user| {
            ["--add-scram".to_owned(), format!("{}=[name={},password={}]", user.mechanism, user.name, user.password)]
        })
        .collect()
}

/// What an access control entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource<'a> {
    /// A topic.
    Topic(&'a str),
    /// A consumer group.
    Group(&'a str),
    /// A transactional id.
    TransactionalId(&'a str),
    /// The cluster.
    Cluster,
}

pub(crate) fn add_acl(
    jars: &Jars,
    bootstrap: &str,
    principal: &str,
    operation: &str,
    resource: Resource<'_>,
) -> Result<(), Error> {
    let class =
        if jars.version().starts_with("3.") { "kafka.admin.AclCommand" } else { "org.apache.kafka.tools.AclCommand" };
    let mut command = jars.java(128);
    command.args([class, "--bootstrap-server", bootstrap]).args([
        "--add",
        "--allow-principal",
        principal,
        "--operation",
        operation,
    ]);
    match resource {
        Resource::Topic(name) => command.args(["--topic", name]),
        Resource::Group(name) => command.args(["--group", name]),
        Resource::TransactionalId(name) => command.args(["--transactional-id", name]),
        Resource::Cluster => command.arg("--cluster"),
    };
    let output = command.stdin(Stdio::null()).output().map_err(Error::io("run java"))?;
    if !output.status.success() {
        return Err(Error::tool("Kafka's AclCommand", &output));
    }
    Ok(())
}

/// A certificate authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

struct Signed {
    certificate: String,
    key: String,
}

impl Authority {
    fn new(name: &str) -> Result<Authority, Error> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        Ok(Authority { issuer: Issuer::new(params, key), pem })
    }

    fn sign(&self, name: &str, alternatives: Vec<String>, usage: ExtendedKeyUsagePurpose) -> Result<Signed, Error> {
        let mut params = CertificateParams::new(alternatives)?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.distinguished_name.push(DnType::OrganizationName, "local-kafka");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate()?;
        Ok(Signed { certificate: params.signed_by(&key, &self.issuer)?.pem(), key: key.serialize_pem() })
    }
}
