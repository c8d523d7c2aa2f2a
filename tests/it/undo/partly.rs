//! Writes that ended half-way, and undos of undos: what is left to take back is exactly what stands of the write.

use super::{newest, some, stands, undo};
use crate::reset::place::{Place, unique};
use crate::reset::proxy::{Fault, proxied};
use crate::reset::runner::{Krewind, children, each, rows, signal};
use serde_json::json;

#[test]
fn groups_that_an_interrupted_write_did_not_come_to_are_left_alone() {
    let place = Place::on(proxied().cluster(), &[9]);
    let prefix = unique("interrupted");
    let (first, second) = (format!("{prefix}-a"), format!("{prefix}-b"));
    for group in [&first, &second] {
        place.cluster.commit(group, &place.topic, 0, 5, "").unwrap();
    }
    let of = |group: &str| place.cluster.committed_offsets(group, &place.topic, &[0]).unwrap();
    let held = proxied().fault(&first, 0, Fault::HoldRequest);
    let krewind = Krewind::at(proxied().address());
    let args = ["reset", "--group", &first, "--group", &second, "--topic", &place.topic, "--to-earliest", "--yes"];
    let run = krewind.start(&[&args[..], &["-o", "json"]].concat());
    held.happened();
    run.signal("INT");
    held.release();
    let report = run.end().exits(130).json();
    assert_eq!((of(&first), of(&second)), (vec![Some(0)], vec![Some(5)]));
    assert_eq!(report["groups"][1]["outcome"], "not-begun");

    // The second group's consumers went on from where the write left them.
    place.cluster.commit(&second, &place.topic, 0, 8, "theirs").unwrap();
    let id = newest(&krewind);
    undo(&krewind, &[&second, "--yes"]).error(2, "usage");
    let ran = undo(&krewind, &["--id", &id, "--moved", "overwrite", "--yes"]);
    let report = ran.tells(&format!("`{second}` was left as it was by that write (not-begun)")).applied();
    assert_eq!(report["groups"].as_array().unwrap().len(), 1);
    assert_eq!((of(&first), of(&second)), (vec![Some(5)], vec![Some(8)]));
}

#[test]
fn metadata_that_changed_since_is_not_lost() {
    let place = Place::with_records(&[9]);
    place.cluster.commit(&place.group, &place.topic, 0, 5, "before").unwrap();
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]).applied();
    place.cluster.commit(&place.group, &place.topic, 0, 2, "since").unwrap();
    let refusal = undo(&krewind, &[&place.group, "--yes"]).refused("moved-since");
    let words = format!(r#"{}-0 from 2 with metadata "before" to 2 with metadata "since""#, place.topic);
    assert!(refusal["groups"][0]["refusal"]["message"].as_str().unwrap().contains(&words), "{refusal}");
    assert_eq!(stands(&place, &[0]), [some(2, "since")]);
    undo(&krewind, &[&place.group, "--moved", "overwrite", "--yes"]).applied();
    assert_eq!(stands(&place, &[0]), [some(5, "before")]);
}

#[test]
fn the_rest_of_an_undo_that_ended_half_way_can_be_taken_back_yet() {
    let place = Place::on(proxied().cluster(), &vec![1; 1010]);
    place.commit(&vec![0; 1010]);
    let krewind = Krewind::at(proxied().address()).flag("--timeout").flag("5s");
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-latest", "--yes"]).applied();
    assert_eq!(place.stands(), vec![Some(1); 1010]);

    let _lost = proxied().fault(&place.group, 1, Fault::HoldRequest);
    let report = undo(&krewind, &[&place.group, "--yes"]).exits(1).json();
    let back = rows(&report).iter().filter(|row| row["outcome"] == "applied").count();
    assert_eq!((back, place.stands().iter().filter(|offset| **offset == Some(0)).count()), (1000, 1000));

    let report = undo(&krewind, &[&place.group, "--yes"]).applied();
    let actions = each(&report, "action");
    assert_eq!(actions.iter().filter(|action| **action == &json!("keep")).count(), 1000);
    assert_eq!(actions.iter().filter(|action| **action == &json!("move")).count(), 10);
    assert_eq!(place.stands(), vec![Some(0); 1010]);
    undo(&krewind, &[&place.group, "--yes"]).error(2, "usage");
}

#[test]
fn an_undo_that_was_undone_leaves_the_write_to_be_taken_back_again() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]).applied();
    let write = newest(&krewind);
    for _ in 0..2 {
        undo(&krewind, &[&place.group, "--yes"]).applied();
        assert_eq!(place.stands(), [Some(5)]);
        // By id, newest of all: a write of the same second may have an id that sorts before it.
        let history = krewind.run(&["undo", "--list", "-o", "json"]).exits(0).json();
        let entries = history["entries"].as_array().unwrap();
        let by = entries.iter().find(|entry| entry["id"] == json!(write)).unwrap()["undone_by"].clone();
        undo(&krewind, &["--id", by.as_str().unwrap(), "--yes"]).applied();
        assert_eq!(place.stands(), [Some(2)]);
    }
    let history = krewind.run(&["undo", "--list", "-o", "json"]).exits(0).json();
    let open: Vec<_> =
        history["entries"].as_array().unwrap().iter().filter(|entry| entry["undone_by"].is_null()).collect();
    assert!(open.iter().any(|entry| entry["id"] == json!(write)), "{history}");
    undo(&krewind, &[&place.group, "--yes"]).applied();
    assert_eq!(place.stands(), [Some(5)]);
}

#[test]
fn a_write_that_turns_out_to_have_done_nothing_is_spoken_of_no_more() {
    let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
    let held = proxied().fault(&place.group, 0, Fault::HoldRequest);
    let krewind = Krewind::at(proxied().address());
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-offset", "2"];
    let run = krewind.start(&[&args[..], &["--yes"]].concat());
    held.happened();
    // Both processes, before the broker got it.
    let writers = children(run.pid());
    run.signal("KILL");
    writers.iter().for_each(|(pid, _)| signal(*pid, "KILL"));
    run.end();
    drop(held);
    assert_eq!(place.stands(), [Some(5)]);
    let again = || krewind.run(&[&args[..], &["--dry-run"]].concat()).exits(0);
    again().tells("the end of write");
    let report = undo(&krewind, &[&place.group, "--yes"]).exits(0).json();
    assert_eq!(report["outcome"], "nothing-to-do");
    assert!(!again().stderr.contains("the end of write"));
    undo(&krewind, &[&place.group, "--yes"]).error(2, "usage");
}

#[test]
fn an_undo_without_a_journal_is_noted_at_what_it_took_back() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]).applied();
    undo(&krewind, &[&place.group, "--yes", "--no-journal"]).applied();
    assert_eq!(place.stands(), [Some(5)]);
    undo(&krewind, &[&place.group, "--yes"]).error(2, "usage");
}

#[test]
fn a_terminal_that_goes_away_ends_no_write() {
    let place = Place::on(proxied().cluster(), &vec![1; 1010]);
    place.commit(&vec![0; 1010]);
    let held = proxied().fault(&place.group, 0, Fault::HoldRequest);
    let krewind = Krewind::at(proxied().address());
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-latest", "--yes", "-o", "json"];
    let run = krewind.start(&args);
    held.happened();
    run.signal("HUP");
    held.release();
    // Both requests were agreed to, and a lost connection is no word against the second.
    run.end().applied();
    assert_eq!(place.stands(), vec![Some(1); 1010]);
    assert_eq!(krewind.journal()[0].1["state"], "ended");
}
