//! A run of the lab as a table and as CSV.

use super::csv::{field, lines};
use super::table::{Column, Grid, Mark, Style};
use crate::report::{LabNumbers, LabReport};

const COLUMNS: [Column; 10] = [
    ("#", true),
    ("ACTION", false),
    ("COMMITTED", true),
    ("LOG-END", true),
    ("LAG", true),
    ("POSITION", true),
    ("SINK-ROWS", true),
    ("ORDERS", true),
    ("LOST", true),
    ("DUPLICATES", true),
];

const MORE: [Column; 5] =
    [("LOG-START", true), ("SINK-WRITES", true), ("READ", true), ("RETAINED-AWAY", true), ("TO-COME", true)];

/// What was done and how it stood, then why, then what follows. `wide` has the account of the events too.
pub fn table(report: &LabReport, style: Style, wide: bool) -> String {
    let mut out = String::new();
    let name = report.scenario.as_deref().unwrap_or("script");
    out.push_str(&format!(
        "{name}: {} commit, {} sink, batches of {}{}\n",
        report.commit,
        report.sink,
        report.batch,
        if report.live { ", on a real cluster" } else { "" }
    ));
    if let Some(look_at) = &report.look_at {
        out.push_str(&wrapped("look at:  ", look_at, style));
    }
    out.push('\n');
    // What was deleted is seen without asking where there is something to see.
    let log_start = report.steps.iter().any(|step| step.numbers.log_start_offset > 0);
    let mut columns = COLUMNS.to_vec();
    if wide {
        columns.extend(MORE);
    } else if log_start {
        columns.extend(MORE.into_iter().filter(|(title, _)| matches!(*title, "LOG-START" | "RETAINED-AWAY")));
    }
    let mut grid = Grid::new(style, &columns);
    for (place, step) in report.steps.iter().enumerate() {
        let numbers = &step.numbers;
        let mut cells = vec![
            (place + 1).to_string(),
            step.action.clone(),
            style.number(numbers.committed),
            style.count(numbers.log_end_offset),
            style.number(numbers.lag),
            style.number(numbers.position),
            style.count(numbers.sink_rows),
            style.count(numbers.distinct_orders),
            style.count(numbers.lost),
            style.count(numbers.duplicates),
        ];
        let (start, retained) = (style.count(numbers.log_start_offset), style.count(numbers.retained_away));
        if wide {
            let [writes, read, to_come] = [numbers.sink_writes, numbers.read, numbers.to_come].map(|n| style.count(n));
            cells.extend([start, writes, read, retained, to_come]);
        } else if log_start {
            cells.extend([start, retained]);
        }
        let mark = match numbers {
            LabNumbers { lost: 1.., .. } => Some((8, Mark::Bad)),
            LabNumbers { duplicates: 1.., .. } => Some((9, Mark::Notice)),
            _ => None,
        };
        grid.row_marked(cells, mark);
    }
    out.push_str(&grid.into_text());
    out.push('\n');
    for (place, step) in report.steps.iter().enumerate() {
        out.push_str(&wrapped(&format!("{}. {}: ", place + 1, step.action), &step.why, style));
    }
    for (label, text) in [("conclude: ", &report.conclude), ("in production: ", &report.in_production)] {
        if let Some(text) = text {
            out.push('\n');
            out.push_str(&wrapped(label, text, style));
        }
    }
    out
}

/// A paragraph that keeps to the terminal, or to a hundred columns where there is none; as Markdown it is one line.
fn wrapped(label: &str, text: &str, style: Style) -> String {
    const INDENT: &str = "   ";
    if style.markdown {
        return format!("{label}{text}\n\n");
    }
    let width = style.width.map_or(100, |width| usize::from(width).clamp(40, 120));
    let mut out = String::new();
    let mut line = label.trim_end().to_owned();
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > width {
            out.push_str(&line);
            out.push('\n');
            line = format!("{INDENT}{word}");
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    out.push_str(&line);
    out.push('\n');
    out
}

/// One line per action, with a header.
pub fn csv(report: &LabReport) -> String {
    let header = [
        "action",
        "why",
        "committed",
        "position",
        "log_start_offset",
        "log_end_offset",
        "lag",
        "sink_rows",
        "distinct_orders",
        "lost",
        "duplicates",
        "sink_writes",
        "read",
        "retained_away",
        "to_come",
    ];
    let rows = report.steps.iter().map(|step| {
        let numbers = &step.numbers;
        vec![
            step.action.clone(),
            step.why.clone(),
            field(numbers.committed),
            field(numbers.position),
            numbers.log_start_offset.to_string(),
            numbers.log_end_offset.to_string(),
            field(numbers.lag),
            numbers.sink_rows.to_string(),
            numbers.distinct_orders.to_string(),
            numbers.lost.to_string(),
            numbers.duplicates.to_string(),
            numbers.sink_writes.to_string(),
            numbers.read.to_string(),
            numbers.retained_away.to_string(),
            numbers.to_come.to_string(),
        ]
    });
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(rows))
}
