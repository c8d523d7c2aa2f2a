//! A plan that was saved to be applied later: whether it makes sense in itself, and whether it still holds.

use super::guard;
use crate::error::Code;
use crate::model::{GroupState, GroupType, TopicPartition};
use crate::report::{Action, GroupOutcome, GroupPlan, Refusal, ResetReport, ResetRow, ResetTotal, TargetReport};
use crate::watermark::Watermarks;
use std::collections::BTreeSet;

/// Whether the plan makes sense in itself; else what does not, in words that go on from the file's name.
pub fn check(report: &ResetReport) -> Result<(), String> {
    if !matches!(report.command.as_str(), "reset" | "apply") {
        return Err(format!("comes from `krewind {}`, and only plans of `reset` can be applied", report.command));
    }
    if let Some(moment) = report.applied_at {
        return Err(format!("is no plan: it was applied at {moment}"));
    }
    if matches!(report.target, TargetReport::Undo { .. } | TargetReport::Removed) {
        return Err("has a target that is no reset's".to_owned());
    }
    if report.groups.is_empty() {
        return Err("names no group".to_owned());
    }
    let mut names = BTreeSet::new();
    for group in &report.groups {
        if group.group.is_empty() {
            return Err("has a group without a name".to_owned());
        }
        if !names.insert(group.group.as_str()) {
            return Err(format!("names group `{}` twice", group.group));
        }
        check_group(group)?;
    }
    check_sums(&report.total, report.groups.iter().flat_map(|group| &group.rows), "its `total`")?;
    check_outcome(report.outcome, GroupOutcome::of(report.groups.iter().map(|group| group.outcome)), "it")
}

fn check_group(group: &GroupPlan) -> Result<(), String> {
    let name = &group.group;
    if group.group_type == GroupType::Unmanaged {
        return Err(format!("has group `{name}` of type `unmanaged`, which krewind does not write"));
    }
    if group.refusal.is_some() || group.undo.is_some() {
        return Err(format!("has group `{name}` with the end of a write, which no plan has"));
    }
    if let Some(refusal) = group.would_refuse.as_ref().filter(|refusal| is_lasting(refusal)) {
        return Err(format!("has a plan for group `{name}` that was refused when it was made: {}", refusal.message));
    }
    let mut seen = BTreeSet::new();
    for row in &group.rows {
        let place = TopicPartition::new(row.topic.as_str(), row.partition);
        let wrong = |what: String| format!("makes no sense at `{place}` of group `{name}`: {what}");
        if row.topic.is_empty() || row.partition < 0 {
            return Err(wrong("that is no partition".to_owned()));
        }
        if !seen.insert(place.clone()) {
            return Err(wrong("the row stands there twice".to_owned()));
        }
        check_row(row).map_err(wrong)?;
    }
    check_sums(&group.total, &group.rows, &format!("the `total` of group `{name}`"))?;
    let expected = if group.total.moved == 0 { GroupOutcome::NothingToDo } else { GroupOutcome::Planned };
    check_outcome(group.outcome, expected, &format!("group `{name}`"))
}

/// Whether a refusal speaks of the plan itself, and not of the moment alone or of how it would be agreed to.
pub fn is_lasting(refusal: &Refusal) -> bool {
    let passing = [Code::GroupActive, Code::PendingTransaction, Code::WouldSkip];
    !Code::named(&refusal.code).is_some_and(|code| passing.contains(&code))
}

fn check_outcome(found: GroupOutcome, expected: GroupOutcome, of: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "says `outcome` `{}` where the rows make {of} `{}`, so it is no plan that can be applied",
        found.as_str(),
        expected.as_str()
    ))
}

fn check_sums<'a>(
    found: &ResetTotal,
    rows: impl IntoIterator<Item = &'a ResetRow> + Clone,
    of: &str,
) -> Result<(), String> {
    let counts = rows.clone().into_iter().flat_map(|row| [row.rereads, row.skips]).flatten();
    if counts.map(u128::from).sum::<u128>() > u128::from(u64::MAX) {
        return Err(format!("has larger numbers than a log can have, so {of} can't be right"));
    }
    let total = ResetTotal::of(rows);
    let sums = |total: &ResetTotal| {
        [
            ("moved", total.moved as u64),
            ("kept", total.kept as u64),
            ("skipped", total.skipped as u64),
            ("failed", total.failed as u64),
            ("rereads", total.rereads),
            ("skips", total.skips),
            ("unknown", total.unknown as u64),
        ]
    };
    match sums(found).into_iter().zip(sums(&total)).find(|(found, right)| found != right) {
        None => Ok(()),
        Some(((field, found), (_, right))) => {
            Err(format!("does not add up: {of} says {found} for `{field}`, and the rows make {right}"))
        }
    }
}

