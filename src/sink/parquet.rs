//! Parquet. Records are collected by column; a row group at a time is encoded and written on a thread of its own.

use super::form::{Field, Part, field, refused};
use super::text::{compact, timestamp_of};
use super::{FileTarget, Finished, Format, Formats, Sink};
use crate::error::{Code, Error, Result};
use crate::model::{Record, TimestampType};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, Type};
use serde_json::value::RawValue;
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Bytes of a row group, before its encoding. Two are in memory at once: one that is filled, one that is written.
const ROW_GROUP: usize = 8 * 1024 * 1024;

/// What a record's numbers and places take in a row group.
const ROW: usize = 64;

/// Values that are given to a column at once.
const CHUNK: usize = 1024;

const TIMESTAMP_TYPES: [TimestampType; 3] =
    [TimestampType::NotAvailable, TimestampType::CreateTime, TimestampType::LogAppendTime];

/// Writes records to a Parquet file.
pub struct Parquet {
    file: FileTarget,
    formats: Formats,
    batch: Batch,
    topics: Vec<String>,
    /// The index of the record's topic before.
    topic: usize,
    /// `None` once it was told to end.
    batches: Option<SyncSender<Batch>>,
    emptied: Receiver<Batch>,
    /// Records on their way.
    in_flight: Option<u64>,
    thread: Option<JoinHandle<Written>>,
    written: u64,
    failed: bool,
}

impl Parquet {
    /// Records into this file.
    pub fn new(file: FileTarget, formats: Formats) -> Result<Self> {
        let failed = |error| could_not(&file, error);
        let output = file.writer().map_err(|error| failed(error.into()))?;
        let schema = schema(formats).map_err(failed)?;
        let properties = Arc::new(properties().map_err(failed)?);
        let writer = SerializedFileWriter::new(output, Arc::new(schema), properties).map_err(failed)?;
        let (batches, work) = sync_channel(1);
        let (done, emptied) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name("replay-parquet".to_owned())
            .spawn(move || write(writer, work, done))
            .map_err(|error| failed(error.into()))?;
        Ok(Parquet {
            formats,
            batch: Batch::default(),
            topics: Vec::new(),
            topic: 0,
            batches: Some(batches),
            emptied,
            in_flight: None,
            thread: Some(thread),
            written: 0,
            failed: false,
            file,
        })
    }

    /// Sends the row group on its way, once the one before is written.
    fn send(&mut self) -> Result<()> {
        if self.batch.records == 0 {
            return Ok(());
        }
        let empty = self.settle()?.unwrap_or_default();
        let mut full = std::mem::replace(&mut self.batch, empty);
        full.topics.clone_from(&self.topics);
        let records = full.records;
        if self.batches.as_ref().is_none_or(|batches| batches.send(full).is_err()) {
            return Err(self.died());
        }
        self.in_flight = Some(records);
        Ok(())
    }

    /// Waits until nothing is on its way; an empty batch comes back.
    fn settle(&mut self) -> Result<Option<Batch>> {
        let Some(records) = self.in_flight.take() else { return Ok(None) };
        let Ok(empty) = self.emptied.recv() else { return Err(self.died()) };
        self.written += records;
        Ok(Some(empty))
    }

    /// The thread's error.
    fn died(&mut self) -> Error {
        self.end().err().unwrap_or_else(|| could_not(&self.file, general("its thread ended")))
    }

    /// Lets the thread write the footer, and waits for that.
    fn end(&mut self) -> Result<()> {
        self.batches = None;
        let ended = match self.thread.take().map(JoinHandle::join) {
            None | Some(Ok(Ok(()))) => return Ok(()),
            Some(Ok(Err(error))) => error,
            Some(Err(_)) => general("its thread panicked"),
        };
        self.failed = true;
        Err(could_not(&self.file, ended))
    }

    fn topic(&mut self, name: &str) -> u32 {
        if self.topics.get(self.topic).is_none_or(|topic| topic != name) {
            self.topic = self.topics.iter().position(|topic| topic == name).unwrap_or_else(|| {
                self.topics.push(name.to_owned());
                self.topics.len() - 1
            });
        }
        self.topic as u32
    }
}

