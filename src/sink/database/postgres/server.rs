//! A connection, and what its errors mean.

use super::settings::Settings;
use crate::error::{Code, Error, Result};
use bytes::Bytes;
use futures_util::SinkExt;
use postgres_openssl::MakeTlsConnector;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::{Client, NoTls, Row};

/// How often Ctrl-C is looked for, and how long the server has to end what it does when it came.
const LOOK: Duration = Duration::from_millis(100);
const GRACE: Duration = Duration::from_secs(5);

/// What can go wrong on the way.
#[derive(Debug)]
pub enum Trouble {
    /// The server said so, or went away.
    Database(tokio_postgres::Error),
    /// Ctrl-C ended a wait for it.
    Stopped,
}

impl Trouble {
    /// What the server said, if it was the server.
    pub fn said(&self) -> Option<&DbError> {
        match self {
            Trouble::Database(error) => error.as_db_error(),
            Trouble::Stopped => None,
        }
    }

    /// Whether it said this.
    pub fn is(&self, state: &SqlState) -> bool {
        self.said().is_some_and(|said| said.code() == state)
    }
}

/// A connection to a server.
pub struct Server {
    runtime: Runtime,
    client: Option<Client>,
    connection: JoinHandle<()>,
    stop: &'static AtomicBool,
    shown: String,
}

impl Server {
    /// Connects.
    pub fn connect(settings: Settings, stop: &'static AtomicBool) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::new(Code::Internal, "no connection can be made").caused_by(error))?;
        let Settings { config, tls, shown, ignored } = settings;
        let connected = wait(&runtime, stop, async {
            match tls {
                None => {
                    let (client, connection) = config.connect(NoTls).await?;
                    Ok((client, tokio::spawn(async move { drop(connection.await) })))
                }
                Some((connector, name)) => {
                    let mut connector = MakeTlsConnector::new(connector);
                    connector.set_callback(move |configuration, _| {
                        configuration.set_verify_hostname(name);
                        Ok(())
                    });
                    let (client, connection) = config.connect(connector).await?;
                    Ok((client, tokio::spawn(async move { drop(connection.await) })))
                }
            }
        });
        match connected {
            Ok((client, connection)) => Ok(Server { runtime, client: Some(client), connection, stop, shown }),
            Err(trouble) => {
                let error = unreachable(&shown, trouble);
                Err(match ignored {
                    Some(why) if error.code == Code::AuthenticationFailed => error.hint(why),
                    _ => error,
                })
            }
        }
    }

    /// The database without a password.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Statements without an answer.
    pub fn run(&self, sql: &str) -> Result<(), Trouble> {
        self.with(|client| client.batch_execute(sql))
    }

    /// Rows.
    pub fn rows(&self, sql: &str, of: &[&(dyn tokio_postgres::types::ToSql + Sync)]) -> Result<Vec<Row>, Trouble> {
        self.with(|client| client.query(sql, of))
    }

    /// How many rows it touched.
    pub fn count(&self, sql: &str) -> Result<u64, Trouble> {
        self.with(|client| client.execute(sql, &[]))
    }

    /// `COPY … FROM STDIN` with these bytes.
    pub fn copy(&self, sql: &str, bytes: Bytes) -> Result<u64, Trouble> {
        self.with(|client| async move {
            let mut copy = pin!(client.copy_in::<_, Bytes>(sql).await?);
            let sent = copy.send(bytes).await;
            // The server's own word says more than that it no longer listens.
            match copy.as_mut().finish().await {
                Ok(rows) => sent.map(|()| rows),
                Err(error) => Err(error),
            }
        })
    }

