//! A plan that no longer holds names each difference, and nothing is written.

use super::Saved;
use crate::reset::place::Place;
use crate::reset::runner::each;
use local_kafka::Kafka;
use local_kafka::client::{LiveMember, MemberOptions};
use serde_json::json;

/// The refusal's words, after checking that nothing changed.
#[track_caller]
fn refused(saved: &Saved, code: &str, more: &[&str]) -> String {
    let before = saved.place.stands();
    let report = saved.apply(more).refused(code);
    assert_eq!(saved.place.stands(), before);
    assert!(saved.krewind.journal().is_empty());
    report["groups"][0]["refusal"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn each_commit_that_moved_and_moved_commits_that_are_accepted() {
    let saved = Saved::of(Place::with_records(&[9, 9, 9]).committed(&[7, 5, 3]));
    saved.plan(&["--to-offset", "2"]);
    saved.place.commit(&[8, 5, 4]);
    let message = refused(&saved, "stale-plan", &[]);
    let topic = &saved.place.topic;
    for part in [format!("`{topic}-0` was 7 and is 8"), format!("`{topic}-2` was 3 and is 4")] {
        assert!(message.contains(&part), "{message}");
    }
    assert!(!message.contains(&format!("{topic}-1")), "{message}");
    let report = saved.apply(&["--allow-moved-commits"]).applied();
    // Counted anew: 2..8, 2..5, 2..4.
    assert_eq!(each(&report, "rereads"), [6, 3, 2]);
    assert_eq!(saved.place.stands(), [Some(2); 3]);
}

#[test]
fn targets_counted_from_commits_do_not_take_moved_ones() {
    for (target, flag) in [(&["--shift-by", "-1"][..], "--shift-by"), (&["--to-current"], "--to-current")] {
        let saved = Saved::of(Place::with_records(&[9]).committed(&[7]));
        let file = saved.file();
        let args = ["reset", &saved.place.group, "--topic", &saved.place.topic, "--plan", &file];
        saved.krewind.run(&[&args, target].concat()).exits(0);
        saved.place.commit(&[8]);
        refused(&saved, "stale-plan", &[]);
        saved.apply(&["--allow-moved-commits"]).tells(&format!("a plan of `{flag}`")).error(2, "usage");
        assert_eq!(saved.place.stands(), [Some(8)]);
    }
}

#[test]
fn moved_commits_that_would_skip_more_than_was_reviewed() {
    let saved = Saved::of(Place::with_records(&[9]).committed(&[7]));
    saved.plan(&["--to-offset", "5"]);
    saved.place.commit(&[1]);
    let message = refused(&saved, "would-skip", &["--allow-moved-commits"]);
    assert!(message.contains(&format!("4 on `{}-0` instead of 0", saved.place.topic)), "{message}");
    saved.apply(&["--allow-moved-commits", "--skip-unread", "allow"]).applied();
    assert_eq!(saved.place.stands(), [Some(5)]);
}

#[test]
fn one_group_of_several_keeps_all_from_being_written_unless_the_run_goes_on() {
    let saved = Saved::of(Place::with_records(&[9]).committed(&[7]));
    let other = format!("{}-other", saved.place.group);
    let (cluster, topic, file) = (saved.place.cluster.clone(), saved.place.topic.clone(), saved.file());
    cluster.commit_all(&other, &[(&topic, 0, 6)]).unwrap();
    let args = ["reset", "--group", &other, "--group", &saved.place.group, "--topic", &topic];
    saved.krewind.run(&[&args[..], &["--to-earliest", "--plan", &file]].concat()).exits(0);
    cluster.commit_all(&other, &[(&topic, 0, 8)]).unwrap();
    let stands = || {
        let of = |group: &str| cluster.committed_offsets(group, &topic, &[0]).unwrap()[0];
        (of(&saved.place.group), of(&other))
    };
    // By name, so that the stale one is the second.
    let report = saved.apply(&[]).tells(&format!("(group `{other}`)")).exits(3).json();
    assert_eq!(report["groups"][0]["outcome"], "not-begun");
    assert_eq!(report["groups"][1]["refusal"]["code"], "stale-plan");
    assert_eq!(stands(), (Some(7), Some(8)));
    assert!(saved.krewind.journal().is_empty());
    let report = saved.apply(&["--keep-going"]).exits(1).json();
    assert_eq!(report["groups"][0]["outcome"], "applied");
    assert_eq!(report["groups"][1]["outcome"], "refused");
    assert_eq!(stands(), (Some(0), Some(8)));
}

#[test]
fn a_commit_that_stood_at_its_target_and_left_it() {
    let saved = Saved::of(Place::with_records(&[9, 9]).committed(&[2, 5]));
    saved.plan(&["--to-offset", "2"]);
    saved.place.commit(&[4]);
    assert!(refused(&saved, "stale-plan", &[]).contains("was 2 and is 4"));
    let report = saved.apply(&["--allow-moved-commits"]).applied();
    assert_eq!(each(&report, "action"), ["move", "move"]);
    assert_eq!(saved.place.stands(), [Some(2), Some(2)]);
}

#[test]
fn changed_metadata() {
    let saved = Saved::of(Place::with_records(&[9]).committed(&[7]));
    saved.plan(&["--to-offset", "2"]);
    saved.place.cluster.commit(&saved.place.group, &saved.place.topic, 0, 7, "handed over").unwrap();
    let message = refused(&saved, "stale-plan", &[]);
    assert!(message.contains("metadata of the commit") && message.contains("`handed over`"), "{message}");
}

#[test]
fn a_topic_made_anew_and_one_that_is_gone() {
    let saved = Saved::of(Place::with_records(&[4, 4]).committed(&[3, 3]));
    let plan = saved.plan(&["--to-earliest"]);
    let id = plan["groups"][0]["rows"][0]["topic_id"].as_str().unwrap().to_owned();
    let (cluster, topic) = (saved.place.cluster.clone(), saved.place.topic.clone());
    cluster.delete_topic(&topic).unwrap();
    let report = saved.apply(&["--allow-moved-commits"]).refused("stale-plan");
    let message = report["groups"][0]["refusal"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&format!("`{topic}-0` no longer exists; `{topic}-1` no longer exists")), "{message}");
    cluster.create_topic(&topic, 2, &[]).unwrap();
    saved.place.add(&[4, 4]);
    let report = saved.apply(&["--allow-moved-commits"]).refused("stale-plan");
    let message = report["groups"][0]["refusal"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&format!("topic `{topic}` was made anew: its id was {id} and is ")), "{message}");
    assert!(saved.krewind.journal().is_empty());
}

