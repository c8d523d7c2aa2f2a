//! What tests arrange a cluster with, on one broker for all of them.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use local_kafka::client::{Committed, LiveMember, MemberOptions, Record, ShareGroup, StreamsApp};
use local_kafka::{Check, Cluster, shared, tool, wait_for};
use rdkafka::consumer::Consumer;
use rdkafka::message::{Headers, Message};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, Duration::from_secs(60), || {
        Ok(match condition() {
            true => Check::Done(()),
            false => Check::NotYet(String::new()),
        })
    })
    .unwrap();
}

/// The group's line as Kafka's own tool prints it: name, type, protocol.
fn kafkas_view(cluster: &Cluster, group: &str) -> Vec<String> {
    let class = "org.apache.kafka.tools.GroupsCommand";
    let args = ["--bootstrap-server", cluster.bootstrap(), "--list"];
    let output = tool(class, &args).unwrap().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let row = text.lines().map(|l| l.split_whitespace().map(str::to_owned).collect());
    let mut rows = row.filter(|row: &Vec<String>| row.first().is_some_and(|name| name == group));
    rows.next().unwrap_or_default()
}

/// State and number of members, by Kafka's own tool.
fn state_of(cluster: &Cluster, group: &str) -> (String, String) {
    let class = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
    let args = ["--bootstrap-server", cluster.bootstrap(), "--describe", "--state", "--group"];
    let output = tool(class, &args).unwrap().arg(group).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let row = text.lines().find(|line| line.starts_with(group)).unwrap_or_default();
    let words: Vec<&str> = row.split_whitespace().rev().collect();
    match words[..] {
        [members, state, ..] => (state.to_owned(), members.to_owned()),
        _ => (text, String::new()),
    }
}

#[test]
fn topics_come_grow_shrink_and_go() {
    let cluster = shared();
    cluster.create_topic("topics", 2, &[("retention.ms", "86400000")]).unwrap();
    assert!(cluster.create_topic("topics", 2, &[]).is_err());
    cluster.produce_numbers("topics", 1, 10).unwrap();
    assert_eq!(cluster.delete_records("topics", 1, 4).unwrap(), 4);
    assert_eq!(cluster.watermarks("topics", 1).unwrap(), (4, 10));
    cluster.add_partitions("topics", 3).unwrap();
    assert_eq!(cluster.watermarks("topics", 2).unwrap(), (0, 0));
    assert!(cluster.watermarks("topics", 3).is_err());
    cluster.delete_topic("topics").unwrap();
    cluster.create_topic("topics", 1, &[]).unwrap();
    assert_eq!(cluster.watermarks("topics", 0).unwrap(), (0, 0));
}

#[test]
fn a_record_arrives_as_it_was_given() {
    let cluster = shared();
    cluster.create_topic("records", 2, &[]).unwrap();
    let record = Record::to("records")
        .partition(1)
        .key("k")
        .value("v")
        .header("h", Some(b"1"))
        .header("h", None)
        .timestamp(1_700_000_000_000);
    let tombstone = Record::to("records").partition(1).key("k");
    let at = cluster.produce(&[record, tombstone]).unwrap();
    assert_eq!(at, [(1, 0), (1, 1)]);

    let consumer = cluster.consumer("records-reader", &[]).unwrap();
    let mut list = TopicPartitionList::new();
    list.add_partition_offset("records", 1, Offset::Beginning).unwrap();
    consumer.assign(&list).unwrap();
    let first = consumer.poll(Duration::from_secs(30)).unwrap().unwrap();
    assert_eq!((first.key(), first.payload()), (Some(&b"k"[..]), Some(&b"v"[..])));
    assert_eq!(first.timestamp().to_millis(), Some(1_700_000_000_000));
    let headers: Vec<_> = first.headers().unwrap().iter().map(|h| (h.key, h.value)).collect();
    assert_eq!(headers, [("h", Some(&b"1"[..])), ("h", None)]);
    let second = consumer.poll(Duration::from_secs(30)).unwrap().unwrap();
    assert_eq!(second.payload(), None);
}

