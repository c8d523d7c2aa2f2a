//! One record as one line of JSON.

use crate::model::{Record, Timestamp, TimestampType};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Encodes records into a buffer, and remembers the second that the last timestamp fell into: most follow one another closely.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    second: Option<(i64, String)>,
}

impl Encoder {
    /// Appends the record's line.
    pub(super) fn line(&mut self, out: &mut Vec<u8>, record: &Record<'_>) {
        out.extend_from_slice(b"{\"topic\":");
        string(out, record.topic);
        out.extend_from_slice(b",\"partition\":");
        integer(out, i64::from(record.partition));
        out.extend_from_slice(b",\"offset\":");
        integer(out, record.offset);
        out.extend_from_slice(b",\"timestamp\":");
        if record.timestamp_type == TimestampType::NotAvailable {
            out.extend_from_slice(b"null,\"timestamp_ms\":null");
        } else {
            self.instant(out, record.timestamp_ms);
            out.extend_from_slice(b",\"timestamp_ms\":");
            integer(out, record.timestamp_ms);
        }
        out.extend_from_slice(b",\"timestamp_type\":\"");
        out.extend_from_slice(record.timestamp_type.as_str().as_bytes());
        out.extend_from_slice(b"\",");
        bytes(out, "key", record.key);
        out.push(b',');
        bytes(out, "value", record.value);
        out.extend_from_slice(b",\"headers\":[");
        for (index, header) in record.headers.iter().enumerate() {
            out.extend_from_slice(if index == 0 { b"{" } else { b",{" });
            bytes(out, "key", Some(header.key));
            out.push(b',');
            bytes(out, "value", header.value);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}\n");
    }

    fn instant(&mut self, out: &mut Vec<u8>, timestamp_ms: i64) {
        let (second, millis) = (timestamp_ms.div_euclid(1000), timestamp_ms.rem_euclid(1000));
        if self.second.as_ref().is_none_or(|(known, _)| *known != second) {
            // A record's timestamp may be any number; what has no date has no text.
            let Some(text) = second.checked_mul(1000).and_then(|ms| Timestamp(ms).to_rfc3339()) else {
                out.extend_from_slice(b"null");
                return;
            };
            let seconds = text.trim_end_matches(".000Z").to_owned();
            self.second = Some((second, seconds));
        }
        if let Some((_, text)) = &self.second {
            out.push(b'"');
            out.extend_from_slice(text.as_bytes());
            let digit = |number: i64| b'0' + (number % 10) as u8;
            out.extend_from_slice(&[b'.', digit(millis / 100), digit(millis / 10), digit(millis), b'Z', b'"']);
        }
    }
}

/// A field with text where the bytes are UTF-8, else `NAME_base64`; null is null.
fn bytes(out: &mut Vec<u8>, name: &str, value: Option<&[u8]>) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    let Some(value) = value else {
        out.extend_from_slice(b"\":null");
        return;
    };
    match std::str::from_utf8(value) {
        Ok(text) => {
            out.extend_from_slice(b"\":");
            string(out, text);
        }
        Err(_) => {
            out.extend_from_slice(b"_base64\":\"");
            out.extend_from_slice(STANDARD.encode(value).as_bytes());
            out.push(b'"');
        }
    }
}

