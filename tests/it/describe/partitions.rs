//! Where a commit stands in its log: each status, and the numbers beside it.

use super::{expect_rows, only};
use crate::support::{fresh, kafka_tool, krewind, topic, until};
use local_kafka::client::{LiveMember, MemberOptions, Record};
use local_kafka::shared;
use serde_json::Value;

const STANDING: [&str; 6] = ["partition", "current_offset", "log_end_offset", "lag", "lost", "status"];

#[test]
fn a_commit_on_one_partition_shows_all_partitions_of_its_topic() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[12, 3, 0]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 7, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    expect_rows!(
        only(&run),
        STANDING,
        [[0, 7, 12, 5, 0, "ok"], [1, null, 3, null, null, "no-commit"], [2, null, 0, null, null, "no-commit"]]
    );
    let group = only(&run);
    assert_eq!(group["total"]["lag"], 5);
    assert_eq!(group["total"]["partitions"], 3);
    assert_eq!(group["error"], Value::Null);
}

#[test]
fn a_commit_at_the_end_has_no_lag() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[4]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 4, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    expect_rows!(only(&run), STANDING, [[0, 4, 4, 0, 0, "ok"]]);
}

#[test]
fn a_partition_that_was_added_later_has_no_commit_and_is_not_left_out() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[2]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 1, "").unwrap();
    cluster.add_partitions(&topic, 2).unwrap();
    cluster.produce_numbers(&topic, 1, 5).unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    expect_rows!(only(&run), STANDING, [[0, 1, 2, 1, 0, "ok"], [1, null, 5, null, null, "no-commit"]]);
}

#[test]
fn what_was_deleted_before_it_was_read_is_lost_and_no_lag() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[10]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "").unwrap();
    // Offsets 2 to 5 go unread; 6 to 9 are left.
    assert_eq!(cluster.delete_records(&topic, 0, 6).unwrap(), 6);
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let report = only(&run);
    expect_rows!(report, STANDING, [[0, 2, 10, 4, 4, "behind-log-start"]]);
    assert_eq!(report["partitions"][0]["log_start_offset"], 6);
    let table = krewind(cluster).args(["describe", &group]).run().succeeds();
    assert!(table.stdout.contains(&format!("{topic}-0: 4 offsets were deleted before they were read\n")), "{table}");
    assert!(table.stdout.ends_with("total: 1 partition, lag 4, lost 4\n"), "{table}");
}

#[test]
fn a_log_emptied_by_deletion_has_nothing_left_to_read() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[10]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 3, "").unwrap();
    assert_eq!(cluster.delete_records(&topic, 0, 10).unwrap(), 10);
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    expect_rows!(only(&run), STANDING, [[0, 3, 10, 0, 7, "behind-log-start"]]);
}

#[test]
fn a_commit_past_the_end_has_no_negative_lag() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[10]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 50, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let report = only(&run);
    expect_rows!(report, STANDING, [[0, 50, 10, 0, 0, "ahead-of-log-end"]]);
    let reason = report["partitions"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("40 past"), "{reason}");
}

#[test]
fn a_pending_commit_shows_the_one_before_it() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[10, 10]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 1, "before").unwrap();
    // On partition 0 it replaces a commit, on partition 1 it is the first.
    let pending = cluster.pending_commit(&fresh("tx"), &group, &[(&topic, 0, 5), (&topic, 1, 6)]).unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let report = only(&run);
    expect_rows!(
        report,
        STANDING,
        [[0, 1, 10, 9, 0, "pending-transaction"], [1, null, 10, null, null, "pending-transaction"]]
    );
    assert_eq!(report["partitions"][0]["metadata"], "before");
    pending.commit().unwrap();
    cluster.await_committed(&group, &topic, 1, 6).unwrap();
    // The markers of both partitions are one write: what one shows, the other has too.
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    expect_rows!(only(&run), STANDING, [[0, 5, 10, 5, 0, "ok"], [1, 6, 10, 4, 0, "ok"]]);
}

#[test]
fn a_group_whose_only_commit_is_pending_shows_it_when_its_topic_is_named() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[3]), fresh("inventory"));
    let pending = cluster.pending_commit(&fresh("tx"), &group, &[(&topic, 0, 2)]).unwrap();
    let run = krewind(cluster).args(["describe", &group, "--topic", &topic, "-o", "json"]).run().succeeds();
    expect_rows!(only(&run), STANDING, [[0, null, 3, null, null, "pending-transaction"]]);
    pending.abort().unwrap();
}

