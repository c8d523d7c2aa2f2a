//! The lab's sink: a table of orders in an SQLite database, and beside it a ledger of every write.

use crate::error::{Code, Error, Result};
use crate::report::ConsumerSink;
use rusqlite::{Connection, params};
use std::path::Path;
use std::time::Duration;

/// How long another process's lock is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// An order as it stands in the sink.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    /// Its number.
    pub order_id: i64,
    /// What became of it.
    pub status: String,
    /// The offset of the record that said so.
    pub log_offset: i64,
}

/// What the sink holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderCounts {
    /// Rows of the table.
    pub rows: u64,
    /// Orders that have a row.
    pub distinct_orders: u64,
    /// Writes that were ever made.
    pub writes: u64,
    /// Records that were ever written; `writes` without these are duplicates.
    pub distinct_writes: u64,
}

/// The database; more than one process may have it open. A write that returned stands there, whatever becomes of the process.
pub struct Orders {
    connection: Connection,
    sink: ConsumerSink,
}

impl Orders {
    /// Opens the database, and makes it and its tables where they are missing.
    pub fn open(path: &Path, sink: ConsumerSink) -> Result<Self> {
        let connection = Connection::open(path).map_err(|error| failed("opened", error))?;
        let key = match sink {
            ConsumerSink::Append => "INTEGER NOT NULL",
            ConsumerSink::Upsert => "INTEGER PRIMARY KEY",
        };
        connection
            .busy_timeout(LOCK_WAIT)
            .and_then(|()| {
                connection.execute_batch(&format!(
                    "BEGIN IMMEDIATE;
                     CREATE TABLE IF NOT EXISTS orders (order_id {key}, status TEXT NOT NULL, log_offset INTEGER NOT NULL);
                     CREATE TABLE IF NOT EXISTS writes (log_offset INTEGER NOT NULL, order_id INTEGER NOT NULL);
                     COMMIT;"
                ))
            })
            .map_err(|error| failed("opened", error))?;
        Ok(Orders { connection, sink })
    }

    /// Writes an order, and the write into the ledger, in one transaction.
    pub fn write(&mut self, order: &Order) -> Result<()> {
        let insert = match self.sink {
            ConsumerSink::Append => "INSERT INTO orders (order_id, status, log_offset) VALUES (?1, ?2, ?3)",
            ConsumerSink::Upsert => {
                "INSERT INTO orders (order_id, status, log_offset) VALUES (?1, ?2, ?3)
                 ON CONFLICT (order_id) DO UPDATE SET status = excluded.status, log_offset = excluded.log_offset"
            }
        };
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            transaction.execute(insert, params![order.order_id, order.status, order.log_offset])?;
            transaction.execute(
                "INSERT INTO writes (log_offset, order_id) VALUES (?1, ?2)",
                params![order.log_offset, order.order_id],
            )?;
            transaction.commit()
        };
        write(&mut self.connection).map_err(|error| failed("written to", error))
    }

    /// What it holds, at one moment.
    pub fn counts(&self) -> Result<OrderCounts> {
        let counts = "SELECT (SELECT count(*) FROM orders), (SELECT count(DISTINCT order_id) FROM orders),
                             (SELECT count(*) FROM writes), (SELECT count(DISTINCT log_offset) FROM writes)";
        self.connection
            .query_row(counts, [], |row| {
                let count = |column| row.get::<usize, i64>(column).map(i64::unsigned_abs);
                Ok(OrderCounts {
                    rows: count(0)?,
                    distinct_orders: count(1)?,
                    writes: count(2)?,
                    distinct_writes: count(3)?,
                })
            })
            .map_err(|error| failed("read", error))
    }

    /// The offsets that were written, in the order of the writes, each as often as it was.
    pub fn written_offsets(&self) -> Result<Vec<i64>> {
        self.all("SELECT log_offset FROM writes ORDER BY rowid", |row| row.get(0))
    }

    /// The rows of the table: as they were appended, or by order.
    pub fn rows(&self) -> Result<Vec<Order>> {
        self.all("SELECT order_id, status, log_offset FROM orders ORDER BY rowid", |row| {
            Ok(Order { order_id: row.get(0)?, status: row.get(1)?, log_offset: row.get(2)? })
        })
    }

    fn all<T>(&self, query: &str, read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>> {
        self.connection
            .prepare(query)
            .and_then(|mut statement| statement.query_map([], read)?.collect())
            .map_err(|error| failed("read", error))
    }
}

fn failed(done: &str, error: rusqlite::Error) -> Error {
    Error::new(Code::SinkFailed, format!("the lab's database could not be {done}: {error}")).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(order_id: i64, status: &str, log_offset: i64) -> Order {
        Order { order_id, status: status.to_owned(), log_offset }
    }

    /// Three records of two orders, the last two of which are written again after a restart.
    fn written_twice(sink: ConsumerSink) -> (tempfile::TempDir, Orders) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orders.db");
        for from in [0, 1] {
            let mut orders = Orders::open(&path, sink).unwrap();
            let all = [order(1001, "placed", 0), order(1002, "placed", 1), order(1001, "paid", 2)];
            for order in &all[from..] {
                orders.write(order).unwrap();
            }
        }
        let orders = Orders::open(&path, sink).unwrap();
        (directory, orders)
    }

    #[test]
    fn appending_keeps_each_copy() {
        let (_directory, orders) = written_twice(ConsumerSink::Append);
        let counts = OrderCounts { rows: 5, distinct_orders: 2, writes: 5, distinct_writes: 3 };
        assert_eq!(orders.counts().unwrap(), counts);
        assert_eq!(orders.written_offsets().unwrap(), [0, 1, 2, 1, 2]);
        let rows = [
            order(1001, "placed", 0),
            order(1002, "placed", 1),
            order(1001, "paid", 2),
            order(1002, "placed", 1),
            order(1001, "paid", 2),
        ];
        assert_eq!(orders.rows().unwrap(), rows);
    }

    #[test]
    fn an_upsert_keeps_the_last_of_each_order() {
        let (_directory, orders) = written_twice(ConsumerSink::Upsert);
        let counts = OrderCounts { rows: 2, distinct_orders: 2, writes: 5, distinct_writes: 3 };
        assert_eq!(orders.counts().unwrap(), counts);
        assert_eq!(orders.rows().unwrap(), [order(1001, "paid", 2), order(1002, "placed", 1)]);
    }

    #[test]
    fn it_can_be_read_while_it_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orders.db");
        let reader = Orders::open(&path, ConsumerSink::Append).unwrap();
        let writer = {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut orders = Orders::open(&path, ConsumerSink::Append).unwrap();
                (0..50).for_each(|offset| orders.write(&order(1001, "placed", offset)).unwrap());
            })
        };
        let mut last = 0;
        while !writer.is_finished() {
            let counts = reader.counts().unwrap();
            assert!(counts.rows == counts.writes && counts.rows >= last, "{counts:?} after {last}");
            last = counts.rows;
        }
        writer.join().unwrap();
        assert_eq!(reader.counts().unwrap().writes, 50);
    }

    #[test]
    fn a_database_of_the_other_kind_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("orders.db");
        drop(Orders::open(&path, ConsumerSink::Append).unwrap());
        let mut upsert = Orders::open(&path, ConsumerSink::Upsert).unwrap();
        assert_eq!(upsert.write(&order(1001, "placed", 0)).unwrap_err().code, Code::SinkFailed);
    }
}
