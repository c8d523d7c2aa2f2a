//! `--wait-empty`: until the members have left, not longer than was said, and nothing is written before.

use super::Saved;
use crate::reset::place::Place;
use crate::reset::runner::{DEADLINE, Running};
use crate::reset::terminal::Terminal;
use local_kafka::client::{LiveMember, MemberOptions};
use local_kafka::{Check, wait_for};
use serde_json::json;
use std::io::BufRead;
use std::process::Stdio;
use std::time::Instant;

fn active(options: MemberOptions) -> (Saved, LiveMember) {
    let saved = Saved::of(Place::with_records(&[5]).committed(&[3]));
    let place = &saved.place;
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    (saved, member)
}

fn reset<'a>(saved: &'a Saved, more: &[&'a str]) -> Vec<&'a str> {
    let place = &saved.place;
    [&["reset", &place.group, "--topic", &place.topic, "--to-earliest", "-o", "json"], more].concat()
}

#[test]
fn a_member_that_leaves_while_a_script_waits() {
    let (saved, member) = active(MemberOptions::new().client_id("billing-1"));
    let mut command = saved.krewind.command(&reset(&saved, &["--yes", "--wait-empty=2m"]));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
    let mut seen: Vec<String> = Vec::new();
    for line in lines.by_ref() {
        seen.push(line.unwrap());
        if seen.last().is_some_and(|line| line.contains("waiting for 1 member of")) {
            break;
        }
    }
    assert!(seen.iter().any(|line| line.contains("CURRENT-OFFSET")), "the plan comes first: {seen:?}");
    let waiting = seen.last().unwrap();
    assert!(waiting.contains("`billing-1` at /127.0.0.1") && waiting.contains(&saved.place.group), "{waiting}");
    assert_eq!(saved.place.stands(), [Some(3)]);
    member.leave();
    let rest: Vec<String> = lines.map(|line| line.unwrap()).collect();
    let status = wait_for("krewind to end", DEADLINE, || {
        Ok(child.try_wait().unwrap().map_or(Check::NotYet(String::new()), Check::Done))
    })
    .unwrap();
    assert!(status.success(), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("no members are left")), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("plan: reset")), "the final plan: {rest:?}");
    assert_eq!(saved.place.stands(), [Some(0)]);
}

#[test]
fn a_person_waits_and_is_asked_when_the_group_is_empty() {
    let (saved, member) = active(MemberOptions::new().consumer_protocol().client_id("modern-1"));
    let args = reset(&saved, &["--wait-empty"]);
    let mut terminal = Terminal::start(&saved.krewind, &args);
    terminal.shows("plan: reset");
    terminal.shows("left: waiting for 1 member of");
    member.leave();
    terminal.shows("no members are left");
    terminal.shows(&format!("type {} to apply", saved.place.group));
    assert_eq!(saved.place.stands(), [Some(3)]);
    terminal.types(&saved.place.group);
    terminal.end().applied();
    assert_eq!(saved.place.stands(), [Some(0)]);
}

#[test]
fn time_over_is_a_refusal_that_names_the_members() {
    let (saved, member) = active(MemberOptions::new().client_id("stays"));
    let begun = Instant::now();
    let ran = saved.krewind.run(&reset(&saved, &["--yes", "--wait-empty=2s"]));
    assert!(begun.elapsed().as_secs() >= 2);
    let ran = ran.tells("after a wait of 2s").tells("client `stays`");
    let report = ran.refused("group-active");
    assert_eq!(report["groups"][0]["refusal"]["members"][0]["client_id"], "stays");
    assert_eq!(saved.place.stands(), [Some(3)]);
    assert!(saved.krewind.journal().is_empty());
    // A dry run does not wait, nor does a run in which nobody could be asked afterwards.
    let begun = Instant::now();
    let dry = saved.krewind.run(&reset(&saved, &["--dry-run", "--wait-empty=5m"])).exits(0).json();
    assert_eq!(dry["groups"][0]["would_refuse"]["code"], json!("group-active"));
    saved.krewind.run(&reset(&saved, &["--wait-empty=5m"])).refused("no-terminal");
    // Nor one whose plan could not be written then either.
    let place = &saved.place;
    let args = [&place.group, "--topic", &place.topic, "--to-offset", "99", "--yes", "--wait-empty=5m"];
    saved.krewind.reset(&args).refused("out-of-range");
    assert!(begun.elapsed().as_secs() < 60);
    member.leave();
}

#[test]
fn static_members_are_named_with_their_rule() {
    let options = MemberOptions::new().session_timeout(std::time::Duration::from_secs(30)).instance("rack-3");
    let (saved, member) = active(options);
    member.leave();
    saved
        .krewind
        .run(&reset(&saved, &["--yes", "--wait-empty=1s"]))
        .tells("(instance `rack-3`)")
        .tells("a static member stays up to its session timeout after it stops, 45 s by default")
        .refused("group-active");
    assert_eq!(saved.place.stands(), [Some(3)]);
}

#[test]
fn ctrl_c_while_waiting() {
    let (saved, member) = active(MemberOptions::new());
    let args = reset(&saved, &["--wait-empty"]);
    let mut terminal = Terminal::start(&saved.krewind, &args);
    terminal.shows("waiting for 1 member");
    terminal.presses("\u{3}");
    terminal.end().error(130, "interrupted");
    assert_eq!(saved.place.stands(), [Some(3)]);
    assert!(saved.krewind.journal().is_empty());
    member.leave();
}

#[test]
fn apply_waits_too_and_then_compares_the_plan_anew() {
    let (saved, member) = active(MemberOptions::new().auto_commit());
    let place = &saved.place;
    // Read to the end and committed there, so that nothing moves when it leaves.
    place.cluster.await_committed(&place.group, &place.topic, 0, 5).unwrap();
    saved.plan(&["--to-offset", "1"]);
    let file = saved.file();
    let running: Running = saved.krewind.start(&["apply", &file, "--yes", "--wait-empty", "-o", "json"]);
    member.leave();
    let report = running.end().applied();
    assert_eq!(report["command"], "apply");
    assert_eq!(place.stands(), [Some(1)]);
}

#[test]
fn a_plan_that_no_longer_holds_is_not_waited_for() {
    let saved = Saved::of(Place::with_records(&[5]).committed(&[3]));
    saved.plan(&["--to-offset", "1"]);
    let place = &saved.place;
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &MemberOptions::new()).unwrap();
    place.cluster.delete_records(&place.topic, 0, 2).unwrap();
    let begun = Instant::now();
    saved.apply(&["--wait-empty"]).tells("starts at 2 now, past the new offset 1").refused("stale-plan");
    assert!(begun.elapsed().as_secs() < 60);
    // Without a wait both are told.
    let ran = saved.apply(&[]).tells("is Stable with 1 member, and the plan no longer holds");
    ran.refused("group-active");
    assert_eq!(place.stands(), [Some(3)]);
    member.leave();
}