fn integer(out: &mut Vec<u8>, number: i64) {
    let mut digits = [0u8; 20];
    let mut rest = number.unsigned_abs();
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// A JSON string: quotes, backslashes and control characters are escaped, everything else stays as it is.
fn string(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != 0x7f {
            continue;
        }
        out.extend_from_slice(&bytes[from..index]);
        from = index + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[usize::from(byte >> 4)]);
                out.push(HEX[usize::from(byte & 15)]);
            }
        }
    }
    out.extend_from_slice(&bytes[from..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Header;
    use proptest::prelude::*;

    fn record<'a>(key: Option<&'a [u8]>, value: Option<&'a [u8]>, headers: &'a [Header<'a>]) -> Record<'a> {
        Record {
            topic: "orders",
            partition: 0,
            offset: 5,
            timestamp_ms: 1_796_119_198_120,
            timestamp_type: TimestampType::CreateTime,
            key,
            value,
            headers,
        }
    }

    fn encoded(record: &Record<'_>) -> String {
        let mut out = Vec::new();
        Encoder::default().line(&mut out, record);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_as_the_contract_shows_it() {
        let headers = [Header { key: b"trace", value: Some(b"t1") }];
        assert_eq!(
            encoded(&record(Some(b"order-9912"), Some(br#"{"sku":"a"}"#), &headers)),
            "{\"topic\":\"orders\",\"partition\":0,\"offset\":5,\"timestamp\":\"2026-12-01T09:59:58.120Z\",\"timestamp_ms\":1796119198120,\
             \"timestamp_type\":\"CreateTime\",\"key\":\"order-9912\",\"value\":\"{\\\"sku\\\":\\\"a\\\"}\",\
             \"headers\":[{\"key\":\"trace\",\"value\":\"t1\"}]}\n"
        );
    }

    #[test]
    fn null_is_null_empty_is_empty_and_what_is_no_text_is_base64() {
        let headers = [
            Header { key: b"a", value: None },
            Header { key: b"a", value: Some(b"") },
            Header { key: b"\xff", value: Some(b"\x00\xff") },
        ];
        let line: serde_json::Value =
            serde_json::from_str(&encoded(&record(None, Some(b"\xff\xfe"), &headers))).unwrap();
        assert_eq!(line["key"], serde_json::Value::Null);
        assert!(line.get("value").is_none());
        assert_eq!(line["value_base64"], "//4=");
        assert_eq!(line["headers"][0]["value"], serde_json::Value::Null);
        assert_eq!(line["headers"][1]["value"], "");
        assert_eq!(line["headers"][2]["key_base64"], "/w==");
        assert_eq!(line["headers"][2]["value_base64"], "AP8=");
    }

    #[test]
    fn timestamps_of_any_number_are_told() {
        for (ms, text) in [
            (0, Some("1970-01-01T00:00:00.000Z")),
            (-1, Some("1969-12-31T23:59:59.999Z")),
            (1_796_119_198_007, Some("2026-12-01T09:59:58.007Z")),
            (i64::MAX, None),
            (i64::MIN, None),
        ] {
            let mut record = record(None, None, &[]);
            record.timestamp_ms = ms;
            let line: serde_json::Value = serde_json::from_str(&encoded(&record)).unwrap();
            assert_eq!(line["timestamp"].as_str(), text);
            assert_eq!(line["timestamp_ms"].as_i64(), Some(ms));
        }
        let mut record = record(None, None, &[]);
        record.timestamp_type = TimestampType::NotAvailable;
        let line: serde_json::Value = serde_json::from_str(&encoded(&record)).unwrap();
        assert!(line["timestamp"].is_null() && line["timestamp_ms"].is_null());
    }

    proptest! {
        #[test]
        fn any_text_reads_back_the_same(text in any::<String>(), number in any::<i64>()) {
            let mut record = record(Some(text.as_bytes()), Some(text.as_bytes()), &[]);
            record.offset = number;
            let line = encoded(&record);
            prop_assert_eq!(line.lines().count(), 1);
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(line["key"].as_str(), Some(text.as_str()));
            prop_assert_eq!(line["offset"].as_i64(), Some(number));
        }

        #[test]
        fn any_bytes_read_back_the_same(value in proptest::collection::vec(any::<u8>(), 0..40)) {
            let line: serde_json::Value = serde_json::from_str(&encoded(&record(None, Some(&value), &[]))).unwrap();
            let back = match line.get("value") {
                Some(text) => text.as_str().unwrap().as_bytes().to_vec(),
                None => STANDARD.decode(line["value_base64"].as_str().unwrap()).unwrap(),
            };
            prop_assert_eq!(back, value);
        }
    }
}
