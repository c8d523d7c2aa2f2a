//! Running the binary: nothing of the caller's environment, a journal of its own, and no run without an end.

use local_kafka::{Check, Cluster, wait_for};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

/// What takes longer hangs.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// How runs of a test reach the cluster, and where their journal goes.
pub struct Krewind {
    state: tempfile::TempDir,
    flags: Vec<String>,
}

impl Krewind {
    /// For this cluster, with the properties that its test client has.
    pub fn on(cluster: &Cluster) -> Krewind {
        let krewind = Krewind::at(cluster.bootstrap());
        cluster
            .properties()
            .iter()
            .fold(krewind, |krewind, (key, value)| krewind.flag("-X").flag(&format!("{key}={value}")))
    }

    /// For the broker at this address.
    pub fn at(bootstrap: &str) -> Krewind {
        Krewind { state: tempfile::tempdir().unwrap(), flags: vec!["-b".to_owned(), bootstrap.to_owned()] }
    }

    /// With one more argument before those of each run.
    pub fn flag(mut self, flag: &str) -> Krewind {
        self.flags.push(flag.to_owned());
        self
    }

    /// `XDG_STATE_HOME` of its runs.
    pub fn state_home(&self) -> &Path {
        self.state.path()
    }

    /// The entries of its journal, by name.
    pub fn journal(&self) -> Vec<(PathBuf, Value)> {
        let Ok(files) = std::fs::read_dir(self.state.path().join("krewind/journal")) else { return Vec::new() };
        let mut entries: Vec<(PathBuf, Value)> = files
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .map(|path| (path.clone(), serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()))
            .collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries
    }

    /// The command, with standard input closed.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_krewind"));
        command.args(&self.flags).args(args).stdin(Stdio::null());
        self.environment(&mut command);
        command
    }

    /// What of the environment a run sees.
    pub fn environment(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("KREWIND_") {
                command.env_remove(name);
            }
        }
        command.env("XDG_CONFIG_HOME", self.state.path().join("config"));
        command.env("XDG_STATE_HOME", self.state.path()).env("RUST_BACKTRACE", "0").env("TERM", "xterm");
        command.env_remove("NO_COLOR").env_remove("COLUMNS");
    }

    /// Runs it to its end.
    pub fn run(&self, args: &[&str]) -> Ran {
        Running::start(self.command(args)).end()
    }

    /// Starts it.
    pub fn start(&self, args: &[&str]) -> Running {
        Running::start(self.command(args))
    }

    /// Runs `reset … -o json`.
    pub fn reset(&self, args: &[&str]) -> Ran {
        self.run(&[&["reset", "-o", "json"], args].concat())
    }
}

/// A run that has not ended; dropped, it is killed.
pub struct Running {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
}

impl Running {
    /// Starts a command whose output is collected.
    pub fn start(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().map(collect);
        let stderr = child.stderr.take().map(collect);
        Running { child, stdout, stderr }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ran {
        let ended = wait_for("krewind to end", DEADLINE, || {
            Ok(match self.child.try_wait().unwrap() {
                Some(status) => Check::Done(status.code()),
                None => Check::NotYet(String::new()),
            })
        });
        let _ = self.child.kill();
        let _ = self.child.wait();
        let text = |reader: Option<JoinHandle<String>>| reader.map(|reader| reader.join().unwrap()).unwrap_or_default();
        let ran = Ran { code: None, stdout: text(self.stdout.take()), stderr: text(self.stderr.take()) };
        match ended {
            Ok(code) => Ran { code, ..ran },
            Err(error) => panic!("{error}\n{ran}"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Sends a signal to one process.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &pid.to_string()]).status().unwrap();
    assert!(sent.success(), "no process {pid} to send {name}");
}

/// The processes that this one has started, by their command lines.
pub fn children(parent: u32) -> Vec<(u32, String)> {
    let list = Command::new("ps").args(["-A", "-ww", "-o", "pid=,ppid=,args="]).output().unwrap();
    String::from_utf8_lossy(&list.stdout)
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (pid, its_parent) = (words.next()?.parse().ok()?, words.next()?.parse::<u32>().ok()?);
            (its_parent == parent).then(|| (pid, words.collect::<Vec<_>>().join(" ")))
        })
        .collect()
}

/// What a run left.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

impl Ran {
    /// It ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert!(self.code == Some(code), "expected exit {code}\n{self}");
        self
    }

    /// Standard error holds this.
    #[track_caller]
    pub fn tells(self, words: &str) -> Ran {
        assert!(self.stderr.contains(words), "expected `{words}` on stderr\n{self}");
        self
    }

    /// Standard output as the one JSON object that it is.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("stdout is not one JSON object: {error}\n{self}"),
        }
    }

    /// A refusal with rows: exit 3, this code in the report, its words on standard error too.
    #[track_caller]
    pub fn refused(self, code: &str) -> Value {
        let ran = self.exits(3);
        let report = ran.json();
        let group = &report["groups"][0];
        assert_eq!(report["kind"], "reset", "{ran}");
        assert_eq!((&report["outcome"], &group["outcome"]), (&"refused".into(), &"refused".into()), "{ran}");
        assert_eq!(group["refusal"]["code"], code, "{ran}");
        let message = group["refusal"]["message"].as_str().unwrap();
        assert!(ran.stderr.contains(&format!("error: {message}; nothing was written")), "{ran}");
        assert_eq!(report["applied_at"], Value::Null, "{ran}");
        assert!(rows(&report).iter().all(|row| row["outcome"].is_null() && row["read_back"].is_null()), "{ran}");
        report
    }

    /// An error without a report, on both streams.
    #[track_caller]
    pub fn error(self, exit: i32, code: &str) -> Value {
        let ran = self.exits(exit);
        let error = ran.json();
        assert_eq!((&error["kind"], &error["code"]), (&"error".into(), &code.into()), "{ran}");
        assert!(ran.stderr.contains(&format!("error: {}", error["message"].as_str().unwrap())), "{ran}");
        error
    }

    /// A write of which every row reads back.
    #[track_caller]
    pub fn applied(self) -> Value {
        let ran = self.exits(0);
        let report = ran.json();
        assert_eq!((&report["kind"], &report["outcome"]), (&"reset".into(), &"applied".into()), "{ran}");
        assert!(!ran.stderr.contains("error:"), "{ran}");
        report
    }
}

/// The rows of the only group in a report.
#[track_caller]
pub fn rows(report: &Value) -> &[Value] {
    assert_eq!(report["groups"].as_array().map(Vec::len), Some(1), "{report:#}");
    report["groups"][0]["rows"].as_array().unwrap()
}

/// One field of each row of the only group.
pub fn each<'a>(report: &'a Value, field: &str) -> Vec<&'a Value> {
    rows(report).iter().map(|row| &row[field]).collect()
}
