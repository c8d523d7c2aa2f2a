//! Pieces that the forms of text share.

use crate::model::{Record, Timestamp, TimestampType};
use serde_json::value::RawValue;
use std::io::Write;

/// Milliseconds since the epoch; `None` where the record has no timestamp.
pub fn timestamp_of(record: &Record<'_>) -> Option<i64> {
    // A producer may give −1, which is Kafka's "no timestamp".
    (record.timestamp_type != TimestampType::NotAvailable && record.timestamp_ms != -1).then_some(record.timestamp_ms)
}

/// Writes instants as RFC 3339. The second's text is kept, since records of one second mostly follow each other.
#[derive(Debug, Default)]
pub struct Instants {
    second: Option<i64>,
    text: Vec<u8>,
}

impl Instants {
    /// Writes `2026-12-01T10:00:00.000Z`; nothing, and `false`, where the year has no such text.
    pub fn write(&mut self, out: &mut Vec<u8>, millis: i64) -> bool {
        let second = millis.div_euclid(1000);
        if self.second != Some(second) {
            self.second = Some(second);
            self.text.clear();
            if let Some(text) = Timestamp(second.saturating_mul(1000)).to_rfc3339() {
                self.text.extend_from_slice(text.trim_end_matches("000Z").as_bytes());
            }
        }
        if self.text.is_empty() {
            return false;
        }
        let millis = millis.rem_euclid(1000) as u16;
        out.extend_from_slice(&self.text);
        out.extend([millis / 100, millis / 10 % 10, millis % 10].map(|digit| b'0' + digit as u8));
        out.push(b'Z');
        true
    }
}

/// A number's digits.
pub fn integer(out: &mut Vec<u8>, number: i64) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, &number);
}

/// A JSON string.
pub fn string(out: &mut Vec<u8>, text: &str) {
    let _ = serde_json::to_writer(out, text);
}

/// Base64 with padding.
pub fn base64(out: &mut Vec<u8>, bytes: &[u8]) {
    use base64::engine::general_purpose::STANDARD;
    let _ = base64::write::EncoderWriter::new(out, &STANDARD).write_all(bytes);
}

/// JSON without the spaces outside its strings; digits, escapes, the order of keys and their duplicates stay as they are.
pub fn compact(out: &mut Vec<u8>, json: &RawValue) {
    let bytes = json.get().as_bytes();
    let (mut from, mut at, mut quoted) = (0, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => quoted = !quoted,
            b'\\' => at += 1,
            b' ' | b'\n' | b'\r' | b'\t' if !quoted => {
                out.extend_from_slice(&bytes[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_loses_its_spaces_and_nothing_else() {
        let of = |text: &str| {
            let mut out = Vec::new();
            compact(&mut out, serde_json::from_str(text).unwrap());
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            of(" { \"b\" : 1.50e+400 ,\r\n\t\"a\": [ 1, 2 ] , \"a\" :null } "),
            r#"{"b":1.50e+400,"a":[1,2],"a":null}"#
        );
        assert_eq!(of(r#"{"a b":"c \" d\\", "e": "\\\" f"}"#), r#"{"a b":"c \" d\\","e":"\\\" f"}"#);
        assert_eq!(of(" 12345678901234567890123 "), "12345678901234567890123");
        assert_eq!(of("\"é \\u00e9 注文\""), "\"é \\u00e9 注文\"");
    }

    #[test]
    fn base64_is_padded() {
        let of = |bytes: &[u8]| {
            let mut out = Vec::new();
            base64(&mut out, bytes);
            String::from_utf8(out).unwrap()
        };
        // RFC 4648, section 10.
        assert_eq!(["", "f", "fo", "foo"].map(|text| of(text.as_bytes())), ["", "Zg==", "Zm8=", "Zm9v"]);
    }
}
