//! `config` as a table and as CSV.

use super::csv::lines;
use super::table::{Grid, Style, text};
use crate::model::visible;
use crate::report::{ConfigCheck, ConfigReport};

/// What holds, a row each.
pub fn table(report: &ConfigReport, style: Style) -> String {
    let path = report.path.as_deref().unwrap_or("-");
    let missing = if report.exists { "" } else { " (there is none)" };
    let mut out = format!("file: {}{missing}\n", visible(path));
    if !report.profiles.is_empty() {
        out.push_str(&format!("profiles: {}\n", report.profiles.join(", ")));
    }
    let mut grid = Grid::new(style, &[("SETTING", false), ("VALUE", false), ("SOURCE", false)]);
    for setting in &report.settings {
        grid.row([setting.name.clone(), text(setting.value.as_deref()), setting.source.clone()]);
    }
    out.push_str(&grid.into_text());
    out
}

/// One line per value, with a header.
pub fn csv(report: &ConfigReport) -> String {
    let header = ["setting", "value", "source"].map(str::to_owned).to_vec();
    let rows = report
        .settings
        .iter()
        .map(|setting| vec![setting.name.clone(), setting.value.clone().unwrap_or_default(), setting.source.clone()]);
    lines(std::iter::once(header).chain(rows))
}

/// `ok`, or how much is wrong.
pub fn check(report: &ConfigCheck) -> String {
    let path = visible(&report.path);
    match (report.exists, report.problems.len()) {
        (false, 0) => format!("ok: there is no {path}, so nothing but built-in defaults\n"),
        (true, 0) => format!("ok: {path}\n"),
        (_, 1) => format!("1 problem in {path}\n"),
        (_, count) => format!("{count} problems in {path}\n"),
    }
}
