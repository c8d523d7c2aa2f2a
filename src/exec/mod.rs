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

/// Who hears what goes on.
pub trait Observer: Sync {
    /// A note on what is going on.
    fn status(&self, text: &str);

    /// Something that a person should know.
    fn warn(&self, text: &str);

    /// How far reading has got.
    fn flow(&self, flow: &Flow);
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
