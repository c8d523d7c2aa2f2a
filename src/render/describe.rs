//! `describe` as a table and as CSV.

use super::csv::{field, lines};
use super::table::{Column, Grid, Mark, Style, plural, text};
use crate::model::{GroupType, visible};
use crate::report::{DescribeReport, GroupReport, PartitionReport, PartitionStatus};

/// Which columns a table has beyond the usual ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Columns {
    /// Log start, losses, last stable offset, and who reads.
    pub wide: bool,
    /// The age of the oldest unread record.
    pub time_lag: bool,
    /// How fast is read and produced, and when nothing is left.
    pub rates: bool,
}

/// A table per group: its state above, its total below.
pub fn table(report: &DescribeReport, style: Style, columns: Columns) -> String {
    let mut out = String::new();
    for (index, group) in report.groups.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        group_table(&mut out, group, style, columns);
    }
    out
}

fn titles(columns: Columns) -> Vec<Column> {
    let mut titles: Vec<Column> = vec![
        ("GROUP", false),
        ("TOPIC", false),
        ("PARTITION", true),
        ("CURRENT-OFFSET", true),
        ("LOG-END-OFFSET", true),
        ("LAG", true),
    ];
    if columns.time_lag {
        titles.push(("TIME-LAG", true));
    }
    if columns.rates {
        titles.extend([("CONSUME/S", true), ("PRODUCE/S", true), ("CAUGHT-UP-IN", true)]);
    }
    titles.push(("STATUS", false));
    if columns.wide {
        titles.extend([
            ("LOG-START-OFFSET", true),
            ("LOST", true),
            ("LAST-STABLE-OFFSET", true),
            ("CONSUMER-ID", false),
            ("HOST", false),
            ("CLIENT-ID", false),
        ]);
    }
    titles
}

fn group_table(out: &mut String, group: &GroupReport, style: Style, columns: Columns) {
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
    let mut grid = Grid::new(style, &titles(columns));
    for row in &group.partitions {
        let mut cells = vec![
            group.group.clone(),
            row.topic.clone(),
            row.partition.to_string(),
            style.number(row.current_offset),
            style.number(row.log_end_offset),
            style.number(row.lag),
        ];
        if columns.time_lag {
            cells.push(row.time_lag_ms.map_or_else(|| "-".to_owned(), span));
        }
        if columns.rates {
            cells.extend([
                rate(row.consume_rate),
                rate(row.produce_rate),
                row.caught_up_seconds.map_or_else(|| "-".to_owned(), |seconds| span((seconds * 1000.0) as i64)),
            ]);
        }
        let mark = match row.status {
            PartitionStatus::Ok | PartitionStatus::NoCommit => None,
            status if status.is_failure() => Some((cells.len(), Mark::Bad)),
            _ => Some((cells.len(), Mark::Notice)),
        };
        cells.push(row.status.as_str().to_owned());
        if columns.wide {
            cells.extend([
                style.number(row.log_start_offset),
                style.number(row.lost),
                style.number(row.last_stable_offset),
                text(row.member_id.as_deref()),
                text(row.host.as_deref()),
                text(row.client_id.as_deref()),
            ]);
        }
        grid.row_marked(cells, mark);
    }
    out.push_str(&grid.into_text());
    for row in &group.partitions {
        if let Some(reason) = &row.reason {
            out.push_str(&format!("{}-{}: {}\n", visible(&row.topic), row.partition, visible(reason)));
        }
    }
    out.push_str(&total(group, style));
}

