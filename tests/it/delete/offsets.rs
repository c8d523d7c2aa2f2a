//! Commits go, on what was named alone.

use crate::reset::place::{Place, kafka_consumer_groups};
use crate::reset::runner::{each, rows};
use serde_json::json;

#[test]
fn the_named_partition_loses_its_commit_and_the_others_keep_theirs() {
    let place = Place::with_records(&[9, 9, 9]).committed(&[5, 2]);
    let other = Place::with_records(&[4]);
    place.cluster.commit(&place.group, &other.topic, 0, 1, "").unwrap();
    place.cluster.commit(&place.group, &place.topic, 0, 5, "mine").unwrap();
    let krewind = place.krewind();
    let scope = format!("{}:0,2", place.topic);
    let report = krewind.run(&["delete-offsets", &place.group, "--topic", &scope, "--yes", "-o", "json"]).applied();
    assert_eq!((&report["command"], &report["target"]), (&json!("delete-offsets"), &json!({"to": "removed"})));
    assert_eq!(report["warnings"], json!([]));
    assert_eq!(each(&report, "partition"), [0, 2]);
    assert_eq!(each(&report, "action"), ["remove", "keep"]);
    assert_eq!(each(&report, "reason"), [&json!(null), &json!("no commit")]);
    assert_eq!(each(&report, "outcome"), [&json!("applied"), &json!(null)]);
    assert_eq!((&rows(&report)[0]["current_offset"], &rows(&report)[0]["lag_before"]), (&json!(5), &json!(4)));
    assert_eq!(place.stands(), [None, Some(2), None]);
    assert_eq!(place.cluster.committed_offsets(&place.group, &other.topic, &[0]).unwrap(), [Some(1)]);
    // Kafka's own view: one row of the topic has a commit.
    let text = kafka_consumer_groups(&place.cluster, &["--describe", "--offsets", "--group", &place.group]);
    let commits: Vec<[&str; 3]> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.get(1) == Some(&place.topic.as_str()) && words[3] != "-")
        .map(|words| [words[1], words[2], words[3]])
        .collect();
    assert_eq!(commits, [[place.topic.as_str(), "1", "2"]], "{text}");

    let entries = krewind.journal();
    let group = &entries[0].1["groups"][0];
    assert_eq!(group["deleted"], false);
    let kept = group["rows"].as_array().unwrap();
    assert_eq!(kept.len(), 1);
    let fields = ["partition", "previous_offset", "previous_metadata", "new_offset", "outcome", "read_back"];
    let values = [json!(0), json!(5), json!("mine"), json!(null), json!("applied"), json!(null)];
    assert_eq!(fields.map(|field| kept[0][field].clone()), values);
}

#[test]
fn all_commits_of_a_group_on_several_topics() {
    let place = Place::with_records(&[9, 9]).committed(&[5, 2]);
    let other = Place::with_records(&[4]);
    place.cluster.commit(&place.group, &other.topic, 0, 1, "").unwrap();
    let krewind = place.krewind();
    let args = ["delete-offsets", &place.group, "--topic", &place.topic, "--topic", &other.topic];
    let dry = krewind.run(&[&args[..], &["--dry-run"]].concat()).exits(0);
    let dry = dry.tells("these are all commits").tells("Kafka deletes a group");
    for words in ["3 commits to remove, 0 partitions without one", "lag: 14 before", "auto.offset.reset"] {
        assert!(dry.stdout.contains(words), "{words}\n{dry}");
    }
    assert_eq!(place.stands(), [Some(5), Some(2)]);
    let ran = krewind.run(&[&args[..], &["--yes"]].concat()).exits(0);
    assert!(ran.stdout.contains(&format!("removed: 3 commits of `{}` are gone", place.group)), "{ran}");
    assert_eq!(place.stands(), [None, None]);
    assert_eq!(place.cluster.committed_offsets(&place.group, &other.topic, &[0]).unwrap(), [None]);
}

#[test]
fn without_a_commit_there_is_nothing_to_do() {
    let place = Place::with_records(&[9, 9]).committed(&[5]);
    let krewind = place.krewind();
    let scope = format!("{}:1", place.topic);
    let args = ["delete-offsets", &place.group, "--topic", &scope, "--yes"];
    let report = krewind.run(&[&args[..], &["-o", "json"]].concat()).exits(0).json();
    assert_eq!((&report["outcome"], each(&report, "action")), (&json!("nothing-to-do"), vec![&json!("keep")]));
    let ran = krewind.run(&args).exits(0);
    assert!(ran.stdout.contains(&format!("nothing to do: `{}` has no commit there", place.group)), "{ran}");
    assert_eq!(place.stands(), [Some(5), None]);
    assert_eq!(krewind.journal().len(), 0);
}

#[test]
fn a_group_of_several_at_once() {
    let place = Place::with_records(&[9, 9]).committed(&[5, 2]);
    let second = format!("{}-second", place.group);
    place.cluster.commit_all(&second, &[(&place.topic, 0, 1), (&place.topic, 1, 3)]).unwrap();
    let scope = format!("{}:0", place.topic);
    let args = ["delete-offsets", &place.group, "--group", &second, "--topic", &scope, "--yes", "-o", "json"];
    let report = place.krewind().run(&args).applied();
    assert_eq!(report["total"]["moved"], 2);
    assert_eq!(place.stands(), [None, Some(2)]);
    assert_eq!(place.cluster.committed_offsets(&second, &place.topic, &[0, 1]).unwrap(), [None, Some(3)]);
}

#[test]
fn nothing_named_is_never_everything() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    for args in [
        &["delete-offsets", &place.group, "--yes", "-o", "json"][..],
        &["delete-offsets", "--topic", &place.topic, "--yes", "-o", "json"],
        &["delete-offsets", &place.group, "--topic", "", "--yes", "-o", "json"],
        &["delete", "--yes", "-o", "json"],
        &["delete", "", "--yes", "-o", "json"],
    ] {
        krewind.run(args).error(2, "usage");
    }
    let missing = format!("{}:7", place.topic);
    let first = format!("{}:0", place.topic);
    for topic in ["no-such-topic", &missing] {
        let args = ["delete-offsets", &place.group, "--topic", &first, "--topic", topic, "--yes", "-o", "json"];
        krewind.run(&args).error(3, "topic-not-found");
    }
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(krewind.journal().len(), 0);
}
