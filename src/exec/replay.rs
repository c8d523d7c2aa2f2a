//! Reading a fixed window beside production, into a sink, until every offset of it is accounted for.

mod part;
mod topics;

use super::Observer;
use super::gather;
use crate::error::{Code, Error, Result};
use crate::kafka::reader::{Item, Reader, is_out_of_log};
use crate::kafka::{BrokerFault, Cluster, OffsetSpec};
use crate::model::{PartitionSet, Timestamp, TopicPartition};
use crate::offset::Target;
use crate::plan::window::{Range, WindowFacts, WindowSpec, resolve_range};
use crate::report::{Ended, ReplayOutcome, ReplayPartition, Warning};
use crate::sink::Sink;
use part::Part;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use topics::TopicWatch;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Which partitions.
    pub topics: BTreeMap<String, PartitionSet>,
    /// The window.
    pub window: WindowSpec,
    /// Whether records of open and aborted transactions are left out.
    pub read_committed: bool,
    /// How long an open transaction before the end is waited for.
    pub wait_stable: Duration,
    /// How long nothing at all may come.
    pub stall_timeout: Duration,
}

/// The window of each partition, captured once.
#[derive(Debug, Clone, PartialEq)]
pub struct Captured {
    /// The ranges, by topic and partition.
    pub ranges: Vec<Range>,
    /// The topics' ids.
    pub topic_ids: HashMap<String, Option<String>>,
    /// When.
    pub captured_at: Timestamp,
}

