//! Replay: capture the windows once, read them beside production, account for every offset.

mod ask;
mod care;
mod drive;
mod planned;
#[cfg(test)]
mod tests;
mod verdict;

pub use ask::Asker;
pub use drive::{Limits, Run, run};
pub use planned::planned;

use super::gather;
use crate::error::{Code, Error, Result};
use crate::kafka::reader::{Isolation, Reader};
use crate::kafka::{BrokerFault, Client, Cluster, FoundOffset, OffsetSpec};
use crate::model::{PartitionSet, Timestamp, TopicDescription, TopicPartition, TopicSelection};
use crate::offset::{Target, TimeLookup};
use crate::plan::window::{Window, WindowFacts, WindowSpec, window};
use crate::report::{Ended, WindowReport, WindowSide};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher};

/// What to replay.
#[derive(Debug, Clone)]
pub struct ReplaySpec {
    /// The topics and their partitions.
    pub topics: Vec<TopicSelection>,
    /// The window.
    pub window: WindowSpec,
    /// Whether open and aborted transactions are read.
    pub isolation: Isolation,
}

/// The windows, captured once.
#[derive(Debug, Clone)]
pub struct Captured {
    /// The cluster's id.
    pub cluster_id: String,
    /// When the ends were asked for.
    pub captured_at: Timestamp,
    /// Each topic's id; `None` from brokers that have none.
    pub topic_ids: BTreeMap<String, Option<String>>,
    /// The partitions, by topic and number.
    pub partitions: Vec<CapturedPartition>,
}

/// One partition's window.
#[derive(Debug, Clone)]
pub struct CapturedPartition {
    /// The partition.
    pub partition: TopicPartition,
    /// Its window.
    pub window: Window,
    /// The high watermark then.
    pub high_watermark: i64,
}

impl Captured {
    /// The partitions that have something to read: a reader's indexes are theirs.
    pub fn to_read(&self) -> impl Iterator<Item = &CapturedPartition> {
        self.partitions.iter().filter(|partition| !partition.window.is_empty())
    }

    /// Offsets in all windows.
    pub fn offsets(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.window.offsets()).sum()
    }
}

/// Looks up each partition's window. Nothing is read yet.
pub fn capture<C: Cluster + ?Sized>(cluster: &C, spec: &ReplaySpec, clock: impl Fn() -> Timestamp) -> Result<Captured> {
    // Ids before ends: a topic that is made anew in between shows at the first comparison.
    let (topic_ids, partitions) = partitions(cluster, &spec.topics)?;
    let logs = gather::logs(cluster, &partitions, &[]);
    let captured_at = clock();
    // Times after ends: what a lookup finds at or past an end came later.
    let from = times(cluster, &partitions, &spec.window.from);
    let to = times(cluster, &partitions, &spec.window.to);
    let mut captured = Vec::with_capacity(partitions.len());
    for (((partition, log), from), to) in partitions.into_iter().zip(logs).zip(from).zip(to) {
        let failed = || format!("looking up the window of `{partition}`");
        let log = log.watermarks.map_err(|fault| fault.into_error(&failed()))?;
        let from = from.map_err(|fault| fault.into_error(&failed()))?;
        let facts = WindowFacts { log, from, to: to.map_err(|fault| fault.into_error(&failed()))? };
        let window = window(&spec.window, &facts).map_err(|why| {
            Error::new(Code::OutOfRange, format!("`{partition}`: offset {why}"))
                .hint("`--out-of-range clamp` takes the nearest offset within the log; nothing was read")
        })?;
        captured.push(CapturedPartition { partition, window, high_watermark: log.high_watermark });
    }
    Ok(Captured { cluster_id: cluster.cluster_id()?, captured_at, topic_ids, partitions: captured })
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

/// The first record of each partition at or after a target's time.
fn times<C: Cluster + ?Sized>(
    cluster: &C,
    partitions: &[TopicPartition],
    target: &Target,
) -> Vec<Result<TimeLookup, BrokerFault>> {
    let Target::Timestamp(moment) = target else {
        return partitions.iter().map(|_| Ok(TimeLookup::NotAsked)).collect();
    };
    let spec = OffsetSpec::AtTime(moment.timestamp.as_millis());
    let queries: Vec<(TopicPartition, OffsetSpec)> =
        partitions.iter().map(|partition| (partition.clone(), spec)).collect();
    let lookup = |found: Option<FoundOffset>| match found {
        Some(FoundOffset { offset, timestamp_ms }) => TimeLookup::Found { offset, timestamp_ms },
        None => TimeLookup::NoRecord,
    };
    cluster.list_offsets(&queries).into_iter().map(|answer| answer.map(lookup)).collect()
}

/// A reader under a `group.id` that no group has. It lives until the process ends: closing a consumer waits for nothing useful.
pub fn reader(client: &Client, isolation: Isolation) -> Result<&'static Reader> {
    // RandomState is seeded by the system's randomness.
    let random = std::hash::RandomState::new().build_hasher().finish();
    let group = format!("krewind-replay-{random:016x}");
    // Where this principal may not describe it, 64 random bits must do.
    let described = client.describe_groups(&[&group]).pop();
    if described.is_some_and(|answer| answer.is_ok_and(|group| !group.is_dead())) {
        return Err(Error::new(
            Code::GroupActive,
            format!("a group named `{group}` exists, which replay would disturb"),
        )
        .hint("run it again: the name is made anew"));
    }
    Ok(Box::leak(Box::new(Reader::new(client.connection(), &group, isolation)?)))
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
    WindowReport {
        mode: "offsets".to_owned(),
        from: side(&spec.from),
        to: spec.has_explicit_end().then(|| side(&spec.to)),
    }
}

/// Why a partition's reading ended, with words where it needs some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) ended: Ended,
    pub(crate) reason: Option<String>,
}
