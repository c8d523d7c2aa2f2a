//! What the journal is told of a write, and tells of earlier ones.

use super::Writing;
use crate::error::Result;
use crate::exec::apply;
use crate::journal::Journal;
use crate::model::TopicPartition;
use crate::plan::guard::Commits;
use crate::report::{Action, GroupOutcome, GroupPlan, JournalEntry, JournalGroup, JournalRow, JournalState, VERSION};

impl Writing<'_> {
    /// Notes in the journal what was taken back whole: of a part the rest can be taken back yet.
    pub(super) fn mark_undone(&self, journal: &Journal, undone: &str, by: &str) {
        for group in self.report.groups.iter().filter(|group| group.outcome == GroupOutcome::Applied) {
            self.tell_unmarked(undone, journal.mark_undone(undone, &group.group, by));
        }
    }

    /// Notes that nothing is left to take back of the groups that stand as before that write.
    pub(super) fn mark_settled(&self, undone: &str) {
        let Some(journal) = Journal::existing() else { return };
        let settled = |outcome| matches!(outcome, GroupOutcome::Applied | GroupOutcome::NothingToDo);
        for group in self.report.groups.iter().filter(|group| settled(group.outcome)) {
            self.tell_unmarked(undone, journal.mark_settled(undone, &group.group));
        }
    }

    fn tell_unmarked(&self, undone: &str, marked: Result<()>) {
        if let Err(error) = marked {
            let message = format!("the journal could not be told that write {undone} was taken back: {error}");
            self.context.ui.warn(&message);
        }
    }

    /// Speaks up about earlier writes of these groups whose end is not known.
    pub(super) fn tell_unended(&self) {
        let Some(Ok((entries, broken))) = Journal::existing().map(|journal| journal.unended()) else { return };
        for message in broken {
            self.context.ui.warn(&format!("{message}; whether that write came to its end is not known"));
        }
        for entry in entries {
            if entry.cluster_id != self.report.cluster_id || self.undoes.as_ref() == Some(&entry.id) {
                continue;
            }
            let written = entry.groups.iter().filter(|written| written.is_open());
            for written in written.filter(|written| self.report.groups.iter().any(|group| group.group == written.group))
            {
                self.context.ui.warn(&format!(
                    "the end of write {} of `{}`, begun at {}, is not known: it is still running, or was cut off",
                    entry.id, written.group, entry.begun_at
                ));
                self.context.ui.hint(&format!("`krewind undo --id {} --dry-run` shows what it left", entry.id));
            }
        }
    }

    /// What is about to be replaced, as the second look saw it.
    pub(super) fn entry(&self, id: &str, standing: &[(usize, Commits)]) -> JournalEntry {
        let groups = standing
            .iter()
            .map(|(place, commits)| {
                journal_group(&self.report.groups[*place], commits, self.works[*place].deletes_group)
            })
            .collect();
        JournalEntry {
            kind: "journal".to_owned(),
            version: VERSION,
            id: id.to_owned(),
            state: JournalState::Begun,
            begun_at: self.context.clock(),
            ended_at: None,
            user: std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok(),
            command: self.context.command_line.clone(),
            cluster_id: self.report.cluster_id.clone(),
            bootstrap_servers: self.connection.properties.bootstrap_servers().to_owned(),
            undoes: self.undoes.clone(),
            groups,
        }
    }

    /// What became of it.
    pub(super) fn end_entry(&self, entry: &mut JournalEntry) {
        entry.state = JournalState::Ended;
        entry.ended_at = self.report.applied_at;
        for journalled in &mut entry.groups {
            let Some(group) = self.report.groups.iter().find(|group| group.group == journalled.group) else { continue };
            journalled.outcome = Some(group.outcome);
            let rows: std::collections::HashMap<_, _> =
                group.rows.iter().map(|row| ((row.topic.as_str(), row.partition), row)).collect();
            for row in &mut journalled.rows {
                let written = rows.get(&(row.topic.as_str(), row.partition));
                row.outcome = written.and_then(|written| written.outcome);
                row.read_back = written.and_then(|written| written.read_back);
            }
        }
    }
}

fn journal_group(group: &GroupPlan, commits: &Commits, deleted: bool) -> JournalGroup {
    let rows = apply::rows_to_write(group)
        .into_iter()
        .map(|place| {
            let row = &group.rows[place];
            let before = commits.get(&TopicPartition::new(row.topic.as_str(), row.partition));
            let removed = row.action == Action::Remove;
            JournalRow {
                topic: row.topic.clone(),
                topic_id: row.topic_id.clone(),
                partition: row.partition,
                previous_offset: before.map(|commit| commit.offset),
                previous_metadata: before.map(|commit| commit.metadata.clone()),
                previous_leader_epoch: before.and_then(|commit| commit.leader_epoch),
                new_offset: row.new_offset.filter(|_| !removed),
                new_metadata: (!removed).then(|| apply::metadata(row)),
                outcome: None,
                read_back: None,
            }
        })
        .collect();
    JournalGroup { group: group.group.clone(), outcome: None, undone_by: None, settled: false, deleted, rows }
}
