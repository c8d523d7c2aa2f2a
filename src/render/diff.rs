//! `diff` as a table and as CSV.

use super::csv::{field, lines};
use super::table::{Column, Grid, Mark, Style};
use crate::model::visible;
use crate::report::{Change, DiffReport, DiffRow};

const COLUMNS: [Column; 7] = [
    ("GROUP", false),
    ("TOPIC", false),
    ("PARTITION", true),
    ("CHANGE", false),
    ("CURRENT-OFFSET", false),
    ("LOG-END-OFFSET", false),
    ("LAG", false),
];

/// What changed, row by row, each side by side.
pub fn table(report: &DiffReport, style: Style) -> String {
    let mut out = format!(
        "before: {} ({})\nafter:  {} ({})\n",
        report.before.captured_at,
        visible(&report.before.source),
        report.after.captured_at,
        visible(&report.after.source)
    );
    if !report.rows.is_empty() {
        let mut grid = Grid::new(style, &COLUMNS);
        for row in &report.rows {
            let mark = match row.change {
                Change::Same => None,
                Change::Added => Some((3, Mark::Good)),
                Change::Moved => Some((3, Mark::Notice)),
                Change::Removed | Change::Recreated => Some((3, Mark::Bad)),
            };
            grid.row_marked(cells(row, style), mark);
        }
        out.push_str(&grid.into_text());
    }
    let total = &report.total;
    if report.changed {
        out.push_str(&format!(
            "total: {} moved, {} added, {} removed, {} recreated, {} the same",
            style.count(total.moved as i128),
            style.count(total.added as i128),
            style.count(total.removed as i128),
            style.count(total.recreated as i128),
            style.count(total.same as i128)
        ));
    } else {
        out.push_str(&format!("no commit changed; {} the same", style.count(total.same as i128)));
    }
    out.push_str(&format!("; lag {}\n", signed(style, Some(total.lag_delta))));
    out
}

fn cells(row: &DiffRow, style: Style) -> Vec<String> {
    let arrow = if style.separators { "→" } else { "->" };
    let pair = |before: String, after: String, delta: Option<i64>| {
        if before == after {
            return before;
        }
        let delta = delta.map(|delta| format!(" ({})", signed(style, Some(delta)))).unwrap_or_default();
        format!("{before} {arrow} {after}{delta}")
    };
    let (before, after) = (row.before, row.after);
    vec![
        row.group.clone(),
        row.topic.clone(),
        row.partition.to_string(),
        row.change.as_str().to_owned(),
        pair(
            style.number(before.and_then(|side| side.current_offset)),
            style.number(after.and_then(|side| side.current_offset)),
            row.delta.current_offset,
        ),
        pair(
            style.number(before.and_then(|side| side.log_end_offset)),
            style.number(after.and_then(|side| side.log_end_offset)),
            row.delta.log_end_offset,
        ),
        pair(
            style.number(before.and_then(|side| side.lag)),
            style.number(after.and_then(|side| side.lag)),
            row.delta.lag,
        ),
    ]
}

fn signed(style: Style, number: Option<i64>) -> String {
    match number {
        Some(number @ 1..) => format!("+{}", style.count(number)),
        Some(number) => style.count(number),
        None => "-".to_owned(),
    }
}

/// One line per row, with a header.
pub fn csv(report: &DiffReport) -> String {
    let header = [
        "group",
        "topic",
        "partition",
        "change",
        "before_current_offset",
        "after_current_offset",
        "delta_current_offset",
        "before_log_end_offset",
        "after_log_end_offset",
        "delta_log_end_offset",
        "before_lag",
        "after_lag",
        "delta_lag",
    ];
    let rows = report.rows.iter().map(|row| {
        vec![
            row.group.clone(),
            row.topic.clone(),
            row.partition.to_string(),
            row.change.as_str().to_owned(),
            field(row.before.and_then(|side| side.current_offset)),
            field(row.after.and_then(|side| side.current_offset)),
            field(row.delta.current_offset),
            field(row.before.and_then(|side| side.log_end_offset)),
            field(row.after.and_then(|side| side.log_end_offset)),
            field(row.delta.log_end_offset),
            field(row.before.and_then(|side| side.lag)),
            field(row.after.and_then(|side| side.lag)),
            field(row.delta.lag),
        ]
    });
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(rows))
}
