//! A group goes, with all of its commits, and nothing else does.

use crate::reset::place::{Place, kafka_consumer_groups, unique};
use crate::reset::runner::{DEADLINE, Ran, each};
use local_kafka::client::{LiveMember, MemberOptions};
use local_kafka::{Check, wait_for};
use serde_json::{Value, json};

/// The groups that Kafka's own tool lists.
fn listed(place: &Place) -> Vec<String> {
    kafka_consumer_groups(&place.cluster, &["--list"]).lines().map(str::to_owned).collect()
}

#[test]
fn a_group_goes_with_each_of_its_commits() {
    let place = Place::with_records(&[9, 9, 9]).committed(&[5, 2]);
    place.cluster.commit(&place.group, &place.topic, 0, 5, "from é").unwrap();
    let second = Place::with_records(&[4]);
    place.cluster.commit(&place.group, &second.topic, 0, 1, "").unwrap();
    // Another group on the same topic.
    let other = unique("group");
    place.cluster.commit(&other, &place.topic, 0, 3, "").unwrap();
    let krewind = place.krewind();
    let ran = krewind.run(&["delete", &place.group, "--yes", "-o", "json"]);
    let report = ran.tells("what `undo` brings back").applied();
    assert_eq!((&report["command"], &report["target"]), (&json!("delete"), &json!({"to": "removed"})));
    assert_eq!(report["warnings"][0]["code"], "simple-group");
    let mut expected =
        vec![(place.topic.clone(), 0, 5, 4), (place.topic.clone(), 1, 2, 7), (second.topic.clone(), 0, 1, 3)];
    expected.sort();
    let shown: Vec<(String, i64, i64, i64)> = report["groups"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let number = |field: &str| row[field].as_i64().unwrap();
            let topic = row["topic"].as_str().unwrap().to_owned();
            (topic, number("partition"), number("current_offset"), number("lag_before"))
        })
        .collect();
    assert_eq!(shown, expected);
    for (field, value) in [
        ("action", json!("remove")),
        ("new_offset", json!(null)),
        ("lag_after", json!(null)),
        ("read_back", json!(null)),
        ("outcome", json!("applied")),
    ] {
        assert_eq!(each(&report, field), [&value; 3], "{field}");
    }

    assert!(!listed(&place).contains(&place.group));
    assert_eq!(place.stands(), [None, None, None]);
    assert_eq!(place.cluster.committed_offsets(&other, &place.topic, &[0]).unwrap(), [Some(3)]);

    let entries = krewind.journal();
    let [(path, entry)] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!(report["groups"][0]["undo"]["journal"], path.to_str().unwrap());
    let group = &entry["groups"][0];
    assert_eq!((&entry["state"], &group["outcome"]), (&json!("ended"), &json!("applied")));
    assert_eq!((&group["group"], &group["deleted"]), (&json!(place.group), &json!(true)));
    let kept = group["rows"].as_array().unwrap();
    assert_eq!(kept.len(), 3);
    let row = kept.iter().find(|row| row["topic"] == *place.topic && row["partition"] == 0).unwrap();
    let fields = ["previous_offset", "previous_metadata", "new_offset", "new_metadata", "outcome", "read_back"];
    let values = [json!(5), json!("from é"), json!(null), json!(null), json!("applied"), json!(null)];
    assert_eq!(fields.map(|field| row[field].clone()), values);
}

/// A group that a member made and left, without a commit.
fn without_commits(options: &MemberOptions) -> Place {
    let place = Place::with_records(&[3]);
    LiveMember::join(&place.cluster, &place.group, &[&place.topic], options).unwrap().leave();
    assert_eq!(place.stands(), [None]);
    place
}

#[test]
fn a_group_without_commits_goes_too() {
    for options in [MemberOptions::new(), MemberOptions::new().consumer_protocol()] {
        let place = without_commits(&options);
        let krewind = place.krewind();
        assert!(place.group_exists());
        let dry: Ran = wait_for("the member to be gone", DEADLINE, || {
            let ran = krewind.run(&["delete", &place.group, "--dry-run", "-o", "json"]);
            let empty = ran.json()["groups"][0]["preconditions"]["state"] == "Empty";
            Ok(if empty { Check::Done(ran) } else { Check::NotYet(ran.to_string()) })
        })
        .unwrap();
        assert_eq!(dry.json()["outcome"], "planned", "{dry}");
        assert!(place.group_exists());
        let ran = krewind.run(&["delete", &place.group, "--yes"]).exits(0);
        let ran = ran.tells(&format!("`undo` can't bring group `{}` back", place.group));
        assert!(ran.stdout.contains(&format!("deleted: group `{}` is gone\n", place.group)), "{ran}");
        assert!(!place.group_exists());
        let entries = krewind.journal();
        let group = &entries[0].1["groups"][0];
        let expected = json!({"group": place.group, "outcome": "applied", "deleted": true, "rows": []});
        assert_eq!(*group, expected);
    }
}

#[test]
fn several_groups_named_or_matched() {
    let place = Place::with_records(&[9]);
    let name = |what: &str| format!("{}-{what}", place.group);
    let names = ["a", "b", "c", "other"].map(name);
    for name in &names {
        place.cluster.commit(name, &place.topic, 0, 4, "").unwrap();
    }
    let krewind = place.krewind();
    let outcomes = |report: &Value| -> Vec<Value> {
        report["groups"].as_array().unwrap().iter().map(|group| group["outcome"].clone()).collect()
    };
    let args = ["delete", "--group", &names[0], "--group", &names[1], "--yes", "-o", "json"];
    assert_eq!(outcomes(&krewind.run(&args).applied()), ["applied", "applied"]);
    let glob = format!("{}-[a-z]", place.group);
    let ran = krewind.run(&["delete", "--matching", &glob, "--yes"]).exits(0);
    assert!(ran.stdout.contains(&format!("deleted: group `{}` is gone, and its 1 commit with it", names[2])), "{ran}");
    // Nothing is left that matches: nothing is never everything.
    krewind.run(&["delete", "--matching", &glob, "--yes", "-o", "json"]).error(2, "usage");
    let listed = listed(&place);
    let left: Vec<&String> = names.iter().filter(|name| listed.contains(name)).collect();
    assert_eq!(left, [&names[3]]);
    assert_eq!(place.cluster.committed_offsets(&names[3], &place.topic, &[0]).unwrap(), [Some(4)]);
}

#[test]
fn a_dry_run_tells_what_would_be_lost_and_deletes_nothing() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    let ran = krewind.run(&["delete", &place.group, "--dry-run", "--yes"]).exits(0);
    let row = ran.stdout.lines().find(|line| line.starts_with(&place.topic)).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[1..], ["0", "5", "-", "4", "0", "9", "remove", "-"], "{ran}");
    for words in ["with 1 commit\n", "lag: 4 before", "auto.offset.reset", "dry run: nothing was written"] {
        assert!(ran.stdout.contains(words), "{words}\n{ran}");
    }
    // Kafka's form has the offset at which each partition stands: none does.
    assert_eq!(krewind.run(&["delete", &place.group, "--dry-run", "-o", "csv"]).exits(0).stdout.trim(), "");
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(krewind.journal().len(), 0);
    // Without a journal nothing can come back, and that is said.
    krewind.run(&["delete", &place.group, "--yes", "--no-journal"]).tells("`--no-journal`").exits(0);
    assert!(!place.group_exists());
    assert_eq!(krewind.journal().len(), 0);
}
