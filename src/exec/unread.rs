//! The oldest unread record of each partition, read from the log itself: never estimated.

use crate::error::Result;
use crate::kafka::Client;
use crate::kafka::reader::{Event, Isolation, Source, is_final};
use crate::model::{Record, Timestamp, TimestampType, TopicPartition};
use crate::report::{DescribeReport, GroupTotal};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// There is nothing whose age could be told.
pub const NO_RECORD_LEFT: &str = "what is left to read holds no record: compacted, or markers of transactions";

/// Where a row's oldest unread record is: group, row.
type Place = (usize, usize);

/// What is read of one partition, for whom.
struct Wanted {
    from: i64,
    end: i64,
    places: Vec<Place>,
}

/// Adds the age of the oldest unread record to each row that has something unread, from the records themselves.
pub fn add_time_lag(client: &Client, report: &mut DescribeReport, patience: Duration) -> Result<()> {
    // Groups that stand at different offsets of one partition are read in turn: an assignment has one position for each.
    let mut rounds: Vec<BTreeMap<TopicPartition, Wanted>> = Vec::new();
    for (group_at, group) in report.groups.iter().enumerate() {
        for (row_at, row) in group.partitions.iter().enumerate() {
            let (Some(current), Some(start), Some(end)) =
                (row.current_offset, row.log_start_offset, row.log_end_offset)
            else {
                continue;
            };
            let from = current.max(start);
            if from >= end {
                continue;
            }
            let partition = TopicPartition::new(row.topic.as_str(), row.partition);
            let place = (group_at, row_at);
            let free = rounds.iter_mut().find(|round| round.get(&partition).is_none_or(|wanted| wanted.from == from));
            let round = match free {
                Some(round) => round,
                None => {
                    rounds.push(BTreeMap::new());
                    let last = rounds.len() - 1;
                    &mut rounds[last]
                }
            };
            round.entry(partition).or_insert_with(|| Wanted { from, end, places: Vec::new() }).places.push(place);
        }
    }
    if rounds.is_empty() {
        return Ok(());
    }
    let reader = super::replay::reader(client, Isolation::ReadUncommitted, super::replay::BUFFER)?;
    for round in rounds {
        let starts: Vec<(TopicPartition, i64)> =
            round.iter().map(|(partition, wanted)| (partition.clone(), wanted.from)).collect();
        let ends: Vec<i64> = round.values().map(|wanted| wanted.end).collect();
        let mut reading = reader.start(&starts)?;
        let first = first_records(&mut reading, &ends, patience)?;
        // The moment the age is measured from, like the rest of the report.
        let now = report.captured_at.as_millis();
        for (wanted, first) in round.into_values().zip(first) {
            for (group, row) in wanted.places {
                let row = &mut report.groups[group].partitions[row];
                let why = match &first {
                    First::At(timestamp) => {
                        row.oldest_unread_timestamp = Some(Timestamp(*timestamp));
                        // A record may be dated in the future: it is not younger than none.
                        row.time_lag_ms = Some(now.saturating_sub(*timestamp).max(0));
                        continue;
                    }
                    First::Undated => "the oldest unread record has no timestamp".to_owned(),
                    First::None => NO_RECORD_LEFT.to_owned(),
                    First::Unread(why) => format!("the oldest unread record could not be read: {why}"),
                };
                row.reason = Some(row.reason.take().map_or(why.clone(), |reason| format!("{reason}; {why}")));
            }
        }
    }
    for group in &mut report.groups {
        if group.error.is_none() {
            group.total = GroupTotal::of(&group.partitions);
        }
    }
    Ok(())
}

/// What comes first at or after an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum First {
    /// A record with this timestamp, in milliseconds.
    At(i64),
    /// A record that has no timestamp.
    Undated,
    /// No record up to the end: what is left was compacted, or is a transaction's marker.
    None,
    /// It could not be read, and why.
    Unread(String),
}

/// Reads the first record of each partition of the source. `ends`: where each log ended when it was looked at.
pub fn first_records(source: &mut dyn Source, ends: &[i64], patience: Duration) -> Result<Vec<First>> {
    let mut found: Vec<Option<First>> = vec![None; ends.len()];
    let deadline = Instant::now() + patience;
    let mut left = ends.len();
    while left > 0 && Instant::now() < deadline {
        let mut done: Vec<usize> = Vec::new();
        source.poll(Duration::from_millis(20), &mut |event| {
            let (index, answer) = match event {
                Event::Record { partition, record } => (partition, Some(dated(&record, ends[partition]))),
                Event::End { partition, offset } if offset >= ends[partition] => (partition, Some(First::None)),
                // A log that is shorter than it was a moment ago.
                Event::End { partition, offset } => {
                    (partition, Some(First::Unread(format!("the log now ends at {offset}"))))
                }
                Event::Fault { partition, fault } if is_final(&fault) => {
                    (partition, Some(First::Unread(fault.to_string())))
                }
                Event::Fault { partition, .. } => (partition, None),
            };
            if let (Some(answer), None) = (answer, &found[index]) {
                found[index] = Some(answer);
                done.push(index);
            }
            Ok(())
        })?;
        left -= done.len();
        if !done.is_empty() {
            source.stop(&done);
        }
    }
    let seconds = patience.as_secs();
    Ok(found
        .into_iter()
        .map(|first| first.unwrap_or_else(|| First::Unread(format!("it did not come within {seconds}s"))))
        .collect())
}

fn dated(record: &Record<'_>, end: i64) -> First {
    if record.offset >= end {
        // It came after the log was looked at: what was left then held no record.
        return First::None;
    }
    match record.timestamp_type {
        TimestampType::NotAvailable => First::Undated,
        _ => First::At(record.timestamp_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Script(Vec<Vec<(usize, i64, Option<i64>)>>);

    impl Source for Script {
        fn poll(&mut self, _: Duration, each: &mut dyn FnMut(Event<'_>) -> Result<()>) -> Result<usize> {
            let Some(batch) = (!self.0.is_empty()).then(|| self.0.remove(0)) else { return Ok(0) };
            for &(partition, offset, timestamp) in &batch {
                each(match timestamp {
                    None => Event::End { partition, offset },
                    Some(timestamp_ms) => Event::Record {
                        partition,
                        record: Record {
                            topic: "t",
                            partition: 0,
                            offset,
                            timestamp_ms,
                            timestamp_type: if timestamp_ms < 0 {
                                TimestampType::NotAvailable
                            } else {
                                TimestampType::CreateTime
                            },
                            key: None,
                            value: None,
                            headers: &[],
                        },
                    },
                })?;
            }
            Ok(batch.len())
        }

        fn stop(&mut self, _: &[usize]) {}
    }

    #[test]
    fn the_first_record_counts_and_what_holds_none_is_told() {
        let mut script = Script(vec![
            vec![(0, 5, Some(1000)), (0, 6, Some(10)), (1, 9, None)],
            vec![(2, 3, Some(-1)), (3, 12, Some(50)), (4, 2, None)],
        ]);
        let found = first_records(&mut script, &[10, 9, 10, 10, 10, 10], Duration::from_millis(100)).unwrap();
        assert_eq!(found[..4], [First::At(1000), First::None, First::Undated, First::None]);
        assert!(matches!(&found[4], First::Unread(why) if why.contains("ends at 2")));
        assert!(matches!(&found[5], First::Unread(why) if why.contains("did not come")));
    }
}