    fn with<'a, T, F>(&'a self, work: impl FnOnce(&'a Client) -> F) -> Result<T, Trouble>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        match &self.client {
            Some(client) => wait(&self.runtime, self.stop, work(client)),
            None => Err(Trouble::Stopped),
        }
    }

    /// The error for people; `place` tells which record a row of the last batch was.
    pub fn failed(&self, table: &str, trouble: Trouble, place: impl Fn(usize) -> Option<String>) -> Error {
        let error = match trouble {
            Trouble::Stopped => {
                return Error::new(Code::Interrupted, format!("interrupted while `{}` did not answer", self.shown));
            }
            Trouble::Database(error) => error,
        };
        let Some(said) = error.as_db_error() else {
            return Error::new(Code::SinkFailed, format!("the connection to `{}` broke", self.shown))
                .hint("rows that were committed are there; run it again once the server is back")
                .caused_by(error);
        };
        let row = said.where_().and_then(row).and_then(place);
        let detail = said.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        let message = match row {
            Some(place) => format!("the table {table} refused {place}: {}{detail}", said.message()),
            None => format!("the table {table} could not be written: {}{detail}", said.message()),
        };
        let code = if said.code() == &SqlState::INSUFFICIENT_PRIVILEGE { Code::Unauthorized } else { Code::SinkFailed };
        let mut failed = Error::new(code, message);
        if said.code() == &SqlState::UNIQUE_VIOLATION {
            failed = failed.hint("`--if-exists upsert` leaves what is there already as it is");
        }
        if let Some(column) = said.where_().and_then(column) {
            failed = failed.hint(format!("`--{column}-format bytes` takes every {column} as it is"));
        }
        said.hint().map(str::to_owned).into_iter().fold(failed, Error::hint)
    }

    /// Says goodbye, for the server's log.
    pub fn close(&mut self) {
        self.client = None;
        let connection = &mut self.connection;
        let _ = self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(1), connection).await });
    }
}

/// Waits for the server, and for Ctrl-C.
fn wait<T>(
    runtime: &Runtime,
    stop: &AtomicBool,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Trouble> {
    runtime.block_on(async {
        let mut work = pin!(work);
        let mut stopped: Option<Instant> = None;
        loop {
            match tokio::time::timeout(LOOK, work.as_mut()).await {
                Ok(done) => return done.map_err(Trouble::Database),
                Err(_) if stop.load(Ordering::SeqCst) => {
                    if stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                        return Err(Trouble::Stopped);
                    }
                }
                Err(_) => {}
            }
        }
    })
}

/// The error of a connection that could not be made.
fn unreachable(shown: &str, trouble: Trouble) -> Error {
    let Trouble::Database(error) = trouble else {
        return Error::new(Code::Interrupted, format!("interrupted while `{shown}` did not answer"));
    };
    if let Some(said) = error.as_db_error() {
        let message = format!("`{shown}` refused the connection: {}", said.message());
        let login = [&SqlState::INVALID_PASSWORD, &SqlState::INVALID_AUTHORIZATION_SPECIFICATION];
        return if login.contains(&said.code()) {
            Error::new(Code::AuthenticationFailed, message)
                .hint("the password comes from the URL, `PGPASSWORD`, `PGPASSFILE` or `~/.pgpass`")
        } else if said.code() == &SqlState::INVALID_CATALOG_NAME {
            Error::new(Code::SinkFailed, message).hint("the database must exist: `createdb` makes one")
        } else {
            Error::new(Code::ConnectionFailed, message)
        };
    }
    let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
    let why = causes.map(|cause| format!(": {cause}")).collect::<String>();
    let what = error.to_string();
    if what.contains("TLS") {
        return Error::new(Code::TlsFailed, format!("TLS with `{shown}` failed{why}"))
            .hint("`sslmode` of the URL says what is wanted, `sslrootcert` whose certificates are trusted");
    }
    if why.contains("password missing") {
        return Error::new(Code::AuthenticationFailed, format!("`{shown}` wants a password, and none was given"))
            .hint("the password comes from the URL, `PGPASSWORD`, `PGPASSFILE` or `~/.pgpass`");
    }
    if what.contains("configuration") || what.contains("authentication") {
        return Error::new(Code::AuthenticationFailed, format!("`{shown}`: {what}{why}"));
    }
    Error::new(Code::ConnectionFailed, format!("`{shown}` could not be reached{why}"))
        .hint("host and port stand in the URL; a server on this machine may listen on its socket alone: `postgres://USER@/DATABASE?host=DIRECTORY`")
}

/// The row of `COPY records, line 5, column kafka_value`.
fn row(context: &str) -> Option<usize> {
    let line = context.lines().find(|line| line.starts_with("COPY "))?;
    let (_, rest) = line.split_once(", line ")?;
    rest.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

/// `key` or `value`, where it is that column.
fn column(context: &str) -> Option<&'static str> {
    ["key", "value"].into_iter().find(|name| context.contains(&format!(", column kafka_{name}")))
}
