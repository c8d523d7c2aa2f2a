//! Groups in Prometheus's text exposition format, for the node exporter's textfile collector. Names and labels are those that
//! exporters of this field share (kminion, kafka-lag-exporter, kafka_exporter: a group's lag by topic and partition).

use crate::report::{DescribeReport, ListReport, PartitionReport};
use std::fmt::Write;

/// One family of samples.
struct Family {
    name: &'static str,
    help: &'static str,
    samples: Vec<(String, i128)>,
}

impl Family {
    fn new(name: &'static str, help: &'static str) -> Self {
        Family { name, help, samples: Vec::new() }
    }

    fn write(&self, out: &mut String) {
        if self.samples.is_empty() {
            return;
        }
        let _ = writeln!(out, "# HELP {} {}\n# TYPE {} gauge", self.name, self.help, self.name);
        for (labels, value) in &self.samples {
            let _ = writeln!(out, "{}{{{labels}}} {value}", self.name);
        }
    }
}

type Field = fn(&PartitionReport) -> Option<i128>;

/// Lag, offsets and members of the groups. What is not known has no sample: a gap in a graph, never a zero.
pub fn describe(report: &DescribeReport) -> String {
    let per_partition: [(&str, &str, Field); 6] = [
        ("kafka_consumergroup_current_offset", "Committed offset: the next one that the group reads.", |row| {
            row.current_offset.map(i128::from)
        }),
        ("kafka_consumergroup_lag", "Offsets still to read, up to the high watermark.", |row| row.lag.map(i128::from)),
        ("kafka_consumergroup_lost", "Offsets deleted before the group read them.", |row| row.lost.map(i128::from)),
        ("kafka_consumergroup_time_lag_milliseconds", "Age of the oldest unread record.", |row| {
            row.time_lag_ms.map(i128::from)
        }),
        ("kafka_topic_partition_oldest_offset", "Log start offset.", |row| row.log_start_offset.map(i128::from)),
        ("kafka_topic_partition_current_offset", "High watermark.", |row| row.log_end_offset.map(i128::from)),
    ];
    let mut families: Vec<Family> = Vec::new();
    for (name, help, value) in per_partition {
        let mut family = Family::new(name, help);
        let by_group = name.starts_with("kafka_consumergroup");
        for group in &report.groups {
            for row in &group.partitions {
                let Some(value) = value(row) else { continue };
                let topic = format!("topic=\"{}\",partition=\"{}\"", escaped(&row.topic), row.partition);
                let labels =
                    if by_group { format!("consumergroup=\"{}\",{topic}", escaped(&group.group)) } else { topic };
                family.samples.push((labels, value));
            }
        }
        // Two groups on one topic tell its ends twice.
        family.samples.sort();
        family.samples.dedup_by(|a, b| a.0 == b.0);
        families.push(family);
    }
    let mut sums = Family::new("kafka_consumergroup_lag_sum", "Sum of the lags that are known.");
    let mut unknown = Family::new("kafka_consumergroup_lag_unknown", "Partitions whose lag is not known.");
    let mut members = Family::new("kafka_consumergroup_members", "Members of the group.");
    let mut states = Family::new("kafka_consumergroup_info", "1, with the group's state and type.");
    let mut up = Family::new("kafka_consumergroup_up", "Whether the group could be described.");
    for group in &report.groups {
        let label = format!("consumergroup=\"{}\"", escaped(&group.group));
        up.samples.push((label.clone(), i128::from(group.error.is_none())));
        if group.error.is_some() {
            continue;
        }
        if let Some(lag) = group.total.lag {
            sums.samples.push((label.clone(), i128::from(lag)));
        }
        unknown.samples.push((label.clone(), group.total.unknown as i128));
        members.samples.push((label.clone(), group.members.len() as i128));
        states
            .samples
            .push((format!("{label},state=\"{}\",type=\"{}\"", group.state.as_str(), group.group_type.as_str()), 1));
    }
    families.extend([sums, unknown, members, states, up]);
    text(&families)
}

/// States of the groups, and where it was asked their lag.
pub fn list(report: &ListReport) -> String {
    let mut states = Family::new("kafka_consumergroup_info", "1, with the group's state and type.");
    let mut members = Family::new("kafka_consumergroup_members", "Members of the group.");
    let mut sums = Family::new("kafka_consumergroup_lag_sum", "Sum of the lags that are known.");
    for row in &report.groups {
        let label = format!("consumergroup=\"{}\"", escaped(&row.group));
        if let Some(count) = row.members {
            members.samples.push((label.clone(), count as i128));
        }
        if let Some(lag) = row.lag {
            sums.samples.push((label.clone(), i128::from(lag)));
        }
        states
            .samples
            .push((format!("{label},state=\"{}\",type=\"{}\"", row.state.as_str(), row.group_type.as_str()), 1));
    }
    text(&[states, members, sums])
}

fn text(families: &[Family]) -> String {
    let mut out = String::new();
    for family in families {
        family.write(&mut out);
    }
    out
}

/// A label's value: backslash, quote and line feed are escaped.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn label_values_are_escaped_as_the_format_asks() {
        assert_eq!(super::escaped("a\"b\\c\nd é"), "a\\\"b\\\\c\\nd é");
    }
}
