//! Where each target leads, partition by partition, and what a scope takes in.

use super::place::{Place, kafka_consumer_groups, unique};
use super::runner::{each, rows};
use serde_json::json;

/// Three partitions with 12, 8 and 5 records, read up to 7, 8 and not at all.
fn place() -> Place {
    Place::with_records(&[12, 8, 5]).committed(&[7, 8])
}

#[test]
fn earliest_is_the_log_start_of_each_partition() {
    let place = place();
    place.cluster.delete_records(&place.topic, 0, 4).unwrap();
    let report = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(4), Some(0), Some(0)]);
    assert_eq!(report["target"], json!({"to": "earliest"}));
    assert_eq!(each(&report, "current_offset"), [&json!(7), &json!(8), &json!(null)]);
    assert_eq!(each(&report, "new_offset"), [4, 0, 0]);
    assert_eq!(each(&report, "read_back"), [4, 0, 0]);
    assert_eq!(each(&report, "log_start_offset"), [4, 0, 0]);
    assert_eq!(each(&report, "log_end_offset"), [12, 8, 5]);
    assert_eq!(each(&report, "rereads"), [&json!(3), &json!(8), &json!(null)]);
    assert_eq!(each(&report, "skips"), [&json!(0), &json!(0), &json!(null)]);
    assert_eq!(each(&report, "lag_before"), [&json!(5), &json!(0), &json!(null)]);
    assert_eq!(each(&report, "lag_after"), [8, 8, 5]);
    let total = json!({"moved": 3, "kept": 0, "skipped": 0, "failed": 0, "rereads": 11, "skips": 0, "unknown": 1});
    assert_eq!((&report["total"], &report["groups"][0]["total"]), (&total, &total));
}

#[test]
fn latest_is_the_end_and_what_stands_there_already_is_kept() {
    let place = place();
    let report = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-latest", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(12), Some(8), Some(5)]);
    assert_eq!(each(&report, "action"), ["move", "keep", "move"]);
    assert_eq!(each(&report, "outcome"), [&json!("applied"), &json!(null), &json!("applied")]);
    assert_eq!(each(&report, "skips"), [&json!(5), &json!(0), &json!(null)]);
    assert_eq!(each(&report, "lag_after"), [0, 0, 0]);
    let total = json!({"moved": 2, "kept": 1, "skipped": 0, "failed": 0, "rereads": 0, "skips": 5, "unknown": 1});
    assert_eq!(report["total"], total);
}

#[test]
fn latest_behind_an_open_transaction_is_the_high_watermark_and_says_what_that_means() {
    let place = Place::with_records(&[3]).committed(&[1]);
    let open = place.cluster.transactional_producer(&unique("tx"), &[]).unwrap();
    open.begin().unwrap();
    let record = local_kafka::client::Record::to(&place.topic).partition(0).value("open");
    open.produce(&[record.clone(), record]).unwrap();
    let args = [&place.group, "--topic", &place.topic, "--to-latest", "--yes"];
    let report = place.krewind().reset(&args).tells("open transaction from 3 on: the 2 offsets").applied();
    let warning = &report["warnings"][0];
    assert_eq!((&warning["code"], &warning["partition"]), (&json!("open-transaction"), &json!(0)), "{report:#}");
    assert_eq!(
        (each(&report, "log_end_offset"), each(&report, "last_stable_offset")),
        (vec![&json!(5)], vec![&json!(3)])
    );
    assert_eq!(place.stands(), [Some(5)]);
    open.abort().unwrap();
}

#[test]
fn an_offset_is_taken_as_it_is() {
    let place = place();
    let report = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-offset", "3", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(3), Some(3), Some(3)]);
    assert_eq!(report["target"], json!({"to": "offset", "offset": 3}));
    assert_eq!(each(&report, "requested"), [3, 3, 3]);
    // The end itself is an offset that a group may stand at, and zero one that it may start from.
    for offset in ["5", "0"] {
        place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-offset", offset, "--yes"]).applied();
        assert_eq!(place.stands(), [offset.parse().ok(); 3]);
    }
}

