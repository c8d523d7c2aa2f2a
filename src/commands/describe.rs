use super::Context;
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::describe as exec;
use crate::render;
use crate::report::DescribeReport;
use clap::Args;
use std::collections::BTreeSet;

/// Arguments of `describe`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind describe inventory\n  krewind describe inventory email -o json\n  krewind describe --all-groups -o csv"
)]
pub struct DescribeArgs {
    /// Groups to describe, by their exact names
    #[arg(value_name = "GROUP")]
    groups: Vec<String>,

    /// The same; as Kafka's own tools name it
    #[arg(long = "group", value_name = "GROUP")]
    named: Vec<String>,

    /// Every group of the cluster
    #[arg(long, conflicts_with_all = ["groups", "named"])]
    all_groups: bool,
}

/// Describes, prints, and tells by the exit code whether every row could be read.
pub fn run(context: &Context, args: DescribeArgs) -> Result<Exit> {
    let mut names: BTreeSet<String> = args.groups.into_iter().chain(args.named).collect();
    if names.iter().any(String::is_empty) {
        return Err(Error::usage("a group's name is empty").hint("name a group, or use `--all-groups`"));
    }
    if names.is_empty() && !args.all_groups {
        return Err(
            Error::usage("no group is named").hint("`krewind describe GROUP`, or `krewind describe --all-groups`")
        );
    }
    let client = context.client()?;
    let mut incomplete = Vec::new();
    if args.all_groups {
        let (all, faults) = exec::all_groups(client)?;
        names.extend(all);
        incomplete = faults;
    }
    let groups: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut report = exec::describe(client, &groups, || context.clock())?;
    for fault in &incomplete {
        report.warnings.push(crate::report::Warning {
            code: "incomplete".to_owned(),
            message: format!("a broker did not list its groups, so some may be missing: {fault}"),
            group: None,
            topic: None,
            partition: None,
        });
    }
    if let ([only], false) = (report.groups.as_slice(), args.all_groups)
        && let Some(error) = &only.error
    {
        return Err(alone(error, only.group.as_str()));
    }
    for warning in &report.warnings {
        context.ui.warn(&warning.message);
    }
    if args.all_groups && report.groups.is_empty() && incomplete.is_empty() {
        context.ui.status("the cluster has no consumer groups");
    }
    context.emit(&rendered(context, &report))?;
    Ok(if report.has_failures() || !incomplete.is_empty() { Exit::Failed } else { Exit::Done })
}

/// The one group that was asked for failed: there is no report, only its error.
fn alone(error: &crate::report::GroupError, group: &str) -> Error {
    let code = Code::named(&error.code).unwrap_or(Code::Internal);
    match code {
        Code::GroupNotFound => crate::exec::gather::group_not_found(group),
        _ => Error::new(code, error.message.clone()),
    }
}

fn rendered(context: &Context, report: &DescribeReport) -> String {
    match context.output {
        Output::Json => render::json(report),
        Output::Csv => render::describe::csv(report),
        Output::Table => render::describe::table(report, context.table_style(), false),
        Output::Wide => render::describe::table(report, context.table_style(), true),
    }
}
