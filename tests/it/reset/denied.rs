//! Logins that may do a part of what is asked: that part is done, and each row says which it is.

use super::runner::rows;
use super::secured::{alice, allow, place};
use local_kafka::Resource;
use serde_json::json;

/// That the rows of this topic failed for want of READ, and the others were written.
#[track_caller]
fn denied_alone(report: &serde_json::Value, denied: &str) {
    assert_eq!(report["outcome"], "partial", "{report:#}");
    for row in rows(report) {
        let said = row["error"].as_str().unwrap_or_default();
        if row["topic"] == denied {
            assert_eq!(row["outcome"], "failed", "{row}");
            assert!(said.contains("TOPIC_AUTHORIZATION_FAILED"), "{row}");
        } else {
            assert_eq!((&row["outcome"], said), (&json!("applied"), ""), "{row}");
        }
    }
}

#[test]
fn commits_are_removed_and_brought_back_where_the_topic_may_be_read() {
    let (one, two) = (place(&[9]).committed(&[5]), place(&[9]));
    one.cluster.commit(&one.group, &two.topic, 0, 3, "").unwrap();
    for operation in ["Delete", "Read"] {
        allow("alice", operation, Resource::Group(&one.group));
    }
    allow("alice", "Read", Resource::Topic(&one.topic));
    allow("alice", "Describe", Resource::Topic(&two.topic));
    let of_two = || one.cluster.committed_offsets(&one.group, &two.topic, &[0]).unwrap();
    let krewind = alice();
    let scope = ["--group", &one.group, "--topic", &one.topic, "--topic", &two.topic, "--yes", "-o", "json"];
    let report = krewind.run(&[&["delete-offsets"], &scope[..]].concat()).exits(1).json();
    denied_alone(&report, &two.topic);
    assert_eq!((one.stands(), of_two()), (vec![None], vec![Some(3)]));
    // What was not removed has not to be brought back.
    krewind.run(&["undo", &one.group, "--yes", "-o", "json"]).applied();
    assert_eq!((one.stands(), of_two()), (vec![Some(5)], vec![Some(3)]));

    // A write of somebody who may do all, taken back by somebody who may not.
    let other = one.krewind();
    other.run(&[&["reset", "--to-latest"], &scope[..]].concat()).applied();
    let journal = other.journal().remove(0).0;
    let undo = ["undo", "--journal", journal.to_str().unwrap(), "--yes", "-o", "json"];
    let report = krewind.run(&undo).exits(1).json();
    denied_alone(&report, &two.topic);
    assert_eq!((one.stands(), of_two()), (vec![Some(5)], vec![Some(9)]));
    // The rest of it is still to be had.
    other.run(&["undo", &one.group, "--yes", "-o", "json"]).applied();
    assert_eq!((one.stands(), of_two()), (vec![Some(5)], vec![Some(3)]));
}

#[test]
fn of_two_groups_one_may_not_be_written_and_each_is_told() {
    let one = place(&[9]).committed(&[5]);
    // After it by name.
    let second = format!("{}-second", one.group);
    one.cluster.commit(&second, &one.topic, 0, 6, "").unwrap();
    let of_second = || one.cluster.committed_offsets(&second, &one.topic, &[0]).unwrap();
    allow("alice", "Read", Resource::Topic(&one.topic));
    allow("alice", "Describe", Resource::Group(&one.group));
    allow("alice", "Read", Resource::Group(&second));
    let krewind = alice();
    let args = ["--group", &one.group, "--group", &second, "--topic", &one.topic, "--to-earliest", "--yes"];
    let report = krewind.reset(&args).exits(1).json();
    let outcomes = |report: &serde_json::Value| [0, 1].map(|group| report["groups"][group]["outcome"].clone());
    assert_eq!(outcomes(&report), [json!("failed"), json!("not-begun")], "{report:#}");
    assert_eq!((one.stands(), of_second()), (vec![Some(5)], vec![Some(6)]));
    let report = krewind.reset(&[&args[..], &["--keep-going"]].concat()).exits(1).json();
    assert_eq!(outcomes(&report), [json!("failed"), json!("applied")], "{report:#}");
    assert_eq!((one.stands(), of_second()), (vec![Some(5)], vec![Some(0)]));
}
