//! The lab: one partition, one consumer and one sink, small enough to see why a reset or a replay loses or repeats.
//!
//! [`model`] is the world and its steps, [`account`] what became of each event, [`script`] what a person asks for, [`words`] why
//! each thing happened, [`scenario`] the five lessons, [`walk`] a run as a report. All of that is pure; [`tui`] shows it on a
//! terminal, [`live`] does the same on a real cluster.

pub mod account;
pub mod event;
mod happened;
pub mod live;
pub mod model;
pub mod scenario;
pub mod script;
pub mod sink;
#[cfg(test)]
mod tests;
pub mod tui;
pub mod walk;
pub mod words;
