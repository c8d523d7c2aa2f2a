//! What each word and each key means.

use super::wrap::wrap;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

const TERMS: [(&str, &str); 16] = [
    ("log", "a topic's events in a row; reading takes nothing away"),
    ("offset", "an event's number in the log, counted from 0"),
    ("log start", "the oldest offset that is kept"),
    ("log end", "the offset that the next new event will get"),
    ("consumer", "the program that reads: poll a batch, work, write to the sink"),
    ("group", "consumers under one name; the broker keeps their bookmark"),
    ("committed", "that bookmark: the next offset to read after a restart"),
    ("position", "the next offset to poll; forgotten when the consumer dies"),
    ("lag", "log end - committed: what is ahead of the bookmark"),
    ("auto commit", "by a timer, here right after each poll: work done or not"),
    ("manual commit", "by the consumer, when the whole batch is in the sink"),
    ("sink", "the table written to; append: a row each write, upsert: each order"),
    ("lost", "not in the sink, and the bookmark is past it: nothing says so"),
    ("duplicate", "a write of an event that had been written before"),
    ("retained away", "retention deleted it before it was read: gone for good"),
    ("to come", "in hand, or still to be read"),
];

const KEYS: &str = "space/Enter/right next step, b rest of the batch, n whole action of the lesson, c crash, r restart, s stop in order, w rewind, t commit now, p produce 3, x retention takes the oldest, a auto/manual, u append/upsert, +/- batch size, z/backspace/left undo, 0 begin anew, 1-5 lessons, q or Ctrl-C quit";

/// The help, from this line on as far as it can be scrolled.
pub fn lines(from: usize, width: usize, height: usize) -> Vec<Line<'static>> {
    const NAMES: usize = 14;
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut all: Vec<Line<'static>> = Vec::new();
    for (name, meaning) in TERMS {
        for (place, text) in wrap(meaning, width.saturating_sub(NAMES).max(1)).into_iter().enumerate() {
            let name = if place == 0 { name } else { "" };
            all.push(Line::from(vec![Span::styled(format!("{name:<NAMES$}"), bold), Span::raw(text)]));
        }
    }
    all.push(Line::default());
    all.extend(wrap(KEYS, width).into_iter().map(Line::from));
    let room = height.saturating_sub(1).max(1);
    let from = from.min(all.len().saturating_sub(room));
    let scrolls = if all.len() > room { "up and down scroll; any other key goes back" } else { "any key goes back" };
    let mut shown = vec![Line::from(Span::styled(
        format!("{:<width$}", format!(" krewind lab: help   {scrolls}")),
        Style::new().add_modifier(Modifier::REVERSED),
    ))];
    shown.extend(all.into_iter().skip(from).take(room));
    shown
}
