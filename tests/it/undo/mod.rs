//! What a write replaced is put back, and nothing that moved since is lost.

mod partly;

use crate::reset::place::Place;
use crate::reset::runner::{Krewind, each};
use local_kafka::client::{LiveMember, MemberOptions};
use serde_json::{Value, json};

/// Commits of the place's group as offset and metadata.
fn stands(place: &Place, partitions: &[i32]) -> Vec<Option<(i64, String)>> {
    let committed = place.cluster.committed(&place.group, &place.topic, partitions).unwrap();
    committed.into_iter().map(|commit| commit.map(|commit| (commit.offset, commit.metadata))).collect()
}

fn undo(krewind: &Krewind, args: &[&str]) -> crate::reset::runner::Ran {
    krewind.run(&[&["undo"], args, &["-o", "json"]].concat())
}

/// The id of the newest write that the list tells.
fn newest(krewind: &Krewind) -> String {
    let history = krewind.run(&["undo", "--list", "-o", "json"]).exits(0).json();
    history["entries"][0]["id"].as_str().unwrap().to_owned()
}

fn some(offset: i64, metadata: &str) -> Option<(i64, String)> {
    Some((offset, metadata.to_owned()))
}

#[test]
fn offsets_metadata_and_missing_commits_come_back() {
    let place = Place::with_records(&[9, 9, 9]);
    place.cluster.commit(&place.group, &place.topic, 0, 5, "shard é").unwrap();
    place.cluster.commit(&place.group, &place.topic, 1, 2, "").unwrap();
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--all-topics", "--to-latest", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(9), Some(9), Some(9)]);

    let dry = undo(&krewind, &[&place.group, "--dry-run"]).exits(0).json();
    assert_eq!(each(&dry, "action"), [&json!("move"), &json!("move"), &json!("remove")]);
    assert_eq!(place.stands(), [Some(9), Some(9), Some(9)]);

    let report = undo(&krewind, &[&place.group, "--yes"]).tells("reset").applied();
    assert_eq!((&report["command"], &report["target"]["to"]), (&json!("undo"), &json!("undo")));
    // 5..9 and 2..9 had been skipped by the write: now they are delivered.
    assert_eq!(each(&report, "rereads"), [&json!(4), &json!(7), &json!(null)]);
    assert_eq!(stands(&place, &[0, 1, 2]), [some(5, "shard é"), some(2, ""), None]);

    let history = krewind.run(&["undo", "--list", "-o", "json"]).exits(0).json();
    let [back, first] = history["entries"].as_array().unwrap().as_slice() else { panic!("{history}") };
    assert_eq!((&back["undoes"], &first["undone_by"]), (&first["id"], &back["id"]));
    assert_eq!((&first["outcome"], &first["groups"]), (&json!("applied"), &json!([place.group])));
    assert!(first["command"].as_str().unwrap().contains("--to-latest"));
    // Once is enough: there is nothing left to take back, except the undo itself.
    undo(&krewind, &[&place.group, "--yes"]).error(2, "usage");
    undo(&krewind, &["--id", first["id"].as_str().unwrap(), "--yes"]).error(2, "usage");
    undo(&krewind, &["--id", back["id"].as_str().unwrap(), "--yes"]).applied();
    assert_eq!(place.stands(), [Some(9), Some(9), Some(9)]);
}

#[test]
fn the_last_write_comes_first_and_then_the_one_before() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let krewind = place.krewind();
    for offset in ["5", "7"] {
        krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", offset, "--yes"]).applied();
    }
    undo(&krewind, &[&place.group, "--yes"]).applied();
    assert_eq!(place.stands(), [Some(5)]);
    undo(&krewind, &[&place.group, "--yes"]).applied();
    assert_eq!(place.stands(), [Some(3)]);
}

