//! `list`, and choosing groups by `--matching`.

use crate::support::{fresh, krewind, topic};
use local_kafka::client::{LiveMember, MemberOptions, ShareGroup};
use local_kafka::{Kafka, shared};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn named<'v>(report: &'v Value, group: &str) -> &'v Value {
    let rows = report["groups"].as_array().unwrap();
    rows.iter().find(|row| row["group"] == group).unwrap_or_else(|| panic!("no {group} in {report}"))
}

#[test]
fn groups_of_each_kind_with_type_state_and_lag() {
    let cluster = shared();
    let prefix = fresh("mix");
    let orders = topic(cluster, "orders", &[10, 4]);
    let group = |what: &str| format!("{prefix}-{what}");
    cluster.commit_all(&group("empty"), &[(&orders, 0, 7), (&orders, 1, 4)]).unwrap();
    let _classic = LiveMember::join(cluster, &group("classic"), &[&orders], &MemberOptions::new()).unwrap();
    let consumer = MemberOptions::new().consumer_protocol();
    let _consumer = LiveMember::join(cluster, &group("consumer"), &[&orders], &consumer).unwrap();
    let _share = ShareGroup::join(cluster, &group("share"), &orders).unwrap();

    let glob = format!("{prefix}-*");
    let plain = krewind(cluster).args(["list", "--matching", &glob, "-o", "json"]).run().succeeds().json();
    assert_eq!(plain["groups"].as_array().unwrap().len(), 4);
    assert_eq!(plain["incomplete"], serde_json::json!([]));
    for (what, kind, state) in [
        ("empty", "classic", "Empty"),
        ("classic", "classic", "Stable"),
        ("consumer", "consumer", "Stable"),
        ("share", "unmanaged", "Unknown"),
    ] {
        let row = named(&plain, &group(what));
        assert_eq!((row["type"].as_str(), row["state"].as_str()), (Some(kind), Some(state)), "{what}");
        assert!(row["members"].is_null() && row["topics"].is_null() && row["lag"].is_null());
    }

    let lag = krewind(cluster).args(["list", "--matching", &glob, "--lag", "-o", "json"]).run().exits(0).json();
    let empty = named(&lag, &group("empty"));
    // 10 - 7 and 4 - 4.
    assert_eq!((empty["members"].as_i64(), empty["lag"].as_i64()), (Some(0), Some(3)));
    assert_eq!(empty["topics"], serde_json::json!([orders]));
    assert_eq!(named(&lag, &group("classic"))["members"], 1);
    assert_eq!(named(&lag, &group("consumer"))["members"], 1);
    // What can't be seen is not called 0.
    assert!(named(&lag, &group("share"))["members"].is_null());

    let some = ["list", "--matching", &glob, "--state", "empty", "-o", "csv"];
    let rows = krewind(cluster).args(some).run().succeeds().csv();
    assert_eq!(rows.iter().map(|row| row["group"].as_str()).collect::<Vec<_>>(), [group("empty")]);
    let some = ["list", "--matching", &glob, "--type", "consumer", "-o", "csv"];
    let rows = krewind(cluster).args(some).run().succeeds().csv();
    assert_eq!(rows.iter().map(|row| row["group"].as_str()).collect::<Vec<_>>(), [group("consumer")]);
}

/// A member whose protocol is `connect`, as a Connect worker joins (`WorkerCoordinator`): JoinGroup v2 by hand, since no client
/// in the jars has such a member. The group lives as long as the connection.
fn connect_worker(bootstrap: &str, group: &str) -> TcpStream {
    let text = |text: &str| [&(text.len() as i16).to_be_bytes()[..], text.as_bytes()].concat();
    let mut body = [&11i16.to_be_bytes()[..], &2i16.to_be_bytes(), &1i32.to_be_bytes(), &text("worker")].concat();
    body.extend(text(group));
    // Session and rebalance time-outs; no member id yet; one protocol with its metadata.
    body.extend([30_000i32.to_be_bytes(), 30_000i32.to_be_bytes()].concat());
    body.extend([text(""), text("connect"), 1i32.to_be_bytes().to_vec(), text("sessioned")].concat());
    body.extend([&2i32.to_be_bytes()[..], &[0, 0]].concat());
    let mut connection = TcpStream::connect(bootstrap).unwrap();
    connection.write_all(&[&(body.len() as i32).to_be_bytes()[..], &body].concat()).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut size = [0; 4];
    connection.read_exact(&mut size).unwrap();
    let mut answer = vec![0; i32::from_be_bytes(size) as usize];
    connection.read_exact(&mut answer).unwrap();
    // Correlation id, throttle time, error code.
    assert_eq!(answer[8..10], [0, 0], "JoinGroup was refused: {answer:?}");
    connection
}

