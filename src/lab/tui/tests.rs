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

fn code(key: char) -> KeyCode {
    match key {
        '\n' => KeyCode::Enter,
        '\u{8}' => KeyCode::Backspace,
        '\u{1b}' => KeyCode::Esc,
        key => KeyCode::Char(key),
    }
}

/// Types these keys.
fn press(state: &mut State, keys: &str) {
    for key in keys.chars() {
        assert_eq!(state.press(KeyEvent::new(code(key), KeyModifiers::NONE)), Flow::Stay, "{key:?}");
    }
}

fn free(commit: CommitMode, sink: SinkMode) -> State {
    State::new(Settings { commit, sink, batch: 4 }, None)
}

#[test]
fn show() {
    let mut state = free(CommitMode::Auto, SinkMode::Append);
    println!("{}\n=======", screen(&state));
    press(&mut state, "       ");
    println!("{}\n=======", screen(&state));
    press(&mut state, " c");
    println!("{}\n=======", screen(&state));
    press(&mut state, "rpppppppppppbbbbbbbb");
    println!("{}\n=======", screen(&state));
    press(&mut state, "w");
    println!("{}\n=======", screen(&state));
    press(&mut state, "?");
    press(&mut state, "\u{1b}?");
    println!("{}\n=======", screen(&state));
    for scenario in &SCENARIOS {
        let mut state = State::new(Settings::default(), Some(scenario));
        press(&mut state, "   ");
        println!("{}\n=======", screen(&state));
        for _ in 0..20 {
            if !state.lesson().unwrap().is_over() {
                press(&mut state, "n");
            }
        }
        println!("{}\n=======", screen(&state));
    }
}
