//! How long what a reset leads to is kept, and what it does not reach: said before the write, with numbers.

use super::place::{Place, ago, unique};
use local_kafka::client::{LiveMember, MemberOptions, Record};
use serde_json::Value;

/// The messages of the report's warnings of this code.
fn warned(report: &Value, code: &str) -> Vec<String> {
    let warnings = report["warnings"].as_array().unwrap();
    let of_code = warnings.iter().filter(|warning| warning["code"] == code);
    of_code.map(|warning| warning["message"].as_str().unwrap().to_owned()).collect()
}

/// A topic that keeps records for so long, with a record in each partition, so many seconds old.
fn kept_for(retention_ms: &str, ages: &[i64]) -> Place {
    let place = Place::with_records(&vec![0; ages.len()]);
    let topic = unique("kept");
    let settings = [("retention.ms", retention_ms), ("file.delete.delay.ms", "600000")];
    place.cluster.create_topic(&topic, i32::try_from(ages.len()).unwrap(), &settings).unwrap();
    let place = Place { topic, ..place };
    let records: Vec<Record> = (0..)
        .zip(ages)
        .flat_map(|(partition, age)| {
            let time = super::place::EPOCH + ago(*age) * 1000;
            [time, time + 1].map(|time| Record::to(&place.topic).partition(partition).value("v").timestamp(time))
        })
        .collect();
    place.cluster.produce(&records).unwrap();
    place.commit(&vec![2; ages.len()]);
    place
}

const DAY: i64 = 86_400;

#[test]
fn a_target_that_is_deleted_within_a_day_is_said_with_its_time() {
    let place = kept_for("604800000", &[DAY, 7 * DAY - 7200]);
    let args = [&place.group, "--topic", &place.topic, "--to-earliest", "--dry-run"];
    let ran = place.krewind().reset(&args).exits(0);
    let messages = warned(&ran.json(), "retention-near");
    let [message] = &messages[..] else { panic!("{ran}") };
    // Two hours less than seven days old: until in two hours. The other partition's has six days.
    let words = format!("`{}-1` goes to 0, 0 offsets after the log start", place.topic);
    assert!(message.contains(&words) && message.contains("`retention.ms` = 604800000"), "{message}");
    let until = message.split_once("at least until ").unwrap().1.split_once(' ').unwrap().0;
    let until: jiff::Timestamp = until.parse().unwrap();
    let left = until.as_second() - jiff::Timestamp::now().as_second();
    assert!((7200 - 60..=7200).contains(&left), "{message}");
    assert!(ran.stderr.contains(&words), "{ran}");
    // By time the lookup itself tells; at the end there is nothing to lose.
    let by_time = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-timestamp", "8d", "--dry-run"]);
    assert_eq!(warned(&by_time.json(), "retention-near").len(), 1, "{by_time}");
    let latest = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-latest", "--dry-run"]);
    assert_eq!(warned(&latest.json(), "retention-near"), [""; 0], "{latest}");
    // Of a record in the midst nobody asked for the time.
    let offset = [&place.group, "--topic", &format!("{}:1", place.topic), "--to-offset", "1", "--dry-run"];
    assert_eq!(warned(&place.krewind().reset(&offset).json(), "retention-near"), [""; 0]);
}

#[test]
fn a_topic_that_keeps_everything_is_not_spoken_of() {
    let place = kept_for("-1", &[400 * DAY]);
    let ran = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--dry-run"]).exits(0);
    assert_eq!(warned(&ran.json(), "retention-near"), [""; 0], "{ran}");
}

#[test]
fn until_when_commits_are_kept_follows_the_kind_of_group() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let args = |group: &str| [group, "--topic", &place.topic, "--to-earliest", "--dry-run"].map(str::to_owned);
    let messages = |group: &str| {
        let args = args(group);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        warned(&place.krewind().reset(&args).exits(0).json(), "commit-retention")
    };
    // The broker's default is a week.
    let simple = messages(&place.group);
    assert!(simple[0].contains("kept for 7d from each write") && simple[0].contains("= 10080"), "{simple:?}");
    let joined = unique("joined");
    let member =
        LiveMember::join(&place.cluster, &joined, &[&place.topic], &MemberOptions::new().auto_commit()).unwrap();
    place.cluster.await_committed(&joined, &place.topic, 0, 9).unwrap();
    assert_eq!(messages(&joined), [""; 0]);
    member.leave();
    let left = messages(&joined);
    assert!(left[0].contains("from when the group became empty, a moment that Kafka does not tell"), "{left:?}");
}

#[test]
fn a_streams_application_keeps_its_state() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let changelog = format!("{}-counts-store-changelog", place.group);
    place.cluster.create_topic(&changelog, 1, &[]).unwrap();
    let ran = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--dry-run"]).exits(0);
    let messages = warned(&ran.json(), "streams-state");
    assert!(messages[0].contains(&format!("`{changelog}`")), "{ran}");
    ran.tells("kafka-streams-application-reset");
}

#[test]
fn partitions_without_a_commit_are_named_under_all_topics() {
    let place = Place::with_records(&[9, 9, 9]).committed(&[5]);
    let krewind = place.krewind();
    let ran = krewind.reset(&[&place.group, "--all-topics", "--to-earliest", "--dry-run"]).exits(0);
    let messages = warned(&ran.json(), "without-commit");
    let words = format!("partitions 1, 2 of `{}` have no commit of `{}`", place.topic, place.group);
    assert!(messages.len() == 1 && messages[0].starts_with(&words) && messages[0].ends_with("they get one"), "{ran}");
    // Those that were named need no word.
    let named = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--dry-run"]).exits(0);
    assert_eq!(warned(&named.json(), "without-commit"), [""; 0], "{named}");
}
