//! Logins that work and logins that do not, by Java's properties files, librdkafka's, and flags.

use super::{PATIENT, WRONG, assert_describes, assert_fails_soon, secured};
use crate::support::{bare, file, krewind};
use local_kafka::security::{ALICE, BOB, DAVE, User};
use std::path::Path;
use tempfile::TempDir;

const SCRAM: &str = "org.apache.kafka.common.security.scram.ScramLoginModule";

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// As Kafka's own tools take it for SCRAM over TLS.
fn scram_over_tls(user: User, password: &str, ca: &Path) -> String {
    format!(
        "# client.properties\n\
         security.protocol = SASL_SSL\n\
         sasl.mechanism={mechanism}\n\
         sasl.jaas.config={SCRAM} required \\\n    username=\"{name}\" \\\n    password=\"{password}\";\n\
         ssl.truststore.type=PEM\n\
         ssl.truststore.location={ca}\n",
        mechanism = user.mechanism,
        name = user.name,
        ca = ca.display(),
    )
}

#[test]
fn a_java_file_with_scram_over_tls() {
    let (secured, dir) = (secured(), TempDir::new().unwrap());
    let security = secured.security();
    // What is of consumers only, or of nobody, does not stop it.
    let text = scram_over_tls(BOB, BOB.password, &security.ca)
        + "group.id=somebody\nenable.auto.commit=true\nkey.deserializer=org.example.Avro\nmax.poll.records=500\n\
           com.example.made.up=yes\n";
    let path = file(&dir, "client.properties", &text);
    let describe = || bare().args(["describe", &secured.group, "-o", "csv", "-F", &path, "-b", security.sasl_ssl()]);
    assert_describes(&describe().run().succeeds().keeps_secrets());
    let verbose = describe().arg("-v").run().exits(0).keeps_secrets();
    assert_describes(&verbose);
    for key in ["group.id", "enable.auto.commit", "key.deserializer", "max.poll.records", "com.example.made.up"] {
        assert!(verbose.stderr.contains(&format!("ignored `{key}`: ")), "{verbose}");
    }
    for key in ["security.protocol", "sasl.mechanism", "ssl.truststore.location"] {
        assert!(!verbose.stderr.contains(&format!("ignored `{key}`")), "{verbose}");
    }
}

#[test]
fn every_way_to_log_in() {
    let secured = secured();
    let security = secured.security();
    for cluster in [
        security.login(ALICE),
        security.login(DAVE),
        security.login_tls(ALICE),
        security.login_tls(BOB),
        security.login_certificate(),
    ] {
        let run = krewind(&cluster).args(["describe", &secured.group, "-o", "csv"]).run().succeeds().keeps_secrets();
        assert_describes(&run);
    }
}

#[test]
fn a_client_certificate_in_javas_pem_keystore() {
    let (secured, dir) = (secured(), TempDir::new().unwrap());
    let security = secured.security();
    let [key, certificate] =
        [&security.client_key, &security.client_certificate].map(|path| std::fs::read_to_string(path).unwrap());
    let keystore = file(&dir, "carol.pem", &(key + &certificate));
    let text = format!(
        "bootstrap.servers={}\nsecurity.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location={keystore}\n\
         ssl.truststore.type=PEM\nssl.truststore.location={}\n",
        security.mtls(),
        security.ca.display()
    );
    let path = file(&dir, "client.properties", &text);
    let run = bare().args(["describe", &secured.group, "-o", "csv", "-F", &path]).run().succeeds();
    assert_describes(&run);
}

#[test]
fn the_environment_and_what_wins_over_it() {
    let (secured, dir) = (secured(), TempDir::new().unwrap());
    let security = secured.security();
    let right = file(&dir, "right.properties", &scram_over_tls(BOB, BOB.password, &security.ca));
    let wrong = file(&dir, "wrong.properties", &scram_over_tls(BOB, WRONG, &security.other_ca));
    let describe = || bare().args(["describe", &secured.group, "-o", "csv"]);
    let run = describe().env("KREWIND_BOOTSTRAP_SERVER", security.sasl_ssl()).env("KREWIND_COMMAND_CONFIG", &right);
    assert_describes(&run.run().succeeds());
    // Flags win over the environment.
    let run = describe().env("KREWIND_BOOTSTRAP_SERVER", "127.0.0.1:1").env("KREWIND_COMMAND_CONFIG", &wrong).args([
        "-b",
        security.sasl_ssl(),
        "--command-config",
        &right,
    ]);
    assert_describes(&run.run().succeeds());
    // `-X` wins over the file.
    let (password, ca) =
        (format!("sasl.password={}", BOB.password), format!("ssl.ca.location={}", shown(&security.ca)));
    let run = describe()
        .args(["-b", security.sasl_ssl(), "-F", &wrong])
        .args(["-X", &password, "-X", &ca, "-X", "sasl.username=bob"])
        .arg("-v");
    assert_describes(&run.run().exits(0).keeps_secrets());
    // `-b` wins over the file's brokers.
    let text = format!("bootstrap.servers=127.0.0.1:1\n{}", scram_over_tls(BOB, BOB.password, &security.ca));
    let elsewhere = file(&dir, "elsewhere.properties", &text);
    let run = describe().args(["-F", &elsewhere, "-b", security.sasl_ssl()]);
    assert_describes(&run.run().succeeds());
}

