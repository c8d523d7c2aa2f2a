//! Members that only Java has: of share groups and of Kafka Streams.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{Cluster, LIMIT};
use crate::guard::{Guard, Process, left};
use crate::jars::Jars;
use crate::wait::{Check, wait_for};
use crate::{Error, tool};

const STOP: Duration = Duration::from_secs(30);

/// A live share group: Kafka's console share consumer reads in it. Dropping it stops the consumer;
/// the group stays, empty.
#[derive(Debug)]
pub struct ShareGroup {
    process: Process,
    // Ends after the process.
    _guard: Guard,
}

impl ShareGroup {
    /// Joins, and returns once the group exists.
    ///
    /// # Errors
    /// When the consumer ends or the group does not come.
    pub fn join(cluster: &Cluster, group: &str, topic: &str) -> Result<ShareGroup, Error> {
        let class = "org.apache.kafka.tools.consumer.ConsoleShareConsumer";
        let address = cluster.bootstrap();
        let mut command = tool(class, &["--bootstrap-server", address])?;
        command.args(["--topic", topic, "--group", group]);
        let guard = Guard::new("local-kafka-share-")?;
        let process = Process::start(guard.dir(), "share", &command, Stdio::null(), None)?;
        let mut share = ShareGroup { process, _guard: guard };
        wait_for(&format!("share group {group}"), LIMIT, || {
            share.process.check_alive()?;
            let names = cluster.group_names()?;
            Ok(match names.iter().any(|name| name == group) {
                true => Check::Done(()),
                false => Check::NotYet(format!("groups {names:?}")),
            })
        })?;
        Ok(share)
    }

    /// Stops the consumer and waits until it has ended.
    ///
    /// # Errors
    /// When it does not end.
    pub fn leave(mut self) -> Result<(), Error> {
        self.process.stop(STOP).map(drop)
    }
}

impl Drop for ShareGroup {
    fn drop(&mut self) {
        let _ = self.process.stop(STOP);
    }
}

/// A real Kafka Streams application that copies one topic to another. Dropping it stops it.
#[derive(Debug)]
pub struct StreamsApp {
    process: Process,
    // Ends after the process.
    _guard: Guard,
}

impl StreamsApp {
    /// Starts it with `application.id` as its group, by `group.protocol` `streams` or `classic`,
    /// and returns once it runs.
    ///
    /// # Errors
    /// When it ends, or does not run in time.
    pub fn start(
        cluster: &Cluster,
        application_id: &str,
        protocol: &str,
        from: &str,
        to: &str,
    ) -> Result<StreamsApp, Error> {
        let jars = Jars::get()?;
        let guard = Guard::new("local-kafka-streams-")?;
        let mut text = String::new();
        let state = guard.dir().join("state").display().to_string();
        for (key, value) in [
            ("bootstrap.servers", cluster.bootstrap()),
            ("application.id", application_id),
            ("group.protocol", protocol),
            ("state.dir", &state),
            ("auto.offset.reset", "earliest"),
            ("commit.interval.ms", "100"),
        ] {
            let _ = writeln!(text, "{key}={value}");
        }
        let file = guard.dir().join("streams.properties");
        fs::write(&file, text).map_err(Error::io("write the application's properties file"))?;
        let mut command = jars.java(128);
        command.arg(jars.streams_app()).arg(file).args([from, to]);
        let mut process = Process::start(guard.dir(), "streams", &command, Stdio::piped(), Some(Stdio::piped()))?;
        let states = states(&mut process)?;
        let mut app = StreamsApp { process, _guard: guard };
        let end = Instant::now() + LIMIT;
        let mut last = String::new();
        while last != "state RUNNING" {
            match states.recv_timeout(left(end).min(Duration::from_millis(200))) {
                Ok(line) => last = line,
                Err(_) => app.process.check_alive()?,
            }
            if left(end).is_zero() {
                return Err(Error::Timeout {
                    what: format!("the Streams application {application_id} to run"),
                    seconds: LIMIT.as_secs(),
                    last: format!(": {last}; its log:\n{}", app.process.log_tail()),
                });
            }
        }
        Ok(app)
    }

    /// Stops it in order, so that it leaves its group, and waits until it has ended.
    ///
    /// # Errors
    /// When it does not end, or not well.
    pub fn stop(mut self) -> Result<(), Error> {
        // The end of its stdin asks it to close.
        drop(self.process.child().stdin.take());
        let status = self.process.wait_exit(LIMIT)?;
        if status.success() {
            return Ok(());
        }
        Err(Error::Died {
            what: "the Streams application".to_owned(),
            status: status.to_string(),
            log: self.process.log_tail(),
        })
    }
}

impl Drop for StreamsApp {
    fn drop(&mut self) {
        drop(self.process.child().stdin.take());
        if self.process.wait_exit(STOP).is_err() {
            let _ = self.process.kill();
        }
    }
}

/// The lines that the application prints, as they come.
fn states(process: &mut Process) -> Result<mpsc::Receiver<String>, Error> {
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = process.child().stdout.take() {
        std::thread::Builder::new()
            .name("streams states".to_owned())
            .spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    // To the end, or the application would block on a full pipe.
                    let _ = sender.send(line);
                }
            })
            .map_err(Error::io("start a thread"))?;
    }
    Ok(receiver)
}
