//! How long what a plan leads to is kept, and what it does not reach: said with numbers, and with the rule where Kafka does not
//! tell them.

use crate::model::{GroupDescription, GroupType, Timestamp, TopicPartition};
use crate::offset::time::length;
use crate::report::{Action, ResetRow, Warning};
use std::collections::{BTreeMap, HashMap};

/// The settings of a topic that [`TopicRetention`] is made of.
pub const TOPIC_SETTINGS: [&str; 3] = ["cleanup.policy", "retention.ms", "retention.bytes"];

/// The setting of a broker that [`commits`] goes by.
pub const COMMIT_RETENTION: &str = "offsets.retention.minutes";

/// What is kept for less than this is spoken of.
const SOON_MS: i64 = 24 * 60 * 60 * 1000;

/// How a topic's records are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicRetention {
    /// Whether they are deleted at all, and not compacted alone.
    pub deletes: bool,
    /// `retention.ms`; negative: without a limit.
    pub retention_ms: i64,
    /// `retention.bytes` of each partition; negative: without a limit.
    pub retention_bytes: i64,
}

impl TopicRetention {
    /// From the topic's settings; `None` where one is missing or is no number.
    pub fn of(settings: &BTreeMap<String, String>) -> Option<Self> {
        let [policy, ms, bytes] = TOPIC_SETTINGS.map(|name| settings.get(name));
        Some(TopicRetention {
            deletes: policy?.split(',').any(|policy| policy.trim() == "delete"),
            retention_ms: ms?.parse().ok()?,
            retention_bytes: bytes?.parse().ok()?,
        })
    }

    fn by_time(&self) -> Option<i64> {
        (self.deletes && self.retention_ms >= 0).then_some(self.retention_ms)
    }
}

/// Rows whose next record may be deleted within a day, or lies close to the log start while its time is not known. A segment is
/// deleted when its youngest record is older than `retention.ms` (`UnifiedLog.deleteRetentionMsBreachedSegments`), so a record
/// is kept at least until its own time plus that, unless `retention.bytes` or an administrator deletes earlier.
/// `times` are those of first records that the rows themselves don't tell.
pub fn records(
    group: &str,
    rows: &[ResetRow],
    topics: &BTreeMap<String, Result<TopicRetention, String>>,
    times: &HashMap<TopicPartition, Timestamp>,
    now: Timestamp,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (topic, retention) in topics {
        let rows: Vec<Going> = rows.iter().filter(|row| row.topic == *topic).filter_map(Going::of).collect();
        let warning = |code: &str, message: String| Warning::of_group(code, group, message).topic(topic);
        let retention = match retention {
            Ok(retention) => retention,
            Err(_) if rows.is_empty() => continue,
            Err(why) => {
                let message = format!("until when records of `{topic}` are kept is not known: {why}");
                warnings.push(warning("retention-unknown", message));
                continue;
            }
        };
        let Some(retention_ms) = retention.by_time() else { continue };
        let by_size = match retention.retention_bytes {
            ..0 => String::new(),
            bytes => format!(", or less where `retention.bytes` = {bytes} is reached"),
        };
        let rule = format!("`retention.ms` = {retention_ms}{by_size}");
        let mut near: Vec<(i64, &Going)> = Vec::new();
        let mut untimed: Vec<&Going> = Vec::new();
        for row in &rows {
            let partition = TopicPartition::new(topic.as_str(), row.partition);
            match row.time.or_else(|| times.get(&partition).copied()) {
                Some(time) => {
                    let until = time.as_millis().saturating_add(retention_ms);
                    if until.saturating_sub(now.as_millis()) < SOON_MS {
                        near.push((until, row));
                    }
                }
                None if row.margin.saturating_mul(10) <= row.length => untimed.push(row),
                None => {}
            }
        }
        near.sort_by_key(|(until, row)| (*until, row.partition));
        if let Some((until, row)) = near.first() {
            let until = Timestamp(*until);
            let kept = if until.as_millis() <= now.as_millis() {
                format!("its next record is past its time ({rule}) and may be deleted at any moment")
            } else {
                format!("its next record is kept at least until {until} ({rule})")
            };
            let message = format!(
                "`{topic}-{}` goes to {}, {} after the log start: {kept}; what is deleted before the group reads it is lost to it{}",
                row.partition,
                row.to,
                offsets(row.margin),
                more(near.len() - 1, topic)
            );
            warnings.push(warning("retention-near", message).partition(row.partition));
        }
        untimed.sort_by_key(|row| (row.margin, row.partition));
        if let Some(row) = untimed.first() {
            let message = format!(
                "`{topic}-{}` goes to {}, {} after the log start: until when its next record is kept is not known, since its \
                 time was not looked up ({rule}){}",
                row.partition,
                row.to,
                offsets(row.margin),
                more(untimed.len() - 1, topic)
            );
            warnings.push(warning("retention-near", message).partition(row.partition));
        }
    }
    warnings
}

/// A row that moves to where there is something to read.
struct Going {
    partition: i32,
    to: i64,
    margin: i64,
    length: i64,
    time: Option<Timestamp>,
}

impl Going {
    fn of(row: &ResetRow) -> Option<Going> {
        let (to, start, end) = (row.new_offset?, row.log_start_offset?, row.log_end_offset?);
        (row.action == Action::Move && to < end).then(|| Going {
            partition: row.partition,
            to,
            margin: to.saturating_sub(start),
            length: end.saturating_sub(start),
            time: row.new_timestamp,
        })
    }
}

