//! Windows, resolved: each partition's start and end, captured together before anything is read.

use super::gather::{self, Commit};
use crate::error::{Code, Error, Result};
use crate::kafka::{BrokerFault, Cluster, FoundOffset, OffsetSpec};
use crate::model::{PartitionSet, Timestamp, TopicDescription, TopicPartition, TopicSelection};
use crate::offset::{Target, TimeLookup};
use crate::plan::keeping::TOPIC_SETTINGS;
use crate::plan::kept;
use crate::plan::window::{Bounds, Committed, Mode, Start, Unreadable, Window, WindowFacts, WindowSpec, window};
use crate::report::{VERSION, WindowPartition, WindowReport, WindowSide, WindowTotal, WindowsReport};
use crate::watermark::Watermarks;
use std::collections::{BTreeMap, BTreeSet};

/// Windows, captured once.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The cluster's id.
    pub cluster_id: String,
    /// When the ends were asked for.
    pub captured_at: Timestamp,
    /// Each topic's id; `None` from brokers that have none.
    pub topic_ids: BTreeMap<String, Option<String>>,
    /// The partitions, by topic and number.
    pub partitions: Vec<ResolvedPartition>,
}

/// One partition's window and its log.
#[derive(Debug, Clone)]
pub struct ResolvedPartition {
    /// The partition.
    pub partition: TopicPartition,
    /// Its window.
    pub window: Window,
    /// Its log's bounds.
    pub log: Watermarks,
    /// What the lookup of the start's time found.
    pub found: TimeLookup,
}

/// Looks up each partition's window. Without topics, those that the window itself tells.
pub fn resolve<C: Cluster + ?Sized>(
    cluster: &C,
    topics: &[TopicSelection],
    spec: &WindowSpec,
    clock: impl Fn() -> Timestamp,
) -> Result<Resolved> {
    // Commits before ends: then no commit is past an end that it was made at.
    let commits = spec.group().map(|group| commits(cluster, group)).transpose()?;
    let topics = match (&spec.bounds, &commits, topics.is_empty()) {
        (_, _, false) => topics.to_vec(),
        (Bounds::Each { windows, .. }, ..) => of_file(windows),
        (_, Some(commits), _) => of_commits(spec, commits)?,
        _ => return Err(Error::usage("no topic is named")),
    };
    // Ids before ends: a topic that is made anew in between shows at the first comparison.
    let (topic_ids, partitions) = partitions(cluster, &topics).map_err(|error| match (error.code, spec.group()) {
        (Code::TopicNotFound, Some(group)) => {
            error.hint(format!("`{group}` may have commits on topics that were deleted: name those to read"))
        }
        _ => error,
    })?;
    let logs = gather::logs(cluster, &partitions, &[]);
    let captured_at = clock();
    // Times after ends: what a lookup finds at or past an end came later.
    let from = times(cluster, &partitions, spec.start_time());
    let to = times(cluster, &partitions, spec.end_time());
    let mut resolved = Vec::with_capacity(partitions.len());
    let mut unreadable = Vec::new();
    for (((partition, log), from), to) in partitions.into_iter().zip(logs).zip(from).zip(to) {
        let failed = || format!("looking up the window of `{partition}`");
        let log = log.watermarks.map_err(|fault| fault.into_error(&failed()))?;
        let from = from.map_err(|fault| fault.into_error(&failed()))?;
        let to = to.map_err(|fault| fault.into_error(&failed()))?;
        let commit = match commits.as_ref().and_then(|commits| commits.get(&partition)) {
            None | Some(Commit::Absent | Commit::Pending(None)) => Committed::Absent,
            Some(Commit::Stands(commit)) => Committed::At(commit.offset),
            Some(Commit::Pending(Some(before))) => Committed::Undecided(before.offset),
            Some(Commit::Failed(fault)) => {
                return Err(fault.clone().into_error(&format!("reading the commit on `{partition}`")));
            }
        };
        match window(spec, &partition, &WindowFacts { log, from, to, commit }) {
            Ok(window) => resolved.push(ResolvedPartition { partition, window, log, found: from }),
            Err(why) => unreadable.push((partition, why)),
        }
    }
    if let Some(error) = refused(spec, &unreadable) {
        return Err(error);
    }
    Ok(Resolved { cluster_id: cluster.cluster_id()?, captured_at, topic_ids, partitions: resolved })
}

