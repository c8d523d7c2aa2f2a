//! What is refused before anybody is asked, for both commands, and as JSON that a script reads.

use crate::reset::place::{Place, unique};
use crate::reset::runner::Ran;
use local_kafka::client::{LiveMember, MemberOptions, ShareGroup};

/// Runs of both commands with these arguments.
fn both(place: &Place, more: &[&str]) -> [Ran; 2] {
    let krewind = place.krewind();
    let runs = [
        krewind.run(&[&["delete", &place.group, "-o", "json"], more].concat()),
        krewind.run(&[&["delete-offsets", &place.group, "--topic", &place.topic, "-o", "json"], more].concat()),
    ];
    assert_eq!(krewind.journal().len(), 0);
    runs
}

#[test]
fn a_group_with_members_of_either_protocol() {
    for options in [MemberOptions::new(), MemberOptions::new().consumer_protocol()] {
        let place = Place::with_records(&[9]).committed(&[5]);
        let other = Place::with_records(&[9]);
        place.cluster.commit(&place.group, &other.topic, 0, 2, "").unwrap();
        let options = options.client_id("billing-1");
        let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
        for ran in both(&place, &["--yes"]) {
            let report = ran.tells("client `billing-1`").refused("group-active");
            assert_eq!(report["groups"][0]["refusal"]["members"].as_array().map(Vec::len), Some(1));
        }
        for ran in both(&place, &["--dry-run"]) {
            assert_eq!(ran.exits(0).json()["groups"][0]["would_refuse"]["code"], "group-active");
        }
        // Kafka would take it for a topic that no member reads.
        let args = ["delete-offsets", &place.group, "--topic", &other.topic, "--yes", "-o", "json"];
        place.krewind().run(&args).refused("group-active");
        assert_eq!(place.stands(), [Some(5)]);
        assert_eq!(place.cluster.committed_offsets(&place.group, &other.topic, &[0]).unwrap(), [Some(2)]);
        member.leave();
    }
}

#[test]
fn commits_that_a_transaction_holds() {
    // On a partition that no list of the group's commits shows.
    let place = Place::with_records(&[9, 9]).committed(&[5]);
    let pending = place.cluster.pending_commit(&unique("tx"), &place.group, &[(&place.topic, 1, 7)]).unwrap();
    for ran in both(&place, &["--yes"]) {
        let report = ran.refused("pending-transaction");
        let message = report["groups"][0]["refusal"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("`{}-1`", place.topic)), "{message}");
    }
    pending.commit().unwrap();
    place.cluster.await_committed(&place.group, &place.topic, 1, 7).unwrap();
    place.krewind().run(&["delete", &place.group, "--yes", "-o", "json"]).applied();
    assert!(!place.group_exists());
}

#[test]
fn a_group_that_does_not_exist_or_is_of_another_kind() {
    let place = Place::with_records(&[4]);
    for ran in both(&place, &["--yes"]) {
        ran.tells("does not exist").error(3, "group-not-found");
    }
    let share = ShareGroup::join(&place.cluster, &place.group, &place.topic).unwrap();
    for more in ["--yes", "--dry-run"] {
        for ran in both(&place, &[more]) {
            ran.tells("kafka-share-groups --delete").error(3, "unmanaged-group");
        }
    }
    // Empty: now Kafka itself would delete it.
    share.leave().unwrap();
    for ran in both(&place, &["--yes"]) {
        ran.error(3, "unmanaged-group");
    }
    assert!(place.group_exists());
}

#[test]
fn a_read_only_run_and_one_that_can_ask_nobody() {
    let place = Place::with_records(&[9]).committed(&[5]);
    for ran in both(&place, &["--yes", "--read-only"]) {
        ran.tells("is left as it is").error(3, "read-only");
    }
    // For a person: nothing comes next.
    let ran = place.krewind().run(&["delete", &place.group]).exits(3);
    assert!(ran.stdout.contains("refused: nobody can be asked") && !ran.stdout.contains("next: "), "{ran}");
    for ran in both(&place, &["--dry-run", "--read-only"]) {
        assert_eq!(ran.exits(0).json()["outcome"], "planned");
    }
    for ran in both(&place, &[]) {
        ran.tells("hint: `--yes`").refused("no-terminal");
    }
    for command in [&["delete", &place.group][..], &["delete-offsets", &place.group, "--topic", &place.topic]] {
        let ran = place.krewind().run(&[command, &["-o", "prometheus", "--yes"]].concat());
        ran.exits(2).tells("has no `-o prometheus`");
    }
    assert_eq!(place.stands(), [Some(5)]);
}