#[test]
fn what_moved_since_is_refused_kept_or_overwritten() {
    let place = Place::with_records(&[9, 9]).committed(&[3, 3]);
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    place.cluster.commit(&place.group, &place.topic, 0, 6, "").unwrap();
    let refusal = undo(&krewind, &[&place.group, "--yes"]).refused("moved-since");
    assert!(refusal.to_string().contains(&format!("{}-0 from 0 to 6", place.topic)), "{refusal}");
    assert_eq!(place.stands(), [Some(6), Some(0)]);
    let id = newest(&krewind);
    undo(&krewind, &["--id", &id, "--moved", "keep", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(6), Some(3)]);

    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    place.cluster.commit(&place.group, &place.topic, 0, 8, "").unwrap();
    undo(&krewind, &[&place.group, "--moved", "overwrite", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(6), Some(3)]);
}

#[test]
fn a_group_with_members_is_refused() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &MemberOptions::new()).unwrap();
    let refusal = undo(&krewind, &[&place.group, "--yes"]).refused("group-active");
    assert_eq!(refusal["groups"][0]["refusal"]["members"].as_array().unwrap().len(), 1, "{refusal}");
    let dry = undo(&krewind, &[&place.group, "--dry-run"]).exits(0).json();
    assert_eq!(dry["groups"][0]["would_refuse"]["code"], "group-active");
    member.leave();
}

#[test]
fn a_topic_made_anew_is_left_alone_and_said() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let second = Place::with_records(&[4]);
    place.cluster.commit(&place.group, &second.topic, 0, 1, "").unwrap();
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--all-topics", "--to-latest", "--yes"]).applied();
    place.cluster.delete_topic(&second.topic).unwrap();
    place.cluster.create_topic(&second.topic, 1, &[]).unwrap();
    place.cluster.produce_numbers(&second.topic, 0, 4).unwrap();
    let report = undo(&krewind, &[&place.group, "--yes"]).exits(0).json();
    let row = |topic: &str| -> Value {
        let rows = report["groups"][0]["rows"].as_array().unwrap();
        rows.iter().find(|row| row["topic"] == topic).unwrap().clone()
    };
    assert_eq!(row(&place.topic)["outcome"], "applied");
    assert_eq!(row(&second.topic)["action"], "skip");
    assert!(row(&second.topic)["reason"].as_str().unwrap().contains("made anew"), "{report}");
    assert_eq!(place.stands(), [Some(3)]);
    assert_eq!(place.cluster.committed_offsets(&place.group, &second.topic, &[0]).unwrap(), [None]);
}

#[test]
fn a_write_of_several_groups_is_taken_back_as_one_or_group_by_group() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let other = crate::reset::place::unique("group");
    place.cluster.commit(&other, &place.topic, 0, 4, "").unwrap();
    let krewind = place.krewind();
    let both = ["--group", &place.group, "--group", &other, "--topic", &place.topic, "--to-latest", "--yes"];
    krewind.reset(&both).exits(0);
    undo(&krewind, &["--id", &newest(&krewind), "--yes"]).exits(0);
    let of_other = || place.cluster.committed_offsets(&other, &place.topic, &[0]).unwrap();
    assert_eq!((place.stands(), of_other()), (vec![Some(3)], vec![Some(4)]));

    krewind.reset(&both).exits(0);
    undo(&krewind, &[&other, "--yes"]).applied();
    assert_eq!((place.stands(), of_other()), (vec![Some(9)], vec![Some(4)]));
    // The rest of that write is still there to be taken back.
    undo(&krewind, &[&place.group, "--yes"]).applied();
    assert_eq!((place.stands(), of_other()), (vec![Some(3)], vec![Some(4)]));
}

