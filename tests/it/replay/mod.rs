//! `replay`: what comes out is what the test put in.

mod access;
mod bounds;
mod command_line;
mod resolved;
mod sinks;
mod support;
mod timestamps;
mod transactions;
mod windows;
