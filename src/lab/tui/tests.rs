//! The screen, without a terminal.

use super::draw;
use super::state::{Flow, Mode, State};
use crate::lab::model::{CommitMode, Settings};
use crate::lab::scenario::{SCENARIOS, Scenario};
use crate::lab::sink::SinkMode;
use crate::lab::walk::{Alone, walk};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

fn buffer(state: &State, width: u16, height: u16, color: bool) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw::draw(frame, state, color)).unwrap();
    terminal.backend().buffer().clone()
}

/// The screen's lines, without the blanks at their ends.
fn lines(state: &State, width: u16, height: u16) -> Vec<String> {
    let buffer = buffer(state, width, height, false);
    let line = |row| (0..width).map(|column| buffer[(column, row)].symbol().to_owned()).collect::<String>();
    (0..height).map(|row| line(row).trim_end().to_owned()).collect()
}

fn screen(state: &State) -> String {
    lines(state, 80, 24).join("\n")
}

/// The screen as running text: what is broken over lines is whole again.
fn text(state: &State, width: u16, height: u16) -> String {
    lines(state, width, height).join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn row(state: &State, name: &str) -> String {
    let lines = lines(state, 80, 24);
    lines.iter().rfind(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {lines:#?}")).clone()
}

/// In which column, counted in offsets, the row has this.
fn under(state: &State, name: &str, sign: &str) -> usize {
    let end = row(state, name).find(sign).unwrap_or_else(|| panic!("{}", screen(state))) + sign.len();
    let offsets = row(state, "offset");
    // The column ends where its offset ends.
    let number = offsets[..end].split_whitespace().last().unwrap();
    assert!(offsets[..end].ends_with(number), "{}", screen(state));
    number.parse().unwrap()
}

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// Types these keys.
fn press(state: &mut State, keys: &str) {
    for sign in keys.chars() {
        let code = match sign {
            '\n' => KeyCode::Enter,
            sign => KeyCode::Char(sign),
        };
        assert_eq!(state.press(key(code)), Flow::Stay, "{sign:?}");
    }
}

fn free(commit: CommitMode, sink: SinkMode) -> State {
    State::new(Settings { commit, sink, batch: 4 }, None)
}

fn auto() -> State {
    free(CommitMode::Auto, SinkMode::Append)
}

fn newest(state: &State) -> &str {
    state.told().last().map_or("", |told| &told.text)
}

#[test]
fn the_first_screen_is_whole_on_80x24() {
    let expected = "
 krewind lab   commit auto   sink append   batch 4   consumer running
A consumer reads a log's events in batches and writes them to a sink, a table.
Each event has a number, its OFFSET. COMMITTED is a bookmark kept on the broker:
the next offset to read after a restart. POSITION: the next one to read now.
state:  . to come
offset         0    1    2    3    4    5    6    7    8    9   10   11   12
order       1001 1002 1001 1003 1004 1002 1005 1006 1004 1007 1005 1008  end
time 10:..   :00  :01  :02  :03  :04  :05  :06  :07  :08  :09  :10  :11
state          .    .    .    .    .    .    .    .    .    .    .    .
log start      ^
committed
position       ^
COMMITTED none yet   LOG-END 12   LAG - (no commit)   POSITION 0   LOG-START 0
SINK-ROWS 0   DISTINCT-ORDERS 0   LOST 0   DUPLICATES 0
READ 0 + LOST 0 + RETAINED-AWAY 0 + TO-COME 12 = 12 events
in the sink: nothing yet
Nothing has happened yet. Space takes the next step; 1 begins the first lesson.
commit auto: a timer moves COMMITTED right after each poll, work done or not.
sink append: each write adds a row, also for an order that is there already.

space: the consumer takes (polls) its next batch, offsets 0-3
space step  b whole batch  c crash  r restart  s stop  w rewind  t commit now
p produce 3  x delete oldest  a auto/manual  u append/upsert  +/- batch 4
z undo  0 anew  1-5 lessons  ? help  q quit";
    assert_eq!(screen(&auto()), expected.trim_start_matches('\n'));
}

#[test]
fn a_crash_in_mid_batch_under_auto_commit_shows_what_is_lost() {
    let mut state = auto();
    // Poll, commit, and three events of the four.
    press(&mut state, "  ");
    press(&mut state, "      ");
    assert_eq!(under(&state, "committed", "^"), 4);
    assert_eq!(under(&state, "position", "^"), 4);
    assert_eq!(under(&state, "state", "hand"), 3);
    press(&mut state, "c");
    assert_eq!(under(&state, "state", "LOST"), 3);
    assert_eq!(row(&state, "state").matches("ok").count(), 3);
    let text = text(&state, 80, 24);
    for words in [
        "consumer DOWN",
        "LOST 1 (silently)",
        "LAG 8 (= 12 - 4)",
        "POSITION - (down)",
        "READ 3 + LOST 1 + RETAINED-AWAY 0 + TO-COME 8 = 12 events",
        "crashed after the commit of 4 and before its sink write: order 1003 (offset 3) will never be written",
        "in the sink: 1001 placed, 1002 placed, 1001 paid",
    ] {
        assert!(text.contains(words), "{words}\n{}", screen(&state));
    }
}

#[test]
fn without_colour_there_is_none_and_nothing_is_missing() {
    let mut state = auto();
    press(&mut state, "        crbbxxw3\n b");
    for keys in ["", "w1", "\n", "1  ", "nnnn", "?"] {
        press(&mut state, keys);
        let (plain, colored) = (buffer(&state, 80, 24, false), buffer(&state, 80, 24, true));
        for (plain, colored) in plain.content.iter().zip(&colored.content) {
            assert_eq!((plain.fg, plain.bg), (Color::Reset, Color::Reset));
            // What any terminal has: bold for the newest and the keys, reverse for the title.
            assert_eq!(plain.modifier - (Modifier::BOLD | Modifier::REVERSED), Modifier::empty());
            assert_eq!(plain.symbol(), colored.symbol());
        }
    }
    let mut state = auto();
    press(&mut state, " ");
    assert!(buffer(&state, 80, 24, true).content.iter().any(|cell| cell.fg != Color::Reset), "colours were asked for");
}

#[test]
fn keys_do_what_they_say() {
    let mut state = free(CommitMode::Manual, SinkMode::Append);
    press(&mut state, "b");
    assert_eq!((state.lab().committed(), state.lab().position()), (Some(4), Some(4)));
    press(&mut state, "p");
    assert_eq!(state.lab().log_end(), 15);
    press(&mut state, "xx");
    assert_eq!(state.lab().log_start(), 2);
    press(&mut state, "au++-");
    let settings = state.lab().settings();
    assert_eq!((settings.commit, settings.sink, settings.batch), (CommitMode::Auto, SinkMode::Upsert, 5));
    press(&mut state, "s");
    assert!(!state.lab().is_running());
    press(&mut state, "w10:03\n");
    assert_eq!(state.lab().committed(), Some(3));
    press(&mut state, "we");
    assert_eq!(state.lab().committed(), Some(2));
    press(&mut state, "wl");
    assert_eq!(state.lab().committed(), Some(15));
    press(&mut state, "w13\n");
    press(&mut state, "r");
    assert_eq!(state.lab().position(), Some(13));
    press(&mut state, "0");
    assert_eq!((state.lab().log_end(), state.lab().committed()), (12, None));
    assert_eq!(state.lab().settings(), settings);
    assert_eq!(state.press(key(KeyCode::Char('q'))), Flow::Quit);
    assert_eq!(state.press(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Flow::Interrupt);
}

#[test]
fn the_prompt_takes_a_place_or_gives_up() {
    let mut state = auto();
    press(&mut state, "wq1x2");
    assert_eq!(state.mode(), &Mode::Rewinding("12".to_owned()));
    assert!(text(&state, 80, 24).contains("rewind to > 12_"), "{}", screen(&state));
    state.press(key(KeyCode::Backspace));
    assert_eq!(state.mode(), &Mode::Rewinding("1".to_owned()));
    assert_eq!(state.press(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Flow::Interrupt);
    state.press(key(KeyCode::Esc));
    assert_eq!((state.mode(), state.told().len()), (&Mode::Acting, 0));
    let before = state.lab().clone();
    press(&mut state, "w99:99\n");
    assert!(newest(&state).contains("no place in the log"), "{}", newest(&state));
    press(&mut state, "w99\n");
    assert!(newest(&state).contains("outside the log"), "{}", newest(&state));
    assert_eq!(state.lab(), &before);
}

#[test]
fn what_is_refused_is_told_and_changes_nothing() {
    let mut state = auto();
    press(&mut state, "c");
    let before = state.lab().clone();
    for keys in [" ", "b", "c", "s", "t", "n"] {
        press(&mut state, keys);
        assert_eq!(state.lab(), &before, "{keys}");
        assert_eq!(state.told().last().unwrap().number, None, "{keys}");
    }
    assert!(screen(&state).contains(">   !  "), "{}", screen(&state));
    state.press(key(KeyCode::Backspace));
    assert!(state.lab().is_running() && state.told().is_empty());
}

#[test]
fn many_events_scroll_and_what_counts_stays_seen() {
    let mut state = auto();
    press(&mut state, "pppppppppp");
    assert!(text(&state, 80, 24).contains("30 more on the right ->"), "{}", screen(&state));
    for _ in 0..10 {
        press(&mut state, "b");
        let at = usize::try_from(state.lab().position().unwrap()).unwrap();
        assert_eq!((under(&state, "committed", "^"), under(&state, "position", "^")), (at, at));
    }
    assert!(text(&state, 80, 24).contains("more on the left"), "{}", screen(&state));
    assert!(row(&state, "log start").contains("<-"), "{}", screen(&state));
}

#[test]
fn the_times_tell_their_hour_and_what_is_deleted_has_none() {
    let mut state = auto();
    press(&mut state, &"p".repeat(20));
    press(&mut state, "w58\n");
    let times = row(&state, "time");
    assert!(times.starts_with("time 10:..") && times.contains(":59  11h  :01"), "{times}");
    press(&mut state, "0xx");
    assert!(row(&state, "order").starts_with("order        ---  --- 1001 1003"), "{}", screen(&state));
    assert_eq!(under(&state, "time", ":02"), 2);
    assert_eq!(under(&state, "log start", "^"), 2);
    assert_eq!(under(&state, "state", "gone"), 0);
}

#[test]
fn the_sink_tells_what_was_written_twice() {
    let mut state = free(CommitMode::Manual, SinkMode::Append);
    press(&mut state, "b    crb");
    let shown = text(&state, 80, 24);
    let sink = "in the sink (x2: two rows): 1001 placed, 1002 placed, 1001 paid, 1003 placed, 1004 placed x2";
    assert!(text(&state, 80, 40).contains(sink), "{}", screen(&state));
    assert!(shown.contains("DUPLICATES 1 (copies in the sink)"), "{shown}");
    // The same under upsert: one row each, and only what was written twice is counted.
    press(&mut state, "0ub    crb");
    let shown = text(&state, 120, 40);
    let sink = "in the sink (x2: written twice): 1001 paid, 1002 paid, 1003 placed, 1004 placed x2";
    assert!(shown.contains(sink) && shown.contains("DUPLICATES 1 (absorbed by the upsert)"), "{shown}");
}

/// Walks the scenario by these keys, and ends where the report ends.
fn walked(scenario: &'static Scenario, step: &str) -> State {
    let mut state = State::new(Settings::default(), Some(scenario));
    for _ in 0..200 {
        if state.lesson().unwrap().is_over() {
            break;
        }
        press(&mut state, step);
    }
    assert!(state.lesson().unwrap().is_over(), "{}", screen(&state));
    state
}

#[test]
fn each_lesson_by_keys_ends_with_the_numbers_of_its_report() {
    for scenario in &SCENARIOS {
        let report = walk(scenario.settings, &scenario.actions().unwrap(), Some(scenario), &mut Alone).unwrap();
        for step in [" ", "n"] {
            let state = walked(scenario, step);
            assert_eq!(state.lab().numbers(), report.end, "{} by {step:?}", scenario.name);
            // The conclusion, the command, the newest and the keys, all whole on the smallest screen.
            let text = text(&state, 80, 24);
            for words in [scenario.conclude, scenario.in_production, scenario.title, newest(&state), "q quit"] {
                assert!(text.contains(words), "{words}\n{}", screen(&state));
            }
        }
        let mut state = State::new(Settings::default(), Some(scenario));
        for (place, step) in report.steps.iter().enumerate() {
            let shown = text(&state, 80, 24);
            for words in [scenario.look_at, &format!("[{}]", step.action)] {
                assert!(shown.contains(words), "{words}\n{}", screen(&state));
            }
            press(&mut state, "n");
            assert_eq!(state.lab().numbers(), step.numbers, "{}, action {}", scenario.name, place + 1);
            assert_eq!(newest(&state), format!("{}: {}", step.action, step.why));
        }
    }
}

#[test]
fn a_lesson_is_begun_left_and_found_again() {
    let mut state = auto();
    press(&mut state, "2 nz");
    assert_eq!(state.lesson().unwrap().scenario.name, "manual-duplicates");
    assert_eq!(state.lesson().unwrap().done, 0);
    press(&mut state, "n");
    assert_eq!(state.lesson().unwrap().done, 1);
    press(&mut state, "p");
    assert!(state.lesson().is_none() && newest(&state).contains("left the lesson"), "{}", newest(&state));
    press(&mut state, "z");
    assert_eq!(state.lesson().unwrap().done, 1);
    press(&mut state, "zzz");
    assert!(state.lesson().is_none() && !state.can_undo() && state.told().is_empty());
    for (place, scenario) in SCENARIOS.iter().enumerate() {
        press(&mut state, &(place + 1).to_string());
        assert_eq!(state.lesson().unwrap().scenario.name, scenario.name);
        assert_eq!(state.lab().settings(), scenario.settings);
    }
}

#[test]
fn after_a_lesson_the_person_goes_on_with_its_conclusion_in_sight() {
    let mut state = walked(&SCENARIOS[0], "n");
    press(&mut state, "  ");
    assert!(state.lesson().is_some());
    press(&mut state, "s");
    assert!(state.lesson().is_none() && !newest(&state).contains("left the lesson"));
}

#[test]
fn the_help_has_every_word_and_fits() {
    let mut state = auto();
    press(&mut state, "?");
    let shown = text(&state, 80, 24);
    for word in [
        "offset",
        "log start",
        "log end",
        "position",
        "committed",
        "lag",
        "auto commit",
        "manual commit",
        "append",
        "upsert",
        "lost",
        "duplicate",
        "retained away",
        "to come",
        "q or Ctrl-C quit",
    ] {
        assert!(shown.contains(word), "{word}: {}", screen(&state));
    }
    press(&mut state, "q");
    assert_eq!(state.mode(), &Mode::Acting);
    // Lower than its text it scrolls to its end.
    press(&mut state, "?");
    assert!(!text(&state, 60, 16).contains("Ctrl-C quit"));
    for _ in 0..40 {
        state.press(key(KeyCode::Down));
    }
    assert!(text(&state, 60, 16).contains("Ctrl-C quit"));
}

#[test]
fn a_terminal_that_is_too_small_says_so() {
    assert_eq!(text(&auto(), 50, 10), "the lab needs 80x24; this terminal is 50x10 (q quits)");
    // Smaller than it needs, it leaves out what can be done without: the newest is whole, and the keys.
    let mut state = auto();
    press(&mut state, "        c");
    let shown = text(&state, 60, 18);
    for words in ["LOST 1 (silently)", "LAG 8", "q quit", newest(&state)] {
        assert!(shown.contains(words), "{words}: {:#?}", lines(&state, 60, 18));
    }
}

fn any_key() -> impl Strategy<Value = KeyCode> {
    prop_oneof![
        30 => prop::sample::select("  bbcrswtpxau+-z012345?qn9:el".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        2 => Just(KeyCode::Enter),
        1 => Just(KeyCode::Backspace),
        1 => Just(KeyCode::Esc),
        1 => Just(KeyCode::Down),
        1 => Just(KeyCode::Up),
        1 => any::<char>().prop_map(KeyCode::Char),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn no_key_and_no_size_breaks_it_and_undo_leads_back_to_the_beginning(
        keys in prop::collection::vec((any_key(), 1u16..=120, 1u16..=50), 0..80),
        lesson in prop::option::of(0usize..5),
    ) {
        let scenario = lesson.map(|place| &SCENARIOS[place]);
        let beginning = State::new(Settings::default(), scenario);
        let mut state = beginning.clone();
        for (code, width, height) in keys {
            let _ = state.press(key(code));
            let _ = lines(&state, width, height);
            let numbers = state.lab().numbers();
            let all = numbers.read + numbers.lost + numbers.retained_away + numbers.to_come;
            prop_assert_eq!(all, numbers.log_end_offset.unsigned_abs());
            // On the smallest screen that it is made for, the newest is whole.
            if state.mode() == &Mode::Acting {
                let shown = text(&state, 80, 24);
                let said = newest(&state).split_whitespace().collect::<Vec<_>>().join(" ");
                prop_assert!(shown.contains(&said), "{}\n{}", said, screen(&state));
            }
        }
        state.press(key(KeyCode::Esc));
        while state.can_undo() {
            state.press(key(KeyCode::Backspace));
        }
        state.press(key(KeyCode::Backspace));
        prop_assert_eq!(screen(&state), screen(&beginning));
        prop_assert_eq!(format!("{state:?}"), format!("{beginning:?}"));
    }
}