#[test]
fn many_records_are_all_acknowledged() {
    let cluster = shared();
    cluster.create_topic("many", 1, &[]).unwrap();
    cluster.produce_numbers("many", 0, 150_000).unwrap();
    assert_eq!(cluster.watermarks("many", 0).unwrap(), (0, 150_000));
}

#[test]
fn a_refused_record_is_an_error() {
    let error = shared().produce(&[Record::to("nowhere")]).unwrap_err();
    assert!(error.to_string().starts_with("cannot produce"), "{error}");
}

#[test]
fn transactions_commit_abort_and_stay_open() {
    let cluster = shared();
    cluster.create_topic("tx", 1, &[]).unwrap();
    let producer = cluster.transactional_producer("tx-1", &[]).unwrap();
    let record = || [Record::to("tx").partition(0).value("v")];
    producer.begin().unwrap();
    producer.produce(&record()).unwrap();
    producer.commit().unwrap();
    producer.begin().unwrap();
    producer.produce(&record()).unwrap();
    producer.abort().unwrap();
    producer.begin().unwrap();
    assert_eq!(producer.produce(&record()).unwrap(), [(0, 4)]);
    // Open: the high watermark is past it, the last stable offset is not.
    until("the end", || cluster.watermarks("tx", 0).unwrap() == (0, 5));
    let stable = cluster.consumer("tx-stable", &[("isolation.level", "read_committed")]).unwrap();
    let stable = stable.fetch_watermarks("tx", 0, Duration::from_secs(30)).unwrap();
    assert_eq!(stable, (0, 4));
    producer.abort().unwrap();
}

#[test]
fn a_commit_without_membership_is_seen_with_its_metadata() {
    let cluster = shared();
    cluster.create_topic("commits", 3, &[]).unwrap();
    cluster.commit("commits-g", "commits", 1, 7, "note").unwrap();
    let rows = cluster.committed("commits-g", "commits", &[0, 1]).unwrap();
    let expected = Committed { offset: 7, metadata: "note".to_owned() };
    assert_eq!(rows, [None, Some(expected)]);
    cluster.commit_all("commits-g", &[("commits", 0, 1), ("commits", 2, 2)]).unwrap();
    let rows = cluster.committed_offsets("commits-g", "commits", &[2, 0, 1]).unwrap();
    assert_eq!(rows, [Some(2), Some(1), Some(7)]);
}

#[test]
fn a_pending_commit_counts_once_its_transaction_is_committed() {
    let cluster = shared();
    cluster.create_topic("pending", 1, &[]).unwrap();
    cluster.commit("pending-g", "pending", 0, 1, "").unwrap();
    let now = || cluster.committed_offsets("pending-g", "pending", &[0]).unwrap();
    let pending = |offset| cluster.pending_commit("pending-tx", "pending-g", &[("pending", 0, offset)]).unwrap();
    let first = pending(5);
    assert_eq!(now(), [Some(1)]);
    first.abort().unwrap();
    assert_eq!(now(), [Some(1)]);
    pending(6).commit().unwrap();
    cluster.await_committed("pending-g", "pending", 0, 6).unwrap();
}

#[test]
fn reading_in_a_group_leaves_commits() {
    let cluster = shared();
    cluster.create_topic("reads", 2, &[]).unwrap();
    cluster.produce_numbers("reads", 0, 3).unwrap();
    cluster.produce_numbers("reads", 1, 2).unwrap();
    let next = cluster.read_and_leave("reads-g", "reads", 5).unwrap();
    assert_eq!(next.into_iter().collect::<Vec<_>>(), [(0, 3), (1, 2)]);
    let rows = cluster.committed_offsets("reads-g", "reads", &[0, 1]).unwrap();
    assert_eq!(rows, [Some(3), Some(2)]);
    let (state, members) = state_of(cluster, "reads-g");
    assert_eq!((state.as_str(), members.as_str()), ("Empty", "0"));
}

