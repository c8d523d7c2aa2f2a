//! Decisions: from what is known to what is reported or done. No I/O, no clock.

pub mod lag;
pub mod tally;
pub mod window;
