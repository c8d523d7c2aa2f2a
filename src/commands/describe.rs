use super::Context;
use super::choice::{incomplete_message, incomplete_warning};
use crate::cli::{GroupChoice, Output, span};
use crate::error::{Code, Error, Exit, Result};
use crate::exec::describe::{self as exec, Request};
use crate::exec::unread::{First, first_records};
use crate::kafka::Client;
use crate::kafka::reader::Isolation;
use crate::model::{Timestamp, TopicPartition, TopicSelection};
use crate::render;
use crate::render::describe::Columns;
use crate::report::{DescribeReport, GroupError, GroupTotal, Warning};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

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
    if let Some(path) = &args.save
        && path.exists()
    {
        return Err(super::save::exists(path));
    }
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
            time_lag(context, client, &mut report)?;
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
    for warning in report.warnings.iter().filter(|warning| warning.code != "incomplete") {
        context.ui.warn(&warning.message);
    }
    if let Some(path) = &args.save {
        super::save::save(path, &render::json(&report))?;
        context.ui.status(&format!("saved to `{}`", path.display()));
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
                    || row.reason.as_ref().is_some_and(|reason| reason.ends_with(NO_RECORD_LEFT))
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

/// The longest that the oldest unread records are waited for.
const READING: Duration = Duration::from_secs(10);

/// There is nothing whose age could be told.
const NO_RECORD_LEFT: &str = "what is left to read holds no record: compacted, or markers of transactions";

/// Where a row's oldest unread record is: group, row.
type Place = (usize, usize);

/// Adds the age of the oldest unread record to each row that has something unread, from the records themselves.
fn time_lag(context: &Context, client: &Client, report: &mut DescribeReport) -> Result<()> {
    // Groups that stand at different offsets of one partition are read in turn: an assignment has one position for each.
    let mut rounds: Vec<BTreeMap<TopicPartition, (i64, i64, Vec<Place>)>> = Vec::new();
    for (group_at, group) in report.groups.iter().enumerate() {
        for (row_at, row) in group.partitions.iter().enumerate() {
            let (Some(current), Some(start), Some(end)) =
                (row.current_offset, row.log_start_offset, row.log_end_offset)
            else {
                continue;
            };
            let from = current.max(start);
            if from >= end {
                continue;
            }
            let partition = TopicPartition::new(row.topic.as_str(), row.partition);
            let place = (group_at, row_at);
            let free = rounds.iter_mut().find(|round| round.get(&partition).is_none_or(|entry| entry.0 == from));
            let round = match free {
                Some(round) => round,
                None => {
                    rounds.push(BTreeMap::new());
                    let last = rounds.len() - 1;
                    &mut rounds[last]
                }
            };
            round.entry(partition).or_insert_with(|| (from, end, Vec::new())).2.push(place);
        }
    }
    if rounds.is_empty() {
        return Ok(());
    }
    let reader = crate::exec::replay::reader(client, Isolation::ReadUncommitted)?;
    let patience = READING.min(context.connect.timeout);
    for round in rounds {
        let starts: Vec<(TopicPartition, i64)> =
            round.iter().map(|(partition, entry)| (partition.clone(), entry.0)).collect();
        let ends: Vec<i64> = round.values().map(|entry| entry.1).collect();
        let mut reading = reader.start(&starts)?;
        let first = first_records(&mut reading, &ends, patience)?;
        // The moment the age is measured from, like the rest of the report.
        let now = report.captured_at.as_millis();
        for ((_, _, places), first) in round.into_values().zip(first) {
            for (group, row) in places {
                let row = &mut report.groups[group].partitions[row];
                let why = match &first {
                    First::At(timestamp) => {
                        row.oldest_unread_timestamp = Some(Timestamp(*timestamp));
                        // A record may be dated in the future: it is not younger than none.
                        row.time_lag_ms = Some(now.saturating_sub(*timestamp).max(0));
                        continue;
                    }
                    First::Undated => "the oldest unread record has no timestamp".to_owned(),
                    First::None => NO_RECORD_LEFT.to_owned(),
                    First::Unread(why) => format!("the oldest unread record could not be read: {why}"),
                };
                row.reason = Some(row.reason.take().map_or(why.clone(), |reason| format!("{reason}; {why}")));
            }
        }
    }
    for group in &mut report.groups {
        if group.error.is_none() {
            group.total = GroupTotal::of(&group.partitions);
        }
    }
    Ok(())
}

/// The one group that was asked for failed: there is no report, only its error.
fn alone(error: &GroupError) -> Error {
    let code = Code::named(&error.code).unwrap_or(Code::Internal);
    error.hints.iter().fold(Error::new(code, error.message.clone()), Error::hint)
}

fn rendered(context: &Context, args: &DescribeArgs, report: &DescribeReport) -> String {
    let style = context.table_style();
    match context.output {
        Output::Json => render::json(report),
        Output::Csv => render::describe::csv(report),
        Output::Prometheus => render::prometheus::describe(report),
        Output::Table | Output::Wide | Output::Markdown if args.members => render::describe::members(report, style),
        Output::Table | Output::Wide | Output::Markdown if args.state => render::describe::states(report, style),
        Output::Table | Output::Wide | Output::Markdown => {
            render::describe::table(report, style, args.columns(context))
        }
    }
}

/// Warnings of a report, for the reader of a table.
pub fn warnings(context: &Context, warnings: &[Warning]) {
    for warning in warnings {
        context.ui.warn(&warning.message);
    }
}
