use super::Context;
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::apply::{self, WriteAnswer};
use crate::exec::reset::{self as exec, Look, Request, Scope};
use crate::journal::Journal;
use crate::kafka::{Client, Connection, ReadOnly};
use crate::model::{TopicPartition, TopicSelection};
use crate::offset::{NoRecord, OutOfRange, Policies, Target, time};
use crate::plan::guard;
use crate::plan::reset::{ResetSpec, SkipUnread};
use crate::render;
use crate::report::{
    GroupOutcome, JournalEntry, JournalGroup, JournalRow, JournalState, Refusal, ResetReport, ResetTotal, RowOutcome,
    UndoReference, VERSION,
};
use clap::{ArgGroup, Args, ValueEnum};

/// Arguments of `reset`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("name").required(true).args(["group", "named"]),
    group = ArgGroup::new("scope").required(true).args(["topic", "all_topics"]),
    group = ArgGroup::new("target").required(true).args(["to_earliest", "to_latest", "to_offset", "to_timestamp"]),
    after_help = "Examples:\n  krewind reset inventory --topic orders --to-timestamp 30m --dry-run\n  krewind reset inventory --all-topics --to-timestamp 2026-12-01T09:30:00Z\n  krewind reset inventory --topic orders:0,3-5 --to-earliest --yes"
)]
pub struct ResetArgs {
    /// The group to move, by its exact name
    #[arg(value_name = "GROUP")]
    group: Option<String>,

    /// The same; as Kafka's own tools name it
    #[arg(long = "group", value_name = "GROUP")]
    named: Option<String>,

    /// A topic, or some of its partitions: orders, orders:0,3-5; repeatable
    #[arg(long, value_name = "TOPIC[:PARTITIONS]", help_heading = "Scope")]
    topic: Vec<TopicSelection>,

    /// Every partition of every topic that the group has a commit on
    #[arg(long, help_heading = "Scope")]
    all_topics: bool,

    /// To the oldest record that is kept
    #[arg(long, help_heading = "Target")]
    to_earliest: bool,

    /// To the end: the next record is the first one
    #[arg(long, help_heading = "Target")]
    to_latest: bool,

    /// To this offset
    #[arg(long, value_name = "N", help_heading = "Target", value_parser = clap::value_parser!(i64).range(0..))]
    to_offset: Option<i64>,

    /// To the first record at or after this time: 2026-12-01T10:00:00Z, 14:05, 30m (ago), epoch seconds or milliseconds
    #[arg(long, visible_alias = "to-datetime", value_name = "TIME", help_heading = "Target")]
    to_timestamp: Option<String>,

    /// What to do with an offset outside the log
    #[arg(long, value_enum, default_value_t = OutOfRangePolicy::Fail, help_heading = "Policies")]
    out_of_range: OutOfRangePolicy,

    /// What to do where no record is at or after the time
    #[arg(long, value_enum, default_value_t = NoRecordPolicy::Latest, help_heading = "Policies")]
    no_record: NoRecordPolicy,

    /// Under --yes, what to do with partitions that would move forward past unread records
    #[arg(long, value_enum, help_heading = "Policies")]
    skip_unread: Option<SkipUnreadPolicy>,

    /// Make the group where it does not exist
    #[arg(long, help_heading = "Policies")]
    create_group: bool,

    /// Show the plan and write nothing, whatever else is given
    #[arg(long, help_heading = "Confirmation")]
    dry_run: bool,

    /// Write without asking
    #[arg(long, short = 'y', visible_alias = "execute", help_heading = "Confirmation")]
    yes: bool,
}

/// `--out-of-range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutOfRangePolicy {
    /// Refuse
    Fail,
    /// Take the nearest offset within the log
    Clamp,
}

/// `--no-record`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NoRecordPolicy {
    /// Stand at the end
    Latest,
    /// Leave the partition
    Skip,
    /// Refuse
    Fail,
}

