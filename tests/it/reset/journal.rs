//! What a write replaces is kept first, and metadata goes with the row.

use super::place::{Place, kafka_consumer_groups};
use super::proxy::{Fault, proxied};
use super::runner::{Krewind, rows};
use super::terminal::Terminal;
use local_kafka::tool;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

#[test]
fn what_is_replaced_is_in_a_file_for_its_owner_alone() {
    let place = Place::with_records(&[9, 9, 9]).committed(&[5, 0]);
    place.cluster.commit(&place.group, &place.topic, 0, 5, "from é").unwrap();
    let krewind = place.krewind();
    let report = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    let entries = krewind.journal();
    let [(path, entry)] = &entries[..] else { panic!("{entries:?}") };
    let undo = json!({"id": entry["id"], "journal": path.to_str().unwrap()});
    assert_eq!(report["groups"][0]["undo"], undo);
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!((&entry["state"], &entry["cluster_id"]), (&json!("ended"), &report["cluster_id"]));
    let group = &entry["groups"][0];
    assert_eq!((&group["group"], &group["outcome"]), (&json!(place.group), &json!("applied")));
    // Partition 1 stood at 0 already: it is not written, and not in the journal.
    let kept: Vec<_> = group["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            assert_eq!(row["topic"], *place.topic);
            ["partition", "previous_offset", "previous_metadata", "new_offset", "outcome", "read_back"]
                .map(|field| row[field].clone())
        })
        .collect();
    assert_eq!(
        kept,
        [
            [json!(0), json!(5), json!("from é"), json!(0), json!("applied"), json!(0)],
            [json!(2), json!(null), json!(null), json!(0), json!("applied"), json!(0)],
        ]
    );
    let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn no_secret_of_the_command_line_is_kept_or_shown() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    let file = krewind.state_home().join("client.properties");
    std::fs::write(&file, "ssl.key.password=hunter3\n").unwrap();
    let args = ["-X", "sasl.password=hunter2", "-Xssl.keystore.password=hunter2", "-F", file.to_str().unwrap(), "-v"];
    let args = [&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"], &args[..]].concat();
    let ran = krewind.reset(&args);
    ran.json();
    let entries = krewind.journal();
    let text = std::fs::read_to_string(&entries[0].0).unwrap();
    for secret in ["hunter2", "hunter3"] {
        assert!(!text.contains(secret), "{text}");
        assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{ran}");
    }
    let command = entries[0].1["command"].as_str().unwrap();
    assert!(command.contains("--to-earliest") && command.contains("sasl.password="), "{command}");
    ran.applied();
}

#[test]
fn without_a_place_for_the_journal_nothing_is_written() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    let args = [&place.group, "--topic", &place.topic, "--to-earliest", "--yes"];
    // A file where the directory should be: not even root can write there.
    std::fs::write(krewind.state_home().join("krewind"), "").unwrap();
    let error = krewind.reset(&args).tells("XDG_STATE_HOME").error(1, "io");
    assert!(error["message"].as_str().unwrap().contains("journal"), "{error}");
    assert_eq!(place.stands(), [Some(5)]);
    // What writes nothing needs no journal.
    krewind.reset(&[&args[..], &["--dry-run"]].concat()).exits(0);
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "5", "--yes"]).exits(0);
}

#[test]
fn a_journal_that_is_lost_while_the_question_stands_keeps_the_write_from_being_made() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-earliest", "-o", "json"];
    let mut terminal = Terminal::start(&krewind, &args);
    terminal.shows("to apply");
    std::fs::remove_dir_all(krewind.state_home().join("krewind")).unwrap();
    terminal.types(&place.group);
    terminal.end().tells("nothing was written").error(1, "io");
    assert_eq!(place.stands(), [Some(5)]);
}

