//! The way back: where each commit of a write stood before it.

use crate::model::{CommittedOffset, TopicPartition};
use crate::offset::{Facts, NoCommit, NoRecord, OutOfRange, Policies, Resolution, Target, TimeLookup, resolve};
use crate::plan::reset::Log;
use crate::report::{Action, JournalRow, ResetRow, RowOutcome};

/// What to do with commits that moved since the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// Refuse.
    Refuse,
    /// Leave them where they are now.
    Keep,
    /// Put back what the write replaced, all the same.
    Overwrite,
}

/// One row of a write, and what is known of its partition now.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// The row.
    pub journalled: &'a JournalRow,
    /// The commit that stands.
    pub commit: Option<CommittedOffset>,
    /// The topic's id now.
    pub topic_id: Option<String>,
    /// The log now.
    pub log: Log,
}

/// The rows of the way back, and which of them keep it from being written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Planned {
    /// The rows, by topic and partition.
    pub rows: Vec<ResetRow>,
    /// Commits that moved since, in words.
    pub moved: Vec<String>,
    /// Rows whose place before lies outside the log now.
    pub out_of_range: Vec<TopicPartition>,
}

/// Whether a row of a write may have changed something: what the broker refused did not.
pub fn may_have_changed(row: &JournalRow) -> bool {
    row.outcome != Some(RowOutcome::Failed)
}

/// Plans the way back.
pub fn plan(rows: &[Row<'_>], moved: Moved, out_of_range: OutOfRange) -> Planned {
    let mut planned = Planned::default();
    for row in rows {
        let row = back(row, moved, out_of_range, &mut planned);
        planned.rows.push(row);
    }
    planned.rows.sort_by(|a, b| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)));
    planned
}

fn back(of: &Row<'_>, moved: Moved, out_of_range: OutOfRange, planned: &mut Planned) -> ResetRow {
    let journalled = of.journalled;
    let partition = TopicPartition::new(journalled.topic.as_str(), journalled.partition);
    let current = of.commit.as_ref().map(|commit| commit.offset);
    let mut row = ResetRow {
        topic: journalled.topic.clone(),
        topic_id: of.topic_id.clone(),
        partition: journalled.partition,
        current_offset: current,
        current_metadata: of.commit.as_ref().map(|commit| commit.metadata.clone()),
        requested: journalled.previous_offset,
        new_offset: None,
        new_timestamp: None,
        log_start_offset: None,
        log_end_offset: None,
        last_stable_offset: None,
        lag_before: None,
        lag_after: None,
        rereads: None,
        skips: None,
        action: Action::Skip,
        reason: None,
        outcome: None,
        read_back: None,
        error: None,
        new_metadata: None,
    };
    let Log::Known(log, _) = of.log else {
        row.reason = Some("the topic or partition no longer exists".to_owned());
        return row;
    };
    row.log_start_offset = Some(log.log_start);
    row.log_end_offset = Some(log.high_watermark);
    row.last_stable_offset = Some(log.last_stable);
    row.lag_before = current.map(|current| log.lag(current));
    if let (Some(then), Some(now)) = (&journalled.topic_id, &of.topic_id)
        && then != now
    {
        row.reason = Some("the topic was made anew since: its offsets mean something else".to_owned());
        return row;
    }
    let before =
        journalled.previous_offset.map(|offset| (offset, journalled.previous_metadata.clone().unwrap_or_default()));
    let stands = of.commit.as_ref().map(|commit| (commit.offset, commit.metadata.clone()));
    if stands == before {
        row.action = Action::Keep;
        row.new_offset = current;
        row.lag_after = row.lag_before;
        (row.rereads, row.skips) = (current.map(|_| 0), current.map(|_| 0));
        return row;
    }
    if let Some((from, to, since)) = moved_since(journalled, of.commit.as_ref()) {
        match moved {
            Moved::Refuse => planned.moved.push(format!("{partition} from {from} to {to}")),
            Moved::Keep => {
                row.reason = Some(format!("{since}: left there"));
                return row;
            }
            Moved::Overwrite => row.reason = Some(format!("{since}: overwritten")),
        }
    }
    let Some((offset, metadata)) = before else {
        row.action = Action::Remove;
        row.reason.get_or_insert_with(|| "there was no commit before".to_owned());
        return row;
    };
    let policies = Policies { out_of_range, no_record: NoRecord::Fail, no_commit: NoCommit::Fail };
    let facts = Facts { watermarks: log, time: TimeLookup::NotAsked, committed: current };
    match resolve(&Target::Offset(offset), &facts, &policies) {
        Resolution::At { offset, reason, .. } => {
            row.new_offset = Some(offset);
            row.lag_after = Some(log.lag(offset));
            row.rereads = current.map(|current| log.rereads(current, offset));
            row.skips = current.map(|current| log.skips(current, offset));
            row.new_metadata = Some(metadata).filter(|new| row.current_metadata.as_ref() != Some(new));
            row.reason = row.reason.take().or(reason);
            row.action =
                if current == Some(offset) && row.new_metadata.is_none() { Action::Keep } else { Action::Move };
        }
        Resolution::OutOfRange { reason, .. }
        | Resolution::NoRecord { reason }
        | Resolution::NoCommit { reason }
        | Resolution::Leave { reason } => {
            row.reason = Some(reason);
            planned.out_of_range.push(partition);
        }
    }
    row
}

