//! `--from-file`: Kafka's CSV, a snapshot, or a report of a reset.

use crate::commands::Context;
use crate::commands::saved::{self, Saved};
use crate::error::{Code, Error, Result};
use crate::model::TopicPartition;
use crate::offset::{Target, time};
use crate::plan::reset::Place;
use crate::report::{Action, DescribeReport, ResetReport};
use std::collections::BTreeMap;
use std::path::Path;

/// Where each partition goes, by group; `None` is the group that the command line names.
pub type Rows = BTreeMap<Option<String>, BTreeMap<TopicPartition, Place>>;

/// What a file says.
pub struct Contents {
    /// The rows.
    pub rows: Rows,
    /// The cluster that the file comes from, where it tells.
    pub cluster_id: Option<String>,
}

/// Reads a file; one bad line refuses it as a whole.
pub fn read(context: &Context, path: &Path) -> Result<Contents> {
    let bytes = saved::bytes(path)?;
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    if text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{') {
        let (rows, cluster_id) = match saved::read(path)? {
            Saved::Describe(report) => (of_snapshot(&report), report.cluster_id.clone()),
            Saved::Reset(report) => (of_reset(&report), report.cluster_id.clone()),
        };
        no_sentinels(path, &rows)?;
        return Ok(Contents { rows, cluster_id: Some(cluster_id) });
    }
    Ok(Contents { rows: of_csv(context, path, text)?, cluster_id: None })
}

/// Back to where the groups stood when the snapshot was taken. What had no commit is left as it is.
fn of_snapshot(report: &DescribeReport) -> Rows {
    let mut rows = Rows::new();
    for group in &report.groups {
        let places = rows.entry(Some(group.group.clone())).or_default();
        for row in &group.partitions {
            let Some(offset) = row.current_offset else { continue };
            let place = Place { target: Target::Offset(offset), metadata: row.metadata.clone() };
            places.insert(TopicPartition::new(row.topic.as_str(), row.partition), place);
        }
    }
    rows
}

/// To where the reset went, or was to go.
fn of_reset(report: &ResetReport) -> Rows {
    let mut rows = Rows::new();
    for group in &report.groups {
        let places = rows.entry(Some(group.group.clone())).or_default();
        for row in group.rows.iter().filter(|row| matches!(row.action, Action::Move | Action::Keep)) {
            let Some(offset) = row.new_offset else { continue };
            let metadata = row.new_metadata.clone().or_else(|| row.current_metadata.clone());
            let place = Place { target: Target::Offset(offset), metadata };
            places.insert(TopicPartition::new(row.topic.as_str(), row.partition), place);
        }
    }
    rows
}

/// Below zero there is no offset: -1 and -2 are protocols' words for the end and the start, which clamping would mistake.
fn no_sentinels(path: &Path, rows: &Rows) -> Result<()> {
    for (partition, place) in rows.values().flatten() {
        if let Target::Offset(offset @ ..0) = place.target {
            return Err(Error::new(
                Code::BadFile,
                format!("`{}` has `{offset}` for an offset of `{partition}`", path.display()),
            ));
        }
    }
    Ok(())
}

/// `topic,partition,offset` or `group,topic,partition,offset`, as Kafka's tool writes and reads it; a header, comments, quotes,
/// CRLF and blank lines are fine.
fn of_csv(context: &Context, path: &Path, text: &[u8]) -> Result<Rows> {
    let shown = path.display();
    let mut rows = Rows::new();
    let mut columns = None;
    const HINT: &str = "a line is `topic,partition,offset`, or `group,topic,partition,offset` for several groups; an offset may also be a time, `earliest` or `latest`";
    for (index, line) in saved::csv_lines(path, text, HINT).enumerate() {
        let line = line?;
        let (bad, record) = (|why: String| line.bad(why), &line.record);
        // Names of groups may have blanks at their ends; nothing else does.
        let last = record.len().saturating_sub(3);
        let fields: Vec<&str> =
            record.iter().enumerate().map(|(at, field)| if at < last { field } else { field.trim() }).collect();
        if line.is_header(index) {
            continue;
        }
        let (group, [topic, partition, offset]) = match fields.as_slice() {
            [topic, partition, offset] => (None, [topic, partition, offset]),
            [group, topic, partition, offset] => (Some((*group).to_owned()), [topic, partition, offset]),
            other => return Err(bad(format!("has {} columns, not 3 or 4", other.len()))),
        };
        if *columns.get_or_insert(fields.len()) != fields.len() {
            return Err(bad(format!("has {} columns, and the lines before it have another number", fields.len())));
        }
        if topic.is_empty() || group.as_ref().is_some_and(String::is_empty) {
            return Err(bad("has an empty name".to_owned()));
        }
        let partition: i32 = match partition.parse() {
            Ok(number @ 0..) => number,
            _ => return Err(bad(format!("has `{partition}` for a partition"))),
        };
        let target = target(context, offset).map_err(|why| bad(format!("has `{offset}` for an offset: {why}")))?;
        let partition = TopicPartition::new(*topic, partition);
        let place = Place { target, metadata: None };
        if rows.entry(group).or_default().insert(partition.clone(), place).is_some() {
            return Err(bad(format!("names `{partition}` again")));
        }
    }
    if rows.is_empty() {
        return Err(Error::new(Code::BadFile, format!("`{shown}` has no line with an offset")));
    }
    Ok(rows)
}

fn target(context: &Context, text: &str) -> Result<Target, String> {
    if text.eq_ignore_ascii_case("earliest") {
        return Ok(Target::Earliest);
    }
    if text.eq_ignore_ascii_case("latest") {
        return Ok(Target::Latest);
    }
    // Digits are an offset, however many: a time in a file is written as one.
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Target::Offset).map_err(|_| "it is too large".to_owned());
    }
    let moment = time::parse(text, context.now, &context.zone).map_err(|error| error.message)?;
    if moment.is_after(context.now) {
        return Err("it lies in the future".to_owned());
    }
    Ok(Target::Timestamp(moment))
}
