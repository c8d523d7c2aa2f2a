//! `replay`: what comes out is what the test put in.

mod access;
pub(crate) mod arrived;
mod bounds;
mod command_line;
mod files;
mod resolved;
mod resumed;
mod sinks;
pub(crate) mod support;
mod timestamps;
mod topic;
mod topic_asked;
mod transactions;
mod windows;
