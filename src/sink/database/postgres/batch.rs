//! Rows in the binary form of COPY.

use crate::model::Record;
use crate::sink::database::columns::{Noticed, headers, moment};
use crate::sink::form::Field;
use bytes::Bytes;

/// What stands before the rows: the signature, no flags, no extension.
const HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// Milliseconds from 1970 to 2000, where PostgreSQL's time begins.
const EPOCH_MS: i64 = 946_684_800_000;

/// The first and, exclusively, the last microsecond that a `timestamptz` holds.
const FIRST_US: i64 = -211_813_488_000_000_000;
const LAST_US: i64 = 9_223_371_331_200_000_000;

/// `jsonb` is sent as text behind its version.
const JSONB: u8 = 1;

/// Where a row comes from, for messages.
#[derive(Debug, Clone, Copy)]
struct Place {
    topic: usize,
    partition: i32,
    offset: i64,
}

/// Rows that are sent together.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    rows: Vec<Place>,
    topics: Vec<String>,
    headers: Vec<u8>,
}

impl Batch {
    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// What is to be sent; the rows' places stay until [`clear`](Self::clear).
    pub fn take(&mut self) -> Bytes {
        self.bytes.extend_from_slice(&(-1_i16).to_be_bytes());
        Bytes::from(std::mem::take(&mut self.bytes))
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
    }

    /// `orders-0` and the offset of the row with this number, from 1.
    pub fn place(&self, row: usize) -> Option<String> {
        let place = self.rows.get(row.checked_sub(1)?)?;
        Some(format!("`{}-{}` at offset {}", self.topics.get(place.topic)?, place.partition, place.offset))
    }

    /// Adds a row.
    pub fn add(&mut self, record: &Record<'_>, key: &Field<'_>, value: &Field<'_>, noticed: &mut Noticed) {
        let topic = match self.rows.last().filter(|last| self.topics[last.topic] == record.topic) {
            Some(last) => last.topic,
            None => self.topics.iter().position(|topic| topic == record.topic).unwrap_or_else(|| {
                self.topics.push(record.topic.to_owned());
                self.topics.len() - 1
            }),
        };
        self.rows.push(Place { topic, partition: record.partition, offset: record.offset });
        let out = &mut self.bytes;
        if out.is_empty() {
            out.extend_from_slice(HEAD);
        }
        out.extend_from_slice(&8_i16.to_be_bytes());
        sized(out, &[record.topic.as_bytes()]);
        sized(out, &[&i64::from(record.partition).to_be_bytes()]);
        sized(out, &[&record.offset.to_be_bytes()]);
        let moment = moment(record);
        let micros = moment.and_then(micros);
        noticed.out_of_range += u64::from(moment.is_some() && micros.is_none());
        match micros {
            Some(micros) => sized(out, &[&micros.to_be_bytes()]),
            None => null(out),
        }
        sized(out, &[record.timestamp_type.as_str().as_bytes()]);
        cell(out, key);
        cell(out, value);
        self.headers.clear();
        headers(&mut self.headers, record.headers, true);
        sized(out, &[&[JSONB], &self.headers]);
    }
}

fn micros(millis: i64) -> Option<i64> {
    let micros = millis.checked_sub(EPOCH_MS)?.checked_mul(1000)?;
    (FIRST_US..LAST_US).contains(&micros).then_some(micros)
}

fn cell(out: &mut Vec<u8>, field: &Field<'_>) {
    match field {
        Field::Null => null(out),
        Field::Json(json) => sized(out, &[&[JSONB], json.get().as_bytes()]),
        Field::Text(text) => sized(out, &[text.as_bytes()]),
        Field::Bytes(bytes) => sized(out, &[bytes]),
    }
}

fn null(out: &mut Vec<u8>) {
    out.extend_from_slice(&(-1_i32).to_be_bytes());
}

/// A field's length and its bytes. Kafka's own lengths are of 32 bits with a sign, as these are.
fn sized(out: &mut Vec<u8>, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.extend_from_slice(&(length as i32).to_be_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_postgres_can_not_hold_are_none() {
        assert_eq!(micros(EPOCH_MS), Some(0));
        assert_eq!(micros(0), Some(-946_684_800_000_000));
        // 4714-11-24 BC is the first day, 294276-12-31 the last.
        assert_eq!(micros(-210_866_803_200_000), Some(FIRST_US));
        assert_eq!(micros(-210_866_803_200_001), None);
        assert_eq!(micros(9_224_318_015_999_999), Some(LAST_US - 1000));
        assert_eq!(micros(9_224_318_016_000_000), None);
        assert_eq!((micros(i64::MAX), micros(i64::MIN)), (None, None));
    }
}