fn offsets(count: i64) -> String {
    if count == 1 { "1 offset".to_owned() } else { format!("{count} offsets") }
}

fn more(count: usize, topic: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("; 1 more partition of `{topic}` is as close"),
        _ => format!("; {count} more partitions of `{topic}` are as close"),
    }
}

/// The partitions whose first record's time would tell how long it is kept: those that go to their log start, no more than so
/// many of a topic.
pub fn to_look_up(rows: &[ResetRow], of_a_topic: usize) -> Vec<TopicPartition> {
    let mut taken: HashMap<&str, usize> = HashMap::new();
    rows.iter()
        .filter(|row| Going::of(row).is_some_and(|going| going.margin == 0 && going.time.is_none()))
        .filter(|row| {
            let taken = taken.entry(&row.topic).or_default();
            *taken += 1;
            *taken <= of_a_topic
        })
        .map(|row| TopicPartition::new(row.topic.as_str(), row.partition))
        .collect()
}

/// Until when the commits of a group without members are kept. Those of a simple group and of a group of the new protocol
/// (KIP-848) count from each commit, those of a classic group from the moment that it became empty, which Kafka does not tell
/// (KIP-211; `ClassicGroup.offsetExpirationCondition`, `ConsumerGroup.offsetExpirationCondition`).
pub fn commits(group: &GroupDescription, minutes: &Result<i64, String>) -> Option<Warning> {
    let name = &group.group;
    if group.is_active() {
        return None;
    }
    let from_commit = group.is_simple || group.is_dead() || group.group_type == GroupType::Consumer;
    let message = match minutes {
        Err(why) => format!("how long commits of `{name}` are kept without members is not known: {why}"),
        Ok(minutes) => {
            let span = length(minutes.saturating_mul(60_000));
            if from_commit {
                format!(
                    "without members, commits of `{name}` are kept for {span} from each write \
                     (`{COMMIT_RETENTION}` = {minutes})"
                )
            } else {
                format!(
                    "without members, commits of `{name}` are kept for {span} from when the group became empty, a moment that \
                     Kafka does not tell: a group that stopped long ago may lose them soon (`{COMMIT_RETENTION}` = {minutes})"
                )
            }
        }
    };
    Some(Warning::of_group("commit-retention", name, message))
}

/// Whether a group is a Kafka Streams application, by the topics in which its library keeps state: `GROUP-…-changelog`,
/// `GROUP-…-repartition` (`StreamsGroup` and KIP-1071 apart, an application's id is its group's).
pub fn streams(group: &str, topics: &Result<Vec<String>, String>) -> Option<Warning> {
    let topics = topics.as_ref().ok()?;
    let prefix = format!("{group}-");
    let of = |suffix: &str| -> Vec<&str> {
        let mut names: Vec<&str> = topics
            .iter()
            .filter(|topic| topic.strip_prefix(&prefix).is_some_and(|rest| rest.ends_with(suffix)))
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        names
    };
    let internal: Vec<&str> = [of("-changelog"), of("-repartition")].concat();
    if internal.is_empty() {
        return None;
    }
    let mut shown: Vec<String> = internal.iter().take(3).map(|topic| format!("`{topic}`")).collect();
    if internal.len() > 3 {
        shown.push(format!("{} more", internal.len() - 3));
    }
    let message = format!(
        "`{group}` is a Kafka Streams application by its internal topics ({}): its state stays as it is, so records that are \
         delivered again are added to it again; Kafka's `kafka-streams-application-reset` resets both",
        shown.join(", ")
    );
    Some(Warning::of_group("streams-state", group, message))
}

/// Partitions that the group has no commit on though it has some on their topic: they are part of `--all-topics`.
pub fn without_commit(group: &str, rows: &[ResetRow]) -> Vec<Warning> {
    let mut topics: BTreeMap<&str, Vec<&ResetRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.current_offset.is_none()) {
        topics.entry(&row.topic).or_default().push(row);
    }
    topics
        .into_iter()
        .map(|(topic, rows)| {
            let mut numbers: Vec<String> = rows.iter().take(8).map(|row| row.partition.to_string()).collect();
            if rows.len() > 8 {
                numbers.push(format!("{} more", rows.len() - 8));
            }
            let moved = rows.iter().filter(|row| row.action == Action::Move).count();
            let become_of = match moved {
                0 => "they stay without one".to_owned(),
                _ if moved == rows.len() => "they get one".to_owned(),
                _ => format!("{moved} of them get one"),
            };
            let (what, verb) = if rows.len() == 1 { ("partition", "has") } else { ("partitions", "have") };
            let message = format!(
                "{what} {} of `{topic}` {verb} no commit of `{group}` (added since, or never read): {become_of}",
                numbers.join(", ")
            );
            Warning::of_group("without-commit", group, message).topic(topic)
        })
        .collect()
}

/// What brokers may have left out of `--all-topics` for a login that ACLs limit.
pub fn limited(group: &str) -> Warning {
    let message = format!(
        "this login is limited by ACLs: commits of `{group}` on topics that it may not describe are not shown here and stay \
         where they are"
    );
    Warning::of_group("limited-login", group, message)
}

#[cfg(test)]
mod tests;
