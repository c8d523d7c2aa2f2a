use super::Context;
use crate::cli::{Output, span};
use crate::error::{Code, Error, Exit, Result};
use crate::exec::Observer;
use crate::exec::replay::{self as exec, Captured, Replayed, Request};
use crate::kafka::reader::{Reader, ReaderOptions};
use crate::kafka::{Client, Cluster};
use crate::model::TopicSelection;
use crate::offset::{OutOfRange, Target, time};
use crate::plan::window::{WindowSpec, window_report};
use crate::render;
use crate::report::{ReplayOutcome, ReplayReport, ReplayTotal, SinkReport, VERSION};
use crate::sink::SinkSpec;
use crate::ui::{Progress, Ui};
use clap::{ArgGroup, Args, ValueEnum};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("topics").required(true).multiple(true).args(["selections", "topic"]),
    group = ArgGroup::new("start").required(true).args(["from", "start_offset"]),
    group = ArgGroup::new("end").args(["to", "end_offset"]),
    after_help = "Examples:\n  krewind replay orders --from 2h --into orders.jsonl\n  krewind replay orders:0 --from 2026-12-01T09:00Z --to 2026-12-01T10:00Z | jq .value\n  krewind replay orders:0 --start-offset 1200 --end-offset 1300"
)]
pub struct ReplayArgs {
    /// Topics, or some of their partitions: orders, orders:0,3-5
    #[arg(value_name = "TOPIC[:PARTITIONS]")]
    selections: Vec<TopicSelection>,

    /// The same; repeatable
    #[arg(long, value_name = "TOPIC[:PARTITIONS]")]
    topic: Vec<TopicSelection>,

    /// From the first record at or after this time, or `earliest`
    #[arg(long, value_name = "TIME", help_heading = "Window")]
    from: Option<String>,

    /// Up to the first record at or after this time, exclusive, or `latest`: the end as it is at the start
    #[arg(long, value_name = "TIME", help_heading = "Window")]
    to: Option<String>,

    /// From this offset, in each partition
    #[arg(long, value_name = "N", help_heading = "Window", value_parser = clap::value_parser!(i64).range(0..))]
    start_offset: Option<i64>,

    /// Up to this offset, exclusive, in each partition
    #[arg(long, value_name = "N", help_heading = "Window", value_parser = clap::value_parser!(i64).range(0..))]
    end_offset: Option<i64>,

    /// What to do with an offset outside the log
    #[arg(long, value_enum, default_value_t = OutOfRangePolicy::Fail, help_heading = "Window")]
    out_of_range: OutOfRangePolicy,

    /// Whether records of open and aborted transactions are read
    #[arg(long, value_enum, default_value_t = Isolation::ReadCommitted, help_heading = "Reading")]
    isolation_level: Isolation,

    /// How long an open transaction before the end is waited for
    #[arg(long, value_name = "SPAN", default_value = "10s", value_parser = span, help_heading = "Reading")]
    wait_stable: Duration,

    /// How long nothing at all may come before the replay gives up
    #[arg(long, value_name = "SPAN", default_value = "5m", value_parser = span, help_heading = "Reading")]
    stall_timeout: Duration,

    /// Where the records go: `-` (standard output) or a new file that ends in .jsonl
    #[arg(long, value_name = "SINK", default_value = "-", help_heading = "Sink")]
    into: String,

    /// Write the report to this new file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Sink")]
    report: Option<PathBuf>,
}

/// `--out-of-range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutOfRangePolicy {
    /// Refuse
    Fail,
    /// Take the nearest offset within the log
    Clamp,
}

/// `--isolation-level`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Isolation {
    /// Committed transactions alone
    ReadCommitted,
    /// All records
    ReadUncommitted,
}

impl Isolation {
    fn as_str(self) -> &'static str {
        match self {
            Isolation::ReadCommitted => "read_committed",
            Isolation::ReadUncommitted => "read_uncommitted",
        }
    }
}