fn check_row(row: &ResetRow) -> Result<(), String> {
    let numbers = [
        ("current_offset", row.current_offset),
        // A shift may ask for what lies before every log; a policy has clamped it then, and its reason stands there.
        ("requested", row.requested.filter(|_| row.reason.is_none())),
        ("new_offset", row.new_offset),
        ("log_start_offset", row.log_start_offset),
        ("log_end_offset", row.log_end_offset),
        ("last_stable_offset", row.last_stable_offset),
    ];
    if let Some((field, number)) = numbers.iter().find_map(|(field, value)| Some((field, value.filter(|n| *n < 0)?))) {
        return Err(format!("`{field}` is {number}"));
    }
    if row.outcome.is_some() || row.read_back.is_some() || row.error.is_some() {
        return Err("it has the outcome of a write, which no plan has".to_owned());
    }
    if row.current_offset.is_none() && row.current_metadata.is_some() {
        return Err("`current_metadata` without a `current_offset`".to_owned());
    }
    let log = bounds(row)?;
    let new = match (row.action, row.new_offset, log) {
        (Action::Remove, ..) => return Err("`remove` is no action of a reset".to_owned()),
        (Action::Skip, None, _) => None,
        (Action::Skip, Some(new), _) => return Err(format!("`action` is `skip`, yet `new_offset` is {new}")),
        (action, None, _) => return Err(format!("`action` is `{}` without a `new_offset`", action.as_str())),
        (action, _, None) => return Err(format!("`action` is `{}` without the log's offsets", action.as_str())),
        (_, Some(new), Some(_)) => Some(new),
    };
    let stays = new.is_some() && row.current_offset == new && row.new_metadata.is_none();
    match (row.action, new, log) {
        (Action::Move, Some(new), _) if stays => {
            return Err(format!("`action` is `move`, yet the commit stands at {new} already"));
        }
        (Action::Keep, Some(new), _) if !stays => {
            return Err(format!("`action` is `keep`, yet the commit does not stand at {new}"));
        }
        (Action::Move, Some(new), Some(log)) if !log.contains(new) => {
            return Err(format!(
                "`new_offset` {new} lies outside the log, {} to {}",
                log.log_start, log.high_watermark
            ));
        }
        _ => {}
    }
    let current = row.current_offset;
    let both = current.zip(new);
    let counts = [
        (
            "lag_before",
            row.lag_before,
            if let (Some(log), Some(at)) = (log, current) { Some(log.lag(at)) } else { None },
        ),
        ("lag_after", row.lag_after, log.zip(new).map(|(log, new)| log.lag(new))),
        ("rereads", row.rereads, log.zip(both).map(|(log, (current, new))| log.rereads(current, new))),
        ("skips", row.skips, log.zip(both).map(|(log, (current, new))| log.skips(current, new))),
    ];
    match counts.into_iter().find(|(_, found, right)| found != right) {
        None => Ok(()),
        Some((field, found, right)) => {
            Err(format!("`{field}` is {}, and its offsets make {}", number(found), number(right)))
        }
    }
}

fn number(value: Option<u64>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}

fn bounds(row: &ResetRow) -> Result<Option<Watermarks>, String> {
    match (row.log_start_offset, row.last_stable_offset, row.log_end_offset) {
        (None, None, None) => Ok(None),
        (Some(log_start), Some(last_stable), Some(high_watermark))
            if log_start <= high_watermark && last_stable <= high_watermark =>
        {
            Ok(Some(Watermarks { log_start, high_watermark, last_stable }))
        }
        (Some(start), Some(stable), Some(end)) => {
            Err(format!("a log from {start} to {end} with {stable} as its last stable offset"))
        }
        _ => Err("only some of the log's offsets stand there".to_owned()),
    }
}

/// Whether the plan's targets mean the same wherever the commits stand.
pub fn is_absolute(target: &TargetReport) -> bool {
    !matches!(target, TargetReport::ShiftBy { .. } | TargetReport::Current)
}

/// Whether somebody gave this row another target than the one that was computed.
pub fn was_edited(row: &ResetRow) -> bool {
    row.reason.is_none() && row.requested.is_some() && row.new_offset.is_some() && row.requested != row.new_offset
}

/// What no longer is as the plan says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differences {
    /// Commits that moved.
    pub moved: Vec<String>,
    /// Everything else: topics made anew or gone, targets that the log has passed.
    pub other: Vec<String>,
}

impl Differences {
    /// The refusal that follows, each difference named; `None` where the plan holds.
    pub fn refusal(&self, group: &str) -> Option<Refusal> {
        let message = self.words()?;
        let start = if self.other.is_empty() { guard::COMMITS_MOVED_SINCE_PLAN } else { "the plan no longer holds" };
        Some(guard::refused(Code::StalePlan, format!("{start} (group `{group}`): {message}")))
    }

