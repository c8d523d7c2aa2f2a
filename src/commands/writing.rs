//! What every write does after its plan is made: show, ask, look again, journal, write, read back, report.

mod journalled;
mod plan_file;

use super::Context;
use crate::cli::Output;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::apply::{self, RowAnswer};
use crate::journal::Journal;
use crate::kafka::{Client, Cluster, Connection, ReadOnly};
use crate::model::TopicPartition;
use crate::plan::guard::{self, Commits};
use crate::render;
use crate::report::{Action, GroupOutcome, Refusal, ResetReport, ResetTotal, RowOutcome, UndoReference};
use clap::Args;

/// How a write is agreed to.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Confirmation")]
pub struct Agreement {
    /// Show the plan and write nothing, whatever else is given
    #[arg(long)]
    pub dry_run: bool,

    /// Write without asking
    #[arg(long, short = 'y', visible_alias = "execute")]
    pub yes: bool,

    /// What a person would type, beside --yes: GROUP, or how many groups; with a profile PROFILE/GROUP. Protected groups need it
    #[arg(long, value_name = "WORDS", requires = "yes")]
    pub confirm: Option<String>,

    /// With several groups: go on to the next one after a failure or refusal
    #[arg(long)]
    pub keep_going: bool,

    /// Write though what is replaced can't be kept for `undo`
    #[arg(long)]
    pub no_journal: bool,
}

/// Looks at a group once more right before its write: the commits that stand, or why it is not written.
pub type LookAgain<'a> = Box<dyn Fn(&dyn Cluster) -> Result<Result<Commits, Refusal>> + 'a>;

/// What a write needs to know of one group beside its plan.
pub struct GroupWork<'a> {
    /// What keeps it from being written, as far as the plan tells.
    pub refusal: Option<Refusal>,
    /// The second look.
    pub look_again: LookAgain<'a>,
    /// Whether the whole group is deleted.
    pub deletes_group: bool,
}

/// A plan on its way to the brokers. The works stand beside the report's groups.
pub struct Writing<'a> {
    /// The run.
    pub context: &'a Context,
    /// How the cluster is reached.
    pub connection: &'a Connection,
    /// A client of it.
    pub client: &'static Client,
    /// How it is agreed to.
    pub agreement: &'a Agreement,
    /// The plan, and the report in the end.
    pub report: ResetReport,
    /// What else is known of each group.
    pub works: Vec<GroupWork<'a>>,
    /// The write that this one takes back.
    pub undoes: Option<String>,
}

/// Makes a client that lives as long as the process: nothing waits for its end.
pub fn connect(connection: &Connection) -> Result<&'static Client> {
    Client::connect(connection.clone()).map(|client| -> &'static Client { Box::leak(Box::new(client)) })
}

/// The error of a step right before the write.
fn nothing_written(mut error: Error) -> Error {
    error.message.push_str("; nothing was written");
    error
}

