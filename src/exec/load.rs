//! Load: a file that a replay wrote is read twice, first to check all of it, then to produce it.

mod columns;
mod lines;

use super::{Flow, Observer};
use crate::error::{Code, Error, Result};
use crate::model::{Header, Record, Timestamp, TimestampType};
use crate::plan::produce::BatchFacts;
use crate::report::{Ended, LoadPartition, LoadReport, LoadWindow, ReplayOutcome, ReplayTotal, SinkReport, Warning};
use crate::sink::{Compression, Sink, SinkSpec, TextForm};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

/// Records between two looks at Ctrl-C and two steps of the progress.
const STEP: u64 = 256;

/// A record as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    topic: String,
    partition: i32,
    offset: i64,
    timestamp_ms: i64,
    timestamp_type: TimestampType,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    /// Whether key or value stood there as JSON.
    json: bool,
}

impl Loaded {
    fn bytes(&self) -> u64 {
        (self.key.as_ref().map_or(0, Vec::len) + self.value.as_ref().map_or(0, Vec::len)) as u64
    }

    fn with<T>(&self, each: impl FnOnce(&Record<'_>) -> T) -> T {
        let headers: Vec<Header<'_>> =
            self.headers.iter().map(|(key, value)| Header { key, value: value.as_deref() }).collect();
        each(&Record {
            topic: &self.topic,
            partition: self.partition,
            offset: self.offset,
            timestamp_ms: self.timestamp_ms,
            timestamp_type: self.timestamp_type,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: &headers,
        })
    }
}

/// Kafka's word for where a timestamp comes from.
fn timestamp_type(word: &str) -> Result<TimestampType, String> {
    [TimestampType::CreateTime, TimestampType::LogAppendTime, TimestampType::NotAvailable]
        .into_iter()
        .find(|known| known.as_str() == word)
        .ok_or_else(|| format!("`{word}` is no timestamp type"))
}

enum Form {
    Lines(Compression),
    Columns,
}

/// A file to load.
pub struct Source {
    path: PathBuf,
    form: Form,
    /// Length and time of change when it was opened.
    stamp: (u64, Option<SystemTime>),
}

/// What a file holds, once all of it was found to be right.
#[derive(Debug, Default)]
pub struct Checked {
    parts: BTreeMap<(String, i32), Part>,
    /// Records.
    pub records: u64,
    /// Records whose key or value stands there as JSON.
    pub json: u64,
    oldest_ms: Option<i64>,
    newest_ms: Option<i64>,
    null_keys: bool,
    largest: u64,
    unordered: u64,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    first: i64,
    last: i64,
    records: u64,
}

/// What became of it.
pub struct Run {
    /// The report.
    pub report: LoadReport,
    /// Why it failed.
    pub error: Option<Error>,
}

impl Source {
    /// Opens the file; its name tells its form.
    pub fn open(path: &Path) -> Result<Source> {
        let shown = path.display();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.contains(".partial-") {
            return Err(Error::new(Code::BadFile, format!("`{shown}` is what a run that did not end well left"))
                .hint("it may lack records; rename it where that part is what you want to load"));
        }
        let form = match SinkSpec::parse(&path.to_string_lossy(), None) {
            Ok(SinkSpec::Text { form: TextForm::Jsonl, compression, .. }) => Form::Lines(compression),
            Ok(SinkSpec::Parquet(_)) => Form::Columns,
            _ => {
                return Err(Error::usage(format!("`{shown}` is no file that can be loaded"))
                    .hint("its name ends in `.jsonl`, `.jsonl.gz`, `.jsonl.zst` or `.parquet`"));
            }
        };
        let stamp = stamp(path)?;
        Ok(Source { path: path.to_owned(), form, stamp })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands each record to `each`, with its line or row.
    fn read(&self, each: &mut dyn FnMut(u64, Loaded) -> Result<()>) -> Result<()> {
        let file = File::open(&self.path).map_err(|error| self.unreadable(error))?;
        match self.form {
            Form::Lines(compression) => lines::read(self, file, compression, each),
            Form::Columns => columns::read(self, file, each),
        }
    }

    fn unreadable(&self, error: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::new(Code::BadFile, format!("`{}` can't be read", self.path.display())).caused_by(error)
    }

    fn bad(&self, unit: &str, number: u64, why: impl std::fmt::Display) -> Error {
        Error::new(Code::BadFile, format!("{unit} {number} of `{}`: {why}", self.path.display()))
            .hint("nothing was produced; the file must be what `krewind replay` wrote")
    }

    fn unit(&self) -> &'static str {
        match self.form {
            Form::Lines(_) => "line",
            Form::Columns => "row",
        }
    }

