//! A table of a PostgreSQL database.

mod batch;
mod password_file;
mod server;
mod settings;
mod target;
mod tls;

pub use settings::without_password;

use self::batch::Batch;
use self::server::{Server, Trouble};
use self::target::Target;
use super::columns::{Forms, IDENTITY, NAMES, Noticed};
use super::table::{Mode, TableName};
use crate::error::{Error, Result};
use crate::model::Record;
use crate::sink::form::{self, Field, Part};
use crate::sink::{Finished, Format, Formats, IfExists, Remark, Sink};
use bytes::Bytes;
use std::sync::atomic::AtomicBool;
use tokio_postgres::error::SqlState;

/// Rows and bytes that are sent together.
const BATCH_ROWS: usize = 20_000;
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// A batch that met another run's is tried again so often.
const TRIES: u32 = 5;

/// Where a batch waits for the rows of it that are new.
const STAGE: &str = "pg_temp.krewind_stage";

/// Writes records into a table of a PostgreSQL database, in batches: each is one transaction.
///
/// A new table gets them straight; one that has rows gets what it does not have yet. Only a table that replaces another is filled
/// in one transaction, so that nothing of it is ever seen, or left, before it is whole.
pub struct Postgres {
    server: Server,
    target: Target,
    forms: Forms,
    batch: Batch,
    /// Whether the table is there.
    ready: bool,
    /// Whether rows go straight into the table.
    straight: bool,
    /// Whether the stage was made.
    staged: bool,
    noticed: Noticed,
    written: u64,
    duplicates: u64,
    failed: bool,
}

impl Postgres {
    /// Connects, and looks at the table. `stop` ends waits for the server.
    pub fn open(
        url: &str,
        table: Option<&str>,
        if_exists: Option<IfExists>,
        formats: Formats,
        stop: &'static AtomicBool,
    ) -> Result<Self> {
        let Some(table) = table else {
            return Err(Error::usage("`--table` is missing")
                .hint("`--table [SCHEMA.]NAME`: it is made where it does not exist"));
        };
        let table = TableName::parse(table)?;
        let settings = settings::read(url, &|name| std::env::var(name).ok())?;
        let server = Server::connect(settings, stop)?;
        let forms = Forms::from(formats);
        let target = Target::find(&server, &table, if_exists, forms)?;
        // A lock on rows is held for a moment only, but a session that a server ends for being idle would end the run.
        server
            .run("SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0; SET client_min_messages = warning")
            .map_err(|trouble| server.failed(&target.shown(), trouble, |_| None))?;
        Ok(Postgres {
            ready: matches!(target.mode, Mode::Upsert | Mode::Append),
            straight: target.mode != Mode::Upsert,
            staged: false,
            server,
            target,
            forms,
            batch: Batch::default(),
            noticed: Noticed::default(),
            written: 0,
            duplicates: 0,
            failed: false,
        })
    }

    fn failed(&self, trouble: Trouble) -> Error {
        self.server.failed(&self.target.shown(), trouble, |row| self.batch.place(row))
    }

    /// Makes the table where it is not there.
    fn make_ready(&mut self) -> Result<(), Trouble> {
        if self.ready {
            return Ok(());
        }
        if self.target.mode == Mode::Replace {
            self.server.run(&format!("BEGIN; {}", self.target.staging().make()))?;
        } else if let Err(trouble) = self.server.run(&format!("BEGIN; {} COMMIT", self.target.make())) {
            self.server.run("ROLLBACK")?;
            // Another run of the same was faster.
            if !trouble.is(&SqlState::DUPLICATE_TABLE) && !trouble.is(&SqlState::UNIQUE_VIOLATION) {
                return Err(trouble);
            }
            self.straight = false;
        }
        self.ready = true;
        Ok(())
    }

    /// Sends the batch, and waits until it is committed.
    fn send(&mut self) -> Result<(), Trouble> {
        if self.batch.rows() == 0 {
            return Ok(());
        }
        self.make_ready()?;
        let bytes = self.batch.take();
        let mut tries = 0;
        let (new, all) = loop {
            tries += 1;
            let rows = self.batch.rows() as u64;
            let sent =
                if self.straight { self.send_straight(bytes.clone()) } else { self.send_by_stage(bytes.clone()) };
            match sent {
                Ok(new) => break (new, rows),
                // Records are there already: another run's.
                Err(trouble)
                    if trouble.is(&SqlState::UNIQUE_VIOLATION) && self.straight && self.target.mode == Mode::New =>
                {
                    self.straight = false;
                }
                Err(trouble) => {
                    let again = [&SqlState::T_R_DEADLOCK_DETECTED, &SqlState::T_R_SERIALIZATION_FAILURE];
                    if tries >= TRIES || self.straight || !again.iter().any(|state| trouble.is(state)) {
                        return Err(trouble);
                    }
                }
            }
        };
        self.written += new;
        self.duplicates += all - new;
        self.batch.clear();
        Ok(())
    }

