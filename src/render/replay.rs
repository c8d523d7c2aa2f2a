//! `replay`'s report as a table and as CSV.

use super::csv::{field, lines};
use super::describe::span;
use super::table::{Column, Grid, Mark, Style, plural, text};
use crate::model::visible;
use crate::report::{Ended, ReplayOutcome, ReplayReport};

/// Where every offset of the window is, and how it ended.
pub fn table(report: &ReplayReport, style: Style, wide: bool) -> String {
    let mut columns: Vec<Column> = vec![
        ("TOPIC", false),
        ("PARTITION", true),
        ("START-OFFSET", true),
        ("END-OFFSET", true),
        ("NEXT-OFFSET", true),
        ("RECORDS", true),
        ("GAPS", true),
        ("ENDED", false),
    ];
    if wide {
        columns.extend([("HIGH-WATERMARK", true), ("HELD-BACK", true), ("OUTSIDE-WINDOW", true), ("BYTES", true)]);
    }
    columns.push(("REASON", false));
    let mut grid = Grid::new(style, &columns);
    for row in &report.partitions {
        let mut cells = vec![
            row.topic.clone(),
            row.partition.to_string(),
            style.count(row.start_offset),
            style.count(row.end_offset),
            style.count(row.next_offset),
            style.count(row.records),
            style.count(row.gaps),
            row.ended.as_str().to_owned(),
        ];
        if wide {
            cells.extend([
                style.count(row.high_watermark),
                style.count(row.held_back),
                style.count(row.outside_window),
                style.count(row.bytes),
            ]);
        }
        cells.push(text(row.reason.as_deref()));
        let mark = match row.ended {
            Ended::EndReached | Ended::NothingToReplay => None,
            Ended::HeldBack | Ended::Limit => Some((7, Mark::Notice)),
            _ => Some((7, Mark::Bad)),
        };
        grid.row_marked(cells, mark);
    }
    let mut out = grid.into_text();
    let total = &report.total;
    out.push_str(&format!(
        "total: {} in {}, {} a second\n",
        plural(style, usize::try_from(total.records).unwrap_or(usize::MAX), "record", "records"),
        span((total.seconds * 1000.0) as i64),
        style.count(total.records_per_second as i128)
    ));
    let outside: u64 = report.partitions.iter().map(|row| row.outside_window).sum();
    if outside > 0 {
        out.push_str(&format!(
            "outside: {} with a timestamp of their own outside the window; offsets of a window by time are contiguous\n",
            plural(style, usize::try_from(outside).unwrap_or(usize::MAX), "record", "records")
        ));
    }
    out.push_str(&ending(report));
    out
}

fn ending(report: &ReplayReport) -> String {
    let place = match (&report.sink.path, &report.sink.partial) {
        (_, Some(partial)) => format!("; what was read is in `{}`", visible(partial)),
        (Some(path), None) if matches!(report.outcome, ReplayOutcome::Complete | ReplayOutcome::NothingToReplay) => {
            format!(": `{}`", visible(path))
        }
        _ => String::new(),
    };
    let held_back: u64 = report.partitions.iter().map(|row| row.held_back).sum();
    match report.outcome {
        ReplayOutcome::Complete if held_back > 0 => {
            format!("complete up to what open transactions hold back ({held_back} offsets){place}\n")
        }
        ReplayOutcome::Complete => format!("complete: every offset of the window is accounted for{place}\n"),
        ReplayOutcome::Limited => format!("limited: a limit that was asked for ended it{place}\n"),
        ReplayOutcome::NothingToReplay => format!("nothing to replay: the window holds no offsets{place}\n"),
        ReplayOutcome::Interrupted => format!("interrupted: the window is not whole{place}\n"),
        ReplayOutcome::Incomplete => format!("incomplete: something of the window is missing{place}\n"),
    }
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
    let rows = report.partitions.iter().map(|row| {
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
    });
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(rows))
}