/// The commits of a group that exists.
fn commits<C: Cluster + ?Sized>(cluster: &C, group: &str) -> Result<BTreeMap<TopicPartition, Commit>> {
    gather::groups(cluster, &[group]).pop().unwrap_or_else(|| Err(gather::group_not_found(group)))?;
    gather::all_commits(cluster, &[group])
        .pop()
        .unwrap_or_else(|| Err(BrokerFault::no_answer()))
        .map_err(|fault| fault.into_error(&format!("reading the commits of group `{group}`")))
}

fn of_file(windows: &BTreeMap<TopicPartition, (i64, i64)>) -> Vec<TopicSelection> {
    let mut topics: BTreeMap<&str, BTreeSet<i32>> = BTreeMap::new();
    for partition in windows.keys() {
        topics.entry(&partition.topic).or_default().insert(partition.partition);
    }
    let selection = |(topic, numbers): (&str, BTreeSet<i32>)| TopicSelection {
        topic: topic.to_owned(),
        partitions: PartitionSet::Only(numbers),
    };
    topics.into_iter().map(selection).collect()
}

/// Whole topics: a partition that the group has no commit on is a question and not left out.
fn of_commits(spec: &WindowSpec, commits: &BTreeMap<TopicPartition, Commit>) -> Result<Vec<TopicSelection>> {
    let topics: BTreeSet<&str> = commits
        .iter()
        .filter(|(_, commit)| !matches!(commit, Commit::Absent))
        .map(|(partition, _)| partition.topic.as_str())
        .collect();
    if topics.is_empty() {
        let group = spec.group().unwrap_or_default();
        return Err(Error::new(Code::NoCommit, format!("group `{group}` has no commit on any topic"))
            .hint("name the topics, and `--no-commit` decides where they start"));
    }
    let all = |topic: &str| TopicSelection { topic: topic.to_owned(), partitions: PartitionSet::All };
    Ok(topics.into_iter().map(all).collect())
}

/// The names of partitions that an error tells.
const NAMED: usize = 8;

/// Why nothing is read, where a partition has no window.
fn refused(spec: &WindowSpec, unreadable: &[(TopicPartition, Unreadable)]) -> Option<Error> {
    let names = |of: &Unreadable| -> Vec<String> {
        unreadable.iter().filter(|(_, why)| why == of).map(|(partition, _)| format!("`{partition}`")).collect()
    };
    let (partition, why) = unreadable.first()?;
    let more = match unreadable
        .iter()
        .filter(|(_, other)| std::mem::discriminant(other) == std::mem::discriminant(why))
        .count()
    {
        0 | 1 => String::new(),
        count => format!("; {} more partitions are like it", count - 1),
    };
    Some(match why {
        Unreadable::NoCommit => {
            let mut names = names(why);
            if names.len() > NAMED {
                let rest = names.len() - NAMED;
                names.truncate(NAMED);
                names.push(format!("{rest} more"));
            }
            let group = spec.group().unwrap_or_default();
            Error::new(Code::NoCommit, format!("group `{group}` has no commit on {}", names.join(", ")))
                .hint("`--no-commit skip`, `use-earliest` or `use-latest` decides what is read there; nothing was read")
        }
        Unreadable::NotInFile => Error::usage(format!("the file has no window for `{partition}`{more}")),
        Unreadable::OutOfRange(words) => Error::new(Code::OutOfRange, format!("`{partition}`: {words}{more}"))
            .hint("`--out-of-range clamp` takes the nearest offset within the log; nothing was read"),
        Unreadable::Retention(words) => Error::new(Code::OutOfRange, format!("`{partition}`: {words}{more}"))
            .hint("`--out-of-range clamp` starts at the log start; nothing was read"),
    })
}

type Ids = BTreeMap<String, Option<String>>;

