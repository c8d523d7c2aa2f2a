//! `apply`: a plan that was saved and reviewed is written, if it still holds.

use super::Context;
use super::reset::{SkipUnreadPolicy, read_only};
use super::saved::{self, Saved};
use super::wait::{self, Patience, Prepared};
use super::writing::{Agreement, GroupWork, Writing, connect};
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::reset::{self as exec, Look, Request, Scope};
use crate::kafka::{Client, ReadOnly};
use crate::model::TopicPartition;
use crate::offset::{NoCommit, NoRecord, OutOfRange, Policies, Target};
use crate::plan::guard;
use crate::plan::reset::{Destination, Place, ResetSpec, SkipUnread};
use crate::plan::saved as check;
use crate::report::{Action, GroupPlan, Refusal, ResetReport, ResetRow, TargetReport};
use clap::Args;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Arguments of `apply`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind reset inventory --topic orders --to-timestamp 30m --plan plan.json\n  krewind apply plan.json --dry-run\n  krewind apply plan.json --wait-empty=10m --yes"
)]
pub struct ApplyArgs {
    /// The plan, as `krewind reset … --plan FILE` wrote it
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Accept commits that moved since the plan was made; its targets must not have been counted from them
    #[arg(long, help_heading = "Policies")]
    allow_moved_commits: bool,

    /// What to do with partitions that would move forward past unread records, after their commits moved
    #[arg(long, value_enum, help_heading = "Policies")]
    skip_unread: Option<SkipUnreadPolicy>,

    #[command(flatten)]
    #[allow(missing_docs)]
    agreement: Agreement,

    #[command(flatten)]
    #[allow(missing_docs)]
    patience: Patience,
}

/// Reads the plan, compares it with the cluster, shows, asks, writes, reads back, reports.
pub fn run(context: &Context, args: &ApplyArgs) -> Result<Exit> {
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("apply"));
    }
    let plan = read(&args.file)?;
    if args.allow_moved_commits && !check::is_absolute(&plan.target) {
        let counted = match plan.target {
            TargetReport::Current => "--to-current",
            _ => "--shift-by",
        };
        return Err(Error::usage(format!(
            "`--allow-moved-commits` can't be given for a plan of `{counted}`: its targets were counted from the commits that stood then"
        ))
        .hint("make a new plan from where the commits stand now"));
    }
    let agreement = &args.agreement;
    if context.connect.read_only && !agreement.dry_run {
        let names: Vec<String> = plan.groups.iter().map(|group| group.group.clone()).collect();
        return Err(read_only(context, &names));
    }
    context.ui.status(&format!("`{}`: a plan made at {}", args.file.display(), plan.computed_at));
    let connection = context.connection()?;
    let client = connect(&connection)?;
    let (report, works) = match guard::other_cluster(&plan.cluster_id, client.id()) {
        Some(refusal) => elsewhere(plan, &refusal),
        None => {
            let cluster = (connection.properties.bootstrap_servers(), client);
            wait::prepared(context, cluster, agreement, &args.patience, || prepare(context, client, &plan, args))?
        }
    };
    Writing { context, connection: &connection, client, agreement, report, works, undoes: None }.run()
}

/// Reads a plan and checks that it makes sense in itself.
fn read(path: &Path) -> Result<ResetReport> {
    let bad = |why: String| {
        Error::new(Code::BadFile, format!("`{}` {why}", path.display()))
            .hint("`krewind reset … --plan FILE` writes a plan; who edits one keeps its counts and totals in line")
    };
    let text = saved::bytes(path)?;
    let Saved::Reset(_) = saved::parse(path, &text)? else {
        return Err(bad("is a snapshot, not a plan".to_owned()));
    };
    // Once more from the text itself, which finds fields that stand there twice and tells their line.
    let plan: ResetReport = serde_json::from_slice(&text).map_err(|error| bad(format!("is no whole plan: {error}")))?;
    let given: Value = serde_json::from_slice(&text).map_err(|error| bad(format!("is no JSON: {error}")))?;
    let known = serde_json::to_value(&plan).map_err(|error| bad(format!("is no whole plan: {error}")))?;
    if let Some(field) = unknown(&given, &known, "") {
        return Err(bad(format!("has {field}, which this krewind does not know")));
    }
    check::check(&plan).map_err(bad)?;
    Ok(plan)
}

/// The first field that was given and is not known: one that is not understood may change what the plan means.
fn unknown(given: &Value, known: &Value, place: &str) -> Option<String> {
    match (given, known) {
        (Value::Object(given), Value::Object(known)) => given.iter().find_map(|(name, value)| match known.get(name) {
            Some(known) => unknown(value, known, place),
            None if value.is_null() => None,
            None => Some(format!("a field `{name}`{place}")),
        }),
        (Value::Array(given), Value::Array(known)) => given.iter().zip(known).find_map(|(given, known)| {
            let place = match (given["topic"].as_str(), given["partition"].as_i64(), given["group"].as_str()) {
                (Some(topic), Some(partition), _) => format!(" at `{topic}-{partition}`{place}"),
                (_, _, Some(group)) => format!(" of group `{group}`"),
                _ => place.to_owned(),
            };
            unknown(given, known, &place)
        }),
        _ => None,
    }
}

