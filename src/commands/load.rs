//! `load`: produce again what a replay wrote to a file.

use super::Context;
use super::producing::{self, Place, Plan, ProduceArgs};
use crate::cli::Output;
use crate::error::{Error, Exit, Result};
use crate::exec::load::{Head, Source};
use crate::exec::{Flow, Observer};
use crate::report::{LoadReport, ReplayOutcome};
use crate::sink::{FileTarget, SinkSpec};
use crate::ui::{Progress, Ui};
use crate::{model::visible, render};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `load`.
#[derive(Debug, Args)]
#[command(after_help = "The file is read twice: all of it is checked before the first record is produced.\n\n\
Examples:\n  krewind load orders.jsonl --into kafka:orders-copy --dry-run\n  krewind load orders.jsonl.zst --into kafka://other:9092/orders")]
pub struct LoadArgs {
    /// What `replay` wrote: a file ending in `.jsonl` (also `.gz`, `.zst`) or `.parquet`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The topic: `kafka:TOPIC`, or `kafka://HOST:PORT/TOPIC` on another cluster
    #[arg(long, value_name = "TOPIC")]
    into: String,

    /// Properties of the cluster that `kafka://HOST:PORT/TOPIC` names
    #[arg(long, value_name = "FILE")]
    into_command_config: Option<PathBuf>,

    /// Produce into a topic of the name that the records come from: another cluster's, or a second time into the same one
    #[arg(long)]
    into_source_topic: bool,

    /// Write the report to this new file too, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    #[command(flatten)]
    produce: ProduceArgs,
}

/// Checks the whole file, shows what it holds, asks, and produces it.
pub fn run(context: &Context, args: &LoadArgs) -> Result<Exit> {
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("load"));
    }
    let SinkSpec::Topic { bootstrap, topic } = SinkSpec::parse(&args.into, None)? else {
        return Err(Error::usage(format!("`{}` is no topic", args.into)).hint("`--into kafka:TOPIC` is one"));
    };
    if args.into_command_config.is_some() && bootstrap.is_none() {
        return Err(Error::usage("`--into-command-config` is for another cluster")
            .hint("`--into kafka://HOST:PORT/TOPIC` names it; `-F` is for this one"));
    }
    producing::refuse_read_only(context, &args.produce, &topic)?;
    let report_file = args.report.as_deref().map(FileTarget::create).transpose()?;
    let source = Source::open(&args.file)?;
    let captured_at = context.clock();
    let checked = source.check()?;
    if checked.is_from(&topic) && !args.into_source_topic {
        return Err(producing::own_source(
            &topic,
            "a file does not tell its cluster: `--into-source-topic` where another one's, or a second copy, is meant",
        ));
    }
    let of_file = checked.warnings();
    for warning in &of_file {
        context.ui.warn(&warning.message);
    }
    let place = Place::reach(context, bootstrap.as_deref(), &topic, args.into_command_config.as_deref(), None)?;
    let cluster_id = place.client.id().to_owned();
    let plan = Plan::make(context, &args.produce, place, checked.batch(), |_, _| {})?;
    let head = Head { cluster_id, captured_at, warnings: of_file.into_iter().chain(plan.warnings.clone()).collect() };
    let told = head.warnings.len();
    let from = format!("{}, written from {}", source.path().display(), checked.topics_text());
    let text = plan.text(context, &args.produce, &from, &format!("{} records", checked.records));
    if args.produce.dry_run {
        context.ui.show(&text);
        let report = source.report(&checked, head, ReplayOutcome::Planned, plan.target());
        tell(context, &report, told, report_file)?;
        return Ok(Exit::Done);
    }
    if checked.records > 0 {
        plan.agree(context, &args.produce, &text)?;
    }
    let mut sink = plan.sink(context, &args.produce, None)?;
    context.interrupt.stop_work();
    let watcher = Watcher { ui: &context.ui, progress: context.ui.progress(checked.records, "records") };
    let run = source.produce(&checked, &mut sink, head, context.interrupt.flag(), &watcher);
    drop(watcher);
    // Closing a producer waits for nothing that matters here, and the process is about to end.
    std::mem::forget(sink);
    tell(context, &run.report, told, report_file)?;
    if let Some(error) = &run.error {
        context.ui.error(error);
    }
    Ok(match run.report.outcome {
        ReplayOutcome::Interrupted => Exit::Interrupted,
        outcome if outcome.is_whole() => Exit::Done,
        _ => Exit::Failed,
    })
}

/// Prints the report; the first warnings were `told` already.
fn tell(context: &Context, report: &LoadReport, told: usize, file: Option<FileTarget>) -> Result<()> {
    for warning in report.warnings.iter().skip(told) {
        context.ui.warn(&visible(&warning.message));
    }
    context.emit(&match context.output {
        Output::Json => render::json(report),
        Output::Csv => render::load::csv(report),
        // Refused before anything was read.
        Output::Prometheus | Output::Spark => return Err(context.no_such_form("load")),
        Output::Table | Output::Markdown | Output::Wide => render::load::table(report, context.table_style()),
    })?;
    file.map_or(Ok(()), |file| super::save::write(file, &render::json(report)))
}

struct Watcher<'a> {
    ui: &'a Ui,
    progress: Progress,
}

impl Observer for Watcher<'_> {
    fn status(&self, text: &str) {
        self.progress.beside(|| self.ui.status(text));
    }

    fn warn(&self, text: &str) {
        self.progress.beside(|| self.ui.warn(text));
    }

    fn flow(&self, flow: &Flow) {
        self.progress.at(flow.passed, String::new);
    }
}
