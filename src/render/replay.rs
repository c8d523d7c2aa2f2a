//! A replay's report as text, as a table and as CSV.

use super::csv::{field, lines};
use super::table::{Column, Grid, Style};
use crate::model::visible;
use crate::report::{ReplayOutcome, ReplayPartition, ReplayReport};

/// The columns of a run; the first [`NARROW`] of them where `wide` was not asked for.
const COLUMNS: [Column; 13] = [
    ("TOPIC", false),
    ("PARTITION", true),
    ("START-OFFSET", true),
    ("END-OFFSET", true),
    ("RECORDS", true),
    ("GAPS", true),
    ("ENDED", false),
    ("NEXT-OFFSET", true),
    ("HIGH-WATERMARK", true),
    ("HELD-BACK", true),
    ("FILTERED", true),
    ("OUTSIDE-WINDOW", true),
    ("BYTES", true),
];

const NARROW: usize = 7;

/// The columns that every run has, a load's too.
pub(super) fn narrow() -> &'static [Column] {
    &COLUMNS[..NARROW]
}

/// The partitions, what is worth saying of them, and the sums.
pub fn table(report: &ReplayReport, style: Style, wide: bool) -> String {
    let columns = if wide { &COLUMNS[..] } else { narrow() };
    let mut grid = Grid::new(style, columns);
    for row in &report.partitions {
        let mut cells = vec![
            row.topic.clone(),
            row.partition.to_string(),
            style.count(row.start_offset),
            style.count(row.end_offset),
            style.count(row.records),
            style.count(row.gaps),
            row.ended.as_str().to_owned(),
        ];
        if wide {
            cells.extend([
                style.count(row.next_offset),
                style.count(row.high_watermark),
                style.count(row.held_back),
                style.count(row.filtered),
                style.count(row.outside_window),
                style.count(row.bytes),
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
    out.push_str(&total(report, style));
    out
}

/// `complete: 17 records (2310 bytes) in 0.2 s, 85 a second, into orders.jsonl`.
fn total(report: &ReplayReport, style: Style) -> String {
    let total = &report.total;
    let records = if total.records == 1 { "record" } else { "records" };
    let into = match report.sink.target.as_str() {
        "-" => "standard output".to_owned(),
        target => visible(target).into_owned(),
    };
    if report.outcome == ReplayOutcome::Planned {
        return format!("planned: nothing was written into {into}\n");
    }
    let mut text = format!(
        "{}: {} {records} ({} bytes) in {} s, {} a second, into {into}\n",
        report.outcome.as_str(),
        style.count(total.records),
        style.count(total.bytes),
        total.seconds,
        style.count(total.records_per_second.round() as i64),
    );
    if total.filtered > 0 {
        let why = match total.filtered {
            1 => "record was left out, since it was not asked for",
            _ => "records were left out, since they were not asked for",
        };
        text.push_str(&format!("{} {why}\n", style.count(total.filtered)));
    }
    let outside = report.partitions.iter().map(|partition| partition.outside_window).sum();
    text.push_str(&super::window::timestamps(&report.window, outside, style));
    if report.sink.duplicates > 0 {
        text.push_str(&format!("{} of them were there already\n", style.count(report.sink.duplicates)));
    }
    if report.sink.written + report.sink.duplicates != total.records {
        text.push_str(&format!("{} of them are known to have arrived\n", style.count(report.sink.written)));
    }
    match &report.sink.partial {
        Some(partial) => {
            text.push_str(&format!("not whole, so {into} was not made: what was read is in {}\n", visible(partial)))
        }
        None if report.sink.into == "kafka" && report.outcome.is_whole() => {}
        None if report.sink.into == "kafka" => text.push_str(&format!(
            "not whole: {} records were produced into {into}, and stay there\n",
            style.count(report.sink.written)
        )),
        None if matches!(report.sink.into.as_str(), "sqlite" | "postgres") && !report.outcome.is_whole() => {
            // Both are there: what this run wrote, and what it found.
            text.push_str(&match report.sink.written + report.sink.duplicates {
                0 => format!("not whole: nothing of it is in {into}\n"),
                count => format!("not whole: {} records of it are in {into}, and stay there\n", style.count(count)),
            });
        }
        None if !report.outcome.is_whole() && !matches!(report.sink.target.as_str(), "-" | "null") => {
            text.push_str(&format!("not whole, so {into} was not made\n"));
        }
        None if report.outcome == ReplayOutcome::Interrupted && report.sink.target != "null" => {
            text.push_str("interrupted: what was written is not whole\n")
        }
        None => {}
    }
    if let Some(command) = report.resume.as_ref().and_then(|resume| resume["command"].as_str()) {
        text.push_str(&format!("to go on: {}\n", visible(command)));
    }
    text
}

/// One line per partition, with a header.
pub fn csv(report: &ReplayReport) -> String {
    let header = [
        "topic",
        "topic_id",
        "partition",
        "start_offset",
        "end_offset",
        "next_offset",
        "high_watermark",
        "held_back",
        "records",
        "filtered",
        "outside_window",
        "gaps",
        "bytes",
        "ended",
        "reason",
    ];
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(report.partitions.iter().map(csv_row)))
}

fn csv_row(row: &ReplayPartition) -> Vec<String> {
    vec![
        row.topic.clone(),
        field(row.topic_id.as_deref()),
        row.partition.to_string(),
        row.start_offset.to_string(),
        row.end_offset.to_string(),
        row.next_offset.to_string(),
        row.high_watermark.to_string(),
        row.held_back.to_string(),
        row.records.to_string(),
        row.filtered.to_string(),
        row.outside_window.to_string(),
        row.gaps.to_string(),
        row.bytes.to_string(),
        row.ended.as_str().to_owned(),
        field(row.reason.as_deref()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn words(outcome: &str, sink: Value, filtered: u64) -> String {
        let ended = if outcome == "interrupted" { "interrupted" } else { "end-reached" };
        let report = json!({
            "kind": "replay", "version": 1, "outcome": outcome, "cluster_id": "c", "captured_at": "2026-12-01T10:00:00.000Z",
            "isolation_level": "read_committed", "window": {"mode": "offsets", "from": {"offset": 0}, "to": null},
            "partitions": [{
                "topic": "t", "topic_id": null, "partition": 0, "start_offset": 0, "end_offset": 9, "next_offset": 5,
                "high_watermark": 9, "held_back": 0, "records": 5, "filtered": filtered, "outside_window": 0, "gaps": 0,
                "bytes": 10, "ended": ended, "reason": null
            }],
            "total": {"records": 5, "filtered": filtered, "bytes": 10, "seconds": 1.0, "records_per_second": 5.0},
            "sink": sink, "resume": null
        });
        let report: ReplayReport = serde_json::from_value(report).unwrap();
        let text = total(&report, Style::default());
        text.split_once('\n').unwrap().1.to_owned()
    }

    fn sink(into: &str, target: &str, written: u64) -> Value {
        json!({"into": into, "target": target, "partial": null, "written": written, "duplicates": 0})
    }

    #[test]
    fn what_stays_of_a_run_that_is_not_whole_is_told_by_its_sink() {
        for (sink, expected) in [
            (sink("null", "null", 5), ""),
            (sink("jsonl", "-", 5), "interrupted: what was written is not whole\n"),
            (sink("jsonl", "a.jsonl", 5), "not whole, so a.jsonl was not made\n"),
            (sink("sqlite", "a.db, table r", 5), "not whole: 5 records of it are in a.db, table r, and stay there\n"),
            (
                sink("postgres", "p, table r", 0),
                "0 of them are known to have arrived\nnot whole: nothing of it is in p, table r\n",
            ),
            (sink("kafka", "copy", 5), "not whole: 5 records were produced into copy, and stay there\n"),
        ] {
            assert_eq!(words("interrupted", sink, 0), expected);
        }
    }

    #[test]
    fn what_was_left_out_is_told() {
        assert_eq!(words("complete", sink("null", "null", 5), 0), "");
        assert_eq!(
            words("complete", sink("null", "null", 5), 1),
            "1 record was left out, since it was not asked for\n"
        );
        assert_eq!(
            words("limited", sink("null", "null", 5), 4),
            "4 records were left out, since they were not asked for\n"
        );
    }
}
