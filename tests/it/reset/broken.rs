//! A write whose end is not seen: the report comes all the same, and tells what stands.

use super::place::Place;
use super::proxy::{Awaited, Fault, proxied};
use super::runner::{DEADLINE, Krewind, Running, children, each, rows, signal};
use super::terminal::Terminal;
use local_kafka::client::{LiveMember, MemberOptions};
use local_kafka::{Check, Kafka, shared, wait_for};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A reset from 5 to 2 that has met this fault.
fn writing(fault: Fault, timeout: &str) -> (Place, Krewind, Running, Awaited) {
    let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
    let awaited = proxied().fault(&place.group, 0, fault);
    let krewind = Krewind::at(proxied().address()).flag("--timeout").flag(timeout);
    let run =
        krewind.start(&["reset", &place.group, "--topic", &place.topic, "--to-offset", "2", "--yes", "-o", "json"]);
    awaited.happened();
    (place, krewind, run, awaited)
}

/// The process that writes.
fn writer(run: &Running) -> u32 {
    let children = children(run.pid());
    let [(pid, command)] = &children[..] else { panic!("{children:?}") };
    // Secrets go by its standard input.
    assert!(command.ends_with("__write"), "{command}");
    *pid
}

/// The journal's only entry: its state, the commit before, and the outcome.
fn journalled(krewind: &Krewind) -> (Value, Value, Value) {
    let entries = krewind.journal();
    let [(_, entry)] = &entries[..] else { panic!("{entries:?}") };
    let group = &entry["groups"][0];
    (entry["state"].clone(), group["rows"][0]["previous_offset"].clone(), group["outcome"].clone())
}

#[test]
fn the_writing_process_dies_before_the_broker_got_it() {
    let (place, krewind, run, _held) = writing(Fault::HoldRequest, "30s");
    assert_eq!(journalled(&krewind), (json!("begun"), json!(5), json!(null)));
    signal(writer(&run), "ABRT");
    let ran = run.end().tells("signal: 6").exits(1);
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("unknown"), vec![&json!("unknown")]), "{ran}");
    assert_eq!(each(&report, "read_back"), [5]);
    assert!(rows(&report)[0]["error"].as_str().unwrap().contains("signal: 6"));
    assert_eq!(report["total"]["failed"], 1);
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(journalled(&krewind), (json!("ended"), json!(5), json!("unknown")));
}

#[test]
fn the_writing_process_dies_after_the_broker_did_it() {
    let (place, krewind, run, _held) = writing(Fault::HoldAnswer, "30s");
    signal(writer(&run), "KILL");
    let report = run.end().tells("signal: 9").json();
    assert_eq!((&report["outcome"], each(&report, "read_back")), (&json!("applied"), vec![&json!(2)]));
    assert_eq!(place.stands(), [Some(2)]);
    assert_eq!(journalled(&krewind), (json!("ended"), json!(5), json!("applied")));
}

#[test]
fn the_writing_process_falls_silent() {
    let (place, krewind, run, _held) = writing(Fault::HoldRequest, "500ms");
    let pid = writer(&run);
    signal(pid, "STOP");
    let started = Instant::now();
    let ran = run.end().tells("gave no answer").exits(1);
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert_eq!((&ran.json()["outcome"], place.stands()), (&json!("unknown"), vec![Some(5)]));
    assert_eq!(journalled(&krewind).2, "unknown");
    let left = std::process::Command::new("kill").args(["-0", &pid.to_string()]).output().unwrap();
    assert!(!left.status.success(), "process {pid} is still there");
}

#[test]
fn an_answer_that_does_not_come_within_the_timeout() {
    let (place, krewind, run, _held) = writing(Fault::HoldRequest, "2s");
    let started = Instant::now();
    let ran = run.end().exits(1);
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "read_back")), (&json!("unknown"), vec![&json!(5)]), "{ran}");
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(journalled(&krewind).2, "unknown");
    // For a person: where to look.
    let (place, _, run, _held) = {
        let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
        let awaited = proxied().fault(&place.group, 0, Fault::HoldRequest);
        let krewind = Krewind::at(proxied().address()).flag("--timeout").flag("2s");
        let run = krewind.start(&["reset", &place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]);
        (place, krewind, run, awaited)
    };
    let ran = run.end().exits(1).tells(&format!("{}-0 of `{}` unknown", place.topic, place.group));
    assert!(ran.stdout.contains(&format!("krewind describe {}", place.group)), "{ran}");
}

#[test]
fn an_answer_that_is_lost_is_read_back() {
    let (place, krewind, run, _) = writing(Fault::LoseAnswer, "5s");
    let report = run.end().applied();
    assert_eq!(each(&report, "read_back"), [2]);
    assert_eq!(place.stands(), [Some(2)]);
    assert_eq!(journalled(&krewind), (json!("ended"), json!(5), json!("applied")));
}

