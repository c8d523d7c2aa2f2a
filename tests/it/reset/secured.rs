//! Logins by a file of properties as Java's tools take it, and principals that may not do everything.

use super::place::Place;
use super::runner::{Krewind, each, rows};
use local_kafka::security::{ALICE, BOB, User};
use local_kafka::{Kafka, Resource};
use serde_json::{Value, json};
use std::sync::OnceLock;

/// One broker for all of these tests.
fn kafka() -> &'static Kafka {
    static KAFKA: OnceLock<Kafka> = OnceLock::new();
    KAFKA.get_or_init(|| Kafka::builder().secured().start().unwrap())
}

pub(super) fn place(records: &[usize]) -> Place {
    Place::on(kafka().client(), records)
}

pub(super) fn allow(user: &str, operation: &str, resource: Resource<'_>) {
    kafka().add_acl(&format!("User:{user}"), operation, resource).unwrap();
}

/// A krewind at this address with this file of properties.
fn with_file(address: &str, properties: &str) -> Krewind {
    let krewind = Krewind::at(address);
    let file = krewind.state_home().join("client.properties");
    std::fs::write(&file, properties).unwrap();
    krewind.flag("-F").flag(file.to_str().unwrap())
}

fn sasl(user: User, password: &str) -> String {
    format!(
        "sasl.mechanism={}\nsasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n  \
         username=\"{}\" password=\"{password}\";\n",
        user.mechanism, user.name
    )
}

pub(super) fn alice() -> Krewind {
    let properties = format!("security.protocol=SASL_PLAINTEXT\n{}", sasl(ALICE, ALICE.password));
    with_file(kafka().security().sasl_plaintext(), &properties)
}

/// Describes and resets a group of three partitions, as this user.
fn describes_and_resets(krewind: &Krewind, user: &str) {
    let place = place(&[9, 9, 9]).committed(&[5, 4]);
    allow(user, "Read", Resource::Group(&place.group));
    allow(user, "Read", Resource::Topic(&place.topic));
    let described = krewind.run(&["describe", &place.group, "-o", "json"]).exits(0).json();
    let lags: Vec<&Value> =
        described["groups"][0]["partitions"].as_array().unwrap().iter().map(|row| &row["lag"]).collect();
    assert_eq!(lags[..2], [&json!(4), &json!(5)], "{described}");
    let report = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]).applied();
    assert_eq!(each(&report, "read_back"), [2, 2, 2]);
    assert_eq!(place.stands(), [Some(2); 3]);
}

#[test]
fn by_scram_over_tls() {
    let security = kafka().security();
    let tls = format!(
        "security.protocol=SASL_SSL\nssl.truststore.type=PEM\nssl.truststore.location={}\n",
        security.ca.display()
    );
    let krewind = with_file(security.sasl_ssl(), &format!("{tls}{}", sasl(BOB, BOB.password)));
    describes_and_resets(&krewind, "bob");
    let text = std::fs::read_to_string(&krewind.journal()[0].0).unwrap();
    assert!(!text.contains(BOB.password), "{text}");

    let wrong = with_file(security.sasl_ssl(), &format!("{tls}{}", sasl(BOB, "wrong-secret")));
    let ran = wrong.reset(&["g", "--topic", "t", "--to-earliest", "--yes"]);
    assert!(!ran.stderr.contains("wrong-secret") && !ran.stdout.contains("wrong-secret"), "{ran}");
    ran.error(1, "authentication-failed");
}

#[test]
fn by_a_client_certificate() {
    let security = kafka().security();
    let krewind = Krewind::at(security.mtls());
    // Key and certificates in one file, as Java has it.
    let keystore = krewind.state_home().join("carol-keystore.pem");
    let parts = [&security.client_key, &security.client_certificate].map(|path| std::fs::read_to_string(path).unwrap());
    std::fs::write(&keystore, parts.concat()).unwrap();
    let file = |ca: &std::path::Path| {
        format!(
            "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={}\nssl.keystore.type=PEM\n\
             ssl.keystore.location={}\n",
            ca.display(),
            keystore.display()
        )
    };
    describes_and_resets(&with_file(security.mtls(), &file(&security.ca)), "carol");
    let ran =
        with_file(security.mtls(), &file(&security.other_ca)).reset(&["g", "--all-topics", "--to-latest", "--yes"]);
    ran.error(1, "tls-failed");
}

