//! Commits that a transaction holds: the broker would take a write beside them, and lose one of the two.

use super::place::{Place, unique};
use super::runner::{DEADLINE, each};
use local_kafka::{Check, wait_for};
use std::time::{Duration, Instant};

#[test]
fn a_pending_commit_in_the_scope_is_refused_by_name() {
    let place = Place::with_records(&[9, 9]).committed(&[3, 3]);
    let pending = place.cluster.pending_commit(&unique("tx"), &place.group, &[(&place.topic, 1, 7)]).unwrap();
    let krewind = place.krewind();
    let args = [&place.group, "--topic", &place.topic, "--to-earliest", "--yes"];
    let report = krewind.reset(&args).refused("pending-transaction");
    let message = report["groups"][0]["refusal"]["message"].as_str().unwrap();
    assert!(message.contains(&format!("`{}-1`", place.topic)), "{message}");
    assert!(!message.contains(&format!("{}-0", place.topic)), "{message}");
    // What stands before the transaction ends.
    assert_eq!(each(&report, "current_offset"), [3, 3]);
    assert_eq!(place.stands(), [Some(3), Some(3)]);
    let foretold = krewind.reset(&[&args[..], &["--dry-run"]].concat()).exits(0).json();
    assert_eq!(foretold["groups"][0]["would_refuse"]["code"], "pending-transaction");
    // Another partition of the same group is free.
    let free = format!("{}:0", place.topic);
    krewind.reset(&[&place.group, "--topic", &free, "--to-earliest", "--yes"]).applied();
    pending.commit().unwrap();
    place.cluster.await_committed(&place.group, &place.topic, 1, 7).unwrap();
    krewind.reset(&args).applied();
    assert_eq!(place.stands(), [Some(0), Some(0)]);
}

#[test]
fn a_first_commit_that_is_pending_is_seen_though_no_list_shows_it() {
    let place = Place::with_records(&[9]);
    let pending = place.cluster.pending_commit(&unique("tx"), &place.group, &[(&place.topic, 0, 7)]).unwrap();
    for more in [&["--yes"][..], &["--yes", "--create-group"]] {
        let ran = place.krewind().reset(&[&[&place.group, "--topic", &place.topic, "--to-earliest"], more].concat());
        let ran = ran.exits(3);
        let code = ran.json()["groups"][0]["refusal"]["code"].clone();
        assert_eq!(code, "pending-transaction", "{ran}");
        assert_eq!(place.stands(), [None]);
    }
    pending.abort().unwrap();
}

#[test]
fn a_transaction_that_ends_meanwhile_is_waited_for() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let pending = place.cluster.pending_commit(&unique("tx"), &place.group, &[(&place.topic, 0, 7)]).unwrap();
    let started = Instant::now();
    let run = place.krewind().start(&[
        "reset",
        &place.group,
        "--topic",
        &place.topic,
        "--to-earliest",
        "--yes",
        "-o",
        "json",
    ]);
    // Nothing tells that it waits: long enough that it has looked, short enough that it has not given up.
    wait_for("a second to pass", DEADLINE, || {
        let passed = started.elapsed();
        Ok(if passed > Duration::from_secs(1) { Check::Done(()) } else { Check::NotYet(format!("{passed:?}")) })
    })
    .unwrap();
    pending.commit().unwrap();
    let report = run.end().applied();
    assert_eq!(each(&report, "current_offset"), [7]);
    assert_eq!(place.stands(), [Some(0)]);
}