/// `--skip-unread`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SkipUnreadPolicy {
    /// Move them
    Allow,
    /// Leave them where they are
    Keep,
}

impl ResetArgs {
    fn request(self, context: &Context) -> Result<Request> {
        let group = self.group.or(self.named).unwrap_or_default();
        if group.is_empty() {
            return Err(
                Error::usage("the group's name is empty").hint("`krewind describe --all-groups` shows the names")
            );
        }
        let target = match (self.to_earliest, self.to_latest, self.to_offset, self.to_timestamp) {
            (true, ..) => Target::Earliest,
            (_, true, ..) => Target::Latest,
            (_, _, Some(offset), _) => Target::Offset(offset),
            (_, _, _, text) => {
                let moment = time::parse(text.as_deref().unwrap_or_default(), context.now, &context.zone)?;
                if moment.is_after(context.now) {
                    return Err(Error::usage(format!(
                        "`{}` lies in the future: {}",
                        moment.text(),
                        moment.echo(context.now)
                    ))
                    .hint("`--to-latest` stands at the end, where the next record will be"));
                }
                Target::Timestamp(moment)
            }
        };
        let scope = if self.all_topics { Scope::AllTopics } else { Scope::Topics(super::merged(self.topic)) };
        let policies = Policies {
            out_of_range: match self.out_of_range {
                OutOfRangePolicy::Fail => OutOfRange::Fail,
                OutOfRangePolicy::Clamp => OutOfRange::Clamp,
            },
            no_record: match self.no_record {
                NoRecordPolicy::Latest => NoRecord::Latest,
                NoRecordPolicy::Skip => NoRecord::Skip,
                NoRecordPolicy::Fail => NoRecord::Fail,
            },
        };
        let skip_unread = match self.skip_unread {
            None => SkipUnread::Ask,
            Some(SkipUnreadPolicy::Allow) => SkipUnread::Allow,
            Some(SkipUnreadPolicy::Keep) => SkipUnread::Keep,
        };
        Ok(Request { group, scope, spec: ResetSpec { target, policies, skip_unread }, create_group: self.create_group })
    }
}

/// Plans, shows, asks, writes, reads back, reports.
pub fn run(context: &Context, args: ResetArgs) -> Result<Exit> {
    let (dry_run, unattended) = (args.dry_run, args.yes);
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("reset"));
    }
    let request = args.request(context)?;
    if context.connect.read_only && !dry_run {
        return Err(Error::new(
            Code::ReadOnly,
            format!("this run is read-only, so group `{}` is left as it is", request.group),
        )
        .hint("`--dry-run` shows the plan; without `--read-only` (or `KREWIND_READ_ONLY`) it can be applied"));
    }
    if let Target::Timestamp(moment) = &request.spec.target {
        context.ui.status(&format!("to the first record at or after {}", moment.echo(context.now)));
    }
    let connection = context.connection()?;
    let connect =
        || Client::connect(connection.clone()).map(|client| -> &'static Client { Box::leak(Box::new(client)) });
    let client = connect()?;
    let reading = ReadOnly(client);

    let first = exec::look(&reading, &request)?;
    let mut report = exec::report(&reading, &request, &first, context.clock())?;
    let refusal = guard::refusal(&first.description, &request.spec, &first.planned, &first.pending, unattended);
    for warning in &report.warnings {
        context.ui.warn(&warning.message);
    }
    if dry_run {
        report.groups[0].would_refuse = refusal;
        context.emit(&rendered(context, &report))?;
        return Ok(Exit::Done);
    }
    if let Some(refusal) = refusal {
        return refuse(context, report, refusal, false);
    }
    if report.outcome == GroupOutcome::NothingToDo {
        if report.groups[0].rows.is_empty() {
            context.ui.warn(&format!("group `{}` has no commits, so `--all-topics` names nothing", request.group));
        }
        context.emit(&rendered(context, &report))?;
        return Ok(Exit::Done);
    }
    if !unattended && !context.ui.can_ask() {
        let message = "nobody can be asked here: standard input or standard error is no terminal".to_owned();
        return refuse(context, report, guard::refused(Code::NoTerminal, message), false);
    }
    let journal = Journal::open()?;
    let cluster = format!("{} ({})", connection.properties.bootstrap_servers(), client.id());
    context.ui.show(&render::reset::plan(&report, context.stderr_table_style(), &cluster));
    if !unattended && let Some(refusal) = ask(context, &report, &request.group)? {
        return refuse(context, report, refusal, true);
    }
    let second = || {
        if unattended {
            return Ok((client, exec::look_again(&reading, &request, &first)?));
        }
        // A new client: the question may have stood for long, and librdkafka keeps to the coordinator and the controller that it
        // knew, gone or not.
        let client = connect()?;
        let second = match guard::other_cluster(&report.cluster_id, client.id()) {
            Some(refusal) => Err(refusal),
            None => exec::look_again(&ReadOnly(client), &request, &first)?,
        };
        Ok((client, second))
    };
    let (client, second) = second().map_err(nothing_written)?;
    match second {
        Err(refusal) => refuse(context, report, refusal, true),
        Ok(second) => {
            // From here on Ctrl-C waits for the report.
            context.interrupt.hold();
            if context.interrupt.came() {
                return Err(Error::new(Code::Interrupted, "interrupted; nothing was written"));
            }
            write(context, client, &connection, &journal, &second, &mut report)
        }
    }
}

