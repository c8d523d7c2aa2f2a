//! A window of a partition's log: from what was asked and what is known to `[start, end)`.

mod filter;
#[cfg(test)]
mod tests;

pub use filter::{Judgement, WindowFilter};

use crate::model::TopicPartition;
use crate::offset::{Facts, NoCommit, NoRecord, OutOfRange, Policies, Resolution, Target, TimeLookup, resolve};
use crate::watermark::Watermarks;
use std::collections::BTreeMap;

/// What a person asked to read.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSpec {
    /// Where windows start and end.
    pub bounds: Bounds,
    /// What to do with an offset outside the log.
    pub out_of_range: OutOfRange,
    /// What bounds by time mean.
    pub mode: Mode,
}

/// Where windows start and end, exclusive.
#[derive(Debug, Clone, PartialEq)]
pub enum Bounds {
    /// By the same rule in each partition.
    Alike {
        /// The start.
        from: Start,
        /// The end.
        to: Target,
    },
    /// As a file says for each partition.
    Each {
        /// The file's name.
        file: String,
        /// Start and end.
        windows: BTreeMap<TopicPartition, (i64, i64)>,
    },
}

/// Where windows start.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// At the same target in each partition.
    At(Target),
    /// Where the commits of a group stand.
    Commit {
        /// The group.
        group: String,
        /// What to do in a partition without a commit.
        no_commit: NoCommit,
    },
    /// So many offsets before the end.
    Last(i64),
}

/// What bounds by time mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Offsets that are looked up once: everything between them is in the window.
    Offsets,
    /// The records whose own timestamps lie between the bounds, out of order too. Everything before what a lookup finds is older,
    /// so that the start needs no padding. After the first record past the end there may be records of the window, so that the
    /// end is looked up this much later: what is out of order by less is found. Lookups find transactions' markers too, whose
    /// time is that of the transaction's end.
    Timestamps {
        /// How far past the end, in milliseconds.
        padding_ms: i64,
    },
}

impl WindowSpec {
    /// From this target up to that one, by offsets; an offset outside the log is refused.
    pub fn between(from: Target, to: Target) -> Self {
        let bounds = Bounds::Alike { from: Start::At(from), to };
        WindowSpec { bounds, out_of_range: OutOfRange::Fail, mode: Mode::Offsets }
    }

    /// Whether the end was named, so that a window that can't be read up to it is not whole.
    pub fn has_explicit_end(&self) -> bool {
        !matches!(self.bounds, Bounds::Alike { to: Target::Latest, .. })
    }

    /// The time that the start is looked up by, in milliseconds.
    pub fn start_time(&self) -> Option<i64> {
        match &self.bounds {
            Bounds::Alike { from: Start::At(Target::Timestamp(moment)), .. } => Some(moment.timestamp.as_millis()),
            _ => None,
        }
    }

    /// The time that the end is looked up by, in milliseconds; with timestamps as bounds that is later than the end.
    pub fn end_time(&self) -> Option<i64> {
        let Bounds::Alike { to: Target::Timestamp(moment), .. } = &self.bounds else { return None };
        let padding = match self.mode {
            Mode::Offsets => 0,
            Mode::Timestamps { padding_ms } => padding_ms,
        };
        Some(moment.timestamp.as_millis().saturating_add(padding))
    }

    /// The group whose commits are the start.
    pub fn group(&self) -> Option<&str> {
        match &self.bounds {
            Bounds::Alike { from: Start::Commit { group, .. }, .. } => Some(group),
            _ => None,
        }
    }
}

/// What is known of a partition. The lookups by time are made after the log's bounds were read: what they find at or past the
/// high watermark came later, and lies outside the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowFacts {
    /// The log's bounds.
    pub log: Watermarks,
    /// The first record at or after the start's time.
    pub from: TimeLookup,
    /// The first record at or after the end's time.
    pub to: TimeLookup,
    /// The commit that is the start.
    pub commit: Committed,
}

/// The commit of a group in a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// None, or none was asked for.
    Absent,
    /// This one.
    At(i64),
    /// This one, and a transaction holds another one that is not decided.
    Undecided(i64),
}

/// One partition's window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The first offset.
    pub start: i64,
    /// The offset after the last one; never below `start`.
    pub end: i64,
    /// What is worth saying of it: why it is empty, or what was clamped.
    pub reason: Option<String>,
}

/// Why a partition has no window that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// An offset that was named lies outside the log.
    OutOfRange(String),
    /// What came next for the group was deleted.
    Retention(String),
    /// There is no commit to start from.
    NoCommit,
    /// The file has no window for it.
    NotInFile,
}

impl Window {
    fn empty(at: i64, reason: impl Into<String>) -> Self {
        Window { start: at, end: at, reason: Some(reason.into()) }
    }

