use super::Context;
use super::choice::{incomplete, incomplete_message};
use super::describe::LIMITED;
use crate::cli::Output;
use crate::error::{Exit, Result};
use crate::exec::describe::{self, Request};
use crate::exec::gather;
use crate::exec::list::all_groups;
use crate::kafka::{Cluster, ListedGroup};
use crate::model::{GroupState, GroupType};
use crate::render;
use crate::report::{GroupError, GroupReport, ListReport, ListRow, VERSION};
use clap::Args;
use std::collections::{BTreeSet, HashMap};

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  krewind list\n  krewind list --matching 'billing-*' --lag\n  krewind list --lagging -o json"
)]
pub struct ListArgs {
    /// Groups whose name matches, `*` and `?` as in a shell; repeatable
    #[arg(long, value_name = "GLOB", value_parser = glob::Pattern::new)]
    matching: Vec<glob::Pattern>,

    /// Members, topics and lag too
    #[arg(long)]
    lag: bool,

    /// Only groups that have something left to read, or of which that is not known
    #[arg(long)]
    lagging: bool,

    /// Only groups in this state, as Kafka writes it; repeatable
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Vec<GroupState>,

    /// Only groups of this type; repeatable
    #[arg(long = "type", value_name = "TYPE", value_parser = group_type)]
    group_type: Vec<GroupType>,
}

const STATES: [GroupState; 6] = [
    GroupState::Stable,
    GroupState::Empty,
    GroupState::PreparingRebalance,
    GroupState::CompletingRebalance,
    GroupState::Dead,
    GroupState::Unknown,
];

const TYPES: [GroupType; 4] = [GroupType::Classic, GroupType::Consumer, GroupType::Unmanaged, GroupType::Unknown];

fn state(text: &str) -> Result<GroupState, String> {
    let wanted = text.replace(['-', '_'], "");
    STATES
        .into_iter()
        .find(|state| state.as_str().eq_ignore_ascii_case(&wanted))
        .ok_or_else(|| format!("a state is one of {}", STATES.map(|state| state.as_str()).join(", ")))
}

fn group_type(text: &str) -> Result<GroupType, String> {
    TYPES
        .into_iter()
        .find(|kind| kind.as_str().eq_ignore_ascii_case(text))
        .ok_or_else(|| format!("a type is one of {}", TYPES.map(|kind| kind.as_str()).join(", ")))
}

/// Lists, and tells by the exit code whether every broker answered.
pub fn run(context: &Context, args: &ListArgs) -> Result<Exit> {
    let wide = context.output == Output::Wide;
    let lag = args.lag || args.lagging || wide;
    let client = context.client()?;
    let all =
        all_groups(client, |name| args.matching.is_empty() || args.matching.iter().any(|glob| glob.matches(name)))?;
    let incomplete = incomplete(&all);
    let listed: Vec<ListedGroup> = all
        .groups
        .into_iter()
        .filter(|group| args.state.is_empty() || args.state.contains(&group.state))
        .filter(|group| args.group_type.is_empty() || args.group_type.contains(&group.group_type))
        .collect();
    let mut captured_at = context.clock();
    let mut rows: Vec<ListRow> = listed.iter().map(row).collect();
    if lag {
        let request = Request {
            groups: listed.iter().map(|group| group.group.clone()).collect(),
            topics: None,
            empty: listed
                .iter()
                .filter(|group| group.state == GroupState::Empty)
                .map(|group| (group.group.clone(), group.clone()))
                .collect(),
        };
        let report = describe::describe(client, &request, || context.clock())?;
        captured_at = report.captured_at;
        let described: HashMap<&str, &GroupReport> =
            report.groups.iter().map(|group| (group.group.as_str(), group)).collect();
        for row in &mut rows {
            if let Some(group) = described.get(row.group.as_str()) {
                add_lag(row, group);
            }
        }
    }
    if args.lagging {
        rows.retain(|row| {
            row.error.is_some() || row.lag.is_none_or(|lag| lag > 0) || row.unknown.is_some_and(|unknown| unknown > 0)
        });
    }
    let report = ListReport {
        kind: "list".to_owned(),
        version: VERSION,
        cluster_id: client.cluster_id()?,
        captured_at,
        groups: rows,
        incomplete,
        warnings: Vec::new(),
        visibility: gather::visibility(client),
    };
    if report.visibility.is_some() {
        context.ui.status(LIMITED);
    }
    for missing in &report.incomplete {
        context.ui.warn(&incomplete_message(missing));
    }
    context.emit(&match context.output {
        Output::Json => render::json(&report),
        Output::Csv => render::list::csv(&report),
        Output::Prometheus | Output::Spark => render::prometheus::list(&report),
        Output::Table | Output::Wide | Output::Markdown => render::list::table(&report, context.table_style(), lag),
    })?;
    let failed = report.groups.iter().any(|row| row.error.is_some());
    Ok(if failed || !report.incomplete.is_empty() { Exit::Failed } else { Exit::Done })
}

fn row(listed: &ListedGroup) -> ListRow {
    ListRow {
        group: listed.group.clone(),
        group_type: listed.group_type,
        state: listed.state,
        members: None,
        topics: None,
        lag: None,
        unknown: None,
        error: None,
    }
}

fn add_lag(row: &mut ListRow, group: &GroupReport) {
    row.error = group.error.clone();
    if group.error.is_some() {
        return;
    }
    row.group_type = group.group_type;
    row.state = group.state;
    // Whether such a group has members can't be seen from here.
    row.members = (group.group_type != GroupType::Unmanaged).then_some(group.members.len());
    let topics: BTreeSet<&str> = group.partitions.iter().map(|row| row.topic.as_str()).collect();
    row.topics = Some(topics.into_iter().map(str::to_owned).collect());
    row.lag = group.total.lag;
    row.unknown = Some(group.total.unknown);
    let failed = group.partitions.iter().filter(|row| row.status.is_failure());
    if let Some(first) = failed.clone().next() {
        row.error = Some(GroupError {
            code: first.status.as_str().to_owned(),
            message: format!("{} partitions could not be read; `describe` tells which", failed.count()),
            hints: Vec::new(),
        });
    }
}
