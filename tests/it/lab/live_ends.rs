//! How a live run ends before its time: asked, refused, interrupted, killed. What it made is gone afterwards, or was never made.

use super::watched::{Lab, Names, Watched, await_end, runs};
use crate::reset::place::{Place, unique};
use crate::reset::runner::{DEADLINE, Krewind, Ran, children};
use crate::reset::terminal::Terminal;
use local_kafka::{Check, Kafka, Resource, security::DAVE, wait_for};
use std::time::{Duration, Instant};

const LESSON: &str = "auto-commit-loss";

/// A signal while a consumer waits in the group for the one that was killed.
fn ends_by(signal: &str) {
    let lab = Lab::new();
    let mut run = lab.start(LESSON);
    run.says("the new consumer waits ");
    let consumer = wait_for("a consumer's process", DEADLINE, || {
        let found = children(run.pid()).into_iter().find(|(_, line)| line.ends_with("__lab-consumer"));
        Ok(found.map_or(Check::NotYet(String::new()), |(pid, _)| Check::Done(pid)))
    });
    run.signal(signal);
    let ran = run.end();
    assert!(!runs(consumer.unwrap()), "{ran}");
    ran.json();
    lab.nothing_is_left(&ran);
    ran.error(130, "interrupted");
}

#[test]
fn interrupted() {
    ends_by("INT");
}

#[test]
fn hung_up() {
    ends_by("HUP");
}

#[test]
fn terminated() {
    ends_by("TERM");
}

#[test]
fn when_the_lab_is_killed_its_consumer_ends_too() {
    let lab = Lab::new();
    let mut run = lab.start(LESSON);
    let (consumer, _) = run.consumer();
    let names = run.names();
    run.signal("KILL");
    assert_eq!(run.end().code, None);
    await_end(consumer);
    // Nobody was there to delete them.
    assert!(lab.topic_exists(&names.topic) && names.database.exists());
    let place = Place {
        cluster: local_kafka::shared().clone(),
        topic: names.topic.clone(),
        group: names.group.clone(),
        partitions: vec![0],
    };
    // It left in order where it had joined: the group, if there is one, can be deleted at once.
    if place.group_exists() {
        lab.krewind.run(&["delete", &names.group, "--yes"]).exits(0);
    }
    place.cluster.delete_topic(&names.topic).unwrap();
}

