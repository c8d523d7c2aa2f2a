//! JSON Lines: one object a record, as the contract of the output says.

use super::pipe::{Pipe, PipeError};
use super::{FileTarget, Finished, Sink};
use crate::error::{Code, Error, Result};
use crate::model::{Header, Record, Timestamp, TimestampType};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::io::{self, Write};

/// Bytes that are collected before they are written.
const BUFFER: usize = 256 * 1024;

/// Where the lines go.
pub enum Target {
    /// A stream, such as standard output.
    Stream(Pipe),
    /// A file.
    File(FileTarget),
}

/// Writes records as JSON Lines.
pub struct JsonLines {
    target: Target,
    buffer: Vec<u8>,
    lines: Encoder,
    /// Records in the buffer.
    pending: u64,
    /// Records on their way to a stream.
    in_flight: u64,
    written: u64,
    failed: bool,
}

impl JsonLines {
    /// Lines to this target.
    pub fn new(target: Target) -> Self {
        JsonLines {
            target,
            buffer: Vec::with_capacity(BUFFER + 64 * 1024),
            lines: Encoder::default(),
            pending: 0,
            in_flight: 0,
            written: 0,
            failed: false,
        }
    }

    /// Sends the buffer on its way; a file has it then, a stream has what was sent before.
    fn write_out(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let arrived = match &mut self.target {
            Target::Stream(pipe) => pipe.send(std::mem::take(&mut self.buffer)).map(|empty| {
                self.buffer = empty;
                std::mem::replace(&mut self.in_flight, self.pending)
            }),
            Target::File(file) => {
                let written = file.write_all(&self.buffer);
                self.buffer.clear();
                written.map(|()| self.pending).map_err(PipeError::Io)
            }
        };
        self.pending = 0;
        self.arrived(arrived)
    }

    fn arrived(&mut self, arrived: std::result::Result<u64, PipeError>) -> Result<()> {
        match arrived {
            Ok(records) => {
                self.written += records;
                Ok(())
            }
            Err(error) => {
                self.failed = true;
                Err(self.write_error(error))
            }
        }
    }

    /// Sends all, and waits until it has arrived.
    fn write_all_out(&mut self) -> Result<()> {
        self.write_out()?;
        let Target::Stream(pipe) = &mut self.target else { return Ok(()) };
        let settled = pipe.settle().map(|_| std::mem::take(&mut self.in_flight));
        self.arrived(settled)
    }

    fn write_error(&self, error: PipeError) -> Error {
        let error = match error {
            PipeError::Stopped => {
                return Error::new(Code::Interrupted, "interrupted while nobody read standard output");
            }
            PipeError::Io(error) => error,
        };
        match &self.target {
            Target::Stream(_) if error.kind() == io::ErrorKind::BrokenPipe => {
                Error::new(Code::SinkClosed, "the reader of standard output left before the window's end")
            }
            Target::Stream(_) => Error::new(Code::SinkFailed, "standard output could not be written").caused_by(error),
            Target::File(file) => {
                Error::new(Code::SinkFailed, format!("`{}` could not be written", file.target().display()))
                    .caused_by(error)
            }
        }
    }
}

