//! A load's report as text, as a table and as CSV.

use super::csv::lines;
use super::table::{Grid, Style};
use crate::model::visible;
use crate::report::{LoadReport, ReplayOutcome};

/// The partitions of the file, and the sums.
pub fn table(report: &LoadReport, style: Style) -> String {
    let mut grid = Grid::new(style, super::replay::narrow());
    for row in &report.partitions {
        grid.row(vec![
            row.topic.clone(),
            row.partition.to_string(),
            style.count(row.start_offset),
            style.count(row.end_offset),
            style.count(row.records),
            style.count(row.gaps),
            row.ended.as_str().to_owned(),
        ]);
    }
    let (file, into) = (visible(&report.window.file), visible(&report.sink.target));
    let mut text = grid.into_text();
    let total = &report.total;
    let in_file = style.count(report.window.records);
    match report.outcome {
        ReplayOutcome::Planned => {
            text.push_str(&format!("planned: {in_file} records of {file}, nothing was produced into {into}\n"));
        }
        outcome => {
            text.push_str(&format!(
                "{}: {} of {in_file} records ({} bytes) in {} s, {} a second, into {into}\n",
                outcome.as_str(),
                style.count(total.records),
                style.count(total.bytes),
                total.seconds,
                style.count(total.records_per_second.round() as i64),
            ));
            if !outcome.is_whole() {
                text.push_str(&format!(
                    "not whole: {} records were produced into {into}, and stay there\n",
                    style.count(report.sink.written)
                ));
            }
        }
    }
    text
}

/// One line per partition, with a header.
pub fn csv(report: &LoadReport) -> String {
    let header = ["topic", "partition", "start_offset", "end_offset", "records", "gaps", "bytes", "ended"];
    let rows = report.partitions.iter().map(|row| {
        vec![
            row.topic.clone(),
            row.partition.to_string(),
            row.start_offset.to_string(),
            row.end_offset.to_string(),
            row.records.to_string(),
            row.gaps.to_string(),
            row.bytes.to_string(),
            row.ended.as_str().to_owned(),
        ]
    });
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(rows))
}
