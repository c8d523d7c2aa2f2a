//! Windows that start at a group's commits, or so many offsets before the end.

use super::resolved::{base, dated, window};
use super::support::*;
use local_kafka::shared;
use serde_json::Value;

fn commit(group: &str, offsets: &[(&str, i32, i64)]) {
    shared().commit_all(group, offsets).unwrap();
}

/// Topic, partition and offset of each record, in order.
fn read(ran: &Ran) -> Vec<(String, i64, i64)> {
    let mut read: Vec<(String, i64, i64)> = ran
        .records()
        .iter()
        .map(|record| {
            let number = |field: &str| record[field].as_i64().unwrap();
            (record["topic"].as_str().unwrap().to_owned(), number("partition"), number("offset"))
        })
        .collect();
    read.sort();
    read
}

#[test]
fn a_groups_commits_are_the_start_on_each_topic_that_it_has_commits_on() {
    let (one, two, other, group) = (unique("a"), unique("b"), unique("other"), unique("group"));
    for topic in [&one, &two, &other] {
        dated(topic, base(), &[&[0, 1, 2, 3], &[0, 1]], &[]);
    }
    commit(&group, &[(&one, 0, 1), (&one, 1, 2), (&two, 0, 4), (&two, 1, 0)]);
    let ran = replay(&["--from-group", &group]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected: Vec<(String, i64, i64)> = [(&one, 0, 1), (&one, 0, 2), (&one, 0, 3), (&two, 1, 0), (&two, 1, 1)]
        .map(|(topic, partition, offset)| (topic.clone(), partition, offset))
        .to_vec();
    assert_eq!(read(&ran), expected);
    // One topic of them, up to an offset.
    let ran = replay(&[&one, "--from-group", &group, "--end-offset", "2"]);
    assert_eq!((ran.code, read(&ran)), (0, vec![(one.clone(), 0, 1)]), "{}", ran.stderr);
    // The report tells whose commits, and why nothing was read where they stand at the end.
    let report = window(&["--from-group", &group, "-o", "json"]).exits(0).json();
    assert_eq!(report["window"]["from"]["group"], group);
    assert!(report["partitions"][1]["reason"].as_str().unwrap().contains("has read up to the end 2"), "{report:#}");
    // The group is as it was.
    assert_eq!(shared().committed_offsets(&group, &one, &[0, 1]).unwrap(), [Some(1), Some(2)]);
    assert_eq!(shared().committed_offsets(&group, &two, &[0, 1]).unwrap(), [Some(4), Some(0)]);
    no_replay_group(shared());
}

#[test]
fn a_partition_without_a_commit_is_refused_by_name_unless_a_policy_decides() {
    let (topic, group) = (unique("uncommitted"), unique("group"));
    dated(&topic, base(), &[&[0, 1, 2], &[0, 1], &[0]], &[]);
    commit(&group, &[(&topic, 0, 2)]);
    let scratch = Scratch::new();
    let out = scratch.text("out.jsonl");
    for topics in [&[][..], &[topic.as_str()]] {
        let ran = replay(&[topics, &["--from-group", &group, "--into", &out, "-o", "json"]].concat());
        assert_eq!((ran.code, &ran.json()["code"]), (3, &"no-commit".into()), "{}", ran.stderr);
        let message = ran.json()["message"].as_str().unwrap().to_owned();
        for name in [format!("`{topic}-1`"), format!("`{topic}-2`")] {
            assert!(message.contains(&name), "{message}");
        }
        assert!(!message.contains(&format!("`{topic}-0`")) && ran.stderr.contains("--no-commit"), "{}", ran.stderr);
    }
    assert!(scratch.names().is_empty());
    for (policy, expected) in
        [("skip", vec![(0, 2)]), ("use-earliest", vec![(0, 2), (1, 0), (1, 1), (2, 0)]), ("use-latest", vec![(0, 2)])]
    {
        let (report, path) = scratch.report();
        let ran = replay(&["--from-group", &group, "--no-commit", policy, "--report", &report]);
        assert_eq!((ran.code, places(&ran.records())), (0, expected), "{policy}: {}", ran.stderr);
        // Each partition that was asked for stands in the report, with what was decided.
        let reason = partition(&read_json(&path), 1)["reason"].clone();
        assert!(reason.as_str().unwrap().contains(&format!("no commit of `{group}`")), "{policy}: {reason}");
    }
}

#[test]
fn a_commit_that_retention_passed_is_refused_unless_it_may_be_clamped() {
    let (topic, group) = (unique("passed"), unique("group"));
    dated(&topic, base(), &[&[0, 1, 2, 3, 4]], &[]);
    commit(&group, &[(&topic, 0, 1)]);
    assert_eq!(shared().delete_records(&topic, 0, 3).unwrap(), 3);
    let ran = replay(&["--from-group", &group, "--into", "null", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"out-of-range".into()), "{}", ran.stderr);
    let message = ran.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&topic) && message.contains("2 offsets were deleted"), "{message}");
    let ran = replay(&["--from-group", &group, "--out-of-range", "clamp"]);
    assert_eq!((ran.code, places(&ran.records())), (0, vec![(0, 3), (0, 4)]), "{}", ran.stderr);
    // Past the end, after the topic was made anew or truncated.
    commit(&group, &[(&topic, 0, 9)]);
    let ran = replay(&["--from-group", &group, "--into", "null", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"out-of-range".into()), "{}", ran.stderr);
}

