//! What a configuration keeps from being written, on a real broker that is looked at afterwards.

use super::configure;
use crate::reset::place::Place;
use crate::reset::runner::{Krewind, Ran};
use crate::reset::terminal::Terminal;

/// A krewind with this configuration file.
fn configured(place: &Place, text: &str) -> Krewind {
    let krewind = place.krewind();
    configure(&krewind.state_home().join("config"), text);
    krewind
}

fn to_earliest(krewind: &Krewind, group: &str, more: &[&str]) -> Ran {
    krewind.reset(&[&[group, "--all-topics", "--to-earliest"], more].concat())
}

#[test]
fn read_only_by_flag_environment_or_profile_refuses_a_reset() {
    let place = Place::with_records(&[5]).committed(&[4]);
    let krewind = configured(&place, "[profiles.look]\nread-only = true\n");
    let line = [place.group.as_str(), "--all-topics", "--to-earliest", "--yes"];
    let by_flag = krewind.reset(&[&line[..], &["--read-only"]].concat());
    by_flag.error(3, "read-only");
    let ran = krewind.reset(&[&line[..], &["--profile", "look"]].concat());
    ran.tells("profile `look`").tells("no flag switches that off").error(3, "read-only");
    let mut command = krewind.command(&[&["reset", "-o", "json"], &line[..]].concat());
    command.env("KREWIND_READ_ONLY", "1");
    crate::reset::runner::Running::start(command).end().error(3, "read-only");
    let mut command = krewind.command(&[&["reset", "-o", "json", "--profile", "look"], &line[..]].concat());
    command.env("KREWIND_READ_ONLY", "0");
    crate::reset::runner::Running::start(command).end().error(3, "read-only");
    assert_eq!(place.stands(), [Some(4)]);
    assert!(krewind.journal().is_empty());
    to_earliest(&krewind, &place.group, &["--profile", "look", "--dry-run"]).exits(0);
    assert_eq!(place.stands(), [Some(4)]);
}

#[test]
fn a_protected_group_needs_the_right_words() {
    let place = Place::with_records(&[5]).committed(&[4]);
    let krewind = configured(&place, &format!("protected = [\"{}*\"]\n", place.group));
    let group = place.group.as_str();
    let report = to_earliest(&krewind, group, &["--yes"]).tells("--confirm").refused("protected");
    assert!(report["groups"][0]["refusal"]["message"].as_str().unwrap().contains(group));
    for wrong in ["", "1", "other", &group.to_uppercase(), &format!("prod/{group}"), &format!(" {group}")] {
        to_earliest(&krewind, group, &["--yes", "--confirm", wrong]).refused("protected");
    }
    assert_eq!(place.stands(), [Some(4)]);
    assert!(krewind.journal().is_empty());
    // A dry run is fine, and tells what would be refused.
    let dry = to_earliest(&krewind, group, &["--yes", "--dry-run"]).exits(0).json();
    assert_eq!(dry["groups"][0]["would_refuse"]["code"], "protected");
    // Without `--yes` a person types.
    assert_eq!(to_earliest(&krewind, group, &["--confirm", group]).exits(2).json()["code"], "usage");
    assert_eq!(place.stands(), [Some(4)]);
    to_earliest(&krewind, group, &["--yes", "--confirm", group]).applied();
    assert_eq!(place.stands(), [Some(0)]);
}

#[test]
fn with_a_profile_its_name_belongs_to_the_words() {
    let place = Place::with_records(&[5]).committed(&[4]);
    let group = place.group.as_str();
    let krewind = configured(&place, "[profiles.prod]\nprotected = [\"*\"]\n[profiles.free]\n");
    to_earliest(&krewind, group, &["--profile", "prod", "--yes", "--confirm", group]).refused("protected");
    let free = format!("free/{group}");
    to_earliest(&krewind, group, &["--profile", "prod", "--yes", "--confirm", &free]).refused("protected");
    // A wrong word refuses a group that is not protected too.
    to_earliest(&krewind, group, &["--profile", "free", "--yes", "--confirm", group]).refused("declined");
    assert_eq!(place.stands(), [Some(4)]);
    let prod = format!("prod/{group}");
    let ran = to_earliest(&krewind, group, &["--profile", "prod", "--yes", "--confirm", &prod]);
    ran.tells("cluster: profile prod, ").tells(&format!("protected: `{group}`")).applied();
    assert_eq!(place.stands(), [Some(0)]);
}

#[test]
fn one_protected_group_of_several_refuses_all_or_itself() {
    let place = Place::with_records(&[5]).committed(&[4]);
    let free = format!("{}-free", place.group);
    place.cluster.commit_all(&free, &[(&place.topic, 0, 3)]).unwrap();
    let stands = || place.cluster.committed_offsets(&free, &place.topic, &[0]).unwrap();
    let krewind = configured(&place, &format!("protected = [\"{}\"]\n", place.group));
    let matching = format!("{}*", place.group);
    let line = ["--matching", &matching, "--topic", &place.topic, "--to-earliest", "--yes"];
    let report = krewind.reset(&line).exits(3).json();
    assert_eq!(report["groups"][0]["refusal"]["code"], "protected");
    assert_eq!(report["groups"][1]["outcome"], "not-begun");
    krewind.reset(&[&line[..], &["--confirm", "3"]].concat()).exits(3);
    assert_eq!((place.stands(), stands()), (vec![Some(4)], vec![Some(3)]));
    let report = krewind.reset(&[&line[..], &["--keep-going"]].concat()).exits(1).json();
    assert_eq!(report["groups"][1]["outcome"], "applied");
    assert_eq!((place.stands(), stands()), (vec![Some(4)], vec![Some(0)]));
    place.cluster.commit_all(&free, &[(&place.topic, 0, 3)]).unwrap();
    krewind.reset(&[&line[..], &["--confirm", "2"]].concat()).exits(0);
    assert_eq!((place.stands(), stands()), (vec![Some(0)], vec![Some(0)]));
}

#[test]
fn a_person_types_profile_and_group() {
    let place = Place::with_records(&[5]).committed(&[4]);
    let group = place.group.as_str();
    let krewind = configured(&place, "profile = \"prod\"\n[profiles.prod]\nprotected = [\"*\"]\n");
    let line = ["reset", group, "--all-topics", "--to-earliest"];
    let mut terminal = Terminal::start(&krewind, &line);
    terminal.shows("cluster: profile prod, ");
    terminal.shows(&format!("protected: `{group}`"));
    terminal.shows(&format!("type prod/{group} to apply"));
    terminal.types(group);
    terminal.end().exits(3).tells("was not typed");
    assert_eq!(place.stands(), [Some(4)]);
    let mut terminal = Terminal::start(&krewind, &line);
    terminal.shows(&format!("type prod/{group} to apply"));
    terminal.types(&format!("prod/{group}"));
    terminal.end().exits(0);
    assert_eq!(place.stands(), [Some(0)]);
}