#[test]
fn a_connection_that_breaks_under_the_request_is_told_as_it_turned_out() {
    let (place, krewind, run, _) = writing(Fault::LoseRequest, "5s");
    let ran = run.end();
    let report = ran.json();
    match ran.code {
        // Sent again.
        Some(0) => assert_eq!((&report["outcome"], place.stands()), (&json!("applied"), vec![Some(2)]), "{ran}"),
        Some(1) => assert_eq!((&report["outcome"], place.stands()), (&json!("unknown"), vec![Some(5)]), "{ran}"),
        _ => panic!("{ran}"),
    }
    assert_eq!(journalled(&krewind), (json!("ended"), json!(5), report["outcome"].clone()));
}

#[test]
fn ctrl_c_waits_for_the_end_of_the_write_and_the_report() {
    let (place, krewind, run, _held) = writing(Fault::HoldRequest, "3s");
    run.signal("INT");
    run.signal("INT");
    let ran = run.end().exits(130);
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "read_back")), (&json!("unknown"), vec![&json!(5)]), "{ran}");
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(journalled(&krewind).0, "ended");

    let (place, _, run, held) = writing(Fault::HoldRequest, "30s");
    run.signal("TERM");
    held.release();
    let ran = run.end().exits(130);
    assert_eq!((&ran.json()["outcome"], place.stands()), (&json!("applied"), vec![Some(2)]), "{ran}");
}

#[test]
fn ctrl_c_at_the_terminal_does_not_reach_the_writing_process() {
    let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
    let held = proxied().fault(&place.group, 0, Fault::HoldRequest);
    let krewind = Krewind::at(proxied().address());
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-offset", "2", "-o", "json"];
    let mut terminal = Terminal::start(&krewind, &args);
    terminal.shows("to apply");
    terminal.types(&place.group);
    held.happened();
    terminal.presses("\u{3}");
    held.release();
    let ran = terminal.end();
    assert_eq!(ran.json()["outcome"], "applied", "{ran}");
    assert_eq!(place.stands(), [Some(2)]);
    ran.exits(130);
}

#[test]
fn killed_while_it_writes_it_leaves_what_was_replaced() {
    let (place, krewind, run, held) = writing(Fault::HoldRequest, "30s");
    run.signal("KILL");
    let ran = run.end();
    assert_eq!((ran.code, ran.stdout.as_str()), (None, ""), "{ran}");
    assert_eq!(journalled(&krewind), (json!("begun"), json!(5), json!(null)));
    held.release();
    place.cluster.await_committed(&place.group, &place.topic, 0, 2).unwrap();
    assert_eq!(journalled(&krewind), (json!("begun"), json!(5), json!(null)));
}

#[test]
fn the_broker_has_the_last_word_when_a_member_comes_under_the_write() {
    let (place, krewind, run, held) = writing(Fault::HoldRequest, "30s");
    let options = MemberOptions::new().client_id("late");
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    held.release();
    let ran = run.end().tells("a member joined the group meanwhile (UNKNOWN_MEMBER_ID)").exits(1);
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("failed"), vec![&json!("failed")]), "{ran}");
    assert_eq!(each(&report, "read_back"), [5]);
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(journalled(&krewind).2, "failed");
    member.leave();
}

#[test]
fn what_was_written_over_is_drifted_or_taken_over() {
    let (place, krewind, run, held) = writing(Fault::HoldAnswer, "30s");
    place.commit(&[7]);
    held.release();
    let ran = run.end().tells("reads back 7").exits(1);
    assert_eq!(each(&ran.json(), "outcome"), ["drifted"], "{ran}");
    assert_eq!(journalled(&krewind).1, 5);
    assert_eq!(place.stands(), [Some(7)]);

    let (place, _, run, held) = writing(Fault::HoldAnswer, "30s");
    let options = MemberOptions::new().auto_commit();
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    place.cluster.await_committed(&place.group, &place.topic, 0, 9).unwrap();
    held.release();
    let ran = run.end().tells("reads back 9").exits(1);
    assert_eq!(each(&ran.json(), "outcome"), ["taken-over"], "{ran}");
    member.leave();
}

#[test]
fn a_log_that_passes_the_target_under_the_write_is_said() {
    let (place, _, run, held) = writing(Fault::HoldRequest, "30s");
    place.cluster.delete_records(&place.topic, 0, 6).unwrap();
    held.release();
    let ran = run.end().exits(0);
    let report = ran.json();
    let warnings = report["warnings"].as_array().unwrap();
    let warning = warnings.iter().find(|warning| warning["code"] == "behind-log-start").expect("a warning");
    let words = format!("the log of `{}-0` starts at 6 by now, past 2", place.topic);
    assert!(warning["message"].as_str().unwrap().starts_with(&words), "{ran}");
    assert_eq!(place.stands(), [Some(2)]);
    ran.tells("4 offsets were deleted before the group read them");
}

#[test]
fn a_writing_process_without_a_connection_has_sent_nothing() {
    let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
    let krewind = Krewind::at(&proxied().door(1, None)).flag("--timeout").flag("3s");
    let ran = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--yes"]).exits(1);
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("failed"), vec![&json!("failed")]), "{ran}");
    assert_eq!(each(&report, "read_back"), [5], "{ran}");
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(journalled(&krewind), (json!("ended"), json!(5), json!("failed")));
}