impl ReplayArgs {
    fn request(&self, context: &Context) -> Result<Request> {
        let moment = |flag: &str, text: &str| {
            let moment = time::parse(text, context.now, &context.zone)?;
            if moment.is_after(context.now) {
                return Err(Error::usage(format!("`{flag} {text}` lies in the future: {}", moment.echo(context.now)))
                    .hint("a window ends at the present: leave out `--to`, and it ends where the log does now"));
            }
            Ok(moment)
        };
        let from = match (&self.from, self.start_offset) {
            (Some(text), _) if text == "earliest" => Target::Earliest,
            (Some(text), _) => Target::Timestamp(moment("--from", text)?),
            (None, Some(offset)) => Target::Offset(offset),
            (None, None) => {
                return Err(Error::usage("the window has no start").hint("`--from TIME` or `--start-offset N`"));
            }
        };
        let to = match (&self.to, self.end_offset) {
            (Some(text), _) if text == "latest" => None,
            (Some(text), _) => Some(Target::Timestamp(moment("--to", text)?)),
            (None, offset) => offset.map(Target::Offset),
        };
        let backwards = match (&from, &to) {
            (Target::Timestamp(from), Some(Target::Timestamp(to))) => from.timestamp > to.timestamp,
            (Target::Offset(from), Some(Target::Offset(to))) => from > to,
            _ => false,
        };
        if backwards {
            return Err(Error::usage("the window ends before it begins")
                .hint("the end is exclusive, and comes after the start"));
        }
        let out_of_range = match self.out_of_range {
            OutOfRangePolicy::Fail => OutOfRange::Fail,
            OutOfRangePolicy::Clamp => OutOfRange::Clamp,
        };
        Ok(Request {
            topics: super::merged(self.selections.iter().chain(&self.topic).cloned().collect()),
            window: WindowSpec { from, to, out_of_range },
            read_committed: self.isolation_level == Isolation::ReadCommitted,
            wait_stable: self.wait_stable,
            stall_timeout: self.stall_timeout,
        })
    }
}

/// Captures the window, reads it into the sink, and reports where every offset went.
pub fn run(context: &Context, args: &ReplayArgs) -> Result<Exit> {
    let sink_spec = SinkSpec::parse(&args.into)?;
    if sink_spec.is_stdout() {
        // Standard output holds records alone, so that an error never stands among them.
        context.keep_errors_from_stdout();
    }
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("replay"));
    }
    let request = args.request(context)?;
    for (what, target) in [("from", Some(&request.window.from)), ("to", request.window.to.as_ref())] {
        if let Some(Target::Timestamp(moment)) = target {
            context.ui.status(&format!("{what} the first record at or after {}", moment.echo(context.now)));
        }
    }
    if let Some(path) = &args.report
        && path.symlink_metadata().is_ok()
    {
        return Err(super::save::exists(path));
    }
    // Refused before anything is read.
    let sink = sink_spec.open()?;
    let connection = context.connection()?;
    let client: &'static Client = Box::leak(Box::new(Client::connect(connection.clone())?));
    let group_id = own_group(client)?;
    let captured = exec::capture(client, &request, || context.clock())?;
    let options = ReaderOptions { group_id, read_committed: request.read_committed };
    let reader: &'static Reader = Box::leak(Box::new(Reader::open(&connection, &options)?));
    context.interrupt.stop_work();
    let observer = Bar::new(&context.ui, &captured);
    let began = Instant::now();
    let replayed = exec::run(client, reader, &request, &captured, sink, &observer, context.interrupt.flag());
    let seconds = began.elapsed().as_secs_f64();
    drop(observer);
    finish(context, args, client, &sink_spec, &request, &captured, replayed, seconds)
}