    /// Reads all of it once: one record that is wrong refuses the file.
    pub fn check(&self) -> Result<Checked> {
        let mut checked = Checked::default();
        self.read(&mut |number, record| {
            if record.timestamp_ms == 0 && record.timestamp_type != TimestampType::NotAvailable {
                return Err(self.bad(
                    self.unit(),
                    number,
                    "its timestamp is 0, which can't be kept: the client library would date it now",
                ));
            }
            checked.add(record);
            Ok(())
        })?;
        Ok(checked)
    }

    /// Produces what was checked, until the end, a failure, or `stop`.
    pub fn produce(
        &self,
        checked: &Checked,
        sink: &mut dyn Sink,
        head: Head,
        stop: &AtomicBool,
        observer: &dyn Observer,
    ) -> Run {
        let started = Instant::now();
        let mut taken: BTreeMap<(String, i32), (u64, u64)> = BTreeMap::new();
        let mut count = 0;
        let read = if stamp(&self.path).ok().as_ref() == Some(&self.stamp) {
            self.read(&mut |_, record| {
                if count % STEP == 0 {
                    if stop.load(Ordering::SeqCst) {
                        return Err(Error::new(Code::Interrupted, "interrupted"));
                    }
                    observer.flow(&Flow { passed: count, total: checked.records, records: count, bytes: 0 });
                }
                record.with(|record| sink.put(record))?;
                count += 1;
                let (records, bytes) = taken.entry((record.topic.clone(), record.partition)).or_default();
                *records += 1;
                *bytes += record.bytes();
                Ok(())
            })
        } else {
            Err(Error::new(Code::BadFile, format!("`{}` changed after it was checked", self.path.display())))
        };
        let read = read.and_then(|()| match count == checked.records {
            true => sink.flush(),
            false => Err(Error::new(Code::BadFile, format!("`{}` changed while it was read", self.path.display()))),
        });
        let mut error = read.err();
        let interrupted = error.as_ref().is_some_and(|error| error.code == Code::Interrupted);
        let finished = sink.finish(error.is_none());
        if let Some(why) = finished.error {
            error.get_or_insert(why);
        }
        let outcome = match &error {
            _ if interrupted => ReplayOutcome::Interrupted,
            Some(_) => ReplayOutcome::Incomplete,
            None if checked.records == 0 => ReplayOutcome::NothingToReplay,
            None => ReplayOutcome::Complete,
        };
        let seconds = (started.elapsed().as_secs_f64() * 1000.0).round().max(1.0) / 1000.0;
        let mut report = self.report(checked, head, outcome, sink.name().1);
        for part in &mut report.partitions {
            let (records, bytes) = taken.get(&(part.topic.clone(), part.partition)).copied().unwrap_or_default();
            (part.records, part.bytes) = (records, bytes);
            if interrupted {
                part.ended = Ended::Interrupted;
            } else if let Some(error) = &error {
                (part.ended, part.reason) = (Ended::Error, Some(error.message.clone()));
            } else {
                part.ended = Ended::EndReached;
            }
        }
        let records = report.partitions.iter().map(|part| part.records).sum::<u64>();
        report.total = ReplayTotal {
            records,
            filtered: 0,
            bytes: report.partitions.iter().map(|part| part.bytes).sum(),
            seconds,
            records_per_second: (records as f64 / seconds * 10.0).round() / 10.0,
        };
        report.sink.written = sink.written();
        for remark in sink.remarks() {
            if report.warnings.iter().all(|warning| warning.message != remark.message) {
                report.warnings.push(Warning {
                    code: remark.code.to_owned(),
                    message: remark.message,
                    group: None,
                    topic: None,
                    partition: None,
                });
            }
        }
        Run { report, error: error.filter(|error| error.code != Code::Interrupted) }
    }