#[test]
fn a_wrong_password() {
    let (secured, dir) = (secured(), TempDir::new().unwrap());
    let security = secured.security();
    let over_tls = file(&dir, "tls.properties", &scram_over_tls(BOB, WRONG, &security.ca));
    for (address, more) in
        [(security.sasl_ssl(), ["-F", &over_tls, "-q"]), (security.sasl_ssl(), ["-F", &over_tls, "-v"])]
    {
        let run = bare().args(["describe", "g", "-o", "json", "-b", address]).args(more).args(PATIENT).run();
        assert_fails_soon(run, "authentication-failed", ["invalid credentials", address, "sasl.password"]);
    }
    let plain = security.login(User { password: WRONG, ..DAVE });
    let run = krewind(&plain).args(["describe", "g", "-o", "json"]).args(PATIENT).run();
    assert_fails_soon(run, "authentication-failed", ["refused the login"]);
}

#[test]
fn a_mechanism_that_the_listener_lacks() {
    let security = secured().security();
    let cluster = security.login(User { mechanism: "SCRAM-SHA-512", ..BOB });
    let run = krewind(&cluster).args(["describe", "g", "-o", "json"]).args(PATIENT).run();
    // The broker says which it has.
    assert_fails_soon(run, "authentication-failed", ["SCRAM-SHA-256", "PLAIN", "sasl.mechanism"]);
}

#[test]
fn a_certificate_that_is_not_trusted() {
    let security = secured().security();
    let cluster = security.login_tls(BOB).with("ssl.ca.location", &shown(&security.other_ca));
    let run = krewind(&cluster).args(["describe", "g", "-o", "json"]).args(PATIENT).run();
    assert_fails_soon(run, "tls-failed", ["certificate verify failed", "ssl.ca.location"]);
}

#[test]
fn a_certificate_of_another_host() {
    let (secured, dir) = (secured(), TempDir::new().unwrap());
    let security = secured.security();
    // The same address in other words, which the certificate does not have.
    let address = security.sasl_ssl().replace("127.0.0.1", "127.1");
    let text = scram_over_tls(BOB, BOB.password, &security.ca);
    let checked = file(&dir, "checked.properties", &text);
    let run = bare().args(["describe", "g", "-o", "json", "-b", &address, "-F", &checked]).args(PATIENT).run();
    assert_fails_soon(run, "tls-failed", ["certificate verify failed", &address]);
    // Java's way to leave the check out.
    let unchecked = file(&dir, "unchecked.properties", &(text + "ssl.endpoint.identification.algorithm=\n"));
    let run = bare().args(["describe", &secured.group, "-o", "csv", "-b", &address, "-F", &unchecked]).run();
    assert_describes(&run.succeeds());
}

#[test]
fn no_client_certificate_where_one_is_asked_for() {
    let security = secured().security();
    let run = bare()
        .args(["describe", "g", "-o", "json", "-b", security.mtls(), "-X", "security.protocol=SSL"])
        .args(["-X", &format!("ssl.ca.location={}", shown(&security.ca))])
        .args(PATIENT)
        .run();
    assert_fails_soon(run, "tls-failed", ["client certificate", "ssl.certificate.location"]);
}

#[test]
fn tls_to_a_port_without_it() {
    let secured = secured();
    let address = secured.kafka.bootstrap();
    let run = bare()
        .args(["describe", "g", "-o", "json", "-b", address, "-X", "security.protocol=SSL"])
        .args(["-X", &format!("ssl.ca.location={}", shown(&secured.security().ca))])
        .args(PATIENT)
        .run();
    assert_fails_soon(run, "tls-failed", [address, "security.protocol=PLAINTEXT"]);
}

#[test]
fn no_tls_and_no_login_to_a_port_that_wants_them() {
    let security = secured().security();
    for address in [security.sasl_plaintext(), security.sasl_ssl(), security.mtls()] {
        let run = bare().args(["describe", "g", "-o", "json", "-b", address]).args(PATIENT).run();
        assert_fails_soon(run, "connection-failed", [address, "wants TLS or a login", "security.protocol=SSL"]);
    }
}

#[test]
fn a_java_keystore_is_refused_with_the_commands_that_convert_it() {
    let dir = TempDir::new().unwrap();
    let text = "security.protocol=SSL\nssl.truststore.type=JKS\nssl.truststore.location=/etc/kafka/trust store.jks\n\
                ssl.truststore.password=hunter2-wrong\n";
    let path = file(&dir, "client.properties", text);
    let run = bare().args(["describe", "g", "-o", "json", "-b", "127.0.0.1:1", "-F", &path]).run();
    let run = run
        .fails(
            2,
            [
                "`/etc/kafka/trust store.jks` is a Java keystore",
                "keytool -importkeystore -srckeystore '/etc/kafka/trust store.jks' -destkeystore '/etc/kafka/trust store.p12' \
                 -deststoretype PKCS12",
                "openssl pkcs12 -in '/etc/kafka/trust store.p12' -nokeys -out '/etc/kafka/trust store.pem'",
            ],
        )
        .keeps_secrets();
    assert_eq!(run.error_code(), "bad-file");
}

#[test]
fn the_chattiest_log_shows_no_password() {
    let (secured, dir) = (secured(), TempDir::new().unwrap());
    let security = secured.security();
    for (user, password) in [(BOB, BOB.password), (BOB, WRONG)] {
        let path = file(&dir, "client.properties", &scram_over_tls(user, password, &security.ca));
        let run = bare()
            .args(["describe", &secured.group, "-F", &path, "-b", security.sasl_ssl(), "-v", "-X", "debug=all"])
            .run()
            .keeps_secrets();
        assert!(run.stderr.contains("librdkafka: "), "{run}");
    }
}