    /// Offsets in it; records may be fewer, since logs have gaps.
    pub fn offsets(&self) -> u64 {
        self.end.abs_diff(self.start)
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// The partition's window.
pub fn window(spec: &WindowSpec, partition: &TopicPartition, facts: &WindowFacts) -> Result<Window, Unreadable> {
    match &spec.bounds {
        Bounds::Alike { from: Start::At(from), to } => between(spec, from, to, facts),
        Bounds::Alike { from: Start::Last(count), to } => last(spec, *count, to, facts),
        Bounds::Alike { from: Start::Commit { group, no_commit }, to } => {
            from_commit(spec, group, *no_commit, to, facts)
        }
        Bounds::Each { windows, .. } => match windows.get(partition) {
            None => Err(Unreadable::NotInFile),
            // Nothing is read there, wherever the log went since.
            Some((start, end)) if start == end => {
                Ok(Window::empty(facts.log.clamp(*start), "the file's window is empty"))
            }
            Some((start, end)) => between(spec, &Target::Offset(*start), &Target::Offset(*end), facts),
        },
    }
}

fn between(spec: &WindowSpec, from: &Target, to: &Target, facts: &WindowFacts) -> Result<Window, Unreadable> {
    let log = facts.log;
    let high = log.high_watermark.max(log.log_start);
    let (start, start_reason) = side(from, log, facts.from, spec.out_of_range)?;
    if matches!(from, Target::Timestamp(_)) && start >= high {
        let why = if log.log_start == high { EMPTY } else { "no record at or after the start" };
        return Ok(Window::empty(high, why));
    }
    let (end, end_reason) = side(to, log, facts.to, spec.out_of_range)?;
    if end <= start {
        let why = if log.log_start == high {
            EMPTY.to_owned()
        } else if matches!(to, Target::Timestamp(_)) {
            "no record in that time".to_owned()
        } else {
            format!("the end {end} is not after the start {start}")
        };
        return Ok(Window::empty(start, why));
    }
    Ok(Window { start, end, reason: joined([start_reason, end_reason]) })
}

const EMPTY: &str = "the partition is empty";

fn last(spec: &WindowSpec, count: i64, to: &Target, facts: &WindowFacts) -> Result<Window, Unreadable> {
    let log = facts.log;
    let (end, reason) = side(to, log, facts.to, spec.out_of_range)?;
    let start = end.saturating_sub(count.max(0)).max(log.log_start);
    if start == end {
        let why = if log.log_start == log.high_watermark { EMPTY } else { "nothing lies before the end" };
        return Ok(Window::empty(end, why));
    }
    let short = count.saturating_sub(end.saturating_sub(start));
    let fewer = (short > 0).then(|| format!("the log has {} offsets before the end {end}", end - start));
    Ok(Window { start, end, reason: joined([reason, fewer]) })
}

fn from_commit(
    spec: &WindowSpec,
    group: &str,
    no_commit: NoCommit,
    to: &Target,
    facts: &WindowFacts,
) -> Result<Window, Unreadable> {
    let log = facts.log;
    let (commit, note) = match facts.commit {
        Committed::At(commit) => (commit, None),
        Committed::Undecided(commit) => {
            (commit, Some(format!("a transaction holds another commit than {commit}, which is not decided")))
        }
        Committed::Absent => {
            let without = |what: &str| Some(format!("no commit of `{group}`: {what}"));
            match no_commit {
                NoCommit::Fail => return Err(Unreadable::NoCommit),
                NoCommit::Skip => {
                    return Ok(Window {
                        start: log.high_watermark,
                        end: log.high_watermark,
                        reason: without("skipped"),
                    });
                }
                NoCommit::UseEarliest => (log.log_start, without("earliest")),
                NoCommit::UseLatest => (log.high_watermark, without("latest")),
            }
        }
    };
    if commit < log.log_start && spec.out_of_range == OutOfRange::Fail {
        return Err(Unreadable::Retention(format!(
            "the commit of `{group}` stands at {commit}, and the log starts at {}: {} offsets were deleted before the group read them",
            log.log_start,
            log.lost(commit)
        )));
    }
    let mut window = between(spec, &Target::Offset(commit), to, facts)?;
    if window.is_empty() && matches!(to, Target::Latest) && log.log_start != log.high_watermark && note.is_none() {
        window.reason = Some(format!("`{group}` has read up to the end {}", log.high_watermark));
    } else {
        window.reason = joined([note, window.reason]);
    }
    Ok(window)
}

fn joined(reasons: [Option<String>; 2]) -> Option<String> {
    let reasons: Vec<String> = reasons.into_iter().flatten().collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// One side's offset, and what a policy did to an offset that was named.
fn side(
    target: &Target,
    log: Watermarks,
    time: TimeLookup,
    out_of_range: OutOfRange,
) -> Result<(i64, Option<String>), Unreadable> {
    let is_time = matches!(target, Target::Timestamp(_));
    // Records that a lookup found past the high watermark came after it; those below the log start are being deleted.
    let out_of_range = if is_time { OutOfRange::Clamp } else { out_of_range };
    let policies = Policies { out_of_range, no_record: NoRecord::Latest, no_commit: NoCommit::Fail };
    match resolve(target, &Facts { watermarks: log, time, committed: None }, &policies) {
        Resolution::At { offset, reason, .. } => Ok((offset, reason.filter(|_| !is_time))),
        Resolution::OutOfRange { reason, .. }
        | Resolution::NoRecord { reason }
        | Resolution::NoCommit { reason }
        | Resolution::Leave { reason } => Err(Unreadable::OutOfRange(format!("offset {reason}"))),
    }
}