#[test]
fn a_group_that_members_made_and_left_moves_and_they_read_from_there() {
    let place = Place::with_records(&[6]);
    let left = place.cluster.read_and_leave(&place.group, &place.topic, 6).unwrap();
    assert_eq!(left[&0], 6);
    let report =
        place.krewind().reset(&["--group", &place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]);
    let report = report.applied();
    assert_eq!(report["groups"][0]["preconditions"], json!({"state": "Empty", "members": 0}));
    assert_eq!(report["groups"][0]["type"], "classic");
    // Kafka's own tool sees the same, and a member gets exactly the four records from there on.
    let described = kafka_consumer_groups(&place.cluster, &["--describe", "--group", &place.group]);
    let line = described.lines().find(|line| line.contains(&place.topic)).unwrap();
    assert_eq!(line.split_whitespace().skip(2).take(4).collect::<Vec<_>>(), ["0", "2", "6", "4"], "{described}");
    assert_eq!(place.cluster.read_and_leave(&place.group, &place.topic, 4).unwrap()[&0], 6);
}

#[test]
fn only_the_partitions_that_were_named_move() {
    let place = Place::with_records(&[9, 9, 9, 9, 9]).committed(&[5, 5, 5, 5, 5]);
    let krewind = place.krewind();
    let some = format!("{}:0,2", place.topic);
    let report = krewind.reset(&[&place.group, "--topic", &some, "--to-earliest", "--yes"]).applied();
    assert_eq!(each(&report, "partition"), [0, 2]);
    assert_eq!(place.stands(), [Some(0), Some(5), Some(0), Some(5), Some(5)]);
    // Twice the same topic, with ranges that overlap: each partition once.
    let (one, more) = (format!("{}:1-2", place.topic), format!("{}:2-3,1", place.topic));
    let report =
        krewind.reset(&[&place.group, "--topic", &one, "--topic", &more, "--to-offset", "4", "--yes"]).applied();
    assert_eq!(each(&report, "partition"), [1, 2, 3]);
    assert_eq!(place.stands(), [Some(0), Some(4), Some(4), Some(4), Some(5)]);
}

#[test]
fn all_topics_are_those_with_a_commit_and_all_their_partitions() {
    let (place, other) = (Place::with_records(&[4, 4]).committed(&[2, 3]), Place::with_records(&[6, 6]));
    place.cluster.commit(&place.group, &other.topic, 1, 5, "").unwrap();
    let stranger = Place::with_records(&[3]);
    // A partition that came later has no commit yet; Kafka's own tool leaves it out.
    place.cluster.add_partitions(&place.topic, 3).unwrap();
    let report = place.krewind().reset(&[&place.group, "--all-topics", "--to-earliest", "--yes"]).applied();
    let mut expected = vec![
        (place.topic.as_str(), 0, json!(2)),
        (&place.topic, 1, json!(3)),
        (&place.topic, 2, json!(null)),
        (&other.topic, 0, json!(null)),
        (&other.topic, 1, json!(5)),
    ];
    expected.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    let listed: Vec<_> = rows(&report)
        .iter()
        .map(|row| (row["topic"].as_str().unwrap(), row["partition"].as_i64().unwrap(), row["current_offset"].clone()))
        .collect();
    assert_eq!(listed, expected);
    let committed =
        |topic: &str, partitions: &[i32]| place.cluster.committed_offsets(&place.group, topic, partitions).unwrap();
    assert_eq!(committed(&place.topic, &[0, 1, 2]), [Some(0); 3]);
    assert_eq!(committed(&other.topic, &[0, 1]), [Some(0); 2]);
    assert_eq!(committed(&stranger.topic, &[0]), [None]);
}

#[test]
fn several_topics_go_in_one_write() {
    let (one, two) = (Place::with_records(&[4, 4]).committed(&[2, 2]), Place::with_records(&[6]));
    let report = one
        .krewind()
        .reset(&[&one.group, "--topic", &one.topic, "--topic", &two.topic, "--to-latest", "--yes"])
        .applied();
    assert_eq!(report["total"]["moved"], 3);
    assert_eq!(one.stands(), [Some(4), Some(4)]);
    assert_eq!(one.cluster.committed_offsets(&one.group, &two.topic, &[0]).unwrap(), [Some(6)]);
}

