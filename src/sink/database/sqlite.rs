//! A table of an SQLite database.

use super::columns::{Forms, IDENTITY, Moments, NAMES, Noticed, headers, moment};
use super::table::{MARK, Mode, TableName, mode, quoted, unfit};
use crate::error::{Code, Error, Result};
use crate::model::Record;
use crate::sink::form::Field;
use crate::sink::{Begin, FileTarget, Finished, Format, Formats, IfExists, Remark, Sink};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Rows of one transaction.
const BATCH_ROWS: usize = 20_000;

/// Bytes of one transaction.
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// How long another program's lock is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// The table's name where none was given.
const TABLE: &str = "records";

/// Writes records into a table of an SQLite database.
///
/// A database that is not there yet is built under a partial name, and gets its own only when it is whole; with an explicit
/// `append` or `upsert`, or with a checkpoint, it has it from the start, so that a later run can go on with what a killed one left.
pub struct Sqlite {
    /// `None` once it has ended.
    connection: Option<Connection>,
    path: PathBuf,
    /// A new database in the making.
    file: Option<FileTarget>,
    /// Whether this made the file under its own name.
    created: bool,
    table: String,
    mode: Mode,
    forms: Forms,
    /// Whether the table to write to is there.
    ready: bool,
    insert: String,
    same: String,
    moments: Moments,
    headers: Vec<u8>,
    noticed: Noticed,
    /// Rows and bytes of the open transaction.
    rows: usize,
    bytes: usize,
    new: u64,
    old: u64,
    written: u64,
    duplicates: u64,
    failed: bool,
}

