//! Targets that start from where commits stand: a shift, the current offset, another group, and spans back from now.

use super::place::{Place, ago, unique};
use super::runner::each;
use serde_json::json;

#[test]
fn a_shift_counts_from_each_commit() {
    let place = Place::with_records(&[9, 9, 9]).committed(&[5, 2, 9]);
    let krewind = place.krewind();
    let topic = place.topic.as_str();
    let report = krewind.reset(&[&place.group, "--topic", topic, "--shift-by", "-2", "--yes"]).applied();
    assert_eq!(report["target"], json!({"to": "shift-by", "by": -2}));
    assert_eq!(each(&report, "rereads"), [&json!(2), &json!(2), &json!(2)]);
    assert_eq!(place.stands(), [Some(3), Some(0), Some(7)]);

    // 0 - 1 lies before the log start; 9 + … past the end: refused as a whole, or clamped.
    krewind.reset(&[&place.group, "--topic", topic, "--shift-by", "-1", "--yes"]).refused("out-of-range");
    assert_eq!(place.stands(), [Some(3), Some(0), Some(7)]);
    let clamp = [&place.group, "--topic", topic, "--shift-by", "+3", "--out-of-range", "clamp", "--yes"];
    krewind.reset(&clamp).applied();
    assert_eq!(place.stands(), [Some(6), Some(3), Some(9)]);
}

#[test]
fn without_a_commit_the_policy_decides_and_never_silently_the_end() {
    let run = |target: &[&str], policy: &[&str]| {
        let place = Place::with_records(&[9, 9]).committed(&[5]);
        let args = [&["--topic", place.topic.as_str()], target, policy, &["--yes"]].concat();
        let ran = place.krewind().reset(&[&[place.group.as_str()], &args[..]].concat());
        (ran, place)
    };
    for target in [&["--shift-by", "-1"][..], &["--to-current"]] {
        let first = if target.len() == 2 { 4 } else { 5 };
        for (policy, second) in [
            (&[][..], None),
            (&["--no-commit", "skip"], None),
            (&["--no-commit", "use-earliest"], Some(0)),
            (&["--no-commit", "use-latest"], Some(9)),
        ] {
            let (ran, place) = run(target, policy);
            let report = ran.exits(0).json();
            assert_eq!(place.stands(), [Some(first), second], "{target:?} {policy:?}");
            let reason = report["groups"][0]["rows"][1]["reason"].as_str().unwrap().to_owned();
            assert!(reason.contains("no commit to start from"), "{reason}");
        }
        let (ran, place) = run(target, &["--no-commit", "fail"]);
        ran.refused("no-commit");
        assert_eq!(place.stands(), [Some(5), None]);
    }
}

#[test]
fn to_where_another_group_stands_with_its_metadata() {
    let place = Place::with_records(&[9, 9, 9]).committed(&[5, 2, 1]);
    let other = unique("group");
    place.cluster.commit(&other, &place.topic, 0, 7, "theirs é").unwrap();
    place.cluster.commit(&other, &place.topic, 1, 2, "").unwrap();
    let krewind = place.krewind();
    let report = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-group", &other, "--yes"]).applied();
    assert_eq!(report["target"], json!({"to": "group", "group": other}));
    assert_eq!(each(&report, "action"), [&json!("move"), &json!("keep"), &json!("skip")]);
    let reason = report["groups"][0]["rows"][2]["reason"].as_str().unwrap();
    assert!(reason.contains("has no commit here"), "{reason}");
    assert_eq!(place.stands(), [Some(7), Some(2), Some(1)]);
    let copied = place.cluster.committed(&place.group, &place.topic, &[0]).unwrap().remove(0).unwrap();
    assert_eq!(copied.metadata, "theirs é");
    // The other group stands where it stood.
    assert_eq!(place.cluster.committed_offsets(&other, &place.topic, &[0, 1, 2]).unwrap(), [Some(7), Some(2), None]);

    // With --all-topics: all that the other group has a commit on, also for a group that is new.
    let new = unique("group");
    krewind.reset(&[&new, "--all-topics", "--to-group", &other, "--yes"]).error(3, "group-not-found");
    krewind.reset(&[&new, "--all-topics", "--to-group", &other, "--create-group", "--yes"]).applied();
    assert_eq!(place.cluster.committed_offsets(&new, &place.topic, &[0, 1, 2]).unwrap(), [Some(7), Some(2), None]);
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-group", &unique("group"), "--yes"]).exits(1);
}

#[test]
fn a_span_back_from_now() {
    // Records of 3 hours, 1 hour and 10 seconds ago.
    let place = Place::dated(&[&[3 * 3600, 3600, 10].map(ago)]).committed(&[3]);
    let krewind = place.krewind();
    for (span, offset) in [("2h", 1), ("PT2H", 1), ("1d", 0), ("30m", 2)] {
        krewind.reset(&[&place.group, "--topic", &place.topic, "--by-duration", span, "--yes"]).applied();
        assert_eq!(place.stands(), [Some(offset)], "{span}");
        place.commit(&[3]);
    }
    for nonsense in ["2", "2026-12-01", "-2h", "P1M", "soon"] {
        let flag = format!("--by-duration={nonsense}");
        krewind.reset(&[&place.group, "--topic", &place.topic, &flag, "--yes"]).exits(2);
    }
    assert_eq!(place.stands(), [Some(3)]);
}
