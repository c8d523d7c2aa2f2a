//! Times: Kafka's rule is the first offset whose record has that time or a later one, in the order of offsets.

use super::place::{EPOCH, Place, kafkas_plan};
use super::runner::{Ran, each};
use serde_json::json;

/// A time as Kafka's own tool takes it, in seconds after [`EPOCH`].
fn kafkas(millis_after: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(EPOCH + millis_after).unwrap();
    moment.strftime("%Y-%m-%dT%H:%M:%S%.3f").to_string()
}

fn to(place: &Place, millis_after: i64, more: &[&str]) -> Ran {
    let time = (EPOCH + millis_after).to_string();
    place.krewind().reset(&[&[&place.group, "--topic", &place.topic, "--to-timestamp", &time], more].concat())
}

#[test]
fn before_the_first_on_a_record_between_two_and_on_the_last() {
    // Offsets 0 to 4.
    let place = Place::dated(&[&[10, 20, 20, 30, 40]]).committed(&[5]);
    for (millis, offset, timestamp) in [
        (0, 0, "2023-11-14T22:13:30.000Z"),
        (10_000, 0, "2023-11-14T22:13:30.000Z"),
        (10_001, 1, "2023-11-14T22:13:40.000Z"),
        (20_000, 1, "2023-11-14T22:13:40.000Z"),
        (20_001, 3, "2023-11-14T22:13:50.000Z"),
        (29_999, 3, "2023-11-14T22:13:50.000Z"),
        (40_000, 4, "2023-11-14T22:14:00.000Z"),
    ] {
        place.commit(&[5]);
        let report = to(&place, millis, &["--yes"]).applied();
        assert_eq!(place.stands(), [Some(offset)], "{millis} ms");
        assert_eq!(each(&report, "new_timestamp"), [timestamp], "{millis} ms");
        assert_eq!(each(&report, "requested"), [offset], "{millis} ms");
        assert_eq!(report["target"]["timestamp_ms"], EPOCH + millis);
    }
    // Kafka's own tool, once, for a time between two records.
    let kafka = kafkas_plan(&place.cluster, &place.group, &["--topic", &place.topic, "--to-datetime", &kafkas(20_001)]);
    assert_eq!(kafka, [(place.topic.clone(), 0, 3)]);
}

#[test]
fn out_of_order_times_follow_the_order_of_offsets_as_in_kafka() {
    let place = Place::dated(&[&[50, 10, 60, 20, 55], &[30, 20, 10, 40]]).committed(&[5, 4]);
    let kafka = kafkas_plan(&place.cluster, &place.group, &["--topic", &place.topic, "--to-datetime", &kafkas(52_000)]);
    // The first one at or after 52 s is the 60 s record at offset 2, though 55 s comes later; partition 1 has none.
    assert_eq!(kafka, [(place.topic.clone(), 0, 2), (place.topic.clone(), 1, 4)]);
    to(&place, 52_000, &["--yes"]).applied();
    assert_eq!(place.stands(), [Some(2), Some(4)]);
    for (seconds, expected) in [(15, [0, 0]), (31, [0, 3]), (50, [0, 4]), (60, [2, 4])] {
        to(&place, seconds * 1000, &["--yes", "--skip-unread", "allow"]).exits(0);
        assert_eq!(place.stands(), expected.map(Some), "{seconds} s");
    }
}

#[test]
fn after_the_last_record_the_policy_decides() {
    // An empty partition, one whose records are all older, and one with a record at that time.
    let place = Place::dated(&[&[], &[10, 20], &[10, 50]]).committed(&[0, 1, 0]);
    let refused = to(&place, 45_000, &["--yes", "--no-record", "fail"]).refused("no-record-at-time");
    let message = refused["groups"][0]["refusal"]["message"].as_str().unwrap();
    assert!(message.contains(&format!("`{}-0`, `{}-1`", place.topic, place.topic)), "{message}");
    assert!(!message.contains(&format!("{}-2", place.topic)), "{message}");
    assert_eq!(each(&refused, "reason")[..2], ["partition is empty", "no record at or after that time"]);
    assert_eq!(place.stands(), [Some(0), Some(1), Some(0)]);

    let report = to(&place, 45_000, &["--yes", "--no-record", "skip", "--skip-unread", "allow"]).applied();
    assert_eq!(each(&report, "action"), ["skip", "skip", "move"]);
    assert_eq!(each(&report, "new_offset"), [&json!(null), &json!(null), &json!(1)]);
    assert_eq!(report["total"]["skipped"], 2);
    assert_eq!(place.stands(), [Some(0), Some(1), Some(1)]);

    let report = to(&place, 45_000, &["--yes", "--skip-unread", "allow"]).applied();
    assert_eq!(each(&report, "new_offset"), [0, 2, 1]);
    assert_eq!(each(&report, "requested"), [&json!(null), &json!(null), &json!(1)]);
    assert_eq!(
        each(&report, "reason"),
        [&json!("partition is empty: latest"), &json!("no record at or after that time: latest"), &json!(null)]
    );
    assert_eq!(place.stands(), [Some(0), Some(2), Some(1)]);
}

