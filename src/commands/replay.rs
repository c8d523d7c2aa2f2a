mod into_topic;
mod sinks;

use self::into_topic::Opened;
use self::sinks::SinkArgs;
use super::Context;
use crate::cli::{Output, span};
use crate::error::{Error, Exit, Result};
use crate::exec::Observer;
use crate::exec::replay::{self as exec, Asker, Limits, ReplaySpec};
use crate::kafka::reader::Isolation;
use crate::model::TopicSelection;
use crate::offset::{OutOfRange, Target, time};
use crate::plan::window::WindowSpec;
use crate::render;
use crate::report::{ReplayOutcome, ReplayReport, Warning};
use crate::sink::{FileTarget, SinkSpec};
use crate::ui::{Progress, Ui};
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
    /// Topics to read, by their exact names; with partitions as in `orders:0,3-5`
    #[arg(value_name = "TOPIC[:PARTITIONS]")]
    topics: Vec<String>,

    /// The same; as Kafka's own tools name it
    #[arg(long = "topic", value_name = "TOPIC[:PARTITIONS]")]
    named: Vec<String>,

    /// Start at the first record of this time or later, or at `earliest`
    #[arg(long, value_name = "TIME", conflicts_with = "start_offset")]
    from: Option<String>,

    /// End before the first record of this time or later; without it at the log's end when the run begins (`latest`)
    #[arg(long, value_name = "TIME", conflicts_with = "end_offset")]
    to: Option<String>,

    /// Start at this offset of each partition
    #[arg(long, value_name = "OFFSET", value_parser = clap::value_parser!(i64).range(0..))]
    start_offset: Option<i64>,

    /// End before this offset of each partition
    #[arg(long, value_name = "OFFSET", value_parser = clap::value_parser!(i64).range(0..))]
    end_offset: Option<i64>,

    #[command(flatten)]
    sink: SinkArgs,

    /// Whether records of open and aborted transactions are left out
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Level::ReadCommitted)]
    isolation_level: Level,

    /// How long to wait for a transaction that is open before the window's end
    #[arg(long, value_name = "SPAN", default_value = "10s", value_parser = span)]
    wait_stable: Duration,

    /// What to do with an offset that lies outside a partition's log
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = OutOfRangeArg::Fail)]
    out_of_range: OutOfRangeArg,

    /// Give up when nothing has come for this long
    #[arg(long, value_name = "SPAN", default_value = "5m", value_parser = span)]
    stall_timeout: Duration,

    /// Write the report to this new file too, as JSON
    #[arg(long, value_name = "FILE")]
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

/// What to do with an offset outside the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutOfRangeArg {
    /// Refuse
    Fail,
    /// Take the nearest offset within it
    Clamp,
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
    let spec = spec(context, &args)?;
    // Before anything is read: the files that will be wanted at the end.
    let report_file = args.report.as_deref().map(FileTarget::create).transpose()?;
    let opened = match into {
        SinkSpec::Topic { .. } => None,
        _ => Some(sinks::open(context, &into, &args.sink)?),
    };
    for (side, target) in [("from", &spec.window.from), ("to", &spec.window.to)] {
        if let Target::Timestamp(moment) = target {
            context.ui.status(&format!("{side} {}", moment.echo(context.now)));
        }
    }

    let client = context.client()?;
    let captured = exec::capture(client, &spec, || context.clock())?;
    let (mut sink, told) = match opened {
        Some(sink) => (sink, Vec::new()),
        // What is written must be shown before, and its windows are known only now.
        None => match into_topic::open(context, &into, &args.sink, client, &captured, &spec)? {
            Opened::Sink(sink, told) => (sink, told),
            Opened::Planned(report) => {
                tell(context, to_stdout, &report, &report.warnings, report_file)?;
                return Ok(exit(report.outcome));
            }
        },
    };
    let reader = exec::reader(client, spec.isolation)?;
    let partitions: Vec<_> = captured.to_read().map(|part| (part.partition.clone(), part.window.start)).collect();
    let asker = Asker::new(client, captured.topic_ids.keys().cloned().collect())?;
    let limits = Limits {
        isolation: spec.isolation,
        explicit_end: spec.window.has_explicit_end(),
        wait_stable: args.wait_stable,
        stall: args.stall_timeout,
        check_topics: CHECK_TOPICS,
    };
    let window = exec::window_report(&spec.window);
    // Records on a terminal would run through the bar.
    let bar = !(to_stdout && context.ui.stdout_is_terminal());
    let watcher =
        Watcher { ui: &context.ui, progress: bar.then(|| context.ui.progress(captured.offsets(), "offsets")) };
    context.interrupt.stop_work();
    let mut reading = reader.start(&partitions)?;
    let run =
        exec::run(&captured, window, &limits, &mut reading, sink.as_mut(), &asker, context.interrupt.flag(), &watcher);
    drop(watcher);
    // Closing a consumer waits for nothing that matters here, and the process is about to end.
    std::mem::forget(reading);
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
            Output::Prometheus => return Err(context.no_such_form("replay")),
            Output::Table | Output::Markdown => render::replay::table(report, context.table_style(), false),
            Output::Wide => render::replay::table(report, context.table_style(), true),
        })?;
    } else if !context.ui.is_quiet() || !report.outcome.is_whole() {
        context.ui.show(&render::replay::table(report, context.stderr_table_style(), context.output == Output::Wide));
    }
    file.map_or(Ok(()), |file| super::save::write(file, &render::json(report)))
}