impl Sink for JsonLines {
    fn put(&mut self, record: &Record<'_>) -> Result<()> {
        self.lines.line(&mut self.buffer, record);
        self.pending += 1;
        if self.buffer.len() >= BUFFER { self.write_out() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.failed { Ok(()) } else { self.write_all_out() }
    }

    fn finish(&mut self, whole: bool) -> Finished {
        let mut error = self.flush().err();
        let Target::File(file) = &mut self.target else { return Finished { partial: None, error } };
        let mut partial = None;
        if whole && error.is_none() && !self.failed {
            if let Err((why, kept)) = file.publish() {
                (error, partial) = (Some(why), kept);
            }
        } else {
            partial = file.abandon();
        }
        Finished { partial, error }
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn name(&self) -> (&'static str, String) {
        match &self.target {
            Target::Stream(_) => ("jsonl", "-".to_owned()),
            Target::File(file) => ("jsonl", file.target().display().to_string()),
        }
    }
}

/// One record as one line, without its end.
pub fn json_line(record: &Record<'_>) -> String {
    let mut line = Vec::new();
    Encoder::default().line(&mut line, record);
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

/// Writes lines. What repeats from record to record is kept: the topic and partition, and the timestamp's second.
#[derive(Default)]
struct Encoder {
    topic: String,
    partition: i32,
    prefix: Vec<u8>,
    second: Option<i64>,
    second_text: Vec<u8>,
    base64: String,
}

impl Encoder {
    fn line(&mut self, out: &mut Vec<u8>, record: &Record<'_>) {
        if self.partition != record.partition || self.topic != record.topic || self.prefix.is_empty() {
            record.topic.clone_into(&mut self.topic);
            self.partition = record.partition;
            self.prefix.clear();
            self.prefix.extend_from_slice(b"{\"topic\":");
            string(&mut self.prefix, record.topic);
            self.prefix.extend_from_slice(b",\"partition\":");
            integer(&mut self.prefix, i64::from(record.partition));
            self.prefix.extend_from_slice(b",\"offset\":");
        }
        out.extend_from_slice(&self.prefix);
        integer(out, record.offset);
        self.timestamp(out, record);
        out.extend_from_slice(b",\"timestamp_type\":\"");
        out.extend_from_slice(record.timestamp_type.as_str().as_bytes());
        out.extend_from_slice(b"\",");
        self.bytes(out, "key", record.key);
        out.push(b',');
        self.bytes(out, "value", record.value);
        out.extend_from_slice(b",\"headers\":[");
        for (index, header) in record.headers.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.header(out, header);
        }
        out.extend_from_slice(b"]}\n");
    }

    fn timestamp(&mut self, out: &mut Vec<u8>, record: &Record<'_>) {
        // A producer may give −1, which is Kafka's "no timestamp".
        if record.timestamp_type == TimestampType::NotAvailable || record.timestamp_ms == -1 {
            out.extend_from_slice(b",\"timestamp\":null,\"timestamp_ms\":null");
            return;
        }
        let second = record.timestamp_ms.div_euclid(1000);
        if self.second != Some(second) {
            self.second = Some(second);
            self.second_text.clear();
            // `2026-12-01T10:00:00.` of `2026-12-01T10:00:00.000Z`; nothing where the year has no such text.
            if let Some(text) = Timestamp(second.saturating_mul(1000)).to_rfc3339() {
                self.second_text.extend_from_slice(text.trim_end_matches("000Z").as_bytes());
            }
        }
        out.extend_from_slice(b",\"timestamp\":");
        if self.second_text.is_empty() {
            out.extend_from_slice(b"null");
        } else {
            let millis = record.timestamp_ms.rem_euclid(1000) as u16;
            out.push(b'"');
            out.extend_from_slice(&self.second_text);
            out.extend([millis / 100, millis / 10 % 10, millis % 10].map(|digit| b'0' + digit as u8));
            out.extend_from_slice(b"Z\"");
        }
        out.extend_from_slice(b",\"timestamp_ms\":");
        integer(out, record.timestamp_ms);
    }

    fn header(&mut self, out: &mut Vec<u8>, header: &Header<'_>) {
        out.push(b'{');
        self.bytes(out, "key", Some(header.key));
        out.push(b',');
        self.bytes(out, "value", header.value);
        out.push(b'}');
    }

    /// `"name":"text"`, `"name":null`, or `"name_base64":"…"` for what is not UTF-8.
    fn bytes(&mut self, out: &mut Vec<u8>, name: &str, bytes: Option<&[u8]>) {
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        match bytes.map(std::str::from_utf8) {
            None => out.extend_from_slice(b"\":null"),
            Some(Ok(text)) => {
                out.extend_from_slice(b"\":");
                string(out, text);
            }
            Some(Err(_)) => {
                out.extend_from_slice(b"_base64\":\"");
                self.base64.clear();
                BASE64.encode_string(bytes.unwrap_or_default(), &mut self.base64);
                out.extend_from_slice(self.base64.as_bytes());
                out.push(b'"');
            }
        }
    }
}

fn integer(out: &mut Vec<u8>, number: i64) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, &number);
}

