use super::account::Fate;
use super::model::{CommitMode, Lab, Settings, Step, Target};
use super::scenario::{SCENARIOS, Scenario};
use super::script::{Action, parse};
use super::sink::SinkMode;
use super::walk::{Alone, act, walk};
use crate::report::LabReport;
use proptest::prelude::*;

fn settings(commit: CommitMode, sink: SinkMode, batch: u32) -> Settings {
    Settings { commit, sink, batch }
}

fn run(scenario: &str) -> LabReport {
    let scenario = Scenario::named(scenario).unwrap();
    walk(scenario.settings, &scenario.actions().unwrap(), Some(scenario), &mut Alone).unwrap()
}

fn script(settings: Settings, text: &str) -> LabReport {
    walk(settings, &parse(text).unwrap(), None, &mut Alone).unwrap()
}

/// A row as it was worked out by hand: action; committed, position (-1: none), log start, log end, lag; rows, orders, lost,
/// duplicates; retained away, to come.
type Row = (&'static str, [i64; 11]);

fn holds(scenario: &str, by_hand: &[Row]) {
    let report = run(scenario);
    let seen: Vec<(String, [i64; 11])> = report
        .steps
        .iter()
        .map(|step| {
            let numbers = step.numbers;
            let count = |count: u64| i64::try_from(count).unwrap();
            let row = [
                numbers.committed.unwrap_or(-1),
                numbers.position.unwrap_or(-1),
                numbers.log_start_offset,
                numbers.log_end_offset,
                numbers.lag.map_or(-1, count),
                count(numbers.sink_rows),
                count(numbers.distinct_orders),
                count(numbers.lost),
                count(numbers.duplicates),
                count(numbers.retained_away),
                count(numbers.to_come),
            ];
            (step.action.clone(), row)
        })
        .collect();
    let expected: Vec<(String, [i64; 11])> = by_hand.iter().map(|(action, row)| ((*action).to_owned(), *row)).collect();
    assert_eq!(seen, expected);
    assert_eq!(report.steps.last().unwrap().numbers, report.end);
    assert_eq!(report.warnings, []);
}

// The log by hand:  0 1001, 1 1002, 2 1001, 3 1003, 4 1004, 5 1002, 6 1005, 7 1006, 8 1004, 9 1007, 10 1005, 11 1008.

#[test]
fn auto_commit_loses_what_was_committed_before_it_was_written() {
    holds(
        "auto-commit-loss",
        &[
            // Written: 1001, 1002, 1001. The fourth, 1003, is in hand.
            ("process 3", [4, 4, 0, 12, 8, 3, 2, 0, 0, 0, 9]),
            ("crash", [4, -1, 0, 12, 8, 3, 2, 1, 0, 0, 8]),
            ("restart", [4, 4, 0, 12, 8, 3, 2, 1, 0, 0, 8]),
            // Offsets 4-11 are eight rows more; of the eight orders 1003 is missing.
            ("process all", [12, 12, 0, 12, 0, 11, 7, 1, 0, 0, 0]),
        ],
    );
}

#[test]
fn manual_commit_repeats_what_was_written_before_it_was_committed() {
    holds(
        "manual-duplicates",
        &[
            // 0-3 committed; 4, 5, 6 written: 1001 1002 1001 1003 1004 1002 1005.
            ("process 7", [4, 8, 0, 12, 8, 7, 5, 0, 0, 0, 5]),
            ("crash", [4, -1, 0, 12, 8, 7, 5, 0, 0, 0, 5]),
            ("restart", [4, 4, 0, 12, 8, 7, 5, 0, 0, 0, 5]),
            // Offsets 4-11 are eight more rows.
            ("process all", [12, 12, 0, 12, 0, 15, 8, 0, 3, 0, 0]),
        ],
    );
}

#[test]
fn an_upsert_sink_converges_however_often_it_is_read() {
    holds(
        "upsert-converges",
        &[
            ("process 7", [4, 8, 0, 12, 8, 5, 5, 0, 0, 0, 5]),
            ("crash", [4, -1, 0, 12, 8, 5, 5, 0, 0, 0, 5]),
            ("restart", [4, 4, 0, 12, 8, 5, 5, 0, 0, 0, 5]),
            ("process all", [12, 12, 0, 12, 0, 8, 8, 0, 3, 0, 0]),
            ("rewind earliest", [0, 0, 0, 12, 12, 8, 8, 0, 3, 0, 0]),
            // Twelve writes more, all of them again.
            ("process all", [12, 12, 0, 12, 0, 8, 8, 0, 15, 0, 0]),
        ],
    );
}

#[test]
fn rewinding_to_a_time_rebuilds_what_was_lost() {
    holds(
        "rewind-rebuild",
        &[
            ("process 3", [4, 4, 0, 12, 8, 2, 2, 0, 0, 0, 9]),
            ("crash", [4, -1, 0, 12, 8, 2, 2, 1, 0, 0, 8]),
            ("restart", [4, 4, 0, 12, 8, 2, 2, 1, 0, 0, 8]),
            ("process all", [12, 12, 0, 12, 0, 7, 7, 1, 0, 0, 0]),
            ("stop", [12, -1, 0, 12, 0, 7, 7, 1, 0, 0, 0]),
            // The first event at 10:00 has offset 0, the one at 10:03 has 3.
            ("rewind 10:03", [3, -1, 0, 12, 9, 7, 7, 0, 0, 0, 1]),
            ("restart", [3, 3, 0, 12, 9, 7, 7, 0, 0, 0, 1]),
            // 3 is written for the first time, 4-11 again.
            ("process all", [12, 12, 0, 12, 0, 8, 8, 0, 8, 0, 0]),
        ],
    );
}

#[test]
fn retention_leaves_a_gap_that_no_rewinding_closes() {
    holds(
        "retention-gap",
        &[
            ("process 4", [4, 4, 0, 12, 8, 4, 3, 0, 0, 0, 8]),
            ("stop", [4, -1, 0, 12, 8, 4, 3, 0, 0, 0, 8]),
            // 0-5 are gone, 4 and 5 unread; 6-11 are left.
            ("retention 6", [4, -1, 6, 12, 6, 4, 3, 0, 0, 2, 6]),
            ("restart", [4, 6, 6, 12, 6, 4, 3, 0, 0, 2, 6]),
            // 1005 1006 1004 1007 1005 1008 beside 1001 1002 1003.
            ("process all", [12, 12, 6, 12, 0, 10, 8, 0, 0, 2, 0]),
            ("rewind earliest", [6, 6, 6, 12, 6, 10, 8, 0, 0, 2, 0]),
            ("process all", [12, 12, 6, 12, 0, 16, 8, 0, 6, 2, 0]),
        ],
    );
}

#[test]
fn each_scenario_says_what_to_look_at_and_what_follows() {
    for scenario in SCENARIOS {
        let report = run(scenario.name);
        assert_eq!(report.scenario.as_deref(), Some(scenario.name));
        assert!(report.look_at.is_some() && report.conclude.is_some() && report.in_production.is_some());
        assert!(!report.live);
    }
}

#[test]
fn why_things_happened_is_said_in_plain_words() {
    let auto = run("auto-commit-loss");
    assert_eq!(
        auto.steps[1].why,
        "crashed after the commit of 4 and before its sink write: order 1003 (offset 3) will never be written"
    );
    assert_eq!(
        auto.steps[0].why,
        "polled offsets 0-3; the auto-commit timer committed 4 before the sink writes; wrote offsets 0-2"
    );
    let manual = run("manual-duplicates");
    assert_eq!(
        manual.steps[1].why,
        "crashed after the sink write of offsets 4-6 and before their commit: they will be read and written again; offset 7, neither written nor committed: it will be read again, and nothing of it is lost"
    );
    assert_eq!(
        manual.steps[3].why,
        "read and wrote offsets 4-11; offsets 4-6 had been written before: the sink has copies of them now; committed 8 and 12"
    );
    let gap = run("retention-gap");
    assert_eq!(
        gap.steps[3].why,
        "the consumer started: the committed offset 4 lies before the log start, so auto.offset.reset=earliest goes on at 6; retention took orders 1004, 1002 (offsets 4-5) unread"
    );
}

#[test]
fn a_running_consumer_is_stopped_for_a_rewind_and_started_again() {
    let report = script(Settings::default(), "process 3; crash; restart; rewind earliest; process all");
    let rewound = &report.steps[3];
    assert_eq!((rewound.numbers.committed, rewound.numbers.position), (Some(0), Some(0)));
    assert!(rewound.why.starts_with("the consumer left the group"), "{}", rewound.why);
    // 3 written before, 12 now.
    assert_eq!((report.end.sink_rows, report.end.duplicates, report.end.lost), (15, 3, 0));
}

#[test]
fn going_forward_skips() {
    let report = script(settings(CommitMode::Manual, SinkMode::Append, 4), "process 4; stop; rewind latest; restart");
    assert_eq!((report.end.lost, report.end.read, report.end.to_come, report.end.lag), (8, 4, 0, Some(0)));
    assert!(report.steps[2].why.contains("will never be read"), "{}", report.steps[2].why);
}

#[test]
fn what_can_not_be_done_is_refused_with_its_place() {
    for (text, says) in [
        ("crash; process 1", "action 2, `process 1`: no consumer runs"),
        ("crash; crash", "action 2, `crash`: no consumer runs"),
        ("rewind 13", "action 1, `rewind 13`: offset 13 lies outside the log, which is 0 to 12"),
        ("retention 3; rewind 2", "action 2, `rewind 2`: offset 2 lies outside the log, which is 3 to 12"),
        ("retention 13", "action 1, `retention 13`: the log holds 12 events"),
        ("produce 999", "action 1, `produce 999`: the lab's log would get too long"),
    ] {
        let error = walk(Settings::default(), &parse(text).unwrap(), None, &mut Alone).unwrap_err();
        assert_eq!(error.to_string(), says);
        assert_eq!(error.exit.code(), 2);
    }
}

#[test]
fn what_is_no_script_is_refused() {
    for text in [
        "",
        ";;",
        "dance",
        "process",
        "process 0",
        "process -1",
        "process 1000",
        "batch 101",
        "rewind",
        "rewind 25:00",
        "rewind 1o",
        "rewind 10:3",
        "step x",
        "crash now",
        "process 3 4",
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.exit.code(), 2, "{text}");
    }
}