    /// Each difference; `None` without any.
    pub fn words(&self) -> Option<String> {
        let all: Vec<&str> = self.other.iter().chain(&self.moved).map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// Compares a group's plan with its rows and state as they are now. Rows that have no place in their log any more stand there
/// without a new offset.
pub fn differences(plan: &GroupPlan, state: GroupState, now: &[ResetRow], allow_moved: bool) -> Differences {
    let mut differences = Differences::default();
    if state == GroupState::Dead && plan.preconditions.state != GroupState::Dead {
        differences.other.push(format!("group `{}` no longer exists", plan.group));
    }
    let mut topics = BTreeSet::new();
    for row in &plan.rows {
        let place = TopicPartition::new(row.topic.as_str(), row.partition);
        let Some(other) = now.iter().find(|other| other.topic == row.topic && other.partition == row.partition) else {
            differences.other.push(format!("`{place}` no longer exists"));
            continue;
        };
        let gone = row.new_offset.is_some() && other.log_start_offset.is_none();
        if gone || row.topic_id.is_some() && other.topic_id.is_none() {
            differences.other.push(format!("`{place}` no longer exists"));
        } else if row.topic_id != other.topic_id {
            if topics.insert(row.topic.as_str()) {
                differences.other.push(format!(
                    "topic `{}` was made anew: its id was {} and is {}",
                    row.topic,
                    row.topic_id.as_deref().unwrap_or("none"),
                    other.topic_id.as_deref().unwrap_or("none")
                ));
            }
        } else if let (Some(new), Some(start), Some(end)) =
            (row.new_offset, other.log_start_offset, other.log_end_offset)
        {
            // `--to-current` keeps a commit outside the log too.
            let inside = row.log_start_offset <= Some(new) && Some(new) <= row.log_end_offset;
            if inside && new < start {
                differences
                    .other
                    .push(format!("the log of `{place}` starts at {start} now, past the new offset {new}"));
            } else if inside && new > end {
                differences.other.push(format!("the log of `{place}` ends at {end} now, before the new offset {new}"));
            }
        }
        if allow_moved {
            continue;
        }
        let commit = |offset: Option<i64>| offset.map_or_else(|| "none".to_owned(), |offset| offset.to_string());
        if row.current_offset != other.current_offset {
            differences.moved.push(format!(
                "the commit on `{place}` was {} and is {}",
                commit(row.current_offset),
                commit(other.current_offset)
            ));
        } else if row.current_metadata != other.current_metadata {
            let text = |metadata: &Option<String>| metadata.clone().unwrap_or_default();
            differences.moved.push(format!(
                "the metadata of the commit on `{place}` was `{}` and is `{}`",
                text(&row.current_metadata),
                text(&other.current_metadata)
            ));
        }
    }
    differences
}

/// Under `--yes`, after commits moved: rows that skip more unread records than whoever reviewed the plan saw.
pub fn skips_more(plan: &GroupPlan, now: &[ResetRow]) -> Option<Refusal> {
    let more: Vec<String> = plan
        .rows
        .iter()
        .filter_map(|row| {
            let other = now.iter().find(|other| other.topic == row.topic && other.partition == row.partition)?;
            let skips = other.skips.filter(|skips| *skips > row.skips.unwrap_or(0))?;
            let place = TopicPartition::new(row.topic.as_str(), row.partition);
            Some(format!("{skips} on `{place}` instead of {}", row.skips.unwrap_or(0)))
        })
        .collect();
    (!more.is_empty()).then(|| {
        guard::refused(
            Code::WouldSkip,
            format!("more unread offsets than in the plan would never be delivered: {}", more.join("; ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CommittedOffset, Timestamp};
    use crate::offset::{NoCommit, NoRecord, OutOfRange, Policies, Target, TimeLookup};
    use crate::plan::reset::{Destination, Log, PartitionFacts, Place, Planned, ResetSpec, SkipUnread, plan};
    use crate::report::{Preconditions, VERSION};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn saved(rows: Vec<ResetRow>) -> ResetReport {
        let total = ResetTotal::of(&rows);
        let outcome = if total.moved == 0 { GroupOutcome::NothingToDo } else { GroupOutcome::Planned };
        let group = GroupPlan {
            group: "inventory".to_owned(),
            group_type: GroupType::Classic,
            outcome,
            refusal: None,
            would_refuse: None,
            preconditions: Preconditions { state: GroupState::Empty, members: 0 },
            rows,
            total,
            undo: None,
            error: None,
        };
        ResetReport {
            kind: "reset".to_owned(),
            version: VERSION,
            command: "reset".to_owned(),
            outcome,
            cluster_id: "c".to_owned(),
            computed_at: Timestamp(0),
            applied_at: None,
            target: TargetReport::Earliest,
            groups: vec![group],
            total,
            warnings: Vec::new(),
        }
    }

    fn planned(target: &Target, keep_unread: bool, partitions: &[(Option<i64>, i64, i64, bool)]) -> Planned {
        let facts: Vec<PartitionFacts> = (0..)
            .zip(partitions)
            .map(|(partition, &(current, log_start, length, known))| {
                let high_watermark = log_start + length;
                let watermarks = Watermarks { log_start, high_watermark, last_stable: log_start };
                let commit =
                    current.map(|offset| CommittedOffset { offset, leader_epoch: None, metadata: "m".to_owned() });
                PartitionFacts {
                    partition: TopicPartition::new("orders", partition),
                    topic_id: known.then(|| "id".to_owned()),
                    commit,
                    log: if known { Log::Known(watermarks, TimeLookup::NoRecord) } else { Log::Gone },
                }
            })
            .collect();
        let rows: BTreeMap<TopicPartition, Place> = facts
            .iter()
            .map(|fact| {
                let metadata =
                    (fact.partition.partition % 2 == 0 && *target != Target::Current).then(|| "n".to_owned());
                (fact.partition.clone(), Place { target: target.clone(), metadata })
            })
            .collect();
        let spec = ResetSpec {
            destination: Destination::Each { rows, from: TargetReport::Earliest, otherwise: String::new() },
            policies: Policies {
                out_of_range: OutOfRange::Clamp,
                no_record: NoRecord::Latest,
                no_commit: NoCommit::UseEarliest,
            },
            skip_unread: if keep_unread { SkipUnread::Keep } else { SkipUnread::Ask },
        };
        plan("inventory", &spec, &facts)
    }

    proptest! {
        /// Whatever is planned can be saved, is taken as it was written, and holds where nothing has changed; one number changed in a
        /// row that moves, and it is refused.
        #[test]
        fn every_plan_makes_sense_until_it_is_edited(
            partitions in proptest::collection::vec(
                (proptest::option::of(0i64..60), 0i64..30, 0i64..30, proptest::bool::weighted(0.9)), 0..8),
            kind in 0u8..5, number in -40i64..70, keep_unread in any::<bool>(), by in 1u64..9,
        ) {
            let target = match kind {
                0 => Target::Earliest,
                1 => Target::Latest,
                2 => Target::Offset(number.abs()),
                3 => Target::ShiftBy(number),
                _ => Target::Current,
            };
            let rows = planned(&target, keep_unread, &partitions).rows;
            let report = saved(rows.clone());
            prop_assert_eq!(check(&report), Ok(()));
            prop_assert_eq!(differences(&report.groups[0], GroupState::Empty, &rows, false), Differences::default());
            for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.action == Action::Move) {
                for field in 0..4 {
                    let mut edited = rows.clone();
                    let count = match field {
                        0 => &mut edited[at].rereads,
                        1 => &mut edited[at].skips,
                        2 => &mut edited[at].lag_before,
                        _ => &mut edited[at].lag_after,
                    };
                    *count = Some(count.unwrap_or(0) + by);
                    let why = check(&saved(edited)).unwrap_err();
                    let name = format!("`orders-{}`", row.partition);
                    prop_assert!(why.contains(&name), "{}", why);
                }
            }
        }
    }

    #[test]
    fn a_plan_that_was_refused_when_it_was_made_is_refused() {
        let mut report = saved(planned(&Target::Earliest, false, &[(Some(5), 0, 9, true)]).rows);
        report.groups[0].would_refuse = Some(guard::refused(Code::GroupActive, "members".to_owned()));
        assert_eq!(check(&report), Ok(()));
        report.groups[0].would_refuse = Some(guard::refused(Code::OutOfRange, "outside".to_owned()));
        assert!(check(&report).unwrap_err().contains("refused when it was made: outside"));
    }

    #[test]
    fn numbers_that_no_log_has_are_refused_and_not_added_up() {
        let mut rows =
            planned(&Target::Earliest, false, &[(Some(5), 0, 9, true), (Some(5), 0, 9, true), (Some(5), 0, 9, true)])
                .rows;
        for row in &mut rows {
            (row.current_offset, row.log_end_offset, row.last_stable_offset) =
                (Some(i64::MAX), Some(i64::MAX), Some(0));
            (row.rereads, row.lag_before, row.lag_after) = (Some(i64::MAX as u64), Some(0), Some(i64::MAX as u64));
        }
        let mut report = saved(Vec::new());
        report.groups[0].rows = rows;
        assert!(check(&report).unwrap_err().contains("larger numbers than a log can have"));
    }
}
