//! `reset` as a table, as the plan before the question, and as Kafka's CSV.

use super::csv::lines;
use super::removal::{self, Removal};
use super::table::{Column, Grid, Style, plural, text};
use crate::model::visible;
use crate::report::{Action, GroupOutcome, GroupPlan, ResetReport, ResetRow, RowOutcome, TargetReport};

const NUMBERS: [Column; 9] = [
    ("TOPIC", false),
    ("PARTITION", true),
    ("CURRENT-OFFSET", true),
    ("NEW-OFFSET", true),
    ("REREADS", true),
    ("SKIPS", true),
    ("LOG-START-OFFSET", true),
    ("LOG-END-OFFSET", true),
    ("ACTION", false),
];

/// The report: rows, sums, what became of them, and what comes next.
pub fn table(report: &ResetReport, style: Style, wide: bool) -> String {
    let removal = removal::of(report);
    let mut out = String::new();
    for (index, group) in report.groups.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&rows(group, style, report.groups.len() > 1, wide, removal));
        out.push_str(&sums(group, style, removal));
        out.push_str(&ending(group, style, removal));
    }
    out
}

/// The plan as it is shown before the question: what it does, where, and its rows and sums.
pub fn plan(report: &ResetReport, style: Style, cluster: &str) -> String {
    let mut out = String::new();
    let groups: Vec<String> = report.groups.iter().map(|group| format!("`{}`", visible(&group.group))).collect();
    let removal = removal::of(report);
    out.push_str(&match removal {
        Some(removal) => removal::heading(removal, &groups),
        None => format!("plan: reset {} to {}\n", groups.join(", "), target(&report.target)),
    });
    out.push_str(&format!("cluster: {}\n", visible(cluster)));
    for (index, group) in report.groups.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&rows(group, style, report.groups.len() > 1, false, removal));
        out.push_str(&sums(group, style, removal));
    }
    out
}

fn target(target: &TargetReport) -> String {
    match target {
        TargetReport::Earliest => "earliest".to_owned(),
        TargetReport::Latest => "latest".to_owned(),
        TargetReport::Offset { offset } => format!("offset {offset}"),
        TargetReport::ShiftBy { by } => format!("{by:+} offsets from each commit"),
        TargetReport::Current => "where each commit stands".to_owned(),
        TargetReport::Group { group } => format!("where group `{}` stands", visible(group)),
        TargetReport::File { file } => format!("what `{}` says", visible(file)),
        TargetReport::Undo { id } => format!("what write {} replaced", visible(id)),
        TargetReport::Removed => "no commit".to_owned(),
        TargetReport::Timestamp { timestamp, .. } => timestamp.to_string(),
    }
}

fn rows(group: &GroupPlan, style: Style, with_group: bool, wide: bool, removal: Option<Removal>) -> String {
    if group.rows.is_empty() {
        return String::new();
    }
    let written = group.rows.iter().any(|row| row.outcome.is_some());
    let mut columns: Vec<Column> = Vec::new();
    if with_group {
        columns.push(("GROUP", false));
    }
    match removal {
        Some(_) => columns.extend(removal::NUMBERS),
        None => columns.extend(NUMBERS),
    }
    columns.push(("REASON", false));
    if written {
        columns.push(("OUTCOME", false));
    }
    if wide {
        columns.extend([
            ("LAG-BEFORE", true),
            ("LAG-AFTER", true),
            ("NEW-TIMESTAMP", false),
            ("LAST-STABLE-OFFSET", true),
            ("READ-BACK", true),
        ]);
    }
    let mut grid = Grid::new(style, &columns);
    for row in &group.rows {
        let mut cells: Vec<String> = Vec::new();
        if with_group {
            cells.push(group.group.clone());
        }
        cells.extend([
            row.topic.clone(),
            row.partition.to_string(),
            style.number(row.current_offset),
            style.number(row.new_offset),
        ]);
        match removal {
            Some(_) => cells.push(style.number(row.lag_before)),
            None => cells.extend([style.number(row.rereads), style.number(row.skips)]),
        }
        cells.extend([
            style.number(row.log_start_offset),
            style.number(row.log_end_offset),
            row.action.as_str().to_owned(),
        ]);
        cells.push(text(reason(row).as_deref()));
        if written {
            cells.push(text(row.outcome.map(RowOutcome::as_str)));
        }
        if wide {
            cells.extend([
                style.number(row.lag_before),
                style.number(row.lag_after),
                text(row.new_timestamp.map(|timestamp| timestamp.to_string()).as_deref()),
                style.number(row.last_stable_offset),
                style.number(row.read_back),
            ]);
        }
        grid.row(cells);
    }
    grid.into_text()
}