#[test]
fn a_script_reads_back_as_it_is_shown() {
    let text = "step; step 2; process 3; process all; commit; crash; restart; stop; rewind earliest; rewind latest; rewind 4; rewind 10:03; produce 2; retention 3; auto; manual; append; upsert; batch 2";
    let shown: Vec<String> = parse(text).unwrap().iter().map(Action::to_string).collect();
    assert_eq!(shown.join("; "), text);
    assert_eq!(parse("START;\n Rewind TO 10:03 ").unwrap(), parse("restart; rewind 10:03").unwrap());
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => (1u32..6).prop_map(Action::Step),
        3 => (1u32..9).prop_map(Action::Process),
        1 => Just(Action::ProcessAll),
        2 => Just(Action::Commit),
        4 => Just(Action::Crash),
        4 => Just(Action::Restart),
        1 => Just(Action::Stop),
        2 => (1u32..4).prop_map(Action::Produce),
        2 => (1u32..4).prop_map(Action::Retention),
        1 => (1u32..7).prop_map(Action::Batch),
    ]
}

fn any_rewind() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::Rewind(Target::Earliest)),
        Just(Action::Rewind(Target::Latest)),
        (0i64..20).prop_map(|offset| Action::Rewind(Target::Offset(offset))),
        (590i64..620).prop_map(|minute| Action::Rewind(Target::Time(super::event::TimeOfDay(minute)))),
    ]
}

