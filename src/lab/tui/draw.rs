//! A state as lines of text. Everything is said in words; colour only adds.

use super::state::{Lesson, Mode, State, Told};
use super::table::{self, Paint};
use super::wrap::wrap;
use super::{help, next};
use crate::lab::account::Fate;
use crate::lab::model::{CommitMode, Lab};
use crate::lab::scenario::SCENARIOS;
use crate::lab::script::Action;
use crate::lab::sink::SinkMode;
use ratatui::Frame;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Below this it is no use.
const NARROWEST: usize = 60;
const LOWEST: usize = 16;

/// For someone who has never seen an offset.
const INTRO: &str = "A consumer reads a log's events in batches and writes them to a sink, a table. Each event has a number, its OFFSET. COMMITTED is a bookmark kept on the broker: the next offset to read after a restart. POSITION: the next one to read now.";

/// Draws the state.
pub fn draw(frame: &mut Frame<'_>, state: &State, color: bool) {
    let area = frame.area();
    let lines = lines(state, area.width.into(), area.height.into(), Paint { color });
    frame.render_widget(Paragraph::new(lines), area);
}

/// Lines that belong together.
struct Block {
    lines: Vec<Line<'static>>,
    /// Where there is no room, the block of the highest number goes first; 0 stays.
    dispensable: u8,
}

fn block(dispensable: u8, lines: Vec<Line<'static>>) -> Block {
    Block { lines, dispensable }
}

fn lines(state: &State, width: usize, height: usize, paint: Paint) -> Vec<Line<'static>> {
    if width < NARROWEST || height < LOWEST {
        let text = format!("the lab needs 80x24; this terminal is {width}x{height} (q quits)");
        return plain(&text, width);
    }
    if let Mode::Help(from) = state.mode() {
        return help::lines(*from, width, height);
    }
    let mut above = vec![block(0, vec![title(state, width)])];
    above.extend(header(state, width));
    above.extend(
        table::blocks(state.lab(), width, paint).into_iter().map(|(dispensable, line)| block(dispensable, vec![line])),
    );
    above.push(block(0, numbers(state.lab(), width, paint)));
    // A taller terminal has room for more of it.
    let sink_lines = (height.saturating_sub(20) / 4).clamp(1, 4);
    above.push(block(6, sink(state.lab(), width, sink_lines)));
    let mut below = match state.mode() {
        Mode::Rewinding(typed) => vec![block(0, vec![prompt(typed)])],
        _ => vec![block(next_dispensable(state), vec![next_line(state, width)])],
    };
    below.push(block(0, keys(state, width)));

    let newest = state.told().last().map_or(1, |told| tell(told, true, width, paint).len());
    let room = |above: &[Block], below: &[Block]| {
        let taken: usize = above.iter().chain(below).map(|block| block.lines.len()).sum();
        height.saturating_sub(taken)
    };
    while room(&above, &below) < newest {
        let Some(worst) = above.iter().chain(&below).map(|block| block.dispensable).max().filter(|&worst| worst > 0)
        else {
            break;
        };
        above.retain(|block| block.dispensable != worst);
        below.retain(|block| block.dispensable != worst);
    }
    let happened = happened(state, width, room(&above, &below).max(1), paint);
    let of = |blocks: Vec<Block>| blocks.into_iter().flat_map(|block| block.lines);
    of(above).chain(happened).chain(of(below)).collect()
}

fn plain(text: &str, width: usize) -> Vec<Line<'static>> {
    wrap(text, width).into_iter().map(Line::from).collect()
}

fn bold(text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), Style::new().add_modifier(Modifier::BOLD))
}

fn title(state: &State, width: usize) -> Line<'static> {
    let settings = state.lab().settings();
    let running = if state.lab().is_running() { "running" } else { "DOWN" };
    let text = format!(
        " krewind lab   commit {}   sink {}   batch {}   consumer {running}",
        settings.commit.as_str(),
        settings.sink.as_str(),
        settings.batch
    );
    Line::from(Span::styled(format!("{text:<width$}"), Style::new().add_modifier(Modifier::REVERSED)))
}