impl Writing<'_> {
    /// Goes all the way.
    pub fn run(mut self) -> Result<Exit> {
        let (context, agreement) = (self.context, self.agreement);
        for warning in &self.report.warnings {
            context.ui.warn(&warning.message);
        }
        self.tell_unended();
        self.consent();
        if agreement.dry_run {
            for (group, work) in self.report.groups.iter_mut().zip(&mut self.works) {
                group.would_refuse = work.refusal.take();
            }
            self.sum_up();
            self.emit()?;
            return Ok(Exit::Done);
        }
        if let Some(exit) = self.refuse_planned()? {
            return Ok(exit);
        }
        if self.to_write().is_empty() {
            if let Some(undone) = &self.undoes {
                self.mark_settled(undone);
            }
            self.sum_up();
            self.emit()?;
            return Ok(self.exit());
        }
        if !agreement.yes && !context.ui.can_ask() {
            let message = "nobody can be asked here: standard input or standard error is no terminal".to_owned();
            return self.refuse_all(guard::refused(Code::NoTerminal, message), false);
        }
        let journal = if agreement.no_journal { None } else { Some(Journal::open()?) };
        let cluster = context.settings.heading(self.connection.properties.bootstrap_servers(), self.client.id());
        let plan = render::reset::plan(&self.report, context.stderr_table_style(), &cluster);
        context.ui.show(&format!("{plan}{}", self.protected_line()));
        if !agreement.yes
            && let Some(refusal) = self.ask()?
        {
            return self.refuse_all(refusal, true);
        }
        self.look_again_and_write(journal.as_ref())
    }

    /// The places of the groups that something is written to.
    fn to_write(&self) -> Vec<usize> {
        (0..self.report.groups.len())
            .filter(|&place| self.report.groups[place].outcome == GroupOutcome::Planned)
            .collect()
    }

    /// Refuses the groups that their plan already keeps from being written; the run, unless it goes on with the others.
    fn refuse_planned(&mut self) -> Result<Option<Exit>> {
        let refused: Vec<usize> = (0..self.works.len()).filter(|&place| self.works[place].refusal.is_some()).collect();
        let Some(&first) = refused.first() else { return Ok(None) };
        if self.agreement.keep_going && self.report.groups.len() > 1 {
            for place in refused {
                if let Some(refusal) = self.works[place].refusal.take() {
                    self.refuse_group(place, refusal);
                }
            }
            return Ok(None);
        }
        for place in refused.into_iter().skip(1) {
            let refusal = self.works[place].refusal.take();
            self.report.groups[place].outcome = GroupOutcome::Refused;
            self.report.groups[place].refusal = refusal;
        }
        match self.works[first].refusal.take() {
            Some(refusal) => self.refuse(first, refusal, false).map(Some),
            None => Ok(None),
        }
    }

    /// Marks a group as refused, and says why, while the others go on.
    fn refuse_group(&mut self, place: usize, refusal: Refusal) {
        tell(self.context, &refusal);
        let group = &mut self.report.groups[place];
        group.outcome = GroupOutcome::Refused;
        group.refusal = Some(refusal);
    }

    /// Refuses every group that would have been written.
    fn refuse_all(mut self, refusal: Refusal, plan_was_shown: bool) -> Result<Exit> {
        let places = self.to_write();
        for &place in places.iter().skip(1) {
            self.report.groups[place].outcome = GroupOutcome::Refused;
            self.report.groups[place].refusal = Some(refusal.clone());
        }
        self.refuse(places.first().copied().unwrap_or_default(), refusal, plan_was_shown)
    }

    /// Reports a refusal that ends the run: nothing was written. A person who has just seen the plan on the same terminal is not
    /// shown it again.
    fn refuse(&mut self, place: usize, refusal: Refusal, plan_was_shown: bool) -> Result<Exit> {
        let context = self.context;
        if let Some(group) = self.report.groups.get_mut(place) {
            group.outcome = GroupOutcome::Refused;
            group.refusal = Some(refusal.clone());
        }
        for group in &mut self.report.groups {
            if group.outcome == GroupOutcome::Planned {
                group.outcome = GroupOutcome::NotBegun;
            }
        }
        self.report.outcome = GroupOutcome::Refused;
        if !(plan_was_shown && context.ui.stdout_is_terminal() && context.output == Output::Table) {
            self.emit()?;
        }
        Ok(tell(context, &refusal))
    }

    /// Asks for the group's name, or for the number of groups; a refusal where something else is typed.
    fn ask(&self) -> Result<Option<Refusal>> {
        let context = self.context;
        for &place in &self.to_write() {
            let group = &self.report.groups[place];
            if group.total.skips > 0 {
                context.ui.warn(&format!(
                    "{} offsets that `{}` has not read would never be delivered",
                    group.total.skips, group.group
                ));
            }
        }
        let words = self.words();
        let count = self.to_write().len();
        let question = if count > 1 {
            format!("type {words} to apply to {count} groups")
        } else {
            format!("type {words} to apply")
        };
        if context.ui.confirm_by_typing(&question, &words)? {
            return Ok(None);
        }
        let what = if count > 1 { "the number of groups" } else { "the name of group" };
        let message = if count > 1 {
            format!("{what}, {words}, was not typed")
        } else if self.context.settings.profile().is_some() {
            format!("`{words}`, profile and group, was not typed")
        } else {
            format!("{what} `{words}` was not typed")
        };
        Ok(Some(guard::refused(Code::Declined, message)))
    }

    fn look_again_and_write(mut self, journal: Option<&Journal>) -> Result<Exit> {
        let (context, agreement) = (self.context, self.agreement);
        if !agreement.yes {
            // A new client: the question may have stood for long, and librdkafka keeps to the coordinator and the controller that
            // it knew, gone or not.
            self.client = connect(self.connection).map_err(nothing_written)?;
            if let Some(refusal) = guard::other_cluster(&self.report.cluster_id, self.client.id()) {
                return self.refuse_all(refusal, true);
            }
        }
        let reading = ReadOnly(self.client);
        let mut standing: Vec<(usize, Commits)> = Vec::new();
        for place in self.to_write() {
            match (self.works[place].look_again)(&reading).map_err(nothing_written)? {
                Ok(commits) => standing.push((place, commits)),
                Err(refusal) if agreement.keep_going && self.report.groups.len() > 1 => {
                    self.refuse_group(place, refusal)
                }
                Err(refusal) => return self.refuse(place, refusal, true),
            }
        }
        // From here on Ctrl-C waits for the report.
        context.interrupt.hold();
        if context.interrupt.came() {
            return Err(Error::new(Code::Interrupted, "interrupted; nothing was written"));
        }
        self.write(journal, &standing)
    }

    /// Journal, then each group: write, read back; journal, report.
    fn write(mut self, journal: Option<&Journal>, standing: &[(usize, Commits)]) -> Result<Exit> {
        let context = self.context;
        let mut entry = None;
        if let Some(journal) = journal.filter(|_| !standing.is_empty()) {
            let id = journal.new_id(context.clock()).map_err(nothing_written)?;
            let begun = self.entry(&id, standing);
            let path = journal.save(&begun).map_err(nothing_written)?;
            for &(place, _) in standing {
                self.report.groups[place].undo =
                    Some(UndoReference { id: id.clone(), journal: path.display().to_string() });
            }
            entry = Some((journal, begun));
        }
        let mut stopped = false;
        for &(place, _) in standing {
            if stopped || context.interrupt.came() {
                self.report.groups[place].outcome = GroupOutcome::NotBegun;
                self.report.groups[place].undo = None;
                continue;
            }
            let stop = || context.interrupt.came();
            let (works, report) = (&self.works, &mut self.report);
            let group = &mut report.groups[place];
            let reading_back = |why: &str| context.ui.warn(&format!("{why}; reading back what stands"));
            let nothing_sent = if works[place].deletes_group {
                let answer = apply::delete_group(self.connection, &report.cluster_id, &group.group);
                if let RowAnswer::Unseen(why) = &answer {
                    reading_back(why);
                }
                apply::read_back_deleted(self.client, group, &answer);
                matches!(answer, RowAnswer::NotSent(_))
            } else {
                let answers = apply::write(self.connection, &report.cluster_id, group, &stop);
                if let Some(why) = apply::unseen(&answers) {
                    reading_back(why);
                }
                // Removed commits have no place in a log.
                let moved = group.rows.iter().filter(|row| row.action == Action::Move);
                let moved = moved.map(|row| TopicPartition::new(row.topic.as_str(), row.partition)).collect();
                let starts = std::thread::scope(|scope| {
                    let starts = scope.spawn(|| apply::log_starts(self.client, moved));
                    apply::read_back(self.client, group, &answers);
                    starts.join().unwrap_or_default()
                });
                for warning in apply::passed(group, &starts) {
                    context.ui.warn(&warning.message);
                    report.warnings.push(warning);
                }
                answers.iter().all(|(_, answer)| matches!(answer, RowAnswer::NotSent(_)))
            };
            if nothing_sent {
                group.undo = None;
            }
            stopped = group.outcome != GroupOutcome::Applied && !self.agreement.keep_going;
        }
        self.report.applied_at = Some(context.clock());
        self.sum_up();
        if let Some((journal, entry)) = &mut entry {
            self.end_entry(entry);
            if let Some(undone) = &self.undoes {
                self.mark_undone(journal, undone, &entry.id);
            }
            if let Err(error) = journal.save(entry) {
                context
                    .ui
                    .warn(&format!("the write was made, yet its outcome could not be added to the journal: {error}"));
            }
        } else if let Some(undone) = &self.undoes {
            self.mark_settled(undone);
        }
        self.emit()?;
        tell_failures(context, &self.report);
        let exit = self.exit();
        Ok(if context.interrupt.came() { exit.worse(Exit::Interrupted) } else { exit })
    }

    /// The sums and the outcome over all groups.
    fn sum_up(&mut self) {
        self.report.total = ResetTotal::of(self.report.groups.iter().flat_map(|group| &group.rows));
        self.report.outcome = GroupOutcome::of(self.report.groups.iter().map(|group| group.outcome));
    }

    fn exit(&self) -> Exit {
        let wrote = self.report.groups.iter().flat_map(|group| &group.rows).any(|row| row.outcome.is_some());
        let wrote = wrote || self.report.groups.iter().any(|group| group.outcome == GroupOutcome::Applied);
        self.report.groups.iter().fold(Exit::Done, |exit, group| {
            exit.worse(match group.outcome {
                GroupOutcome::Planned | GroupOutcome::Applied | GroupOutcome::NothingToDo => Exit::Done,
                // A refusal ends with 3 only where nothing was written at all.
                GroupOutcome::Refused if wrote => Exit::Failed,
                GroupOutcome::Refused => Exit::Refused,
                GroupOutcome::Partial | GroupOutcome::Failed | GroupOutcome::NotBegun | GroupOutcome::Unknown => {
                    Exit::Failed
                }
            })
        })
    }

    fn emit(&self) -> Result<()> {
        self.context.emit(&rendered(self.context, &self.report))
    }
}

