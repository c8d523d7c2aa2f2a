//! Exit codes that a script asks for, and the age of what is unread.

use crate::support::{fresh, krewind, topic};
use local_kafka::client::Record;
use local_kafka::shared;
use std::time::{SystemTime, UNIX_EPOCH};

fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

#[test]
fn a_lag_over_the_limit_is_4_and_one_that_is_not_known_is_never_0() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10, 10]), fresh("g"));
    cluster.commit_all(&group, &[(&orders, 0, 7), (&orders, 1, 8)]).unwrap();
    let run = |limit: &str| krewind(cluster).args(["describe", &group, "--fail-if-lag-over", limit]).run();
    // 3 + 2.
    run("5").exits(0);
    run("4").exits(4);
    cluster.add_partitions(&orders, 3).unwrap();
    // An empty log has nothing unread, commit or not.
    run("5").exits(0);
    cluster.produce_numbers(&orders, 2, 1).unwrap();
    run("5").fails(1, ["not known", "may be over 5"]);
    run("4").exits(4);
}

#[test]
fn the_age_of_the_oldest_unread_record_is_the_records_own() {
    let cluster = shared();
    let (orders, group) = (fresh("orders"), fresh("g"));
    cluster.create_topic(&orders, 4, &[("retention.ms", "-1")]).unwrap();
    let hour = 3_600_000;
    let began = now_ms();
    let record = |partition: i32, ago: i64| Record::to(&orders).partition(partition).value("v").timestamp(began - ago);
    cluster
        .produce(&[
            record(0, 5 * hour),
            record(0, 3 * hour),
            record(0, hour),
            record(1, 4 * hour),
            // Out of order: the next one counts, not the smallest.
            record(2, hour),
            record(2, 9 * hour),
        ])
        .unwrap();
    cluster.commit_all(&group, &[(&orders, 0, 1), (&orders, 1, 1), (&orders, 2, 0), (&orders, 3, 0)]).unwrap();
    let report = krewind(cluster).args(["describe", &group, "--time-lag", "-o", "json"]).run().exits(0).json();
    let ended = now_ms();
    let rows = report["groups"][0]["partitions"].as_array().unwrap();
    let ages: Vec<Option<i64>> = rows.iter().map(|row| row["time_lag_ms"].as_i64()).collect();
    let within = |age: Option<i64>, ago: i64| (ago..=ago + (ended - began)).contains(&age.unwrap());
    assert!(within(ages[0], 3 * hour), "{ages:?}");
    // Nothing is unread.
    assert_eq!((ages[1], ages[3]), (None, None));
    assert!(within(ages[2], hour), "{ages:?}");
    assert!(within(report["groups"][0]["total"]["max_time_lag_ms"].as_i64(), 3 * hour), "{report}");
    let run = |limit: &str| krewind(cluster).args(["describe", &group, "--fail-if-time-lag-over", limit]).run();
    run("4h").exits(0);
    run("2h").exits(4);
    // Reading the records left no group behind, and moved nothing.
    assert!(!cluster.group_names().unwrap().iter().any(|name| name.starts_with("krewind-replay")));
    assert_eq!(cluster.committed_offsets(&group, &orders, &[0]).unwrap(), [Some(1)]);
}

#[test]
fn markers_alone_are_no_unread_record() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[0]), fresh("g"));
    let producer = cluster.transactional_producer(&fresh("tx"), &[]).unwrap();
    producer.begin().unwrap();
    producer.produce(&[Record::to(&orders).partition(0).value("v")]).unwrap();
    producer.commit().unwrap();
    crate::support::until("the marker", || cluster.watermarks(&orders, 0).unwrap().1 == 2);
    // After the record, before the marker.
    cluster.commit_all(&group, &[(&orders, 0, 1)]).unwrap();
    let report = krewind(cluster).args(["describe", &group, "--time-lag", "-o", "json"]).run().exits(0).json();
    let row = &report["groups"][0]["partitions"][0];
    assert_eq!((row["lag"].as_i64(), row["time_lag_ms"].as_i64()), (Some(1), None));
    assert!(row["reason"].as_str().unwrap().contains("markers of transactions"), "{row}");
    krewind(cluster).args(["describe", &group, "--fail-if-time-lag-over", "1ms"]).run().exits(0);
}

#[test]
fn prometheus_and_markdown_tell_the_same_numbers() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10]), fresh("a\"b"));
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    let prometheus = krewind(cluster).args(["describe", &group, "-o", "prometheus"]).run().succeeds();
    let label = group.replace('"', "\\\"");
    for line in [
        format!("kafka_consumergroup_lag{{consumergroup=\"{label}\",topic=\"{orders}\",partition=\"0\"}} 3"),
        format!("kafka_consumergroup_current_offset{{consumergroup=\"{label}\",topic=\"{orders}\",partition=\"0\"}} 7"),
        format!("kafka_topic_partition_current_offset{{topic=\"{orders}\",partition=\"0\"}} 10"),
        format!("kafka_consumergroup_lag_sum{{consumergroup=\"{label}\"}} 3"),
    ] {
        assert!(prometheus.stdout.lines().any(|shown| shown == line), "no {line} in {prometheus}");
    }
    let markdown = krewind(cluster).args(["describe", &group, "-o", "markdown"]).run().succeeds();
    let row = markdown.stdout.lines().find(|line| line.starts_with(&format!("| {group}"))).unwrap_or_default();
    let cells: Vec<&str> = row.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells, [group.as_str(), &orders, "0", "7", "10", "3", "ok"], "{markdown}");
}

#[test]
fn a_topic_filter_shows_what_has_no_commit_and_one_that_does_not_exist_is_an_error() {
    let cluster = shared();
    let (orders, other, group) = (topic(cluster, "orders", &[10]), topic(cluster, "other", &[4, 4]), fresh("g"));
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    let selection = format!("{other}:1");
    let report =
        krewind(cluster).args(["describe", &group, "--topic", &selection, "-o", "json"]).run().succeeds().json();
    let rows = report["groups"][0]["partitions"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0]["partition"].as_i64(), rows[0]["status"].as_str()), (Some(1), Some("no-commit")));
    let run =
        krewind(cluster).args(["describe", &group, "--topic", "nowhere-to-be-found", "-o", "json"]).run().exits(1);
    assert_eq!(run.error_code(), "topic-not-found");
}