/// What to know before looking at the rest.
fn header(state: &State, width: usize) -> Vec<Block> {
    let Some(lesson) = state.lesson() else {
        return vec![block(3, plain(INTRO, width))];
    };
    let scenario = lesson.scenario;
    let name = format!("lesson {}, {}: {}", lesson.number(), scenario.name, scenario.title);
    let mut blocks = vec![block(0, wrap(&name, width).into_iter().map(|line| Line::from(bold(line))).collect())];
    if lesson.is_over() {
        blocks.push(block(0, labelled("conclude:", scenario.conclude, width)));
        blocks.push(block(2, labelled("in production:", scenario.in_production, width)));
    } else {
        blocks.push(block(3, labelled("look at:", scenario.look_at, width)));
        blocks.push(block(0, script(lesson, width)));
    }
    blocks
}

fn labelled(label: &str, text: &str, width: usize) -> Vec<Line<'static>> {
    let mut lines = plain(&format!("{label} {text}"), width);
    if let Some(first) = lines.first_mut() {
        let rest: String = first.to_string().chars().skip(label.chars().count()).collect();
        *first = Line::from(vec![bold(label), Span::raw(rest)]);
    }
    lines
}

/// The script, with the place in it.
fn script(lesson: &Lesson, width: usize) -> Vec<Line<'static>> {
    let marked = |(place, action): (usize, &Action)| {
        if place == lesson.done { format!("[{action}]") } else { action.to_string() }
    };
    let actions: Vec<String> = lesson.actions.iter().enumerate().map(marked).collect();
    labelled("script:", &actions.join("; "), width)
}

/// How it stands, under the names that reports use.
fn numbers(lab: &Lab, width: usize, paint: Paint) -> Vec<Line<'static>> {
    let numbers = lab.numbers();
    let end = numbers.log_end_offset;
    let committed = numbers.committed.map_or_else(|| "none yet".to_owned(), |offset| offset.to_string());
    let lag = match (numbers.lag, numbers.committed) {
        (Some(lag), Some(committed)) => format!("{lag} (= {end} - {})", committed.max(numbers.log_start_offset)),
        _ => "- (no commit)".to_owned(),
    };
    let position = numbers.position.map_or_else(|| "- (down)".to_owned(), |position| position.to_string());
    let place = [
        Span::raw(format!("COMMITTED {committed}")),
        Span::raw(format!("LOG-END {end}")),
        Span::raw(format!("LAG {lag}")),
        Span::raw(format!("POSITION {position}")),
        Span::raw(format!("LOG-START {}", numbers.log_start_offset)),
    ];
    let absorbed = match (lab.settings().sink, numbers.duplicates) {
        (_, 0) => "",
        (SinkMode::Upsert, _) => " (absorbed by the upsert)",
        (SinkMode::Append, _) => " (copies in the sink)",
    };
    let lost = format!("LOST {}", numbers.lost);
    let lost = if numbers.lost > 0 { paint.strong(format!("{lost} (silently)"), Color::Red) } else { Span::raw(lost) };
    let duplicates = format!("DUPLICATES {}{absorbed}", numbers.duplicates);
    let duplicates =
        if numbers.duplicates > 0 { paint.strong(duplicates, Color::Magenta) } else { Span::raw(duplicates) };
    let sink = [
        Span::raw(format!("SINK-ROWS {}", numbers.sink_rows)),
        Span::raw(format!("DISTINCT-ORDERS {}", numbers.distinct_orders)),
        lost,
        duplicates,
    ];
    let account = format!(
        "READ {} + LOST {} + RETAINED-AWAY {} + TO-COME {} = {end} events",
        numbers.read, numbers.lost, numbers.retained_away, numbers.to_come
    );
    let mut lines = spread(place.into(), width);
    lines.extend(spread(sink.into(), width));
    lines.extend(spread(vec![Span::raw(account)], width));
    lines
}

