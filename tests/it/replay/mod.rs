//! `replay`: what comes out is what the test put in.

mod access;
pub(crate) mod arrived;
mod command_line;
mod files;
mod sinks;
pub(crate) mod support;
mod topic;
mod topic_asked;
mod transactions;
mod windows;