fn string(out: &mut Vec<u8>, text: &str) {
    let _ = serde_json::to_writer(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: Record<'_> = Record {
        topic: "orders",
        partition: 0,
        offset: 5,
        timestamp_ms: 1_796_119_198_120,
        timestamp_type: TimestampType::CreateTime,
        key: Some(b"order-9912"),
        value: Some(b"{\"sku\":\"a\"}"),
        headers: &[],
    };

    fn lines(records: &[Record<'_>]) -> Vec<String> {
        let mut out = Vec::new();
        let mut encoder = Encoder::default();
        records.iter().for_each(|record| encoder.line(&mut out, record));
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with('\n'));
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_record_is_the_line_of_the_contract() {
        let headers = [Header { key: b"trace", value: Some(b"abc") }];
        let line = r#"{"topic":"orders","partition":0,"offset":5,"timestamp":"2026-12-01T09:59:58.120Z","timestamp_ms":1796119198120,"timestamp_type":"CreateTime","key":"order-9912","value":"{\"sku\":\"a\"}","headers":[{"key":"trace","value":"abc"}]}"#;
        assert_eq!(lines(&[Record { headers: &headers, ..RECORD }]), [line]);
    }

    #[test]
    fn null_empty_and_binary_are_told_apart() {
        let headers = [
            Header { key: b"a", value: None },
            Header { key: b"a", value: Some(b"") },
            Header { key: b"\xff", value: Some(b"\x00\xff") },
        ];
        let record = Record { key: None, value: Some(b""), headers: &headers, ..RECORD };
        let binary = Record { key: Some(b"\xc3\x28"), value: None, ..RECORD };
        let found: Vec<serde_json::Value> =
            lines(&[record, binary]).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(found[0]["key"], serde_json::Value::Null);
        assert_eq!(found[0]["value"], "");
        assert_eq!(
            found[0]["headers"],
            serde_json::json!([{"key": "a", "value": null}, {"key": "a", "value": ""}, {"key_base64": "/w==", "value_base64": "AP8="}])
        );
        assert_eq!(found[1]["key_base64"], "wyg=");
        assert!(found[1].get("key").is_none());
        assert_eq!(found[1]["value"], serde_json::Value::Null);
    }

    #[test]
    fn text_of_any_kind_comes_back() {
        let text = "a\"b\\c\nd\te\u{0}\u{1f}\u{7f} é 注文 😀 \u{2028}";
        let line = &lines(&[Record { value: Some(text.as_bytes()), ..RECORD }])[0];
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["value"], text);
    }

    #[test]
    fn timestamps_of_all_kinds() {
        let at = |timestamp_ms, timestamp_type| Record { timestamp_ms, timestamp_type, ..RECORD };
        let found: Vec<serde_json::Value> = lines(&[
            at(0, TimestampType::CreateTime),
            at(999, TimestampType::LogAppendTime),
            at(1000, TimestampType::CreateTime),
            at(-1, TimestampType::CreateTime),
            at(-2, TimestampType::CreateTime),
            at(i64::MAX, TimestampType::CreateTime),
            at(5, TimestampType::NotAvailable),
        ])
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
        let texts: Vec<Option<&str>> = found.iter().map(|record| record["timestamp"].as_str()).collect();
        assert_eq!(
            texts,
            [
                Some("1970-01-01T00:00:00.000Z"),
                Some("1970-01-01T00:00:00.999Z"),
                Some("1970-01-01T00:00:01.000Z"),
                None,
                Some("1969-12-31T23:59:59.998Z"),
                None,
                None
            ]
        );
        let millis: Vec<Option<i64>> = found.iter().map(|record| record["timestamp_ms"].as_i64()).collect();
        assert_eq!(millis, [Some(0), Some(999), Some(1000), None, Some(-2), Some(i64::MAX), None]);
        assert_eq!(found[1]["timestamp_type"], "LogAppendTime");
        assert_eq!(found[6]["timestamp_type"], "NoTimestampType");
    }

    #[test]
    fn a_partition_that_changes_is_said() {
        let other = Record { partition: 1, ..RECORD };
        let third = Record { topic: "refunds", partition: 1, ..RECORD };
        let starts: Vec<String> = lines(&[RECORD, other, third, RECORD])
            .iter()
            .map(|line| line.split(",\"offset\"").next().unwrap().to_owned())
            .collect();
        assert_eq!(
            starts,
            [
                "{\"topic\":\"orders\",\"partition\":0",
                "{\"topic\":\"orders\",\"partition\":1",
                "{\"topic\":\"refunds\",\"partition\":1",
                "{\"topic\":\"orders\",\"partition\":0"
            ]
        );
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_did_not_arrive_is_not_written() {
        let stop = Box::leak(Box::new(std::sync::atomic::AtomicBool::new(false)));
        let mut sink = JsonLines::new(Target::Stream(Pipe::new(Box::new(Gone), stop).unwrap()));
        sink.put(&RECORD).unwrap();
        assert_eq!(sink.flush().unwrap_err().code, Code::SinkClosed);
        assert_eq!(sink.written(), 0);
        assert!(sink.finish(true).error.is_none(), "the error was told already");
    }
}
