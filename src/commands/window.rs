use super::Context;
use super::windows::WindowArgs;
use crate::cli::Output;
use crate::error::{Exit, Result};
use crate::exec::window as exec;
use crate::render;
use clap::Args;

/// Arguments of `window`.
#[derive(Debug, Args)]
#[command(
    after_help = "No record is read. `--window-file` of `krewind replay` takes what `-o csv` prints; `-o spark` prints the options of Spark's Kafka source.\n\n\
Examples:\n  krewind window orders --from 2h\n  krewind window orders payments --from 2026-12-01 --to 2026-12-02 -o spark > window.json\n  \
krewind window --from-group inventory -o csv > window.csv"
)]
pub struct ResolveArgs {
    #[command(flatten)]
    window: WindowArgs,
}

/// Resolves the windows, and prints them.
pub fn run(context: &Context, args: &ResolveArgs) -> Result<Exit> {
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("window"));
    }
    let windows = args.window.windows(context, "window")?;
    windows.echo(context);
    let report = exec::report(context.client()?, &windows.topics, &windows.spec, || context.clock())?;
    for warning in &report.warnings {
        context.ui.warn(&warning.message);
    }
    context.emit(&match context.output {
        Output::Json => render::json(&report),
        Output::Csv => render::window::csv(&report),
        Output::Spark => render::spark::offsets(&report),
        Output::Table | Output::Markdown | Output::Prometheus => {
            render::window::table(&report, context.table_style(), false)
        }
        Output::Wide => render::window::table(&report, context.table_style(), true),
    })?;
    Ok(Exit::Done)
}