/// At a terminal, with the report in a file.
fn asked(lab: &Lab) -> Terminal {
    let args = ["lab", "--live", "--scenario", LESSON, "-o", "json"];
    // `nohup` and shells in the background start the tests with signals ignored, which a program's children take over.
    let usual = r#"exec perl -e '$SIG{HUP} = $SIG{INT} = "DEFAULT"; exec { $ARGV[0] } @ARGV'"#;
    let shell = format!(r#"export TMPDIR='{}'; {usual} "$0" "$@" >"$REPORT""#, lab.files().display());
    let mut terminal = Terminal::redirected(&lab.krewind, &args, &shell);
    terminal.shows("type lab to begin");
    terminal
}

#[test]
fn another_word_than_the_one_asked_for_is_no() {
    for typed in ["yes", "", "LAB!"] {
        let lab = Lab::new();
        let mut terminal = asked(&lab);
        terminal.types(typed);
        let ran = terminal.end();
        lab.nothing_is_left(&ran);
        ran.error(3, "declined");
    }
}

#[test]
fn agreed_to_and_then_ended_by_ctrl_c() {
    let lab = Lab::new();
    let mut terminal = asked(&lab);
    terminal.types("lab");
    terminal.shows("consumer started");
    terminal.presses("\x03");
    let ran = terminal.end();
    lab.nothing_is_left(&ran);
    assert_eq!((ran.code, &ran.json()["code"]), (Some(130), &"interrupted".into()), "{ran}");
}

#[test]
fn ctrl_c_instead_of_an_answer_leaves_nothing() {
    let lab = Lab::new();
    let mut terminal = asked(&lab);
    terminal.presses("\x03");
    let ran = terminal.end();
    lab.nothing_is_left(&ran);
    assert_eq!((ran.code, &ran.json()["code"]), (Some(130), &"interrupted".into()), "{ran}");
}

#[test]
fn a_signal_instead_of_an_answer_leaves_nothing() {
    for (signal, code) in [("TERM", Some(130)), ("HUP", None)] {
        let lab = Lab::new();
        let terminal = asked(&lab);
        crate::reset::runner::signal(terminal.pid(), signal);
        let ran = terminal.end();
        lab.nothing_is_left(&ran);
        assert_eq!(ran.code, code, "{ran}");
    }
}

#[test]
fn without_a_terminal_it_wants_a_yes() {
    let lab = Lab::new();
    let ran = lab.run(LESSON, &["-o", "json"]).tells("--yes");
    lab.nothing_is_left(&ran);
    ran.error(3, "no-terminal");
}

#[test]
fn a_dry_run_shows_the_plan_and_makes_nothing() {
    for more in [&["--dry-run"][..], &["--dry-run", "--yes"], &["--dry-run", "--read-only"]] {
        let lab = Lab::new();
        let ran = lab.run(LESSON, more).exits(0).tells("a commit before the work can lose").tells("nothing was made");
        lab.nothing_is_left(&ran);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn a_read_only_run_makes_nothing() {
    let refused = |lab: &Lab, ran: Ran| {
        assert!(!ran.stderr.contains("makes:") && lab.has_no_files(), "{ran}");
        ran.error(3, "read-only");
    };
    let lab = Lab::new();
    refused(&lab, lab.run(LESSON, &["--yes", "--read-only", "-o", "json"]));
    let mut command = lab.command(LESSON, &["--yes", "-o", "json"]);
    command.env("KREWIND_READ_ONLY", "true");
    refused(&lab, Watched::start(command).end());
}

#[test]
fn without_a_broker_it_ends_soon() {
    let krewind = Krewind::at("127.0.0.1:1").flag("--timeout").flag("3s");
    let lab = Lab::by(krewind, local_kafka::shared().clone());
    let started = Instant::now();
    let ran = lab.run(LESSON, &["--yes", "-o", "json"]);
    assert!(started.elapsed() < Duration::from_secs(15), "{ran}");
    assert!(lab.has_no_files() && !ran.stderr.contains("makes:"), "{ran}");
    ran.error(1, "connection-failed");
}

#[test]
fn who_may_make_no_topic_is_told_in_a_sentence() {
    let kafka = Kafka::builder().secured().start().unwrap();
    let security = kafka.security();
    let login = security.login(DAVE);
    let lab = Lab::by(Krewind::on(&login), kafka.client());
    let refused = |words: &str| {
        let ran = lab.run(LESSON, &["--yes", "-o", "json"]).tells(words);
        assert!(lab.has_no_files(), "{ran}");
        let topics = kafka.client().consumer(&unique("look"), &[]).unwrap();
        let topics = rdkafka::consumer::Consumer::fetch_metadata(&topics, None, DEADLINE).unwrap();
        assert!(topics.topics().iter().all(|topic| !topic.name().starts_with("krewind-lab")), "{ran}");
        assert!(!ran.stdout.contains("rdkafka") && ran.stderr.matches("error: ").count() == 1, "{ran}");
        ran.error(1, "unauthorized")
    };
    refused("TOPIC_AUTHORIZATION_FAILED");
    // It may see all, and make nothing.
    kafka.add_acl(&format!("User:{}", DAVE.name), "Describe", Resource::Topic("*")).unwrap();
    let error = refused("creating topic `krewind-lab-");
    assert!(error["message"].as_str().unwrap().contains("TOPIC_AUTHORIZATION_FAILED"), "{error}");
}

#[test]
fn names_are_fresh_each_time() {
    let lab = Lab::new();
    let names = [0, 1].map(|_| Names::of(&lab.run(LESSON, &["--dry-run"]).exits(0).stderr));
    assert!(names[0].topic != names[1].topic && names[0].database != names[1].database, "{names:?}");
    assert!(names[0].topic.starts_with("krewind-lab-") && names[0].topic.len() > 16, "{names:?}");
}
