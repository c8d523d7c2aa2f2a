//! Plans that were edited: what still makes sense is taken and shown anew, nonsense is refused by its row.

use super::Saved;
use crate::reset::place::Place;
use crate::reset::runner::each;
use serde_json::{Value, json};

fn saved() -> Saved {
    // Rows: 7 -> 2 rereads 5, 2 -> 2 stays, none -> 2.
    let saved = Saved::of(Place::with_records(&[9, 9, 9]).committed(&[7, 2]));
    saved.plan(&["--to-offset", "2"]);
    saved
}

#[test]
fn a_row_edited_with_its_counts_is_applied() {
    let saved = saved();
    let mut plan = saved.read();
    // To 4 instead of 2: offsets 4, 5, 6 come again, 5 are left to read.
    let row = &mut plan["groups"][0]["rows"][0];
    row["new_offset"] = json!(4);
    row["rereads"] = json!(3);
    row["lag_after"] = json!(5);
    plan["groups"][0]["total"]["rereads"] = json!(3);
    plan["total"]["rereads"] = json!(3);
    saved.write(&plan);
    let report = saved.apply(&[]).applied();
    assert_eq!(each(&report, "new_offset"), [4, 2, 2]);
    assert_eq!(each(&report, "reason")[0], "edited: the plan's target was 2");
    assert_eq!(saved.place.stands(), [Some(4), Some(2), Some(2)]);
}

#[test]
fn nonsense_is_refused_by_its_row() {
    let saved = saved();
    let whole = saved.read();
    let topic = saved.place.topic.clone();
    let at = |partition: i32| format!("at `{topic}-{partition}` of group `{}`", saved.place.group);
    let rows = "/groups/0/rows";
    let edits: Vec<(String, Value, Vec<String>)> = vec![
        ("/kind".into(), json!("describe"), vec!["`describe`".into()]),
        ("/version".into(), json!(2), vec!["version 2".into()]),
        ("/command".into(), json!("delete"), vec!["comes from `krewind delete`".into()]),
        ("/command".into(), json!("undo"), vec!["comes from `krewind undo`".into()]),
        ("/outcome".into(), json!("applied"), vec!["`outcome` `applied`".into()]),
        ("/groups/0/outcome".into(), json!("refused"), vec!["`outcome` `refused`".into()]),
        ("/groups".into(), json!([]), vec!["names no group".into()]),
        ("/groups/0/group".into(), json!(""), vec!["without a name".into()]),
        ("/total/moved".into(), json!(9), vec!["its `total` says 9 for `moved`, and the rows make 2".into()]),
        ("/groups/0/total/rereads".into(), json!(4), vec!["says 4 for `rereads`, and the rows make 5".into()]),
        (format!("{rows}/0/new_offset"), json!(3), vec![at(0), "`lag_after` is 7, and its offsets make 6".into()]),
        (format!("{rows}/0/new_offset"), json!(-3), vec![at(0), "`new_offset` is -3".into()]),
        (format!("{rows}/0/new_offset"), json!(10), vec![at(0), "10 lies outside the log, 0 to 9".into()]),
        (format!("{rows}/0/new_offset"), json!(null), vec![at(0), "without a `new_offset`".into()]),
        (format!("{rows}/0/new_offset"), json!("2"), vec!["is no whole report".into()]),
        (format!("{rows}/0/rereads"), json!(6), vec![at(0), "`rereads` is 6, and its offsets make 5".into()]),
        (format!("{rows}/2/rereads"), json!(0), vec![at(2), "`rereads` is 0, and its offsets make null".into()]),
        (format!("{rows}/0/action"), json!("keep"), vec![at(0), "`action` is `keep`".into()]),
        (format!("{rows}/1/action"), json!("move"), vec![at(1), "stands at 2 already".into()]),
        (format!("{rows}/1/action"), json!("skip"), vec![at(1), "`skip`, yet `new_offset` is 2".into()]),
        (format!("{rows}/1/action"), json!("remove"), vec![at(1), "`remove`".into()]),
        (format!("{rows}/1/action"), json!("destroy"), vec!["destroy".into()]),
        (format!("{rows}/1/partition"), json!(0), vec![at(0), "stands there twice".into()]),
        (format!("{rows}/1/partition"), json!(-1), vec!["is no partition".into()]),
        (format!("{rows}/0/log_end_offset"), json!(null), vec![at(0), "only some of the log's offsets".into()]),
        (format!("{rows}/0/outcome"), json!("applied"), vec![at(0), "outcome of a write".into()]),
        (format!("{rows}/0/current_offset"), json!(8), vec![at(0), "`lag_before` is 2, and its offsets make 1".into()]),
    ];
    for (pointer, value, words) in edits {
        let mut plan = whole.clone();
        *plan.pointer_mut(&pointer).unwrap() = value.clone();
        saved.write(&plan);
        let ran = words.iter().fold(saved.apply(&[]), |ran, words| ran.tells(words));
        ran.error(2, "bad-file");
    }
    // A field that is not known, one that stands there twice, a group that does, half a file, and no file.
    let mut plan = whole.clone();
    plan["groups"][0]["rows"][1]["new_ofset"] = json!(5);
    saved.write(&plan);
    saved.apply(&[]).tells(&format!("a field `new_ofset` at `{topic}-1`")).error(2, "bad-file");
    let mut plan = whole.clone();
    let group = plan["groups"][0].clone();
    plan["groups"].as_array_mut().unwrap().push(group);
    saved.write(&plan);
    saved.apply(&[]).tells("twice").error(2, "bad-file");
    let text = serde_json::to_string_pretty(&whole).unwrap();
    let twice = text.replacen("\"new_offset\": 2,", "\"new_offset\": 2,\n\"new_offset\": 8,", 1);
    std::fs::write(saved.path(), twice).unwrap();
    saved.apply(&[]).tells("duplicate field `new_offset` at line ").error(2, "bad-file");
    std::fs::write(saved.path(), &text[..text.len() / 2]).unwrap();
    saved.apply(&[]).error(2, "bad-file");
    std::fs::remove_file(saved.path()).unwrap();
    saved.apply(&[]).error(2, "bad-file");
    assert_eq!(saved.place.stands(), [Some(7), Some(2), None]);
    assert!(saved.krewind.journal().is_empty());
}

#[test]
fn a_snapshot_is_no_plan() {
    let saved = saved();
    std::fs::remove_file(saved.path()).unwrap();
    saved.krewind.run(&["describe", &saved.place.group, "--save", &saved.file()]).exits(0);
    saved.apply(&[]).tells("is a snapshot, not a plan").error(2, "bad-file");
}
