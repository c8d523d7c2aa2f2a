mod into_topic;
mod resuming;
mod selecting;
mod sinks;
mod watching;

use self::into_topic::Opened;
use self::resuming::Resuming;
use self::selecting::SelectArgs;
use self::sinks::SinkArgs;
use self::watching::Watcher;
use super::Context;
use super::windows::WindowArgs;
use crate::cli::{Output, span};
use crate::error::{Exit, Result};
use crate::exec::replay::checkpoint::Keeper;
use crate::exec::replay::{self as exec, Asker, Job, Limits, ReplaySpec};
use crate::kafka::reader::Isolation;
use crate::render;
use crate::report::{ReplayOutcome, ReplayReport, Warning};
use crate::sink::{Begin, FileTarget, SinkSpec};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Between two comparisons of topic ids.
const CHECK_TOPICS: Duration = Duration::from_secs(2);

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(
    after_help = "Reads by assigning partitions to itself: no group is joined, nothing is committed, and production goes on.\n\n\
Examples:\n  krewind replay orders --from 2h\n  krewind replay orders:0,3-5 --from 2026-12-01T10:00Z --to 2026-12-01T11:00Z --into orders.jsonl\n  \
krewind replay orders --start-offset 5 --end-offset 12 | jq .value"
)]
pub struct ReplayArgs {
    #[command(flatten)]
    window: WindowArgs,

    #[command(flatten)]
    sink: SinkArgs,

    #[command(flatten)]
    select: SelectArgs,

    /// Whether records of open and aborted transactions are left out
    #[arg(long, help_heading = "Reading", value_enum, value_name = "LEVEL", default_value_t = Level::ReadCommitted)]
    isolation_level: Level,

    /// How long to wait for a transaction that is open before the window's end
    #[arg(long, help_heading = "Reading", value_name = "SPAN", default_value = "10s", value_parser = span)]
    wait_stable: Duration,

    /// Give up when nothing has come for this long
    #[arg(long, help_heading = "Reading", value_name = "SPAN", default_value = "5m", value_parser = span)]
    stall_timeout: Duration,

    /// Keep in this file how far the run has got: after it was killed, the same command goes on from there, and the sink holds each
    /// record once
    #[arg(long, help_heading = "Reading", value_name = "FILE", conflicts_with_all = ["max_messages", "max_bytes"])]
    checkpoint: Option<PathBuf>,

    /// Write the report to this new file too, as JSON
    #[arg(long, help_heading = "Reading", value_name = "FILE")]
    report: Option<PathBuf>,
}

/// What readers of transactions see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Level {
    /// Committed records alone
    ReadCommitted,
    /// All records
    ReadUncommitted,
}