#[test]
fn a_journal_that_is_lost_under_the_write_does_not_hide_what_was_written() {
    let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
    let held = proxied().fault(&place.group, 0, Fault::HoldRequest);
    let krewind = Krewind::at(proxied().address());
    let run = krewind.start(&["reset", &place.group, "--topic", &place.topic, "--to-earliest", "--yes", "-o", "json"]);
    held.happened();
    std::fs::remove_dir_all(krewind.state_home().join("krewind")).unwrap();
    held.release();
    let ran = run.end().tells("its outcome could not be added to the journal");
    assert_eq!((&ran.json()["outcome"], place.stands()), (&json!("applied"), vec![Some(0)]), "{ran}");
    ran.exits(0);
}

#[test]
fn two_writes_have_two_entries_and_the_second_tells_what_the_first_wrote() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    for to in ["1", "2"] {
        krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", to, "--yes"]).applied();
    }
    let mut moves: Vec<_> = krewind
        .journal()
        .into_iter()
        .map(|(_, entry)| {
            let row = &entry["groups"][0]["rows"][0];
            (row["previous_offset"].as_i64().unwrap(), row["new_offset"].as_i64().unwrap())
        })
        .collect();
    moves.sort_unstable();
    assert_eq!(moves, [(1, 2), (5, 1)]);
}

#[test]
fn metadata_goes_with_the_commit_and_the_leader_epoch_does_not() {
    let place = Place::with_records(&[9, 9]);
    // Kafka's own consumer commits the leader epoch of the record before.
    let mut consumer = tool(
        "org.apache.kafka.tools.consumer.ConsoleConsumer",
        &["--bootstrap-server", place.cluster.bootstrap(), "--topic", &place.topic, "--group", &place.group],
    )
    .unwrap();
    let output = consumer.args(["--from-beginning", "--max-messages", "18"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(place.stands(), [Some(9), Some(9)]);
    let epochs = |place: &Place| -> Vec<String> {
        let args = ["--describe", "--offsets", "--verbose", "--group", &place.group];
        let text = kafka_consumer_groups(&place.cluster, &args);
        let header = text.lines().find(|line| line.starts_with("GROUP")).unwrap();
        let column = header.split_whitespace().position(|name| name == "LEADER-EPOCH").unwrap();
        let lines = text.lines().filter(|line| line.contains(&place.topic));
        lines.map(|line| line.split_whitespace().nth(column).unwrap().to_owned()).collect()
    };
    assert_eq!(epochs(&place), ["0", "0"]);
    place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-offset", "4", "--yes"]).applied();
    assert_eq!(place.stands(), [Some(4), Some(4)]);
    // An epoch that belongs to another offset would make consumers look for a truncation.
    assert_eq!(epochs(&place), ["-", "-"]);

    let place = Place::with_records(&[9, 9]);
    place.cluster.commit(&place.group, &place.topic, 0, 5, r#"{"by": "flink é"}"#).unwrap();
    place.cluster.commit(&place.group, &place.topic, 1, 2, "stays").unwrap();
    let report = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]).applied();
    assert_eq!(rows(&report)[0]["current_metadata"], r#"{"by": "flink é"}"#);
    let committed = place.cluster.committed(&place.group, &place.topic, &[0, 1]).unwrap();
    let committed: Vec<_> = committed.into_iter().flatten().map(|row| (row.offset, row.metadata)).collect();
    assert_eq!(committed, [(2, r#"{"by": "flink é"}"#.to_owned()), (2, "stays".to_owned())]);
}

#[test]
fn a_previous_leader_epoch_is_in_the_journal() {
    let place = Place::with_records(&[3]);
    let mut consumer = tool(
        "org.apache.kafka.tools.consumer.ConsoleConsumer",
        &["--bootstrap-server", place.cluster.bootstrap(), "--topic", &place.topic, "--group", &place.group],
    )
    .unwrap();
    assert!(consumer.args(["--from-beginning", "--max-messages", "3"]).output().unwrap().status.success());
    let krewind: Krewind = place.krewind();
    krewind.reset(&[&place.group, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
    let row = krewind.journal()[0].1["groups"][0]["rows"][0].clone();
    assert_eq!((&row["previous_offset"], &row["previous_leader_epoch"]), (&json!(3), &json!(0)));
}
