//! A dry run changes nothing, whatever else is given.

use super::place::{Place, kafkas_plan};
use super::runner::{each, rows};
use local_kafka::client::{LiveMember, MemberOptions};
use serde_json::json;

#[test]
fn the_plan_is_the_report_and_nothing_is_written() {
    let place = Place::with_records(&[9, 9]).committed(&[5]);
    let krewind = place.krewind();
    for yes in [&[][..], &["--yes"], &["--execute"]] {
        let args = [&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--dry-run"], yes].concat();
        let ran = krewind.reset(&args).exits(0);
        // One line: how long commits of a group without members are kept.
        assert!(ran.stderr.starts_with("warning: without members, ") && ran.stderr.lines().count() == 1, "{ran}");
        let report = ran.json();
        assert_eq!(report["outcome"], "planned");
        assert_eq!(each(&report, "new_offset"), [2, 2]);
        assert_eq!(each(&report, "outcome"), [&json!(null), &json!(null)]);
        assert_eq!(report["groups"][0]["would_refuse"], json!(null));
        assert_eq!(place.stands(), [Some(5), None]);
    }
    assert_eq!(krewind.journal().len(), 0);
    assert!(!krewind.state_home().join("krewind").exists(), "a dry run needs no journal");
    let table =
        krewind.run(&["reset", &place.group, "--topic", &place.topic, "--to-offset", "2", "--dry-run"]).exits(0);
    assert!(table.stdout.contains("dry run: nothing was written"), "{table}");
    let kafka = kafkas_plan(&place.cluster, &place.group, &["--topic", &place.topic, "--to-offset", "2"]);
    let ours: Vec<_> =
        rows(&krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--dry-run"]).json())
            .iter()
            .map(|row| (place.topic.clone(), row["partition"].as_i64().unwrap(), row["new_offset"].as_i64().unwrap()))
            .collect();
    assert_eq!(
        ours,
        kafka.into_iter().map(|(topic, partition, to)| (topic, i64::from(partition), to)).collect::<Vec<_>>()
    );
}

#[test]
fn an_active_group_is_planned_too_and_the_refusal_is_foretold() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let options = MemberOptions::new().client_id("reader-7");
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    for yes in [&[][..], &["--yes"]] {
        let args = [&[&place.group, "--topic", &place.topic, "--to-earliest", "--dry-run"], yes].concat();
        let report = place.krewind().reset(&args).exits(0).json();
        assert_eq!(report["outcome"], "planned");
        let group = &report["groups"][0];
        assert_eq!((&group["refusal"], &group["would_refuse"]["code"]), (&json!(null), &json!("group-active")));
        assert_eq!(group["would_refuse"]["members"][0]["client_id"], "reader-7");
        assert_eq!(group["preconditions"], json!({"state": "Stable", "members": 1}));
        assert_eq!(each(&report, "new_offset"), [0]);
    }
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-earliest", "--dry-run"];
    let table = place.krewind().run(&args).exits(0);
    assert!(table.stdout.contains("a write would be refused now"), "{table}");
    assert_eq!(place.stands(), [Some(5)]);
    member.leave();
}

#[test]
fn what_a_policy_would_refuse_is_foretold() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let plan = |more: &[&str]| {
        let report = place.krewind().reset(&[&[&place.group, "--topic", &place.topic, "--dry-run"], more].concat());
        report.exits(0).json()["groups"][0]["would_refuse"]["code"].clone()
    };
    assert_eq!(plan(&["--to-offset", "10"]), "out-of-range");
    assert_eq!(plan(&["--to-timestamp", "now", "--no-record", "fail"]), "no-record-at-time");
    assert_eq!(plan(&["--to-timestamp", "now", "--yes"]), "would-skip");
    // Without --yes a person would be asked.
    assert_eq!(plan(&["--to-timestamp", "now"]), json!(null));
    assert_eq!(place.stands(), [Some(5)]);
}

#[test]
fn a_group_to_be_made_is_not_made() {
    let place = Place::with_records(&[9]);
    let args = [&place.group, "--topic", &place.topic, "--to-latest", "--create-group", "--dry-run", "--yes"];
    let report = place.krewind().reset(&args).exits(0).json();
    assert_eq!(each(&report, "new_offset"), [9]);
    assert!(!place.group_exists());
}
