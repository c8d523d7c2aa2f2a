//! A place with orders in its log, and the consumer's process, spoken to as the lab does.

use crate::reset::place::{EPOCH, Place, unique};
use crate::reset::runner::DEADLINE;
use local_kafka::client::Record;
use local_kafka::{Check, shared, wait_for};
use rdkafka::consumer::Consumer;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A topic of one partition with orders, a group, and a database that is not there yet.
pub struct Shop {
    pub place: Place,
    directory: tempfile::TempDir,
}

impl Shop {
    /// With a record for each of these orders, in this order.
    pub fn with_orders(orders: &[i64]) -> Shop {
        let (topic, group) = (unique("orders"), unique("shop"));
        let cluster = shared().clone();
        cluster.create_topic(&topic, 1, &[("retention.ms", "-1")]).unwrap();
        let place = Place { cluster, topic, group, partitions: vec![0] };
        let shop = Shop { place, directory: tempfile::tempdir().unwrap() };
        shop.orders(orders);
        shop
    }

    /// Produces more.
    pub fn orders(&self, orders: &[i64]) {
        let records: Vec<Record> = orders
            .iter()
            .zip(0..)
            .map(|(order, second)| {
                let value = format!(r#"{{"order":{order},"status":"placed"}}"#);
                let record = Record::to(&self.place.topic).partition(0).key(order.to_string()).value(value);
                record.timestamp(EPOCH + second * 1000)
            })
            .collect();
        self.place.cluster.produce(&records).unwrap();
    }

    pub fn database(&self) -> PathBuf {
        self.directory.path().join("orders.db")
    }

    /// The first line of a consumer.
    pub fn start(&self, commit: Value, sink: &str) -> Value {
        let mut properties = vec![("bootstrap.servers".to_owned(), self.place.cluster.bootstrap().to_owned())];
        properties.extend(self.place.cluster.properties().iter().cloned());
        json!({
            "properties": properties,
            "timeout_ms": 20_000,
            "group": self.place.group,
            "topic": self.place.topic,
            "commit": commit,
            "sink": sink,
            "database": self.database(),
        })
    }

    /// A consumer that has joined.
    pub fn consumer(&self, commit: Value, sink: &str) -> Stepper {
        let mut stepper = Stepper::start(&self.start(commit, sink));
        stepper.position = stepper.answer()["joined"]["position"].as_i64().unwrap();
        stepper
    }

    /// What the group has committed, asked of the broker.
    pub fn committed(&self) -> Option<i64> {
        self.place.stands()[0]
    }

    pub fn await_committed(&self, offset: i64) {
        self.place.cluster.await_committed(&self.place.group, &self.place.topic, 0, offset).unwrap();
    }

    /// The group's state, and how many members it has.
    pub fn group(&self) -> (String, usize) {
        let consumer = self.place.cluster.consumer("lab-look", &[]).unwrap();
        let list = consumer.fetch_group_list(Some(&self.place.group), DEADLINE).unwrap();
        let group = &list.groups()[0];
        (group.state().to_owned(), group.members().len())
    }

    /// Waits until nobody is in the group.
    pub fn await_empty(&self) {
        wait_for("the group to be empty", DEADLINE, || {
            let now = self.group();
            Ok(if now == ("Empty".to_owned(), 0) { Check::Done(()) } else { Check::NotYet(format!("{now:?}")) })
        })
        .unwrap();
    }

    /// Numbers of a query on the database, row by row.
    pub fn numbers(&self, query: &str) -> Vec<i64> {
        let database = rusqlite::Connection::open(self.database()).unwrap();
        let mut statement = database.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// The offsets that were written, in the order of the writes.
    pub fn ledger(&self) -> Vec<i64> {
        self.numbers("SELECT log_offset FROM writes ORDER BY rowid")
    }
}

/// The client commits by itself, this often.
pub fn auto(interval_ms: u64) -> Value {
    json!({"auto": {"interval_ms": interval_ms}})
}

/// The consumer's process; dropped, it is killed.
pub struct Stepper {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<String>,
    pub position: i64,
}

impl Stepper {
    pub fn start(first: &Value) -> Stepper {
        let mut child = Command::new(env!("CARGO_BIN_EXE_krewind"))
            .arg("__lab-consumer")
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (answered, answers) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| answered.send(line)));
        let stdin = child.stdin.take();
        let mut stepper = Stepper { child, stdin, answers, position: -1 };
        stepper.say(first);
        stepper
    }

    fn say(&mut self, line: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The next line of its output.
    pub fn answer(&self) -> Value {
        serde_json::from_str(&self.answers.recv_timeout(DEADLINE).expect("an answer")).unwrap()
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        self.say(request);
        self.answer()
    }

    /// The offsets that a poll gives.
    pub fn poll(&mut self, max: usize) -> Vec<i64> {
        self.polled(max).iter().map(|record| record["offset"].as_i64().unwrap()).collect()
    }

    pub fn polled(&mut self, max: usize) -> Vec<Value> {
        let answer = self.ask(&json!({"poll": {"max": max}}));
        self.position = answer["polled"]["position"].as_i64().unwrap_or_else(|| panic!("{answer}"));
        answer["polled"]["records"].as_array().unwrap().clone()
    }

    pub fn write(&mut self, offset: i64) {
        assert_eq!(self.ask(&json!({"write": {"offset": offset}})), json!("written"));
    }

    pub fn commit(&mut self, next: i64) {
        assert_eq!(self.ask(&json!({"commit": {"next": next}})), json!("committed"));
    }

    /// `SIGKILL`.
    pub fn kill(mut self) -> ExitStatus {
        self.child.kill().unwrap();
        self.child.wait().unwrap()
    }

    pub fn leave(mut self) {
        assert_eq!(self.ask(&json!("leave")), json!("left"));
        assert_eq!(self.end().code(), Some(0));
    }

    /// Its input ends, as when its parent dies.
    pub fn abandon(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.end()
    }

    /// Waits for its end.
    pub fn end(&mut self) -> ExitStatus {
        wait_for("the consumer to end", DEADLINE, || {
            Ok(match self.child.try_wait().unwrap() {
                Some(status) => Check::Done(status),
                None => Check::NotYet(String::new()),
            })
        })
        .unwrap()
    }
}

impl Drop for Stepper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
