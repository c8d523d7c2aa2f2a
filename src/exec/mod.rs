//! The only drivers of I/O. They speak to the person through [`Observer`] alone.

pub mod apply;
pub mod describe;
pub mod gather;
pub mod keeping;
pub mod list;
pub mod load;
pub mod origins;
pub mod peek;
pub mod produce;
pub mod removal;
pub mod replay;
pub mod reset;
#[cfg(test)]
mod tests;
pub mod undo;
pub mod unread;
pub mod window;

use crate::model::TopicPartition;
use crate::report::Ended;

/// Who hears what goes on.
pub trait Observer: Sync {
    /// A note on what is going on.
    fn status(&self, text: &str);

    /// Something that a person should know.
    fn warn(&self, text: &str);

    /// How far reading has got.
    fn flow(&self, flow: &Flow);

    /// A partition has ended.
    fn ended(&self, _partition: &Standing<'_>) {}

    /// The partitions that are still being read; asked for so often that they are looked at only where somebody wants to know.
    fn reading(&self, _partitions: &mut dyn Iterator<Item = Standing<'_>>) {}
}

/// How far reading one partition has got.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The partition.
    pub partition: &'a TopicPartition,
    /// The window's first offset.
    pub start: i64,
    /// The next offset.
    pub next: i64,
    /// The offset behind the window's last.
    pub end: i64,
    /// Records that were sent to the sink.
    pub records: u64,
    /// Offsets that held none.
    pub gaps: u64,
    /// How it ended; `None` while it is read.
    pub ended: Option<Ended>,
}

/// How far reading has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// Offsets that were passed.
    pub passed: u64,
    /// Offsets in all windows.
    pub total: u64,
    /// Records that were passed on.
    pub records: u64,
    /// Bytes of their keys and values.
    pub bytes: u64,
}
