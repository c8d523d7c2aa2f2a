//! Replay: capture the windows once, read them beside production, account for every offset.

mod ask;
mod care;
pub mod checkpoint;
mod conveyor;
mod drive;
mod job;
mod planned;
#[cfg(test)]
mod tests;
mod verdict;

pub use ask::Asker;
pub use job::{Job, Limits, Run, run};
pub use planned::planned;

pub use super::window::window_report;

use crate::error::{Code, Error, Result};
use crate::kafka::reader::{Isolation, Reader};
use crate::kafka::{Client, Cluster};
use crate::model::{Timestamp, TopicPartition, TopicSelection};
use crate::plan::window::{Mode, Window, WindowSpec};
use crate::report::{Ended, WindowReport};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};

/// Bytes that a reader holds where nothing else is asked for.
pub const BUFFER: u64 = 32_000_000;

/// What to replay.
#[derive(Debug, Clone)]
pub struct ReplaySpec {
    /// The topics and their partitions; none where the window itself tells them.
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

    /// The window as it was asked for, and whether what was captured can hold all of it.
    pub fn window_report(&self, spec: &WindowSpec) -> WindowReport {
        let to_the_end = self.partitions.iter().all(|part| part.window.end >= part.high_watermark);
        WindowReport {
            exact: matches!(spec.mode, Mode::Timestamps { .. }).then_some(to_the_end),
            ..window_report(spec)
        }
    }
}

/// Looks up each partition's window. Nothing is read yet.
pub fn capture<C: Cluster + ?Sized>(cluster: &C, spec: &ReplaySpec, clock: impl Fn() -> Timestamp) -> Result<Captured> {
    let resolved = super::window::resolve(cluster, &spec.topics, &spec.window, clock)?;
    let partitions = resolved.partitions.into_iter().map(|part| CapturedPartition {
        partition: part.partition,
        window: part.window,
        high_watermark: part.log.high_watermark,
    });
    Ok(Captured {
        cluster_id: resolved.cluster_id,
        captured_at: resolved.captured_at,
        topic_ids: resolved.topic_ids,
        partitions: partitions.collect(),
    })
}

/// A reader under a `group.id` that no group has, which holds about `buffer` bytes ahead. It lives until the process ends: closing a consumer waits for nothing useful.
pub fn reader(client: &Client, isolation: Isolation, buffer: u64) -> Result<&'static Reader> {
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
    Ok(Box::leak(Box::new(Reader::new(client.connection(), &group, isolation, buffer)?)))
}

/// Why a partition's reading ended, with words where it needs some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) ended: Ended,
    pub(crate) reason: Option<String>,
}
