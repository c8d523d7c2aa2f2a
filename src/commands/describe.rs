use super::Context;
use super::choice::{incomplete_message, incomplete_warning};
use crate::cli::{GroupChoice, Output, span};
use crate::error::{Code, Error, Exit, Result};
use crate::exec::describe::{self as exec, Request};
use crate::exec::unread;
use crate::model::TopicSelection;
use crate::render;
use crate::render::describe::Columns;
use crate::report::{DescribeReport, GroupError, Warning};
use crate::sink::FileTarget;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// The longest that the oldest unread records are waited for.
const READING: Duration = Duration::from_secs(10);

/// Arguments of `describe`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind describe inventory\n  krewind describe inventory email -o json\n  krewind describe --matching 'billing-*' --fail-if-lag-over 10000\n  krewind describe inventory --watch\n  krewind describe --all-groups --save before.json"
)]
pub struct DescribeArgs {
    #[command(flatten)]
    choice: GroupChoice,

    /// Only this topic, or some of its partitions, also where the group has no commit; repeatable
    #[arg(long, value_name = "TOPIC[:PARTITIONS]")]
    topic: Vec<TopicSelection>,

    /// The members of each group and what they read, in place of the partitions
    #[arg(long, conflicts_with_all = ["state", "time_lag"])]
    members: bool,

    /// A line per group: state, coordinator and sums, in place of the partitions
    #[arg(long)]
    state: bool,

    /// How old the oldest unread record is, read from the log itself
    #[arg(long)]
    time_lag: bool,

    /// Look again every so often, and show rates; `q` ends it
    #[arg(long, value_name = "SPAN", value_parser = interval, num_args = 0..=1, require_equals = true, default_missing_value = "2s")]
    watch: Option<Duration>,

    /// Exit with 4 where a group's total lag is larger
    #[arg(long, value_name = "N", help_heading = "Conditions")]
    fail_if_lag_over: Option<u64>,

    /// Exit with 4 where an unread record is older; asks for --time-lag
    #[arg(long, value_name = "SPAN", value_parser = span, help_heading = "Conditions")]
    fail_if_time_lag_over: Option<Duration>,

    /// Keep the report in a file, for `diff`
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    save: Option<PathBuf>,
}

fn interval(text: &str) -> Result<Duration, String> {
    let interval = span(text)?;
    if interval < Duration::from_millis(100) {
        return Err("looking more often than every `100ms` tells nothing more".to_owned());
    }
    Ok(interval)
}

impl DescribeArgs {
    fn columns(&self, context: &Context) -> Columns {
        Columns { wide: context.output == Output::Wide, time_lag: self.wants_time_lag(), rates: self.watch.is_some() }
    }

    fn wants_time_lag(&self) -> bool {
        self.time_lag || self.fail_if_time_lag_over.is_some()
    }
}

/// Describes, prints, and tells by the exit code whether every row could be read and whether a condition holds.
pub fn run(context: &Context, args: &DescribeArgs) -> Result<Exit> {
    args.choice.check(context)?;
    // Before anything is looked at: a file that exists is not overwritten.
    let save = args.save.as_deref().map(FileTarget::create).transpose()?;
    if args.watch.is_some() && !matches!(context.output, Output::Table | Output::Wide | Output::Json) {
        return Err(
            Error::usage("`--watch` shows tables or JSON").hint("leave out `-o`, or use `-o wide` or `-o json`")
        );
    }
    let client = context.client()?;
    let chosen = args.choice.resolve(context, client)?;
    for missing in &chosen.incomplete {
        context.ui.warn(&incomplete_message(missing));
    }
    let topics = (!args.topic.is_empty()).then(|| super::merged(args.topic.clone()));
    let request = Request { groups: chosen.groups, topics, empty: chosen.empty };
    let look = || -> Result<DescribeReport> {
        let mut report = exec::describe(client, &request, || context.clock())?;
        if args.wants_time_lag() {
            unread::add_time_lag(client, &mut report, READING.min(context.connect.timeout))?;
        }
        report.warnings.extend(chosen.incomplete.iter().map(incomplete_warning));
        Ok(report)
    };
    if let Some(interval) = args.watch {
        return super::watch::run(context, interval, &look, args.columns(context), |report| {
            rendered(context, args, report)
        });
    }
    let report = look()?;
    if let ([only], true) = (report.groups.as_slice(), chosen.only)
        && let Some(error) = &only.error
    {
        return Err(alone(error));
    }
    if args.choice.all_groups && report.groups.is_empty() && chosen.incomplete.is_empty() {
        context.ui.status("the cluster has no consumer groups");
    } else if report.groups.is_empty() {
        context.ui.warn("no group's name matches");
    }
    if report.visibility.is_some() {
        context.ui.status(LIMITED);
    }
    for warning in report.warnings.iter().filter(|warning| warning.code != "incomplete") {
        context.ui.warn(&warning.message);
    }
    if let Some(file) = save {
        let saved = format!("saved to `{}`", file.target().display());
        super::save::write(file, &render::json(&report))?;
        context.ui.status(&saved);
    }
    context.emit(&rendered(context, args, &report))?;
    let exit = if report.has_failures() || !chosen.incomplete.is_empty() { Exit::Failed } else { Exit::Done };
    Ok(exit.worse(condition(context, args, &report)))
}

