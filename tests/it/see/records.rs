//! `peek`: the records around each commit.

use crate::support::{fresh, krewind, topic};
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::Value;

fn offsets(rows: &Value) -> Vec<i64> {
    rows.as_array().unwrap().iter().map(|row| row["offset"].as_i64().unwrap()).collect()
}

#[test]
fn the_records_before_and_after_each_commit_and_nothing_moves() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10, 3, 0]), fresh("g"));
    cluster.commit_all(&group, &[(&orders, 0, 5), (&orders, 1, 3), (&orders, 2, 0)]).unwrap();
    let args = ["peek", &group, "--before", "2", "--after", "3", "-o", "json"];
    let report = krewind(cluster).args(args).run().succeeds().json();
    let rows = report["partitions"].as_array().unwrap();
    assert_eq!(offsets(&rows[0]["before"]), [3, 4]);
    assert_eq!(offsets(&rows[0]["after"]), [5, 6, 7]);
    // The test's producer writes its numbers as values.
    assert_eq!(rows[0]["after"][0]["value"], "5");
    assert_eq!(offsets(&rows[1]["before"]), [1, 2]);
    assert_eq!(offsets(&rows[1]["after"]), [0i64; 0]);
    assert_eq!((offsets(&rows[2]["before"]).len(), offsets(&rows[2]["after"]).len()), (0, 0));
    assert_eq!(cluster.committed_offsets(&group, &orders, &[0, 1, 2]).unwrap(), [Some(5), Some(3), Some(0)]);
    assert!(!cluster.group_names().unwrap().iter().any(|name| name.starts_with("krewind-replay")));
}

#[test]
fn control_characters_never_reach_the_terminal_raw() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[0]), fresh("g"));
    let value = "a\u{1b}[2Jb\nc";
    cluster.produce(&[Record::to(&orders).partition(0).key("k").value(value)]).unwrap();
    cluster.commit_all(&group, &[(&orders, 0, 0)]).unwrap();
    let table = krewind(cluster).args(["peek", &group]).run().succeeds();
    assert!(!table.stdout.contains('\u{1b}') && table.stdout.contains("a\\u{1b}[2Jb\\nc"), "{table}");
    let report = krewind(cluster).args(["peek", &group, "-o", "json"]).run().succeeds().json();
    assert_eq!(report["partitions"][0]["after"][0]["value"], value);
}

#[test]
fn a_partition_without_a_commit_says_so() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[2, 2]), fresh("g"));
    cluster.commit_all(&group, &[(&orders, 0, 1)]).unwrap();
    let report = krewind(cluster).args(["peek", &group, "-o", "json"]).run().succeeds().json();
    assert_eq!(report["partitions"][1]["reason"], "no-commit");
    assert!(report["partitions"][1]["current_offset"].is_null());
}
