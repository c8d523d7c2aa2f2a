//! The only drivers of I/O. They speak to the person through [`Observer`] alone.

pub mod apply;
pub mod describe;
pub mod gather;
pub mod keeping;
pub mod list;
pub mod load;
pub mod peek;
pub mod produce;
pub mod removal;
pub mod replay;
pub mod reset;
#[cfg(test)]
mod tests;
pub mod undo;
pub mod unread;

/// Who hears what goes on.
pub trait Observer: Sync {
    /// A note on what is going on.
    fn status(&self, text: &str);

    /// Something that a person should know.
    fn warn(&self, text: &str);

    /// How many of how many are done.
    fn progress(&self, done: u64, total: u64);
}