/// A group id that nobody has: nothing is committed to it, and yet a group of that name must not exist.
fn own_group(client: &Client) -> Result<String> {
    for _ in 0..5 {
        let random = RandomState::new().build_hasher().finish();
        let id = format!("krewind-replay-{random:016x}");
        match client.describe_groups(&[&id]).pop() {
            // Who may not describe it can't have made it either.
            Some(Ok(group)) if !group.is_dead() => {}
            _ => return Ok(id),
        }
    }
    Err(Error::new(Code::Internal, "no free name for the reader's group was found"))
}

/// Progress on the terminal.
struct Bar<'a> {
    ui: &'a Ui,
    progress: Progress,
    began: Instant,
}

impl<'a> Bar<'a> {
    fn new(ui: &'a Ui, captured: &Captured) -> Self {
        let total = captured.ranges.iter().map(|range| range.end.abs_diff(range.start)).sum();
        Bar { ui, progress: ui.progress(total, "offsets"), began: Instant::now() }
    }
}

impl Observer for Bar<'_> {
    fn status(&self, text: &str) {
        self.ui.status(text);
    }

    fn warn(&self, text: &str) {
        self.ui.warn(text);
    }

    fn progress(&self, done: u64, _total: u64) {
        let seconds = self.began.elapsed().as_secs_f64().max(0.001);
        self.progress.at(done, || format!("{:.0}/s", done as f64 / seconds));
    }
}

/// Reports, and tells by the exit code whether the window is whole.
#[allow(clippy::too_many_arguments)]
fn finish(
    context: &Context,
    args: &ReplayArgs,
    client: &Client,
    sink: &SinkSpec,
    request: &Request,
    captured: &Captured,
    replayed: Replayed,
    seconds: f64,
) -> Result<Exit> {
    let records: u64 = replayed.partitions.iter().map(|row| row.records).sum();
    let report = ReplayReport {
        kind: "replay".to_owned(),
        version: VERSION,
        outcome: replayed.outcome,
        cluster_id: client.id().to_owned(),
        captured_at: captured.captured_at,
        isolation_level: args.isolation_level.as_str().to_owned(),
        window: window_report(&request.window),
        total: ReplayTotal {
            records,
            filtered: 0,
            bytes: replayed.partitions.iter().map(|row| row.bytes).sum(),
            seconds: (seconds * 1000.0).round() / 1000.0,
            records_per_second: if seconds > 0.0 { (records as f64 / seconds).round() } else { 0.0 },
        },
        partitions: replayed.partitions,
        sink: SinkReport {
            into: sink.kind().to_owned(),
            path: sink.path().map(|path| path.display().to_string()),
            partial: replayed.partial.map(|path| path.display().to_string()),
            written: records,
            duplicates: 0,
        },
        resume: None,
        warnings: replayed.warnings,
    };
    if let Some(path) = &args.report {
        super::save::save(path, &render::json(&report))?;
    }
    super::describe::warnings(context, &report.warnings);
    if sink.is_stdout() {
        if !context.ui.is_quiet() {
            context.ui.show(&render::replay::table(
                &report,
                context.stderr_table_style(),
                context.output == Output::Wide,
            ));
        }
    } else {
        context.emit(&match context.output {
            Output::Json => render::json(&report),
            Output::Csv => render::replay::csv(&report),
            Output::Wide => render::replay::table(&report, context.table_style(), true),
            Output::Table | Output::Markdown | Output::Prometheus => {
                render::replay::table(&report, context.table_style(), false)
            }
        })?;
    }
    if let Some(error) = &replayed.error {
        context.ui.error(error);
    }
    Ok(match report.outcome {
        _ if context.interrupt.came() && report.outcome != ReplayOutcome::Complete => Exit::Interrupted,
        ReplayOutcome::Complete | ReplayOutcome::Limited | ReplayOutcome::NothingToReplay => Exit::Done,
        ReplayOutcome::Interrupted => Exit::Interrupted,
        ReplayOutcome::Incomplete => Exit::Failed,
    })
}
