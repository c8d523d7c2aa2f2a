//! A replay from its first fetch to its report.

use super::checkpoint::Keeper;
use super::conveyor::Conveyor;
use super::drive::{Drive, Part};
use super::{Asker, Captured, CapturedPartition, verdict};
use crate::error::{Code, Error, Result};
use crate::exec::Observer;
use crate::kafka::reader::{Batches, Isolation};
use crate::model::TopicPartition;
use crate::plan::pace::Rate;
use crate::plan::select::Selection;
use crate::plan::tally::Tally;
use crate::report::{Ended, ReplayReport, WindowReport};
use crate::sink::Sink;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long to wait for what.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Whether open and aborted transactions are read.
    pub isolation: Isolation,
    /// Whether the window's end was named.
    pub explicit_end: bool,
    /// How long an open transaction before the end is waited for.
    pub wait_stable: Duration,
    /// How long nothing at all may come.
    pub stall: Duration,
    /// How often topic ids are compared.
    pub check_topics: Duration,
    /// Most records to pass on.
    pub most_records: Option<u64>,
    /// Most bytes of keys and values to pass on.
    pub most_bytes: Option<u64>,
    /// How fast to read.
    pub rate: Option<Rate>,
    /// Most bytes on their way to the sink, with what the client spends on each record.
    pub on_their_way: u64,
}

/// What became of it.
#[derive(Debug)]
pub struct Run {
    /// The report.
    pub report: ReplayReport,
    /// Why the sink failed.
    pub error: Option<Error>,
}

/// What is read, and what is kept of it.
pub struct Job<'a> {
    /// The windows.
    pub captured: &'a Captured,
    /// What was asked for.
    pub window: WindowReport,
    /// How long to wait for what, and how much to pass on.
    pub limits: &'a Limits,
    /// Which records are wanted.
    pub selection: &'a Selection,
    /// What an earlier run saw already.
    pub seen: BTreeMap<TopicPartition, Tally>,
    /// Where the checkpoint is kept.
    pub keeper: Option<Keeper>,
}

impl Job<'_> {
    /// The partitions that are to be read, and from where: a reader's indexes are theirs.
    pub fn starts(&self) -> Vec<(TopicPartition, i64)> {
        let start = |part: &CapturedPartition| (part.partition.clone(), self.tally(part).next());
        self.captured.to_read().map(start).collect()
    }

    pub(super) fn tally(&self, part: &CapturedPartition) -> Tally {
        let seen = self.seen.get(&part.partition).copied();
        seen.unwrap_or_else(|| Tally::new(part.window.start, part.window.end))
    }
}

/// Reads the captured windows into the sink, until each partition is at its end, something is wrong with it, or `stop` is set.
/// It always ends by itself.
pub fn run(
    job: Job<'_>,
    source: &mut dyn Batches,
    sink: Box<dyn Sink>,
    asker: &Asker,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Run> {
    let started = Instant::now();
    let name = sink.name();
    let mut conveyor = Conveyor::start(sink, job.limits.on_their_way)?;
    let mut drive = Drive::new(&job, asker, observer);
    let Job { captured, window, keeper, .. } = job;
    drive.keeper = keeper;
    let mut failure = drive.read(source, &mut conveyor, stop).err();
    let elapsed = started.elapsed();
    // Ctrl-C ends the reader of a pipe too, mostly a moment before: what was asked for is told then, not what followed from it.
    let follows = |error: &Error| matches!(error.code, Code::SinkClosed | Code::Interrupted);
    if stop.load(Ordering::SeqCst) && failure.as_ref().is_some_and(follows) {
        failure = None;
        drive.reopen_unsure();
    }
    let mut interrupted = drive.open > 0 && failure.is_none();
    if let Some(error) = &failure {
        drive.sink_failed(error);
    } else if interrupted {
        drive.end_rest(Ended::Interrupted, None);
    } else if drive.topic_was_missing || drive.parts.iter().any(Part::is_whole) {
        interrupted = !drive.last_check(stop);
    }
    drive.check_sums();
    let whole = failure.is_none() && !interrupted && drive.parts.iter().all(Part::is_whole);
    if let (Some(keeper), None) = (&mut drive.keeper, &failure) {
        keeper.asks(&drive.parts);
        conveyor.mark();
        failure = drive.arrive(&mut conveyor, stop).err();
    }
    let whole = whole && failure.is_none();
    let mut end = conveyor.finish(whole, stop);
    if let Some(error) = end.finished.error.take() {
        // Where lines could not be passed on at the very end, no partition's records are sure to have arrived.
        if error.code == Code::SinkClosed {
            drive.sink_failed(&error);
        }
        failure.get_or_insert(error);
    }
    let mut resume = None;
    if let Some(keeper) = &mut drive.keeper {
        match failure.is_none() && whole {
            true => failure = keeper.completed().err(),
            false => resume = Some(keeper.path().to_owned()),
        }
    }
    let report = verdict::report(captured, window, &drive, name, end, elapsed, interrupted, failure.is_some());
    let report = ReplayReport { resume: resume.map(|path| serde_json::json!({"checkpoint": path})), ..report };
    Ok(Run { report, error: failure })
}
