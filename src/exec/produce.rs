//! What is to be known of a topic, and of the records that are to be produced into it, before the first one.

use super::replay::{Captured, ReplaySpec};
use crate::error::{Code, Error, Result};
use crate::kafka::{BrokerFault, Cluster, OffsetSpec};
use crate::model::{Timestamp, TopicDescription, TopicPartition};
use crate::offset::Target;
use crate::plan::produce::{BatchFacts, SETTINGS, TargetFacts, missing};
use crate::plan::window::{Bounds, Start};
use std::collections::{BTreeMap, BTreeSet};

/// Looks at the topic that is to take the records; one that does not exist is refused with the line that creates it.
pub fn target<C: Cluster + ?Sized>(cluster: &C, topic: &str, batch: &BatchFacts) -> Result<TargetFacts> {
    let description = describe(cluster, topic, batch)?;
    let settings = cluster
        .topic_settings(&[topic], &SETTINGS)
        .pop()
        .unwrap_or_else(|| Err(BrokerFault::no_answer()))
        .map_err(|fault| fault.to_string());
    Ok(TargetFacts { topic: description, settings })
}

fn describe<C: Cluster + ?Sized>(cluster: &C, topic: &str, batch: &BatchFacts) -> Result<TopicDescription> {
    let answer = cluster.describe_topics(&[topic]).pop().unwrap_or_else(|| Err(BrokerFault::no_answer()));
    answer.map_err(|fault| {
        if fault.is_missing_topic() {
            missing(topic, batch)
        } else {
            fault.into_error(&format!("describing topic `{topic}`"))
        }
    })
}

/// Whether it is still the topic that was looked at: a person may have thought for long.
pub fn is_still<C: Cluster + ?Sized>(cluster: &C, before: &TargetFacts, batch: &BatchFacts) -> Result<()> {
    let now = describe(cluster, &before.topic.topic, batch)?;
    match (&before.topic.topic_id, &now.topic_id) {
        (Some(then), Some(now)) if then != now => {
            Err(Error::new(Code::StalePlan, format!("`{}` was deleted and made anew meanwhile", before.topic.topic))
                .hint("run it again: the plan is made anew; nothing was written"))
        }
        _ => Ok(()),
    }
}

/// What is known of the records of these windows without reading them.
pub fn batch<C: Cluster + ?Sized>(cluster: &C, captured: &Captured, spec: &ReplaySpec) -> BatchFacts {
    let mut topics: BTreeMap<String, usize> = BTreeMap::new();
    let names: BTreeSet<&str> = captured.partitions.iter().map(|part| part.partition.topic.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    for (&name, answer) in names.iter().zip(cluster.describe_topics(&names)) {
        // All partitions that the topic has: a window may name a few of them.
        let named = captured.partitions.iter().filter(|part| part.partition.topic == name).count();
        topics.insert(name.to_owned(), answer.map_or(named, |topic| topic.partitions.len()));
    }
    let settings = cluster.topic_settings(&names, &["max.message.bytes", "cleanup.policy"]);
    let number = |key: &str| {
        let of_each = settings.iter().flatten().filter_map(|settings| settings.get(key)?.parse::<u64>().ok());
        of_each.max()
    };
    // A compacted topic takes no record without a key.
    let keyed = settings.iter().all(|answer| {
        answer.as_ref().is_ok_and(|s| s.get("cleanup.policy").is_some_and(|policy| policy.contains("compact")))
    });
    BatchFacts {
        topics,
        last_partition: captured.to_read().map(|part| part.partition.partition).max(),
        oldest_ms: oldest(cluster, captured, spec),
        newest_ms: None,
        null_keys: keyed.then_some(false),
        largest: number("max.message.bytes"),
        ..BatchFacts::default()
    }
}

fn oldest<C: Cluster + ?Sized>(cluster: &C, captured: &Captured, spec: &ReplaySpec) -> Option<i64> {
    let Bounds::Alike { from: Start::At(from), .. } = &spec.window.bounds else { return None };
    match from {
        Target::Timestamp(moment) => Some(moment.timestamp.as_millis()),
        // The log's first record with a timestamp, which is the window's first one.
        Target::Earliest => found(cluster, captured, 0).into_iter().map(|(_, timestamp)| timestamp).min(),
        _ => None,
    }
}

/// The newest timestamp more than `after_ms` ahead of now that a window holds.
pub fn too_far_ahead<C: Cluster + ?Sized>(
    cluster: &C,
    captured: &Captured,
    now: Timestamp,
    after_ms: i64,
) -> Option<i64> {
    let limit = now.as_millis().saturating_add(after_ms).saturating_add(1);
    found(cluster, captured, limit).into_iter().map(|(_, timestamp)| timestamp).max()
}

/// The first record of each window at or after this time, as far as leaders tell it.
fn found<C: Cluster + ?Sized>(cluster: &C, captured: &Captured, time_ms: i64) -> Vec<(i64, i64)> {
    let parts: Vec<_> = captured.to_read().collect();
    let queries: Vec<(TopicPartition, OffsetSpec)> =
        parts.iter().map(|part| (part.partition.clone(), OffsetSpec::AtTime(time_ms))).collect();
    let answers = cluster.list_offsets(&queries);
    parts
        .iter()
        .zip(answers)
        .filter_map(|(part, answer)| {
            let found = answer.ok()??;
            let within = found.offset < part.window.end;
            within.then_some((found.offset, found.timestamp_ms?))
        })
        .collect()
}