impl Sink for Parquet {
    fn put(&mut self, record: &Record<'_>) -> Result<()> {
        // What can't be taken is known before any column has a part of it.
        let key = content(record.key, self.formats.key, Part::Key, record)?;
        let value = content(record.value, self.formats.value, Part::Value, record)?;
        for header in record.headers {
            if let Err(error) = std::str::from_utf8(header.key) {
                return Err(header_refused(record, error));
            }
        }
        let topic = self.topic(record.topic);
        let batch = &mut self.batch;
        batch.topic.push(topic);
        batch.partition.push(record.partition);
        batch.offset.push(record.offset);
        let timestamp = timestamp_of(record);
        batch.timestamp.extend(timestamp);
        batch.timestamp_levels.push(timestamp.is_some().into());
        batch.timestamp_type.push(record.timestamp_type);
        batch.key.push(key);
        batch.value.push(value);
        batch.headers.push(record.headers.iter().map(|header| (header.key, header.value)));
        batch.records += 1;
        if batch.bytes() >= ROW_GROUP { self.send() } else { Ok(()) }
    }

    /// A row group is never ended early: nothing can read the file before its footer.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, whole: bool) -> Finished {
        // What is not whole gets its footer too: its partial file can be read then.
        let mut error = if self.failed { None } else { self.send().err() };
        if error.is_none() {
            error = self.settle().err();
        }
        if error.is_none() {
            error = self.end().err();
        }
        if whole && error.is_none() && !self.failed {
            return match self.file.publish() {
                Ok(()) => Finished::default(),
                Err((why, partial)) => Finished { partial, error: Some(why) },
            };
        }
        if self.written == 0 {
            self.file.discard();
        }
        Finished { partial: self.file.abandon(), error }
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn name(&self) -> (&'static str, String) {
        ("parquet", self.file.target().display().to_string())
    }
}

/// A key or value as it goes into its column.
enum Content<'a> {
    Null,
    Bytes(&'a [u8]),
    Json(&'a RawValue),
}

fn content<'a>(
    bytes: Option<&'a [u8]>,
    format: Option<Format>,
    part: Part,
    record: &Record<'_>,
) -> Result<Content<'a>> {
    let Some(format) = format else { return Ok(bytes.map_or(Content::Null, Content::Bytes)) };
    match field(bytes, format, part, record)? {
        Field::Null => Ok(Content::Null),
        Field::Text(text) => Ok(Content::Bytes(text.as_bytes())),
        Field::Json(json) => Ok(Content::Json(json)),
        Field::Bytes(bytes) if format == Format::Bytes => Ok(Content::Bytes(bytes)),
        Field::Bytes(_) => {
            let why = "begins as Schema Registry's serializers write it, which a column of text can't hold";
            Err(refused(part, record, why, None::<std::fmt::Error>))
        }
    }
}

fn header_refused(record: &Record<'_>, error: std::str::Utf8Error) -> Error {
    let Record { topic, partition, offset, .. } = record;
    let message = format!("a header's key of `{topic}-{partition}` at offset {offset} is not UTF-8");
    Error::new(Code::SinkFailed, message).hint("`--into FILE.jsonl` takes any").caused_by(error)
}

fn could_not(file: &FileTarget, error: ParquetError) -> Error {
    Error::new(Code::SinkFailed, format!("`{}` could not be written", file.target().display())).caused_by(error)
}

