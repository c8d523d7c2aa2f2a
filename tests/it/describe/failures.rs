//! Rows that can't be read never hide those that can.

use super::{expect_rows, only, rows};
use crate::support::{fresh, krewind, topic, until};
use local_kafka::client::{LiveMember, MemberOptions};
use local_kafka::{Kafka, shared};
use serde_json::{Value, json};

#[test]
fn a_partition_without_a_leader_is_one_row_of_many() {
    let kafka = Kafka::builder().nodes(3).setting("broker.session.timeout.ms", "3000").start().unwrap();
    let cluster = kafka.client();
    // One replica each: partitions of a node that is gone have no leader.
    let (topic, group) = (topic(&cluster, "orders", &[5; 6]), fresh("inventory"));
    let commits: Vec<(&str, i32, i64)> = (0..6).map(|partition| (topic.as_str(), partition, 2)).collect();
    cluster.commit_all(&group, &commits).unwrap();
    let fields = ["current_offset", "log_end_offset", "lag", "status"];
    let run = krewind(&cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    assert_eq!(rows(&only(&run), &fields), vec![vec![json!(2), json!(5), json!(3), json!("ok")]; 6]);

    let coordinator = only(&run)["coordinator"]["id"].as_i64().unwrap();
    let victim = (1..=3).find(|id| i64::from(*id) != coordinator).unwrap();

    kafka.node(victim).pause().unwrap();
    // It keeps silent. It leads two of the partitions, and may be the one that librdkafka takes for the controller.
    let run = krewind(&cluster).args(["describe", &group, "-o", "json", "--timeout", "2s"]).run().exits(1);
    let found = rows(&only(&run), &fields);
    let fine = vec![json!(2), json!(5), json!(3), json!("ok")];
    let (good, bad): (Vec<_>, Vec<_>) = found.into_iter().partition(|row| *row == fine);
    assert_eq!((good.len(), bad.len()), (4, 2), "{run}");
    for row in bad {
        assert_eq!(row[..3], [json!(2), Value::Null, Value::Null], "{run}");
    }

    kafka.node(victim).kill().unwrap();
    let leaderless = vec![json!(2), Value::Null, Value::Null, json!("no-leader")];
    let mut last = None;
    until("the controller to take the dead node's leaders away", || {
        let run = krewind(&cluster).args(["describe", &group, "-o", "json", "--timeout", "10s"]).run();
        let shown = run.code == Some(1) && run.json()["kind"] == "describe";
        let done = shown && rows(&only(&run), &fields).contains(&leaderless);
        last = Some(run);
        done
    });
    let run = last.unwrap();
    let found = rows(&only(&run), &fields);
    let count = |row: &Vec<Value>| found.iter().filter(|found| *found == row).count();
    assert_eq!((count(&leaderless), count(&fine)), (2, 4), "{run}");
    let report = only(&run);
    assert_eq!((&report["total"]["lag"], &report["total"]["unknown"]), (&json!(12), &json!(2)), "{run}");
}

#[test]
fn a_topic_that_a_member_reads_is_deleted() {
    let cluster = shared();
    let (kept, gone, group) = (topic(cluster, "kept", &[5]), topic(cluster, "gone", &[5]), fresh("inventory"));
    // A member that learns of the deletion late, and so holds on to its assignment.
    let late =
        MemberOptions::new().set("topic.metadata.refresh.interval.ms", "600000").set("metadata.max.age.ms", "900000");
    let member = LiveMember::join(cluster, &group, &[&kept, &gone], &late).unwrap();
    cluster.delete_topic(&gone).unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "csv"]).run();
    let mut found: Vec<(String, String, String)> = run
        .csv()
        .into_iter()
        .map(|row| (row["topic"].clone(), row["log_end_offset"].clone(), row["status"].clone()))
        .collect();
    found.sort();
    let mut expected = vec![(kept.clone(), "5".to_owned(), "no-commit".to_owned())];
    // Where it has heard of it already, it has let go of it.
    if run.code == Some(1) {
        expected.push((gone.clone(), String::new(), "topic-missing".to_owned()));
    }
    expected.sort();
    assert_eq!(found, expected, "{run}");
    member.leave();
}

#[test]
fn more_partitions_than_one_request_holds() {
    let kafka = Kafka::start().unwrap();
    let cluster = kafka.client();
    let mut records = vec![0; 1_203];
    records[1_202] = 7;
    records[999] = 1;
    let (topic, group) = (topic(&cluster, "orders", &records), fresh("inventory"));
    cluster.commit_all(&group, &[(&topic, 0, 0), (&topic, 999, 0), (&topic, 1_000, 4), (&topic, 1_202, 3)]).unwrap();
    let run = krewind(&cluster).args(["describe", &group, "-o", "csv"]).run().succeeds();
    let found: Vec<[String; 3]> =
        run.csv().into_iter().map(|row| ["partition", "lag", "status"].map(|field| row[field].clone())).collect();
    let expected: Vec<[String; 3]> = (0..1_203)
        .map(|partition| {
            let (lag, status) = match partition {
                0 => ("0", "ok"),
                999 => ("1", "ok"),
                1_000 => ("0", "ahead-of-log-end"),
                1_202 => ("4", "ok"),
                _ => ("", "no-commit"),
            };
            [partition.to_string(), lag.to_owned(), status.to_owned()]
        })
        .collect();
    assert!(found == expected, "{} rows", found.len());
    let run = krewind(&cluster).args(["describe", &group, "--topic", &format!("{topic}:1202"), "-o", "json"]).run();
    expect_rows!(only(&run.succeeds()), ["current_offset", "log_end_offset", "lag"], [[3, 7, 4]]);
}
