//! Several groups in one plan: one table, one question, an outcome for each.

use super::place::{Place, unique};
use super::terminal::Terminal;
use local_kafka::client::{LiveMember, MemberOptions};
use serde_json::{Value, json};

/// Outcomes by group.
fn outcomes(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    report["groups"].as_array().unwrap().iter().map(|group| (text(&group["group"]), text(&group["outcome"]))).collect()
}

/// Two groups of one prefix on one topic, the first by name first.
fn two(place: &Place) -> (String, String, String) {
    let prefix = unique("several");
    let (first, second) = (format!("{prefix}-a"), format!("{prefix}-b"));
    place.cluster.commit(&first, &place.topic, 0, 4, "").unwrap();
    place.cluster.commit(&second, &place.topic, 0, 6, "").unwrap();
    (format!("{prefix}-*"), first, second)
}

#[test]
fn all_that_match_in_one_write() {
    let place = Place::with_records(&[9]);
    let (glob, first, second) = two(&place);
    let krewind = place.krewind();
    let report =
        krewind.reset(&["--matching", &glob, "--topic", &place.topic, "--to-earliest", "--yes"]).exits(0).json();
    let applied = "applied".to_owned();
    assert_eq!(outcomes(&report), [(first.clone(), applied.clone()), (second.clone(), applied)]);
    assert_eq!((&report["outcome"], &report["total"]["rereads"]), (&json!("applied"), &json!(10)));
    for group in [&first, &second] {
        assert_eq!(place.cluster.committed_offsets(group, &place.topic, &[0]).unwrap(), [Some(0)]);
    }
    // One write in the journal, of both.
    let entries = krewind.journal();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].1["groups"].as_array().unwrap().len(), 2);
    krewind.reset(&["--matching", "no-such-*", "--topic", &place.topic, "--to-earliest", "--yes"]).error(2, "usage");
}

#[test]
fn an_active_one_refuses_all_unless_the_others_may_go_on() {
    let place = Place::with_records(&[9]);
    let (glob, first, second) = two(&place);
    let member = LiveMember::join(&place.cluster, &first, &[&place.topic], &MemberOptions::new()).unwrap();
    let krewind = place.krewind();
    let stands = |group: &str| place.cluster.committed_offsets(group, &place.topic, &[0]).unwrap();
    let args = ["--matching", &glob, "--topic", &place.topic, "--to-earliest", "--yes"];
    let report = krewind.reset(&args).exits(3).json();
    assert_eq!(outcomes(&report), [(first.clone(), "refused".to_owned()), (second.clone(), "not-begun".to_owned())]);
    assert_eq!(report["groups"][0]["refusal"]["code"], "group-active");
    assert_eq!(stands(&second), [Some(6)]);

    // Something was written, so this is no 3.
    let report = krewind.reset(&[&args[..], &["--keep-going"]].concat()).exits(1).json();
    assert_eq!(outcomes(&report), [(first.clone(), "refused".to_owned()), (second.clone(), "applied".to_owned())]);
    assert_eq!(report["outcome"], "partial");
    assert_eq!((stands(&first), stands(&second)), (vec![Some(4)], vec![Some(0)]));
    member.leave();
}

#[test]
fn a_person_types_their_number() {
    let place = Place::with_records(&[9]);
    let (glob, first, second) = two(&place);
    let krewind = place.krewind();
    let stands = |group: &str| place.cluster.committed_offsets(group, &place.topic, &[0]).unwrap();
    let args = ["reset", "--matching", &glob, "--topic", &place.topic, "--to-earliest", "-o", "json"];
    let mut terminal = Terminal::start(&krewind, &args);
    terminal.shows("type 2 to apply to 2 groups");
    terminal.types("3");
    let report = terminal.end().exits(3).json();
    assert_eq!(report["groups"][0]["refusal"]["code"], "declined");
    assert_eq!((stands(&first), stands(&second)), (vec![Some(4)], vec![Some(6)]));
    let mut terminal = Terminal::start(&krewind, &args);
    terminal.shows("type 2 to apply to 2 groups");
    terminal.types("2");
    assert_eq!(terminal.end().exits(0).json()["outcome"], "applied");
    assert_eq!((stands(&first), stands(&second)), (vec![Some(0)], vec![Some(0)]));
}

#[test]
fn more_partitions_than_one_request_takes() {
    let place = Place::with_records(&[0]);
    let topic = unique("wide");
    place.cluster.create_topic(&topic, 1500, &[]).unwrap();
    place.cluster.produce_numbers(&topic, 1200, 5).unwrap();
    let group = unique("group");
    let offsets: Vec<(&str, i32, i64)> = (0..1500).map(|partition| (topic.as_str(), partition, 0)).collect();
    place.cluster.commit_all(&group, &offsets[..900]).unwrap();
    let krewind = place.krewind();
    let report = krewind.reset(&[&group, "--topic", &topic, "--to-latest", "--yes"]).applied();
    let total = &report["groups"][0]["total"];
    // 900 commits stand at 0 already, where their partitions end; 600 had none.
    assert_eq!((&total["kept"], &total["moved"], &total["unknown"]), (&json!(900), &json!(600), &json!(600)));
    let all: Vec<i32> = (0..1500).collect();
    let expected: Vec<Option<i64>> = all.iter().map(|&partition| Some(if partition == 1200 { 5 } else { 0 })).collect();
    assert_eq!(place.cluster.committed_offsets(&group, &topic, &all).unwrap(), expected);
    place
        .krewind()
        .reset(&[&group, "--topic", &topic, "--to-offset", "0", "--out-of-range", "clamp", "--yes"])
        .applied();
    krewind.run(&["delete-offsets", &group, "--topic", &topic, "--yes", "-o", "json"]).applied();
    assert_eq!(place.cluster.committed_offsets(&group, &topic, &all).unwrap(), vec![None; 1500]);
    krewind.run(&["undo", &group, "--yes", "-o", "json"]).applied();
    assert_eq!(place.cluster.committed_offsets(&group, &topic, &all).unwrap(), vec![Some(0); 1500]);
}