fn spec(context: &Context, args: &ReplayArgs) -> Result<ReplaySpec> {
    let topics = args
        .topics
        .iter()
        .chain(&args.named)
        .map(|text| text.parse::<TopicSelection>().map_err(Error::usage))
        .collect::<Result<Vec<_>>>()?;
    if topics.is_empty() {
        return Err(Error::usage("no topic is named").hint("`krewind replay TOPIC --from 2h`"));
    }
    let from = match (&args.from, args.start_offset) {
        (_, Some(offset)) => Target::Offset(offset),
        (Some(text), None) if text == "earliest" => Target::Earliest,
        (Some(text), None) if text == "latest" => {
            return Err(
                Error::usage("a window that starts at `latest` is empty").hint("`--from 2h`, or `--from earliest`")
            );
        }
        (Some(text), None) => past(context, "from", text)?,
        (None, None) => {
            return Err(Error::usage("where the window starts is missing")
                .hint("`--from TIME`, `--from earliest`, or `--start-offset N`"));
        }
    };
    let to = match (&args.to, args.end_offset) {
        (_, Some(offset)) => Target::Offset(offset),
        (None, None) => Target::Latest,
        (Some(text), None) if text == "latest" => Target::Latest,
        (Some(text), None) if text == "earliest" => {
            return Err(Error::usage("a window that ends at `earliest` is empty").hint("`--to TIME`, or leave it out"));
        }
        (Some(text), None) => past(context, "to", text)?,
    };
    let backwards = match (&from, &to) {
        (Target::Timestamp(from), Target::Timestamp(to)) => from.timestamp > to.timestamp,
        (Target::Offset(from), Target::Offset(to)) => from > to,
        _ => false,
    };
    if backwards {
        return Err(
            Error::usage("the window ends before it starts").hint("a span counts back from now: `--from 2h --to 1h`")
        );
    }
    let out_of_range = match args.out_of_range {
        OutOfRangeArg::Fail => OutOfRange::Fail,
        OutOfRangeArg::Clamp => OutOfRange::Clamp,
    };
    let isolation = match args.isolation_level {
        Level::ReadCommitted => Isolation::ReadCommitted,
        Level::ReadUncommitted => Isolation::ReadUncommitted,
    };
    Ok(ReplaySpec { topics, window: WindowSpec { from, to, out_of_range }, isolation })
}

/// A time that is not in the future: what will be written until then can't be read now.
fn past(context: &Context, side: &str, text: &str) -> Result<Target> {
    let moment = time::parse(text, context.now, &context.zone)?;
    if moment.is_after(context.now) {
        let error = Error::usage(format!("`--{side} {text}` lies in the future: {}", moment.echo(context.now)));
        return Err(match side {
            "to" => error.hint("leave `--to` out to read up to the log's end now"),
            _ => error.hint("a span counts back from now: `--from 2h`"),
        });
    }
    Ok(Target::Timestamp(moment))
}

/// The terminal, as the driver sees it.
struct Watcher<'a> {
    ui: &'a Ui,
    progress: Option<Progress>,
}

impl Observer for Watcher<'_> {
    fn status(&self, text: &str) {
        self.ui.status(text);
    }

    fn warn(&self, text: &str) {
        self.ui.warn(text);
    }

    fn progress(&self, done: u64, _: u64) {
        if let Some(progress) = &self.progress {
            progress.at(done, String::new);
        }
    }
}
