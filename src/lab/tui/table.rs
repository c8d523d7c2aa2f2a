//! The log as a table: a column for each offset, and one more for the log end.

use super::draw::sign;
use crate::lab::event::Event;
use crate::lab::model::Lab;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// The width of the rows' names, and of a column.
const NAMES: usize = 11;
const COLUMN: usize = 5;

/// The signs of the table, in short and at length.
const SIGNS: [(&str, &str, &str); 7] = [
    (".", "to come", "to come"),
    ("hand", "polled", "polled, not in the sink yet"),
    ("ok", "in sink", "in the sink"),
    ("2x", "twice", "written twice"),
    ("LOST", "passed over", "passed over, not in the sink"),
    ("gone", "unread", "deleted unread"),
    ("---", "deleted", "deleted"),
];

/// Whether colours are shown.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    /// They add to the words, and replace none.
    pub color: bool,
}

impl Paint {
    /// Bold, and coloured where colours are shown.
    pub fn strong(self, text: impl Into<String>, color: Color) -> Span<'static> {
        let style = Style::new().add_modifier(Modifier::BOLD);
        Span::styled(text.into(), if self.color { style.fg(color) } else { style })
    }

    fn light(self, text: String, color: Color) -> Span<'static> {
        if self.color { Span::styled(text, Style::new().fg(color)) } else { Span::raw(text) }
    }
}

/// The columns that are shown: from the first one on, as many as fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window {
    first: i64,
    /// Behind the last.
    next: i64,
}

impl Window {
    /// Keeps the committed offset and the position seen; where they lie too far apart, the one that reads next.
    fn of(lab: &Lab, width: usize) -> Window {
        let fit = i64::try_from(width.saturating_sub(NAMES) / COLUMN).unwrap_or(1).max(1);
        let all = lab.log_end() + 1;
        if all <= fit {
            return Window { first: 0, next: all };
        }
        let position = lab.position().or(lab.committed()).unwrap_or(lab.log_start());
        let committed = lab.committed().unwrap_or(position);
        let (low, high) = (committed.min(position), committed.max(position));
        let margin = 2.min(fit / 4);
        let first = if high - low + 2 * margin < fit { low - margin } else { position - fit + 1 + margin };
        let first = first.clamp(0, all - fit);
        Window { first, next: first + fit }
    }
}

/// The rows, each with how dispensable it is.
pub fn blocks(lab: &Lab, width: usize, paint: Paint) -> Vec<(u8, Line<'static>)> {
    let window = Window::of(lab, width);
    let end = lab.log_end();
    let row = |name: &str, cell: &dyn Fn(i64) -> Span<'static>| {
        let mut line = Line::from(format!("{name:<NAMES$}"));
        for offset in window.first..window.next {
            line.push_span(cell(offset));
        }
        line
    };
    let raw = |text: String| Span::raw(cell(&text));
    let order = |offset: i64| match offset {
        offset if offset == end => raw("end".to_owned()),
        offset if offset < lab.log_start() => raw("---".to_owned()),
        offset => raw(Event::at(offset).order.to_string()),
    };
    let hour = Event::at(window.first.max(lab.log_start())).time().0 / 60;
    let time = |offset: i64| {
        let time = Event::at(offset).time().0;
        match time % 60 {
            _ if offset >= end || offset < lab.log_start() => raw(String::new()),
            0 if time / 60 != hour => raw(format!("{}h", time / 60)),
            minute => raw(format!(":{minute:02}")),
        }
    };
    let state = |offset: i64| {
        if offset >= end {
            return raw(String::new());
        }
        let sign = sign(lab, offset);
        match sign.as_str() {
            "LOST" => paint.strong(cell(&sign), Color::Red),
            "gone" => paint.strong(cell(&sign), Color::Red),
            "hand" => paint.light(cell(&sign), Color::Yellow),
            "ok" => paint.light(cell(&sign), Color::Green),
            "." => raw(sign),
            _ => paint.strong(cell(&sign), Color::Magenta),
        }
    };
    let marker = |name: &str, at: Option<i64>| {
        row(name, &|offset| {
            let mark = match at {
                Some(at) if at == offset => "^",
                Some(at) if at < window.first && offset == window.first => "<-",
                Some(at) if at >= window.next && offset == window.next - 1 => "->",
                _ => "",
            };
            paint.strong(cell(mark), Color::Cyan)
        })
    };
    vec![
        (7, legend(window, lab, width)),
        (0, row("offset", &|offset| raw(offset.to_string()))),
        (2, row("order", &order)),
        (8, row(&format!("time {hour:02}:.."), &time)),
        (0, row("state", &state)),
        (1, marker("log start", Some(lab.log_start()))),
        (0, marker("committed", lab.committed())),
        (0, marker("position", lab.position())),
    ]
}

fn cell(text: &str) -> String {
    format!("{text:>COLUMN$}")
}

/// What the signs mean that are to be seen; or that there is more than is seen.
fn legend(window: Window, lab: &Lab, width: usize) -> Line<'static> {
    let (left, right) = (window.first, (lab.log_end() + 1 - window.next).max(0));
    if left == 0 && right == 0 {
        let signs: Vec<String> = (0..lab.log_end()).map(|offset| sign(lab, offset)).collect();
        let seen: Vec<&(&str, &str, &str)> = SIGNS
            .iter()
            .filter(|(sign, ..)| match *sign {
                "---" => lab.log_start() > 0,
                "2x" => signs.iter().any(|sign| sign.ends_with('x')),
                known => signs.iter().any(|sign| sign == known),
            })
            .collect();
        let told = |means: fn(&(&'static str, &'static str, &'static str)) -> &'static str| {
            let told: Vec<String> = seen.iter().map(|known| format!("{} {}", known.0, means(known))).collect();
            format!("state:  {}", told.join(",  "))
        };
        let long = told(|known| known.2);
        return Line::from(if long.len() <= width { long } else { told(|known| known.1) });
    }
    let mut parts = Vec::new();
    if left > 0 {
        parts.push(format!("<- {left} more on the left"));
    }
    if right > 0 {
        parts.push(format!("{right} more on the right ->"));
    }
    Line::from(format!("the log:   {}", parts.join("   ")))
}
