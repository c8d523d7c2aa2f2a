//! `replay`: what comes out is what the test put in.

mod access;
mod command_line;
mod files;
mod sinks;
mod support;
mod transactions;
mod windows;