#[test]
fn a_journal_file_from_another_machine() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let there = place.krewind();
    there.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    let (path, _) = there.journal().remove(0);
    let here = place.krewind();
    assert!(here.journal().is_empty());
    undo(&here, &[&place.group, "--yes"]).error(2, "usage");
    undo(&here, &["--journal", path.to_str().unwrap(), "--yes"]).applied();
    assert_eq!(place.stands(), [Some(3)]);

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "{\"kind\": \"journal\"").unwrap();
    undo(&here, &["--journal", file.path().to_str().unwrap(), "--yes"]).error(2, "bad-file");
    let foreign = std::fs::read_to_string(&path).unwrap();
    let entry: Value = serde_json::from_str(&foreign).unwrap();
    let foreign = foreign.replace(entry["cluster_id"].as_str().unwrap(), "AAAAAAAAAAAAAAAAAAAAAA");
    std::fs::write(file.path(), foreign).unwrap();
    undo(&here, &["--journal", file.path().to_str().unwrap(), "--yes"]).error(3, "stale-plan");
}

#[test]
fn a_deleted_group_comes_back_with_its_commits() {
    let place = Place::with_records(&[9, 9]);
    place.cluster.commit(&place.group, &place.topic, 0, 5, "kept").unwrap();
    let krewind = place.krewind();
    krewind.run(&["delete", &place.group, "--yes", "-o", "json"]).applied();
    assert!(!place.group_exists());
    let report = undo(&krewind, &[&place.group, "--yes"]).applied();
    assert_eq!(report["warnings"][0]["code"], "simple-group");
    assert_eq!(stands(&place, &[0, 1]), [some(5, "kept"), None]);
}

#[test]
fn a_write_whose_end_is_not_known_is_spoken_of_and_can_be_taken_back() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    // As the journal is left by a run that was killed after its write.
    let (path, mut entry) = krewind.journal().remove(0);
    entry["state"] = json!("begun");
    entry["ended_at"] = json!(null);
    entry["groups"][0]["outcome"] = json!(null);
    entry["groups"][0]["rows"][0]["outcome"] = json!(null);
    entry["groups"][0]["rows"][0]["read_back"] = json!(null);
    std::fs::write(&path, entry.to_string()).unwrap();
    let id = entry["id"].as_str().unwrap();
    let dry = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-latest", "--dry-run"]).exits(0);
    dry.tells(&format!("the end of write {id}")).tells("undo --id");
    undo(&krewind, &[&place.group, "--yes"]).tells("is not known").applied();
    assert_eq!(place.stands(), [Some(3)]);
    // Taken back, it is spoken of no more.
    let dry = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-latest", "--dry-run"]).exits(0);
    assert!(!dry.stderr.contains("the end of write"), "{dry:?}");
}

#[test]
fn the_list_as_table_and_csv_and_a_broken_file_that_hides_nothing() {
    let place = Place::with_records(&[9]).committed(&[3]);
    let krewind = place.krewind();
    krewind.run(&["undo", "--list"]).exits(0).tells("the journal keeps no write");
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    let table = krewind.run(&["undo", "--list"]).exits(0);
    let id = newest(&krewind);
    let line = table.stdout.lines().find(|line| line.starts_with(&id)).unwrap();
    assert!(line.contains(&place.group) && line.contains("applied") && line.contains("--to-earliest"), "{line}");
    let csv = krewind.run(&["undo", "--list", &place.group, "-o", "csv"]).exits(0);
    assert_eq!(csv.stdout.lines().count(), 2, "{csv:?}");
    let (path, _) = krewind.journal().remove(0);
    std::fs::write(path.with_file_name("20990101T000000-broken.json"), "{").unwrap();
    let ran = krewind.run(&["undo", "--list"]).exits(1).tells("20990101T000000-broken.json");
    assert!(ran.stdout.contains(&id), "{ran:?}");
    krewind.run(&["undo", "--list", "other-group", "-o", "json"]).exits(1);
}

#[test]
fn exactly_one_write_has_to_be_meant() {
    let place = Place::with_records(&[9]).committed(&[3]);
    for args in [&["undo", "--yes"][..], &["undo", "g", "--id", "x"], &["undo", "--id", "x", "--journal", "y"]] {
        place.krewind().run(args).exits(2);
    }
}