/// The row's reason, and what went wrong with it.
fn reason(row: &ResetRow) -> Option<String> {
    let wrong = match (row.outcome, &row.error) {
        (Some(RowOutcome::Drifted | RowOutcome::TakenOver), _) => Some(format!(
            "reads back {}",
            row.read_back.map_or_else(|| "no commit".to_owned(), |offset| offset.to_string())
        )),
        (_, error) => error.clone(),
    };
    match (&row.reason, wrong) {
        (Some(reason), Some(wrong)) => Some(format!("{reason}; {wrong}")),
        (Some(reason), None) => Some(reason.clone()),
        (None, wrong) => wrong,
    }
}

fn sums(group: &GroupPlan, style: Style, removal: Option<Removal>) -> String {
    if let Some(removal) = removal {
        return removal::sums(removal, group, style);
    }
    let total = &group.total;
    let mut out = format!(
        "total: {} to move, {} in place, {} left; {} delivered again, {} never delivered",
        style.count(total.moved as i128),
        style.count(total.kept as i128),
        style.count(total.skipped as i128),
        plural_offsets(style, total.rereads),
        style.count(total.skips),
    );
    if total.unknown > 0 {
        out.push_str(&format!(
            "; not known for {} without a commit",
            plural(style, total.unknown, "partition", "partitions")
        ));
    }
    out.push('\n');
    let before: Option<u64> = sum(group.rows.iter().map(|row| row.lag_before));
    let after: Option<u64> = sum(group.rows.iter().map(|row| match row.action {
        Action::Skip => row.lag_before,
        _ => row.lag_after,
    }));
    out.push_str(&format!("lag: {} before, {} after\n", style.number(before), style.number(after)));
    out
}

fn plural_offsets(style: Style, count: u64) -> String {
    format!("{} {}", style.count(count), if count == 1 { "offset" } else { "offsets" })
}

/// The sum of what is known; `None` where nothing is.
fn sum(lags: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    lags.flatten().fold(None, |sum, lag| Some(sum.unwrap_or(0) + lag))
}

/// What became of it, in a line, and what comes next.
fn ending(group: &GroupPlan, style: Style, removal: Option<Removal>) -> String {
    let mut out = match removal {
        Some(removal) => removal::ending(removal, group, style),
        None => moved(group, style),
    };
    if let Some(refusal) = &group.refusal {
        out = format!("refused: {}; nothing was written\n", visible(&refusal.message));
    }
    if let Some(refusal) = &group.would_refuse {
        out.push_str(&format!("a write would be refused now: {}\n", visible(&refusal.message)));
    }
    if let Some(undo) = &group.undo {
        out.push_str(&format!("undo: krewind undo --id {}\n", visible(&undo.id)));
    }
    out
}

/// What became of a group whose commits move.
fn moved(group: &GroupPlan, style: Style) -> String {
    let name = visible(&group.group);
    let failed = group.total.failed;
    let applied = group.rows.iter().filter(|row| row.outcome == Some(RowOutcome::Applied)).count();
    match group.outcome {
        GroupOutcome::Planned => "dry run: nothing was written\n".to_owned(),
        GroupOutcome::Applied => format!(
            "applied: {} written and read back; consumers of `{name}` go on from there\n",
            plural(style, applied, "commit", "commits")
        ),
        GroupOutcome::Partial => {
            format!("partial: {} written and read back, {failed} not\n", plural(style, applied, "commit", "commits"))
        }
        GroupOutcome::Failed => "failed: nothing was written\n".to_owned(),
        GroupOutcome::Unknown => format!(
            "unknown: the write's end was not seen for {}; `krewind describe {name}` shows what stands\n",
            plural(
                style,
                group.rows.iter().filter(|row| row.outcome == Some(RowOutcome::Unknown)).count(),
                "partition",
                "partitions"
            )
        ),
        GroupOutcome::NothingToDo => "nothing to do: every commit is where it was asked to be\n".to_owned(),
        GroupOutcome::NotBegun => "not begun: an earlier group stopped the run\n".to_owned(),
        GroupOutcome::Refused => "refused: nothing was written\n".to_owned(),
    }
}

