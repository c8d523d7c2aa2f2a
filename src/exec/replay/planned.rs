use super::{Captured, ReplaySpec, window_report};
use crate::report::{Ended, ReplayOutcome, ReplayPartition, ReplayReport, ReplayTotal, SinkReport, VERSION, Warning};

/// The report of a run that only shows what it would do.
pub fn planned(captured: &Captured, spec: &ReplaySpec, target: String, warnings: Vec<Warning>) -> ReplayReport {
    let partitions = captured
        .partitions
        .iter()
        .map(|part| ReplayPartition {
            topic: part.partition.topic.clone(),
            topic_id: captured.topic_ids.get(&part.partition.topic).cloned().flatten(),
            partition: part.partition.partition,
            start_offset: part.window.start,
            end_offset: part.window.end,
            next_offset: part.window.start,
            high_watermark: part.high_watermark,
            held_back: 0,
            records: 0,
            filtered: 0,
            outside_window: 0,
            gaps: 0,
            bytes: 0,
            ended: if part.window.is_empty() { Ended::NothingToReplay } else { Ended::NotBegun },
            reason: part.window.reason.clone(),
        })
        .collect();
    ReplayReport {
        kind: "replay".to_owned(),
        version: VERSION,
        outcome: ReplayOutcome::Planned,
        cluster_id: captured.cluster_id.clone(),
        captured_at: captured.captured_at,
        isolation_level: spec.isolation.as_str().to_owned(),
        window: window_report(&spec.window),
        partitions,
        total: ReplayTotal { records: 0, filtered: 0, bytes: 0, seconds: 0.0, records_per_second: 0.0 },
        sink: SinkReport { into: "kafka".to_owned(), target, partial: None, written: 0, duplicates: 0 },
        resume: None,
        warnings,
    }
}