#[test]
fn a_partition_emptied_by_retention_is_empty_at_its_end() {
    let place = Place::dated(&[&[10, 20, 30]]).committed(&[2]);
    place.cluster.delete_records(&place.topic, 0, 3).unwrap();
    let report = to(&place, 15_000, &["--yes"]).applied();
    assert_eq!(each(&report, "reason"), ["partition is empty: latest"]);
    // What the group had not read is gone already: nothing more is skipped.
    assert_eq!(each(&report, "skips"), [0]);
    assert_eq!(place.stands(), [Some(3)]);
}

#[test]
fn a_time_in_the_future_is_refused_as_usage() {
    let place = Place::dated(&[&[10]]).committed(&[0]);
    for time in ["2999-01-01T00:00:00Z", "2999-01-01"] {
        let args = [&place.group, "--topic", &place.topic, "--to-timestamp", time, "--yes"];
        let error = place.krewind().reset(&args).error(2, "usage");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("lies in the future") && message.contains("2999-01-01T00:00:00.000Z"), "{message}");
    }
    assert_eq!(place.stands(), [Some(0)]);
}

#[test]
fn the_zone_is_taken_from_the_time_or_from_tz_and_the_instant_is_echoed() {
    let place = Place::dated(&[&[10, 20, 30]]).committed(&[3]);
    // 22:13:35 UTC lies between the first and the second record.
    for (time, zone) in [
        ("2023-11-14T22:13:35Z", "UTC"),
        ("2023-11-15T03:43:35+05:30", "UTC"),
        ("2023-11-15T03:43:35+0530", "Europe/Berlin"),
        ("2023-11-14 23:13:35", "Europe/Berlin"),
        ("1700000015", "UTC"),
        ("1700000015000", "America/New_York"),
    ] {
        place.commit(&[3]);
        let args = [&place.group, "--topic", &place.topic, "--to-timestamp", time, "--tz", zone, "--yes"];
        let ran = place.krewind().reset(&args).tells("2023-11-14T22:13:35.000Z = 1700000015000 ms");
        let report = ran.applied();
        assert_eq!(report["target"]["timestamp"], "2023-11-14T22:13:35.000Z", "{time} {zone}");
        assert_eq!(place.stands(), [Some(1)], "{time} {zone}");
    }
}

#[test]
fn moving_past_unread_records_needs_a_word_under_yes() {
    // Partition 0 was read up to 4 of 4, partition 1 not at all, partition 2 never.
    let place = Place::dated(&[&[10, 20, 30, 40], &[10, 20, 30, 40], &[10, 20, 30]]).committed(&[4, 0]);
    let before = [Some(4), Some(0), None];
    let refused = to(&place, 25_000, &["--yes"]).refused("would-skip");
    let message = refused["groups"][0]["refusal"]["message"].as_str().unwrap();
    assert!(message.starts_with("2 offsets") && message.ends_with(&format!("in `{}-1`", place.topic)), "{message}");
    assert_eq!(each(&refused, "skips"), [&json!(0), &json!(2), &json!(null)]);
    assert_eq!(place.stands(), before);
    // The same without a skip needs no word.
    let some = format!("{}:0,2", place.topic);
    let time = (EPOCH + 25_000).to_string();
    place.krewind().reset(&[&place.group, "--topic", &some, "--to-timestamp", &time, "--yes"]).applied();
    assert_eq!(place.stands(), [Some(2), Some(0), Some(2)]);

    place.commit(&[4, 0]);
    let report = to(&place, 35_000, &["--yes", "--skip-unread", "keep"]).applied();
    assert_eq!(each(&report, "action"), ["move", "skip", "skip"]);
    assert_eq!(report["total"]["skips"], 0);
    assert_eq!(place.stands(), [Some(3), Some(0), Some(2)]);

    place.commit(&[4, 0]);
    let report = to(&place, 25_000, &["--yes", "--skip-unread", "allow"]).applied();
    assert_eq!(report["total"]["skips"], 2);
    assert_eq!(place.stands(), [Some(2), Some(2), Some(2)]);
}
