//! The question, at a terminal.

use crate::reset::place::Place;
use crate::reset::runner::Krewind;
use crate::reset::terminal::Terminal;
use local_kafka::client::{LiveMember, MemberOptions};

fn place() -> Place {
    Place::with_records(&[9, 9]).committed(&[5, 2])
}

/// Both commands, by their arguments.
fn commands(place: &Place) -> [Vec<String>; 2] {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    [
        words(&["delete", &place.group, "-o", "json"]),
        words(&["delete-offsets", &place.group, "--topic", &place.topic, "-o", "json"]),
    ]
}

/// A run at its question.
fn asking(krewind: &Krewind, args: &[String], question: &str) -> Terminal {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(krewind, &args);
    terminal.shows(question);
    terminal
}

#[test]
fn the_name_applies_it_and_the_plan_stood_above_the_question() {
    for (index, heading) in ["plan: delete group", "plan: remove commits of"].into_iter().enumerate() {
        let place = place();
        let args = &commands(&place)[index];
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, args, &format!("type {} to apply", place.group));
        assert_eq!(place.stands(), [Some(5), Some(2)]);
        terminal.types(&place.group);
        let ran = terminal.end();
        let before = ran.stderr.split_once("to apply").unwrap().0.to_owned();
        for words in [heading, "cluster: ", "CURRENT-OFFSET", "lag: 11 before", "next: ", "auto.offset.reset"] {
            assert!(before.contains(words), "{words}\n{ran}");
        }
        ran.applied();
        assert_eq!(place.stands(), [None, None]);
    }
}

#[test]
fn anything_else_declines() {
    for index in [0, 1] {
        let place = place();
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, &commands(&place)[index], "to apply");
        terminal.types("yes");
        terminal.end().refused("declined");
        assert_eq!(place.stands(), [Some(5), Some(2)]);
        assert_eq!(krewind.journal().len(), 0);
    }
}

#[test]
fn several_groups_are_agreed_to_by_their_number() {
    let place = place();
    let second = format!("{}-second", place.group);
    place.cluster.commit(&second, &place.topic, 0, 1, "").unwrap();
    let args = ["delete", &place.group, "--group", &second, "-o", "json"].map(str::to_owned);
    let krewind = place.krewind();
    let mut terminal = asking(&krewind, &args, "type 2 to apply to 2 groups");
    terminal.types("2");
    terminal.end().tells("plan: delete groups").applied();
    let names = place.cluster.group_names().unwrap();
    assert!(!names.contains(&place.group) && !names.contains(&second));
}

#[test]
fn a_member_that_joins_while_the_question_stands() {
    for index in [0, 1] {
        let place = place();
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, &commands(&place)[index], "to apply");
        let options = MemberOptions::new().client_id("just-came");
        let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
        terminal.types(&place.group);
        terminal.end().tells("client `just-came`").refused("group-active");
        assert_eq!(place.stands(), [Some(5), Some(2)]);
        assert_eq!(krewind.journal().len(), 0);
        member.leave();
    }
}

#[test]
fn a_committer_that_is_no_member_while_the_question_stands() {
    for index in [0, 1] {
        let place = place();
        let other = Place::with_records(&[3]);
        let krewind = place.krewind();
        let mut terminal = asking(&krewind, &commands(&place)[index], "to apply");
        place.cluster.commit(&place.group, &other.topic, 0, 2, "").unwrap();
        terminal.types(&place.group);
        terminal.end().tells(&format!("{}-0 from none to 2", other.topic)).refused("commits-moving");
        assert_eq!(place.stands(), [Some(5), Some(2)]);
        assert_eq!(krewind.journal().len(), 0);
    }
}
