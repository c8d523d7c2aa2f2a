//! Reaching a cluster, and the reason where it can't be reached: the real one, within seconds.

mod access;
mod login;
mod unreachable;

use crate::support::{Run, fresh};
use local_kafka::security::{Resource, Security};
use local_kafka::{Cluster, Kafka};
use std::sync::OnceLock;
use std::time::Duration;

/// Each run may take half a minute by `--timeout`; one that ends by itself ends plainly before.
const PATIENT: [&str; 2] = ["--timeout", "30s"];
const SOON: Duration = Duration::from_secs(6);

/// A password that is nobody's.
const WRONG: &str = "hunter2-wrong";

/// A broker with logins. Everybody may describe `group` and `topic`; `hidden_group` and `hidden_topic` nobody but who comes
/// by the plain port.
struct Secured {
    kafka: Kafka,
    topic: String,
    hidden_topic: String,
    group: String,
    hidden_group: String,
}

impl Secured {
    fn security(&self) -> &Security {
        self.kafka.security()
    }

    /// Without a login, may do everything.
    fn admin(&self) -> Cluster {
        self.kafka.client()
    }
}

/// One for all tests of this file. Both groups have read 3 of 10 records of the topic, `group` also 4 of 10 hidden ones.
fn secured() -> &'static Secured {
    static SECURED: OnceLock<Secured> = OnceLock::new();
    SECURED.get_or_init(|| {
        let kafka = Kafka::builder().secured().start().unwrap();
        let admin = kafka.client();
        let [topic, hidden_topic, group, hidden_group] = ["orders", "payroll", "inventory", "audit"].map(fresh);
        for topic in [&topic, &hidden_topic] {
            admin.create_topic(topic, 1, &[]).unwrap();
            admin.produce_numbers(topic, 0, 10).unwrap();
        }
        admin.commit_all(&group, &[(&topic, 0, 3), (&hidden_topic, 0, 4)]).unwrap();
        admin.commit(&hidden_group, &topic, 0, 3, "").unwrap();
        kafka.add_acl("User:*", "Describe", Resource::Group(&group)).unwrap();
        kafka.add_acl("User:*", "Describe", Resource::Topic(&topic)).unwrap();
        Secured { kafka, topic, hidden_topic, group, hidden_group }
    })
}

/// It shows what `group` has read of `topic`.
#[track_caller]
fn assert_describes(run: &Run) {
    let rows = run.csv();
    assert_eq!(rows.len(), 1, "{run}");
    let found = ["topic", "current_offset", "log_end_offset", "lag", "status"].map(|field| rows[0][field].as_str());
    assert_eq!(found, [secured().topic.as_str(), "3", "10", "7", "ok"], "{run}");
}

/// It failed with this code, said so soon, gave the reason, and showed no password.
#[track_caller]
fn assert_fails_soon<const N: usize>(run: Run, code: &str, reasons: [&str; N]) {
    let run = run.fails(1, reasons).keeps_secrets();
    assert_eq!(run.error_code(), code, "{run}");
    assert!(run.took < SOON, "{run}");
    assert!(run.stderr.contains("hint: "), "{run}");
}

impl Run {
    /// No password of any user stands in what it printed.
    #[track_caller]
    fn keeps_secrets(self) -> Self {
        use local_kafka::security::{ALICE, BOB, DAVE};
        for secret in [ALICE.password, BOB.password, DAVE.password, WRONG] {
            assert!(!self.stdout.contains(secret) && !self.stderr.contains(secret), "`{secret}` in {self}");
        }
        self
    }
}