/// The members of each group, with what they read.
pub fn members(report: &DescribeReport, style: Style) -> String {
    const TITLES: [Column; 7] = [
        ("GROUP", false),
        ("CONSUMER-ID", false),
        ("INSTANCE-ID", false),
        ("HOST", false),
        ("CLIENT-ID", false),
        ("#PARTITIONS", true),
        ("ASSIGNMENT", false),
    ];
    let mut out = String::new();
    for (index, group) in report.groups.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        if let Some(error) = &group.error {
            out.push_str(&format!("{}: {} ({})\n", visible(&group.group), visible(&error.message), error.code));
            continue;
        }
        out.push_str(&format!("{}: {}\n", visible(&group.group), headline(group, style)));
        if group.members.is_empty() {
            continue;
        }
        let mut grid = Grid::new(style, &TITLES);
        for member in &group.members {
            let partitions: usize = member.assignment.iter().map(|assignment| assignment.partitions.len()).sum();
            let reads: Vec<String> = member
                .assignment
                .iter()
                .map(|assignment| {
                    let partitions: Vec<String> = assignment.partitions.iter().map(i32::to_string).collect();
                    format!("{}:{}", assignment.topic, partitions.join(","))
                })
                .collect();
            grid.row([
                group.group.clone(),
                member.member_id.clone(),
                text(member.instance_id.as_deref()),
                member.host.clone(),
                member.client_id.clone(),
                partitions.to_string(),
                text(Some(&reads.join(" "))),
            ]);
        }
        out.push_str(&grid.into_text());
    }
    out
}

/// A line per group: its state, coordinator and sums.
pub fn states(report: &DescribeReport, style: Style) -> String {
    const TITLES: [Column; 8] = [
        ("GROUP", false),
        ("COORDINATOR", false),
        ("ASSIGNMENT-STRATEGY", false),
        ("TYPE", false),
        ("STATE", false),
        ("#MEMBERS", true),
        ("#PARTITIONS", true),
        ("LAG", true),
    ];
    let mut grid = Grid::new(style, &TITLES);
    let mut failed = String::new();
    for group in &report.groups {
        if let Some(error) = &group.error {
            failed.push_str(&format!("{}: {} ({})\n", visible(&group.group), visible(&error.message), error.code));
            continue;
        }
        let coordinator = group.coordinator.as_ref().map(|node| format!("{}:{} ({})", node.host, node.port, node.id));
        grid.row([
            group.group.clone(),
            text(coordinator.as_deref()),
            text(group.assignor.as_deref()),
            group.group_type.as_str().to_owned(),
            group.state.as_str().to_owned(),
            style.count(group.members.len() as i128),
            style.count(group.partitions.len() as i128),
            style.number(group.total.lag),
        ]);
    }
    grid.into_text() + &failed
}

/// A rate a second, with as many digits as it is worth.
fn rate(rate: Option<f64>) -> String {
    match rate {
        None => "-".to_owned(),
        Some(rate) if rate >= 100.0 || rate == 0.0 => format!("{rate:.0}"),
        Some(rate) => format!("{rate:.1}"),
    }
}

/// Milliseconds as the two largest units: `2h 3m`, `5.2s`, `120ms`.
pub(super) fn span(ms: i64) -> String {
    let (sign, ms) = if ms < 0 { ("-", ms.unsigned_abs()) } else { ("", ms.unsigned_abs()) };
    let text = match ms {
        0..1000 => format!("{ms}ms"),
        1000..60_000 => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
        60_000..3_600_000 => format!("{}m {}s", ms / 60_000, ms % 60_000 / 1000),
        3_600_000..86_400_000 => format!("{}h {}m", ms / 3_600_000, ms % 3_600_000 / 60_000),
        _ => format!("{}d {}h", ms / 86_400_000, ms % 86_400_000 / 3_600_000),
    };
    format!("{sign}{text}")
}

/// `Empty (simple), classic, no members`.
fn headline(group: &GroupReport, style: Style) -> String {
    if group.group_type == GroupType::Unmanaged {
        return "a share, streams or Connect group, whose members can't be seen from here".to_owned();
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
    if let Some(oldest) = total.max_time_lag_ms {
        text.push_str(&format!(", oldest unread record {} old", span(oldest)));
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