/// The partitions that were asked for, each once, in order; and the ids of their topics.
fn partitions<C: Cluster + ?Sized>(cluster: &C, selections: &[TopicSelection]) -> Result<(Ids, Vec<TopicPartition>)> {
    let names: BTreeSet<&str> = selections.iter().map(|selection| selection.topic.as_str()).collect();
    let mut topics = gather::topics(cluster, &names);
    let mut described: BTreeMap<String, TopicDescription> = BTreeMap::new();
    for name in names {
        let answer = topics.remove(name).unwrap_or_else(|| Err(BrokerFault::no_answer()));
        let description = answer.map_err(|fault| {
            if fault.is_missing_topic() {
                Error::new(Code::TopicNotFound, format!("topic `{name}` does not exist"))
                    .hint("names are literal and case-sensitive")
            } else {
                fault.into_error(&format!("describing topic `{name}`"))
            }
        })?;
        described.insert(name.to_owned(), description);
    }
    let mut wanted: BTreeSet<TopicPartition> = BTreeSet::new();
    for selection in selections {
        let Some(description) = described.get(&selection.topic) else { continue };
        let numbers: Vec<i32> = match &selection.partitions {
            PartitionSet::All => description.partitions.clone(),
            PartitionSet::Only(numbers) => numbers.iter().copied().collect(),
        };
        for number in numbers {
            if !description.has_partition(number) {
                let count = description.partitions.len();
                return Err(Error::new(
                    Code::TopicNotFound,
                    format!("topic `{}` has no partition {number}", selection.topic),
                )
                .hint(match count {
                    1 => "it has partition 0 alone".to_owned(),
                    count => format!("it has {count} partitions, from 0 to {}", count - 1),
                }));
            }
            if description.leaderless.contains(&number) {
                return Err(Error::new(
                    Code::TimedOut,
                    format!("partition {number} of topic `{}` has no leader now", selection.topic),
                )
                .hint("it can't be read until a broker that has it comes back"));
            }
            wanted.insert(TopicPartition::new(selection.topic.as_str(), number));
        }
    }
    let ids = described.into_iter().map(|(name, description)| (name, description.topic_id)).collect();
    Ok((ids, wanted.into_iter().collect()))
}

/// The first record of each partition at or after a time.
fn times<C: Cluster + ?Sized>(
    cluster: &C,
    partitions: &[TopicPartition],
    time: Option<i64>,
) -> Vec<Result<TimeLookup, BrokerFault>> {
    let Some(time) = time else {
        return partitions.iter().map(|_| Ok(TimeLookup::NotAsked)).collect();
    };
    let queries: Vec<(TopicPartition, OffsetSpec)> =
        partitions.iter().map(|partition| (partition.clone(), OffsetSpec::AtTime(time))).collect();
    let lookup = |found: Option<FoundOffset>| match found {
        Some(FoundOffset { offset, timestamp_ms }) => TimeLookup::Found { offset, timestamp_ms },
        None => TimeLookup::NoRecord,
    };
    cluster.list_offsets(&queries).into_iter().map(|answer| answer.map(lookup)).collect()
}

/// The window as it was asked for.
pub fn window_report(spec: &WindowSpec) -> WindowReport {
    let side = |target: &Target| match target {
        Target::Earliest => WindowSide::Position { position: "earliest".to_owned() },
        Target::Latest => WindowSide::Position { position: "latest".to_owned() },
        // No window is asked for by a commit's place; what a side would then be is said as it is.
        Target::ShiftBy(by) => WindowSide::Position { position: format!("commit{by:+}") },
        Target::Current => WindowSide::Position { position: "commit".to_owned() },
        Target::Offset(offset) => WindowSide::Offset { offset: *offset },
        Target::Timestamp(moment) => {
            WindowSide::Time { timestamp_ms: moment.timestamp.as_millis(), timestamp: moment.timestamp }
        }
    };
    let (from, to) = match &spec.bounds {
        Bounds::Each { file, .. } => {
            let side = WindowSide::File { file: file.clone() };
            (side.clone(), Some(side))
        }
        Bounds::Alike { from, to } => {
            let from = match from {
                Start::At(target) => side(target),
                Start::Commit { group, .. } => WindowSide::Group { group: group.clone() },
                Start::Last(last) => WindowSide::Last { last: *last },
            };
            (from, spec.has_explicit_end().then(|| side(to)))
        }
    };
    let (mode, padding_ms) = match spec.mode {
        Mode::Offsets => (WindowReport::OFFSETS, None),
        Mode::Timestamps { padding_ms } => (WindowReport::TIMESTAMPS, Some(padding_ms)),
    };
    WindowReport { mode: mode.to_owned(), from, to, padding_ms, exact: None }
}

