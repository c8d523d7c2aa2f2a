//! Windows that were resolved, as a table and as CSV; and what is to be said of a window by timestamps.

use super::csv::lines;
use super::table::{Column, Grid, Style, text};
use crate::model::visible;
use crate::report::{WindowReport, WindowsReport};

const COLUMNS: [Column; 7] = [
    ("TOPIC", false),
    ("PARTITION", true),
    ("START-OFFSET", true),
    ("END-OFFSET", true),
    ("OFFSETS", true),
    ("FIRST-TIMESTAMP", false),
    ("KEPT-AT-LEAST-UNTIL", false),
];

const MORE_COLUMNS: [Column; 5] = [
    ("LOG-START-OFFSET", true),
    ("MARGIN-OFFSETS", true),
    ("LAST-STABLE-OFFSET", true),
    ("HIGH-WATERMARK", true),
    ("RETENTION-MS", true),
];

/// The partitions, what is worth saying of them, and the sums.
pub fn table(report: &WindowsReport, style: Style, wide: bool) -> String {
    let more: &[Column] = if wide { &MORE_COLUMNS } else { &[] };
    let mut grid = Grid::new(style, &[&COLUMNS[..], more].concat());
    for row in &report.partitions {
        let mut cells = vec![
            row.topic.clone(),
            row.partition.to_string(),
            style.count(row.start_offset),
            style.count(row.end_offset),
            style.count(row.offsets),
            text(row.first_timestamp.map(|time| time.to_string()).as_deref()),
            text(row.kept_at_least_until.map(|time| time.to_string()).as_deref()),
        ];
        if wide {
            cells.extend([
                style.count(row.log_start_offset),
                style.count(row.margin_offsets),
                style.count(row.last_stable_offset),
                style.count(row.high_watermark),
                text(row.retention_ms.map(|ms| ms.to_string()).as_deref()),
            ]);
        }
        grid.row(cells);
    }
    let mut out = grid.into_text();
    for row in &report.partitions {
        if let Some(reason) = &row.reason {
            out.push_str(&format!("{}-{}: {}\n", visible(&row.topic), row.partition, visible(reason)));
        }
    }
    let (partitions, offsets) = (report.total.partitions, report.total.offsets);
    let partition = if partitions == 1 { "partition" } else { "partitions" };
    out.push_str(&format!(
        "{} {partition}, {} offsets, captured at {}; nothing was read\n",
        style.count(partitions as u64),
        style.count(offsets),
        report.captured_at
    ));
    if let Some(words) = padding(&report.window) {
        out.push_str(&format!("whoever reads them leaves out what lies outside the times; {words}\n"));
    }
    out
}

/// How far a window by timestamps was looked for, and what that can't promise.
pub(super) fn padding(window: &WindowReport) -> Option<String> {
    let padding = super::describe::span(window.padding_ms?);
    Some(match (window.exact, &window.to) {
        (Some(true), _) => "up to the log's end, so that no record of the window was out of reach".to_owned(),
        (_, Some(_)) => format!(
            "looked for up to {padding} past the end: a record of the window that lies behind one of a later time than that, or \
             behind the marker of a transaction that ended later, may be missing, and a larger `--padding` finds it"
        ),
        (_, None) => "not everything up to the log's end was looked at".to_owned(),
    })
}

/// What a replay's report says of the timestamps of its records.
pub(super) fn timestamps(window: &WindowReport, outside: u64, style: Style) -> String {
    let mut out = String::new();
    let records = |count: u64| format!("{} {}", style.count(count), if count == 1 { "record" } else { "records" });
    if let Some(words) = padding(window) {
        out.push_str(&format!("by timestamps: {} outside the window left out; {words}\n", records(outside)));
    } else if outside > 0 {
        out.push_str(&format!(
            "{} among them with a timestamp outside the window, whose bounds are offsets: `--window timestamps` goes by timestamps\n",
            records(outside)
        ));
    }
    out
}

/// `topic,partition,start_offset,end_offset`, as `--window-file` reads it.
pub fn csv(report: &WindowsReport) -> String {
    let header = ["topic", "partition", "start_offset", "end_offset"].map(str::to_owned).to_vec();
    let row = |row: &crate::report::WindowPartition| {
        vec![row.topic.clone(), row.partition.to_string(), row.start_offset.to_string(), row.end_offset.to_string()]
    };
    lines(std::iter::once(header).chain(report.partitions.iter().map(row)))
}
