//! What a topic would do to the records that are to be produced into it: refused, or warned of, before the first one.

use crate::error::{Code, Error};
use crate::model::{Timestamp, TopicDescription};
use crate::report::Warning;
use std::collections::BTreeMap;

/// The settings of a topic that matter here.
pub const SETTINGS: [&str; 6] = [
    "cleanup.policy",
    "max.message.bytes",
    "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.type",
    "retention.ms",
];

/// The topic that takes the records.
#[derive(Debug, Clone)]
pub struct TargetFacts {
    /// What the brokers tell of it.
    pub topic: TopicDescription,
    /// Its settings; `Err` where this login may not read them.
    pub settings: Result<BTreeMap<String, String>, String>,
}

/// The records.
#[derive(Debug, Clone, Default)]
pub struct BatchFacts {
    /// The topics that they come from, and how many partitions each has; 0 where that is not known.
    pub topics: BTreeMap<String, usize>,
    /// The highest partition.
    pub last_partition: Option<i32>,
    /// The oldest timestamp, where it is known.
    pub oldest_ms: Option<i64>,
    /// The newest timestamp, where it is known.
    pub newest_ms: Option<i64>,
    /// Whether records may lack a key; `None` where that is not known.
    pub null_keys: Option<bool>,
    /// The largest record, or what its topic takes.
    pub largest: Option<u64>,
    /// Whether each keeps its partition.
    pub keeps_partitions: bool,
    /// What a refusal or warning advises for `kafka-topics`: the target's servers.
    pub servers: String,
}

/// What keeps the records from being produced there.
pub fn refusal(target: &TargetFacts, batch: &BatchFacts) -> Option<Error> {
    let topic = &target.topic;
    if topic.is_internal {
        return Some(
            Error::new(Code::Protected, format!("`{}` is Kafka's own topic", topic.topic))
                .hint("name a topic of yours; nothing was written"),
        );
    }
    let count = topic.partitions.len();
    if let Some(last) = batch.last_partition.filter(|&last| batch.keeps_partitions && !topic.has_partition(last)) {
        let needed = last + 1;
        return Some(
            Error::new(
                Code::OutOfRange,
                format!("`{}` has {}, and records of partition {last} are to keep theirs", topic.topic, partitions(count)),
            )
            .hint("`--into-partitioner murmur2` chooses partitions by the key, as Java's producer does; nothing was written")
            .hint(format!(
                "or `kafka-topics --bootstrap-server {} --alter --topic {} --partitions {needed}`",
                batch.servers, topic.topic
            )),
        );
    }
    None
}

/// The error of a target that does not exist, with the line that creates it.
pub fn missing(topic: &str, batch: &BatchFacts) -> Error {
    let most = batch.topics.values().copied().max().unwrap_or(1).max(1);
    let partitions = batch.last_partition.map_or(most, |last| most.max(usize::try_from(last).unwrap_or(0) + 1));
    Error::new(Code::TopicNotFound, format!("topic `{topic}` does not exist, and krewind creates none"))
        .hint(format!(
            "`kafka-topics --bootstrap-server {} --create --topic {topic} --partitions {partitions}`",
            batch.servers
        ))
        .on_write()
}

