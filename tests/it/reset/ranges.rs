//! Targets outside the log.

use super::place::{Place, kafkas_plan};
use super::runner::each;
use serde_json::json;

/// Partition 0 holds 4 to 10, partition 1 holds 0 to 6.
fn place() -> Place {
    let place = Place::with_records(&[10, 6]).committed(&[5, 5]);
    place.cluster.delete_records(&place.topic, 0, 4).unwrap();
    place
}

#[test]
fn past_the_end_or_before_the_start_nothing_moves_at_all() {
    let place = place();
    for (offset, names, reasons) in [
        ("8", [1].as_slice(), [json!(null), json!("8 is 2 past the end 6")]),
        ("3", &[0], [json!("3 is 1 before the log start 4"), json!(null)]),
        ("11", &[0, 1], [json!("11 is 1 past the end 10"), json!("11 is 5 past the end 6")]),
    ] {
        let args = [&place.group, "--topic", &place.topic, "--to-offset", offset, "--yes"];
        let ran = place.krewind().reset(&args).tells("hint: `--out-of-range clamp`");
        let report = ran.refused("out-of-range");
        let message = report["groups"][0]["refusal"]["message"].as_str().unwrap();
        for partition in 0..2 {
            let named = message.contains(&format!("`{}-{partition}`", place.topic));
            assert_eq!(named, names.contains(&partition), "{message}");
        }
        assert_eq!(each(&report, "reason"), [&reasons[0], &reasons[1]]);
        assert_eq!(place.stands(), [Some(5), Some(5)], "to {offset}");
    }
}

#[test]
fn clamped_to_where_kafkas_own_tool_goes() {
    let place = place();
    for (offset, expected) in [("8", [8, 6]), ("3", [4, 3]), ("999999", [10, 6])] {
        let kafka = kafkas_plan(&place.cluster, &place.group, &["--topic", &place.topic, "--to-offset", offset]);
        assert_eq!(kafka.iter().map(|row| row.2).collect::<Vec<_>>(), expected);
        let args = [&place.group, "--topic", &place.topic, "--to-offset", offset, "--out-of-range", "clamp", "--yes"];
        let report = place.krewind().reset(&args).exits(0).json();
        assert_eq!(each(&report, "requested"), [offset.parse::<i64>().unwrap(); 2]);
        assert_eq!(place.stands(), expected.map(Some), "to {offset}");
    }
    let args = [&place.group, "--topic", &place.topic, "--to-offset", "0", "--out-of-range", "clamp", "--yes"];
    let report = place.krewind().reset(&args).applied();
    assert_eq!(each(&report, "reason"), [&json!("clamped: 0 is 4 before the log start 4"), &json!(null)]);
    assert_eq!(place.stands(), [Some(4), Some(0)]);
}

#[test]
fn a_commit_outside_the_log_can_be_brought_back() {
    let place = Place::with_records(&[10, 6]).committed(&[2, 6]);
    place.cluster.delete_records(&place.topic, 0, 4).unwrap();
    // Kafka takes any number; so did a tool that wrote 900.
    place.cluster.commit(&place.group, &place.topic, 1, 900, "").unwrap();
    let report = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-offset", "5", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(5), Some(5)]);
    // 2 and 3 were lost before: only 4 is skipped. Of the 894 offsets beyond the end none exists.
    assert_eq!(each(&report, "skips"), [1, 0]);
    assert_eq!(each(&report, "rereads"), [0, 1]);
    assert_eq!(each(&report, "lag_before"), [6, 0]);
}
