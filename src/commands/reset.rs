mod file;
mod requests;

use super::Context;
use super::writing::{Agreement, GroupWork, Writing, connect};
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::reset::{self as exec, Look, Request};
use crate::kafka::ReadOnly;
use crate::model::TopicSelection;
use crate::plan::guard;
use crate::report::{GroupOutcome, ResetReport};
use clap::{ArgGroup, Args, ValueEnum};
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

    #[command(flatten)]
    #[allow(missing_docs)]
    agreement: Agreement,
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
enum SkipUnreadPolicy {
    /// Move them
    Allow,
    /// Leave them where they are
    Keep,
}

/// Plans, shows, asks, writes, reads back, reports.
pub fn run(context: &Context, args: ResetArgs) -> Result<Exit> {
    let agreement = args.agreement.clone();
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("reset"));
    }
    let wanted = args.wanted(context)?;
    if context.connect.read_only && !agreement.dry_run {
        return Err(read_only(context, &wanted.names()));
    }
    if let Some(moment) = wanted.moment() {
        context.ui.status(&format!("to the first record at or after {}", moment.echo(context.now)));
    }
    let connection = context.connection()?;
    let client = connect(&connection)?;
    let reading = ReadOnly(client);
    let requests = wanted.requests(context, client)?;
    let mut looks: Vec<(Request, Look)> = Vec::with_capacity(requests.len());
    let mut reports: Vec<ResetReport> = Vec::with_capacity(requests.len());
    for request in requests {
        let look = exec::look(&reading, &request)?;
        reports.push(exec::report(&reading, &request, &look, context.clock())?);
        looks.push((request, look));
    }
    let report = exec::together(reports)
        .ok_or_else(|| Error::usage("no group's name matches").hint("`krewind list` shows the names"))?;
    for (group, (_, look)) in report.groups.iter().zip(&looks) {
        if group.rows.is_empty() && group.outcome == GroupOutcome::NothingToDo && !look.description.is_active() {
            context.ui.warn(&format!("group `{}` has no commits, so `--all-topics` names nothing", group.group));
        }
    }
    let works = looks
        .into_iter()
        .map(|(request, first)| GroupWork {
            refusal: guard::refusal(&first.description, &request.spec, &first.planned, &first.pending, agreement.yes),
            look_again: Box::new(move |cluster| {
                Ok(exec::look_again(cluster, &request, &first)?.map(|second| second.commits))
            }),
            deletes_group: false,
        })
        .collect();
    Writing { context, connection: &connection, client, agreement: &agreement, report, works, undoes: None }.run()
}

/// A write that `--read-only` keeps from beginning.
fn read_only(context: &Context, groups: &[String]) -> Error {
    let left = match groups {
        [only] => format!("group `{only}` is left as it is"),
        _ => "nothing is written".to_owned(),
    };
    Error::new(Code::ReadOnly, format!("this run is read-only, so {left}")).hint(context.settings.read_only_hint())
}