/// The same topic and group on the broker of all tests, with the same commit.
fn twin(place: &Place) -> Place {
    let twin = place.named_alike_on(shared().clone());
    twin.add(&[9]);
    twin.committed(&[5])
}

#[test]
fn another_cluster_behind_the_same_address_is_not_written() {
    let place = Place::on(proxied().cluster(), &[9]).committed(&[5]);
    let twin = twin(&place);
    let args = [&place.group, "--topic", &place.topic, "--to-offset", "2"];
    // The tunnel leads elsewhere by the time that the writing process starts.
    let krewind = Krewind::at(&proxied().door(1, Some(&twin.cluster)));
    let ran = krewind.reset(&[&args[..], &["--yes"]].concat()).exits(1).tells("the plan was made for cluster");
    assert_eq!((&ran.json()["outcome"], &ran.json()["total"]["failed"]), (&json!("failed"), &json!(1)), "{ran}");
    assert_eq!((place.stands(), twin.stands()), (vec![Some(5)], vec![Some(5)]));
    // Or while the question stands.
    let krewind = Krewind::at(&proxied().door(1, Some(&twin.cluster)));
    let mut terminal = Terminal::start(&krewind, &[&["reset", "-o", "json"], &args[..]].concat());
    terminal.shows("to apply");
    terminal.types(&place.group);
    terminal.end().refused("stale-plan");
    assert_eq!((place.stands(), twin.stands()), (vec![Some(5)], vec![Some(5)]));
}

#[test]
fn a_program_that_was_removed_while_the_question_stood_has_sent_nothing() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    let copy = krewind.state_home().join("krewind-copy");
    std::fs::copy(env!("CARGO_BIN_EXE_krewind"), &copy).unwrap();
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-offset", "2", "-o", "json"];
    let shell = format!(r#"exec {} "$@" >"$REPORT""#, copy.display());
    let mut terminal = Terminal::redirected(&krewind, &args, &shell);
    terminal.shows("to apply");
    std::fs::remove_file(&copy).unwrap();
    terminal.types(&place.group);
    let ran = terminal.end().exits(1).tells("could not be started");
    assert_eq!((&ran.json()["outcome"], place.stands()), (&json!("failed"), vec![Some(5)]), "{ran}");
    assert_eq!(journalled(&krewind), (json!("ended"), json!(5), json!("failed")));
}

#[test]
fn the_second_of_two_requests_goes_unanswered() {
    let place = Place::on(proxied().cluster(), &vec![1; 1010]);
    place.commit(&[0]);
    let _held = proxied().fault(&place.group, 1, Fault::HoldRequest);
    let krewind = Krewind::at(proxied().address()).flag("--timeout").flag("5s");
    let ran = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-latest", "--yes"]).exits(1);
    let report = ran.json();
    assert_eq!(report["outcome"], "unknown");
    let stands = place.stands();
    assert_eq!(stands.iter().filter(|offset| **offset == Some(1)).count(), 1000);
    for (row, stands) in rows(&report).iter().zip(stands) {
        assert_eq!(row["read_back"], json!(stands), "{row}");
        assert_eq!(row["outcome"], if stands == Some(1) { "applied" } else { "unknown" }, "{row}");
    }
}

#[test]
fn a_broker_that_falls_silent_is_given_up_within_the_timeout() {
    let kafka = Kafka::start().unwrap();
    let place = Place::on(kafka.client(), &[9]).committed(&[5]);
    let krewind = place.krewind().flag("--timeout").flag("2s");
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-offset", "2", "-o", "json"];
    let mut asked = Terminal::start(&krewind, &args);
    asked.shows("to apply");
    // Its directories stay until the run has ended.
    let home = place.krewind();
    let mut interrupted = Terminal::start(&home, &args);
    interrupted.shows("to apply");
    kafka.node(1).pause().unwrap();

    let started = Instant::now();
    asked.types(&place.group);
    asked.end().tells("nothing was written").error(1, "connection-failed");
    // Nothing is half done while the second look waits.
    interrupted.types(&place.group);
    signal(interrupted.pid(), "INT");
    interrupted.end().tells("nothing was written").exits(130);
    krewind.run(&[&args[..], &["--yes"]].concat()).error(1, "connection-failed");
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
    let waiting = krewind.start(&[&args[..], &["--yes", "--timeout", "60s"]].concat());
    wait_for("a connection to be waited for", DEADLINE, || {
        let threads = std::process::Command::new("ps").args(["-T", "-p", &waiting.pid().to_string()]).output().unwrap();
        let threads = String::from_utf8_lossy(&threads.stdout).into_owned();
        Ok(if threads.contains("kafka-events") { Check::Done(()) } else { Check::NotYet(threads) })
    })
    .unwrap();
    waiting.signal("INT");
    waiting.end().error(130, "interrupted");

    kafka.node(1).resume().unwrap();
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(krewind.journal().len(), 0);
}
