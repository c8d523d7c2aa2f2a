//! A window as Spark's Kafka source takes it.

use crate::report::{WindowPartition, WindowsReport};
use serde_json::{Map, Value, json};

/// `assign`, `startingOffsets` and `endingOffsets`: each the value of the option of that name. `assign` names the partitions: with
/// `subscribe`, Spark asks for an offset of every partition that the topic has by then.
pub fn offsets(report: &WindowsReport) -> String {
    let by_topic = |value: &dyn Fn(&WindowPartition) -> Value, list: bool| {
        let mut topics: Map<String, Value> = Map::new();
        for row in &report.partitions {
            let empty = || if list { json!([]) } else { json!({}) };
            match topics.entry(row.topic.clone()).or_insert_with(empty) {
                Value::Array(numbers) => numbers.push(json!(row.partition)),
                Value::Object(offsets) => drop(offsets.insert(row.partition.to_string(), value(row))),
                _ => {}
            }
        }
        Value::Object(topics)
    };
    let options = [
        ("assign", by_topic(&|row| json!(row.partition), true)),
        ("startingOffsets", by_topic(&|row| json!(row.start_offset), false)),
        ("endingOffsets", by_topic(&|row| json!(row.end_offset), false)),
    ];
    // A line each, since each is a value to hand on.
    let lines = options.map(|(name, value)| format!("  \"{name}\": {value}"));
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}
