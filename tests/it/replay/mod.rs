//! `replay`: what comes out is what the test put in.

mod access;
pub(crate) mod arrived;
mod bounds;
mod command_line;
mod databases_postgres;
mod databases_postgres_login;
mod databases_sqlite;
mod databases_support;
mod ends;
mod files;
mod held;
mod losses;
mod memory;
mod outages;
mod production;
mod resolved;
mod resumed;
mod selecting;
mod sinks;
pub(crate) mod support;
mod timestamps;
mod topic;
mod topic_asked;
mod transactions;
mod windows;