fn general(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// Records by column.
#[derive(Default)]
struct Batch {
    records: u64,
    /// The names that `topic` points at.
    topics: Vec<String>,
    topic: Vec<u32>,
    partition: Vec<i32>,
    offset: Vec<i64>,
    timestamp: Vec<i64>,
    timestamp_levels: Vec<i16>,
    timestamp_type: Vec<TimestampType>,
    key: Column,
    value: Column,
    headers: Headers,
}

impl Batch {
    fn bytes(&self) -> usize {
        let headers = self.headers.keys.bytes.len() + self.headers.values.bytes.len();
        self.topic.len() * ROW
            + self.headers.repetition.len() * ROW / 4
            + self.key.bytes.len()
            + self.value.bytes.len()
            + headers
    }

    /// Empties it; what it has allocated stays.
    fn clear(&mut self) {
        self.records = 0;
        self.topic.clear();
        self.partition.clear();
        self.offset.clear();
        self.timestamp.clear();
        self.timestamp_levels.clear();
        self.timestamp_type.clear();
        self.key.clear();
        self.value.clear();
        self.headers.repetition.clear();
        self.headers.keys.clear();
        self.headers.values.clear();
    }
}

/// A column of bytes. Its levels are Parquet's: how much of the path to a value is there.
#[derive(Default)]
struct Column {
    bytes: Vec<u8>,
    /// Where each value ends.
    ends: Vec<usize>,
    levels: Vec<i16>,
}

impl Column {
    fn push(&mut self, content: Content<'_>) {
        match content {
            Content::Null => return self.levels.push(0),
            Content::Bytes(bytes) => self.bytes.extend_from_slice(bytes),
            Content::Json(json) => compact(&mut self.bytes, json),
        }
        self.ends.push(self.bytes.len());
        self.levels.push(1);
    }

    fn clear(&mut self) {
        // What one large value needed is not kept for the rest of the run.
        if self.bytes.capacity() > 2 * ROW_GROUP {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.ends.clear();
        self.levels.clear();
    }
}

/// The lists of headers.
#[derive(Default)]
struct Headers {
    /// 0 where a record's list begins.
    repetition: Vec<i16>,
    /// Level 0 is an empty list.
    keys: Column,
    /// Level 0 is an empty list, 1 a null, 2 a value.
    values: Column,
}

impl Headers {
    fn push<'a>(&mut self, headers: impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)>) {
        let before = self.repetition.len();
        for (key, value) in headers {
            self.repetition.push((self.repetition.len() > before).into());
            self.keys.push(Content::Bytes(key));
            if let Some(value) = value {
                self.values.bytes.extend_from_slice(value);
                self.values.ends.push(self.values.bytes.len());
            }
            self.values.levels.push(1 + i16::from(value.is_some()));
        }
        if self.repetition.len() == before {
            self.repetition.push(0);
            self.keys.levels.push(0);
            self.values.levels.push(0);
        }
    }
}

fn schema(formats: Formats) -> std::result::Result<Type, ParquetError> {
    let text = |format: Option<Format>| match format {
        Some(Format::String | Format::Json) => " (UTF8)",
        Some(Format::Bytes) | None => "",
    };
    let (key, value) = (text(formats.key), text(formats.value));
    parse_message_type(&format!(
        "message records {{
            required binary topic (UTF8);
            required int32 partition;
            required int64 offset;
            optional int64 timestamp (TIMESTAMP(MILLIS, true));
            required binary timestamp_type (UTF8);
            optional binary key{key};
            optional binary value{value};
            required group headers (LIST) {{
                repeated group list {{
                    required group element {{
                        required binary key (UTF8);
                        optional binary value;
                    }}
                }}
            }}
        }}"
    ))
}

fn properties() -> std::result::Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("krewind version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_column_encoding("offset".into(), Encoding::DELTA_BINARY_PACKED)
        .set_column_encoding("timestamp".into(), Encoding::DELTA_BINARY_PACKED)
        .set_column_statistics_enabled("value".into(), EnabledStatistics::None);
    let headers = |name: &str| ColumnPath::new(["headers", "list", "element", name].map(str::to_owned).to_vec());
    for column in ["topic".into(), "partition".into(), "timestamp_type".into(), headers("key")] {
        properties = properties.set_column_dictionary_enabled(column, true);
    }
    for name in ["key", "value"] {
        properties = properties.set_column_statistics_enabled(headers(name), EnabledStatistics::None);
    }
    Ok(properties.build())
}