/// Reads the windows into the sink, and tells by the exit code whether the result is whole.
pub fn run(context: &Context, args: ReplayArgs) -> Result<Exit> {
    let into = args.sink.spec()?;
    let to_stdout = matches!(into, SinkSpec::StandardOutput(_));
    if to_stdout {
        context.keep_stdout_for_records();
    }
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("replay"));
    }
    let windows = args.window.windows(context, "replay")?;
    let selection = args.select.selection()?;
    // Before anything is read: the files that will be wanted at the end.
    let report_file = args.report.as_deref().map(FileTarget::create).transpose()?;
    let if_exists = args.sink.if_exists();
    let resuming =
        args.checkpoint.as_deref().map(|path| Resuming::open(context, path, &into, if_exists)).transpose()?;
    if let Some(exit) = resuming.as_ref().and_then(|resuming| resuming.ended(context)) {
        return Ok(exit);
    }
    let begin = resuming.as_ref().map_or(Begin::Plain, Resuming::begin);
    let opened = match into {
        SinkSpec::Topic { .. } => None,
        _ => Some(sinks::open(context, &into, &args.sink, begin)?),
    };
    windows.echo(context);
    let isolation = match args.isolation_level {
        Level::ReadCommitted => Isolation::ReadCommitted,
        Level::ReadUncommitted => Isolation::ReadUncommitted,
    };
    let spec = ReplaySpec { topics: windows.topics, window: windows.spec, isolation };

    let client = context.client()?;
    let saved = resuming.as_ref().and_then(|resuming| resuming.saved.as_ref());
    let captured = match saved {
        Some(saved) => exec::checkpoint::captured(saved),
        None => exec::capture(client, &spec, || context.clock())?,
    };
    if let Some(resuming) = &resuming {
        resuming.check(client)?;
    }
    let (sink, told) = match opened {
        Some(sink) => (sink, Vec::new()),
        // What is written must be shown before, and its windows are known only now.
        None => match into_topic::open(context, &into, &args.sink, client, &captured, &spec, begin)? {
            Opened::Sink(sink, told) => (sink, told),
            Opened::Planned(report) => {
                tell(context, to_stdout, &report, &report.warnings, report_file)?;
                return Ok(exit(report.outcome));
            }
        },
    };
    let reader = exec::reader(client, spec.isolation, args.select.buffer)?;
    let asker = Asker::new(client, captured.topic_ids.keys().cloned().collect())?;
    let limits = Limits {
        isolation: spec.isolation,
        explicit_end: spec.window.has_explicit_end(),
        wait_stable: args.wait_stable,
        stall: args.stall_timeout,
        check_topics: CHECK_TOPICS,
        most_records: args.select.max_messages,
        most_bytes: args.select.max_bytes,
        rate: args.select.rate,
        on_their_way: args.select.buffer / 8,
    };
    let window = saved.map_or_else(|| captured.window_report(&spec.window), |saved| saved.window.clone());
    let seen = saved.map(exec::checkpoint::tallies).unwrap_or_default();
    let keeper = resuming
        .map(|Resuming { file, saved, asked }| Keeper::new(file, saved, asked, &captured, window.clone(), sink.name()));
    let job = Job { captured: &captured, window, limits: &limits, selection: &selection, seen, keeper };
    // Records on a terminal would run through the bar.
    let bar = !(to_stdout && context.ui.stdout_is_terminal());
    let watcher = Watcher::new(&context.ui, bar.then(|| captured.offsets()));
    context.interrupt.stop_work();
    let mut reading = reader.start(&job.starts())?;
    let run = exec::run(job, &mut reading, sink, &asker, context.interrupt.flag(), &watcher);
    drop(watcher);
    // Closing a consumer waits for nothing that matters here, and the process is about to end.
    std::mem::forget(reading);
    let mut run = run?;
    if let Some(resume) = run.report.resume.as_mut().and_then(serde_json::Value::as_object_mut) {
        resume.insert("command".to_owned(), context.command_line.clone().into());
    }
    tell(context, to_stdout, &run.report, &told, report_file)?;
    if let Some(error) = &run.error {
        context.ui.error(error);
    }
    Ok(exit(run.report.outcome))
}

fn exit(outcome: ReplayOutcome) -> Exit {
    match outcome {
        ReplayOutcome::Planned | ReplayOutcome::Complete | ReplayOutcome::Limited | ReplayOutcome::NothingToReplay => {
            Exit::Done
        }
        ReplayOutcome::Interrupted => Exit::Interrupted,
        ReplayOutcome::Incomplete => Exit::Failed,
    }
}

/// Prints the report where there is room for it: standard output may hold the records.
fn tell(
    context: &Context,
    to_stdout: bool,
    report: &ReplayReport,
    told: &[Warning],
    file: Option<FileTarget>,
) -> Result<()> {
    for warning in &report.warnings {
        if told.iter().all(|earlier| earlier.message != warning.message) {
            context.ui.warn(&warning.message);
        }
    }
    if !to_stdout {
        context.emit(&match context.output {
            Output::Json => render::json(report),
            Output::Csv => render::replay::csv(report),
            // Refused before anything was read.
            Output::Prometheus | Output::Spark => return Err(context.no_such_form("replay")),
            Output::Table | Output::Markdown => render::replay::table(report, context.table_style(), false),
            Output::Wide => render::replay::table(report, context.table_style(), true),
        })?;
    } else if !context.ui.is_quiet() || !report.outcome.is_whole() {
        context.ui.show(&render::replay::table(report, context.stderr_table_style(), context.output == Output::Wide));
    }
    file.map_or(Ok(()), |file| super::save::write(file, &render::json(report)))
}