/// Kafka's own form, which its `--from-file` reads: the offset at which each partition stands after the plan. A partition that
/// stays without a commit has none, and no line.
pub fn csv(report: &ResetReport) -> String {
    let several = report.groups.len() > 1;
    lines(report.groups.iter().flat_map(|group| {
        group.rows.iter().filter_map(move |row| {
            let offset = match row.action {
                Action::Skip => row.current_offset?,
                _ => row.new_offset?,
            };
            let mut fields = Vec::with_capacity(4);
            if several {
                fields.push(group.group.clone());
            }
            fields.extend([row.topic.clone(), row.partition.to_string(), offset.to_string()]);
            Some(fields)
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{GroupState, GroupType, Timestamp};
    use crate::report::{Preconditions, ResetTotal, VERSION};
    use proptest::prelude::*;

    fn row(partition: usize, action: Action, current: Option<i64>, new: i64) -> ResetRow {
        let moves = action != Action::Skip;
        ResetRow {
            topic: "orders".to_owned(),
            topic_id: None,
            partition: i32::try_from(partition).unwrap(),
            current_offset: current,
            current_metadata: None,
            requested: None,
            new_offset: moves.then_some(new),
            new_timestamp: None,
            log_start_offset: Some(0),
            log_end_offset: Some(100),
            last_stable_offset: Some(100),
            lag_before: None,
            lag_after: None,
            rereads: None,
            skips: None,
            action,
            reason: None,
            outcome: None,
            read_back: None,
            error: None,
            new_metadata: None,
        }
    }

    fn report(groups: Vec<(String, Vec<ResetRow>)>) -> ResetReport {
        let groups: Vec<GroupPlan> = groups
            .into_iter()
            .map(|(group, rows)| GroupPlan {
                group,
                group_type: GroupType::Classic,
                outcome: GroupOutcome::Planned,
                refusal: None,
                would_refuse: None,
                preconditions: Preconditions { state: GroupState::Empty, members: 0 },
                total: ResetTotal::of(&rows),
                rows,
                undo: None,
                error: None,
            })
            .collect();
        ResetReport {
            kind: "reset".to_owned(),
            version: VERSION,
            command: "reset".to_owned(),
            outcome: GroupOutcome::Planned,
            cluster_id: "c".to_owned(),
            computed_at: Timestamp(0),
            applied_at: None,
            target: TargetReport::Earliest,
            total: ResetTotal::default(),
            groups,
            warnings: Vec::new(),
        }
    }

    proptest! {
        /// Whatever a group is called, a reader of CSV finds each partition that stands somewhere, once.
        #[test]
        fn csv_is_read_back_row_by_row(
            names in proptest::collection::btree_set("[a-z\"',;\n\r\t é注]{1,8}", 1..4),
            rows in proptest::collection::vec((any::<bool>(), proptest::option::of(0i64..100), 0i64..100), 0..5),
        ) {
            let rows: Vec<ResetRow> = rows
                .into_iter()
                .enumerate()
                .map(|(at, (moves, current, new))| row(at, if moves { Action::Move } else { Action::Skip }, current, new))
                .collect();
            let names: Vec<String> = names.into_iter().collect();
            let text = csv(&report(names.iter().map(|name| (name.clone(), rows.clone())).collect()));
            let read: Vec<Vec<String>> = ::csv::ReaderBuilder::new()
                .has_headers(false)
                .from_reader(text.as_bytes())
                .records()
                .map(|record| record.unwrap().iter().map(str::to_owned).collect())
                .collect();
            let mut expected = Vec::new();
            for name in &names {
                for row in &rows {
                    let Some(stands) = row.new_offset.or(row.current_offset) else { continue };
                    let mut fields = vec!["orders".to_owned(), row.partition.to_string(), stands.to_string()];
                    if names.len() > 1 { fields.insert(0, name.clone()); }
                    expected.push(fields);
                }
            }
            prop_assert_eq!(read, expected);
        }

        /// In a table nothing of a name gets past its cell: a line per row, and what follows them.
        #[test]
        fn a_table_has_a_line_per_row(count in 0usize..6, name in "[a-z\n\t\u{1b}]{1,8}") {
            let rows: Vec<ResetRow> = (0..count).map(|at| row(at, Action::Move, Some(5), 1)).collect();
            let style = Style { width: None, separators: false, color: false, markdown: false };
            let text = table(&report(vec![(name, rows)]), style, false);
            let header = usize::from(count > 0);
            prop_assert_eq!(text.lines().count(), header + count + 3, "{}", text);
            let raw = text.contains(['\u{1b}', '\t']);
            prop_assert!(!raw);
        }
    }
}