#[test]
fn an_open_transaction_is_shown_and_does_not_change_the_lag() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[5]), fresh("inventory"));
    let producer = cluster.transactional_producer(&fresh("tx"), &[]).unwrap();
    producer.begin().unwrap();
    let open = vec![Record::to(&topic).partition(0).value("open"); 3];
    assert_eq!(producer.produce(&open).unwrap(), [(0, 5), (0, 6), (0, 7)]);
    cluster.produce_numbers(&topic, 0, 2).unwrap();
    cluster.commit(&group, &topic, 0, 4, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let report = only(&run);
    // 5 plain records, 3 in the transaction, 2 plain: the end is 10, and readers of committed records stop at 5.
    expect_rows!(report, STANDING, [[0, 4, 10, 6, 0, "ok"]]);
    assert_eq!(report["partitions"][0]["last_stable_offset"], 5);
    let table = krewind(cluster).args(["describe", &group]).run().succeeds();
    assert!(table.stdout.contains("no further than 5, 5 before the end"), "{table}");
    producer.commit().unwrap();
    until("the transaction's marker", || cluster.watermarks(&topic, 0).unwrap() == (0, 11));
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    assert_eq!(only(&run)["partitions"][0]["last_stable_offset"], 11);
}

#[test]
fn metadata_and_leader_epoch_are_those_of_the_commit() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[5, 5, 5]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "by hand, \"quoted\" ✓").unwrap();
    cluster.commit(&group, &topic, 1, 2, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    // librdkafka commits these offsets without an epoch.
    expect_rows!(
        only(&run),
        ["partition", "metadata", "leader_epoch"],
        [[0, "by hand, \"quoted\" ✓", null], [1, "", null], [2, null, null]]
    );
    let csv = krewind(cluster).args(["describe", &group, "-o", "csv"]).run().succeeds();
    let metadata: Vec<String> = csv.csv().into_iter().map(|row| row["metadata"].clone()).collect();
    assert_eq!(metadata, ["by hand, \"quoted\" ✓", "", ""]);

    // A consumer that stores what it read commits the epoch of its leader too: the first leader's is 0.
    let reader = fresh("reader");
    let options = MemberOptions::new().auto_commit();
    let member = LiveMember::join(cluster, &reader, &[&topic], &options).unwrap();
    cluster.await_committed(&reader, &topic, 2, 5).unwrap();
    let run = krewind(cluster).args(["describe", &reader, "--topic", &format!("{topic}:2"), "-o", "json"]).run();
    expect_rows!(only(&run.succeeds()), ["partition", "current_offset", "leader_epoch"], [[2, 5, 0]]);
    drop(member);
}

#[test]
fn a_deleted_topic_takes_its_commits_along_and_leaves_the_others() {
    let cluster = shared();
    let (kept, gone, group) = (topic(cluster, "kept", &[5]), topic(cluster, "gone", &[5]), fresh("inventory"));
    cluster.commit_all(&group, &[(&kept, 0, 2), (&gone, 0, 3)]).unwrap();
    cluster.delete_topic(&gone).unwrap();
    // Kafka drops a deleted topic's commits a moment after the topic.
    until("the deleted topic's commits to be gone", || {
        cluster.committed_offsets(&group, &gone, &[0]).unwrap() == [None]
    });
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    expect_rows!(only(&run), ["topic", "current_offset", "lag", "status"], [[kept, 2, 3, "ok"]]);
    let run = krewind(cluster).args(["describe", &group, "--topic", &gone, "-o", "json"]).run();
    assert_eq!(run.fails(1, [&gone]).error_code(), "topic-not-found");
}

#[test]
fn a_partition_that_does_not_exist_is_an_error() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[5]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "--topic", &format!("{topic}:0,7"), "-o", "json"]).run();
    assert_eq!(run.fails(1, [&topic, "7"]).error_code(), "topic-not-found");
}

#[test]
fn a_topic_is_known_by_kafkas_id() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[1]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 1, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let tool = kafka_tool(cluster, "TopicCommand", &["--describe", "--topic", &topic]);
    let words: Vec<&str> = tool.split_whitespace().collect();
    let id = words[words.iter().position(|word| *word == "TopicId:").unwrap() + 1];
    assert_eq!(only(&run)["partitions"][0]["topic_id"], id);
}

#[test]
fn lag_is_that_of_kafkas_own_tool() {
    let cluster = shared();
    let (first, second) = (topic(cluster, "a", &[12, 30, 7, 0]), topic(cluster, "b", &[4]));
    let group = fresh("inventory");
    cluster
        .commit_all(&group, &[(&first, 0, 7), (&first, 1, 30), (&first, 2, 0), (&first, 3, 0), (&second, 0, 1)])
        .unwrap();
    let tool = kafka_tool(cluster, "consumer.group.ConsumerGroupCommand", &["--describe", "--group", &group]);
    let mut theirs: Vec<Vec<&str>> = tool
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.first() == Some(&group.as_str()))
        .map(|words| words[1..6].to_vec())
        .collect();
    theirs.sort_by_key(|words| (words[0], words[1].parse::<i32>().unwrap()));
    assert_eq!(theirs.len(), 5, "{tool}");
    let run = krewind(cluster).args(["describe", &group]).run().succeeds();
    let ours: Vec<Vec<&str>> = run.table("GROUP").into_iter().map(|words| words[1..6].to_vec()).collect();
    assert_eq!(ours, theirs, "{run}");
}
