//! The lab's sink: a table of orders, append-only or with one row for each order.

use super::event::Event;
use std::collections::BTreeSet;

/// What a sink does with an order that it has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SinkMode {
    /// Adds a row for each write.
    Append,
    /// Keeps one row for each order: the last write wins.
    Upsert,
}

impl SinkMode {
    /// `append` or `upsert`.
    pub fn as_str(self) -> &'static str {
        match self {
            SinkMode::Append => "append",
            SinkMode::Upsert => "upsert",
        }
    }
}

/// The table, and every write that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sink {
    mode: SinkMode,
    rows: Vec<Event>,
    writes: Vec<i64>,
}

impl Sink {
    /// An empty one.
    pub fn new(mode: SinkMode) -> Sink {
        Sink { mode, rows: Vec::new(), writes: Vec::new() }
    }

    /// Takes a write.
    pub fn write(&mut self, event: Event) {
        self.writes.push(event.offset);
        let known = self.rows.iter_mut().find(|row| row.order == event.order);
        match (self.mode, known) {
            (SinkMode::Upsert, Some(row)) => *row = event,
            _ => self.rows.push(event),
        }
    }

    /// Goes on in another mode, as an `ALTER TABLE` would: with a key, the last write of each order stays.
    pub fn change(&mut self, mode: SinkMode) {
        self.mode = mode;
        if mode == SinkMode::Upsert {
            for row in std::mem::take(&mut self.rows) {
                match self.rows.iter_mut().find(|kept| kept.order == row.order) {
                    Some(kept) => *kept = row,
                    None => self.rows.push(row),
                }
            }
        }
    }

    /// Its mode.
    pub fn mode(&self) -> SinkMode {
        self.mode
    }

    /// Its rows, in the order of their first write.
    pub fn rows(&self) -> &[Event] {
        &self.rows
    }

    /// The offsets that were written, one after the other; one that was written twice stands here twice.
    pub fn writes(&self) -> &[i64] {
        &self.writes
    }

    /// How often this offset was written.
    pub fn times_written(&self, offset: i64) -> usize {
        self.writes.iter().filter(|&&written| written == offset).count()
    }

    /// The offsets that were written at least once.
    pub fn written(&self) -> BTreeSet<i64> {
        self.writes.iter().copied().collect()
    }

    /// Orders in the table.
    pub fn distinct_orders(&self) -> usize {
        self.rows.iter().map(|row| row.order).collect::<BTreeSet<_>>().len()
    }

    /// Writes beyond the first of an event. An append-only table holds a copy for each, an upsert absorbed it.
    pub fn duplicates(&self) -> usize {
        self.writes.len() - self.written().len()
    }
}
