//! What is not there, and runs that may not write.

use super::place::{Place, unique};
use super::runner::{Krewind, each};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_group_that_does_not_exist_is_refused_and_not_made() {
    let place = Place::with_records(&[5]);
    let krewind = place.krewind();
    for more in [&["--yes"][..], &[], &["--dry-run"]] {
        for scope in [&["--topic", &place.topic][..], &["--all-topics"]] {
            let ran = krewind.reset(&[&[&place.group, "--to-latest"], scope, more].concat());
            let error = ran.tells("--create-group").error(3, "group-not-found");
            assert!(error["message"].as_str().unwrap().contains(&format!("`{}`", place.group)));
        }
    }
    assert!(!place.group_exists());
    assert_eq!(krewind.journal().len(), 0);
}

#[test]
fn a_group_is_made_where_that_is_asked_for() {
    let place = Place::with_records(&[5, 3]);
    let krewind = place.krewind();
    let report =
        krewind.reset(&[&place.group, "--topic", &place.topic, "--to-latest", "--create-group", "--yes"]).applied();
    assert_eq!(each(&report, "current_offset"), [&json!(null), &json!(null)]);
    assert_eq!(report["groups"][0]["preconditions"]["members"], 0);
    assert_eq!(place.stands(), [Some(5), Some(3)]);
    assert!(place.group_exists());
    // A member starts from there.
    place.add(&[0, 1]);
    assert_eq!(place.cluster.read_and_leave(&place.group, &place.topic, 1).unwrap(), [(1, 4)].into());
}

#[test]
fn a_group_to_be_made_has_no_topics_of_its_own() {
    let place = Place::with_records(&[5]);
    let ran = place.krewind().reset(&[&place.group, "--all-topics", "--to-latest", "--create-group", "--yes"]).exits(0);
    assert_eq!(ran.json()["outcome"], "nothing-to-do");
    assert!(!place.group_exists());
}

#[test]
fn a_topic_or_partition_that_does_not_exist_refuses_all_and_is_not_made() {
    let place = Place::with_records(&[5, 5]).committed(&[2, 2]);
    let krewind = place.krewind();
    let absent = unique("absent");
    let (beyond, cased) = (format!("{}:0,2", place.topic), place.topic.to_uppercase());
    for (selection, names) in [(&absent, &absent), (&beyond, &place.topic), (&cased, &cased)] {
        for more in [&[][..], &["--topic", &place.topic]] {
            let args = [&[&place.group, "--to-earliest", "--yes", "--topic", selection], more].concat();
            let ran = krewind.reset(&args);
            if selection == &beyond && !more.is_empty() {
                // Named as a whole too, the topic is meant as a whole.
                ran.applied();
                place.commit(&[2, 2]);
                continue;
            }
            let error = ran.error(3, "topic-not-found");
            assert!(error["message"].as_str().unwrap().contains(&format!("`{names}`")), "{error}");
            assert_eq!(place.stands(), [Some(2), Some(2)], "{selection}");
        }
    }
    assert!(place.cluster.watermarks(&absent, 0).is_err(), "the topic was made");
    assert!(place.cluster.watermarks(&place.topic, 2).is_err(), "the partition was made");
}

#[test]
fn a_read_only_run_writes_nothing_and_shows_the_plan() {
    let place = Place::with_records(&[5]).committed(&[2]);
    let krewind = place.krewind();
    let args = [&place.group, "--topic", &place.topic, "--to-earliest", "--yes"];
    krewind.reset(&[&args[..], &["--read-only"]].concat()).error(3, "read-only");
    let mut command = krewind.command(&[&["reset", "-o", "json"], &args[..]].concat());
    command.env("KREWIND_READ_ONLY", "1");
    super::runner::Running::start(command).end().error(3, "read-only");
    assert_eq!(place.stands(), [Some(2)]);
    assert_eq!(krewind.journal().len(), 0);
    let report = krewind.reset(&[&args[..], &["--read-only", "--dry-run"]].concat()).exits(0).json();
    assert_eq!(each(&report, "new_offset"), [0]);
    assert_eq!(place.stands(), [Some(2)]);
}

#[test]
fn a_broker_that_is_down_is_said_soon() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let started = Instant::now();
    let krewind = Krewind::at(&address);
    let error = krewind.reset(&["g", "--topic", "t", "--to-earliest", "--yes"]).error(1, "connection-failed");
    assert!(error["message"].as_str().unwrap().contains(&address), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!(krewind.journal().len(), 0);
}
