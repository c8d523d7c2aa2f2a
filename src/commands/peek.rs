use super::Context;
use super::choice::incomplete_message;
use crate::cli::{GroupChoice, Output};
use crate::error::{Exit, Result};
use crate::exec::describe::{self, Request};
use crate::exec::{peek as exec, replay};
use crate::kafka::reader::Isolation;
use crate::model::TopicSelection;
use crate::render;
use clap::Args;
use std::time::Duration;

/// Arguments of `peek`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind peek inventory\n  krewind peek inventory --topic orders:0 --before 5 --after 5"
)]
pub struct PeekArgs {
    #[command(flatten)]
    choice: GroupChoice,

    /// Only this topic, or some of its partitions; repeatable
    #[arg(long, value_name = "TOPIC[:PARTITIONS]")]
    topic: Vec<TopicSelection>,

    /// How many records in front of the commit
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(0..=1000))]
    before: u16,

    /// How many records from the commit on
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(0..=1000))]
    after: u16,
}

/// The longest that the records are waited for.
const READING: Duration = Duration::from_secs(10);

/// Reads around each commit, and prints; it joins no group and commits nothing.
pub fn run(context: &Context, args: &PeekArgs) -> Result<Exit> {
    args.choice.check(context)?;
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("peek"));
    }
    let client = context.client()?;
    let chosen = args.choice.resolve(context, client)?;
    for missing in &chosen.incomplete {
        context.ui.warn(&incomplete_message(missing));
    }
    let topics = (!args.topic.is_empty()).then(|| super::merged(args.topic.clone()));
    let request = Request { groups: chosen.groups, topics, empty: chosen.empty };
    let groups = describe::describe(client, &request, || context.clock())?;
    if let ([only], true) = (groups.groups.as_slice(), chosen.only)
        && let Some(error) = &only.error
    {
        return Err(super::describe::alone(error));
    }
    for group in &groups.groups {
        if let Some(error) = &group.error {
            context.ui.warn(&format!("`{}`: {}", group.group, error.message));
        }
    }
    let reader = replay::reader(client, Isolation::ReadUncommitted, replay::BUFFER)?;
    let patience = READING.min(context.connect.timeout);
    let report = exec::peek(reader, &groups, usize::from(args.before), usize::from(args.after), patience)?;
    context.emit(&match context.output {
        Output::Json => render::json(&report),
        Output::Csv => render::peek::csv(&report),
        Output::Table | Output::Wide | Output::Markdown | Output::Prometheus | Output::Spark => {
            render::peek::table(&report, context.table_style())
        }
    })?;
    let failed = groups.has_failures() || !chosen.incomplete.is_empty();
    Ok(if failed { Exit::Failed } else { Exit::Done })
}