#[test]
fn a_connect_cluster_is_shown_though_librdkafka_hides_it() {
    let cluster = shared();
    let group = fresh("connect-cluster");
    let _worker = connect_worker(cluster.bootstrap(), &group);
    let report = krewind(cluster).args(["list", "--matching", &group, "--lag", "-o", "json"]).run().exits(0).json();
    let row = named(&report, &group);
    // Its members can't be seen from here, which is not the same as none.
    assert_eq!((row["type"].as_str(), row["members"].as_i64()), (Some("unmanaged"), None), "{report}");
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().exits(0);
    assert_eq!(run.json()["warnings"][0]["code"], "unmanaged-group", "{run}");
    let run = krewind(cluster).args(["reset", &group, "--all-topics", "--to-earliest", "--yes", "-o", "json"]).run();
    assert_eq!(run.exits(3).error_code(), "unmanaged-group");
}

#[test]
fn lagging_leaves_out_only_what_has_nothing_to_read() {
    let cluster = shared();
    let prefix = fresh("lagging");
    let orders = topic(cluster, "orders", &[10]);
    cluster.commit_all(&format!("{prefix}-done"), &[(&orders, 0, 10)]).unwrap();
    cluster.commit_all(&format!("{prefix}-behind"), &[(&orders, 0, 9)]).unwrap();
    let glob = format!("{prefix}-*");
    let run = krewind(cluster).args(["list", "--matching", &glob, "--lagging", "-o", "json"]).run().succeeds();
    let report = run.json();
    assert_eq!(report["groups"].as_array().unwrap().len(), 1);
    assert_eq!(named(&report, &format!("{prefix}-behind"))["lag"], 1);
}

#[test]
fn describe_takes_the_groups_that_match() {
    let cluster = shared();
    let prefix = fresh("match");
    let orders = topic(cluster, "orders", &[5]);
    for name in ["a", "b", "other"] {
        cluster.commit_all(&format!("{prefix}-{name}"), &[(&orders, 0, 2)]).unwrap();
    }
    let glob = format!("{prefix}-?");
    let report = krewind(cluster).args(["describe", "--matching", &glob, "-o", "json"]).run().succeeds().json();
    let groups: Vec<&str> =
        report["groups"].as_array().unwrap().iter().map(|group| group["group"].as_str().unwrap()).collect();
    assert_eq!(groups, [format!("{prefix}-a"), format!("{prefix}-b")]);
    // An Empty group's members are not asked for, and its lag is the same.
    assert_eq!(report["groups"][0]["partitions"][0]["lag"], 3);
    assert_eq!(report["groups"][0]["state"], "Empty");
}

#[test]
fn a_frozen_broker_is_named_and_does_not_empty_the_list() {
    let kafka = Kafka::builder().nodes(3).start().unwrap();
    let cluster = kafka.client();
    cluster.create_replicated_topic("orders", 3, 3, &[]).unwrap();
    for number in 0..12 {
        cluster.commit_all(&format!("group-{number}"), &[("orders", 0, 0)]).unwrap();
    }
    let whole = krewind(&cluster).args(["list", "-o", "json"]).run().succeeds().json();
    assert_eq!(whole["groups"].as_array().unwrap().len(), 12);
    kafka.node(3).pause().unwrap();
    let run = krewind(&cluster).args(["list", "--timeout", "4s", "-o", "json"]).run();
    kafka.node(3).resume().unwrap();
    let run = run.fails(1, ["broker 3", "did not list its groups"]);
    let report = run.json();
    assert_eq!(report["incomplete"][0]["broker"], 3, "{report}");
    // Twelve groups on five coordinator partitions: the two brokers that answer have some.
    assert!(!report["groups"].as_array().unwrap().is_empty(), "{report}");
}

#[test]
fn a_topic_that_a_live_group_has_left_is_said() {
    let cluster = shared();
    let (orders, left, group) = (topic(cluster, "orders", &[4]), topic(cluster, "left", &[9]), fresh("g"));
    cluster.commit_all(&group, &[(&orders, 0, 1), (&left, 0, 2)]).unwrap();
    let _member = LiveMember::join(cluster, &group, &[&orders], &MemberOptions::new()).unwrap();
    let report = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds().json();
    let rows = report["groups"][0]["partitions"].as_array().unwrap();
    let of = |topic: &str| rows.iter().find(|row| row["topic"] == topic).unwrap();
    assert!(of(&orders)["reason"].is_null());
    assert_eq!(of(&left)["reason"], "no member reads it");
    assert_eq!(of(&left)["lag"], 7);
}
