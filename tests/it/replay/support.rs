use local_kafka::{Check, Cluster, shared, wait_for};
use rdkafka::consumer::Consumer;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const LIMIT: Duration = Duration::from_secs(60);

/// A name that no other test has, also where the broker outlives the tests.
pub fn unique(what: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("replay-{what}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst))
}

pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, LIMIT, || {
        Ok(match condition() {
            true => Check::Done(()),
            false => Check::NotYet(String::new()),
        })
    })
    .unwrap();
}

pub fn command(args: &[&str]) -> Command {
    command_on(shared(), args)
}

/// By this login, or on this broker.
pub fn command_on(cluster: &Cluster, args: &[&str]) -> Command {
    command_of(cluster, "replay", args)
}

/// The same of another subcommand.
pub fn command_of(cluster: &Cluster, name: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_krewind"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("KREWIND_") {
            command.env_remove(name);
        }
    }
    // None of the tester's own profiles.
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    for (key, value) in cluster.properties() {
        command.args(["-X", &format!("{key}={value}")]);
    }
    command.args(["-b", cluster.bootstrap(), name]).args(args).stdin(Stdio::null());
    command
}

/// A run that has ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

pub fn replay(args: &[&str]) -> Ran {
    ran(command(args))
}

/// Runs it to its end.
pub fn ran(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// Standard output as one JSON object.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Standard output as JSON Lines.
    pub fn records(&self) -> Vec<Value> {
        records(&self.stdout)
    }
}

pub fn records(lines: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(lines).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "the last line is cut");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Partition and offset of each record, in order.
pub fn places(records: &[Value]) -> Vec<(i64, i64)> {
    let mut places: Vec<(i64, i64)> = records
        .iter()
        .map(|record| (record["partition"].as_i64().unwrap(), record["offset"].as_i64().unwrap()))
        .collect();
    // Within a partition the order is the log's; among partitions there is none.
    for pair in places.windows(2) {
        assert!(pair[0].0 != pair[1].0 || pair[0].1 < pair[1].1, "out of order: {pair:?}");
    }
    places.sort_unstable();
    places
}

pub fn values(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["value"].as_str().unwrap()).collect()
}

/// The report's partition.
pub fn partition(report: &Value, number: i64) -> &Value {
    let rows = report["partitions"].as_array().unwrap();
    rows.iter().find(|row| row["partition"] == number).unwrap_or_else(|| panic!("no partition {number}: {report}"))
}

/// A directory whose files' names can be listed.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Scratch {
        Scratch(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// A name for a report that no run was given yet.
    pub fn report(&self) -> (String, PathBuf) {
        let name = unique("report.json");
        (self.text(&name), self.path(&name))
    }

    pub fn names(&self) -> Vec<String> {
        let entries = self.0.path().read_dir().unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A run that goes on, with its standard error collected.
pub struct Running {
    pub child: Child,
    stderr: Arc<Mutex<String>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

pub fn start(args: &[&str]) -> Running {
    started(command(args).stdout(Stdio::piped()).stderr(Stdio::piped()))
}

/// The same of a command whose standard error is piped.
pub fn started(command: &mut Command) -> Running {
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stderr.take().unwrap();
    let stderr = Arc::new(Mutex::new(String::new()));
    let text = Arc::clone(&stderr);
    let reader = std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut bytes) {
            text.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    });
    Running { child, stderr, reader: Some(reader) }
}

impl Running {
    /// Waits until standard error says this.
    pub fn says(&self, words: &str) {
        until(&format!("`{words}` on standard error"), || self.stderr.lock().unwrap().contains(words));
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Reads what is left of standard output, and waits for the end.
    pub fn end(mut self) -> Ran {
        let mut stdout = Vec::new();
        if let Some(mut pipe) = self.child.stdout.take() {
            pipe.read_to_end(&mut stdout).unwrap();
        }
        let mut code = None;
        until("krewind to end", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        self.reader.take().unwrap().join().unwrap();
        let stderr = self.stderr.lock().unwrap().clone();
        Ran { code: code.unwrap().code().unwrap(), stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The cluster's topics, without asking for any by its name.
pub fn topic_names(cluster: &Cluster) -> Vec<String> {
    let consumer = cluster.consumer("replay-look", &[]).unwrap();
    let metadata = consumer.fetch_metadata(None, LIMIT).unwrap();
    metadata.topics().iter().map(|topic| topic.name().to_owned()).collect()
}

/// No group was left by a replay.
pub fn no_replay_group(cluster: &Cluster) {
    let left: Vec<String> =
        cluster.group_names().unwrap().into_iter().filter(|name| name.starts_with("krewind-replay-")).collect();
    assert!(left.is_empty(), "{left:?}");
}
