mod file;
mod requests;

use super::Context;
use super::wait::{self, Patience, Prepared};
use super::writing::{Agreement, GroupWork, Writing, connect};
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::keeping;
use crate::exec::reset::{self as exec, Look, Request};
use crate::kafka::{Client, ReadOnly};
use crate::model::{GroupDescription, GroupState, TopicSelection};
use crate::plan::guard;
use crate::report::{GroupOutcome, Refusal, ResetReport};
use crate::sink::FileTarget;
use clap::{ArgGroup, Args, ValueEnum};
use requests::Wanted;
use std::path::PathBuf;

/// Arguments of `reset`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("name").required(true).multiple(true).args(["group", "named", "matching", "from_file"]),
    group = ArgGroup::new("scope").required(true).args(["topic", "all_topics", "from_file"]).multiple(true),
    group = ArgGroup::new("target").required(true).args([
        "to_earliest", "to_latest", "to_offset", "to_timestamp", "by_duration", "shift_by", "to_current", "to_group", "from_file",
    ]),
    after_help = "Examples:\n  krewind reset inventory --topic orders --to-timestamp 30m --dry-run\n  krewind reset inventory --all-topics --to-timestamp 2026-12-01T09:30:00Z\n  krewind reset inventory --topic orders:0,3-5 --to-earliest --yes"
)]
pub struct ResetArgs {
    /// The group to move, by its exact name
    #[arg(value_name = "GROUP")]
    group: Option<String>,

    /// The same, as Kafka's own tools name it; repeatable
    #[arg(long = "group", value_name = "GROUP")]
    named: Vec<String>,

    /// The groups whose name matches: *, ? and [a-z]; repeatable
    #[arg(long, value_name = "GLOB")]
    matching: Vec<glob::Pattern>,

    /// A topic, or some of its partitions: orders, orders:0,3-5; repeatable
    #[arg(long, value_name = "TOPIC[:PARTITIONS]", help_heading = "Scope")]
    topic: Vec<TopicSelection>,

    /// Every partition of every topic that the group has a commit on, those added later included
    #[arg(long, help_heading = "Scope", conflicts_with_all = ["topic", "from_file"])]
    all_topics: bool,

    /// To the oldest record that is kept
    #[arg(long, help_heading = "Target")]
    to_earliest: bool,

    /// To the end: the next record is the first one
    #[arg(long, help_heading = "Target")]
    to_latest: bool,

    /// To this offset
    #[arg(long, value_name = "N", help_heading = "Target", value_parser = clap::value_parser!(i64).range(0..))]
    to_offset: Option<i64>,

    /// To the first record at or after this time: 2026-12-01T10:00:00Z, 14:05, 30m (ago), epoch seconds or milliseconds
    #[arg(long, visible_alias = "to-datetime", value_name = "TIME", help_heading = "Target")]
    to_timestamp: Option<String>,

    /// To the first record at or after that long ago: 2h, 1d12h, PT2H
    #[arg(long, value_name = "SPAN", help_heading = "Target")]
    by_duration: Option<String>,

    /// This many offsets on from each commit; negative: back
    #[arg(long, value_name = "N", help_heading = "Target", allow_hyphen_values = true)]
    shift_by: Option<i64>,

    /// Where each commit stands
    #[arg(long, help_heading = "Target")]
    to_current: bool,

    /// Where another group stands, its metadata included
    #[arg(long, value_name = "OTHER", help_heading = "Target")]
    to_group: Option<String>,

    /// Where a file says: Kafka's CSV (topic,partition,offset), a snapshot of `describe --save`, a report of a reset
    #[arg(long, value_name = "FILE", help_heading = "Target")]
    from_file: Option<PathBuf>,

    /// What to do with an offset outside the log
    #[arg(long, value_enum, default_value_t = OutOfRangePolicy::Fail, help_heading = "Policies")]
    out_of_range: OutOfRangePolicy,

    /// What to do where no record is at or after the time
    #[arg(long, value_enum, default_value_t = NoRecordPolicy::Latest, help_heading = "Policies")]
    no_record: NoRecordPolicy,

    /// What --shift-by and --to-current do with a partition without a commit
    #[arg(long, value_enum, default_value_t = NoCommitPolicy::Skip, help_heading = "Policies")]
    no_commit: NoCommitPolicy,

    /// Under --yes, what to do with partitions that would move forward past unread records
    #[arg(long, value_enum, help_heading = "Policies")]
    skip_unread: Option<SkipUnreadPolicy>,

    /// Make the group where it does not exist
    #[arg(long, help_heading = "Policies")]
    create_group: bool,

    /// Save the plan to a new file instead of writing it, for review and `krewind apply`
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Confirmation",
        conflicts_with_all = ["dry_run", "yes", "keep_going", "no_journal", "wait_empty"]
    )]
    plan: Option<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs)]
    agreement: Agreement,

    #[command(flatten)]
    #[allow(missing_docs)]
    patience: Patience,
}