#[test]
fn a_member_that_joined() {
    let saved = Saved::of(Place::with_records(&[4]).committed(&[3]));
    saved.plan(&["--to-earliest"]);
    let options = MemberOptions::new().client_id("came-later");
    let member = LiveMember::join(&saved.place.cluster, &saved.place.group, &[&saved.place.topic], &options).unwrap();
    assert!(refused(&saved, "group-active", &[]).contains("Stable with 1 member"));
    saved.apply(&[]).tells("client `came-later`").exits(3);
    member.leave();
}

#[test]
fn a_log_that_passed_the_target() {
    let saved = Saved::of(Place::with_records(&[9, 9]).committed(&[7, 7]));
    saved.plan(&["--to-offset", "2"]);
    saved.place.cluster.delete_records(&saved.place.topic, 1, 5).unwrap();
    let message = refused(&saved, "stale-plan", &["--allow-moved-commits"]);
    let part = format!("the log of `{}-1` starts at 5 now, past the new offset 2", saved.place.topic);
    assert!(message.contains(&part) && !message.contains("-0`"), "{message}");
    // A dry run shows it and says so.
    let dry = saved.apply(&["--dry-run"]).exits(0).json();
    assert_eq!(dry["groups"][0]["would_refuse"]["code"], json!("stale-plan"));
    assert_eq!(each(&dry, "log_start_offset"), [0, 5]);
}

#[test]
fn a_group_that_was_deleted() {
    let saved = Saved::of(Place::with_records(&[9]).committed(&[7]));
    saved.plan(&["--to-offset", "2"]);
    let group = saved.place.group.clone();
    crate::reset::place::kafka_consumer_groups(&saved.place.cluster, &["--delete", "--group", &group]);
    let report = saved.apply(&["--allow-moved-commits"]).refused("stale-plan");
    let message = report["groups"][0]["refusal"]["message"].as_str().unwrap();
    assert!(message.contains(&format!("group `{group}` no longer exists")), "{message}");
    assert!(!saved.place.group_exists());
}

#[test]
fn another_cluster() {
    let saved = Saved::of(Place::with_records(&[4]).committed(&[3]));
    saved.plan(&["--to-earliest"]);
    let kafka = Kafka::start().unwrap();
    let twin = saved.place.named_alike_on(kafka.client());
    twin.add(&[4]);
    twin.commit(&[3]);
    let file = saved.file();
    let report = twin.krewind().run(&["apply", &file, "--yes", "-o", "json"]).refused("stale-plan");
    let message = report["groups"][0]["refusal"]["message"].as_str().unwrap();
    let ours = saved.read()["cluster_id"].as_str().unwrap().to_owned();
    assert!(message.contains(&format!("`{ours}`")) && message.contains(kafka.cluster_id()), "{message}");
    assert_eq!(twin.stands(), [Some(3)]);
}