/// Whether a condition that was asked about holds; a value that is not known never passes silently.
fn condition(context: &Context, args: &DescribeArgs, report: &DescribeReport) -> Exit {
    let mut exit = Exit::Done;
    for group in &report.groups {
        if let Some(limit) = args.fail_if_lag_over {
            if group.total.lag.is_some_and(|lag| lag > limit) {
                context.ui.status(&format!(
                    "lag of `{}` is {}, over {limit}",
                    group.group,
                    group.total.lag.unwrap_or_default()
                ));
                exit = exit.worse(Exit::ConditionHolds);
            } else if let Some(row) = group.partitions.iter().find(|row| {
                // What an empty log holds unread is nothing, with or without a commit.
                row.lag.is_none() && (row.log_end_offset.is_none() || row.log_end_offset != row.log_start_offset)
            }) {
                context.ui.warn(&format!(
                    "the lag of `{}` is not known on {}-{} ({}), so it may be over {limit}",
                    group.group,
                    row.topic,
                    row.partition,
                    row.status.as_str()
                ));
                exit = exit.worse(Exit::Failed);
            }
        }
        if let Some(limit) = args.fail_if_time_lag_over {
            let limit_ms = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
            if let Some(oldest) = group.total.max_time_lag_ms.filter(|oldest| *oldest > limit_ms) {
                context.ui.status(&format!(
                    "the oldest unread record of `{}` is {oldest} ms old, over {limit_ms} ms",
                    group.group
                ));
                exit = exit.worse(Exit::ConditionHolds);
            } else if let Some(row) = group.partitions.iter().find(|row| {
                let nothing_unread = row.lag == Some(0)
                    || row.reason.as_ref().is_some_and(|reason| reason.ends_with(unread::NO_RECORD_LEFT))
                    || row.log_end_offset.is_some() && row.log_end_offset == row.log_start_offset;
                row.time_lag_ms.is_none() && !nothing_unread
            }) {
                context.ui.warn(&format!(
                    "the time lag of `{}` is not known on {}-{}, so it may be over {limit_ms} ms",
                    group.group, row.topic, row.partition
                ));
                exit = exit.worse(Exit::Failed);
            }
        }
    }
    exit
}

/// The one group that was asked for failed: there is no report, only its error.
pub fn alone(error: &GroupError) -> Error {
    let code = Code::named(&error.code).unwrap_or(Code::Internal);
    error.hints.iter().fold(Error::new(code, error.message.clone()), Error::hint)
}

fn rendered(context: &Context, args: &DescribeArgs, report: &DescribeReport) -> String {
    let style = context.table_style();
    match context.output {
        Output::Json => render::json(report),
        Output::Csv => render::describe::csv(report),
        Output::Prometheus | Output::Spark => render::prometheus::describe(report),
        Output::Table | Output::Wide | Output::Markdown if args.members => render::describe::members(report, style),
        Output::Table | Output::Wide | Output::Markdown if args.state => render::describe::states(report, style),
        Output::Table | Output::Wide | Output::Markdown => {
            render::describe::table(report, style, args.columns(context))
        }
    }
}

/// Said where brokers leave out what this login may not describe.
pub const LIMITED: &str = "this login is limited by ACLs: groups and topics that it may not describe are not shown";

/// Warnings of a report, for the reader of a table.
pub fn warnings(context: &Context, warnings: &[Warning]) {
    for warning in warnings {
        context.ui.warn(&warning.message);
    }
}
