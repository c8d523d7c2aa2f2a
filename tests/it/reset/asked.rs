//! The question, at a terminal: what stands above it, what counts as yes, and what happens meanwhile.

use super::place::{Place, kafka_consumer_groups};
use super::runner::{Krewind, Running, each};
use super::terminal::Terminal;
use local_kafka::client::{LiveMember, MemberOptions, ShareGroup};
use serde_json::json;

fn place() -> Place {
    Place::with_records(&[9, 9]).committed(&[5])
}

/// A reset to earliest at its question.
fn asking(krewind: &Krewind, place: &Place) -> Terminal {
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-earliest", "-o", "json"];
    let mut terminal = Terminal::start(krewind, &args);
    terminal.shows(&format!("type {} to apply", place.group));
    terminal
}

#[test]
fn the_name_applies_it_and_the_plan_stood_above_the_question() {
    let place = place();
    let krewind = place.krewind();
    let mut terminal = asking(&krewind, &place);
    assert_eq!(place.stands(), [Some(5), None]);
    assert_eq!(krewind.journal().len(), 0);
    terminal.types(&place.group);
    let ran = terminal.end();
    let before = ran.stderr.split_once("to apply").unwrap().0.to_owned();
    for words in ["plan: reset", "to earliest", "CURRENT-OFFSET", &place.topic, place.cluster.bootstrap(), "cluster: "]
    {
        assert!(before.contains(words), "{words}\n{ran}");
    }
    let report = ran.applied();
    assert!(report["cluster_id"].as_str().is_some_and(|id| before.contains(id)));
    assert_eq!(each(&report, "read_back"), [0, 0]);
    assert_eq!(place.stands(), [Some(0), Some(0)]);
}

#[test]
fn anything_else_declines() {
    for typed in ["yes", "y", "", "other", "RESET"] {
        let place = place();
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, &place);
        terminal.types(typed);
        let report = terminal.end().refused("declined");
        assert_eq!(each(&report, "new_offset"), [0, 0]);
        assert_eq!(place.stands(), [Some(5), None], "{typed:?}");
        assert_eq!(krewind.journal().len(), 0);
    }
}

#[test]
fn who_declines_on_a_terminal_sees_the_plan_once() {
    let place = place();
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-earliest"];
    // Its directories stay until the run has ended.
    let home = place.krewind();
    let mut terminal = Terminal::redirected(&home, &args, r#"exec "$0" "$@""#);
    terminal.shows("to apply");
    terminal.types("no");
    let ran = terminal.end().exits(3).tells("nothing was written");
    assert_eq!(ran.stderr.matches("CURRENT-OFFSET").count(), 1, "{ran}");
    assert_eq!(place.stands(), [Some(5), None]);
}

#[test]
fn ctrl_c_and_sigterm_at_the_question_end_it_and_nothing_was_written() {
    for ctrl_c in [true, false] {
        let place = place();
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, &place);
        if ctrl_c {
            terminal.presses("\u{3}");
        } else {
            super::runner::signal(terminal.pid(), "TERM");
        }
        let ran = terminal.end();
        assert!(ran.stderr.matches("nothing was written").count() == 1, "{ran}");
        ran.error(130, "interrupted");
        assert_eq!(place.stands(), [Some(5), None]);
        assert_eq!(krewind.journal().len(), 0);
    }
}

#[test]
fn without_a_terminal_on_both_ends_it_refuses_at_once() {
    let place = place();
    let krewind = place.krewind();
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-earliest", "-o", "json"];
    // Standard input closed, and a pipe that says the right name.
    krewind.run(&args).tells("hint: `--yes`").refused("no-terminal");
    let mut piped = krewind.command(&args);
    let (reader, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, format!("{}\n", place.group).as_bytes()).unwrap();
    piped.stdin(reader);
    let report = Running::start(piped).end().refused("no-terminal");
    drop(writer);
    assert_eq!(each(&report, "new_offset"), [0, 0]);
    // A terminal on one end alone.
    for redirection in ["2>/dev/null", "</dev/null"] {
        let shell = format!(r#"exec "$0" "$@" >"$REPORT" {redirection}"#);
        let ran = Terminal::redirected(&krewind, &args, &shell).end().exits(3);
        let report = ran.json();
        assert_eq!(report["groups"][0]["refusal"]["code"], "no-terminal", "{redirection} {ran}");
        assert!(!ran.stderr.contains("to apply"), "{ran}");
    }
    assert_eq!(place.stands(), [Some(5), None]);
    assert_eq!(krewind.journal().len(), 0);
}

#[test]
fn a_member_that_joins_while_the_question_stands() {
    for options in [MemberOptions::new(), MemberOptions::new().consumer_protocol()] {
        let place = place();
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, &place);
        let options = options.client_id("just-came");
        let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
        terminal.types(&place.group);
        let ran = terminal.end().tells("client `just-came`");
        let report = ran.refused("group-active");
        assert_eq!(report["groups"][0]["refusal"]["members"][0]["client_id"], "just-came");
        assert_eq!(place.stands(), [Some(5), None]);
        assert_eq!(krewind.journal().len(), 0);
        member.leave();
    }
}

