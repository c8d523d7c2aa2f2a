//! What stands in the columns.

use crate::error::Result;
use crate::model::{Header, Record, Timestamp, TimestampType};
use crate::sink::form::{self, Field, Part};
use crate::sink::{Format, Formats, Remark};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// The columns, in their order.
pub const NAMES: [&str; 8] = [
    "kafka_topic",
    "kafka_partition",
    "kafka_offset",
    "kafka_timestamp",
    "kafka_timestamp_type",
    "kafka_key",
    "kafka_value",
    "kafka_headers",
];

/// The columns that tell one record from another.
pub const IDENTITY: &str = "kafka_topic, kafka_partition, kafka_offset";

/// How keys and values stand in a table: bytes, unless told.
#[derive(Debug, Clone, Copy)]
pub struct Forms {
    /// Of keys.
    pub key: Format,
    /// Of values.
    pub value: Format,
}

impl From<Formats> for Forms {
    fn from(formats: Formats) -> Self {
        Forms { key: formats.key.unwrap_or(Format::Bytes), value: formats.value.unwrap_or(Format::Bytes) }
    }
}

impl Forms {
    /// Key and value, or the error that names the record that does not have the form.
    pub fn fields<'a>(&self, record: &Record<'a>) -> Result<(Field<'a>, Field<'a>)> {
        Ok((field(record.key, self.key, Part::Key, record)?, field(record.value, self.value, Part::Value, record)?))
    }

    /// The flag that says this form, and its word.
    pub fn flag(column: &str, format: Format) -> String {
        let part = if column == "kafka_key" { "key" } else { "value" };
        let word = match format {
            Format::String => "string",
            Format::Bytes => "bytes",
            Format::Json => "json",
        };
        format!("`--{part}-format {word}`")
    }
}

fn field<'a>(bytes: Option<&'a [u8]>, format: Format, part: Part, record: &Record<'_>) -> Result<Field<'a>> {
    let field = form::field(bytes, format, part, record)?;
    match field {
        Field::Text(text) if text.contains('\0') => Err(form::refused::<std::fmt::Error>(
            part,
            record,
            "holds a NUL character, which a text column can't keep",
            None,
        )),
        field => Ok(field),
    }
}

/// The moment of a record; `None` where it has none. A producer may give −1, which is Kafka's "no timestamp".
pub fn moment(record: &Record<'_>) -> Option<i64> {
    (record.timestamp_type != TimestampType::NotAvailable && record.timestamp_ms != -1).then_some(record.timestamp_ms)
}

/// Moments as text; what repeats from record to record is kept.
#[derive(Debug, Default)]
pub struct Moments {
    second: Option<i64>,
    /// `2026-12-01T10:00:00.` and the rest of it; empty where the year has no such text.
    text: String,
    prefix: usize,
}

impl Moments {
    /// RFC 3339 with milliseconds; `None` outside the years that have such a text.
    pub fn text(&mut self, millis: i64) -> Option<&str> {
        let second = millis.div_euclid(1000);
        if self.second != Some(second) {
            self.second = Some(second);
            self.text = Timestamp(second.saturating_mul(1000)).to_rfc3339().unwrap_or_default();
            self.prefix = self.text.len().saturating_sub("000Z".len());
        }
        if self.text.is_empty() {
            return None;
        }
        let rest = millis.rem_euclid(1000) as u32;
        self.text.truncate(self.prefix);
        self.text.extend([rest / 100, rest / 10 % 10, rest % 10].map(|digit| char::from(b'0' + digit as u8)));
        self.text.push('Z');
        Some(&self.text)
    }

    /// The text that was made last.
    pub fn last(&self) -> &str {
        &self.text
    }
}

/// Headers as a JSON array, as JSON Lines have them. `without_nul`: text with a NUL character is written as base64 too, for
/// databases whose JSON can't hold it.
pub fn headers(out: &mut Vec<u8>, headers: &[Header<'_>], without_nul: bool) {
    out.push(b'[');
    for (index, header) in headers.iter().enumerate() {
        out.extend_from_slice(if index > 0 { b",{" } else { b"{" });
        text_or_base64(out, "key", Some(header.key), without_nul);
        out.push(b',');
        text_or_base64(out, "value", header.value, without_nul);
        out.push(b'}');
    }
    out.push(b']');
}

fn text_or_base64(out: &mut Vec<u8>, name: &str, bytes: Option<&[u8]>, without_nul: bool) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    let Some(bytes) = bytes else {
        out.extend_from_slice(b"\":null");
        return;
    };
    match std::str::from_utf8(bytes) {
        Ok(text) if !(without_nul && text.contains('\0')) => {
            out.extend_from_slice(b"\":");
            // Writing to memory does not fail.
            let _ = serde_json::to_writer(out, text);
        }
        _ => {
            out.extend_from_slice(b"_base64\":\"");
            out.extend_from_slice(BASE64.encode(bytes).as_bytes());
            out.push(b'"');
        }
    }
}

/// What was noticed on the way, for the report.
#[derive(Debug, Default)]
pub struct Noticed {
    /// Timestamps that the column can't hold.
    pub out_of_range: u64,
    /// Rows of the same topic, partition and offset with another content.
    pub differing: u64,
    /// Keys and values that begin with a Schema Registry's prefix and stand as bytes where text was asked for.
    pub registered: u64,
}

impl Noticed {
    /// In words.
    pub fn remarks(&self) -> Vec<Remark> {
        [
            (
                self.differing,
                "rows-differ",
                "rows were there already with another timestamp, key or value than the record of the same topic, partition \
                 and offset: the topic may have been made anew since; they were left as they are",
            ),
            (
                self.out_of_range,
                "timestamp-out-of-range",
                "records have a timestamp that the column can't hold: it is null there",
            ),
            (
                self.registered,
                "schema-registry",
                "keys or values begin with a Schema Registry's prefix: they stand as bytes, whatever was asked",
            ),
        ]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, code, words)| Remark { code, message: format!("{count} {words}") })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_all_kinds() {
        let mut moments = Moments::default();
        let mut of = |millis| moments.text(millis).map(str::to_owned);
        assert_eq!(of(0).as_deref(), Some("1970-01-01T00:00:00.000Z"));
        assert_eq!(of(7).as_deref(), Some("1970-01-01T00:00:00.007Z"));
        assert_eq!(of(-2).as_deref(), Some("1969-12-31T23:59:59.998Z"));
        assert_eq!(of(1_796_119_198_120).as_deref(), Some("2026-12-01T09:59:58.120Z"));
        assert_eq!(of(i64::MAX), None);
        assert_eq!(of(i64::MIN), None);
    }

    #[test]
    fn headers_are_an_array_in_their_order() {
        let of = |list: &[Header<'_>], without_nul| {
            let mut out = Vec::new();
            headers(&mut out, list, without_nul);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(of(&[], true), "[]");
        let list = [
            Header { key: b"a", value: None },
            Header { key: b"a", value: Some(b"") },
            Header { key: b"\xff", value: Some(b"\0") },
        ];
        assert_eq!(
            of(&list, false),
            r#"[{"key":"a","value":null},{"key":"a","value":""},{"key_base64":"/w==","value":"\u0000"}]"#
        );
        assert!(of(&list, true).ends_with(r#"{"key_base64":"/w==","value_base64":"AA=="}]"#));
    }
}