/// Says on standard error why a group is refused, and what would help.
fn tell(context: &Context, refusal: &Refusal) -> Exit {
    let code = Code::named(&refusal.code).unwrap_or(Code::Internal);
    let error = guard::hints(refusal)
        .into_iter()
        .fold(Error::new(code, format!("{}; nothing was written", refusal.message)), Error::hint);
    let members: Vec<String> = refusal.members.iter().map(guard::member_line).collect();
    context.ui.error_with_details(&error, &members);
    error.exit
}

/// Rows that did not end as planned, also on standard error: a script that keeps the report alone must not hide them.
fn tell_failures(context: &Context, report: &ResetReport) {
    for group in &report.groups {
        if group.outcome == GroupOutcome::NotBegun {
            context.ui.warn(&format!("`{}` was not begun", group.group));
        }
        if let Some(error) = &group.error {
            context.ui.warn(&format!("group `{}` {}: {error}", group.group, group.outcome.as_str()));
        }
        for row in &group.rows {
            // Said of the whole group already.
            if group.error.is_some() && row.outcome == Some(RowOutcome::Failed) {
                continue;
            }
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

fn rendered(context: &Context, report: &ResetReport) -> String {
    match context.output {
        Output::Json => render::json(report),
        Output::Csv => render::reset::csv(report),
        // Refused before anything else, with the arguments.
        Output::Prometheus | Output::Spark => String::new(),
        Output::Table | Output::Markdown => render::reset::table(report, context.table_style(), false),
        Output::Wide => render::reset::table(report, context.table_style(), true),
    }
}
