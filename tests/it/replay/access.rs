//! Who may read what, on a broker with logins.

use super::support::*;
use local_kafka::security::ALICE;
use local_kafka::{Kafka, Resource};

#[test]
fn reading_a_topic_is_enough_and_without_that_the_reason_is_named() {
    let kafka = Kafka::builder().secured().start().unwrap();
    let cluster = kafka.client();
    cluster.create_topic("orders", 1, &[]).unwrap();
    cluster.produce_numbers("orders", 0, 5).unwrap();
    let alice = kafka.security().login(ALICE);
    let run = |more: &[&str]| ran(command_on(&alice, &[&["orders", "--from", "earliest"], more].concat()));

    // Not even to be described.
    let refused = run(&[]);
    assert_eq!((refused.code, refused.stdout.len()), (1, 0), "{}", refused.stderr);
    assert!(refused.stderr.to_lowercase().contains("authoriz"), "{}", refused.stderr);

    // To be looked at, not to be read.
    kafka.add_acl("User:alice", "Describe", Resource::Topic("orders")).unwrap();
    let scratch = Scratch::new();
    let mut report = None;
    until("the entry to count", || {
        let (name, path) = scratch.report();
        let refused = run(&["--report", &name]);
        assert_eq!((refused.code, refused.stdout.len()), (1, 0), "{}", refused.stderr);
        report = path.exists().then(|| read_json(&path));
        report.is_some()
    });
    let row = partition(&report.unwrap(), 0).clone();
    assert_eq!((&row["ended"], &row["records"]), (&"error".into(), &0.into()));
    assert!(row["reason"].as_str().unwrap().to_lowercase().contains("authoriz"), "{row}");

    // To be read. No right on any group is needed, since none is joined.
    kafka.add_acl("User:alice", "Read", Resource::Topic("orders")).unwrap();
    let mut last = None;
    until("the entry to count", || {
        let done = run(&[]);
        let fine = done.code == 0;
        last = Some(done);
        fine
    });
    assert_eq!(values(&last.unwrap().records()), ["0", "1", "2", "3", "4"]);
}
