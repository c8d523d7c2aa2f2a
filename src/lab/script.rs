//! What a person asks of the lab: actions, in words or by keys, and the steps that each of them is made of.

use super::event::TimeOfDay;
use super::model::{CommitMode, LARGEST_BATCH, Lab, Refused, Settings, Step, Target};
use super::sink::SinkMode;
use crate::error::{Error, Result};
use std::fmt;

/// The most that one action may ask for.
const MOST: u32 = 999;

const ACTIONS: &str = "actions: `step [N]`, `process N|all`, `commit`, `crash`, `restart`, `stop`, `rewind earliest|latest|OFFSET|HH:MM`, `produce N`, `retention N`, `auto`, `manual`, `append`, `upsert`, `batch N`; `;` between them";

/// One thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// So many of the consumer's next steps.
    Step(u32),
    /// Work until so many more events are in the sink; a batch that is whole by then is committed too.
    Process(u32),
    /// Work until nothing is left to read.
    ProcessAll,
    /// Commit now: the timer fires, or the consumer commits what is in the sink.
    Commit,
    /// Kill the consumer.
    Crash,
    /// Start a consumer; one that runs leaves in order before.
    Restart,
    /// Let the consumer finish its batch and leave.
    Stop,
    /// Move the committed offset; a consumer that runs is stopped before, and started again after.
    Rewind(Target),
    /// New events.
    Produce(u32),
    /// Delete so many of the oldest events.
    Retention(u32),
    /// Who commits from now on.
    CommitMode(CommitMode),
    /// What the sink does from now on.
    SinkMode(SinkMode),
    /// Events of one poll from now on.
    Batch(u32),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Step(1) => f.write_str("step"),
            Action::Step(count) => write!(f, "step {count}"),
            Action::Process(count) => write!(f, "process {count}"),
            Action::ProcessAll => f.write_str("process all"),
            Action::Commit => f.write_str("commit"),
            Action::Crash => f.write_str("crash"),
            Action::Restart => f.write_str("restart"),
            Action::Stop => f.write_str("stop"),
            Action::Rewind(Target::Earliest) => f.write_str("rewind earliest"),
            Action::Rewind(Target::Latest) => f.write_str("rewind latest"),
            Action::Rewind(Target::Offset(offset)) => write!(f, "rewind {offset}"),
            Action::Rewind(Target::Time(time)) => write!(f, "rewind {time}"),
            Action::Produce(count) => write!(f, "produce {count}"),
            Action::Retention(count) => write!(f, "retention {count}"),
            Action::CommitMode(mode) => f.write_str(mode.as_str()),
            Action::SinkMode(mode) => f.write_str(mode.as_str()),
            Action::Batch(count) => write!(f, "batch {count}"),
        }
    }
}

/// Reads a script: actions with `;` or line ends between them.
pub fn parse(text: &str) -> Result<Vec<Action>> {
    let actions: Vec<Action> =
        text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty()).map(action).collect::<Result<_>>()?;
    if actions.is_empty() {
        return Err(Error::usage("the script is empty").hint(ACTIONS));
    }
    Ok(actions)
}

/// Reads one action.
pub fn action(text: &str) -> Result<Action> {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_ascii_whitespace().collect();
    let wrong = || Error::usage(format!("`{text}` is no action of the lab")).hint(ACTIONS);
    let count = |word: &str, most: u32| {
        word.parse::<u32>()
            .ok()
            .filter(|count| (1..=most).contains(count))
            .ok_or_else(|| Error::usage(format!("`{text}`: a number from 1 to {most} belongs behind `{}`", words[0])))
    };
    Ok(match words.as_slice() {
        ["step"] => Action::Step(1),
        ["step", number] => Action::Step(count(number, MOST)?),
        ["process", "all"] => Action::ProcessAll,
        ["process", number] => Action::Process(count(number, MOST)?),
        ["commit"] => Action::Commit,
        ["crash"] => Action::Crash,
        ["restart" | "start"] => Action::Restart,
        ["stop"] => Action::Stop,
        ["rewind", "to", target] | ["rewind", target] => Action::Rewind(self::target(target).ok_or_else(|| {
            Error::usage(format!("`{text}`: `{target}` is no place in the log"))
                .hint("`earliest`, `latest`, an offset such as `4`, or a time such as `10:03`")
        })?),
        ["produce", number] => Action::Produce(count(number, MOST)?),
        ["retention", number] => Action::Retention(count(number, MOST)?),
        ["auto"] | ["commit", "auto"] => Action::CommitMode(CommitMode::Auto),
        ["manual"] | ["commit", "manual"] => Action::CommitMode(CommitMode::Manual),
        ["append"] | ["sink", "append"] => Action::SinkMode(SinkMode::Append),
        ["upsert"] | ["sink", "upsert"] => Action::SinkMode(SinkMode::Upsert),
        ["batch", number] => Action::Batch(count(number, LARGEST_BATCH)?),
        ["process" | "produce" | "retention" | "batch"] => {
            return Err(Error::usage(format!("`{text}` needs a number, such as `{text} 3`")));
        }
        ["rewind"] => {
            return Err(Error::usage("`rewind` needs a place in the log")
                .hint("`earliest`, `latest`, an offset such as `4`, or a time such as `10:03`"));
        }
        _ => return Err(wrong()),
    })
}