/// A plan of another cluster: nothing is looked up here.
fn elsewhere<'a>(plan: ResetReport, refusal: &Refusal) -> Prepared<'a> {
    let works = plan
        .groups
        .iter()
        .map(|_| GroupWork {
            refusal: Some(refusal.clone()),
            look_again: {
                let refusal = refusal.clone();
                Box::new(move |_| Ok(Err(refusal.clone())))
            },
            deletes_group: false,
        })
        .collect();
    let mut report = ResetReport { command: "apply".to_owned(), ..plan };
    for group in &mut report.groups {
        group.would_refuse = None;
    }
    (report, works)
}

/// The plan as the cluster is now, and what of it no longer holds.
fn prepare<'a>(
    context: &Context,
    client: &'static Client,
    plan: &ResetReport,
    args: &ApplyArgs,
) -> Result<Prepared<'a>> {
    let reading = ReadOnly(client);
    let mut reports = Vec::with_capacity(plan.groups.len());
    let mut works = Vec::with_capacity(plan.groups.len());
    for group in &plan.groups {
        let request = request(group, &plan.target, args);
        let look = exec::look(&reading, &request)?;
        let mut report = exec::report(&reading, &request, &look, context.clock())?;
        for (row, planned) in report.groups.iter_mut().flat_map(|now| &mut now.rows).filter_map(|row| {
            let planned = group.rows.iter().find(|it| it.topic == row.topic && it.partition == row.partition)?;
            Some((row, planned))
        }) {
            add_reason(row, planned);
        }
        let work = GroupWork {
            refusal: refusal(group, &request, &look, args),
            look_again: Box::new(move |cluster| {
                Ok(exec::look_again(cluster, &request, &look)?.map(|second| second.commits))
            }),
            deletes_group: false,
        };
        reports.push(report);
        works.push(work);
    }
    let mut report =
        exec::together(reports).ok_or_else(|| Error::new(Code::BadFile, "the plan names no group".to_owned()))?;
    report.command = "apply".to_owned();
    Ok((report, works))
}

/// Each row of the plan to the offset that it names.
fn request(group: &GroupPlan, target: &TargetReport, args: &ApplyArgs) -> Request {
    let partition = |row: &ResetRow| TopicPartition::new(row.topic.as_str(), row.partition);
    let rows: BTreeMap<TopicPartition, Place> = group
        .rows
        .iter()
        .filter_map(|row| {
            let new = row.new_offset?;
            let inside = row.log_start_offset <= Some(new) && Some(new) <= row.log_end_offset;
            // `--to-current` keeps a commit that stands outside the log as well.
            let target = if row.action == Action::Keep && !inside { Target::Current } else { Target::Offset(new) };
            Some((partition(row), Place { target, metadata: row.new_metadata.clone() }))
        })
        .collect();
    let destination = Destination::Each { rows, from: target.clone(), otherwise: "left by the plan".to_owned() };
    let policies = Policies { out_of_range: OutOfRange::Fail, no_record: NoRecord::Fail, no_commit: NoCommit::Fail };
    let skip_unread = match args.skip_unread {
        None => SkipUnread::Ask,
        Some(SkipUnreadPolicy::Allow) => SkipUnread::Allow,
        Some(SkipUnreadPolicy::Keep) => SkipUnread::Keep,
    };
    Request {
        group: group.group.clone(),
        scope: Scope::Partitions(group.rows.iter().map(partition).collect()),
        spec: ResetSpec { destination, policies, skip_unread },
        // Whether the group still exists is compared with the plan, which may be one that makes it.
        create_group: true,
    }
}

/// What the plan said of a row goes on being said; an edited row says that it was edited.
fn add_reason(row: &mut ResetRow, planned: &ResetRow) {
    let said = match planned.requested {
        Some(requested) if check::was_edited(planned) => Some(format!("edited: the plan's target was {requested}")),
        _ => planned.reason.clone(),
    };
    row.reason = match (said, row.reason.take()) {
        (Some(said), Some(now)) if row.action == Action::Skip && planned.action != Action::Skip => {
            Some(format!("{said}; {now}"))
        }
        (Some(said), _) => Some(said),
        (None, now) => now,
    };
    if row.new_offset == planned.new_offset {
        row.requested = planned.requested;
        row.new_timestamp = planned.new_timestamp.filter(|_| !check::was_edited(planned));
    }
}

/// What keeps a group from being written: its members, or what no longer is as the plan says.
fn refusal(group: &GroupPlan, request: &Request, look: &Look, args: &ApplyArgs) -> Option<Refusal> {
    let differences = check::differences(group, look.description.state, &look.planned.rows, args.allow_moved_commits);
    let stale = differences.refusal(&group.group);
    if look.description.is_active() {
        // Members are waited for in vain where the plan would be stale all the same.
        let waits = args.patience.wait_empty.is_some() && !args.agreement.dry_run;
        return match stale {
            Some(stale) if waits => Some(stale),
            Some(stale) => {
                let mut active = guard::active(&look.description);
                active.message.push_str(&format!(", and {}", stale.message));
                Some(active)
            }
            None => Some(guard::active(&look.description)),
        };
    }
    stale
        .or_else(|| guard::refusal(&look.description, &request.spec, &look.planned, &look.pending, args.agreement.yes))
        .or_else(|| {
            let unattended = args.agreement.yes && request.spec.skip_unread == SkipUnread::Ask;
            unattended.then(|| check::skips_more(group, &look.planned.rows)).flatten()
        })
}