fn any_change() -> impl Strategy<Value = Action> {
    prop_oneof![
        Just(Action::CommitMode(CommitMode::Auto)),
        Just(Action::CommitMode(CommitMode::Manual)),
        Just(Action::SinkMode(SinkMode::Append)),
        Just(Action::SinkMode(SinkMode::Upsert)),
    ]
}

/// Takes what is not refused, and looks at the world after each step.
fn play(lab: &mut Lab, actions: &[Action], mut look: impl FnMut(&Lab)) {
    for &action in actions {
        let mut course = super::script::Course::new(action, lab);
        while let Ok(Some(step)) = course.next(lab) {
            let before = lab.clone();
            if lab.take(step).is_err() {
                assert_eq!(*lab, before, "a refused step changed something");
                break;
            }
            look(lab);
        }
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_under_manual_commit_whatever_crashes(
        actions in prop::collection::vec(any_action(), 1..60), batch in 1u32..7, upsert: bool,
    ) {
        let sink = if upsert { SinkMode::Upsert } else { SinkMode::Append };
        let mut lab = Lab::new(settings(CommitMode::Manual, sink, batch));
        play(&mut lab, &actions, |lab| assert_eq!(lab.numbers().lost, 0));
        // And what is neither deleted nor read comes when the work is done.
        let _ = act(&mut lab, Action::Restart);
        let _ = act(&mut lab, Action::ProcessAll);
        let numbers = lab.numbers();
        prop_assert_eq!((numbers.lost, numbers.to_come, numbers.lag.unwrap_or(0)), (0, 0, 0));
    }

    #[test]
    fn every_event_is_accounted_for_once(
        actions in prop::collection::vec(prop_oneof![4 => any_action(), 1 => any_rewind(), 1 => any_change()], 1..60),
        auto: bool, batch in 1u32..7,
    ) {
        let commit = if auto { CommitMode::Auto } else { CommitMode::Manual };
        let mut lab = Lab::new(settings(commit, SinkMode::Append, batch));
        play(&mut lab, &actions, |lab| {
            let numbers = lab.numbers();
            let events = u64::try_from(lab.log_end()).unwrap();
            assert_eq!(numbers.read + numbers.lost + numbers.retained_away + numbers.to_come, events);
            // What is to come is in hand, or still in the log where the consumer will pass.
            let next = lab.position().or(lab.committed()).unwrap_or(0);
            for offset in lab.of(Fate::ToCome) {
                assert!(lab.in_hand().contains(&offset) || offset >= lab.log_start() && offset >= next);
            }
            for offset in lab.of(Fate::RetainedAway) {
                assert!(offset < lab.log_start());
            }
            assert!(lab.committed().is_none_or(|committed| (0..=lab.log_end()).contains(&committed)));
        });
    }

    #[test]
    fn duplicates_are_writes_beyond_the_first_of_each_event(
        actions in prop::collection::vec(prop_oneof![4 => any_action(), 1 => any_rewind()], 1..60),
        auto: bool, upsert: bool,
    ) {
        let commit = if auto { CommitMode::Auto } else { CommitMode::Manual };
        let sink = if upsert { SinkMode::Upsert } else { SinkMode::Append };
        let mut lab = Lab::new(settings(commit, sink, 4));
        // The writes as this test saw them go by.
        let mut written: Vec<i64> = Vec::new();
        for action in actions {
            let mut course = super::script::Course::new(action, &lab);
            while let Ok(Some(step)) = course.next(&lab) {
                let head = lab.in_hand().first().copied();
                if lab.take(step).is_err() { break; }
                if step == Step::Write { written.extend(head); }
            }
        }
        let numbers = lab.numbers();
        let distinct: std::collections::BTreeSet<i64> = written.iter().copied().collect();
        let orders: std::collections::BTreeSet<u32> =
            distinct.iter().map(|&offset| super::event::Event::at(offset).order).collect();
        prop_assert_eq!(numbers.duplicates as usize, written.len() - distinct.len());
        prop_assert_eq!(numbers.read as usize, distinct.len());
        prop_assert_eq!(numbers.distinct_orders as usize, orders.len());
        let rows = if upsert { orders.len() } else { written.len() };
        prop_assert_eq!(numbers.sink_rows as usize, rows);
    }
}

/// A world in which somebody else reads a row less after each action.
struct Elsewhere;

impl super::walk::World for Elsewhere {
    fn perform(&mut self, _: Step, _: &super::model::Happened, _: &Lab) -> crate::error::Result<()> {
        Ok(())
    }

    fn numbers(&mut self, lab: &Lab) -> crate::error::Result<crate::report::LabNumbers> {
        let numbers = lab.numbers();
        Ok(crate::report::LabNumbers { sink_rows: numbers.sink_rows - 1, committed: None, ..numbers })
    }

    fn is_live(&self) -> bool {
        true
    }
}

#[test]
fn a_world_that_does_something_else_is_said_number_by_number() {
    let report = walk(Settings::default(), &parse("process 3").unwrap(), None, &mut Elsewhere).unwrap();
    let said: Vec<&str> = report.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(said, ["action 1, `process 3`: committed is -, in the model 4; sink rows is 2, in the model 3"]);
    // The report has what was read, not what was expected.
    assert_eq!((report.end.sink_rows, report.end.committed), (2, None));
}
