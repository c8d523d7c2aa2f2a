//! The full-screen lab at a real terminal: what is typed, what is seen, and the terminal afterwards.
//!
//! One test starts this test binary itself there, in an ignored test, so that it can panic where it should.

use super::screen::Screen;
use krewind::error::Result;
use krewind::lab::model::Settings;
use krewind::lab::tui::{self, state::State};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// Set where an ignored test was started by another one, and not by `--ignored`.
const STARTED: &str = "KREWIND_TEST_SCREEN";

static STOP: AtomicBool = AtomicBool::new(false);

#[test]
#[ignore = "started by other tests, at a terminal"]
fn panics_on_the_screen() {
    if std::env::var_os(STARTED).is_none() {
        return;
    }
    let ended: Result<()> = tui::with_screen(|screen| {
        screen.draw(&State::new(Settings::default(), None), false)?;
        screen.event(&STOP)?;
        panic!("the work on the screen failed")
    });
    drop(ended);
}

fn krewind(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_krewind"));
    command.arg("lab").args(args);
    command
}

fn lab() -> Screen {
    let mut screen = Screen::start(&krewind(&[]));
    screen.shows(&["krewind lab", "COMMITTED none yet", "q quit"]);
    screen
}

#[test]
fn keys_lead_to_the_numbers_seen_and_q_leaves() {
    let mut screen = lab();
    assert!(screen.seen().alternate_screen() && screen.seen().hide_cursor());
    // Poll, auto-commit, three of the four events, the kill.
    screen.presses("        c");
    screen.shows(&[
        "LOST 1 (silently)",
        "COMMITTED 4",
        "LAG 8",
        "consumer DOWN",
        "order 1003 (offset 3) will never be written",
    ]);
    screen.presses("r");
    screen.shows(&["consumer running", "POSITION 4"]);
    screen.presses("bb");
    screen.shows(&["LAG 0", "READ 11 + LOST 1 + RETAINED-AWAY 0 + TO-COME 0 = 12 events"]);
    // Back over all of it: by backspace as terminals send it, and by the left arrow.
    screen.presses("zz\x7f\x1b[Dz");
    screen.shows(&["POSITION 4", "LOST 0", "order 1001 paid"]);
    screen.presses("q");
    let left = screen.end();
    assert_eq!(left.code, 0, "{}", left.all);
    left.is_as_before();
}

#[test]
fn a_rewind_is_typed_and_a_lesson_walked() {
    let mut screen = Screen::start(&krewind(&["--scenario", "rewind-rebuild"]));
    screen.shows(&["lesson 4, rewind-rebuild", "[process 3]"]);
    screen.presses("nnnnnnnn");
    screen.shows(&["conclude:", "in production:", "LOST 0", "DUPLICATES 8 (absorbed by the upsert)", "SINK-ROWS 8"]);
    screen.presses("0w10:07\r");
    screen.shows(&["COMMITTED 7", "POSITION 7", "consumer running"]);
    screen.presses("w");
    screen.shows(&["rewind to > _", "Esc give up"]);
    screen.presses("\x1b");
    screen.shows(&["z undo", "q quit"]);
    screen.presses("\x03");
    let left = screen.end();
    assert_eq!(left.code, 130, "{}", left.all);
    left.is_as_before();
    assert!(left.seen.screen().contents().contains("error: interrupted"), "{}", left.seen.screen().contents());
}

#[test]
fn another_size_is_drawn_anew() {
    let mut screen = lab();
    screen.resizes(40, 10);
    screen.shows(&["the lab needs 80x24; this terminal is 40x10"]);
    screen.resizes(100, 30);
    screen.shows(&["krewind lab", "q quit", "COMMITTED none yet"]);
    let last = |screen: &Screen| screen.seen().rows(0, 100).last().unwrap().contains("q quit");
    assert!(last(&screen), "the keys are in the last line:\n{}", screen.seen().contents());
    screen.presses("q");
    let left = screen.end();
    assert_eq!(left.code, 0, "{}", left.all);
    left.is_as_before();
}

#[test]
fn a_signal_ends_it_and_leaves_the_terminal_as_it_was() {
    let mut screen = lab();
    screen.presses(" ");
    screen.shows(&["polled offsets 0-3"]);
    screen.signals("TERM");
    let left = screen.end();
    assert_eq!(left.code, 130, "{}", left.all);
    left.is_as_before();
}

#[test]
fn a_panic_leaves_the_terminal_as_it_was_and_is_read_there() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["lab::tui::panics_on_the_screen", "--exact", "--ignored", "--nocapture"]).env(STARTED, "yes");
    let mut screen = Screen::start(&command);
    screen.shows(&["krewind lab", "q quit"]);
    assert!(screen.seen().alternate_screen());
    screen.presses(" ");
    let left = screen.end();
    assert_eq!(left.code, 101, "{}", left.all);
    left.is_as_before();
    let message = left.all.find("the work on the screen failed").expect("the panic's message");
    let restored = left.all.find("\x1b[?1049l").expect("the alternate screen is left");
    assert!(restored < message, "the message would have vanished: {}", left.all);
    assert!(left.seen.screen().contents().contains("the work on the screen failed"));
}

#[test]
fn without_a_terminal_it_says_what_needs_none() {
    let run = krewind(&[]).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(3), "{said}");
    assert!(said.contains("needs a terminal") && said.contains("--script"), "{said}");
    assert!(!String::from_utf8_lossy(&run.stdout).contains('\x1b'));
    // One that can do nothing is none.
    let mut dumb = Command::new("/bin/sh");
    let this = krewind(&[]);
    dumb.args(["-c", r#"TERM=dumb exec "$0" "$@""#]).arg(this.get_program()).args(this.get_args());
    let left = Screen::start(&dumb).end();
    assert_eq!(left.code, 3, "{}", left.all);
    assert!(left.all.contains("needs a terminal") && !left.all.contains("\x1b[?1049h"), "{}", left.all);
}