/// What a person should know before the first record.
pub fn warnings(target: &TargetFacts, batch: &BatchFacts, now: Timestamp) -> Vec<Warning> {
    let name = &target.topic.topic;
    let mut found = Vec::new();
    let mut warn = |code: &str, message: String| {
        found.push(Warning { code: code.to_owned(), message, group: None, topic: Some(name.clone()), partition: None });
    };
    let count = target.topic.partitions.len();
    let source = batch.topics.values().copied().max().unwrap_or(count);
    if source != 0 && source != count {
        warn(
            "partition-count",
            format!(
                "`{name}` has {}, the records come from {}: {}",
                partitions(count),
                source,
                if batch.keeps_partitions {
                    "records keep their partition, which is not where a producer would put their keys now"
                } else {
                    "keys that shared a partition may not share one there"
                }
            ),
        );
    }
    if batch.topics.len() > 1 {
        warn(
            "topics-merged",
            format!("records of {} topics go into `{name}`, in no order among each other", batch.topics.len()),
        );
    }
    if !target.topic.leaderless.is_empty() {
        warn("no-leader", format!("{} of `{name}` have no leader now", partitions(target.topic.leaderless.len())));
    }
    let settings = match &target.settings {
        Ok(settings) => settings,
        Err(why) => {
            warn("settings-unknown", format!("the settings of `{name}` can't be read, so nothing was checked: {why}"));
            return found;
        }
    };
    let number = |key: &str| settings.get(key).and_then(|value| value.parse::<i64>().ok());
    let append_time = settings.get("message.timestamp.type").is_some_and(|value| value == "LogAppendTime");
    if append_time {
        warn(
            "timestamps-replaced",
            format!(
                "`{name}` has `message.timestamp.type=LogAppendTime`: timestamps are not kept, brokers give their own"
            ),
        );
    }
    let policy = settings.get("cleanup.policy").map_or("delete", String::as_str);
    let age = |ms: i64| now.as_millis().saturating_sub(ms);
    if !append_time {
        let retention = number("retention.ms").filter(|&ms| ms >= 0 && policy.contains("delete"));
        match (retention, batch.oldest_ms) {
            (Some(retention), Some(oldest)) if age(oldest) > retention => warn(
                "retention",
                format!(
                    "`{name}` keeps records for {}, and the oldest of these is {} old: what is older is deleted soon after it is written",
                    span(retention),
                    span(age(oldest))
                ),
            ),
            _ => {}
        }
        let before = number("message.timestamp.before.max.ms").filter(|&ms| ms != i64::MAX);
        match (before, batch.oldest_ms) {
            (Some(before), Some(oldest)) if age(oldest) > before => warn(
                "timestamp-too-old",
                format!(
                    "`{name}` refuses records older than {} (`message.timestamp.before.max.ms`), and the oldest of these is {} old",
                    span(before),
                    span(age(oldest))
                ),
            ),
            (Some(before), None) => warn(
                "timestamp-too-old",
                format!("`{name}` refuses records older than {} (`message.timestamp.before.max.ms`)", span(before)),
            ),
            _ => {}
        }
        let after = number("message.timestamp.after.max.ms").filter(|&ms| ms != i64::MAX);
        if let (Some(after), Some(newest)) = (after, batch.newest_ms)
            && age(newest) < after.saturating_neg()
        {
            warn(
                "timestamp-too-new",
                format!(
                    "`{name}` refuses records dated more than {} ahead (`message.timestamp.after.max.ms`), and the newest of these is dated {} ahead",
                    span(after),
                    span(-age(newest))
                ),
            );
        }
    }
    if let (Some(limit), Some(largest)) = (number("max.message.bytes"), batch.largest)
        && i64::try_from(largest).unwrap_or(i64::MAX) > limit
    {
        warn(
            "max-message-bytes",
            format!("`{name}` takes {limit} bytes a batch (`max.message.bytes`), and records may have {largest}"),
        );
    }
    if policy.contains("compact") && batch.null_keys != Some(false) {
        warn(
            "compacted",
            format!("`{name}` is compacted: it takes no record without a key, and keeps the last of each key alone"),
        );
    }
    found
}

fn partitions(count: usize) -> String {
    if count == 1 { "1 partition".to_owned() } else { format!("{count} partitions") }
}

