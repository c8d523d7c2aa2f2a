//! Until when a window's records are kept, where a topic's settings promise that.

use crate::model::{Timestamp, visible};
use crate::offset::time::length;
use crate::report::{Warning, WindowPartition};
use std::collections::BTreeMap;

/// What is kept for less than this is spoken of.
const SOON_MS: i64 = 24 * 60 * 60 * 1000;

/// How a topic's records are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keeping {
    deletes: bool,
    compacts: bool,
    retention_ms: i64,
    retention_bytes: i64,
}

impl Keeping {
    /// From `cleanup.policy`, `retention.ms` and `retention.bytes`; `None` where one is missing or is no number.
    pub fn of(settings: &BTreeMap<String, String>) -> Option<Self> {
        let policy = settings.get("cleanup.policy")?;
        let has = |word: &str| policy.split(',').any(|policy| policy.trim() == word);
        Some(Keeping {
            deletes: has("delete"),
            compacts: has("compact"),
            retention_ms: settings.get("retention.ms")?.parse().ok()?,
            retention_bytes: settings.get("retention.bytes")?.parse().ok()?,
        })
    }

    /// `retention.ms`, -1 without a limit; `None` where nothing is deleted by age.
    pub fn retention_ms(&self) -> Option<i64> {
        self.deletes.then_some(self.retention_ms)
    }

    /// Until when a window is kept at least that starts at a record of this time. Segments are deleted from the log's start on,
    /// each when its youngest record is older than `retention.ms` (`UnifiedLog.deleteRetentionMsBreachedSegments`), so that nothing
    /// of the window goes before its first record may. A size limit and compaction delete earlier, and promise nothing.
    pub fn until(&self, first: Option<Timestamp>) -> Option<Timestamp> {
        let promises = self.deletes && !self.compacts && self.retention_ms >= 0 && self.retention_bytes < 0;
        first.filter(|_| promises).map(|first| Timestamp(first.as_millis().saturating_add(self.retention_ms)))
    }
}

/// Nothing can be said of a topic's records.
pub fn unknown(topic: &str, why: &str) -> Warning {
    let message = format!("until when records of `{topic}` are kept is not known: {why}");
    of_topic("retention-unknown", message, topic, None)
}

/// Of each topic, the window that may be deleted first, where that is within a day.
pub fn near(partitions: &[WindowPartition], now: Timestamp) -> Vec<Warning> {
    let mut first: BTreeMap<&str, (Timestamp, i32)> = BTreeMap::new();
    for partition in partitions {
        let Some(until) = partition.kept_at_least_until else { continue };
        if until.as_millis().saturating_sub(now.as_millis()) >= SOON_MS {
            continue;
        }
        let soonest = first.entry(&partition.topic).or_insert((until, partition.partition));
        *soonest = (*soonest).min((until, partition.partition));
    }
    let warning = |(topic, (until, number)): (&str, (Timestamp, i32))| {
        let left = until.as_millis().saturating_sub(now.as_millis());
        let place = format!("{}-{number}", visible(topic));
        let message = if left <= 0 {
            format!(
                "the window of `{place}` starts at a record that is older than `retention.ms`: it may be deleted at any moment"
            )
        } else {
            format!("the window of `{place}` is kept at least until {until}, {} from now", length(left))
        };
        of_topic("retention-near", message, topic, Some(number))
    };
    first.into_iter().map(warning).collect()
}

fn of_topic(code: &str, message: String, topic: &str, partition: Option<i32>) -> Warning {
    Warning { code: code.to_owned(), message, group: None, topic: Some(topic.to_owned()), partition }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(policy: &str, ms: &str, bytes: &str) -> Option<i64> {
        let settings = [("cleanup.policy", policy), ("retention.ms", ms), ("retention.bytes", bytes)];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Keeping::of(&settings)?.until(Some(Timestamp(5000))).map(Timestamp::as_millis)
    }

    #[test]
    fn only_deletion_by_age_alone_promises_a_moment() {
        assert_eq!(until("delete", "1000", "-1"), Some(6000));
        assert_eq!(until("delete", "-1", "-1"), None, "kept without a limit: there is no moment");
        assert_eq!(until("delete", "1000", "4096"), None, "a size limit may come first");
        assert_eq!(until("compact", "1000", "-1"), None, "retention.ms does not hold");
        assert_eq!(until("compact,delete", "1000", "-1"), None, "a newer record of the same key may come");
        assert_eq!(until("delete", "soon", "-1"), None);
        let settings = [("cleanup.policy".to_owned(), "delete".to_owned())].into();
        assert_eq!(Keeping::of(&settings), None);
    }
}
