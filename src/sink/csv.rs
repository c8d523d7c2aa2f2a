//! Comma-separated values, as RFC 4180 has them: null is empty, and the empty text is `""`.

use super::Format;
use super::form::{Field, Part, field};
use super::lines::Encode;
use super::text::{Instants, base64, compact, integer, timestamp_of};
use super::{Formats, jsonl};
use crate::error::Result;
use crate::model::Record;

/// The columns.
pub const HEADER: &[u8] = b"topic,partition,offset,timestamp,timestamp_type,key,value,headers\n";

/// Writes rows.
#[derive(Default)]
pub struct Csv {
    formats: Formats,
    instants: Instants,
    scratch: Vec<u8>,
    registered: u64,
}

impl Csv {
    /// Rows with keys and values in these formats; text where none is said.
    pub fn new(formats: Formats) -> Self {
        Csv { formats, ..Csv::default() }
    }

    fn field(
        &mut self,
        out: &mut Vec<u8>,
        bytes: Option<&[u8]>,
        format: Option<Format>,
        part: Part,
        record: &Record<'_>,
    ) -> Result<()> {
        let format = format.unwrap_or(Format::String);
        match field(bytes, format, part, record)? {
            Field::Null => return Ok(()),
            Field::Text(text) => quote(out, text.as_bytes()),
            Field::Bytes(bytes) => {
                self.registered += u64::from(format != Format::Bytes);
                if bytes.is_empty() {
                    quote(out, b"");
                } else {
                    base64(out, bytes);
                }
            }
            Field::Json(json) => {
                self.scratch.clear();
                compact(&mut self.scratch, json);
                quote(out, &self.scratch);
            }
        }
        Ok(())
    }
}

impl Encode for Csv {
    const NAME: &'static str = "csv";
    const HEADER: &'static [u8] = HEADER;

    fn encode(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<()> {
        quote(out, record.topic.as_bytes());
        out.push(b',');
        integer(out, i64::from(record.partition));
        out.push(b',');
        integer(out, record.offset);
        out.push(b',');
        if let Some(millis) = timestamp_of(record) {
            self.instants.write(out, millis);
        }
        out.push(b',');
        out.extend_from_slice(record.timestamp_type.as_str().as_bytes());
        out.push(b',');
        self.field(out, record.key, self.formats.key, Part::Key, record)?;
        out.push(b',');
        self.field(out, record.value, self.formats.value, Part::Value, record)?;
        out.push(b',');
        self.scratch.clear();
        jsonl::headers(&mut self.scratch, record.headers);
        quote(out, &self.scratch);
        out.push(b'\n');
        Ok(())
    }

    fn registered(&self) -> u64 {
        self.registered
    }
}

/// A field, in quotes where it needs them.
fn quote(out: &mut Vec<u8>, field: &[u8]) {
    if !field.is_empty() && !field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return out.extend_from_slice(field);
    }
    out.push(b'"');
    let mut from = 0;
    for (at, _) in field.iter().enumerate().filter(|(_, byte)| **byte == b'"') {
        out.extend_from_slice(&field[from..=at]);
        out.push(b'"');
        from = at + 1;
    }
    out.extend_from_slice(&field[from..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Header, TimestampType};

    const RECORD: Record<'_> = Record {
        topic: "orders",
        partition: 0,
        offset: 5,
        timestamp_ms: 1_796_119_198_120,
        timestamp_type: TimestampType::CreateTime,
        key: Some(b"k"),
        value: Some(b"v"),
        headers: &[],
    };

    fn row(formats: Formats, record: &Record<'_>) -> String {
        let mut out = Vec::new();
        Csv::new(formats).encode(&mut out, record).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_are_those_of_rfc_4180() {
        let default = Formats::default();
        assert_eq!(row(default, &RECORD), "orders,0,5,2026-12-01T09:59:58.120Z,CreateTime,k,v,[]\n");
        let headers = [Header { key: b"a", value: None }];
        let record = Record { key: None, value: Some(b""), headers: &headers, timestamp_ms: -1, ..RECORD };
        assert_eq!(
            row(default, &record),
            "orders,0,5,,CreateTime,,\"\",\"[{\"\"key\"\":\"\"a\"\",\"\"value\"\":null}]\"\n"
        );
        let record = Record { key: Some(b"\""), value: Some(b"a,\"b\"\r\nc"), ..RECORD };
        assert!(row(default, &record).ends_with(",\"\"\"\",\"a,\"\"b\"\"\r\nc\",[]\n"));
    }

    #[test]
    fn formats_of_keys_and_values() {
        let formats = Formats { key: Some(Format::Bytes), value: Some(Format::Json) };
        let record = Record { key: Some(b"\xff\x00"), value: Some(b" { \"a\" : 1.0 } "), ..RECORD };
        assert!(row(formats, &record).ends_with(",/wA=,\"{\"\"a\"\":1.0}\",[]\n"));
        let record = Record { key: Some(b""), value: None, ..RECORD };
        assert!(row(formats, &record).ends_with(",\"\",,[]\n"));
        let mut csv = Csv::default();
        assert!(csv.encode(&mut Vec::new(), &Record { value: Some(b"\xff"), ..RECORD }).is_err());
        csv.encode(&mut Vec::new(), &Record { value: Some(b"\0\0\0\0\x01a"), ..RECORD }).unwrap();
        assert_eq!(csv.registered(), 1);
    }
}
