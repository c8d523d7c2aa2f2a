//! `describe` as a table and as CSV.

use super::csv::{field, lines};
use super::table::{Column, Grid, Style, plural, text};
use crate::model::{GroupType, visible};
use crate::report::{DescribeReport, GroupReport, PartitionReport};

const COLUMNS: [Column; 7] = [
    ("GROUP", false),
    ("TOPIC", false),
    ("PARTITION", true),
    ("CURRENT-OFFSET", true),
    ("LOG-END-OFFSET", true),
    ("LAG", true),
    ("STATUS", false),
];

const WIDE_COLUMNS: [Column; 13] = [
    ("GROUP", false),
    ("TOPIC", false),
    ("PARTITION", true),
    ("CURRENT-OFFSET", true),
    ("LOG-END-OFFSET", true),
    ("LAG", true),
    ("STATUS", false),
    ("LOG-START-OFFSET", true),
    ("LOST", true),
    ("LAST-STABLE-OFFSET", true),
    ("CONSUMER-ID", false),
    ("HOST", false),
    ("CLIENT-ID", false),
];

/// A table per group: its state above, its total below.
pub fn table(report: &DescribeReport, style: Style, wide: bool) -> String {
    let mut out = String::new();
    for (index, group) in report.groups.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        group_table(&mut out, group, style, wide);
    }
    out
}

fn group_table(out: &mut String, group: &GroupReport, style: Style, wide: bool) {
    let name = visible(&group.group);
    if let Some(error) = &group.error {
        out.push_str(&format!("{name}: {} ({})\n", visible(&error.message), error.code));
        return;
    }
    out.push_str(&format!("{name}: {}\n", headline(group, style)));
    if group.partitions.is_empty() {
        out.push_str("no commits and no assigned partitions\n");
        return;
    }
    let columns: &[Column] = if wide { &WIDE_COLUMNS } else { &COLUMNS };
    let mut grid = Grid::new(style, columns);
    for row in &group.partitions {
        let style = grid.style();
        let mut cells = vec![
            group.group.clone(),
            row.topic.clone(),
            row.partition.to_string(),
            style.number(row.current_offset),
            style.number(row.log_end_offset),
            style.number(row.lag),
            row.status.as_str().to_owned(),
        ];
        if wide {
            cells.extend([
                style.number(row.log_start_offset),
                style.number(row.lost),
                style.number(row.last_stable_offset),
                text(row.member_id.as_deref()),
                text(row.host.as_deref()),
                text(row.client_id.as_deref()),
            ]);
        }
        grid.row(cells);
    }
    out.push_str(&grid.into_text());
    for row in &group.partitions {
        if let Some(reason) = &row.reason {
            out.push_str(&format!("{}-{}: {}\n", visible(&row.topic), row.partition, visible(reason)));
        }
    }
    out.push_str(&total(group, style));
}

/// `Empty (simple), classic, no members`.
fn headline(group: &GroupReport, style: Style) -> String {
    if group.group_type == GroupType::Unmanaged {
        return "a share or streams group, whose members can't be seen from here".to_owned();
    }
    let simple = if group.is_simple { " (simple)" } else { "" };
    let members = match group.members.len() {
        0 => "no members".to_owned(),
        count => plural(style, count, "member", "members"),
    };
    format!("{}{simple}, {}, {members}", group.state.as_str(), group.group_type.as_str())
}

/// `total: 3 partitions, lag 17`, with what was lost and what is not known.
fn total(group: &GroupReport, style: Style) -> String {
    let total = &group.total;
    let mut text = format!(
        "total: {}, lag {}",
        plural(style, total.partitions, "partition", "partitions"),
        style.number(total.lag)
    );
    if total.lost.is_some_and(|lost| lost > 0) {
        text.push_str(&format!(", lost {}", style.number(total.lost)));
    }
    if total.unknown > 0 {
        text.push_str(&format!(", {} not known", plural(style, total.unknown, "lag", "lags")));
    }
    text.push('\n');
    text
}

/// One line per partition of each group, with a header.
pub fn csv(report: &DescribeReport) -> String {
    let header = [
        "group",
        "topic",
        "topic_id",
        "partition",
        "current_offset",
        "log_start_offset",
        "log_end_offset",
        "last_stable_offset",
        "lag",
        "lost",
        "time_lag_ms",
        "oldest_unread_timestamp",
        "leader_epoch",
        "metadata",
        "member_id",
        "client_id",
        "host",
        "status",
        "reason",
    ];
    let rows = report.groups.iter().flat_map(|group| group.partitions.iter().map(|row| csv_row(&group.group, row)));
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(rows))
}

fn csv_row(group: &str, row: &PartitionReport) -> Vec<String> {
    vec![
        group.to_owned(),
        row.topic.clone(),
        field(row.topic_id.as_deref()),
        row.partition.to_string(),
        field(row.current_offset),
        field(row.log_start_offset),
        field(row.log_end_offset),
        field(row.last_stable_offset),
        field(row.lag),
        field(row.lost),
        field(row.time_lag_ms),
        field(row.oldest_unread_timestamp),
        field(row.leader_epoch),
        field(row.metadata.as_deref()),
        field(row.member_id.as_deref()),
        field(row.client_id.as_deref()),
        field(row.host.as_deref()),
        row.status.as_str().to_owned(),
        field(row.reason.as_deref()),
    ]
}