#[test]
fn a_member_that_came_committed_and_left_while_the_question_stands() {
    let place = place();
    let krewind = place.krewind();
    let mut terminal = asking(&krewind, &place);
    let options = MemberOptions::new().auto_commit();
    let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
    place.cluster.await_committed(&place.group, &place.topic, 0, 9).unwrap();
    member.leave();
    let now = place.stands();
    terminal.types(&place.group);
    let ran = terminal.end();
    // Gone by the second look or not: its commits stay.
    let code = ran.json()["groups"][0]["refusal"]["code"].clone();
    assert!(code == "commits-moving" || code == "group-active", "{ran}");
    ran.exits(3);
    assert_eq!(place.stands(), now);
}

#[test]
fn a_committer_that_is_no_member_while_the_question_stands() {
    // On a partition that moves, on one without a commit, and on a topic outside the scope.
    let other = Place::with_records(&[3]);
    for (topic, partition, offset) in [(None, 0, 6), (None, 1, 1), (Some(&other.topic), 0, 2)] {
        let place = place();
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, &place);
        let topic = topic.unwrap_or(&place.topic);
        place.cluster.commit(&place.group, topic, partition, offset, "").unwrap();
        let now = place.stands();
        terminal.types(&place.group);
        let ran = terminal.end().tells("Flink").tells(&format!("{topic}-{partition} from"));
        let report = ran.refused("commits-moving");
        assert_eq!(report["groups"][0]["refusal"]["members"], json!([]));
        assert_eq!(place.stands(), now);
        assert_eq!(krewind.journal().len(), 0);
    }
}

#[test]
fn a_log_that_moved_past_the_target_while_the_question_stands() {
    let place = place();
    let krewind = place.krewind();
    let mut terminal = asking(&krewind, &place);
    place.cluster.delete_records(&place.topic, 1, 3).unwrap();
    terminal.types(&place.group);
    let ran = terminal.end().tells(&format!("the log of {}-1 now starts at 3", place.topic));
    ran.refused("stale-plan");
    assert_eq!(place.stands(), [Some(5), None]);
}

#[test]
fn a_topic_made_anew_while_the_question_stands() {
    let place = place();
    let krewind = place.krewind();
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-latest", "-o", "json"];
    // On another topic too, so that the group and its commits stay.
    let other = Place::with_records(&[3]);
    place.cluster.commit(&place.group, &other.topic, 0, 1, "").unwrap();
    let mut terminal = Terminal::start(&krewind, &args);
    terminal.shows("to apply");
    place.cluster.delete_topic(&place.topic).unwrap();
    place.cluster.create_topic(&place.topic, 2, &[]).unwrap();
    terminal.types(&place.group);
    let ran = terminal.end().exits(3);
    let code = ran.json()["groups"][0]["refusal"]["code"].clone();
    assert!(code == "commits-moving" || code == "stale-plan", "{ran}");
    assert_eq!(place.stands(), [None, None]);
}

#[test]
fn a_group_that_goes_or_comes_while_the_question_stands() {
    let place = place();
    let mut terminal = asking(&place.krewind(), &place);
    let gone = kafka_consumer_groups(&place.cluster, &["--delete", "--group", &place.group]);
    assert!(gone.contains("was successful"), "{gone}");
    terminal.types(&place.group);
    terminal.end().tells("nothing was written").error(3, "group-not-found");
    assert!(!place.group_exists());

    // One that was to be made is there already: as an ordinary group, or as one of another kind.
    let args = |place: &Place| {
        ["reset", &place.group, "--topic", &place.topic, "--to-earliest", "--create-group", "-o", "json"]
            .map(str::to_owned)
    };
    let place = Place::with_records(&[9]);
    // Its directories stay until the run has ended.
    let home = place.krewind();
    let mut terminal = Terminal::start(&home, &args(&place).each_ref().map(String::as_str));
    terminal.shows("to apply");
    place.commit(&[4]);
    terminal.types(&place.group);
    terminal.end().refused("commits-moving");
    assert_eq!(place.stands(), [Some(4)]);

    let place = Place::with_records(&[9]);
    // Its directories stay until the run has ended.
    let home = place.krewind();
    let mut terminal = Terminal::start(&home, &args(&place).each_ref().map(String::as_str));
    terminal.shows("to apply");
    let share = ShareGroup::join(&place.cluster, &place.group, &place.topic).unwrap();
    terminal.types(&place.group);
    terminal.end().error(3, "unmanaged-group");
    assert_eq!(place.stands(), [None]);
    share.leave().unwrap();
}

#[test]
fn records_that_would_be_skipped_are_counted_before_the_question() {
    let place = place();
    let krewind = place.krewind();
    // No record is later than now: the end, past four records that were not read.
    let args = ["reset", &place.group, "--topic", &place.topic, "--to-timestamp", "now", "-o", "json"];
    let mut terminal = Terminal::start(&krewind, &args);
    terminal.shows(&format!("4 offsets that `{}` has not read would never be delivered", place.group));
    terminal.shows("to apply");
    terminal.types(&place.group);
    terminal.end().applied();
    assert_eq!(place.stands(), [Some(9), Some(9)]);
}