/// A place in the log, as `rewind` takes it.
pub fn target(text: &str) -> Option<Target> {
    match text {
        "earliest" => Some(Target::Earliest),
        "latest" => Some(Target::Latest),
        _ if text.contains(':') => TimeOfDay::parse(text).map(Target::Time),
        _ => text.parse().ok().map(Target::Offset),
    }
}

/// An action under way: which step it takes next, looking at the world as it stands.
#[derive(Debug, Clone)]
pub struct Course {
    action: Action,
    /// Steps given out so far.
    given: u32,
    /// Writes of the sink before it.
    writes: usize,
    /// Whether a consumer ran before it.
    was_running: bool,
    /// Whether its own step was given out, for actions that have one.
    done: bool,
}

impl Course {
    /// The action, about to begin.
    pub fn new(action: Action, lab: &Lab) -> Course {
        Course { action, given: 0, writes: lab.sink().writes().len(), was_running: lab.is_running(), done: false }
    }

    /// The next step; `None` where the action has come to its end.
    pub fn next(&mut self, lab: &Lab) -> Result<Option<Step>, Refused> {
        let step = self.choose(lab)?;
        self.given += u32::from(step.is_some());
        Ok(step)
    }

    fn choose(&mut self, lab: &Lab) -> Result<Option<Step>, Refused> {
        let written = || u32::try_from(lab.sink().writes().len() - self.writes).unwrap_or(u32::MAX);
        match self.action {
            Action::Step(_) | Action::Process(_) | Action::ProcessAll if !self.was_running => Err(Refused::Down),
            Action::Step(count) if self.given >= count => Ok(None),
            Action::Process(count) if written() >= count => {
                Ok(if lab.batch_awaits_commit() { lab.next_step() } else { None })
            }
            Action::Step(_) | Action::Process(_) | Action::ProcessAll => Ok(match lab.next_step() {
                // Nothing is left to read: a poll says so.
                None if self.given == 0 => Some(Step::Poll),
                step => step,
            }),
            Action::Commit => Ok(self.once(Step::Commit)),
            Action::Crash => Ok(self.once(Step::Crash)),
            Action::Stop if !self.was_running => Err(Refused::Down),
            Action::Stop => Ok(self.stopping(lab)),
            Action::Restart => Ok(match self.stopping(lab) {
                None => self.once(Step::Start),
                step => step,
            }),
            Action::Rewind(target) => Ok(match self.stopping(lab) {
                None if self.done => (self.was_running && !lab.is_running()).then_some(Step::Start),
                None => self.once(Step::Rewind(target)),
                step => step,
            }),
            Action::Produce(count) => Ok(self.once(Step::Produce(count))),
            Action::Retention(count) => Ok(self.once(Step::Retention(count))),
            Action::CommitMode(commit) => Ok(self.choosing(lab, Settings { commit, ..lab.settings() })),
            Action::SinkMode(sink) => Ok(self.choosing(lab, Settings { sink, ..lab.settings() })),
            Action::Batch(batch) => Ok(self.choosing(lab, Settings { batch, ..lab.settings() })),
        }
    }

    fn once(&mut self, step: Step) -> Option<Step> {
        (!std::mem::replace(&mut self.done, true)).then_some(step)
    }

    /// What is left until the consumer has finished its batch and left; `None` where it has, or this is behind.
    fn stopping(&self, lab: &Lab) -> Option<Step> {
        if self.done || !lab.is_running() {
            return None;
        }
        if lab.is_idle() { Some(Step::Leave) } else { lab.next_step() }
    }

    fn choosing(&mut self, lab: &Lab, settings: Settings) -> Option<Step> {
        // A consumer reads its settings when it begins a batch here, and not in the middle of one.
        match lab.next_step() {
            Some(step) if lab.is_running() && !lab.is_idle() && !self.done => Some(step),
            _ => self.once(Step::Use(settings)),
        }
    }
}
