//! Writes of more partitions than one request takes, and what comes between the two requests.

use super::place::Place;
use super::proxy::{Awaited, Fault, proxied};
use super::runner::{Krewind, Running, each, rows};
use super::secured::{alice, allow, place as secured_place};
use local_kafka::Resource;
use serde_json::{Value, json};
use std::sync::OnceLock;

/// The last ten go in a request of their own.
const PARTITIONS: usize = 1010;
const FIRST: usize = 1000;

/// A write of all partitions of a group that stands at 0, in which this happens to the request after so many that pass.
fn writing(command: &[&str], let_pass: usize, fault: Fault) -> (Place, Krewind, Running, Awaited) {
    static TOPIC: OnceLock<Place> = OnceLock::new();
    let place = TOPIC.get_or_init(|| Place::on(proxied().cluster(), &vec![1; PARTITIONS])).with_another_group();
    place.commit(&vec![0; PARTITIONS]);
    let awaited = proxied().fault(&place.group, let_pass, fault);
    let krewind = Krewind::at(proxied().address()).flag("--timeout").flag("10s");
    let scope = ["--group", &place.group, "--topic", &place.topic, "--yes", "-o", "json"];
    let run = krewind.start(&[command, &scope].concat());
    awaited.happened();
    (place, krewind, run, awaited)
}

/// So many of the one and the rest of the other, by partition.
fn split<T: Clone>(first: T, second: T) -> Vec<T> {
    [vec![first; FIRST], vec![second; PARTITIONS - FIRST]].concat()
}

/// That rows and journal tell what the broker has now, and what was there before is in the journal.
#[track_caller]
fn told_as_it_stands(place: &Place, krewind: &Krewind, report: &Value) {
    for (row, stands) in rows(report).iter().zip(place.stands()) {
        assert_eq!(row["read_back"], json!(stands), "{row}");
    }
    let entries = krewind.journal();
    let [(_, entry)] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((&entry["state"], &entry["groups"][0]["outcome"]), (&json!("ended"), &report["groups"][0]["outcome"]));
    let journalled = entry["groups"][0]["rows"].as_array().unwrap();
    assert_eq!(journalled.len(), PARTITIONS);
    for (kept, row) in journalled.iter().zip(rows(report)) {
        let same = ["partition", "outcome", "read_back"];
        assert_eq!(same.map(|field| &kept[field]), same.map(|field| &row[field]), "{kept} {row}");
        assert_eq!(kept["previous_offset"], 0, "{kept}");
    }
}

/// That an interrupted write stopped after its first request, and `undo` takes back that alone.
#[track_caller]
fn interrupted(place: &Place, krewind: &Krewind, run: Running, held: &Awaited, first: Option<i64>) {
    run.signal("INT");
    held.release();
    let ran = run.end().exits(130);
    let report = ran.json();
    assert_eq!(report["outcome"], "partial");
    assert_eq!(place.stands(), split(first, Some(0)));
    told_as_it_stands(place, krewind, &report);
    for (row, expected) in rows(&report).iter().zip(split("applied", "failed")) {
        assert_eq!(row["outcome"], expected, "{row}");
        let said = if expected == "applied" { json!(null) } else { json!("not sent: interrupted") };
        assert_eq!(row["error"], said, "{row}");
    }
    assert_eq!(report["total"]["failed"], PARTITIONS - FIRST);

    // Consumers went on from where the second request left its partitions.
    place.cluster.commit(&place.group, &place.topic, 1009, 1, "").unwrap();
    krewind.run(&["undo", &place.group, "--yes", "-o", "json"]).applied();
    let mut expected = vec![Some(0); PARTITIONS];
    expected[1009] = Some(1);
    assert_eq!(place.stands(), expected);
}

#[test]
fn the_connection_breaks_before_the_broker_got_the_second() {
    let (place, krewind, run, _) = writing(&["reset", "--to-latest"], 1, Fault::LoseRequest);
    let ran = run.end();
    let report = ran.json();
    let (outcome, second) = match ran.code {
        // Sent again.
        Some(0) => ("applied", ("applied", Some(1))),
        Some(1) => ("unknown", ("unknown", Some(0))),
        _ => panic!("{ran}"),
    };
    assert_eq!(report["outcome"], outcome);
    assert_eq!(place.stands(), split(Some(1), second.1));
    assert_eq!(each(&report, "outcome"), split("applied", second.0));
    told_as_it_stands(&place, &krewind, &report);
}

#[test]
fn the_answer_of_the_second_is_lost_and_is_read_back() {
    let (place, krewind, run, _) = writing(&["reset", "--to-latest"], 1, Fault::LoseAnswer);
    let report = run.end().applied();
    assert_eq!(place.stands(), vec![Some(1); PARTITIONS]);
    assert_eq!(each(&report, "outcome"), vec!["applied"; PARTITIONS]);
    told_as_it_stands(&place, &krewind, &report);
}

#[test]
fn ctrl_c_under_the_first_leaves_the_second_unsent() {
    let (place, krewind, run, held) = writing(&["reset", "--to-latest"], 0, Fault::HoldRequest);
    interrupted(&place, &krewind, run, &held, Some(1));
}

#[test]
fn ctrl_c_under_the_first_of_two_removals() {
    let (place, krewind, run, held) = writing(&["delete-offsets"], 0, Fault::HoldRequest);
    interrupted(&place, &krewind, run, &held, None);
}

#[test]
fn one_row_of_the_second_fails_and_the_others_are_written() {
    let place = secured_place(&vec![1; PARTITIONS - 5]);
    place.commit(&vec![0; PARTITIONS - 5]);
    // Last by name: its row stands in the second request.
    let denied = format!("{}-denied", place.topic);
    place.cluster.create_topic(&denied, 1, &[]).unwrap();
    place.cluster.commit(&place.group, &denied, 0, 7, "").unwrap();
    allow("alice", "Read", Resource::Group(&place.group));
    allow("alice", "Read", Resource::Topic(&place.topic));
    allow("alice", "Describe", Resource::Topic(&denied));
    let krewind = alice();
    let args = [&place.group, "--topic", &place.topic, "--topic", &denied, "--to-latest", "--yes"];
    let ran = krewind.reset(&args).exits(1);
    let report = ran.json();
    assert_eq!(report["outcome"], "partial");
    let (last, others) = rows(&report).split_last().unwrap();
    assert_eq!((&last["topic"], &last["outcome"], &last["read_back"]), (&json!(denied), &json!("failed"), &json!(7)));
    assert!(last["error"].as_str().unwrap().contains("TOPIC_AUTHORIZATION_FAILED"), "{last}");
    assert!(ran.stderr.contains(&format!("{denied}-0 of `{}` failed: ", place.group)), "{}", ran.stderr);
    for row in others {
        assert_eq!((&row["outcome"], &row["read_back"], &row["error"]), (&json!("applied"), &json!(1), &json!(null)));
    }
    assert_eq!(place.stands(), vec![Some(1); PARTITIONS - 5]);
    assert_eq!(place.cluster.committed_offsets(&place.group, &denied, &[0]).unwrap(), [Some(7)]);
}