    fn send_straight(&self, bytes: Bytes) -> Result<u64, Trouble> {
        let table = if self.target.mode == Mode::Replace { self.target.staging().sql() } else { self.target.sql() };
        self.server.copy(&copy(&table), bytes)
    }

    fn send_by_stage(&mut self, bytes: Bytes) -> Result<u64, Trouble> {
        if !self.staged {
            let columns = self.target.columns();
            self.server.run(&format!("CREATE TEMP TABLE krewind_stage ({columns}) ON COMMIT DELETE ROWS"))?;
            self.staged = true;
        }
        let done = self.by_stage(bytes);
        if done.is_err() {
            let _ = self.server.run("ROLLBACK");
        }
        let (new, differing) = done?;
        self.noticed.differing += differing;
        Ok(new)
    }

    fn by_stage(&self, bytes: Bytes) -> Result<(u64, u64), Trouble> {
        let (table, names) = (self.target.sql(), NAMES.join(", "));
        self.server.run("BEGIN")?;
        let rows = self.server.copy(&copy(STAGE), bytes)?;
        let new = self.server.count(&format!(
            "INSERT INTO {table} ({names}) SELECT {names} FROM {STAGE} ON CONFLICT ({IDENTITY}) DO NOTHING"
        ))?;
        let mut differing = 0;
        if new < rows {
            // Of a table without statistics the planner thinks little: it shall look rows up, not read the whole target.
            self.server.run("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off")?;
            let found = self.server.rows(
                &format!(
                    "SELECT count(*) FROM {STAGE} s JOIN {table} t USING ({IDENTITY}) WHERE \
                     (t.kafka_timestamp, t.kafka_timestamp_type, t.kafka_key, t.kafka_value) IS DISTINCT FROM \
                     (s.kafka_timestamp, s.kafka_timestamp_type, s.kafka_key, s.kafka_value)"
                ),
                &[],
            )?;
            differing = found.first().map_or(0, |row| row.get::<_, i64>(0).unsigned_abs());
        }
        self.server.run("COMMIT")?;
        Ok((new, differing))
    }

    fn send_all(&mut self) -> Result<()> {
        let sent = self.send();
        self.failed |= sent.is_err();
        sent.map_err(|trouble| self.failed(trouble))
    }

    /// Ends a table in the making.
    fn settle(&mut self, whole: bool) -> Result<(), Trouble> {
        if self.target.mode != Mode::Replace || !self.ready {
            return Ok(());
        }
        let swapped = if whole { self.server.run(&format!("{}; COMMIT", self.target.swap())) } else { Ok(()) };
        if !whole || swapped.is_err() {
            self.written = 0;
            let _ = self.server.run("ROLLBACK");
        }
        swapped
    }
}

impl Sink for Postgres {
    fn put(&mut self, record: &Record<'_>) -> Result<()> {
        let (key, value) = self.forms.fields(record)?;
        for (field, format, part) in [(&key, self.forms.key, Part::Key), (&value, self.forms.value, Part::Value)] {
            if matches!(field, Field::Bytes(_)) && format != Format::Bytes {
                let why = "begins with a Schema Registry's prefix, which a text column can't hold";
                return Err(form::refused::<std::fmt::Error>(part, record, why, None));
            }
        }
        self.batch.add(record, &key, &value, &mut self.noticed);
        if self.batch.rows() >= BATCH_ROWS || self.batch.size() >= BATCH_BYTES { self.send_all() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.failed { Ok(()) } else { self.send_all() }
    }

    fn mark(&mut self) -> Result<serde_json::Value> {
        // What is committed is safe, and what comes again changes nothing.
        self.flush().map(|()| serde_json::Value::Null)
    }

    fn finish(&mut self, whole: bool) -> Finished {
        let mut error = self.flush().err();
        let whole = whole && error.is_none() && !self.failed;
        // Nothing may have come, and that is the result then.
        let ended = if whole { self.make_ready() } else { Ok(()) }.and_then(|()| self.settle(whole));
        if let Err(trouble) = ended {
            error = error.or_else(|| Some(self.failed(trouble)));
        }
        self.server.close();
        Finished { partial: None, error }
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn duplicates(&self) -> u64 {
        self.duplicates
    }

    fn remarks(&self) -> Vec<Remark> {
        self.noticed.remarks()
    }

    fn name(&self) -> (&'static str, String) {
        ("postgres", format!("{}, table {}", self.server.shown(), self.target.shown().trim_matches('`')))
    }
}

fn copy(table: &str) -> String {
    format!("COPY {table} ({}) FROM STDIN (FORMAT binary)", NAMES.join(", "))
}
