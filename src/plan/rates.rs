//! What two looks at the same groups say about speed.

use crate::report::DescribeReport;
use std::collections::HashMap;

/// Adds to each row how fast its group reads, how fast it is produced to, and how long it takes until the group has caught up:
/// measured from the look before, never estimated from one alone. A commit that was moved back, or a topic made anew, tells no
/// rate.
pub fn add_rates(before: &DescribeReport, now: &mut DescribeReport) {
    let elapsed_ms = now.captured_at.as_millis().saturating_sub(before.captured_at.as_millis());
    if elapsed_ms <= 0 {
        return;
    }
    let seconds = elapsed_ms as f64 / 1000.0;
    let mut rows_before = HashMap::new();
    for group in &before.groups {
        for row in &group.partitions {
            rows_before.insert((group.group.as_str(), row.topic.as_str(), row.partition), row);
        }
    }
    for group in &mut now.groups {
        for row in &mut group.partitions {
            let Some(was) = rows_before.get(&(group.group.as_str(), row.topic.as_str(), row.partition)) else {
                continue;
            };
            if was.topic_id != row.topic_id {
                continue;
            }
            let rate = |was: Option<i64>, is: Option<i64>| {
                let moved = is?.checked_sub(was?)?;
                (moved >= 0).then(|| moved as f64 / seconds)
            };
            row.consume_rate = rate(was.current_offset, row.current_offset);
            row.produce_rate = rate(was.log_end_offset, row.log_end_offset);
            row.caught_up_seconds = match (row.lag, row.consume_rate, row.produce_rate) {
                (Some(0), ..) => Some(0.0),
                (Some(lag), Some(consume), Some(produce)) if consume > produce => {
                    Some(lag as f64 / (consume - produce))
                }
                _ => None,
            };
        }
    }
}