/// Resolves windows, and tells how long what is in them is kept. No record is read.
pub fn report<C: Cluster + ?Sized>(
    cluster: &C,
    topics: &[TopicSelection],
    spec: &WindowSpec,
    clock: impl Fn() -> Timestamp,
) -> Result<WindowsReport> {
    let resolved = resolve(cluster, topics, spec, clock)?;
    let names: Vec<&str> = resolved.topic_ids.keys().map(String::as_str).collect();
    let (settings, first) = std::thread::scope(|scope| {
        let first = scope.spawn(|| first_times(cluster, &resolved.partitions));
        let settings = cluster.topic_settings(&names, &TOPIC_SETTINGS);
        (settings, first.join().unwrap_or_default())
    });
    let mut kept = BTreeMap::new();
    let mut warnings = Vec::new();
    for (name, settings) in names.iter().zip(settings) {
        let settings = settings.map_err(|fault| format!("its settings can't be read ({})", fault.name));
        match settings
            .and_then(|settings| kept::Keeping::of(&settings).ok_or_else(|| "the broker did not tell".to_owned()))
        {
            Ok(keeping) => drop(kept.insert((*name).to_owned(), keeping)),
            Err(why) => warnings.push(kept::unknown(name, &why)),
        }
    }
    let partitions: Vec<WindowPartition> = resolved
        .partitions
        .iter()
        .map(|part| {
            let keeping = kept.get(&part.partition.topic);
            let first_timestamp = first.get(&part.partition).copied().or_else(|| told(part)).map(Timestamp);
            WindowPartition {
                topic: part.partition.topic.clone(),
                topic_id: resolved.topic_ids.get(&part.partition.topic).cloned().flatten(),
                partition: part.partition.partition,
                start_offset: part.window.start,
                end_offset: part.window.end,
                offsets: part.window.offsets(),
                first_timestamp,
                log_start_offset: part.log.log_start,
                high_watermark: part.log.high_watermark,
                last_stable_offset: part.log.last_stable,
                retention_ms: keeping.and_then(|keeping| keeping.retention_ms()),
                margin_offsets: part.window.start.abs_diff(part.log.log_start),
                kept_at_least_until: keeping.and_then(|keeping| keeping.until(first_timestamp)),
                reason: part.window.reason.clone(),
            }
        })
        .collect();
    warnings.extend(kept::near(&partitions, resolved.captured_at));
    let to_the_end = resolved.partitions.iter().all(|part| part.window.end >= part.log.high_watermark);
    let exact = matches!(spec.mode, Mode::Timestamps { .. }).then_some(to_the_end);
    Ok(WindowsReport {
        kind: "window".to_owned(),
        version: VERSION,
        cluster_id: resolved.cluster_id,
        captured_at: resolved.captured_at,
        window: WindowReport { exact, ..window_report(spec) },
        total: WindowTotal {
            partitions: partitions.len(),
            offsets: partitions.iter().map(|partition| partition.offsets).sum(),
        },
        partitions,
        warnings,
    })
}

/// The first record's timestamp where the lookup of the start found that record.
fn told(part: &ResolvedPartition) -> Option<i64> {
    match part.found {
        TimeLookup::Found { offset, timestamp_ms } if offset == part.window.start && !part.window.is_empty() => {
            timestamp_ms
        }
        _ => None,
    }
}

/// The first records' timestamps of windows that start where their logs do: a lookup by the oldest time finds those. Within a log
/// no lookup goes by offset.
fn first_times<C: Cluster + ?Sized>(cluster: &C, partitions: &[ResolvedPartition]) -> BTreeMap<TopicPartition, i64> {
    let queries: Vec<(TopicPartition, OffsetSpec)> = partitions
        .iter()
        .filter(|part| !part.window.is_empty() && part.window.start == part.log.log_start && told(part).is_none())
        .map(|part| (part.partition.clone(), OffsetSpec::AtTime(0)))
        .collect();
    if queries.is_empty() {
        return BTreeMap::new();
    }
    let ends: BTreeMap<&TopicPartition, i64> =
        partitions.iter().map(|part| (&part.partition, part.window.end)).collect();
    let answers = cluster.list_offsets(&queries);
    queries
        .iter()
        .zip(answers)
        .filter_map(|((partition, _), answer)| {
            let found = answer.ok().flatten()?;
            let within = ends.get(partition).is_some_and(|end| found.offset < *end);
            Some((partition.clone(), found.timestamp_ms.filter(|_| within)?))
        })
        .collect()
}
