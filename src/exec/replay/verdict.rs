use super::Captured;
use super::conveyor::SinkEnd;
use super::drive::{Drive, Part};
use crate::model::TopicPartition;
use crate::plan::tally::Tally;
use crate::report::{
    Ended, ReplayOutcome, ReplayPartition, ReplayReport, ReplayTotal, SinkReport, VERSION, Warning, WindowReport,
};
use crate::sink::Remark;
use std::collections::HashMap;
use std::time::Duration;

/// The report of a run that has ended.
#[allow(clippy::too_many_arguments)]
pub(super) fn report(
    captured: &Captured,
    window: WindowReport,
    drive: &Drive<'_>,
    (into, target): (&'static str, String),
    sink: SinkEnd,
    elapsed: Duration,
    interrupted: bool,
    sink_failed: bool,
) -> ReplayReport {
    let read: HashMap<&TopicPartition, &Part> = drive.parts.iter().map(|part| (&part.partition, part)).collect();
    let partitions: Vec<ReplayPartition> = captured
        .partitions
        .iter()
        .map(|captured_part| {
            let empty = Tally::new(captured_part.window.start, captured_part.window.end);
            let part = read.get(&captured_part.partition).copied();
            let tally = part.map_or(&empty, |part| &part.tally);
            let end = part.and_then(|part| part.end.as_ref());
            let ended = end.map_or(Ended::NothingToReplay, |end| end.ended);
            let reason = end.and_then(|end| end.reason.clone()).or_else(|| captured_part.window.reason.clone());
            let TopicPartition { topic, partition } = &captured_part.partition;
            ReplayPartition {
                topic: topic.clone(),
                topic_id: captured.topic_ids.get(topic).cloned().flatten(),
                partition: *partition,
                start_offset: tally.start(),
                end_offset: tally.end(),
                next_offset: part.map_or(tally.next(), Part::next_offset),
                high_watermark: captured_part.high_watermark,
                held_back: part.map_or(0, |part| part.held_back),
                records: tally.records(),
                filtered: tally.filtered(),
                outside_window: tally.outside(),
                gaps: tally.gaps(),
                bytes: tally.bytes(),
                ended,
                reason,
            }
        })
        .collect();
    let mut remarks = sink.remarks;
    if drive.not_json > 0 {
        remarks.push(Remark {
            code: "not-json",
            message: match drive.not_json {
                1 => "1 record was left out since its value is not JSON, which `--where` looks into".to_owned(),
                count => {
                    format!("{count} records were left out since their values are not JSON, which `--where` looks into")
                }
            },
        });
    }
    let sum = |of: fn(&ReplayPartition) -> u64| partitions.iter().map(of).sum::<u64>();
    let records = sum(|partition| partition.records);
    // What an earlier run read is a part of the account, and none of this run's speed.
    let before = drive.seen_records;
    // To the millisecond, and never a division by nothing.
    let seconds = (elapsed.as_secs_f64() * 1000.0).round().max(1.0) / 1000.0;
    ReplayReport {
        kind: "replay".to_owned(),
        version: VERSION,
        outcome: outcome(&partitions, interrupted, sink_failed),
        cluster_id: captured.cluster_id.clone(),
        captured_at: captured.captured_at,
        isolation_level: drive.limits.isolation.as_str().to_owned(),
        window,
        total: ReplayTotal {
            records,
            filtered: sum(|partition| partition.filtered),
            bytes: sum(|partition| partition.bytes),
            seconds,
            records_per_second: (records.saturating_sub(before) as f64 / seconds * 10.0).round() / 10.0,
        },
        sink: SinkReport {
            into: into.to_owned(),
            target,
            partial: sink.finished.partial.map(|path| path.display().to_string()),
            written: before + sink.written,
            duplicates: sink.duplicates,
        },
        resume: None,
        warnings: partitions.iter().filter_map(warning).chain(remarks.into_iter().map(remark)).collect(),
        partitions,
    }
}

fn outcome(partitions: &[ReplayPartition], interrupted: bool, sink_failed: bool) -> ReplayOutcome {
    if interrupted {
        ReplayOutcome::Interrupted
    } else if sink_failed || partitions.iter().any(|partition| !partition.ended.is_whole()) {
        ReplayOutcome::Incomplete
    } else if partitions.iter().any(|partition| partition.ended == Ended::Limit) {
        ReplayOutcome::Limited
    } else if partitions.iter().all(|partition| partition.ended == Ended::NothingToReplay) {
        ReplayOutcome::NothingToReplay
    } else {
        ReplayOutcome::Complete
    }
}

/// What a person should know of a partition whose run is complete all the same.
fn warning(partition: &ReplayPartition) -> Option<Warning> {
    (partition.ended == Ended::HeldBack).then(|| Warning {
        code: "held-back".to_owned(),
        message: format!(
            "`{}-{}` was read up to {}: a transaction is open there and holds {} offsets back",
            partition.topic, partition.partition, partition.end_offset, partition.held_back
        ),
        group: None,
        topic: Some(partition.topic.clone()),
        partition: Some(partition.partition),
    })
}

fn remark(remark: Remark) -> Warning {
    Warning { code: remark.code.to_owned(), message: remark.message, group: None, topic: None, partition: None }
}
