//! Parquet, as the replay's sink writes it.

use super::{Loaded, Source, timestamp_type};
use crate::error::Result;
use crate::model::TimestampType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use std::fs::File;

pub(super) fn read(source: &Source, file: File, each: &mut dyn FnMut(u64, Loaded) -> Result<()>) -> Result<()> {
    let reader = SerializedFileReader::new(file).map_err(|error| source.unreadable(error))?;
    let rows = reader.get_row_iter(None).map_err(|error| source.unreadable(error))?;
    for (number, row) in (1..).zip(rows) {
        let row = row.map_err(|error| source.bad("row", number, error))?;
        each(number, record(&row).map_err(|why| source.bad("row", number, why))?)?;
    }
    Ok(())
}

fn record(row: &Row) -> Result<Loaded, String> {
    let field = |wanted: &str| {
        row.get_column_iter()
            .find_map(|(name, field)| (name == wanted).then_some(field))
            .ok_or_else(|| format!("there is no column `{wanted}`"))
    };
    let text = |name: &str| match field(name)? {
        Field::Str(text) => Ok(text.clone()),
        _ => Err(format!("`{name}` is no text")),
    };
    let partition = match field("partition")? {
        Field::Int(number) if *number >= 0 => *number,
        _ => return Err("`partition` is no partition".to_owned()),
    };
    let offset = match field("offset")? {
        Field::Long(number) if *number >= 0 => *number,
        _ => return Err("`offset` is no offset".to_owned()),
    };
    let kind = timestamp_type(&text("timestamp_type")?)?;
    let (timestamp_ms, timestamp_type) = match field("timestamp")? {
        Field::Null => (-1, TimestampType::NotAvailable),
        Field::TimestampMillis(ms) => (*ms, kind),
        _ => return Err("`timestamp` is no time in milliseconds".to_owned()),
    };
    let headers = match field("headers")? {
        Field::ListInternal(list) => list.elements().iter().map(header).collect::<Result<_, String>>()?,
        Field::Null => Vec::new(),
        _ => return Err("`headers` is no list".to_owned()),
    };
    Ok(Loaded {
        topic: text("topic")?,
        partition,
        offset,
        timestamp_ms,
        timestamp_type,
        key: bytes("key", field("key")?)?,
        value: bytes("value", field("value")?)?,
        headers,
        json: false,
    })
}

fn header(element: &Field) -> Result<(Vec<u8>, Option<Vec<u8>>), String> {
    let Field::Group(header) = element else { return Err("a header is no group".to_owned()) };
    let (mut key, mut value) = (None, None);
    for (name, field) in header.get_column_iter() {
        match name.as_str() {
            "key" => key = bytes("a header's key", field)?,
            "value" => value = bytes("a header's value", field)?,
            _ => {}
        }
    }
    Ok((key.ok_or("a header has no key")?, value))
}

fn bytes(name: &str, field: &Field) -> Result<Option<Vec<u8>>, String> {
    match field {
        Field::Null => Ok(None),
        Field::Str(text) => Ok(Some(text.as_bytes().to_vec())),
        Field::Bytes(bytes) => Ok(Some(bytes.data().to_vec())),
        _ => Err(format!("{name} is neither text nor bytes")),
    }
}
