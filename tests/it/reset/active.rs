//! A group with members is refused before anybody is asked, and its members are named.

use super::place::Place;
use super::runner::{DEADLINE, each};
use local_kafka::client::{LiveMember, MemberOptions};
use local_kafka::{Check, wait_for};
use serde_json::{Value, json};

/// Refused with and without `--yes`, also for a topic that no member reads; commits unchanged.
fn refused(place: &Place, members: usize) -> Value {
    let other = Place::with_records(&[3]);
    let krewind = place.krewind();
    let mut report = json!(null);
    for topic in [&other.topic, &place.topic] {
        for yes in [&[][..], &["--yes"], &["--yes", "--create-group"]] {
            let args = [&[&place.group, "--topic", topic, "--to-earliest"], yes].concat();
            report = krewind.reset(&args).tells("hint: stop its consumers").refused("group-active");
            assert_eq!(report["groups"][0]["refusal"]["members"].as_array().map(Vec::len), Some(members));
        }
    }
    assert_eq!(place.stands()[0], Some(2));
    assert_eq!(place.cluster.committed_offsets(&place.group, &other.topic, &[0]).unwrap(), [None]);
    assert_eq!(krewind.journal().len(), 0);
    report
}

#[test]
fn of_the_classic_protocol() {
    let place = Place::with_records(&[5, 5]).committed(&[2]);
    let options = MemberOptions::new().client_id("billing-1");
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    let report = refused(&place, 1);
    let group = &report["groups"][0];
    assert_eq!((&group["type"], &group["preconditions"]["state"]), (&json!("classic"), &json!("Stable")));
    let named = &group["refusal"]["members"][0];
    assert_eq!((&named["client_id"], &named["host"]), (&json!("billing-1"), &json!("/127.0.0.1")));
    assert_eq!(named["instance_id"], json!(null));
    assert!(named["member_id"].as_str().unwrap().starts_with("billing-1-"), "{named}");
    assert_eq!(named["assignment"], json!([{"topic": place.topic, "partitions": [0, 1]}]));
    assert_eq!(each(&report, "new_offset"), [0, 0]);
    // The same for a person.
    let ran = place.krewind().run(&["reset", &place.group, "--topic", &place.topic, "--to-earliest"]).exits(3);
    let line = format!(
        "client `billing-1` at /127.0.0.1, member {}, reads {}:0,1",
        named["member_id"].as_str().unwrap(),
        place.topic
    );
    let ran = ran.tells(&format!("group `{}` is Stable with 1 member", place.group)).tells(&line);
    assert!(!ran.stderr.contains("type "), "{ran}");
    member.leave();
    // Stopped, it is an ordinary group.
    wait_until_applied(&place);
}

/// A member that left is gone in a moment.
fn wait_until_applied(place: &Place) {
    wait_for("the group to be empty", DEADLINE, || {
        let ran = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]);
        Ok(match ran.code {
            Some(0) => Check::Done(()),
            _ => Check::NotYet(ran.to_string()),
        })
    })
    .unwrap();
    assert_eq!(place.stands()[0], Some(0));
}

#[test]
fn of_kip_848_which_a_classic_describe_calls_dead() {
    let place = Place::with_records(&[5]).committed(&[2]);
    let options = MemberOptions::new().consumer_protocol().client_id("modern-1");
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    let report = refused(&place, 1);
    let group = &report["groups"][0];
    assert_eq!(group["type"], "consumer");
    let named = &group["refusal"]["members"][0];
    assert_eq!((&named["client_id"], &named["host"]), (&json!("modern-1"), &json!("/127.0.0.1")));
    assert_eq!(named["assignment"], json!([{"topic": place.topic, "partitions": [0]}]));
    member.leave();
    wait_until_applied(&place);
}

#[test]
fn with_two_members_one_of_them_idle() {
    let place = Place::with_records(&[5]).committed(&[2]);
    let join = |id: &str| {
        let options = MemberOptions::new().client_id(id).may_idle();
        LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap()
    };
    let members = [join("one"), join("two")];
    wait_for("two members in a stable group", DEADLINE, || {
        let ran = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--dry-run"]);
        let state = ran.json()["groups"][0]["preconditions"].clone();
        Ok(if state == json!({"state": "Stable", "members": 2}) {
            Check::Done(())
        } else {
            Check::NotYet(ran.to_string())
        })
    })
    .unwrap();
    let ran = place.krewind().run(&["reset", &place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).exits(3);
    let ran = ran.tells("with 2 members").tells("client `one`").tells("client `two`").tells("reads nothing now");
    assert!(ran.stdout.contains("refused: "), "{ran}");
    assert_eq!(place.stands(), [Some(2)]);
    drop(members);
}

#[test]
fn a_static_member_that_stopped_still_counts_and_is_named() {
    for protocol in ["classic", "consumer"] {
        let place = Place::with_records(&[5]).committed(&[2]);
        let options = MemberOptions::new().session_timeout(std::time::Duration::from_secs(30));
        let options = if protocol == "consumer" { MemberOptions::new().consumer_protocol() } else { options };
        let options = options.instance("rack-3").client_id("static-1");
        LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap().leave();
        let args = [&place.group, "--topic", &place.topic, "--to-earliest", "--yes"];
        let ran = place.krewind().reset(&args).tells("instance `rack-3`").tells("`group.instance.id` `rack-3`");
        let report = ran.refused("group-active");
        assert_eq!(report["groups"][0]["refusal"]["members"][0]["instance_id"], "rack-3", "{protocol}");
        assert_eq!(place.stands(), [Some(2)], "{protocol}");
    }
}