type Written = std::result::Result<(), ParquetError>;

/// Writes row groups until no more come, then the footer.
fn write(mut file: SerializedFileWriter<File>, batches: Receiver<Batch>, emptied: SyncSender<Batch>) -> Written {
    for mut batch in batches {
        row_group(&mut file, &mut batch)?;
        batch.clear();
        if emptied.send(batch).is_err() {
            break;
        }
    }
    file.finish().map(drop)
}

fn row_group(file: &mut SerializedFileWriter<File>, batch: &mut Batch) -> Written {
    let mut writer = file.next_row_group()?;
    let group = &mut writer;
    let topics: Vec<ByteArray> = batch.topics.iter().map(|topic| topic.as_str().into()).collect();
    repeated(group, &batch.topic, |topic| topics[*topic as usize].clone())?;
    numbers::<Int32Type>(group, &batch.partition, None)?;
    numbers::<Int64Type>(group, &batch.offset, None)?;
    numbers::<Int64Type>(group, &batch.timestamp, Some(&batch.timestamp_levels))?;
    let types = TIMESTAMP_TYPES.map(|kind| (kind, ByteArray::from(kind.as_str())));
    repeated(group, &batch.timestamp_type, |kind| {
        types.iter().find(|(other, _)| other == kind).map(|(_, text)| text.clone()).unwrap_or_default()
    })?;
    bytes(group, &mut batch.key, 1, None)?;
    bytes(group, &mut batch.value, 1, None)?;
    bytes(group, &mut batch.headers.keys, 1, Some(&batch.headers.repetition))?;
    bytes(group, &mut batch.headers.values, 2, Some(&batch.headers.repetition))?;
    writer.close().map(drop)
}

type Group<'a> = SerializedRowGroupWriter<'a, File>;

/// The next column of the row group, from its beginning to its end.
fn column(group: &mut Group<'_>, fill: impl FnOnce(&mut SerializedColumnWriter<'_>) -> Written) -> Written {
    let mut column = group.next_column()?.ok_or_else(|| general("a column is missing"))?;
    fill(&mut column)?;
    column.close()
}

fn numbers<T: DataType>(group: &mut Group<'_>, numbers: &[T::T], levels: Option<&[i16]>) -> Written {
    column(group, |column| column.typed::<T>().write_batch(numbers, levels, None).map(drop))
}

/// A column whose values are few.
fn repeated<T>(group: &mut Group<'_>, values: &[T], text: impl Fn(&T) -> ByteArray) -> Written {
    column(group, |column| {
        let column = column.typed::<ByteArrayType>();
        let mut texts = Vec::with_capacity(CHUNK);
        for values in values.chunks(CHUNK) {
            texts.clear();
            texts.extend(values.iter().map(&text));
            column.write_batch(&texts, None, None)?;
        }
        Ok(())
    })
}

/// A column of bytes, whose values are there at this level.
fn bytes(group: &mut Group<'_>, from: &mut Column, there: i16, repetition: Option<&[i16]>) -> Written {
    let all = ByteArray::from(std::mem::take(&mut from.bytes));
    column(group, |column| {
        let column = column.typed::<ByteArrayType>();
        let mut values = Vec::with_capacity(CHUNK);
        let (mut at, mut start) = (0, 0);
        let mut ends = from.ends.iter();
        while at < from.levels.len() {
            let mut next = (at + CHUNK).min(from.levels.len());
            // A record's list is given as one.
            while repetition.is_some_and(|repetition| repetition.get(next).is_some_and(|level| *level != 0)) {
                next += 1;
            }
            let levels = &from.levels[at..next];
            values.clear();
            let count = levels.iter().filter(|level| **level == there).count();
            values.extend(ends.by_ref().take(count).map(|end| {
                let value = all.slice(start, end - start);
                start = *end;
                value
            }));
            column.write_batch(&values, Some(levels), repetition.map(|repetition| &repetition[at..next]))?;
            at = next;
        }
        Ok(())
    })
}