/// The error of a step right before the write.
fn nothing_written(mut error: Error) -> Error {
    error.message.push_str("; nothing was written");
    error
}

/// Asks for the group's name; a refusal where something else is typed.
fn ask(context: &Context, report: &ResetReport, group: &str) -> Result<Option<Refusal>> {
    let skips = report.total.skips;
    if skips > 0 {
        context.ui.warn(&format!("{skips} offsets that `{group}` has not read would never be delivered"));
    }
    let question = format!("type {group} to apply");
    if context.ui.confirm_by_typing(&question, group)? {
        return Ok(None);
    }
    Ok(Some(guard::refused(Code::Declined, format!("the name of group `{group}` was not typed"))))
}

/// Reports a refusal: nothing was written. A person who has just seen the plan on the same terminal is not shown it again.
fn refuse(context: &Context, mut report: ResetReport, refusal: Refusal, plan_was_shown: bool) -> Result<Exit> {
    let code = Code::named(&refusal.code).unwrap_or(Code::Internal);
    let error = guard::hints(&refusal)
        .into_iter()
        .fold(Error::new(code, format!("{}; nothing was written", refusal.message)), Error::hint);
    report.outcome = GroupOutcome::Refused;
    let members: Vec<String> = refusal.members.iter().map(guard::member_line).collect();
    if let Some(group) = report.groups.first_mut() {
        group.outcome = GroupOutcome::Refused;
        group.refusal = Some(refusal);
    }
    if !(plan_was_shown && context.ui.stdout_is_terminal() && context.output == Output::Table) {
        context.emit(&rendered(context, &report))?;
    }
    context.ui.error_with_details(&error, &members);
    Ok(error.exit)
}

