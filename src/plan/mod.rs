//! Decisions: from what is known to what is reported or done. No I/O, no clock.

pub mod diff;
pub mod guard;
pub mod keeping;
pub mod kept;
pub mod lag;
pub mod pace;
pub mod produce;
pub mod rates;
pub mod removal;
pub mod reset;
pub mod saved;
pub mod select;
pub mod tally;
pub mod undo;
pub mod window;
