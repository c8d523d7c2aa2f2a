//! The oldest unread record of each partition, read from the log itself: never estimated.

use crate::error::Result;
use crate::kafka::reader::{Event, Source, is_final};
use crate::model::{Record, TimestampType};
use std::time::{Duration, Instant};

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
