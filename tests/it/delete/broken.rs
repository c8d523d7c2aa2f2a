//! A deletion that something comes between: the report tells what stands.

use crate::reset::place::Place;
use crate::reset::proxy::{Awaited, Fault, proxied};
use crate::reset::runner::{Krewind, Running, children, each, signal};
use local_kafka::client::{LiveMember, MemberOptions};
use serde_json::{Value, json};

/// A run that has met this fault, on a group that stands at 5.
fn writing(command: &str, fault: Fault, timeout: &str) -> (Place, Krewind, Running, Awaited) {
    let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
    let awaited = proxied().fault(&place.group, 0, fault);
    let krewind = Krewind::at(proxied().address()).flag("--timeout").flag(timeout);
    let topic = ["--topic", place.topic.as_str()];
    let scope = if command == "delete" { &[][..] } else { &topic };
    let run = krewind.start(&[&[command, &place.group, "--yes", "-o", "json"], scope].concat());
    awaited.happened();
    (place, krewind, run, awaited)
}

/// The journal's only entry: the commit before, and the outcome.
fn journalled(krewind: &Krewind) -> (Value, Value) {
    let entries = krewind.journal();
    let [(_, entry)] = &entries[..] else { panic!("{entries:?}") };
    let group = &entry["groups"][0];
    (group["rows"][0]["previous_offset"].clone(), group["outcome"].clone())
}

#[test]
fn the_broker_has_the_last_word_when_a_member_comes_under_the_write() {
    for (command, name) in [("delete", "NON_EMPTY_GROUP"), ("delete-offsets", "GROUP_SUBSCRIBED_TO_TOPIC")] {
        let (place, krewind, run, held) = writing(command, Fault::HoldRequest, "30s");
        assert_eq!(journalled(&krewind), (json!(5), json!(null)));
        let options = MemberOptions::new().client_id("late");
        let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
        held.release();
        let ran = run.end().tells(&format!("a member joined the group meanwhile ({name})")).exits(1);
        let report = ran.json();
        assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("failed"), vec![&json!("failed")]), "{ran}");
        assert_eq!(each(&report, "read_back"), [5]);
        assert_eq!(place.stands(), [Some(5)]);
        assert_eq!(journalled(&krewind), (json!(5), json!("failed")));
        member.leave();
    }
}

#[test]
fn an_answer_that_is_lost_is_read_back() {
    for command in ["delete", "delete-offsets"] {
        let (place, krewind, run, _) = writing(command, Fault::LoseAnswer, "5s");
        let report = run.end().applied();
        assert_eq!(each(&report, "read_back"), [&json!(null)]);
        assert_eq!(place.stands(), [None]);
        assert_eq!(journalled(&krewind), (json!(5), json!("applied")));
    }
}

#[test]
fn the_writing_process_dies_after_the_broker_did_it() {
    let (place, krewind, run, _held) = writing("delete", Fault::HoldAnswer, "30s");
    let children = children(run.pid());
    let [(pid, _)] = &children[..] else { panic!("{children:?}") };
    signal(*pid, "KILL");
    run.end().tells("signal: 9").applied();
    assert!(!place.group_exists());
    assert_eq!(journalled(&krewind), (json!(5), json!("applied")));
}

#[test]
fn a_request_that_goes_unanswered_is_not_known() {
    let (place, krewind, run, _held) = writing("delete", Fault::HoldRequest, "2s");
    let ran = run.end().tells("the group still exists, Empty with 0 members").exits(1);
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("unknown"), vec![&json!("unknown")]), "{ran}");
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(journalled(&krewind), (json!(5), json!("unknown")));
}

#[test]
fn a_group_that_comes_again_is_told() {
    let (place, krewind, run, held) = writing("delete", Fault::HoldAnswer, "30s");
    let options = MemberOptions::new().client_id("again");
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    held.release();
    let words = "it was deleted, yet it exists again, Stable with 1 member";
    let ran = run.end().tells(words).exits(1);
    let report = ran.json();
    assert_eq!((&report["outcome"], &report["groups"][0]["error"]), (&json!("partial"), &json!(words)), "{ran}");
    assert_eq!(each(&report, "outcome"), ["applied"]);
    assert_eq!(place.stands(), [None]);
    assert_eq!(journalled(&krewind), (json!(5), json!("partial")));
    member.leave();
}
