//! Kinds and states of groups, their members, and groups that are not there.

use super::{expect_rows, named, only};
use crate::support::{fresh, kafka_tool, krewind, topic, until};
use local_kafka::client::{LiveMember, MemberOptions, ShareGroup, StreamsApp};
use local_kafka::{Cluster, shared};
use serde_json::{Value, json};

const MEMBERSHIP: &str = "consumer.group.ConsumerGroupCommand";

/// The only member's id, as Kafka's own tool tells it.
fn member_id(cluster: &Cluster, group: &str) -> String {
    let text = kafka_tool(cluster, MEMBERSHIP, &["--describe", "--members", "--group", group]);
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows: Vec<Vec<&str>> = words.filter(|words| words.first() == Some(&group)).collect();
    assert_eq!(rows.len(), 1, "{text}");
    rows[0][1].to_owned()
}

#[test]
fn a_group_made_by_commits_alone_is_simple() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[1]), fresh("simple"));
    cluster.commit(&group, &topic, 0, 1, "").unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let report = only(&run);
    assert_eq!(report["type"], "classic");
    assert_eq!(report["state"], "Empty");
    assert_eq!(report["is_simple"], true);
    assert_eq!(report["members"], json!([]));
    let port: u16 = cluster.bootstrap().rsplit(':').next().unwrap().parse().unwrap();
    assert_eq!(report["coordinator"], json!({"id": 1, "host": "127.0.0.1", "port": port}));
    let table = krewind(cluster).args(["describe", &group]).run().succeeds();
    assert!(table.stdout.starts_with(&format!("{group}: Empty (simple), classic, no members\n")), "{table}");
}

#[test]
fn a_group_whose_members_left_is_empty_and_not_simple() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[3]), fresh("stopped"));
    let committed = cluster.read_and_leave(&group, &topic, 3).unwrap();
    assert_eq!(committed[&0], 3);
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let report = only(&run);
    assert_eq!((&report["state"], &report["is_simple"]), (&json!("Empty"), &json!(false)), "{run}");
    expect_rows!(report, ["current_offset", "lag", "member_id"], [[3, 0, null]]);
}

#[test]
fn a_live_group_shows_its_member_and_what_it_reads() {
    let cluster = shared();
    let topic = topic(cluster, "orders", &[4, 4]);
    let classic = MemberOptions::new().client_id("order-service");
    for (options, kind, assignor) in
        [(classic.clone(), "classic", "range"), (classic.consumer_protocol(), "consumer", "uniform")]
    {
        let group = fresh(kind);
        let member = LiveMember::join(cluster, &group, &[&topic], &options).unwrap();
        let mut assigned = member.assignment();
        assigned.sort();
        assert_eq!(assigned, [(topic.clone(), 0), (topic.clone(), 1)]);
        let id = member_id(cluster, &group);
        let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
        let report = only(&run);
        for (field, expected) in [("type", kind), ("state", "Stable"), ("assignor", assignor)] {
            assert_eq!(report[field], expected, "{run}");
        }
        let expected = json!([{
            "member_id": id, "instance_id": null, "client_id": "order-service", "host": "/127.0.0.1",
            "assignment": [{"topic": topic, "partitions": [0, 1]}],
        }]);
        assert_eq!(report["members"], expected, "{run}");
        // It has committed nothing: its partitions are shown all the same, and who reads them.
        expect_rows!(
            report,
            ["partition", "current_offset", "log_end_offset", "status", "member_id", "client_id", "host"],
            [
                [0, null, 4, "no-commit", id, "order-service", "/127.0.0.1"],
                [1, null, 4, "no-commit", id, "order-service", "/127.0.0.1"]
            ]
        );
        let table = krewind(cluster).args(["describe", &group]).run().succeeds();
        assert!(table.stdout.starts_with(&format!("{group}: Stable, {kind}, 1 member\n")), "{table}");
        let wide = krewind(cluster).args(["describe", &group, "-o", "wide"]).run().succeeds();
        for column in ["LOG-START-OFFSET", "LOST", "LAST-STABLE-OFFSET", "CONSUMER-ID", "HOST", "CLIENT-ID"] {
            assert!(wide.stdout.contains(column), "{wide}");
        }
        assert!(wide.stdout.contains(&id) && wide.stdout.contains("/127.0.0.1"), "{wide}");
        member.leave();
    }
}

#[test]
fn a_static_member_is_named_by_its_instance() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[1]), fresh("static"));
    let options = MemberOptions::new().instance("worker-7");
    let member = LiveMember::join(cluster, &group, &[&topic], &options).unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    assert_eq!(only(&run)["members"][0]["instance_id"], "worker-7");
    // It does not leave when it stops: the coordinator waits for it.
    member.leave();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    assert_eq!(only(&run)["members"][0]["instance_id"], "worker-7");
}

