//! Tables: a row a record, and no record twice.

mod columns;
mod postgres;
mod sqlite;
mod table;

pub use postgres::{Postgres, without_password};
pub use sqlite::Sqlite;
