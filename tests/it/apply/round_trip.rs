//! From `reset --plan` to `apply`, and what Kafka's own tool sees afterwards.

use super::Saved;
use crate::reset::place::{Place, kafka_consumer_groups, unique};
use crate::reset::runner::{each, rows};
use crate::reset::terminal::Terminal;
use local_kafka::client::{LiveMember, MemberOptions};
use serde_json::{Value, json};

/// TOPIC, PARTITION, CURRENT-OFFSET as Kafka's tool describes the group.
fn kafka_says(place: &Place) -> Vec<(String, String)> {
    let text = kafka_consumer_groups(&place.cluster, &["--describe", "--group", &place.group]);
    let mut rows: Vec<(String, String)> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.get(1) == Some(&place.topic.as_str()))
        .map(|words| (words[2].to_owned(), words[3].to_owned()))
        .collect();
    rows.sort();
    rows
}

#[test]
fn a_saved_plan_is_applied_and_the_journal_keeps_what_it_replaced() {
    let saved = Saved::of(Place::with_records(&[9, 6, 4]).committed(&[7, 2]));
    let plan = saved.plan(&["--to-offset", "3"]);
    assert_eq!(
        (&plan["kind"], &plan["command"], &plan["outcome"]),
        (&json!("reset"), &json!("reset"), &json!("planned"))
    );
    assert_eq!(each(&plan, "current_offset"), [&json!(7), &json!(2), &Value::Null]);
    assert_eq!(each(&plan, "new_offset"), [3, 3, 3]);
    // 4, 5 and 6 were read and come again; offset 2 was not and never will.
    assert_eq!((&rows(&plan)[0]["rereads"], &rows(&plan)[1]["skips"]), (&json!(4), &json!(1)));
    assert_eq!(saved.place.stands(), [Some(7), Some(2), None], "saving writes nothing");
    assert!(saved.krewind.journal().is_empty());
    let ran = saved.apply(&[]);
    assert!(ran.stderr.contains("a plan made at "), "{ran}");
    let report = ran.applied();
    assert_eq!(report["command"], "apply");
    assert_eq!(each(&report, "read_back"), [3, 3, 3]);
    assert_eq!(
        kafka_says(&saved.place),
        [("0", "3"), ("1", "3"), ("2", "3")].map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
    let journal = saved.krewind.journal();
    assert_eq!(journal.len(), 1);
    assert_eq!(journal[0].1["groups"][0]["rows"][0]["previous_offset"], 7);
    // Once is enough: the commits are no longer as the plan says.
    let again = saved.apply(&[]).tells("hint: `--allow-moved-commits`").refused("stale-plan");
    let message = again["groups"][0]["refusal"]["message"].as_str().unwrap();
    assert!(message.contains(&format!("the commit on `{}-2` was none and is 3", saved.place.topic)), "{message}");
    assert_eq!(saved.apply(&["--allow-moved-commits"]).exits(0).json()["outcome"], "nothing-to-do");
}

#[test]
fn the_same_state_gives_the_same_file_and_no_file_is_replaced() {
    let saved = Saved::of(Place::with_records(&[5, 5, 5]).committed(&[5, 4, 3]));
    saved.plan(&["--to-earliest"]);
    let without_time = |path: &std::path::Path| {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.ends_with("}\n") && text.lines().count() > 50, "{text}");
        text.lines().filter(|line| !line.contains("\"computed_at\"")).map(str::to_owned).collect::<Vec<_>>()
    };
    let other = saved.dir.path().join("other.json");
    let flags = ["--topic", &saved.place.topic, "--to-earliest", "--plan"];
    let base = [&["reset", saved.place.group.as_str()], &flags[..]].concat();
    saved.krewind.run(&[&base[..], &[other.to_str().unwrap()]].concat()).exits(0);
    assert_eq!(without_time(&saved.path()), without_time(&other));
    let before = std::fs::read(saved.path()).unwrap();
    let file = saved.file();
    let refused = saved.krewind.run(&[&base[..], &[&file, "-o", "json"]].concat()).tells("exists");
    refused.error(2, "usage");
    assert_eq!(std::fs::read(saved.path()).unwrap(), before);
    assert_eq!(saved.dir.path().read_dir().unwrap().count(), 2, "nothing half done is left");
    for flag in ["--yes", "--dry-run", "--wait-empty"] {
        saved.krewind.run(&[&base[..], &["new.json", flag]].concat()).exits(2);
    }
}

#[test]
fn a_password_does_not_stand_in_a_plan() {
    let mut saved = Saved::of(Place::with_records(&[5]).committed(&[5]));
    saved.krewind = saved.krewind.flag("-X").flag("ssl.key.password=hunter2");
    saved.plan(&["--to-earliest"]);
    let text = std::fs::read_to_string(saved.path()).unwrap();
    assert!(!text.contains("hunter2") && !text.contains(saved.place.cluster.bootstrap()), "{text}");
}