/// Spans beside each other, on as many lines as they need.
fn spread(spans: Vec<Span<'static>>, width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for span in spans {
        match lines.last_mut() {
            Some(line) if line.width() + 3 + span.width() <= width => {
                line.push_span(Span::raw("   "));
                line.push_span(span);
            }
            _ => lines.push(Line::from(span)),
        }
    }
    lines
}

/// The sink's rows on so many lines at most, the newest at the end.
fn sink(lab: &Lab, width: usize, most: usize) -> Vec<Line<'static>> {
    let sink = lab.sink();
    let mut rows: Vec<(String, usize)> = Vec::new();
    for row in sink.rows() {
        let name = format!("{} {}", row.order, row.status());
        match (sink.mode(), rows.iter_mut().find(|(known, _)| *known == name)) {
            (SinkMode::Append, Some((_, times))) => *times += 1,
            (SinkMode::Append, None) => rows.push((name, 1)),
            (SinkMode::Upsert, _) => rows.push((name, sink.times_written(row.offset))),
        }
    }
    if rows.is_empty() {
        return plain("in the sink: nothing yet", width);
    }
    let repeated = rows.iter().any(|(_, times)| *times > 1);
    let label = match (repeated, sink.mode()) {
        (false, _) => "in the sink:",
        (true, SinkMode::Append) => "in the sink (x2: two rows):",
        (true, SinkMode::Upsert) => "in the sink (x2: written twice):",
    };
    let all = rows.len();
    let text = |from: usize| {
        let named = rows[from..].iter().map(|(name, times)| match times {
            1 => name.clone(),
            times => format!("{name} x{times}"),
        });
        let left_out = (from > 0).then(|| "…".to_owned());
        format!("{label} {}", left_out.into_iter().chain(named).collect::<Vec<_>>().join(", "))
    };
    // More than these can't fit: a name takes ten columns and more.
    let first = all.saturating_sub(most * width / 10);
    let lines = (first..all).map(|from| plain(&text(from), width)).find(|lines| lines.len() <= most);
    lines.unwrap_or_else(|| plain(label, width))
}

/// What happened, the newest last and whole.
fn happened(state: &State, width: usize, room: usize, paint: Paint) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (age, told) in state.told().iter().rev().enumerate() {
        let mut tells = tell(told, age == 0, width, paint);
        if age == 0 && tells.len() > room {
            tells.truncate(room);
        }
        let more = tells.len() + lines.len() > room;
        if more {
            break;
        }
        tells.append(&mut lines);
        lines = tells;
    }
    if state.told().is_empty() {
        lines = beginning(state.lab(), width);
        lines.truncate(room);
    }
    lines.resize(lines.len().max(room), Line::default());
    lines
}

/// What stands where nothing has happened yet.
fn beginning(lab: &Lab, width: usize) -> Vec<Line<'static>> {
    let settings = lab.settings();
    let commit = match settings.commit {
        CommitMode::Auto => "commit auto: a timer moves COMMITTED right after each poll, work done or not.",
        CommitMode::Manual => "commit manual: COMMITTED moves when the whole batch is in the sink.",
    };
    let sink = match settings.sink {
        SinkMode::Append => "sink append: each write adds a row, also for an order that is there already.",
        SinkMode::Upsert => "sink upsert: one row for each order; the last write wins.",
    };
    let begin = "Nothing has happened yet. Space takes the next step; 1 begins the first lesson.";
    [begin, commit, sink].into_iter().flat_map(|text| plain(text, width)).collect()
}