#[test]
fn a_topic_that_may_not_be_read_fails_row_by_row_and_the_others_are_written() {
    let (one, two) = (place(&[9, 9]).committed(&[5, 6]), place(&[9, 9]));
    one.cluster.commit_all(&one.group, &[(&two.topic, 0, 3), (&two.topic, 1, 4)]).unwrap();
    allow("alice", "Read", Resource::Group(&one.group));
    allow("alice", "Read", Resource::Topic(&one.topic));
    allow("alice", "Describe", Resource::Topic(&two.topic));
    let krewind = alice();
    let args = [&one.group, "--topic", &one.topic, "--topic", &two.topic, "--to-earliest", "--yes"];
    // A dry run can't know.
    let planned = krewind.reset(&[&args[..], &["--dry-run"]].concat()).exits(0).json();
    assert_eq!(planned["groups"][0]["would_refuse"], json!(null));

    let ran = krewind.reset(&args).exits(1);
    let report = ran.json();
    assert_eq!((&report["outcome"], &report["groups"][0]["outcome"]), (&json!("partial"), &json!("partial")), "{ran}");
    for row in rows(&report) {
        let partition = row["partition"].as_i64().unwrap();
        if row["topic"] == *one.topic {
            assert_eq!(
                (&row["outcome"], &row["read_back"], &row["error"]),
                (&json!("applied"), &json!(0), &json!(null))
            );
        } else {
            assert_eq!((&row["outcome"], &row["read_back"]), (&json!("failed"), &json!(3 + partition)), "{ran}");
            assert!(row["error"].as_str().unwrap().contains("TOPIC_AUTHORIZATION_FAILED"), "{ran}");
            let line = format!("{}-{partition} of `{}` failed: ", two.topic, one.group);
            assert!(ran.stderr.contains(&line), "{ran}");
        }
    }
    assert_eq!((&report["total"]["moved"], &report["total"]["failed"]), (&json!(4), &json!(2)));
    assert_eq!(one.stands(), [Some(0), Some(0)]);
    let of_two = one.cluster.committed_offsets(&one.group, &two.topic, &[0, 1]).unwrap();
    assert_eq!(of_two, [Some(3), Some(4)]);
    let entry = &krewind.journal()[0].1["groups"][0];
    assert_eq!(entry["outcome"], "partial");
    let journalled: Vec<_> =
        entry["rows"].as_array().unwrap().iter().filter(|row| row["outcome"] == "failed").collect();
    assert!(journalled.len() == 2 && journalled.iter().all(|row| row["topic"] == *two.topic), "{entry}");
    // The table tells it too.
    one.commit(&[5, 6]);
    let table = krewind.run(&[&["reset"], &args[..]].concat()).exits(1);
    assert!(table.stdout.contains("partial: 2 commits written and read back, 2 not"), "{table}");
}

#[test]
fn a_group_that_may_only_be_described_is_not_written() {
    let place = place(&[9]).committed(&[5]);
    allow("alice", "Describe", Resource::Group(&place.group));
    allow("alice", "Read", Resource::Topic(&place.topic));
    let ran = alice().reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).exits(1);
    let report = ran.tells("GROUP_AUTHORIZATION_FAILED").json();
    assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("failed"), vec![&json!("failed")]));
    assert_eq!(each(&report, "read_back"), [5]);
    assert_eq!(place.stands(), [Some(5)]);
}

#[test]
fn a_group_or_topic_that_may_not_be_seen_ends_it() {
    let place = place(&[9]).committed(&[5]);
    let krewind = alice();
    let args = [&place.group, "--topic", &place.topic, "--to-earliest", "--yes", "--create-group"];
    krewind.reset(&args).error(1, "unauthorized");
    allow("alice", "Read", Resource::Group(&place.group));
    let error = krewind.reset(&args).exits(1).json();
    assert_eq!(error["code"], "unauthorized", "{error}");
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(krewind.journal().len(), 0);
}

#[test]
fn a_group_is_deleted_by_who_may_and_what_the_login_does_not_see_is_warned_of() {
    let (one, hidden) = (place(&[9]).committed(&[5]), place(&[9]));
    one.cluster.commit(&one.group, &hidden.topic, 0, 3, "").unwrap();
    allow("alice", "Describe", Resource::Group(&one.group));
    allow("alice", "Describe", Resource::Topic(&one.topic));
    let args = ["delete", &one.group, "--yes", "-o", "json"];
    let ran = alice().run(&args).tells("GROUP_AUTHORIZATION_FAILED").exits(1);
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("failed"), vec![&json!("failed")]), "{ran}");
    assert!(report["groups"][0]["error"].as_str().unwrap().contains("GROUP_AUTHORIZATION_FAILED"), "{ran}");
    assert_eq!(one.stands(), [Some(5)]);
    allow("alice", "Delete", Resource::Group(&one.group));
    let report = alice().run(&args).tells("topics that it may not describe are not shown here").applied();
    assert_eq!(report["warnings"][1]["code"], "limited-login");
    assert_eq!(each(&report, "topic"), [&one.topic]);
    assert!(!one.group_exists());
}

#[test]
fn what_a_limited_login_may_not_ask_is_not_known() {
    let place = place(&[9]).committed(&[5]);
    allow(ALICE.name, "Read", Resource::Group(&place.group));
    allow(ALICE.name, "Read", Resource::Topic(&place.topic));
    let ran = alice().reset(&[&place.group, "--all-topics", "--to-offset", "2", "--dry-run"]).exits(0);
    let report = ran.json();
    let codes: Vec<&str> =
        report["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["limited-login", "retention-unknown", "commit-retention"], "{ran}");
    ran.tells("its settings can't be read (TOPIC_AUTHORIZATION_FAILED)").tells("is not known: the broker's settings");
}