/// `--out-of-range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutOfRangePolicy {
    /// Refuse
    Fail,
    /// Take the nearest offset within the log
    Clamp,
}

/// `--no-record`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoRecordPolicy {
    /// Stand at the end
    Latest,
    /// Leave the partition
    Skip,
    /// Refuse
    Fail,
}

/// `--no-commit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoCommitPolicy {
    /// Leave it without one
    Skip,
    /// Stand at the log start
    UseEarliest,
    /// Stand at the end
    UseLatest,
    /// Refuse
    Fail,
}

/// `--skip-unread`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SkipUnreadPolicy {
    /// Move them
    Allow,
    /// Leave them where they are
    Keep,
}

/// Plans, shows, asks, writes, reads back, reports.
pub fn run(context: &Context, args: ResetArgs) -> Result<Exit> {
    let (agreement, patience, plan) = (args.agreement.clone(), args.patience.clone(), args.plan.clone());
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("reset"));
    }
    let wanted = args.wanted(context)?;
    if context.connect.read_only && !agreement.dry_run && plan.is_none() {
        return Err(read_only(context, &wanted.names()));
    }
    if let Some(path) = &plan {
        // What can't be saved is not worth computing.
        FileTarget::create(path).map_err(no_new_file)?.abandon();
    }
    if let Some(moment) = wanted.moment() {
        context.ui.status(&format!("to the first record at or after {}", moment.echo(context.now)));
    }
    let connection = context.connection()?;
    let client = connect(&connection)?;
    let cluster = (connection.properties.bootstrap_servers(), client);
    let for_later = plan.is_some() || patience.wait_empty.is_some();
    let (report, works) = wait::prepared(context, cluster, &agreement, &patience, || {
        prepare(context, client, &wanted, &agreement, for_later)
    })?;
    let writing =
        Writing { context, connection: &connection, client, agreement: &agreement, report, works, undoes: None };
    match plan {
        Some(path) => writing.save(&path),
        None => writing.run(),
    }
}

/// The plan as the cluster is now.
fn prepare<'a>(
    context: &Context,
    client: &'static Client,
    wanted: &Wanted,
    agreement: &Agreement,
    for_later: bool,
) -> Result<Prepared<'a>> {
    let reading = ReadOnly(client);
    let requests = wanted.requests(context, client)?;
    let mut looks: Vec<(Request, Look)> = Vec::with_capacity(requests.len());
    let mut reports: Vec<ResetReport> = Vec::with_capacity(requests.len());
    for request in requests {
        let look = exec::look(&reading, &request)?;
        reports.push(exec::report(&reading, &request, &look, context.clock())?);
        looks.push((request, look));
    }
    let mut report = exec::together(reports)
        .ok_or_else(|| Error::usage("no group's name matches").hint("`krewind list` shows the names"))?;
    report.warnings.extend(keeping::warnings(&reading, &looks, context.clock()));
    for (group, (_, look)) in report.groups.iter().zip(&looks) {
        if group.rows.is_empty() && group.outcome == GroupOutcome::NothingToDo && !look.description.is_active() {
            context.ui.warn(&format!("group `{}` has no commits, so `--all-topics` names nothing", group.group));
        }
    }
    let works = looks
        .into_iter()
        .map(|(request, first)| GroupWork {
            refusal: refusal(&request, &first, agreement, for_later),
            look_again: Box::new(move |cluster| {
                Ok(exec::look_again(cluster, &request, &first)?.map(|second| second.commits))
            }),
            deletes_group: false,
        })
        .collect();
    Ok((report, works))
}

/// What keeps a group from being written. Where members are waited for, or the plan is for later, what stays in the way when they
/// have left comes first.
fn refusal(request: &Request, look: &Look, agreement: &Agreement, for_later: bool) -> Option<Refusal> {
    let (spec, planned, pending) = (&request.spec, &look.planned, look.pending.as_slice());
    if for_later && planned.is_blocked() {
        let left = GroupDescription { members: Vec::new(), state: GroupState::Empty, ..look.description.clone() };
        return guard::refusal(&left, spec, planned, &[], agreement.yes);
    }
    guard::refusal(&look.description, spec, planned, pending, agreement.yes)
}

/// A file that a plan can't go to.
fn no_new_file(error: Error) -> Error {
    match error.code {
        Code::TargetExists => Error::usage(error.message).hint("name another file, or move that one away"),
        _ => error,
    }
}

/// A write that `--read-only` keeps from beginning.
pub(super) fn read_only(context: &Context, groups: &[String]) -> Error {
    let left = match groups {
        [only] => format!("group `{only}` is left as it is"),
        _ => "nothing is written".to_owned(),
    };
    Error::new(Code::ReadOnly, format!("this run is read-only, so {left}")).hint(context.settings.read_only_hint())
}
