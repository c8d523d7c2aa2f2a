//! `replay`: what comes out is what the test put in.

mod access;
mod command_line;
mod databases_postgres;
mod databases_postgres_login;
mod databases_sqlite;
mod databases_support;
mod sinks;
mod support;
mod transactions;
mod windows;