/// What became of a replay.
pub struct Replayed {
    /// How it ended.
    pub outcome: ReplayOutcome,
    /// The partitions, by topic and number.
    pub partitions: Vec<ReplayPartition>,
    /// Where an unwhole result lies.
    pub partial: Option<PathBuf>,
    /// What ended it early, where that has a code of its own.
    pub error: Option<Error>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

/// Captures the window: all ends at once, before the first record is read.
pub fn capture<C: Cluster + ?Sized>(cluster: &C, request: &Request, clock: impl Fn() -> Timestamp) -> Result<Captured> {
    let names: BTreeSet<&str> = request.topics.keys().map(String::as_str).collect();
    let topics = gather::topics(cluster, &names);
    let partitions = gather::selected(&request.topics, &topics)?;
    let time_of = |target: &Target| match target {
        Target::Timestamp(moment) => Some(moment.timestamp.as_millis()),
        _ => None,
    };
    let from = time_of(&request.window.from);
    let to = request.window.to.as_ref().and_then(time_of);
    let times: Vec<i64> = from.into_iter().chain(to).collect();
    let to_place = if to.is_some() { times.len() - 1 } else { times.len() };
    let from_place = if from.is_some() { 0 } else { times.len() };
    let logs = gather::logs(cluster, &partitions, &times);
    let captured_at = clock();
    let mut ranges = Vec::with_capacity(partitions.len());
    let mut outside = Vec::new();
    for (partition, log) in partitions.into_iter().zip(logs) {
        let failed = |fault: BrokerFault| fault.into_error(&format!("looking up offsets of `{partition}`"));
        let facts = WindowFacts {
            watermarks: log.watermarks.clone().map_err(failed)?,
            from: log.time(from_place).map_err(failed)?,
            to: log.time(to_place).map_err(failed)?,
            partition: partition.clone(),
        };
        match resolve_range(&request.window, &facts) {
            Ok(range) => ranges.push(range),
            Err(found) => outside.push(format!("{}: {}", found.partition, found.reason)),
        }
    }
    if !outside.is_empty() {
        return Err(Error::new(Code::OutOfRange, format!("the window lies outside the log of {}", outside.join("; ")))
            .hint("`--out-of-range clamp` takes the nearest offsets within the log"));
    }
    let topic_ids =
        topics.into_iter().map(|(name, topic)| (name, topic.ok().and_then(|topic| topic.topic_id))).collect();
    Ok(Captured { ranges, topic_ids, captured_at })
}

/// Reads the window into the sink. Nothing here returns early: whatever happens, every partition tells how it ended.
pub fn run<C: Cluster + ?Sized>(
    cluster: &C,
    reader: &Reader,
    request: &Request,
    captured: &Captured,
    mut sink: Box<dyn Sink>,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Replayed {
    let mut parts: Vec<Part> =
        captured.ranges.iter().map(|range| Part::new(range, &captured.topic_ids, request)).collect();
    let watch = TopicWatch::new(&captured.topic_ids);
    let mut warnings = Vec::new();
    let (error, interrupted) = std::thread::scope(|scope| {
        scope.spawn(|| watch.run(cluster));
        let ended = read(cluster, reader, request, &mut parts, sink.as_mut(), observer, stop, &watch);
        watch.end();
        ended
    });
    // Before anything is published: a topic that was made anew mixes silently.
    if error.is_none() && !interrupted && parts.iter().any(Part::has_read) {
        match watch.check(cluster) {
            Ok(()) => {}
            Err(fault) => {
                for part in parts.iter_mut().filter(|part| part.has_read()) {
                    part.fail(format!("whether the topic was made anew meanwhile could not be told: {fault}"));
                }
            }
        }
        apply_changes(&watch, &mut parts);
    }
    for part in &mut parts {
        part.close(interrupted, error.as_ref());
    }
    let outcome = outcome(&parts, interrupted, error.is_some());
    let whole = matches!(outcome, ReplayOutcome::Complete | ReplayOutcome::NothingToReplay);
    let (partial, error, outcome) = match (sink.finish(whole), error) {
        (Ok(partial), error) => (partial, error, outcome),
        (Err(_), Some(error)) => (None, Some(error), outcome),
        (Err(failed), None) => {
            let outcome = if outcome == ReplayOutcome::Interrupted { outcome } else { ReplayOutcome::Incomplete };
            (None, Some(failed), outcome)
        }
    };
    for part in &parts {
        warnings.extend(part.warning());
    }
    Replayed { outcome, partitions: parts.into_iter().map(Part::report).collect(), partial, error, warnings }
}

fn outcome(parts: &[Part], interrupted: bool, failed: bool) -> ReplayOutcome {
    if failed {
        ReplayOutcome::Incomplete
    } else if parts.iter().all(|part| part.ended().is_some_and(Ended::is_whole)) {
        if parts.iter().all(|part| part.ended() == Some(Ended::NothingToReplay)) {
            ReplayOutcome::NothingToReplay
        } else {
            ReplayOutcome::Complete
        }
    } else if interrupted
        && parts.iter().all(|part| part.ended().is_some_and(|ended| ended.is_whole() || ended == Ended::Interrupted))
    {
        ReplayOutcome::Interrupted
    } else {
        ReplayOutcome::Incomplete
    }
}

/// Reads until every partition has ended, a signal comes, or the sink fails. What ended it early, and whether it was a signal.
#[allow(clippy::too_many_arguments)]
fn read<C: Cluster + ?Sized>(
    cluster: &C,
    reader: &Reader,
    request: &Request,
    parts: &mut [Part],
    sink: &mut dyn Sink,
    observer: &dyn Observer,
    stop: &AtomicBool,
    watch: &TopicWatch,
) -> (Option<Error>, bool) {
    // The places of the partitions that have something to read.
    let open: Vec<usize> =
        parts.iter().enumerate().filter(|(_, part)| part.ended().is_none()).map(|(at, _)| at).collect();
    if open.is_empty() {
        return (None, false);
    }
    let starts: Vec<(TopicPartition, i64)> =
        open.iter().map(|&at| (parts[at].partition().clone(), parts[at].next())).collect();
    let total: u64 = parts.iter().map(Part::offsets).sum();
    let mut reading = match reader.start(&starts) {
        Ok(reading) => reading,
        Err(error) => return (Some(error), false),
    };
    let mut left = open.len();
    let mut progressed = Instant::now();
    let mut faults: Vec<(usize, BrokerFault)> = Vec::new();
    while left > 0 {
        if stop.load(Ordering::SeqCst) {
            return (None, true);
        }
        let mut done: Vec<usize> = Vec::new();
        let received = reading.poll(Duration::from_millis(20), |item| {
            let (Item::Record(index, _) | Item::End(index, _) | Item::Fault(index, _)) = &item;
            let at = open[*index];
            let part = &mut parts[at];
            if part.ended().is_some() {
                return Ok(());
            }
            match item {
                Item::Record(_, record) => part.record(&record, sink)?,
                Item::End(_, offset) => part.end_of_log(offset),
                Item::Fault(_, fault) => faults.push((at, fault)),
            }
            if part.ended().is_some() {
                done.push(at);
            }
            Ok(())
        });
        match received {
            Err(error) => return (Some(error), false),
            Ok(0) => {
                // Nothing more for now: who reads along sees what there is.
                if let Err(error) = sink.flush() {
                    return (Some(error), false);
                }
            }
            Ok(_) => progressed = Instant::now(),
        }
        for (at, fault) in faults.drain(..) {
            explain(cluster, &mut parts[at], &fault, watch);
            if parts[at].ended().is_some() {
                done.push(at);
            }
        }
        for &at in &open {
            if parts[at].is_due() {
                look_at_end(cluster, &mut parts[at], request, watch);
                if parts[at].ended().is_some() {
                    done.push(at);
                }
            }
        }
        if watch.changed() {
            apply_changes(watch, parts);
            done.extend(open.iter().copied().filter(|&at| parts[at].ended().is_some()));
        }
        for at in done {
            reading.finish(parts[at].partition());
        }
        left = open.iter().filter(|&&at| parts[at].ended().is_none()).count();
        let waits = open.iter().any(|&at| parts[at].ended().is_none() && parts[at].waits());
        if !waits && progressed.elapsed() >= request.stall_timeout {
            for &at in &open {
                if parts[at].ended().is_none() {
                    parts[at].fail(format!("nothing came for {:?}", request.stall_timeout));
                }
            }
            return (None, false);
        }
        observer.progress(parts.iter().map(Part::read_so_far).sum(), total);
    }
    (None, false)
}

/// The log ends before the window does, for now: because a transaction is open, or because it is another log.
fn look_at_end<C: Cluster + ?Sized>(cluster: &C, part: &mut Part, request: &Request, watch: &TopicWatch) {
    let partition = part.partition().clone();
    let answers =
        cluster.list_offsets(&[(partition.clone(), OffsetSpec::LatestStable), (partition, OffsetSpec::Latest)]);
    let offset = |place: usize| {
        answers.get(place).and_then(|answer| answer.as_ref().ok().copied().flatten()).map(|found| found.offset)
    };
    let (Some(stable), Some(end)) = (offset(0), offset(1)) else {
        // The leader does not answer: asked again until the reader makes progress or the stall is over.
        part.look_later();
        return;
    };
    if end < part.end() {
        // A topic made anew is shorter at first; its id tells which it is.
        let _ = watch.check(cluster);
        part.truncated(end);
        return;
    }
    part.still_open(stable, request);
}

/// What a fault of a partition means.
fn explain<C: Cluster + ?Sized>(cluster: &C, part: &mut Part, fault: &BrokerFault, watch: &TopicWatch) {
    if !is_out_of_log(fault) {
        part.fail(fault.to_string());
        return;
    }
    let _ = watch.check(cluster);
    let partition = part.partition().clone();
    let answers = cluster.list_offsets(&[(partition.clone(), OffsetSpec::Earliest), (partition, OffsetSpec::Latest)]);
    let offset = |place: usize| {
        answers.get(place).and_then(|answer| answer.as_ref().ok().copied().flatten()).map(|found| found.offset)
    };
    match (offset(0), offset(1)) {
        (Some(start), _) if start > part.next() => part.passed_by_retention(start),
        (_, Some(end)) if end < part.next() => part.truncated(end),
        _ => part.fail(fault.to_string()),
    }
}

/// Partitions of topics that were made anew: what was read of them since the last time the id was right may be of either topic.
fn apply_changes(watch: &TopicWatch, parts: &mut [Part]) {
    for change in watch.changes() {
        for part in parts.iter_mut().filter(|part| part.partition().topic == change.topic) {
            part.recreated(&change);
        }
    }
}