#[test]
fn several_groups_stand_in_order_each_once() {
    let cluster = shared();
    let topic = topic(cluster, "orders", &[9]);
    let (first, second) = (fresh("a"), fresh("b"));
    cluster.commit(&first, &topic, 0, 2, "").unwrap();
    cluster.commit(&second, &topic, 0, 5, "").unwrap();
    let run = krewind(cluster).args(["describe", &second, &first, "--group", &second, "-o", "json"]).run().succeeds();
    let report = run.json();
    let lags: Vec<(&str, i64)> = report["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| (group["group"].as_str().unwrap(), group["partitions"][0]["lag"].as_i64().unwrap()))
        .collect();
    assert_eq!(lags, [(first.as_str(), 7), (second.as_str(), 4)]);
}

#[test]
fn all_groups_are_those_of_the_cluster() {
    let cluster = shared();
    let topic = topic(cluster, "orders", &[9]);
    let (simple, live) = (fresh("simple"), fresh("live"));
    cluster.commit(&simple, &topic, 0, 2, "").unwrap();
    let member = LiveMember::join(cluster, &live, &[&topic], &MemberOptions::new().consumer_protocol()).unwrap();
    // Groups of other tests come and go meanwhile, and some of their rows fail by design.
    let run = krewind(cluster).args(["describe", "--all-groups", "-o", "json"]).run();
    expect_rows!(named(&run, &simple), ["current_offset", "lag"], [[2, 7]]);
    let found = named(&run, &live);
    assert_eq!((&found["type"], &found["state"]), (&json!("consumer"), &json!("Stable")), "{found}");
    member.leave();
}

#[test]
fn a_group_that_does_not_exist_is_an_error() {
    let cluster = shared();
    let group = fresh("nobody");
    let run = krewind(cluster).args(["describe", &group]).run().silent();
    let run = run.fails(1, [&format!("error: group `{group}` does not exist"), "hint: "]);
    assert_eq!(run.code, Some(1));
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().exits(1);
    assert_eq!(run.error_code(), "group-not-found");
    // Asking for it has not made it.
    assert!(!cluster.group_names().unwrap().contains(&group));
}

#[test]
fn one_absent_group_does_not_hide_the_others() {
    let cluster = shared();
    let (topic, there, absent) = (topic(cluster, "orders", &[9]), fresh("there"), fresh("absent"));
    cluster.commit(&there, &topic, 0, 2, "").unwrap();
    let run = krewind(cluster).args(["describe", &there, &absent, "-o", "json"]).run().exits(1);
    expect_rows!(named(&run, &there), ["current_offset", "lag", "status"], [[2, 7, "ok"]]);
    let missing = named(&run, &absent);
    assert_eq!(missing["error"]["code"], "group-not-found", "{run}");
    assert_eq!(missing["total"]["lag"], Value::Null, "{run}");
    let table = krewind(cluster).args(["describe", &there, &absent]).run().exits(1);
    assert!(table.stdout.contains(&format!("{absent}: group `{absent}` does not exist (group-not-found)")), "{table}");
    assert!(table.stdout.contains("total: 1 partition, lag 7"), "{table}");
}

/// That it is told as a group that can't be looked into, not as one that does not exist.
fn assert_unmanaged(cluster: &Cluster, group: &str) -> Value {
    let run = krewind(cluster).args(["describe", group, "-o", "json"]).run().exits(0);
    let report = only(&run);
    assert_eq!((&report["type"], &report["state"]), (&json!("unmanaged"), &json!("Unknown")), "{run}");
    assert_eq!(report["is_simple"], false, "{run}");
    assert_eq!(run.json()["warnings"][0]["code"], "unmanaged-group", "{run}");
    assert!(run.stderr.contains("kafka-share-groups") && run.stderr.contains("kafka-streams-groups"), "{run}");
    report
}

#[test]
fn a_share_group_is_unmanaged() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[3]), fresh("share"));
    let share = ShareGroup::join(cluster, &group, &topic).unwrap();
    assert_unmanaged(cluster, &group);
    share.leave().unwrap();
    assert_unmanaged(cluster, &group);
    let all = krewind(cluster).args(["describe", "--all-groups", "-o", "json"]).run();
    assert_eq!(named(&all, &group)["type"], "unmanaged");
}

#[test]
fn a_streams_group_is_unmanaged_and_its_commits_are_shown() {
    let cluster = shared();
    let (from, to, group) = (topic(cluster, "in", &[3]), topic(cluster, "out", &[0]), fresh("streams"));
    let app = StreamsApp::start(cluster, &group, "streams", &from, &to).unwrap();
    cluster.await_committed(&group, &from, 0, 3).unwrap();
    let live = assert_unmanaged(cluster, &group);
    expect_rows!(live, ["topic", "current_offset", "lag"], [[from, 3, 0]]);
    app.stop().unwrap();
    let state = || kafka_tool(cluster, "streams.StreamsGroupCommand", &["--describe", "--state", "--group", &group]);
    until("the streams group to be empty", || state().contains("Empty"));
    cluster.produce_numbers(&from, 0, 2).unwrap();
    let stopped = assert_unmanaged(cluster, &group);
    expect_rows!(stopped, ["topic", "current_offset", "lag"], [[from, 3, 2]]);
}
