//! From what was asked to an offset: targets and times, parsed, and their resolution against a partition's facts. Every command
//! resolves through here.

mod resolve;
mod spec;
pub mod time;

pub use resolve::{Facts, NoCommit, NoRecord, OutOfRange, Policies, Resolution, TimeLookup, resolve};
pub use spec::Target;
