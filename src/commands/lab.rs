//! The lab: on the screen, as a report, or on a real cluster.

mod live;

use super::Context;
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::lab::model::{CommitMode, LARGEST_BATCH, Settings};
use crate::lab::scenario::{SCENARIOS, Scenario};
use crate::lab::script::{self, Action};
use crate::lab::sink::SinkMode;
use crate::lab::walk::{Alone, walk};
use crate::render;
use crate::report::LabReport;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

/// Arguments of `lab`.
#[derive(Debug, Args)]
#[command(
    after_help = "On a terminal the lab fills the screen, and its keys are shown there. `--scenario` with `-o table` prints a lesson instead, `--script` any course of events.\n\n\
Actions of a script, with `;` between them: step [N], process N|all, commit, crash, restart, stop, rewind earliest|latest|OFFSET|HH:MM, produce N, retention N, auto, manual, append, upsert, batch N. The twelve events of the log are of 10:00 to 10:11, one each minute.\n\n\
Examples:\n  krewind lab\n  krewind lab --scenario auto-commit-loss\n  krewind lab --script 'process 3; crash; restart; rewind earliest; process all' -o table\n  \
krewind lab --live --scenario rewind-rebuild -b localhost:9092"
)]
pub struct LabArgs {
    /// Walk through one of the lessons
    #[arg(long, value_name = "NAME", value_parser = scenarios())]
    scenario: Option<String>,

    /// Do these actions, and print what happened
    #[arg(long, value_name = "ACTIONS", conflicts_with = "scenario")]
    script: Option<String>,

    /// Who commits: the client's timer before the work is done, or the consumer after it [default: auto]
    #[arg(long, value_enum, value_name = "WHO", conflicts_with = "scenario")]
    commit: Option<CommitArg>,

    /// What the sink does with an order that it has: add a row, or replace the one there is [default: append]
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "scenario")]
    sink: Option<SinkArg>,

    /// Events of one poll, at most [default: 4]
    #[arg(long, value_name = "EVENTS", value_parser = clap::value_parser!(u32).range(1..=i64::from(LARGEST_BATCH)), conflicts_with = "scenario")]
    batch: Option<u32>,

    /// The scenario on a real cluster, named by -b on the command line: a topic, a group and a file of fresh names, deleted afterwards
    #[arg(long, requires = "scenario")]
    live: bool,

    /// Show what a live run would make, and make nothing, whatever else is given
    #[arg(long, requires = "live")]
    dry_run: bool,

    /// Begin a live run without asking
    #[arg(long, short = 'y', requires = "live")]
    yes: bool,
}

/// Who commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CommitArg {
    /// The client's timer, before the work is done
    Auto,
    /// The consumer, after it
    Manual,
}

/// What the sink does with an order that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SinkArg {
    /// Add a row
    Append,
    /// Replace the row
    Upsert,
}

fn scenarios() -> PossibleValuesParser {
    PossibleValuesParser::new(SCENARIOS.iter().map(|scenario| PossibleValue::new(scenario.name).help(scenario.title)))
}

impl LabArgs {
    fn settings(&self) -> Settings {
        let default = Settings::default();
        Settings {
            commit: match self.commit {
                Some(CommitArg::Auto) => CommitMode::Auto,
                Some(CommitArg::Manual) => CommitMode::Manual,
                None => default.commit,
            },
            sink: match self.sink {
                Some(SinkArg::Append) => SinkMode::Append,
                Some(SinkArg::Upsert) => SinkMode::Upsert,
                None => default.sink,
            },
            batch: self.batch.unwrap_or(default.batch),
        }
    }
}

/// Opens the lab, or prints a run of it.
pub fn run(context: &Context, args: &LabArgs) -> Result<Exit> {
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("lab"));
    }
    let scenario = args.scenario.as_deref().and_then(Scenario::named);
    let settings = scenario.map_or_else(|| args.settings(), |scenario| scenario.settings);
    if args.live {
        let scenario = scenario.ok_or_else(|| Error::usage("`--live` needs `--scenario`"))?;
        return live::run(context, args, scenario);
    }
    let actions: Option<Vec<Action>> = match (&args.script, scenario) {
        (Some(text), _) => Some(script::parse(text)?),
        (None, Some(scenario)) if context.output_is_chosen || !context.has_screen() => Some(scenario.actions()?),
        (None, _) => None,
    };
    let Some(actions) = actions else { return on_screen(context, settings, scenario) };
    let report = walk(settings, &actions, scenario, &mut Alone)?;
    print(context, &report)?;
    Ok(Exit::Done)
}

fn on_screen(context: &Context, settings: Settings, scenario: Option<&'static Scenario>) -> Result<Exit> {
    if context.output_is_chosen || !context.has_screen() {
        let names: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
        let why =
            if context.has_screen() { "`-o` prints a run, and none was asked for" } else { "the lab needs a terminal" };
        let code = if context.has_screen() { Code::Usage } else { Code::NoTerminal };
        return Err(Error::new(code, why).hint(format!(
            "`--script 'process 3; crash; restart'` or `--scenario NAME` prints a run: {}",
            names.join(", ")
        )));
    }
    context.interrupt.stop_work();
    crate::lab::tui::run(settings, scenario, context.ui.colors_stdout(), context.interrupt.flag())
}

/// Prints the report in the form that was asked for.
fn print(context: &Context, report: &LabReport) -> Result<()> {
    context.emit(&match context.output {
        Output::Json => render::json(report),
        Output::Csv => render::lab::csv(report),
        Output::Wide => render::lab::table(report, context.table_style(), true),
        Output::Table | Output::Markdown | Output::Prometheus | Output::Spark => {
            render::lab::table(report, context.table_style(), false)
        }
    })
}