#[test]
fn a_plan_that_is_blocked_is_refused_and_leaves_no_file() {
    let saved = Saved::of(Place::with_records(&[5]).committed(&[5]));
    let file = saved.file();
    let args = ["--topic", &saved.place.topic, "--to-offset", "9", "--plan", &file];
    saved.krewind.reset(&[&[saved.place.group.as_str()], &args[..]].concat()).refused("out-of-range");
    assert_eq!(saved.dir.path().read_dir().unwrap().count(), 0);
    // The report of its dry run is no plan that could be applied either.
    let args = ["--topic", &saved.place.topic, "--to-offset", "9", "--dry-run"];
    let dry = saved.krewind.reset(&[&[saved.place.group.as_str()], &args[..]].concat()).exits(0);
    std::fs::write(saved.path(), &dry.stdout).unwrap();
    saved.apply(&[]).error(2, "bad-file");
}

#[test]
fn a_plan_of_an_active_group_is_for_later() {
    let saved = Saved::of(Place::with_records(&[5]).committed(&[5]));
    let (topic, group) = (saved.place.topic.clone(), saved.place.group.clone());
    let member = LiveMember::join(&saved.place.cluster, &group, &[&topic], &MemberOptions::new()).unwrap();
    let file = saved.file();
    saved
        .krewind
        .run(&["reset", &group, "--topic", &topic, "--to-earliest", "--plan", &file])
        .exits(0)
        .tells(&format!("a write would be refused now: group `{group}` is Stable with 1 member"));
    assert_eq!(saved.read()["groups"][0]["would_refuse"]["code"], "group-active");
    saved.apply(&[]).refused("group-active");
    let dry = saved.apply(&["--dry-run"]).exits(0).json();
    assert_eq!(
        (&dry["outcome"], &dry["groups"][0]["would_refuse"]["code"]),
        (&json!("planned"), &json!("group-active"))
    );
    member.leave();
    saved.apply(&["--wait-empty=30s"]).applied();
    assert_eq!(saved.place.stands(), [Some(0)]);
}

#[test]
fn the_plan_stands_above_the_question_and_a_dry_run_asks_nothing() {
    let saved = Saved::of(Place::with_records(&[5]).committed(&[4]));
    saved.plan(&["--to-earliest"]);
    let file = saved.file();
    let dry = saved.krewind.run(&["apply", &file, "--dry-run"]).exits(0);
    assert!(dry.stdout.contains("dry run: nothing was written"), "{dry}");
    saved.krewind.run(&["apply", &file, "-o", "json"]).refused("no-terminal");
    assert_eq!(saved.place.stands(), [Some(4)]);
    saved.krewind.run(&["--read-only", "apply", &file, "-o", "json"]).error(3, "read-only");
    let mut terminal = Terminal::start(&saved.krewind, &["apply", &file, "-o", "json"]);
    terminal.shows("CURRENT-OFFSET");
    terminal.shows(&format!("type {} to apply", saved.place.group));
    terminal.types(&saved.place.group);
    terminal.end().applied();
    assert_eq!(saved.place.stands(), [Some(0)]);
}

#[test]
fn metadata_goes_with_the_plan_and_skipped_rows_stay() {
    let saved = Saved::of(Place::with_records(&[5, 5]));
    let (cluster, topic) = (&saved.place.cluster, &saved.place.topic);
    cluster.commit(&saved.place.group, topic, 0, 4, "left at lunch").unwrap();
    // Nothing to shift from on partition 1.
    let plan = saved.plan(&["--shift-by", "-2"]);
    assert_eq!(each(&plan, "action"), ["move", "skip"]);
    let report = saved.apply(&[]).applied();
    assert_eq!(each(&report, "reason"), [&Value::Null, &json!("no commit to start from: skipped")]);
    let stands = cluster.committed(&saved.place.group, topic, &[0, 1]).unwrap();
    let first = stands[0].as_ref().unwrap();
    assert_eq!((first.offset, first.metadata.as_str(), stands[1].is_none()), (2, "left at lunch", true));
}

#[test]
fn a_plan_of_several_groups_and_of_one_that_it_makes() {
    let saved = Saved::of(Place::with_records(&[5]).committed(&[4]));
    let other = unique("second");
    let (topic, file) = (&saved.place.topic, saved.file());
    let args = ["reset", "--group", &saved.place.group, "--group", &other, "--topic", topic];
    let more = ["--to-offset", "1", "--create-group", "--plan", &file];
    saved.krewind.run(&[&args[..], &more[..]].concat()).exits(0);
    let report = saved.apply(&[]).applied();
    assert_eq!(report["groups"].as_array().unwrap().len(), 2);
    for group in [&saved.place.group, &other] {
        assert_eq!(saved.place.cluster.committed_offsets(group, topic, &[0]).unwrap(), [Some(1)]);
    }
}
