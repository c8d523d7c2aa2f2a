//! Running krewind, and names that no other test has.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use assert_cmd::Command;
use local_kafka::client::Record;
use local_kafka::{Check, Cluster, wait_for};
use serde_json::Value;
use tempfile::TempDir;

/// A run that takes longer is killed, and its test fails.
const DEADLINE: Duration = Duration::from_secs(60);

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_krewind");

/// krewind on this cluster, with the properties that its client has.
pub fn krewind(cluster: &Cluster) -> Krewind {
    let mut krewind = bare().args(["-b", cluster.bootstrap()]);
    for (key, value) in cluster.properties() {
        krewind = krewind.args(["-X", &format!("{key}={value}")]);
    }
    krewind
}

/// krewind without a word of where its cluster is.
pub fn bare() -> Krewind {
    Krewind::default()
}

/// A command line of krewind. Nothing of the tester's own environment reaches it, and what it keeps goes to a directory of
/// its own.
#[derive(Default)]
pub struct Krewind {
    args: Vec<String>,
    env: Vec<(String, String)>,
    stdin: String,
    home: Option<std::path::PathBuf>,
}

impl Krewind {
    pub fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    pub fn args<const N: usize>(mut self, args: [&str; N]) -> Self {
        self.args.extend(args.map(str::to_owned));
        self
    }

    pub fn env(mut self, key: &str, value: &str) -> Self {
        self.env.push((key.to_owned(), value.to_owned()));
        self
    }

    /// What stands on its standard input, a pipe; nothing otherwise.
    pub fn stdin(mut self, text: &str) -> Self {
        self.stdin = text.to_owned();
        self
    }

    /// Keeps its state here, so that a later run finds it.
    pub fn home(mut self, dir: &Path) -> Self {
        self.home = Some(dir.to_owned());
        self
    }

    /// Sets another command up as [`run`](Krewind::run) would: for tests that need the process itself.
    pub fn prepare(&self, command: &mut std::process::Command, home: &Path) {
        for (key, _) in std::env::vars_os() {
            if key.to_string_lossy().starts_with("KREWIND_") {
                command.env_remove(key);
            }
        }
        for base in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
            command.env(base, home.join(base));
        }
        command.env_remove("NO_COLOR").envs(self.env.iter().cloned()).args(&self.args);
    }

    /// Runs it to its end.
    pub fn run(self) -> Run {
        let own = self.home.is_none().then(|| TempDir::new().unwrap());
        let home = self.home.clone().or_else(|| own.as_ref().map(|dir| dir.path().to_owned())).unwrap();
        let mut command = std::process::Command::new(BINARY);
        self.prepare(&mut command, &home);
        let started = Instant::now();
        let output = Command::from_std(command).write_stdin(self.stdin.clone()).timeout(DEADLINE).output().unwrap();
        Run {
            line: format!("krewind {}", self.args.join(" ")),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            took: started.elapsed(),
        }
    }
}

/// A run that has ended.
#[derive(Debug)]
pub struct Run {
    line: String,
    /// `None` where a signal ended it, the deadline's among them.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub took: Duration,
}

impl Run {
    /// It ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// It ended with 0 and had nothing to say on standard error, except that a login is limited.
    #[track_caller]
    pub fn succeeds(self) -> Self {
        let run = self.exits(0);
        let limited = "this login is limited by ACLs: groups and topics that it may not describe are not shown";
        assert!(run.stderr.lines().all(|line| line == limited), "{run}");
        run
    }

    /// It ended with this code, and standard error has each of these texts.
    #[track_caller]
    pub fn fails<const N: usize>(self, code: i32, reasons: [&str; N]) -> Self {
        let run = self.exits(code);
        for reason in reasons {
            assert!(run.stderr.contains(reason), "no `{reason}` in {run}");
        }
        run
    }

    /// Nothing stands on standard output.
    #[track_caller]
    pub fn silent(self) -> Self {
        assert_eq!(self.stdout, "", "{self}");
        self
    }

    /// Standard output, which is one JSON value and nothing else.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self}"))
    }

    /// The error report on standard output: its code, and a message that standard error has too.
    #[track_caller]
    pub fn error_code(&self) -> String {
        let report = self.json();
        assert_eq!((report["kind"].as_str(), report["version"].as_i64()), (Some("error"), Some(1)), "{self}");
        let message = report["message"].as_str().unwrap();
        assert!(!message.is_empty() && self.stderr.contains(message), "{self}");
        assert!(report["hints"].is_array(), "{self}");
        report["code"].as_str().unwrap().to_owned()
    }

    /// The rows of standard output, CSV with a header: each a map from column to field.
    #[track_caller]
    pub fn csv(&self) -> Vec<std::collections::BTreeMap<String, String>> {
        csv::Reader::from_reader(self.stdout.as_bytes()).deserialize().map(|row| row.unwrap()).collect()
    }

    /// The rows below the table's header that starts with this word, as words.
    #[track_caller]
    pub fn table(&self, header: &str) -> Vec<Vec<&str>> {
        let lines: Vec<Vec<&str>> = self.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
        let at = lines.iter().position(|words| words.first() == Some(&header)).unwrap_or_else(|| panic!("{self}"));
        let columns = lines[at].len();
        lines[at + 1..].iter().take_while(|words| words.len() == columns).cloned().collect()
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Run { line, code, stdout, stderr, took } = self;
        let code = code.map_or("killed".to_owned(), |code| format!("exit {code}"));
        write!(f, "{line}\n({code} after {took:.1?})\n--- stdout\n{stdout}\n--- stderr\n{stderr}---")
    }
}

/// A name that no other test has, nor an earlier run on the same broker.
pub fn fresh(what: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis() % 1_000_000_000;
    format!("{what}-{since}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst))
}

/// A fresh topic with so many records in each of its partitions.
pub fn topic(cluster: &Cluster, what: &str, records: &[usize]) -> String {
    let name = fresh(what);
    cluster.create_topic(&name, i32::try_from(records.len()).unwrap(), &[]).unwrap();
    let records: Vec<Record> = (0..)
        .zip(records)
        .flat_map(|(partition, &count)| (0..count).map(move |number| (partition, number)))
        .map(|(partition, number)| Record::to(&name).partition(partition).value(number.to_string()))
        .collect();
    cluster.produce(&records).unwrap();
    name
}

/// Waits until a condition holds.
#[track_caller]
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let check = || Ok(if condition() { Check::Done(()) } else { Check::NotYet(String::new()) });
    wait_for(what, Duration::from_secs(60), check).unwrap();
}

/// What one of Kafka's own tools prints on standard output.
#[track_caller]
pub fn kafka_tool(cluster: &Cluster, class: &str, args: &[&str]) -> String {
    let args = [&["--bootstrap-server", cluster.bootstrap()], args].concat();
    let class = format!("org.apache.kafka.tools.{class}");
    let output = local_kafka::tool(&class, &args).unwrap().stdin(std::process::Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{class} {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A file with this text in the directory; its path.
pub fn file(dir: &TempDir, name: impl AsRef<OsStr>, text: &str) -> String {
    let path = dir.path().join(name.as_ref());
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}
