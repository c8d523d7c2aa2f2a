//! The table: whether it is there, whose it is, and whether records fit.

use super::server::{Server, Trouble};
use crate::error::{Code, Error, Result};
use crate::sink::database::columns::{Forms, IDENTITY, NAMES};
use crate::sink::database::table::{MARK, Mode, TableName, mode, quoted, unfit};
use crate::sink::{Format, IfExists};
use tokio_postgres::error::SqlState;

/// The table that records go into.
#[derive(Debug, Clone)]
pub struct Target {
    schema: String,
    name: String,
    forms: Forms,
    /// What is to be done.
    pub mode: Mode,
}

impl Target {
    /// Looks, and decides; nothing is made.
    pub fn find(server: &Server, table: &TableName, if_exists: Option<IfExists>, forms: Forms) -> Result<Self> {
        let wanted = match &table.schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(&table.name)),
            None => quoted(&table.name),
        };
        let failed = |trouble| server.failed(&format!("`{wanted}`"), trouble, |_| None);
        let server_is = server
            .rows("SELECT current_setting('transaction_read_only') = 'on', current_schema()::text", &[])
            .map_err(failed)?;
        let (read_only, current): (bool, Option<String>) =
            server_is.first().map_or((false, None), |row| (row.get(0), row.get(1)));
        if read_only {
            return Err(Error::new(Code::SinkFailed, format!("`{}` takes no writes", server.shown()))
                .hint("it is a standby, or read only: name the primary; `target_session_attrs=read-write` in the URL finds it"));
        }
        let found = server
            .rows(
                "SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text, obj_description(c.oid, 'pg_class'), \
                 has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'SELECT') \
                 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)",
                &[&wanted],
            )
            .map_err(failed)?;
        let Some(row) = found.first() else {
            return Self::to_be_made(server, table, current, forms);
        };
        let oid: u32 = row.get(0);
        let (kind, comment): (String, Option<String>) = (row.get(3), row.get(4));
        let mut target = Target { schema: row.get(1), name: row.get(2), forms, mode: Mode::New };
        let shown = target.shown();
        if kind != "r" && kind != "p" {
            return Err(Error::new(Code::TargetExists, format!("{shown} is no table"))
                .hint("name another with `--table`; nothing was read"));
        }
        let own = comment.is_some_and(|comment| comment.starts_with(MARK));
        target.mode = mode(own, if_exists, &shown)?;
        if target.mode == Mode::Replace {
            target.may_be_replaced(server)?;
            return Ok(target);
        }
        let (insert, select): (bool, bool) = (row.get(5), row.get(6));
        if !insert || target.mode == Mode::Upsert && !select {
            let right = if insert { "SELECT" } else { "INSERT" };
            return Err(Error::new(Code::Unauthorized, format!("this user may not {right} on {shown}"))
                .hint(format!("`GRANT SELECT, INSERT ON {} TO …`", target.sql())));
        }
        target.check_columns(server, oid)?;
        Ok(target)
    }

    fn to_be_made(server: &Server, table: &TableName, current: Option<String>, forms: Forms) -> Result<Self> {
        if let Some(long) =
            [table.schema.as_deref(), Some(&table.name)].into_iter().flatten().find(|name| name.len() > 63)
        {
            return Err(Error::usage(format!("`{long}` is longer than PostgreSQL's names may be: 63 bytes")));
        }
        let Some(schema) = table.schema.clone().or(current) else {
            return Err(
                Error::new(Code::SinkFailed, "no schema of the search path exists").hint("`--table SCHEMA.NAME`")
            );
        };
        let rows = server
            .rows("SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1", &[&schema])
            .map_err(|trouble| server.failed(&format!("`{schema}`"), trouble, |_| None))?;
        match rows.first().map(|row| row.get(0)) {
            None => Err(Error::new(Code::SinkFailed, format!("the schema `{schema}` does not exist"))
                .hint(format!("`CREATE SCHEMA {}`", quoted(&schema)))),
            Some(false) => {
                Err(Error::new(Code::Unauthorized, format!("this user may not make tables in the schema `{schema}`"))
                    .hint(format!("`GRANT CREATE ON SCHEMA {} TO …`, or name another with `--table`", quoted(&schema))))
            }
            Some(true) => Ok(Target { schema, name: table.name.clone(), forms, mode: Mode::New }),
        }
    }

    /// For people.
    pub fn shown(&self) -> String {
        format!("`{}.{}`", self.schema, self.name)
    }

    /// For SQL.
    pub fn sql(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }

    /// The table in the making that takes this one's place.
    pub fn staging(&self) -> Target {
        Target { name: format!("krewind_{}", std::process::id()), mode: Mode::New, ..self.clone() }
    }

    /// The columns with their types.
    pub fn columns(&self) -> String {
        let columns: Vec<String> = NAMES
            .iter()
            .zip(self.types())
            .map(|(name, kind)| {
                let may_be_null = matches!(*name, "kafka_timestamp" | "kafka_key" | "kafka_value");
                format!("{name} {kind}{}", if may_be_null { "" } else { " NOT NULL" })
            })
            .collect();
        columns.join(", ")
    }

    /// Makes it, and marks it as made here.
    pub fn make(&self) -> String {
        let table = self.sql();
        format!(
            "CREATE TABLE {table} ({}, PRIMARY KEY ({IDENTITY})); COMMENT ON TABLE {table} IS '{MARK}, form 1: records of Kafka';",
            self.columns()
        )
    }

    fn types(&self) -> [&'static str; 8] {
        let of = |format| match format {
            Format::Bytes => "bytea",
            Format::String => "text",
            Format::Json => "jsonb",
        };
        [
            "text",
            "bigint",
            "bigint",
            "timestamp with time zone",
            "text",
            of(self.forms.key),
            of(self.forms.value),
            "jsonb",
        ]
    }

    fn check_columns(&self, server: &Server, oid: u32) -> Result<()> {
        let failed = |trouble| server.failed(&self.shown(), trouble, |_| None);
        let rows = server
            .rows(
                "SELECT attname::text, format_type(atttypid, NULL), \
                 attnotnull AND NOT atthasdef AND attidentity = '' AND attgenerated = '', attgenerated <> '' \
                 FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped",
                &[&oid],
            )
            .map_err(failed)?;
        let columns: Vec<(String, String, bool)> =
            rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
        let mut wrong = Vec::new();
        for (name, wanted) in NAMES.iter().zip(self.types()) {
            match columns.iter().find(|(column, ..)| column == name) {
                None => wrong.push(format!("it lacks `{name} {wanted}`")),
                Some((_, kind, _)) if kind == wanted || wanted == "text" && kind == "character varying" => {}
                Some((_, kind, _)) => wrong.push(match *name {
                    "kafka_key" => {
                        format!("`{name}` is {kind}, and {} wants {wanted}", Forms::flag(name, self.forms.key))
                    }
                    "kafka_value" => {
                        format!("`{name}` is {kind}, and {} wants {wanted}", Forms::flag(name, self.forms.value))
                    }
                    _ => format!("`{name}` is {kind} and not {wanted}"),
                }),
            }
        }
        for (name, _, demands) in &columns {
            if *demands && !NAMES.contains(&name.as_str()) {
                wrong.push(format!("`{name}` takes no null and has no default"));
            }
        }
        if !wrong.is_empty() {
            return Err(unfit(&self.shown(), &wrong));
        }
        if self.mode != Mode::Upsert {
            return Ok(());
        }
        // The planner tells whether an index fits.
        let nulls = vec!["NULL"; NAMES.len()].join(", ");
        let explained = server.run(&format!(
            "EXPLAIN INSERT INTO {} ({}) VALUES ({nulls}) ON CONFLICT ({IDENTITY}) DO NOTHING",
            self.sql(),
            NAMES.join(", ")
        ));
        match explained {
            Err(trouble) if trouble.is(&SqlState::INVALID_COLUMN_REFERENCE) => {
                let what =
                    format!("no primary key or unique index is over ({IDENTITY}), by which upsert tells records apart");
                Err(unfit(&self.shown(), &[what]).hint("`--if-exists append` needs none"))
            }
            explained => explained.map_err(failed),
        }
    }

    /// Tries it, and takes it back: what depends on the table, or belongs to somebody else, is known before anything is read.
    fn may_be_replaced(&self, server: &Server) -> Result<()> {
        let tried = server.run(&format!(
            "BEGIN; SET LOCAL lock_timeout = '3s'; {}; DROP TABLE {}",
            self.staging().make(),
            self.sql()
        ));
        let ended = server.run("ROLLBACK");
        match tried {
            // Somebody reads it now; that is no reason to refuse.
            Err(trouble) if trouble.is(&SqlState::LOCK_NOT_AVAILABLE) => Ok(()),
            Err(Trouble::Database(error)) if error.as_db_error().is_some() => {
                let said = error.as_db_error().map(|said| {
                    let detail = said.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
                    format!("{}{detail}", said.message())
                });
                Err(Error::new(
                    Code::TargetExists,
                    format!("the table {} can't be replaced: {}", self.shown(), said.unwrap_or_default()),
                )
                .hint("name another with `--table`; nothing was read"))
            }
            Err(trouble) => Err(server.failed(&self.shown(), trouble, |_| None)),
            Ok(()) => ended.map_err(|trouble| server.failed(&self.shown(), trouble, |_| None)),
        }
    }

    /// Puts the table in the making in this one's place, within the transaction that made it.
    pub fn swap(&self) -> String {
        let staging = self.staging();
        format!(
            "DROP TABLE {}; ALTER TABLE {} RENAME TO {}; ALTER INDEX IF EXISTS {}.{} RENAME TO {}",
            self.sql(),
            staging.sql(),
            quoted(&self.name),
            quoted(&self.schema),
            quoted(&format!("{}_pkey", staging.name)),
            quoted(&format!("{}_{}_pkey", self.name.chars().take(20).collect::<String>(), std::process::id())),
        )
    }
}
