//! `list` as a table and as CSV.

use super::csv::{field, lines};
use super::table::{Column, Grid, Style, plural, text};
use crate::model::visible;
use crate::report::ListReport;

/// The groups; with `lag` also members, topics and lag.
pub fn table(report: &ListReport, style: Style, lag: bool) -> String {
    let mut columns: Vec<Column> = vec![("GROUP", false), ("TYPE", false), ("STATE", false)];
    if lag {
        columns.extend([("MEMBERS", true), ("TOPICS", false), ("LAG", true)]);
    }
    let mut out = String::new();
    if !report.groups.is_empty() {
        let mut grid = Grid::new(style, &columns);
        for row in &report.groups {
            let mut cells = vec![row.group.clone(), row.group_type.as_str().to_owned(), row.state.as_str().to_owned()];
            if lag {
                let unknown = row.unknown.filter(|unknown| *unknown > 0);
                let lag = style.number(row.lag);
                cells.extend([
                    style.number(row.members.map(|members| members as i64)),
                    text(row.topics.as_ref().map(|topics| topics.join(",")).as_deref()),
                    match unknown {
                        Some(unknown) => format!("{lag} (+{unknown} not known)"),
                        None => lag,
                    },
                ]);
            }
            grid.row(cells);
        }
        out.push_str(&grid.into_text());
    }
    for row in &report.groups {
        if let Some(error) = &row.error {
            out.push_str(&format!("{}: {} ({})\n", visible(&row.group), visible(&error.message), error.code));
        }
    }
    out.push_str(&format!("total: {}\n", plural(style, report.groups.len(), "group", "groups")));
    out
}

/// One line per group, with a header.
pub fn csv(report: &ListReport) -> String {
    let header = ["group", "type", "state", "members", "topics", "lag", "error"].map(str::to_owned).to_vec();
    let rows = report.groups.iter().map(|row| {
        vec![
            row.group.clone(),
            row.group_type.as_str().to_owned(),
            row.state.as_str().to_owned(),
            field(row.members),
            field(row.topics.as_ref().map(|topics| topics.join(" "))),
            field(row.lag),
            field(row.error.as_ref().map(|error| error.code.as_str())),
        ]
    });
    lines(std::iter::once(header).chain(rows))
}
