//! A key or a value in the form that was asked for.

use super::Format;
use crate::error::{Code, Error, Result};
use crate::model::Record;
use serde_json::value::RawValue;

/// A key or a value on its way into a sink.
#[derive(Debug, Clone, Copy)]
pub enum Field<'a> {
    /// Null, which differs from empty.
    Null,
    /// Text.
    Text(&'a str),
    /// Bytes; also under `string` and `json` where a Schema Registry's prefix stands before the content ([`is_registered`]).
    Bytes(&'a [u8]),
    /// JSON, exactly as it stood in the record: digits, spaces, order and duplicates of keys.
    Json(&'a RawValue),
}

/// Which part of a record it is, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The key.
    Key,
    /// The value.
    Value,
}

/// Whether it begins as Confluent's serializers write it: a zero byte and a schema's id of four bytes. No JSON and hardly a text
/// begins with a zero byte.
pub fn is_registered(bytes: &[u8]) -> bool {
    bytes.len() >= 5 && bytes[0] == 0
}

/// The field in this form, or the error that names the record it could not be made of.
pub fn field<'a>(bytes: Option<&'a [u8]>, format: Format, part: Part, record: &Record<'_>) -> Result<Field<'a>> {
    let Some(bytes) = bytes else { return Ok(Field::Null) };
    match format {
        Format::Bytes => Ok(Field::Bytes(bytes)),
        _ if is_registered(bytes) => Ok(Field::Bytes(bytes)),
        Format::String => std::str::from_utf8(bytes)
            .map(Field::Text)
            .map_err(|error| refused(part, record, "is not UTF-8", Some(error))),
        Format::Json => match serde_json::from_slice::<&RawValue>(bytes) {
            Ok(value) => Ok(Field::Json(value)),
            Err(error) => Err(refused(part, record, "is not JSON", Some(error))),
        },
    }
}

/// The error of a key or value that the sink can't take as it was asked to.
pub fn refused<E>(part: Part, record: &Record<'_>, why: &str, error: Option<E>) -> Error
where
    E: std::error::Error + Send + Sync + 'static,
{
    let (name, flag) = match part {
        Part::Key => ("key", "--key-format bytes"),
        Part::Value => ("value", "--value-format bytes"),
    };
    let message = format!("the {name} of `{}-{}` at offset {} {why}", record.topic, record.partition, record.offset);
    let refusal = Error::new(Code::SinkFailed, message).hint(format!("`{flag}` takes every {name} as it is"));
    match error {
        Some(error) => refusal.caused_by(error),
        None => refusal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TimestampType;

    const RECORD: Record<'_> = Record {
        topic: "orders",
        partition: 2,
        offset: 5,
        timestamp_ms: 0,
        timestamp_type: TimestampType::CreateTime,
        key: None,
        value: None,
        headers: &[],
    };

    fn of(bytes: &[u8], format: Format) -> Result<Field<'_>> {
        field(Some(bytes), format, Part::Value, &RECORD)
    }

    #[test]
    fn json_keeps_its_text() {
        let text = br#"{"b": 1.50e400, "a":12345678901234567890123, "a":2}"#;
        assert!(matches!(of(text, Format::Json).unwrap(), Field::Json(json) if json.get().as_bytes() == text));
        let error = of(b"{", Format::Json).unwrap_err();
        assert!(error.message.contains("`orders-2` at offset 5"), "{}", error.message);
        assert!(of(b"", Format::Json).is_err(), "empty is no JSON");
    }

    #[test]
    fn a_registered_schema_is_bytes_whatever_was_asked() {
        let avro = b"\0\0\0\0\x07\x02a";
        for format in [Format::String, Format::Json, Format::Bytes] {
            assert!(matches!(of(avro, format).unwrap(), Field::Bytes(bytes) if bytes == avro));
        }
        assert!(of(b"\0\0\0\0", Format::Json).is_err(), "four bytes are no prefix");
    }

    #[test]
    fn null_stays_null_and_text_must_be_text() {
        for format in [Format::String, Format::Json, Format::Bytes] {
            assert!(matches!(field(None, format, Part::Key, &RECORD).unwrap(), Field::Null));
        }
        assert!(matches!(of("é".as_bytes(), Format::String).unwrap(), Field::Text("é")));
        assert!(of(b"\xc3\x28", Format::String).is_err());
    }
}