/// `7 d`, `90 s`: the largest unit that loses little.
fn span(ms: i64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s")];
    let unit = units.into_iter().find(|(size, _)| ms >= 2 * size || ms > 0 && ms % size == 0);
    unit.map_or_else(|| format!("{ms} ms"), |(size, name)| format!("{} {name}", ms / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);
    const HOUR: i64 = 3_600_000;

    fn target(partitions: i32, settings: &[(&str, &str)]) -> TargetFacts {
        TargetFacts {
            topic: TopicDescription {
                topic: "copy".to_owned(),
                topic_id: None,
                partitions: (0..partitions).collect(),
                leaderless: Default::default(),
                is_internal: false,
            },
            settings: Ok(settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()),
        }
    }

    fn batch() -> BatchFacts {
        BatchFacts {
            topics: BTreeMap::from([("orders".to_owned(), 3)]),
            last_partition: Some(2),
            oldest_ms: Some(NOW.0 - 2 * HOUR),
            newest_ms: Some(NOW.0),
            null_keys: Some(true),
            largest: Some(1000),
            keeps_partitions: true,
            servers: "h:9092".to_owned(),
        }
    }

    fn codes(target: &TargetFacts, batch: &BatchFacts) -> Vec<String> {
        warnings(target, batch, NOW).into_iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn a_topic_like_the_source_needs_no_word() {
        let settings = [("retention.ms", "86400000"), ("cleanup.policy", "delete"), ("max.message.bytes", "1048588")];
        assert_eq!(codes(&target(3, &settings), &batch()), [] as [&str; 0]);
        assert!(refusal(&target(3, &settings), &batch()).is_none());
    }

    #[test]
    fn each_setting_that_changes_or_refuses_records_is_said() {
        for (settings, code) in [
            (&[("message.timestamp.type", "LogAppendTime")][..], "timestamps-replaced"),
            (&[("retention.ms", "3600000")], "retention"),
            (&[("message.timestamp.before.max.ms", "3600000")], "timestamp-too-old"),
            (&[("max.message.bytes", "999")], "max-message-bytes"),
            (&[("cleanup.policy", "compact")], "compacted"),
        ] {
            assert_eq!(codes(&target(3, settings), &batch()), [code], "{settings:?}");
        }
        let future = BatchFacts { newest_ms: Some(NOW.0 + 2 * HOUR), ..batch() };
        assert_eq!(codes(&target(3, &[("message.timestamp.after.max.ms", "3600000")]), &future), ["timestamp-too-new"]);
        assert_eq!(codes(&target(3, &[("message.timestamp.after.max.ms", "7200000")]), &future), [] as [&str; 0]);
        // Kept for ever; compacted alone keeps by key, not by age.
        assert_eq!(codes(&target(3, &[("retention.ms", "-1")]), &batch()), [] as [&str; 0]);
        let keyed = BatchFacts { null_keys: Some(false), ..batch() };
        assert_eq!(codes(&target(3, &[("retention.ms", "1"), ("cleanup.policy", "compact")]), &keyed), [] as [&str; 0]);
    }

    #[test]
    fn partitions_are_compared() {
        assert_eq!(codes(&target(4, &[]), &batch()), ["partition-count"]);
        let two = BatchFacts { topics: BTreeMap::from([("a".to_owned(), 3), ("b".to_owned(), 1)]), ..batch() };
        assert_eq!(codes(&target(3, &[]), &two), ["topics-merged"]);
        assert_eq!(refusal(&target(2, &[]), &batch()).unwrap().code, Code::OutOfRange);
        assert!(refusal(&target(2, &[]), &BatchFacts { keeps_partitions: false, ..batch() }).is_none());
        let own =
            TargetFacts { topic: TopicDescription { is_internal: true, ..target(3, &[]).topic }, ..target(3, &[]) };
        assert_eq!(refusal(&own, &batch()).unwrap().code, Code::Protected);
        assert!(missing("copy", &batch()).hints[0].contains("--create --topic copy --partitions 3"));
    }

    #[test]
    fn spans_are_in_the_largest_unit_that_tells_enough() {
        let texts = [604_800_000, 3_600_000, 5_400_000, 1500, 999, 0].map(span);
        assert_eq!(texts, ["7 d", "1 h", "90 min", "1500 ms", "999 ms", "0 ms"]);
    }
}
