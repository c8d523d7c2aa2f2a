//! A scenario on a real cluster: what is made is shown first and deleted afterwards.

use super::{LabArgs, print};
use crate::commands::Context;
use crate::commands::settings::Source;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::describe::{self, Request};
use crate::kafka::scratch::ScratchTopic;
use crate::kafka::{Client, Cluster, OffsetSpec};
use crate::lab::live::{Live, Means, Names, Seen};
use crate::lab::scenario::Scenario;
use crate::lab::walk::walk;
use crate::model::{PartitionSet, Timestamp, TopicPartition, visible};
use crate::report::Warning;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// What a person types to agree.
const WORDS: &str = "lab";

const DAY_MS: i64 = 86_400_000;

/// The events are of 10:00 and later; half past ten must be over on their day.
const LAST_MS: i64 = 10 * 3_600_000 + 30 * 60_000;

/// Shows what would be made, asks, runs the scenario, and deletes what it made.
pub fn run(context: &Context, args: &LabArgs, scenario: &'static Scenario) -> Result<Exit> {
    if context.settings.bootstrap_servers != Source::Flag {
        return Err(Error::usage("`--live` makes a topic, so the cluster must be named on this command line")
            .hint("`-b HOST:PORT`; the environment and profiles do not count here"));
    }
    if context.connect.read_only && !args.dry_run {
        return Err(Error::new(Code::ReadOnly, "this run is read-only, so the lab makes nothing on the cluster")
            .hint(context.settings.read_only_hint()));
    }
    let client = context.client()?;
    // The same fresh name for all three. RandomState is seeded by the system's randomness.
    let name = format!("krewind-lab-{:016x}", RandomState::new().build_hasher().finish());
    let database = std::env::temp_dir().join(&name).join("orders.sqlite");
    let names = Names { topic: name.clone(), group: name.clone(), database };
    refuse_known(client, &names)?;

    let plan = plan(context, client, &names, scenario);
    if !args.yes || args.dry_run || !context.ui.is_quiet() {
        context.ui.show(&plan);
    }
    if args.dry_run {
        context.ui.status("dry run: nothing was made");
        return Ok(Exit::Done);
    }
    if !args.yes {
        agree(context)?;
    }

    context.interrupt.stop_work_also_on_hangup(
        "interrupted: what was made is deleted in some seconds; Ctrl-C again would leave it behind",
    );
    // Not before: until here a signal ends the process at once, and would leave it behind.
    let directory = tempfile::Builder::new()
        .prefix(&name)
        .rand_bytes(0)
        .tempdir()
        .map_err(|error| Error::new(Code::Io, "no directory for the lab's file could be made").caused_by(error))?;
    let now = context.clock().as_millis();
    let mut live = Live::begin(Means {
        client,
        names,
        settings: scenario.settings,
        midnight_ms: (now - LAST_MS).div_euclid(DAY_MS) * DAY_MS,
        look: Box::new(move |names| look(context, client, names)),
        stop: context.interrupt.flag(),
        tell: Box::new(|text| context.ui.status(text)),
    })?;
    let walked = walk(scenario.settings, &scenario.actions()?, Some(scenario), &mut live);
    let left = live.clean_up();
    drop(live);
    drop(directory);
    let mut report = walked.map_err(|error| left.iter().fold(error, Error::hint))?;
    report.warnings.extend(left.into_iter().map(|message| Warning {
        code: "left-behind".to_owned(),
        message,
        group: None,
        topic: None,
        partition: None,
    }));
    for warning in &report.warnings {
        context.ui.warn(&warning.message);
    }
    print(context, &report)?;
    Ok(if report.warnings.is_empty() { Exit::Done } else { Exit::Failed })
}

/// The names are random; one that is taken all the same is left alone.
fn refuse_known(client: &Client, names: &Names) -> Result<()> {
    if ScratchTopic::exists(client, &names.topic)? || client.group_names().names.contains(&names.group) {
        return Err(Error::new(Code::TargetExists, format!("`{}` exists already", names.topic)).hint("try again"));
    }
    Ok(())
}

fn plan(context: &Context, client: &Client, names: &Names, scenario: &Scenario) -> String {
    let servers = client.connection().properties.bootstrap_servers();
    format!(
        "cluster: {}\nlesson:  {}: {}\nmakes:   topic `{}` (1 partition, 12 events), a group of the same name, file `{}`\n\
does:    starts consumers that join the group, kills one where the lesson says crash, moves the group's committed offset, deletes\n         \
records of this topic; nothing else of the cluster is touched\nafter:   topic, group and file are deleted, also after Ctrl-C\n",
        visible(&context.settings.heading(servers, client.id())),
        scenario.name,
        scenario.title,
        visible(&names.topic),
        visible(&names.database.to_string_lossy()),
    )
}

fn agree(context: &Context) -> Result<()> {
    if !context.ui.can_ask() {
        return Err(Error::new(
            Code::NoTerminal,
            "nobody can be asked here: standard input or standard error is no terminal; nothing was written",
        )
        .hint("`--yes` answers for scripts, `--dry-run` shows the plan alone"));
    }
    if context.ui.confirm_by_typing(&format!("type {WORDS} to begin"), WORDS)? {
        return Ok(());
    }
    Err(Error::new(Code::Declined, format!("`{WORDS}` was not typed; nothing was written")))
}

/// The group as `krewind describe` sees it.
fn look(context: &Context, client: &Client, names: &Names) -> Result<Seen> {
    let request = Request {
        topics: Some(BTreeMap::from([(names.topic.clone(), PartitionSet::All)])),
        ..Request::of(&[&names.group])
    };
    let clock = || -> Timestamp { context.clock() };
    let report = describe::describe(client, &request, clock)?;
    let incomplete = || Error::new(Code::Internal, "describing the lab's group brought no partition");
    let group = report.groups.into_iter().next().ok_or_else(incomplete)?;
    match group.error {
        // Without a member and a commit there is no group.
        Some(error) if error.code == Code::GroupNotFound.as_str() => without_group(client, names),
        Some(error) => Err(Error::new(Code::named(&error.code).unwrap_or(Code::Internal), error.message)),
        None => {
            let row = group.partitions.into_iter().next().ok_or_else(incomplete)?;
            let (Some(log_start), Some(log_end)) = (row.log_start_offset, row.log_end_offset) else {
                let reason = row.reason.unwrap_or_else(|| row.status.as_str().to_owned());
                return Err(Error::new(Code::Internal, format!("the lab's topic could not be looked at: {reason}")));
            };
            Ok(Seen { committed: row.current_offset, log_start, log_end, lag: row.lag, members: group.members.len() })
        }
    }
}

fn without_group(client: &Client, names: &Names) -> Result<Seen> {
    let partition = TopicPartition::new(names.topic.clone(), 0);
    let asked = [(partition.clone(), OffsetSpec::Earliest), (partition, OffsetSpec::Latest)];
    let mut found = client.list_offsets(&asked).into_iter().map(|answer| {
        answer
            .map_err(|fault| fault.into_error("asking where the lab's log begins and ends"))?
            .map(|found| found.offset)
            .ok_or_else(|| Error::new(Code::Internal, "no broker answered for the lab's topic"))
    });
    let mut next = || found.next().unwrap_or_else(|| Err(Error::new(Code::Internal, "no broker answered")));
    Ok(Seen { committed: None, log_start: next()?, log_end: next()?, lag: None, members: 0 })
}
