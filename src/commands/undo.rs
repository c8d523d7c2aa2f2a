//! `undo`: the way back to what a write replaced; and the list of the writes.

use super::Context;
use super::writing::{Agreement, GroupWork, Writing, connect};
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::reset::together;
use crate::exec::undo::{self as exec, Look, Request};
use crate::journal::Journal;
use crate::kafka::ReadOnly;
use crate::offset::OutOfRange;
use crate::plan::undo::Moved;
use crate::render;
use crate::report::{
    GroupOutcome, HistoryEntry, HistoryReport, JournalEntry, JournalGroup, JournalState, ResetReport, VERSION,
};
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;

/// Arguments of `undo`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("which").required(true).multiple(true).args(["group", "id", "journal", "list"]),
    after_help = "Without --id the last write of the group on this cluster is taken back that was not taken back yet; undos themselves are passed over. `undo --id` takes back an undo, too.\n\nExamples:\n  krewind undo --list\n  krewind undo inventory --dry-run\n  krewind undo --id 20261201T092942-ynoft2"
)]
pub struct UndoArgs {
    /// The group whose last write is taken back
    #[arg(value_name = "GROUP")]
    group: Option<String>,

    /// The write to take back, with all of its groups
    #[arg(long, value_name = "ID", conflicts_with_all = ["group", "journal"])]
    id: Option<String>,

    /// A journal file of the write to take back, from another machine
    #[arg(long, value_name = "FILE", conflicts_with = "group")]
    journal: Option<PathBuf>,

    /// List the writes that the journal keeps, the newest first; with GROUP, its own
    #[arg(long, conflicts_with_all = ["id", "journal"])]
    list: bool,

    /// What to do with commits that moved since the write
    #[arg(long, value_enum, help_heading = "Policies")]
    moved: Option<MovedPolicy>,

    /// What to do where the place before lies outside the log now
    #[arg(long, value_enum, default_value_t = OutOfRangePolicy::Fail, help_heading = "Policies")]
    out_of_range: OutOfRangePolicy,

    #[command(flatten)]
    #[allow(missing_docs)]
    agreement: Agreement,
}

/// `--moved`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MovedPolicy {
    /// Leave them where they are now
    Keep,
    /// Put back what the write replaced, all the same
    Overwrite,
}

/// `--out-of-range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutOfRangePolicy {
    /// Refuse
    Fail,
    /// Take the nearest offset within the log
    Clamp,
}

/// Lists, or goes the way back: plans, shows, asks, writes, reads back, reports.
pub fn run(context: &Context, args: &UndoArgs) -> Result<Exit> {
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("undo"));
    }
    if args.list {
        return list(context, args.group.as_deref());
    }
    if context.connect.read_only && !args.agreement.dry_run {
        return Err(super::reset::read_only(context, args.group.as_slice()));
    }
    // A file that can't be read is told before anything is connected to.
    let from_file = args.journal.as_deref().map(Journal::read).transpose()?;
    let connection = context.connection()?;
    let client = connect(&connection)?;
    let entry = match from_file {
        Some(entry) => entry,
        None => chosen(context, args, client.id())?,
    };
    if entry.cluster_id != client.id() {
        let message =
            format!("write {} was made on cluster `{}`, and this is `{}`", entry.id, entry.cluster_id, client.id());
        return Err(
            Error::new(Code::StalePlan, message).hint(format!("it was reached at `{}`", entry.bootstrap_servers))
        );
    }
    let by = entry.user.as_ref().map(|user| format!(" by {user}")).unwrap_or_default();
    context.ui.status(&format!("write {} of {}{by}: {}", entry.id, entry.begun_at, entry.command));
    if entry.state == JournalState::Begun {
        context.ui.warn(&format!("the end of write {} is not known: it is still running, or was cut off", entry.id));
    }

    let reading = ReadOnly(client);
    let mut looks: Vec<(Request, Look)> = Vec::new();
    let mut reports: Vec<ResetReport> = Vec::new();
    let wanted = entry.groups.iter().filter(|written| args.group.as_ref().is_none_or(|group| *group == written.group));
    for written in wanted {
        if !written.may_have_changed() {
            let outcome = written.outcome.map(GroupOutcome::as_str).unwrap_or_default();
            context.ui.status(&format!("`{}` was left as it was by that write ({outcome})", written.group));
        }
        if !written.is_open() {
            continue;
        }
        let request = Request {
            id: entry.id.clone(),
            written: written.clone(),
            moved: match args.moved {
                None => Moved::Refuse,
                Some(MovedPolicy::Keep) => Moved::Keep,
                Some(MovedPolicy::Overwrite) => Moved::Overwrite,
            },
            out_of_range: match args.out_of_range {
                OutOfRangePolicy::Fail => OutOfRange::Fail,
                OutOfRangePolicy::Clamp => OutOfRange::Clamp,
            },
        };
        let look = exec::look(&reading, &request)?;
        reports.push(exec::report(&reading, &request, &look, context.clock())?);
        looks.push((request, look));
    }
    let Some(report) = together(reports) else {
        if !entry.groups.iter().any(JournalGroup::may_have_changed) {
            return Err(Error::usage(format!("write {} changed nothing: there is nothing to take back", entry.id)));
        }
        let by: Vec<&str> = entry.groups.iter().filter_map(|written| written.undone_by.as_deref()).collect();
        let error = Error::usage(format!("write {} was taken back already", entry.id));
        return Err(match by.first() {
            Some(by) => error.hint(format!("`krewind undo --id {by}` takes that back in its turn")),
            None => error,
        });
    };
    let works = looks
        .into_iter()
        .map(|(request, first)| GroupWork {
            refusal: exec::refusal(&first),
            look_again: Box::new(move |cluster| exec::look_again(cluster, &request, &first)),
            deletes_group: false,
        })
        .collect();
    let undoes = Some(entry.id);
    Writing { context, connection: &connection, client, agreement: &args.agreement, report, works, undoes }.run()
}