    /// The report of a run in which nothing was produced yet.
    pub fn report(&self, checked: &Checked, head: Head, outcome: ReplayOutcome, target: String) -> LoadReport {
        let (kind, version) = LoadReport::head();
        let partitions = checked.parts.iter().map(|((topic, partition), part)| LoadPartition {
            topic: topic.clone(),
            topic_id: None,
            partition: *partition,
            start_offset: part.first,
            end_offset: part.last.saturating_add(1),
            high_watermark: None,
            records: 0,
            gaps: (part.last.abs_diff(part.first) + 1).saturating_sub(part.records),
            bytes: 0,
            ended: Ended::NotBegun,
            reason: None,
        });
        LoadReport {
            kind,
            version,
            outcome,
            cluster_id: head.cluster_id,
            captured_at: head.captured_at,
            isolation_level: None,
            window: LoadWindow {
                mode: "file".to_owned(),
                file: self.path.display().to_string(),
                records: checked.records,
                json: checked.json,
            },
            partitions: partitions.collect(),
            total: ReplayTotal { records: 0, filtered: 0, bytes: 0, seconds: 0.0, records_per_second: 0.0 },
            sink: SinkReport { into: "kafka".to_owned(), target, partial: None, written: 0, duplicates: 0 },
            resume: None,
            warnings: head.warnings,
        }
    }
}

/// What a report says beside the file.
#[derive(Debug, Clone)]
pub struct Head {
    /// The target's cluster.
    pub cluster_id: String,
    /// When the file was looked at.
    pub captured_at: Timestamp,
    /// What was warned of.
    pub warnings: Vec<Warning>,
}

impl Checked {
    fn add(&mut self, record: Loaded) {
        let (offset, bytes) = (record.offset, record.bytes());
        let headers: usize =
            record.headers.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum();
        self.largest = self.largest.max(bytes + headers as u64);
        self.null_keys |= record.key.is_none();
        self.json += u64::from(record.json);
        if record.timestamp_type != TimestampType::NotAvailable {
            self.oldest_ms = Some(self.oldest_ms.map_or(record.timestamp_ms, |oldest| oldest.min(record.timestamp_ms)));
            self.newest_ms = Some(self.newest_ms.map_or(record.timestamp_ms, |newest| newest.max(record.timestamp_ms)));
        }
        self.records += 1;
        let part = self.parts.entry((record.topic, record.partition)).or_insert(Part {
            first: offset,
            last: offset,
            records: 0,
        });
        // A replay writes a partition in its order.
        self.unordered += u64::from(part.records > 0 && offset <= part.last);
        (part.first, part.last, part.records) = (part.first.min(offset), part.last.max(offset), part.records + 1);
    }

    /// Whether records come from a topic of this name.
    pub fn is_from(&self, topic: &str) -> bool {
        self.parts.keys().any(|(name, _)| name == topic)
    }

    /// `orders (3 partitions, 17 records)`.
    pub fn topics_text(&self) -> String {
        let mut topics: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
        for ((topic, _), part) in &self.parts {
            let (partitions, records) = topics.entry(topic).or_default();
            (*partitions, *records) = (*partitions + 1, *records + part.records);
        }
        let texts: Vec<String> = topics
            .into_iter()
            .map(|(topic, (partitions, records))| {
                let s = if partitions == 1 { "" } else { "s" };
                format!("{topic} ({partitions} partition{s}, {records} records)")
            })
            .collect();
        texts.join(", ")
    }

    /// What the target's settings are compared with.
    pub fn batch(&self) -> BatchFacts {
        BatchFacts {
            topics: self.parts.keys().map(|(topic, _)| (topic.clone(), 0)).collect(),
            last_partition: self.parts.keys().map(|(_, partition)| *partition).max(),
            oldest_ms: self.oldest_ms,
            newest_ms: self.newest_ms,
            null_keys: Some(self.null_keys),
            largest: Some(self.largest),
            ..BatchFacts::default()
        }
    }

    /// What a person should know of the file.
    pub fn warnings(&self) -> Vec<Warning> {
        let warning = |code: &str, message: String| Warning {
            code: code.to_owned(),
            message,
            group: None,
            topic: None,
            partition: None,
        };
        let json = (self.json > 0).then(|| {
            warning(
                "json-values",
                format!(
                    "{} records were written with the format `json`: they are produced as compact JSON, which need not be the bytes that they had",
                    self.json
                ),
            )
        });
        let unordered = (self.unordered > 0).then(|| {
            warning(
                "out-of-order",
                format!("{} records do not come after the ones before them in their partition", self.unordered),
            )
        });
        json.into_iter().chain(unordered).collect()
    }
}

fn stamp(path: &Path) -> Result<(u64, Option<SystemTime>)> {
    let failed = |error| Error::new(Code::BadFile, format!("`{}` can't be read", path.display())).caused_by(error);
    let metadata = path.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(Error::new(Code::BadFile, format!("`{}` is no file", path.display()))
            .hint("it is read twice: once to check all of it, once to produce it"));
    }
    Ok((metadata.len(), metadata.modified().ok()))
}
