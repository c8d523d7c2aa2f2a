//! The journal's writes as a table and as CSV.

use super::csv::lines;
use super::table::{Grid, Style, text};
use crate::report::{GroupOutcome, HistoryReport};

/// A line per write.
pub fn table(report: &HistoryReport, style: Style) -> String {
    if report.entries.is_empty() {
        return String::new();
    }
    let columns = [
        ("ID", false),
        ("WHEN", false),
        ("USER", false),
        ("GROUPS", false),
        ("OUTCOME", false),
        ("UNDONE-BY", false),
        ("COMMAND", false),
    ];
    let mut grid = Grid::new(style, &columns);
    for entry in &report.entries {
        grid.row([
            entry.id.clone(),
            entry.when.to_string(),
            text(entry.user.as_deref()),
            entry.groups.join(", "),
            entry.outcome.map_or("not known", GroupOutcome::as_str).to_owned(),
            text(entry.undone_by.as_deref()),
            entry.command.clone(),
        ]);
    }
    grid.into_text()
}

/// With a header; groups are joined by a blank.
pub fn csv(report: &HistoryReport) -> String {
    let header = ["id", "when", "user", "command", "cluster_id", "groups", "outcome", "undoes", "undone_by"];
    let rows = report.entries.iter().map(|entry| {
        vec![
            entry.id.clone(),
            entry.when.to_string(),
            entry.user.clone().unwrap_or_default(),
            entry.command.clone(),
            entry.cluster_id.clone(),
            entry.groups.join(" "),
            entry.outcome.map(|outcome| outcome.as_str().to_owned()).unwrap_or_default(),
            entry.undoes.clone().unwrap_or_default(),
            entry.undone_by.clone().unwrap_or_default(),
        ]
    });
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(rows))
}