/// The write that the arguments mean.
fn chosen(context: &Context, args: &UndoArgs, cluster_id: &str) -> Result<JournalEntry> {
    let nothing =
        |message: String| Error::usage(message).hint("`krewind undo --list` shows the writes that the journal keeps");
    let Some(journal) = Journal::existing() else {
        return Err(nothing("the journal keeps no write".to_owned()));
    };
    let (entries, broken) = journal.entries()?;
    for message in broken {
        context.ui.warn(&message);
    }
    if let Some(id) = &args.id {
        return entries
            .into_iter()
            .find(|entry| entry.id == *id)
            .ok_or_else(|| nothing(format!("the journal keeps no write `{id}`")));
    }
    let group = args.group.as_deref().unwrap_or_default();
    let of_group = |entry: &JournalEntry| {
        entry.cluster_id == cluster_id
            && entry.undoes.is_none()
            && entry.groups.iter().any(|written| written.group == group && written.is_open())
    };
    entries
        .into_iter()
        .find(of_group)
        .ok_or_else(|| nothing(format!("the journal keeps no write of group `{group}` on this cluster to take back")))
}

fn list(context: &Context, group: Option<&str>) -> Result<Exit> {
    let (entries, broken) = match Journal::existing() {
        Some(journal) => journal.entries()?,
        None => (Vec::new(), Vec::new()),
    };
    for message in &broken {
        context.ui.warn(message);
    }
    let entries: Vec<HistoryEntry> = entries
        .into_iter()
        .filter(|entry| group.is_none_or(|group| entry.groups.iter().any(|written| written.group == group)))
        .map(history_entry)
        .collect();
    if entries.is_empty() {
        context.ui.status("the journal keeps no write");
    }
    let report = HistoryReport { kind: "history".to_owned(), version: VERSION, entries };
    context.emit(&match context.output {
        Output::Json => render::json(&report),
        Output::Csv => render::history::csv(&report),
        _ => render::history::table(&report, context.table_style()),
    })?;
    Ok(if broken.is_empty() { Exit::Done } else { Exit::Failed })
}

fn history_entry(entry: JournalEntry) -> HistoryEntry {
    let all_undone = entry.groups.iter().all(|written| written.undone_by.is_some());
    let ended = entry.state == JournalState::Ended;
    HistoryEntry {
        id: entry.id,
        when: entry.begun_at,
        user: entry.user,
        command: entry.command,
        cluster_id: entry.cluster_id,
        outcome: ended.then(|| GroupOutcome::of(entry.groups.iter().filter_map(|written| written.outcome))),
        undoes: entry.undoes,
        undone_by: entry.groups.last().and_then(|written| written.undone_by.clone()).filter(|_| all_undone),
        groups: entry.groups.into_iter().map(|written| written.group).collect(),
    }
}
