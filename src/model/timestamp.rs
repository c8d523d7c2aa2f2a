use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Milliseconds since 1970-01-01T00:00:00Z, as Kafka keeps them. Any `i64` is possible in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds since the epoch.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// RFC 3339 in UTC with milliseconds; `None` outside the years −9999 to 9999, which a record's timestamp may be.
    pub fn to_rfc3339(self) -> Option<String> {
        let instant = jiff::Timestamp::from_millisecond(self.0).ok()?;
        Some(format!("{instant:.3}"))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_rfc3339() {
            Some(text) => f.write_str(&text),
            None => write!(f, "{} ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.to_rfc3339() {
            Some(text) => serializer.serialize_some(&text),
            None => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let instant: jiff::Timestamp = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Timestamp(instant.as_millisecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utc_with_milliseconds() {
        assert_eq!(Timestamp(1_796_119_200_000).to_string(), "2026-12-01T10:00:00.000Z");
        assert_eq!(Timestamp(-1).to_string(), "1969-12-31T23:59:59.999Z");
        assert_eq!(Timestamp(i64::MAX).to_string(), "9223372036854775807 ms");
        assert_eq!(serde_json::to_string(&Timestamp(i64::MIN)).unwrap(), "null");
        let back: Timestamp = serde_json::from_str("\"2026-12-01T10:00:00.123Z\"").unwrap();
        assert_eq!(back, Timestamp(1_796_119_200_123));
    }
}
