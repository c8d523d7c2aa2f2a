//! JSON Lines: one object a record, as the contract of the output says.

use super::form::{Field, Part, field};
use super::lines::Encode;
use super::text::{Instants, base64, compact, integer, string, timestamp_of};
use super::{Format, Formats};
use crate::error::Result;
use crate::model::{Header, Record};

/// One record as one line, without its end.
pub fn json_line(record: &Record<'_>) -> String {
    let mut line = Vec::new();
    // The default formats take everything.
    let _ = Jsonl::default().encode(&mut line, record);
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

/// Writes lines. What repeats from record to record is kept: the topic and partition, and the timestamp's second.
#[derive(Default)]
pub struct Jsonl {
    formats: Formats,
    topic: String,
    partition: i32,
    prefix: Vec<u8>,
    instants: Instants,
    registered: u64,
}

impl Jsonl {
    /// Lines with keys and values in these formats; text where it is UTF-8, else base64, where none is said.
    pub fn new(formats: Formats) -> Self {
        Jsonl { formats, ..Jsonl::default() }
    }

    fn timestamp(&mut self, out: &mut Vec<u8>, record: &Record<'_>) {
        let Some(millis) = timestamp_of(record) else {
            return out.extend_from_slice(b",\"timestamp\":null,\"timestamp_ms\":null");
        };
        out.extend_from_slice(b",\"timestamp\":\"");
        if self.instants.write(out, millis) {
            out.push(b'"');
        } else {
            out.pop();
            out.extend_from_slice(b"null");
        }
        out.extend_from_slice(b",\"timestamp_ms\":");
        integer(out, millis);
    }

    /// A key or a value.
    fn part(&mut self, out: &mut Vec<u8>, part: Part, record: &Record<'_>) -> Result<()> {
        let (name, content, format) = match part {
            Part::Key => ("key", record.key, self.formats.key),
            Part::Value => ("value", record.value, self.formats.value),
        };
        let Some(format) = format else {
            bytes(out, name, content);
            return Ok(());
        };
        match field(content, format, part, record)? {
            Field::Null => null(out, name),
            Field::Text(content) => text(out, name, content),
            Field::Bytes(content) => {
                self.registered += u64::from(format != Format::Bytes);
                encoded(out, name, content);
            }
            Field::Json(json) => {
                out.push(b'"');
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b"\":");
                compact(out, json);
                out.extend_from_slice(b",\"");
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b"_format\":\"json\"");
            }
        }
        Ok(())
    }
}

impl Encode for Jsonl {
    const NAME: &'static str = "jsonl";

    fn encode(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<()> {
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
        self.part(out, Part::Key, record)?;
        out.push(b',');
        self.part(out, Part::Value, record)?;
        out.extend_from_slice(b",\"headers\":");
        headers(out, record.headers);
        out.extend_from_slice(b"}\n");
        Ok(())
    }

    fn registered(&self) -> u64 {
        self.registered
    }
}

/// The list of headers.
pub(super) fn headers(out: &mut Vec<u8>, headers: &[Header<'_>]) {
    out.push(b'[');
    for (index, header) in headers.iter().enumerate() {
        out.extend_from_slice(if index > 0 { b",{" } else { b"{" });
        bytes(out, "key", Some(header.key));
        out.push(b',');
        bytes(out, "value", header.value);
        out.push(b'}');
    }
    out.push(b']');
}

/// `"name":"text"`, `"name":null`, or `"name_base64":"…"` for what is not UTF-8.
fn bytes(out: &mut Vec<u8>, name: &str, bytes: Option<&[u8]>) {
    match bytes.map(|bytes| std::str::from_utf8(bytes).map_err(|_| bytes)) {
        None => null(out, name),
        Some(Ok(content)) => text(out, name, content),
        Some(Err(bytes)) => encoded(out, name, bytes),
    }
}

fn null(out: &mut Vec<u8>, name: &str) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":null");
}

fn text(out: &mut Vec<u8>, name: &str, text: &str) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    string(out, text);
}

fn encoded(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"_base64\":\"");
    base64(out, bytes);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;
    use crate::model::TimestampType;
    use crate::sink::{Lines, Pipe, Sink, Text};
    use std::io::{self, Write};

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
        lines_as(Formats::default(), records)
    }

    fn lines_as(formats: Formats, records: &[Record<'_>]) -> Vec<String> {
        let mut out = Vec::new();
        let mut encoder = Jsonl::new(formats);
        records.iter().for_each(|record| encoder.encode(&mut out, record).unwrap());
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

    #[test]
    fn formats_that_were_asked_for() {
        let all = |format| Formats { key: Some(format), value: Some(format) };
        let fields = |formats, value: Option<&[u8]>| {
            let line = &lines_as(formats, &[Record { key: None, value, ..RECORD }])[0];
            let (_, rest) = line.split_once("\"key\":null,").unwrap();
            rest.strip_suffix(",\"headers\":[]}").unwrap().to_owned()
        };
        assert_eq!(fields(all(Format::Bytes), Some(b"ab")), r#""value_base64":"YWI=""#);
        assert_eq!(fields(all(Format::Bytes), Some(b"")), r#""value_base64":"""#);
        assert_eq!(fields(all(Format::String), Some(b"{ }")), r#""value":"{ }""#);
        let json = b" {\"b\" : 1.50e400, \"a\":12345678901234567890123, \"a\": \" \"}";
        let expected = r#""value":{"b":1.50e400,"a":12345678901234567890123,"a":" "},"value_format":"json""#;
        assert_eq!(fields(all(Format::Json), Some(json)), expected);
        // JSON's own null is told from the record's.
        assert_eq!(fields(all(Format::Json), Some(b"null")), r#""value":null,"value_format":"json""#);
        for format in [Format::String, Format::Bytes, Format::Json] {
            assert_eq!(fields(all(format), None), r#""value":null"#);
        }
        assert_eq!(fields(all(Format::Json), Some(b"\0\0\0\0\x07a")), r#""value_base64":"AAAAAAdh""#);
        let key = Record { key: Some(b"[1, 2]"), value: None, ..RECORD };
        let line = &lines_as(all(Format::Json), &[key])[0];
        assert!(line.contains(r#","key":[1,2],"key_format":"json","value":null,"#), "{line}");
    }

    #[test]
    fn a_record_that_can_not_be_taken_leaves_no_half_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        let file = crate::sink::FileTarget::create(&path).unwrap();
        let formats = Formats { key: None, value: Some(Format::Json) };
        let lines = Lines::to_file(file, crate::sink::Compression::None).unwrap();
        let mut sink = Text::new(Jsonl::new(formats), lines);
        sink.put(&RECORD).unwrap();
        assert_eq!(sink.put(&Record { value: Some(b"{"), ..RECORD }).unwrap_err().code, Code::SinkFailed);
        let partial = sink.finish(false).partial.unwrap();
        let text = std::fs::read_to_string(partial).unwrap();
        assert!(text.ends_with("}\n") && text.lines().count() == 1, "{text}");
        sink.put(&Record { value: Some(b"\0\0\0\0\x07a"), ..RECORD }).unwrap();
        assert_eq!(sink.remarks()[0].code, "schema-registry");
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
        let mut sink = Text::new(Jsonl::default(), Lines::to_pipe(Pipe::new(Box::new(Gone), stop).unwrap()));
        sink.put(&RECORD).unwrap();
        assert_eq!(sink.flush().unwrap_err().code, Code::SinkClosed);
        assert_eq!(sink.written(), 0);
        assert!(sink.finish(true).error.is_none(), "the error was told already");
    }
}
