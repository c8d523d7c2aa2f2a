//! `krewind delete`: a group goes. `krewind delete-offsets`: commits of a group go.

use super::reset::read_only;
use super::writing::{Agreement, GroupWork, Writing, connect};
use super::{Context, choice, merged};
use crate::cli::Output;
use crate::error::{Error, Exit, Result};
use crate::exec::removal::{self as exec, Look, Request, Scope};
use crate::exec::reset::together;
use crate::kafka::ReadOnly;
use crate::model::TopicSelection;
use crate::plan::guard;
use crate::report::ResetReport;
use clap::Args;
use std::collections::BTreeSet;

/// Which groups.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct Names {
    /// The group, by its exact name
    #[arg(value_name = "GROUP")]
    group: Option<String>,

    /// The same, as Kafka's own tools name it; repeatable
    #[arg(long = "group", value_name = "GROUP")]
    named: Vec<String>,

    /// The groups whose name matches: *, ? and [a-z]; repeatable
    #[arg(long, value_name = "GLOB")]
    matching: Vec<glob::Pattern>,
}

/// Arguments of `delete`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind delete inventory --dry-run\n  krewind delete inventory\n  krewind delete --matching 'test-*'"
)]
pub struct DeleteArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    names: Names,

    #[command(flatten)]
    #[allow(missing_docs)]
    agreement: Agreement,
}

/// Arguments of `delete-offsets`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind delete-offsets inventory --topic orders --dry-run\n  krewind delete-offsets inventory --topic orders:0,3-5 --topic returns"
)]
pub struct DeleteOffsetsArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    names: Names,

    /// A topic, or some of its partitions: orders, orders:0,3-5; repeatable
    #[arg(long, value_name = "TOPIC[:PARTITIONS]", required = true, help_heading = "Scope")]
    topic: Vec<TopicSelection>,

    #[command(flatten)]
    #[allow(missing_docs)]
    agreement: Agreement,
}

/// Deletes groups.
pub fn run(context: &Context, args: DeleteArgs) -> Result<Exit> {
    remove(context, "delete", &args.names, &Scope::Group, &args.agreement)
}

/// Removes commits.
pub fn run_offsets(context: &Context, args: DeleteOffsetsArgs) -> Result<Exit> {
    remove(context, "delete-offsets", &args.names, &Scope::Topics(merged(args.topic)), &args.agreement)
}

/// Plans, shows, asks, writes, reads back, reports.
fn remove(context: &Context, command: &str, names: &Names, scope: &Scope, agreement: &Agreement) -> Result<Exit> {
    if context.output == Output::Prometheus {
        return Err(context.no_such_form(command));
    }
    let mut groups: BTreeSet<String> = names.group.iter().chain(&names.named).cloned().collect();
    if groups.contains("") {
        return Err(Error::usage("the group's name is empty").hint("`krewind list` shows the names"));
    }
    if context.connect.read_only && !agreement.dry_run {
        return Err(read_only(context, &groups.into_iter().collect::<Vec<_>>()));
    }
    let connection = context.connection()?;
    let client = connect(&connection)?;
    let reading = ReadOnly(client);
    if !names.matching.is_empty() {
        groups.extend(choice::all_matching(client, &names.matching)?);
    }
    let mut looks: Vec<(Request, Look)> = Vec::with_capacity(groups.len());
    let mut reports: Vec<ResetReport> = Vec::with_capacity(groups.len());
    for group in groups {
        let request = Request { group, scope: scope.clone(), journalled: !agreement.no_journal };
        let look = exec::look(&reading, &request)?;
        reports.push(exec::report(&reading, &request, &look, context.clock())?);
        looks.push((request, look));
    }
    let report = together(reports)
        .ok_or_else(|| Error::usage("no group's name matches").hint("`krewind list` shows the names"))?;
    let works = looks
        .into_iter()
        .map(|(request, first)| GroupWork {
            refusal: guard::removal(&first.description, &first.pending),
            deletes_group: request.scope == Scope::Group,
            look_again: Box::new(move |cluster| exec::look_again(cluster, &request, &first)),
        })
        .collect();
    Writing { context, connection: &connection, client, agreement, report, works, undoes: None }.run()
}