#[test]
fn where_every_commit_is_in_place_nothing_is_written() {
    let place = Place::with_records(&[4, 4]).committed(&[4, 4]);
    let krewind = place.krewind();
    // Nobody has to be asked.
    let ran = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-latest"]).exits(0);
    let report = ran.json();
    assert_eq!(report["outcome"], "nothing-to-do", "{ran}");
    assert_eq!(each(&report, "action"), ["keep", "keep"]);
    assert_eq!(report["groups"][0]["undo"], json!(null));
    assert_eq!(krewind.journal().len(), 0);
    let table = krewind.run(&["reset", &place.group, "--topic", &place.topic, "--to-latest", "--yes"]).exits(0);
    assert!(table.stdout.contains("nothing to do"), "{table}");
    assert_eq!(table.stderr, "", "{table}");
}

#[test]
fn all_topics_of_a_group_without_a_commit_are_none_and_that_is_said() {
    let place = Place::with_records(&[4]);
    let member = local_kafka::client::MemberOptions::new();
    local_kafka::client::LiveMember::join(&place.cluster, &place.group, &[&place.topic], &member).unwrap().leave();
    local_kafka::wait_for("the group to be empty", super::runner::DEADLINE, || {
        let state = kafka_consumer_groups(&place.cluster, &["--describe", "--state", "--group", &place.group]);
        Ok(if state.contains("Empty") { local_kafka::Check::Done(()) } else { local_kafka::Check::NotYet(state) })
    })
    .unwrap();
    let ran = place.krewind().reset(&[&place.group, "--all-topics", "--to-earliest", "--yes"]).exits(0);
    let ran = ran.tells("has no commits, so `--all-topics` names nothing");
    assert_eq!(ran.json()["outcome"], "nothing-to-do");
    assert_eq!(place.stands(), [None]);
}

#[test]
fn kafkas_names_of_the_flags_work() {
    let place = Place::with_records(&[4]).committed(&[2]);
    let krewind = place.krewind();
    krewind.reset(&["--group", &place.group, "--topic", &place.topic, "--to-earliest", "--execute"]).applied();
    assert_eq!(place.stands(), [Some(0)]);
    // As Kafka's tool wants it: milliseconds, no zone, read as UTC. The records are of now, so all of them are later.
    place.commit(&[3]);
    let time = "2020-01-01T00:00:00.000";
    let report = krewind
        .reset(&["--group", &place.group, "--topic", &place.topic, "--to-datetime", time, "--execute"])
        .applied();
    let moment =
        json!({"to": "timestamp", "timestamp_ms": 1_577_836_800_000_i64, "timestamp": "2020-01-01T00:00:00.000Z"});
    assert_eq!(report["target"], moment);
    assert_eq!(place.stands(), [Some(0)]);
}

#[test]
fn a_scope_and_one_target_are_required() {
    let place = Place::with_records(&[4]).committed(&[2]);
    let (group, topic) = (place.group.as_str(), place.topic.as_str());
    for args in [
        vec![group, "--to-earliest", "--yes"],
        vec![group, "--topic", topic, "--yes"],
        vec![group, "--topic", topic, "--all-topics", "--to-earliest", "--yes"],
        vec![group, "--topic", topic, "--to-earliest", "--to-latest", "--yes"],
        vec![group, "--topic", topic, "--to-earliest", "--from-file", "none.csv", "--yes"],
        vec![group, "--topic", topic, "--shift-by", "1", "--to-current", "--yes"],
        vec![group, "--topic", topic, "--to-group", group, "--yes"],
        vec![group, "--topic", topic, "--to-offset", "-1", "--yes"],
        vec!["", "--topic", topic, "--to-earliest", "--yes"],
        vec!["--topic", topic, "--to-earliest", "--yes"],
        vec![group, "--topic", &format!("{topic}:"), "--to-earliest", "--yes"],
    ] {
        let error = place.krewind().reset(&args).exits(2).json();
        assert_eq!((&error["kind"], &error["code"]), (&json!("error"), &json!("usage")), "{args:?}");
    }
    assert_eq!(place.stands(), [Some(2)]);
    let names = unique("topic");
    assert!(!place.cluster.group_names().unwrap().contains(&names));
}