fn tell(told: &Told, newest: bool, width: usize, paint: Paint) -> Vec<Line<'static>> {
    let sign = if newest { '>' } else { ' ' };
    let number = told.number.map_or_else(|| "   !".to_owned(), |number| format!("{number:>4}"));
    let indent = 7;
    let texts = wrap(&told.text, width.saturating_sub(indent).max(1));
    let lines = texts.into_iter().enumerate().map(|(place, text)| {
        let front = if place == 0 { format!("{sign}{number}  ") } else { " ".repeat(indent) };
        let text = if newest && told.text.contains("never") {
            paint.strong(text, Color::Red)
        } else if newest {
            bold(text)
        } else {
            Span::raw(text)
        };
        Line::from(vec![Span::raw(front), text])
    });
    lines.collect()
}

fn next_dispensable(state: &State) -> u8 {
    // A scenario's script has its place marked anyway.
    if state.lesson().is_some_and(|lesson| !lesson.is_over()) { 5 } else { 4 }
}

fn next_line(state: &State, width: usize) -> Line<'static> {
    let lab = state.lab();
    let lesson = state.lesson();
    let step = match lesson.filter(|lesson| !lesson.is_over()) {
        Some(lesson) => lesson.next_step(lab),
        None => lab.next_step(),
    };
    let text = match (step, lesson) {
        (Some(step), _) => next::step(step, lab),
        (None, Some(lesson)) if lesson.number() < SCENARIOS.len() => {
            format!("the lesson is over; {} begins the next one, or go on as you like", lesson.number() + 1)
        }
        (None, Some(_)) => "the lesson is over; go on as you like, 0 begins anew".to_owned(),
        (None, None) => next::idle(lab).to_owned(),
    };
    let label = if step.is_some() { "space: " } else { "" };
    let text = wrap(&text, width.saturating_sub(label.len()).max(1)).swap_remove(0);
    Line::from(vec![bold(label), Span::raw(text)])
}

fn prompt(typed: &str) -> Line<'static> {
    Line::from(vec![
        bold(format!("rewind to > {typed}_")),
        Span::raw("   an offset such as 4, or a time such as 10:03"),
    ])
}

fn keys(state: &State, width: usize) -> Vec<Line<'static>> {
    let batch = format!("+/- batch {}", state.lab().settings().batch);
    let keys: Vec<&str> = match state.lesson().filter(|lesson| !lesson.is_over()) {
        _ if matches!(state.mode(), Mode::Rewinding(_)) => {
            vec!["e earliest", "l latest", "0-9 : offset or time", "Enter go", "Esc give up"]
        }
        Some(_) => vec!["space step", "n whole action", "z undo", "1-5 lessons", "0 free lab", "? help", "q quit"],
        None => vec![
            "space step",
            "b whole batch",
            "c crash",
            "r restart",
            "s stop",
            "w rewind",
            "t commit now",
            "p produce 3",
            "x delete oldest",
            "a auto/manual",
            "u append/upsert",
            &batch,
            "z undo",
            "0 anew",
            "1-5 lessons",
            "? help",
            "q quit",
        ],
    };
    let spans = keys.into_iter().map(|key| key.split_once(' ').unwrap_or((key, "")));
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (key, does) in spans {
        let wide = key.len() + 1 + does.len();
        let line = match lines.last_mut() {
            Some(line) if line.width() + 2 + wide <= width => {
                line.push_span(Span::raw("  "));
                line
            }
            _ => {
                lines.push(Line::default());
                let last = lines.len() - 1;
                &mut lines[last]
            }
        };
        line.push_span(bold(key));
        line.push_span(Span::raw(format!(" {does}")));
    }
    lines
}

/// An event's state in four letters at most.
pub fn sign(lab: &Lab, offset: i64) -> String {
    if lab.in_hand().contains(&offset) {
        return "hand".to_owned();
    }
    match lab.fate(offset) {
        Fate::Lost => "LOST".to_owned(),
        Fate::RetainedAway => "gone".to_owned(),
        Fate::ToCome => ".".to_owned(),
        Fate::Read => match lab.sink().times_written(offset) {
            0 | 1 => "ok".to_owned(),
            times => format!("{times}x"),
        },
    }
}
