//! `krewind describe`: every number against what the test itself produced and committed, or against Kafka's own tool.

mod failures;
mod groups;
mod names;
mod output;
mod partitions;

use crate::support::Run;
use serde_json::Value;

/// The report's only group.
#[track_caller]
fn only(run: &Run) -> Value {
    let report = run.json();
    assert_eq!((report["kind"].as_str(), report["version"].as_i64()), (Some("describe"), Some(1)), "{run}");
    let groups = report["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{run}");
    groups[0].clone()
}

/// The group of this name.
#[track_caller]
fn named(run: &Run, group: &str) -> Value {
    let report = run.json();
    let groups = report["groups"].as_array().unwrap();
    let found: Vec<&Value> = groups.iter().filter(|row| row["group"] == group).collect();
    assert_eq!(found.len(), 1, "{group} in {run}");
    found[0].clone()
}

/// These fields of each row.
#[track_caller]
fn rows(group: &Value, fields: &[&str]) -> Vec<Vec<Value>> {
    let rows = group["partitions"].as_array().unwrap();
    rows.iter().map(|row| fields.iter().map(|field| row.get(field).unwrap().clone()).collect()).collect()
}

/// [`rows`] that a test expects.
macro_rules! expect_rows {
    ($group:expr, $fields:expr, $expected:tt) => {
        let group = &$group;
        let found = serde_json::json!($crate::describe::rows(group, &$fields));
        assert_eq!(found, serde_json::json!($expected), "{group:#}");
    };
}
use expect_rows;
