use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A record as a line of JSON Lines has it: what `replay` wrote, read back.
#[derive(Debug, Deserialize)]
pub struct RecordLine<'a> {
    /// The topic's name.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// Milliseconds since the epoch; `null` where the record has no timestamp.
    #[serde(deserialize_with = "present")]
    pub timestamp_ms: Option<i64>,
    /// Kafka's word.
    pub timestamp_type: String,
    /// The key, as text or as JSON.
    #[serde(borrow, default, deserialize_with = "raw")]
    pub key: Option<&'a RawValue>,
    /// The key's bytes.
    #[serde(default)]
    pub key_base64: Option<String>,
    /// `json` where the key is JSON itself.
    #[serde(default)]
    pub key_format: Option<String>,
    /// The value, as text or as JSON.
    #[serde(borrow, default, deserialize_with = "raw")]
    pub value: Option<&'a RawValue>,
    /// The value's bytes.
    #[serde(default)]
    pub value_base64: Option<String>,
    /// `json` where the value is JSON itself.
    #[serde(default)]
    pub value_format: Option<String>,
    /// The headers in their order.
    #[serde(borrow)]
    pub headers: Vec<HeaderLine<'a>>,
}

/// A header of a [`RecordLine`].
#[derive(Debug, Deserialize)]
pub struct HeaderLine<'a> {
    /// The key as text.
    #[serde(borrow, default, deserialize_with = "raw")]
    pub key: Option<&'a RawValue>,
    /// The key's bytes.
    #[serde(default)]
    pub key_base64: Option<String>,
    /// The value as text.
    #[serde(borrow, default, deserialize_with = "raw")]
    pub value: Option<&'a RawValue>,
    /// The value's bytes.
    #[serde(default)]
    pub value_base64: Option<String>,
}

/// `null` is something else than a missing field.
fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The field must be there, `null` or not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Option::deserialize(deserializer)
}