/// Whether the commit stands elsewhere than the write left it, in words: from, to, and both as a reason. Where the write's end was
/// not seen the commit may also stand where it stood before.
fn moved_since(row: &JournalRow, commit: Option<&CommittedOffset>) -> Option<(String, String, String)> {
    // What was seen after the write, and not what the write was about, where those differ.
    let (offset, metadata) = match row.outcome {
        Some(RowOutcome::Drifted | RowOutcome::TakenOver) => (row.read_back, None),
        _ => (row.new_offset, row.new_metadata.as_deref()),
    };
    let unseen = matches!(row.outcome, None | Some(RowOutcome::Unknown));
    let stands = |offset: Option<i64>, metadata: Option<&str>| match (commit, offset) {
        (None, None) => true,
        // Without a word on the metadata the offset alone is compared.
        (Some(commit), Some(offset)) => {
            commit.offset == offset && metadata.is_none_or(|metadata| metadata == commit.metadata)
        }
        _ => false,
    };
    if stands(offset, metadata) || unseen && stands(row.previous_offset, row.previous_metadata.as_deref()) {
        return None;
    }
    let text = |offset: Option<i64>| offset.map_or_else(|| "no commit".to_owned(), |offset| offset.to_string());
    let current = commit.map(|commit| commit.offset);
    if current == offset {
        let with = |metadata: &str| format!("{} with metadata {metadata:?}", text(offset));
        let now = commit.map(|commit| commit.metadata.as_str()).unwrap_or_default();
        let since = format!("its metadata was changed since to {now:?}");
        return Some((with(metadata.unwrap_or_default()), with(now), since));
    }
    Some((text(offset), text(current), format!("moved since to {}", text(current))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watermark::Watermarks;

    fn journalled(previous: Option<i64>, new: Option<i64>) -> JournalRow {
        JournalRow {
            topic: "orders".to_owned(),
            topic_id: Some("id".to_owned()),
            partition: 0,
            previous_offset: previous,
            previous_metadata: previous.map(|_| "before".to_owned()),
            previous_leader_epoch: None,
            new_offset: new,
            new_metadata: None,
            outcome: Some(RowOutcome::Applied),
            read_back: new,
        }
    }

    fn planned(row: &JournalRow, current: Option<(i64, &str)>, id: &str, moved: Moved) -> Planned {
        let commit = current.map(|(offset, metadata)| CommittedOffset {
            offset,
            leader_epoch: None,
            metadata: metadata.to_owned(),
        });
        let log = Watermarks { log_start: 3, high_watermark: 12, last_stable: 12 };
        let row =
            Row { journalled: row, commit, topic_id: Some(id.to_owned()), log: Log::Known(log, TimeLookup::NotAsked) };
        plan(&[row], moved, OutOfRange::Fail)
    }

    #[test]
    fn back_to_the_offset_and_its_metadata() {
        let plan = planned(&journalled(Some(9), Some(4)), Some((4, "now")), "id", Moved::Refuse);
        let row = &plan.rows[0];
        assert_eq!((row.action, row.new_offset, row.new_metadata.as_deref()), (Action::Move, Some(9), Some("before")));
        // 4..9 is skipped again, as it was read before the write.
        assert_eq!((row.rereads, row.skips, row.lag_before, row.lag_after), (Some(0), Some(5), Some(8), Some(3)));
    }

    #[test]
    fn a_commit_that_had_not_been_is_removed_and_one_that_is_back_is_kept() {
        assert_eq!(
            planned(&journalled(None, Some(4)), Some((4, "")), "id", Moved::Refuse).rows[0].action,
            Action::Remove
        );
        assert_eq!(planned(&journalled(None, Some(4)), None, "id", Moved::Refuse).rows[0].action, Action::Keep);
        let there = planned(&journalled(Some(9), Some(4)), Some((9, "before")), "id", Moved::Refuse);
        assert_eq!((there.rows[0].action, there.moved.len()), (Action::Keep, 0));
    }

    #[test]
    fn what_moved_since_is_refused_kept_or_overwritten() {
        let row = journalled(Some(9), Some(4));
        assert_eq!(planned(&row, Some((6, "")), "id", Moved::Refuse).moved, ["orders-0 from 4 to 6"]);
        let kept = planned(&row, Some((6, "")), "id", Moved::Keep);
        assert_eq!((kept.rows[0].action, kept.moved.len()), (Action::Skip, 0));
        let over = planned(&row, Some((6, "")), "id", Moved::Overwrite);
        assert_eq!((over.rows[0].action, over.rows[0].new_offset, over.moved.len()), (Action::Move, Some(9), 0));
        // A write whose end was not seen may have done nothing.
        let unseen = JournalRow { outcome: None, read_back: None, ..row };
        assert_eq!(planned(&unseen, Some((6, "")), "id", Moved::Refuse).moved.len(), 1);
        assert!(planned(&unseen, Some((9, "before")), "id", Moved::Refuse).moved.is_empty());
        assert_eq!(planned(&unseen, Some((9, "other")), "id", Moved::Refuse).moved, ["orders-0 from 4 to 9"]);
    }

    #[test]
    fn metadata_that_changed_since_at_the_same_offset_is_a_move_too() {
        let row = JournalRow { new_metadata: Some("before".to_owned()), ..journalled(Some(9), Some(4)) };
        assert!(planned(&row, Some((4, "before")), "id", Moved::Refuse).moved.is_empty());
        let moved = planned(&row, Some((4, "a \"flag\"")), "id", Moved::Refuse).moved;
        assert_eq!(moved, [r#"orders-0 from 4 with metadata "before" to 4 with metadata "a \"flag\"""#]);
        let kept = planned(&row, Some((4, "theirs")), "id", Moved::Keep);
        assert_eq!(kept.rows[0].action, Action::Skip);
        assert_eq!(kept.rows[0].reason.as_deref(), Some(r#"its metadata was changed since to "theirs": left there"#));
    }

    #[test]
    fn a_topic_made_anew_and_a_place_that_is_gone() {
        let anew = planned(&journalled(Some(9), Some(4)), Some((4, "")), "other", Moved::Refuse);
        assert_eq!(anew.rows[0].action, Action::Skip);
        let gone = planned(&journalled(Some(1), Some(4)), Some((4, "")), "id", Moved::Refuse);
        assert_eq!(gone.out_of_range, [TopicPartition::new("orders", 0)]);
    }
}