#[test]
fn a_group_without_commits_and_one_that_does_not_exist_are_told_apart() {
    let (topic, group) = (unique("none"), unique("group"));
    dated(&topic, base(), &[&[0, 1]], &[]);
    let ran = replay(&[&topic, "--from-group", &group, "--into", "null", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (1, &"group-not-found".into()), "{}", ran.stderr);
    let other = unique("elsewhere");
    dated(&other, base(), &[&[0, 1]], &[]);
    commit(&group, &[(&other, 0, 1)]);
    let ran = replay(&[&topic, "--from-group", &group, "--into", "null", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"no-commit".into()), "{}", ran.stderr);
}

#[test]
fn a_commit_in_an_open_transaction_does_not_count_and_is_spoken_of() {
    let (topic, group) = (unique("pending"), unique("group"));
    dated(&topic, base(), &[&[0, 1, 2, 3]], &[]);
    commit(&group, &[(&topic, 0, 1)]);
    let pending = shared().pending_commit(&unique("tx"), &group, &[(&topic, 0, 3)]).unwrap();
    let report = window(&["--from-group", &group, "-o", "json"]).exits(0).json();
    assert_eq!(report["partitions"][0]["start_offset"], 1, "{report:#}");
    assert!(report["partitions"][0]["reason"].as_str().unwrap().contains("not decided"), "{report:#}");
    pending.commit().unwrap();
    until("the commit to stand", || {
        let report = window(&["--from-group", &group, "-o", "json"]).exits(0).json();
        report["partitions"][0]["start_offset"] == 3 && report["partitions"][0]["reason"] == Value::Null
    });
}

#[test]
fn the_last_offsets_of_each_partition() {
    let topic = unique("last");
    dated(&topic, base(), &[&[0, 1, 2, 3, 4], &[0], &[]], &[]);
    let last = |more: &[&str]| {
        let ran = replay(&[&[topic.as_str()], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        places(&ran.records())
    };
    assert_eq!(last(&["--last", "2"]), [(0, 3), (0, 4), (1, 0)]);
    assert_eq!(last(&["--last", "5"]), [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0)]);
    let to = (base() + 3600 * 1000).to_string();
    assert_eq!(last(&["--last", "1", "--to", &to]), [(0, 4), (1, 0)]);
    // An end outside one of the logs is refused as elsewhere.
    let ran = replay(&[&topic, "--last", "2", "--end-offset", "3", "--into", "null", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"out-of-range".into()), "{}", ran.stderr);
    assert_eq!(last(&["--last", "2", "--end-offset", "3", "--out-of-range", "clamp"]), [(0, 1), (0, 2), (1, 0)]);
    // Offsets and not records: the help says so.
    let help = window(&["--help"]).exits(0).stdout;
    assert!(help.contains("records may be fewer"), "{help}");
}

#[test]
fn starts_that_contradict_each_other_are_usage_errors() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path("w.csv"), "t,0,0,1\n").unwrap();
    let file = scratch.text("w.csv");
    let cases: [&[&str]; 16] = [
        &["t", "--last", "0"],
        &["t", "--last", "2", "--from", "2h"],
        &["t", "--last", "2", "--start-offset", "1"],
        &["t", "--last", "2", "--from-group", "g"],
        &["t", "--from-group", "g", "--from", "2h"],
        &["t", "--from-group", "g", "--start-offset", "1"],
        &["--window-file", &file, "--from", "2h"],
        &["--window-file", &file, "--to", "2h"],
        &["--window-file", &file, "--end-offset", "2"],
        &["--window-file", &file, "--last", "2"],
        &["--window-file", &file, "--from-group", "g"],
        &["t", "--from", "2h", "--no-commit", "skip"],
        &["t", "--from", "2h", "--padding", "1h"],
        &["t", "--start-offset", "2", "--window", "timestamps"],
        &["--from-group", "g", "--window", "timestamps"],
        &["t", "--from", "earliest", "--window", "timestamps"],
    ];
    for args in cases {
        for command in [replay(args), replay(&[args, &["--into", "null"]].concat())] {
            assert_eq!((command.code, command.stdout.len()), (2, 0), "{args:?}: {}", command.stderr);
            assert!(command.stderr.contains("error:"), "{args:?}: {}", command.stderr);
        }
        window(args).exits(2);
    }
}
