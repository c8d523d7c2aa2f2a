//! JSON Lines, also compressed.

use super::{Loaded, Source, timestamp_type};
use crate::error::Result;
use crate::model::TimestampType;
use crate::report::RecordLine;
use crate::sink::Compression;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// Bytes that are read at once.
const BUFFER: usize = 256 * 1024;

pub(super) fn read(
    source: &Source,
    file: File,
    compression: Compression,
    each: &mut dyn FnMut(u64, Loaded) -> Result<()>,
) -> Result<()> {
    let plain: Box<dyn Read> = match compression {
        Compression::None => Box::new(file),
        // A file that grew has several members.
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(file))),
        Compression::Zstd => {
            Box::new(zstd::stream::read::Decoder::new(file).map_err(|error| source.unreadable(error))?)
        }
    };
    let mut plain = BufReader::with_capacity(BUFFER, plain);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let count = plain.read_until(b'\n', &mut line).map_err(|error| source.bad("line", number, error))?;
        if count == 0 {
            break;
        }
        if line.last() != Some(&b'\n') {
            return Err(source.bad("line", number, "it is cut: the file does not end in a newline"));
        }
        let record = record(&line).map_err(|why| source.bad("line", number, why))?;
        each(number, record)?;
    }
    Ok(())
}

/// A line's record, or what is wrong with it.
fn record(line: &[u8]) -> Result<Loaded, String> {
    let line: RecordLine<'_> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if line.partition < 0 || line.offset < 0 {
        return Err("partition and offset are never below zero".to_owned());
    }
    let json = |format: Option<&str>| match format {
        None | Some("string" | "bytes") => Ok(false),
        Some("json") => Ok(true),
        Some(other) => Err(format!("`{other}` is no format")),
    };
    let (key_json, value_json) = (json(line.key_format.as_deref())?, json(line.value_format.as_deref())?);
    let kind = timestamp_type(&line.timestamp_type)?;
    let headers = line
        .headers
        .iter()
        .map(|header| {
            let key = bytes("a header's key", header.key, header.key_base64.as_deref(), false)?;
            let value = bytes("a header's value", header.value, header.value_base64.as_deref(), false)?;
            Ok((key.ok_or("a header's key is null")?, value))
        })
        .collect::<Result<_, String>>()?;
    let is_json = |json: bool, field: Option<&RawValue>| json && field.is_some();
    Ok(Loaded {
        timestamp_ms: line.timestamp_ms.unwrap_or(-1),
        // What has none was dated by nobody, whatever the log's type is.
        timestamp_type: if line.timestamp_ms.is_none() { TimestampType::NotAvailable } else { kind },
        key: bytes("key", line.key, line.key_base64.as_deref(), key_json)?,
        value: bytes("value", line.value, line.value_base64.as_deref(), value_json)?,
        headers,
        json: is_json(key_json, line.key) || is_json(value_json, line.value),
        topic: line.topic,
        partition: line.partition,
        offset: line.offset,
    })
}

/// A field's bytes from its text, its base64, or its JSON.
fn bytes(name: &str, text: Option<&RawValue>, base64: Option<&str>, json: bool) -> Result<Option<Vec<u8>>, String> {
    match (text, base64) {
        (Some(_), Some(_)) => Err(format!("{name} stands there both as text and as base64")),
        (None, None) => Err(format!("{name} is missing")),
        (None, Some(base64)) => {
            BASE64.decode(base64).map(Some).map_err(|error| format!("{name} is no base64: {error}"))
        }
        // Of a record's own null no format is said, so this is JSON's.
        (Some(raw), None) if json => Ok(Some(raw.get().as_bytes().to_vec())),
        (Some(raw), None) if raw.get() == "null" => Ok(None),
        (Some(raw), None) => serde_json::from_str::<String>(raw.get())
            .map(|text| Some(text.into_bytes()))
            .map_err(|_| format!("{name} is neither text nor null")),
    }
}
