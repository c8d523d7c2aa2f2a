/// Where a record's timestamp comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimestampType {
    /// The record has none (message format v0).
    NotAvailable,
    /// The producer gave it.
    CreateTime,
    /// The broker gave it when it appended the record.
    LogAppendTime,
}

impl TimestampType {
    /// Kafka's word.
    pub fn as_str(self) -> &'static str {
        match self {
            TimestampType::NotAvailable => "NoTimestampType",
            TimestampType::CreateTime => "CreateTime",
            TimestampType::LogAppendTime => "LogAppendTime",
        }
    }
}

/// A record's header. Keys are text by protocol, yet nothing enforces that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The key's bytes.
    pub key: &'a [u8],
    /// The value; `None` is null, which differs from empty.
    pub value: Option<&'a [u8]>,
}

/// A record, lent from the buffer it was read into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// The topic's name.
    pub topic: &'a str,
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// Milliseconds since the epoch; meaningless with [`TimestampType::NotAvailable`].
    pub timestamp_ms: i64,
    /// Where the timestamp comes from.
    pub timestamp_type: TimestampType,
    /// The key; `None` is null.
    pub key: Option<&'a [u8]>,
    /// The value; `None` is null (a tombstone).
    pub value: Option<&'a [u8]>,
    /// The headers in their order, duplicates kept.
    pub headers: &'a [Header<'a>],
}

impl Record<'_> {
    /// Bytes of key and value.
    pub fn bytes(&self) -> u64 {
        (self.key.map_or(0, <[u8]>::len) + self.value.map_or(0, <[u8]>::len)) as u64
    }
}
