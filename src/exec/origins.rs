//! Which records an earlier run produced into a topic: by the headers of their origin, behind the place that its checkpoint kept.

use super::gather;
use crate::error::{Code, Error, Result};
use crate::kafka::reader::{Event, Isolation, Source, is_final};
use crate::kafka::{BrokerFault, Client, Cluster, OffsetSpec};
use crate::model::{Record, TopicPartition};
use crate::sink::ORIGIN_HEADERS;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Nothing at all may come for this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where each partition of a topic ends.
pub fn ends<C: Cluster + ?Sized>(cluster: &C, topic: &str, partitions: &[i32]) -> Result<BTreeMap<i32, i64>> {
    let queries: Vec<(TopicPartition, OffsetSpec)> =
        partitions.iter().map(|&partition| (TopicPartition::new(topic, partition), OffsetSpec::Latest)).collect();
    let answers = cluster.list_offsets(&queries);
    partitions
        .iter()
        .zip(answers)
        .map(|(&partition, answer)| match answer {
            Ok(Some(found)) => Ok((partition, found.offset)),
            Ok(None) => {
                Err(BrokerFault::no_answer().into_error(&format!("looking up the end of `{topic}-{partition}`")))
            }
            Err(fault) => Err(fault.into_error(&format!("looking up the end of `{topic}-{partition}`"))),
        })
        .collect()
}

/// Reads the target from these offsets to its end: the offsets, in order, of what came from each partition of the cluster `source`.
pub fn present(
    client: &'static Client,
    topic: &str,
    from: &BTreeMap<i32, i64>,
    source: &str,
) -> Result<BTreeMap<(String, i32), Vec<i64>>> {
    let partitions: Vec<TopicPartition> = from.keys().map(|&partition| TopicPartition::new(topic, partition)).collect();
    let logs = gather::logs(client, &partitions, &[]);
    let mut starts: Vec<(TopicPartition, i64)> = Vec::new();
    let mut open: Vec<i64> = Vec::new();
    for ((partition, &start), log) in partitions.into_iter().zip(from.values()).zip(logs) {
        let log = log.watermarks.map_err(|fault| fault.into_error(&format!("looking at `{partition}`")))?;
        if log.log_start > start || log.high_watermark < start {
            return Err(Error::new(
                Code::StalePlan,
                format!(
                    "`{partition}` begins at {} and ends at {}, and the checkpoint stands at {start}",
                    log.log_start, log.high_watermark
                ),
            )
            .hint("what was produced since can't be told: nothing was produced; begin anew in another topic"));
        }
        if log.high_watermark > start {
            starts.push((partition, start));
            open.push(log.high_watermark);
        }
    }
    let mut found: BTreeMap<(String, i32), Vec<i64>> = BTreeMap::new();
    let mut left = open.len();
    if left > 0 {
        let reader = super::replay::reader(client, Isolation::ReadUncommitted, super::replay::BUFFER)?;
        let mut reading = reader.start(&starts)?;
        let mut done = vec![false; left];
        let mut last = Instant::now();
        while left > 0 {
            let mut ended: Vec<usize> = Vec::new();
            let came = Source::poll(&mut reading, Duration::from_millis(20), &mut |event| {
                let (index, at_end) = match event {
                    Event::Record { partition, record } => {
                        if let Some((topic, number, offset)) =
                            origin(&record, source).filter(|_| record.offset < open[partition])
                        {
                            found.entry((topic, number)).or_default().push(offset);
                        }
                        (partition, record.offset + 1 >= open[partition])
                    }
                    Event::End { partition, offset } => (partition, offset >= open[partition]),
                    Event::Fault { fault, .. } if is_final(&fault) => {
                        return Err(fault.into_error(&format!("reading what is in `{topic}` already")));
                    }
                    Event::Fault { partition, .. } => (partition, false),
                };
                if at_end && !std::mem::replace(&mut done[index], true) {
                    ended.push(index);
                }
                Ok(())
            })?;
            left -= ended.len();
            if !ended.is_empty() {
                Source::stop(&mut reading, &ended);
            }
            if came > 0 {
                last = Instant::now();
            } else if last.elapsed() >= PATIENCE {
                return Err(Error::new(
                    Code::TimedOut,
                    format!(
                        "what is in `{topic}` already could not be read: nothing came for {} s",
                        PATIENCE.as_secs()
                    ),
                ));
            }
        }
        // Closing a consumer waits for nothing that matters here.
        std::mem::forget(reading);
    }
    found.values_mut().for_each(|offsets| offsets.sort_unstable());
    Ok(found)
}

/// Topic, partition and offset that the last headers of origin tell, where they tell this cluster.
fn origin(record: &Record<'_>, source: &str) -> Option<(String, i32, i64)> {
    let [cluster, topic, partition, offset, _] = ORIGIN_HEADERS;
    // A record that was copied before has headers of an earlier origin, which stand before ours.
    let text = |name: &str| {
        let header = record.headers.iter().rev().find(|header| header.key == name.as_bytes())?;
        std::str::from_utf8(header.value?).ok()
    };
    if text(cluster)? != source {
        return None;
    }
    Some((text(topic)?.to_owned(), text(partition)?.parse().ok()?, text(offset)?.parse().ok()?))
}