/// Journal, write, read back, journal, report.
fn write(
    context: &Context,
    client: &Client,
    connection: &Connection,
    journal: &Journal,
    second: &Look,
    report: &mut ResetReport,
) -> Result<Exit> {
    let id = journal.new_id(context.clock()).map_err(nothing_written)?;
    let mut entry = entry(context, connection, &id, second, report);
    let path = journal.save(&entry).map_err(nothing_written)?;
    report.groups[0].undo = Some(UndoReference { id, journal: path.display().to_string() });
    let group = &mut report.groups[0];
    let rows = apply::rows_to_write(group);
    let answer = apply::write(connection, &report.cluster_id, &group.group, rows);
    if let WriteAnswer::Silent(why) = &answer {
        context.ui.warn(&format!("{why}; reading back what stands"));
    }
    apply::read_back(client, group, &answer);
    report.applied_at = Some(context.clock());
    report.outcome = group.outcome;
    report.total = ResetTotal::of(&group.rows);

    entry.state = JournalState::Ended;
    entry.ended_at = report.applied_at;
    for journalled in &mut entry.groups {
        journalled.outcome = Some(group.outcome);
        for row in &mut journalled.rows {
            let written = group.rows.iter().find(|other| other.topic == row.topic && other.partition == row.partition);
            row.outcome = written.and_then(|written| written.outcome);
            row.read_back = written.and_then(|written| written.read_back);
        }
    }
    if let Err(error) = journal.save(&entry) {
        context.ui.warn(&format!("the write was made, yet its outcome could not be added to the journal: {error}"));
    }
    context.emit(&rendered(context, report))?;
    tell_failures(context, report);
    let exit = if report.outcome == GroupOutcome::Applied { Exit::Done } else { Exit::Failed };
    Ok(if context.interrupt.came() { exit.worse(Exit::Interrupted) } else { exit })
}

/// Rows that did not end as planned, also on standard error: a script that keeps the report alone must not hide them.
fn tell_failures(context: &Context, report: &ResetReport) {
    for group in &report.groups {
        for row in &group.rows {
            let Some(outcome) = row.outcome.filter(|outcome| *outcome != RowOutcome::Applied) else { continue };
            let what = row.error.clone().unwrap_or_else(|| {
                let stands = row.read_back.map_or_else(|| "no commit".to_owned(), |offset| offset.to_string());
                format!("reads back {stands}")
            });
            context.ui.warn(&format!(
                "{}-{} of `{}` {}: {what}",
                row.topic,
                row.partition,
                group.group,
                outcome.as_str()
            ));
        }
    }
}

/// What is about to be replaced, as the second look saw it.
fn entry(context: &Context, connection: &Connection, id: &str, second: &Look, report: &ResetReport) -> JournalEntry {
    let groups = report
        .groups
        .iter()
        .map(|group| JournalGroup {
            group: group.group.clone(),
            outcome: None,
            rows: apply::rows_to_write(group)
                .into_iter()
                .map(|row| {
                    let before = second.commits.get(&TopicPartition::new(row.topic.as_str(), row.partition));
                    let planned = group
                        .rows
                        .iter()
                        .find(|planned| planned.topic == row.topic && planned.partition == row.partition);
                    JournalRow {
                        topic: row.topic,
                        topic_id: planned.and_then(|planned| planned.topic_id.clone()),
                        partition: row.partition,
                        previous_offset: before.map(|commit| commit.offset),
                        previous_metadata: before.map(|commit| commit.metadata.clone()),
                        previous_leader_epoch: before.and_then(|commit| commit.leader_epoch),
                        new_offset: row.offset,
                        outcome: None,
                        read_back: None,
                    }
                })
                .collect(),
        })
        .collect();
    JournalEntry {
        kind: "journal".to_owned(),
        version: VERSION,
        id: id.to_owned(),
        state: JournalState::Begun,
        begun_at: context.clock(),
        ended_at: None,
        user: std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok(),
        command: context.command_line.clone(),
        cluster_id: report.cluster_id.clone(),
        bootstrap_servers: connection.properties.bootstrap_servers().to_owned(),
        groups,
    }
}

fn rendered(context: &Context, report: &ResetReport) -> String {
    match context.output {
        Output::Json => render::json(report),
        Output::Csv => render::reset::csv(report),
        // Refused before anything else: see `run`.
        Output::Prometheus => String::new(),
        Output::Table | Output::Markdown => render::reset::table(report, context.table_style(), false),
        Output::Wide => render::reset::table(report, context.table_style(), true),
    }
}