impl Sqlite {
    /// Opens or begins the database; what the table is like is known then.
    pub fn open(
        path: &Path,
        table: Option<&str>,
        if_exists: Option<IfExists>,
        formats: Formats,
        begin: Begin<'_>,
    ) -> Result<Self> {
        let name = match table.map(TableName::parse).transpose()? {
            None => TABLE.to_owned(),
            Some(TableName { schema: Some(schema), .. }) if schema != "main" => {
                return Err(Error::usage(format!("an SQLite database has no schema `{schema}`"))
                    .hint("`--table NAME`; a name with dots stands in double quotes"));
            }
            Some(TableName { name, .. }) if name.to_ascii_lowercase().starts_with("sqlite_") => {
                return Err(Error::usage(format!("`{name}`: names that begin with `sqlite_` are SQLite's own")));
            }
            Some(TableName { name, .. }) => name,
        };
        let exists = path.exists();
        let in_place =
            exists || begin != Begin::Plain || matches!(if_exists, Some(IfExists::Append | IfExists::Upsert));
        let file = if in_place { None } else { Some(FileTarget::create(path)?) };
        let mut sink = Sqlite {
            connection: None,
            path: path.to_owned(),
            created: in_place && !exists,
            table: name,
            mode: Mode::New,
            forms: formats.into(),
            ready: false,
            insert: String::new(),
            same: String::new(),
            moments: Moments::default(),
            headers: Vec::new(),
            noticed: Noticed::default(),
            rows: 0,
            bytes: 0,
            new: 0,
            old: 0,
            written: 0,
            duplicates: 0,
            failed: false,
            file,
        };
        let place = sink.file.as_ref().and_then(FileTarget::partial).unwrap_or(path);
        let connection = Connection::open(place).map_err(|error| sink.opening(error))?;
        // A partial database that a crash breaks is thrown away, so nothing need be safe in it before it is whole.
        let safety = if sink.file.is_some() {
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
        } else {
            ""
        };
        connection
            .busy_timeout(LOCK_WAIT)
            .and_then(|()| {
                connection.execute_batch(&format!("PRAGMA page_size = 16384; PRAGMA cache_size = -24576; {safety}"))
            })
            .and_then(|()| connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)))
            .map_err(|error| sink.opening(error))?;
        sink.inspect(&connection, if_exists)?;
        sink.connection = Some(connection);
        Ok(sink)
    }

    fn shown(&self) -> String {
        format!("`{}` of `{}`", self.table, self.path.display())
    }

    /// The table that rows go into.
    fn target(&self) -> String {
        if self.mode == Mode::Replace { format!("{}.partial", self.table) } else { self.table.clone() }
    }

    /// Looks at the table that may be there, and decides.
    fn inspect(&mut self, connection: &Connection, if_exists: Option<IfExists>) -> Result<()> {
        let found: Option<(String, Option<String>, String)> = connection
            .query_row(
                "SELECT type, sql, name FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type <> 'trigger'",
                [&self.table],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()
            .map_err(|error| self.opening(error))?;
        if let Some((kind, sql, name)) = found {
            self.table = name;
            if kind != "table" {
                return Err(Error::new(Code::TargetExists, format!("{} is no table but a {kind}", self.shown()))
                    .hint("name another with `--table`"));
            }
            let own = sql.is_some_and(|sql| sql.contains(&mark()));
            self.mode = mode(own, if_exists, &self.shown())?;
            if self.mode != Mode::Replace {
                self.ready = true;
                self.check_columns(connection, own)?;
            }
        }
        let target = quoted(&self.target());
        let conflict = match self.mode {
            Mode::Append => String::new(),
            Mode::New | Mode::Upsert | Mode::Replace => format!(" ON CONFLICT ({IDENTITY}) DO NOTHING"),
        };
        self.insert = format!(
            "INSERT INTO main.{target} ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8){conflict}",
            NAMES.join(", ")
        );
        self.same = format!(
            "SELECT kafka_timestamp IS ?4 AND kafka_timestamp_type IS ?5 AND kafka_key IS ?6 AND kafka_value IS ?7 \
             FROM main.{target} WHERE kafka_topic = ?1 AND kafka_partition = ?2 AND kafka_offset = ?3 AND ?8 IS NOT NULL"
        );
        if self.ready
            && let Err(error) = connection.prepare(&self.insert)
        {
            let text = error.to_string();
            return Err(if text.contains("ON CONFLICT") {
                let what =
                    format!("no primary key or unique index is over ({IDENTITY}), by which upsert tells records apart");
                unfit(&self.shown(), &[what]).hint("`--if-exists append` needs none")
            } else {
                unfit(&self.shown(), &[text])
            });
        }
        Ok(())
    }

    fn check_columns(&self, connection: &Connection, own: bool) -> Result<()> {
        let columns = connection
            .prepare("SELECT name, type, \"notnull\", dflt_value IS NOT NULL, pk FROM pragma_table_info(?1)")
            .and_then(|mut statement| {
                let rows = statement.query_map([&self.table], |row| {
                    Ok((
                        row.get::<_, String>(0)?,
                        row.get::<_, String>(1)?,
                        row.get::<_, bool>(2)? && !row.get::<_, bool>(3)? && row.get::<_, i64>(4)? == 0,
                    ))
                })?;
                rows.collect::<rusqlite::Result<Vec<_>>>()
            })
            .map_err(|error| self.opening(error))?;
        let mut wrong = Vec::new();
        for (name, wanted) in NAMES.iter().zip(self.types()) {
            match columns.iter().find(|(column, ..)| column.eq_ignore_ascii_case(name)) {
                None => wrong.push(format!("it lacks `{name} {wanted}`")),
                // Anything goes into any column of SQLite, but what is there already has the other form.
                Some((_, kind, _)) if own && !kind.eq_ignore_ascii_case(wanted) => {
                    let format = if *name == "kafka_key" { self.forms.key } else { self.forms.value };
                    let flag = Forms::flag(name, format);
                    wrong.push(format!("`{name}` is {kind}, and {flag} wants {wanted}"));
                }
                Some(_) => {}
            }
        }
        for (name, _, demands) in &columns {
            if *demands && !NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                wrong.push(format!("`{name}` takes no null and has no default"));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(unfit(&self.shown(), &wrong)) }
    }

    fn types(&self) -> [&'static str; 8] {
        let of = |format| if format == Format::Bytes { "BLOB" } else { "TEXT" };
        ["TEXT", "INTEGER", "INTEGER", "TEXT", "TEXT", of(self.forms.key), of(self.forms.value), "TEXT"]
    }

    /// Begins a transaction, and makes the table where it is not there.
    fn begin(&mut self) -> Result<()> {
        let Some(connection) = &self.connection else { return Err(ended()) };
        let mut sql = "BEGIN IMMEDIATE;".to_owned();
        if !self.ready {
            let target = quoted(&self.target());
            if self.mode == Mode::Replace {
                // What an earlier run that was killed left.
                sql += &format!("DROP TABLE IF EXISTS main.{target};");
            }
            let columns: Vec<String> = NAMES
                .iter()
                .zip(self.types())
                .map(|(name, kind)| {
                    let may_be_null = matches!(*name, "kafka_timestamp" | "kafka_key" | "kafka_value");
                    format!("  {name} {kind}{}", if may_be_null { "" } else { " NOT NULL" })
                })
                .collect();
            // Rows are found by their key alone, and come in its order: one tree is half the work of two.
            sql += &format!(
                "CREATE TABLE main.{target} ( {}\n{},\n  PRIMARY KEY ({IDENTITY})\n) WITHOUT ROWID;",
                mark(),
                columns.join(",\n")
            );
        }
        if let Err(error) = connection.execute_batch(&sql) {
            let _ = connection.execute_batch("ROLLBACK");
            return Err(self.failed(error));
        }
        self.ready = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        let Some(connection) = self.connection.as_ref().filter(|connection| !connection.is_autocommit()) else {
            return Ok(());
        };
        let committed = connection.execute_batch("COMMIT");
        if committed.is_err() {
            let _ = connection.execute_batch("ROLLBACK");
        }
        let (new, old) = (std::mem::take(&mut self.new), std::mem::take(&mut self.old));
        (self.rows, self.bytes) = (0, 0);
        match committed {
            Ok(()) => {
                self.written += new;
                self.duplicates += old;
                Ok(())
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Puts the table in the making in the old one's place.
    fn swap(&mut self) -> Result<()> {
        let Some(connection) = &self.connection else { return Err(ended()) };
        let (old, new) = (quoted(&self.table), quoted(&self.target()));
        // Views that name the table keep naming it.
        let sql = format!(
            "PRAGMA legacy_alter_table = ON; BEGIN IMMEDIATE; DROP TABLE main.{old}; ALTER TABLE main.{new} RENAME TO {old}; COMMIT;"
        );
        if let Err(error) = connection.execute_batch(&sql) {
            let _ = connection.execute_batch("ROLLBACK");
            return Err(self.failed(error));
        }
        Ok(())
    }

    fn opening(&self, error: rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                Error::new(Code::TargetExists, format!("`{}` exists, and is no SQLite database", self.path.display()))
                    .hint("name another file; nothing was read")
            }
            Some(ErrorCode::CannotOpen) => {
                Error::new(Code::Io, format!("`{}` can't be opened as a database", self.path.display()))
                    .hint("it must be a file, in a directory that exists and is writable")
                    .caused_by(error)
            }
            _ => self.failed(error),
        }
    }

    fn failed(&self, error: rusqlite::Error) -> Error {
        let failed = Error::new(Code::SinkFailed, format!("`{}` could not be written", self.path.display()));
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => failed.hint(format!(
                "another program has locked it for {} s; run it again when that has ended",
                LOCK_WAIT.as_secs()
            )),
            _ => failed,
        }
        .caused_by(error)
    }

    fn refused(&self, error: rusqlite::Error, record: &Record<'_>) -> Error {
        if error.sqlite_error_code() != Some(ErrorCode::ConstraintViolation) {
            return self.failed(error);
        }
        Error::new(
            Code::SinkFailed,
            format!("{} refused `{}-{}` at offset {}", self.shown(), record.topic, record.partition, record.offset),
        )
        .hint("where it is there already, `--if-exists upsert` leaves it as it is")
        .caused_by(error)
    }

    fn row(&mut self, record: &Record<'_>) -> Result<()> {
        let (key, value) = self.forms.fields(record)?;
        for (field, format) in [(&key, self.forms.key), (&value, self.forms.value)] {
            self.noticed.registered += u64::from(matches!(field, Field::Bytes(_)) && format != Format::Bytes);
        }
        if self.connection.as_ref().is_some_and(Connection::is_autocommit) {
            (self.rows, self.bytes, self.new, self.old) = (0, 0, 0, 0);
            self.begin()?;
        }
        let Some(connection) = &self.connection else { return Err(ended()) };
        self.headers.clear();
        headers(&mut self.headers, record.headers, false);
        let dated = moment(record).map(|millis| self.moments.text(millis).is_some());
        self.noticed.out_of_range += u64::from(dated == Some(false));
        let at = if dated == Some(true) { ValueRef::Text(self.moments.last().as_bytes()) } else { ValueRef::Null };
        let cells = [
            ValueRef::Text(record.topic.as_bytes()),
            ValueRef::Integer(record.partition.into()),
            ValueRef::Integer(record.offset),
            at,
            ValueRef::Text(record.timestamp_type.as_str().as_bytes()),
            cell(&key),
            cell(&value),
            ValueRef::Text(&self.headers),
        ];
        let insert = || -> rusqlite::Result<bool> {
            let mut statement = connection.prepare_cached(&self.insert)?;
            for (index, cell) in cells.iter().enumerate() {
                statement.raw_bind_parameter(index + 1, ToSqlOutput::Borrowed(*cell))?;
            }
            Ok(statement.raw_execute()? > 0)
        };
        let new = insert().map_err(|error| self.refused(error, record))?;
        if !new {
            let params = rusqlite::params_from_iter(cells.iter().map(|cell| ToSqlOutput::Borrowed(*cell)));
            let same = connection
                .prepare_cached(&self.same)
                .and_then(|mut statement| statement.query_row(params, |row| row.get::<_, bool>(0)).optional())
                .map_err(|error| self.failed(error))?;
            self.noticed.differing += u64::from(same == Some(false));
        }
        self.new += u64::from(new);
        self.old += u64::from(!new);
        self.rows += 1;
        self.bytes += record.bytes() as usize + self.headers.len() + 64;
        Ok(())
    }
}

