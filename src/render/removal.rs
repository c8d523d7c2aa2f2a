//! The words of `delete` and `delete-offsets`, whose rows and forms are those of `reset`.

use super::table::{Column, Style, plural};
use crate::model::visible;
use crate::report::{Action, GroupOutcome, GroupPlan, ResetReport, RowOutcome, TargetReport};

/// What is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Groups, with all of their commits.
    Groups,
    /// Commits.
    Commits,
}

/// What a report removes; `None` where it moves commits.
pub fn of(report: &ResetReport) -> Option<Removal> {
    (report.target == TargetReport::Removed).then_some(match report.command.as_str() {
        "delete" => Removal::Groups,
        _ => Removal::Commits,
    })
}

/// The columns of numbers. Nothing is known of what comes again: the lag tells what is lost track of.
pub const NUMBERS: [Column; 8] = [
    ("TOPIC", false),
    ("PARTITION", true),
    ("CURRENT-OFFSET", true),
    ("NEW-OFFSET", true),
    ("LAG", true),
    ("LOG-START-OFFSET", true),
    ("LOG-END-OFFSET", true),
    ("ACTION", false),
];

/// The plan's first line.
pub fn heading(removal: Removal, groups: &[String]) -> String {
    let words = match (removal, groups.len()) {
        (Removal::Groups, 1) => "delete group",
        (Removal::Groups, _) => "delete groups",
        (Removal::Commits, _) => "remove commits of",
    };
    format!("plan: {words} {}\n", groups.join(", "))
}

/// What goes, and what a consumer does then.
pub fn sums(removal: Removal, group: &GroupPlan, style: Style) -> String {
    let removed: Vec<_> = group.rows.iter().filter(|row| row.action == Action::Remove).collect();
    let name = visible(&group.group);
    let mut out = match removal {
        Removal::Groups if removed.is_empty() => format!("total: group `{name}`, which has no commits\n"),
        Removal::Groups => {
            format!("total: group `{name}` with {}\n", plural(style, removed.len(), "commit", "commits"))
        }
        Removal::Commits => format!(
            "total: {} to remove, {} without one\n",
            plural(style, removed.len(), "commit", "commits"),
            plural(style, group.total.kept, "partition", "partitions")
        ),
    };
    if removed.is_empty() {
        return out;
    }
    let known: Vec<u64> = removed.iter().filter_map(|row| row.lag_before).collect();
    let lag = (!known.is_empty()).then(|| known.iter().sum::<u64>());
    out.push_str(&format!("lag: {} before", style.number(lag)));
    if known.len() < removed.len() {
        let unknown = plural(style, removed.len() - known.len(), "partition", "partitions");
        out.push_str(&format!(" (not known for {unknown})"));
    }
    out.push_str("; without a commit there is none\n");
    if matches!(group.outcome, GroupOutcome::Planned | GroupOutcome::Applied | GroupOutcome::Partial) {
        out.push_str(
            "next: a consumer of this name starts there where its own `auto.offset.reset` says: at the earliest record, at the \
             latest, or (none) not at all\n",
        );
    }
    out
}

/// What became of it, in a line.
pub fn ending(removal: Removal, group: &GroupPlan, style: Style) -> String {
    let name = visible(&group.group);
    let error = group.error.as_deref().map(visible);
    let count = |outcome: RowOutcome| {
        let count = group.rows.iter().filter(|row| row.outcome == Some(outcome)).count();
        plural(style, count, "commit", "commits")
    };
    let applied = count(RowOutcome::Applied);
    let are = if applied.starts_with("1 ") { "is" } else { "are" };
    match (group.outcome, removal, error) {
        (GroupOutcome::Planned, ..) => "dry run: nothing was written\n".to_owned(),
        (GroupOutcome::Applied, Removal::Groups, _) if group.rows.is_empty() => {
            format!("deleted: group `{name}` is gone\n")
        }
        (GroupOutcome::Applied, Removal::Groups, _) => {
            format!("deleted: group `{name}` is gone, and its {applied} with it\n")
        }
        (GroupOutcome::Applied, Removal::Commits, _) => format!("removed: {applied} of `{name}` {are} gone\n"),
        (GroupOutcome::Partial, _, Some(error)) => format!("partial: group `{name}`: {error}\n"),
        (GroupOutcome::Partial, ..) => {
            format!("partial: {applied} of `{name}` {are} gone, {} not\n", style.count(group.total.failed as i128))
        }
        (GroupOutcome::Failed, Removal::Groups, Some(error)) => {
            format!("failed: group `{name}` was not deleted: {error}\n")
        }
        (GroupOutcome::Failed, ..) => "failed: nothing was removed\n".to_owned(),
        (GroupOutcome::Unknown, _, error) => {
            let what = error.map_or_else(|| count(RowOutcome::Unknown), |error| format!("group `{name}`: {error}"));
            format!("unknown: the end was not seen for {what}; `krewind describe {name}` shows what stands\n")
        }
        (GroupOutcome::NothingToDo, ..) => format!("nothing to do: `{name}` has no commit there\n"),
        (GroupOutcome::NotBegun, ..) => "not begun: an earlier group stopped the run\n".to_owned(),
        (GroupOutcome::Refused, ..) => "refused: nothing was written\n".to_owned(),
    }
}
