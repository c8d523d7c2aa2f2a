//! `peek` as a table and as CSV.

use super::csv::{field, lines};
use super::table::{Column, Grid, Mark, Style, text};
use crate::model::visible;
use crate::report::{PeekPartition, PeekRecord, PeekReport};

const COLUMNS: [Column; 5] = [("", false), ("OFFSET", true), ("TIMESTAMP", false), ("KEY", false), ("VALUE", false)];

/// The widest that a key or a value is shown; it stands whole in `-o json`.
const SHOWN: usize = 60;

/// The records of each partition, with the place of the commit between them.
pub fn table(report: &PeekReport, style: Style) -> String {
    let mut out = String::new();
    for (index, partition) in report.partitions.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let commit = match partition.current_offset {
            Some(offset) => format!("reads {offset} next"),
            None => "has no commit".to_owned(),
        };
        out.push_str(&format!(
            "{}-{}: `{}` {commit}\n",
            visible(&partition.topic),
            partition.partition,
            visible(&partition.group)
        ));
        if !partition.before.is_empty() || !partition.after.is_empty() {
            out.push_str(&records(partition, style));
        }
        if let Some(reason) = &partition.reason {
            out.push_str(&format!("{}\n", visible(reason)));
        } else if partition.after.is_empty() {
            out.push_str("nothing comes next yet\n");
        }
    }
    out
}

fn records(partition: &PeekPartition, style: Style) -> String {
    let mut grid = Grid::new(style, &COLUMNS);
    let before = partition.before.iter().map(|record| ("read", record));
    let after =
        partition.after.iter().enumerate().map(|(index, record)| (if index == 0 { "next >" } else { "" }, record));
    for (mark, record) in before.chain(after) {
        let cells = [
            mark.to_owned(),
            style.count(record.offset),
            text(record.timestamp.map(|timestamp| timestamp.to_string()).as_deref()),
            cut(record.key.as_deref()),
            cut(record.value.as_deref()),
        ];
        grid.row_marked(cells, (mark == "next >").then_some((0, Mark::Notice)));
    }
    grid.into_text()
}

fn cut(text: Option<&str>) -> String {
    let Some(text) = text else { return "null".to_owned() };
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// One line per record, with a header.
pub fn csv(report: &PeekReport) -> String {
    let header = ["group", "topic", "partition", "current_offset", "side", "offset", "timestamp", "key", "value"];
    let row = |partition: &PeekPartition, side: &str, record: &PeekRecord| {
        vec![
            partition.group.clone(),
            partition.topic.clone(),
            partition.partition.to_string(),
            field(partition.current_offset),
            side.to_owned(),
            record.offset.to_string(),
            field(record.timestamp),
            field(record.key.as_deref()),
            field(record.value.as_deref()),
        ]
    };
    let rows = report.partitions.iter().flat_map(|partition| {
        let before = partition.before.iter().map(move |record| row(partition, "before", record));
        before.chain(partition.after.iter().map(move |record| row(partition, "after", record)))
    });
    lines(std::iter::once(header.map(str::to_owned).to_vec()).chain(rows))
}
