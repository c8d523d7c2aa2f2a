use super::Context;
use super::saved::{Saved, read};
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::describe::{self, Request};
use crate::plan::diff::{Side, diff};
use crate::render;
use clap::Args;
use std::path::{Path, PathBuf};

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind describe inventory --save before.json\n  krewind diff before.json              # against the live group\n  krewind diff before.json after.json --exit-code"
)]
pub struct DiffArgs {
    /// A file that `describe --save` wrote, or the JSON report of a reset
    #[arg(value_name = "BEFORE")]
    before: PathBuf,

    /// The same; without it, the groups as they stand now
    #[arg(value_name = "AFTER")]
    after: Option<PathBuf>,

    /// Exit with 4 where a commit moved, came, went, or its topic was made anew
    #[arg(long)]
    exit_code: bool,

    /// Show what is the same, too
    #[arg(long)]
    all: bool,
}

/// Compares, prints, and tells by the exit code where that was asked for.
pub fn run(context: &Context, args: &DiffArgs) -> Result<Exit> {
    let saved = read(&args.before)?;
    let before = side(&saved, &args.before, true);
    let mut failed = false;
    let after = match &args.after {
        Some(path) => side(&read(path)?, path, false),
        None => {
            let client = context.client()?;
            let topics = before.topics.clone();
            let request = Request { groups: before.groups.iter().cloned().collect(), topics, ..Request::default() };
            let live = match describe::describe(client, &request, || context.clock()) {
                // A topic that is gone is a difference, not a failure: look at all that the groups have.
                Err(error) if error.code == Code::TopicNotFound => {
                    describe::describe(client, &Request { topics: None, ..request }, || context.clock())?
                }
                other => other?,
            };
            failed = live.has_failures();
            Side::of_describe(&live, "live")
        }
    };
    if before.cluster_id != after.cluster_id {
        return Err(Error::new(
            Code::BadFile,
            format!("the two sides come from different clusters: `{}` and `{}`", before.cluster_id, after.cluster_id),
        )
        .hint("offsets of different clusters can't be compared; `-b` names the cluster of the live side"));
    }
    let report = diff(&before, &after, args.all);
    super::describe::warnings(context, &report.warnings);
    context.emit(&match context.output {
        Output::Json => render::json(&report),
        Output::Csv => render::diff::csv(&report),
        Output::Prometheus | Output::Spark => return Err(context.no_such_form("diff")),
        Output::Table | Output::Wide | Output::Markdown => render::diff::table(&report, context.table_style()),
    })?;
    let changed = if args.exit_code && report.changed { Exit::ConditionHolds } else { Exit::Done };
    let failed = if failed || !report.warnings.is_empty() { Exit::Failed } else { Exit::Done };
    Ok(failed.worse(changed))
}

fn side(saved: &Saved, path: &Path, before: bool) -> Side {
    let source = path.display().to_string();
    match saved {
        Saved::Describe(report) => Side::of_describe(report, &source),
        Saved::Reset(report) => Side::of_reset(report, &source, before),
    }
}
