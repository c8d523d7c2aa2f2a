//! The records around each committed offset.

use crate::error::{Code, Error, Result};
use crate::kafka::reader::{Event, Reader, Source, is_final};
use crate::model::{Record, Timestamp, TimestampType, TopicPartition};
use crate::report::{DescribeReport, PeekPartition, PeekRecord, PeekReport, VERSION};
use crate::sink::json_line;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How far back records before a commit are looked for where the log has gaps.
const FARTHEST: i64 = 10_000;

/// One commit and what was found around it.
struct Around {
    partition: TopicPartition,
    commit: i64,
    log_start: i64,
    end: i64,
    from: i64,
    before: VecDeque<PeekRecord>,
    after: Vec<PeekRecord>,
    done: bool,
    reason: Option<String>,
}

/// Reads up to `before` records in front of each commit of the report, and up to `after` from it on.
pub fn peek(
    reader: &Reader,
    report: &DescribeReport,
    before: usize,
    after: usize,
    patience: Duration,
) -> Result<PeekReport> {
    let mut partitions = Vec::new();
    for group in &report.groups {
        let mut found: Vec<Around> = Vec::new();
        for row in &group.partitions {
            let (Some(commit), Some(log_start), Some(end)) =
                (row.current_offset, row.log_start_offset, row.log_end_offset)
            else {
                partitions.push(PeekPartition {
                    group: group.group.clone(),
                    topic: row.topic.clone(),
                    partition: row.partition,
                    current_offset: row.current_offset,
                    before: Vec::new(),
                    after: Vec::new(),
                    reason: Some(row.reason.clone().unwrap_or_else(|| row.status.as_str().to_owned())),
                });
                continue;
            };
            found.push(Around {
                partition: TopicPartition::new(row.topic.as_str(), row.partition),
                commit,
                log_start,
                end,
                from: back(commit.min(end), before as i64, log_start),
                before: VecDeque::new(),
                after: Vec::new(),
                done: log_start >= end,
                reason: row.reason.clone(),
            });
        }
        read(reader, &mut found, before, after, patience)?;
        // Where compaction left gaps, the records before a commit lie farther back.
        let mut farther = before as i64;
        while farther < FARTHEST {
            farther = farther.saturating_mul(10).clamp(10, FARTHEST);
            let mut short: Vec<&mut Around> = found
                .iter_mut()
                .filter(|around| {
                    around.reason.is_none() && around.before.len() < before && around.from > around.log_start
                })
                .collect();
            if short.is_empty() {
                break;
            }
            for around in &mut short {
                around.from = back(around.commit.min(around.end), farther, around.log_start);
                around.before.clear();
                around.after.clear();
                around.done = false;
            }
            read(reader, &mut found, before, after, patience)?;
        }
        partitions.extend(found.into_iter().map(|around| PeekPartition {
            group: group.group.clone(),
            topic: around.partition.topic,
            partition: around.partition.partition,
            current_offset: Some(around.commit),
            before: around.before.into(),
            after: around.after,
            reason: around.reason,
        }));
    }
    partitions.sort_by(|a, b| (&a.group, &a.topic, a.partition).cmp(&(&b.group, &b.topic, b.partition)));
    Ok(PeekReport {
        kind: "peek".to_owned(),
        version: VERSION,
        cluster_id: report.cluster_id.clone(),
        captured_at: report.captured_at,
        partitions,
        warnings: Vec::new(),
    })
}

fn back(commit: i64, by: i64, log_start: i64) -> i64 {
    commit.saturating_sub(by).max(log_start)
}

fn read(reader: &Reader, found: &mut [Around], before: usize, after: usize, patience: Duration) -> Result<()> {
    let open: Vec<usize> = (0..found.len()).filter(|&at| !found[at].done).collect();
    if open.is_empty() {
        return Ok(());
    }
    let starts: Vec<(TopicPartition, i64)> =
        open.iter().map(|&at| (found[at].partition.clone(), found[at].from)).collect();
    let mut reading = reader.start(&starts)?;
    let deadline = Instant::now() + patience;
    while open.iter().any(|&at| !found[at].done) && Instant::now() < deadline {
        let mut done: Vec<usize> = Vec::new();
        reading.poll(Duration::from_millis(20), &mut |event| {
            let (index, finished) = match event {
                Event::Record { partition, record } => {
                    let around = &mut found[open[partition]];
                    (partition, !around.done && take(around, &record, before, after)?)
                }
                Event::End { partition, offset } => (partition, offset >= found[open[partition]].end),
                Event::Fault { partition, fault } if is_final(&fault) => {
                    found[open[partition]].reason = Some(fault.to_string());
                    (partition, true)
                }
                Event::Fault { partition, .. } => (partition, false),
            };
            if finished && !found[open[index]].done {
                found[open[index]].done = true;
                done.push(index);
            }
            Ok(())
        })?;
        if !done.is_empty() {
            reading.stop(&done);
        }
    }
    for &at in &open {
        if !found[at].done {
            found[at].done = true;
            found[at].reason = Some(format!("not everything came within {}s", patience.as_secs()));
        }
    }
    Ok(())
}

/// Keeps the record where it is wanted; whether that was the last one.
fn take(around: &mut Around, record: &Record<'_>, before: usize, after: usize) -> Result<bool> {
    if record.offset < around.commit {
        if before > 0 {
            if around.before.len() == before {
                around.before.pop_front();
            }
            around.before.push_back(owned(record)?);
        }
        return Ok(false);
    }
    if around.after.len() < after {
        around.after.push(owned(record)?);
    }
    Ok(around.after.len() >= after)
}

fn owned(record: &Record<'_>) -> Result<PeekRecord> {
    let line = serde_json::value::RawValue::from_string(json_line(record))
        .map_err(|error| Error::new(Code::Internal, "a record could not be encoded").caused_by(error))?;
    let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Ok(PeekRecord {
        line,
        offset: record.offset,
        timestamp: (record.timestamp_type != TimestampType::NotAvailable).then_some(Timestamp(record.timestamp_ms)),
        key: text(record.key),
        value: text(record.value),
    })
}