impl Sink for Sqlite {
    fn put(&mut self, record: &Record<'_>) -> Result<()> {
        self.row(record)?;
        if self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.failed {
            return Ok(());
        }
        let committed = self.commit();
        self.failed = committed.is_err();
        committed
    }

    fn mark(&mut self) -> Result<serde_json::Value> {
        // What is committed is safe, and what comes again changes nothing.
        self.flush().map(|()| serde_json::Value::Null)
    }

    fn finish(&mut self, whole: bool) -> Finished {
        let mut error = self.flush().err();
        if whole && error.is_none() && !self.failed && !self.ready {
            // Nothing came, and that is the result.
            error = self.begin().and_then(|()| self.commit()).err();
        }
        let whole = whole && error.is_none() && !self.failed;
        if self.mode == Mode::Replace {
            let swapped = if whole { self.swap() } else { Ok(()) };
            if !whole || swapped.is_err() {
                self.written = 0;
                if let Some(connection) = self.connection.as_ref().filter(|_| self.ready) {
                    let _ = connection.execute_batch(&format!("DROP TABLE IF EXISTS main.{}", quoted(&self.target())));
                }
            }
            error = error.or(swapped.err());
        }
        if let Some(connection) = self.connection.take()
            && let Err((_, why)) = connection.close()
        {
            error = error.or_else(|| Some(self.failed(why)));
        }
        let Some(mut file) = self.file.take() else { return Finished { partial: None, error } };
        let mut partial = None;
        if whole && error.is_none() {
            if let Err((why, kept)) = file.publish() {
                (error, partial) = (Some(why), kept);
            }
        } else if self.written > 0 {
            partial = file.abandon();
        }
        Finished { partial, error }
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
        ("sqlite", format!("{}, table {}", self.path.display(), self.table))
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.connection = None;
        // A database that was begun and got nothing.
        if self.created && self.path.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn cell<'a>(field: &Field<'a>) -> ValueRef<'a> {
    match field {
        Field::Null => ValueRef::Null,
        Field::Text(text) => ValueRef::Text(text.as_bytes()),
        Field::Bytes(bytes) => ValueRef::Blob(bytes),
        Field::Json(json) => ValueRef::Text(json.get().as_bytes()),
    }
}

/// The comment within the statement that makes a table.
fn mark() -> String {
    format!("-- {MARK}, form 1: do not remove this line")
}

fn ended() -> Error {
    Error::new(Code::Internal, "the database was closed already")
}