#[test]
fn members_live_until_they_leave() {
    let cluster = shared();
    cluster.create_topic("members", 2, &[]).unwrap();
    cluster.produce_numbers("members", 0, 4).unwrap();
    let classic = MemberOptions::new();
    for (group, options, kind) in [
        ("members-classic", classic.clone(), "Classic"),
        ("members-848", classic.clone().consumer_protocol(), "Consumer"),
    ] {
        let options = options.auto_commit().client_id("somebody");
        let member = LiveMember::join(cluster, group, &["members"], &options).unwrap();
        assert_eq!(member.assignment().len(), 2);
        assert_eq!(kafkas_view(cluster, group), [group, kind, "consumer"]);
        let (state, members) = state_of(cluster, group);
        assert_eq!((state.as_str(), members.as_str()), ("Stable", "1"));
        cluster.await_committed(group, "members", 0, 4).unwrap();
        assert_eq!(member.consumed(), 4);
        member.leave();
        let (state, members) = state_of(cluster, group);
        assert_eq!((state.as_str(), members.as_str()), ("Empty", "0"));
    }
    // A member without a partition, and a static one.
    let one = LiveMember::join(cluster, "members-s", &["members"], &classic.clone().instance("i"));
    let idle = classic.may_idle().session_timeout(Duration::from_secs(6));
    let more: Vec<LiveMember> =
        (0..2).map(|_| LiveMember::join(cluster, "members-s", &["members"], &idle).unwrap()).collect();
    let one = one.unwrap();
    until("an even assignment", || {
        one.assignment().len() + more.iter().map(|m| m.assignment().len()).sum::<usize>() == 2
    });
    drop(more);
    one.leave();
    let (state, members) = state_of(cluster, "members-s");
    assert_eq!(members, "1", "{state}: a static member stays after it was closed");
}

#[test]
fn a_share_group_is_one() {
    let cluster = shared();
    cluster.create_topic("shared", 1, &[]).unwrap();
    let share = ShareGroup::join(cluster, "share-g", "shared").unwrap();
    assert_eq!(kafkas_view(cluster, "share-g"), ["share-g", "Share", "share"]);
    share.leave().unwrap();
    assert_eq!(kafkas_view(cluster, "share-g"), ["share-g", "Share", "share"]);
    // Empty: it may be deleted.
    let class = "org.apache.kafka.tools.consumer.group.ShareGroupCommand";
    let args = ["--bootstrap-server", cluster.bootstrap(), "--delete", "--group", "share-g"];
    let output = tool(class, &args).unwrap().output().unwrap();
    assert!(kafkas_view(cluster, "share-g").is_empty(), "{output:?}");
}

#[test]
fn a_streams_application_runs_and_stops() {
    let cluster = shared();
    for protocol in ["streams", "classic"] {
        let name = |what: &str| format!("{protocol}-{what}");
        let (from, to, group) = (name("in"), name("out"), name("app"));
        cluster.create_topic(&from, 2, &[]).unwrap();
        cluster.create_topic(&to, 1, &[]).unwrap();
        cluster.produce_numbers(&from, 0, 3).unwrap();
        let app = StreamsApp::start(cluster, &group, protocol, &from, &to).unwrap();
        until("the copies", || cluster.watermarks(&to, 0).unwrap() == (0, 3));
        cluster.await_committed(&group, &from, 0, 3).unwrap();
        let kind = if protocol == "streams" { "Streams" } else { "Classic" };
        let view = kafkas_view(cluster, &group);
        assert_eq!(view[..2], [group.as_str(), kind]);
        app.stop().unwrap();
        if protocol == "streams" {
            // Nobody is left in it.
            let class = "org.apache.kafka.tools.streams.StreamsGroupCommand";
            let args = ["--bootstrap-server", cluster.bootstrap(), "--describe", "--state"];
            let mut command = tool(class, &args).unwrap();
            let output = command.args(["--group", &group]).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains("Empty"), "{text}");
        } else {
            assert_eq!(state_of(cluster, &group).0, "Empty");
        }
    }
}

#[test]
fn a_tool_logs_to_stderr_alone() {
    let class = "org.apache.kafka.tools.TopicCommand";
    let args = ["--bootstrap-server", shared().bootstrap(), "--describe", "--topic", "nothing"];
    let output = tool(class, &args).unwrap().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains(" WARN "), "{text}");
}
