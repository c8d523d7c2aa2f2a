//! A live run, watched line by line, with a directory of its own for what it makes.

use crate::reset::runner::{DEADLINE, Krewind, Ran, signal};
use local_kafka::{Check, Cluster, shared, wait_for};
use rdkafka::consumer::Consumer;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// How live runs of a test reach the cluster, and where their files go.
pub struct Lab {
    pub krewind: Krewind,
    cluster: Cluster,
    files: TempDir,
}

impl Lab {
    /// On the broker of all tests.
    pub fn new() -> Lab {
        Lab::by(Krewind::on(shared()), shared().clone())
    }

    /// By this krewind; `cluster` looks at what became of it.
    pub fn by(krewind: Krewind, cluster: Cluster) -> Lab {
        Lab { krewind, cluster, files: tempfile::tempdir().unwrap() }
    }

    /// `TMPDIR` of its runs.
    pub fn files(&self) -> &Path {
        self.files.path()
    }

    /// The command, with standard input closed.
    pub fn command(&self, lesson: &str, more: &[&str]) -> Command {
        let mut command = self.krewind.command(&[&["lab", "--live", "--scenario", lesson], more].concat());
        command.env("TMPDIR", self.files());
        command
    }

    /// Starts it, agreed to, with a report as JSON.
    pub fn start(&self, lesson: &str) -> Watched {
        Watched::start(self.command(lesson, &["--yes", "-o", "json"]))
    }

    /// Runs it to its end.
    pub fn run(&self, lesson: &str, more: &[&str]) -> Ran {
        Watched::start(self.command(lesson, more)).end()
    }

    /// Whether no file of a run is left.
    pub fn has_no_files(&self) -> bool {
        std::fs::read_dir(self.files()).unwrap().next().is_none()
    }

    /// Neither the topic nor the group nor the files of this run are there.
    #[track_caller]
    pub fn nothing_is_left(&self, ran: &Ran) {
        let names = Names::of(&ran.stderr);
        assert!(self.has_no_files(), "{:?} is left\n{ran}", names.database);
        assert!(!self.topic_exists(&names.topic), "topic `{}` is left\n{ran}", names.topic);
        assert!(!self.cluster.group_names().unwrap().contains(&names.group), "group `{}` is left\n{ran}", names.group);
    }

    pub fn topic_exists(&self, topic: &str) -> bool {
        let consumer = self.cluster.consumer("lab-look", &[]).unwrap();
        let metadata = consumer.fetch_metadata(None, DEADLINE).unwrap();
        metadata.topics().iter().any(|known| known.name() == topic)
    }
}

/// What a run says that it makes.
#[derive(Debug, Clone)]
pub struct Names {
    pub topic: String,
    pub group: String,
    pub database: PathBuf,
}

impl Names {
    /// From the plan on standard error.
    #[track_caller]
    pub fn of(stderr: &str) -> Names {
        let line = stderr.lines().find(|line| line.starts_with("makes: ")).unwrap_or_else(|| panic!("{stderr}"));
        let quoted: Vec<&str> = line.split('`').collect();
        assert!(line.contains("a group of the same name") && quoted.len() == 5, "{line}");
        Names { topic: quoted[1].to_owned(), group: quoted[1].to_owned(), database: quoted[3].into() }
    }
}

/// A run that has not ended; dropped, it is killed.
pub struct Watched {
    child: Child,
    lines: Receiver<String>,
    seen: String,
    stdout: Option<JoinHandle<String>>,
}

impl Watched {
    pub fn start(mut command: Command) -> Watched {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (said, lines) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| said.send(line)));
        let mut pipe = child.stdout.take().unwrap();
        let stdout = std::thread::spawn(move || {
            let mut text = String::new();
            pipe.read_to_string(&mut text).unwrap();
            text
        });
        Watched { child, lines, seen: String::new(), stdout: Some(stdout) }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// What it makes: to be asked when the plan is read.
    pub fn names(&self) -> Names {
        Names::of(&self.seen)
    }

    /// Reads on to the line that holds this.
    #[track_caller]
    pub fn says(&mut self, words: &str) -> String {
        loop {
            let Ok(line) = self.lines.recv_timeout(DEADLINE) else { panic!("never said `{words}`:\n{}", self.seen) };
            self.seen.push_str(&line);
            self.seen.push('\n');
            if line.contains(words) {
                return line;
            }
        }
    }

    /// The process of the consumer that is started next, and where it begins.
    #[track_caller]
    pub fn consumer(&mut self) -> (u32, i64) {
        let line = self.says("consumer started: process ");
        let numbers: Vec<i64> =
            line.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
        (u32::try_from(numbers[0]).unwrap(), numbers[1])
    }

    /// Looks around while it stands still: its consumer, a process of its own, does not.
    pub fn meanwhile<T>(&self, look: impl FnOnce() -> T) -> T {
        self.signal("STOP");
        let seen = look();
        self.signal("CONT");
        seen
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ran {
        let status = wait_for("krewind to end", DEADLINE, || {
            Ok(match self.child.try_wait().unwrap() {
                Some(status) => Check::Done(status),
                None => Check::NotYet(String::new()),
            })
        });
        let status = status.unwrap_or_else(|error| panic!("{error}\n{}", self.seen));
        while let Ok(line) = self.lines.recv_timeout(DEADLINE) {
            self.seen.push_str(&line);
            self.seen.push('\n');
        }
        let stdout = self.stdout.take().map(|reader| reader.join().unwrap()).unwrap_or_default();
        Ran { code: status.code(), stdout, stderr: std::mem::take(&mut self.seen) }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the process runs; one that ended and that nobody has waited for does not.
pub fn runs(pid: u32) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// Waits until the process is gone.
#[track_caller]
pub fn await_end(pid: u32) {
    wait_for(&format!("process {pid} to end"), DEADLINE, || {
        Ok(if runs(pid) { Check::NotYet(String::new()) } else { Check::Done(()) })
    })
    .unwrap();
}
