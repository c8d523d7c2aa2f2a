//! Groups of other kinds, which a describe of consumer groups can't see: the broker would write some of them.

use super::place::Place;
use super::runner::{DEADLINE, Krewind};
use local_kafka::client::{ShareGroup, StreamsApp};
use local_kafka::{Check, Cluster, tool, wait_for};

/// Refused whatever is given, also as a dry run, without a report of rows.
fn refused(krewind: &Krewind, group: &str, topic: &str) {
    for more in [&[][..], &["--yes"], &["--create-group", "--yes"], &["--dry-run"]] {
        for scope in [&["--topic", topic][..], &["--all-topics"]] {
            let ran = krewind.reset(&[&[group, "--to-latest"], scope, more].concat());
            let ran = ran.tells("kafka-share-groups").tells("kafka-streams-groups");
            let error = ran.error(3, "unmanaged-group");
            assert!(error["message"].as_str().unwrap().contains(&format!("`{group}`")), "{error}");
        }
    }
    assert_eq!(krewind.journal().len(), 0);
}

/// A Streams application that copied four records and committed that.
fn streams(protocol: &str) -> (Place, StreamsApp) {
    let (place, output) = (Place::with_records(&[4]), Place::with_records(&[0]));
    let app = StreamsApp::start(&place.cluster, &place.group, protocol, &place.topic, &output.topic).unwrap();
    place.cluster.await_committed(&place.group, &place.topic, 0, 4).unwrap();
    (place, app)
}

#[test]
fn a_streams_application_live_or_stopped_is_left_alone() {
    let (place, app) = streams("streams");
    let krewind = place.krewind();
    refused(&krewind, &place.group, &place.topic);
    app.stop().unwrap();
    place.add(&[3]);
    refused(&krewind, &place.group, &place.topic);
    assert_eq!(place.stands(), [Some(4)]);
}

#[test]
fn a_stopped_streams_application_of_the_classic_protocol_is_an_ordinary_group() {
    let (place, app) = streams("classic");
    app.stop().unwrap();
    wait_for("its members to be gone", DEADLINE, || {
        let ran = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-offset", "1", "--yes"]);
        Ok(if ran.code == Some(0) { Check::Done(()) } else { Check::NotYet(ran.to_string()) })
    })
    .unwrap();
    assert_eq!(place.stands(), [Some(1)]);
}

/// What Kafka's own tool says of a share group.
fn share_offsets(cluster: &Cluster, group: &str) -> String {
    let class = "org.apache.kafka.tools.consumer.group.ShareGroupCommand";
    let args = ["--bootstrap-server", cluster.bootstrap(), "--describe", "--offsets", "--group", group];
    let output = tool(class, &args).unwrap().output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_share_group_live_or_empty_is_left_alone() {
    let place = Place::with_records(&[4]);
    let share = ShareGroup::join(&place.cluster, &place.group, &place.topic).unwrap();
    let krewind = place.krewind();
    refused(&krewind, &place.group, &place.topic);
    share.leave().unwrap();
    let before = share_offsets(&place.cluster, &place.group);
    assert!(before.contains(&place.topic), "{before}");
    refused(&krewind, &place.group, &place.topic);
    assert!(place.group_exists());
    assert_eq!(share_offsets(&place.cluster, &place.group), before);
    assert_eq!(place.stands(), [None]);
}
