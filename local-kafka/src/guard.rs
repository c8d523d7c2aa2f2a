//! Processes that do not outlive their starter.
//!
//! A small `sh` in a process group of its own waits on a pipe whose other end the starter holds
//! for life. However the starter ends (return, panic, Ctrl-C, SIGKILL), the pipe closes, and the
//! guard ends every process that was started under it and removes their directory.

use std::fs::{self, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::Error;
use crate::wait::{Check, wait_for};

/// `$1` is the directory. Each process under guard has its pid in a file `*.pid` there.
const GUARD: &str = r#"
trap '' INT HUP TERM
read -r _
n=0
while [ -d "$1" ] && [ $n -lt 150 ]; do
  alive=
  for f in "$1"/*.pid; do
    read -r p 2>/dev/null <"$f" || continue
    kill -0 "$p" 2>/dev/null || { rm -f "$f"; continue; }
    alive=1
    if [ $n -eq 0 ]; then kill -TERM "$p"; kill -CONT "$p"; fi
    if [ $n -ge 100 ]; then kill -KILL "$p"; fi
  done 2>/dev/null
  [ -n "$alive" ] || break
  sleep 0.1
  n=$((n+1))
done
rm -rf "$1"
"#;

/// Writes its own pid, then becomes the program: there is no moment at which the program runs and
/// the guard does not know it. Once the directory is gone, nothing starts.
const LAUNCH: &str = r#"trap '' HUP; echo $$ >"$1.new" && mv "$1.new" "$1" || exit 1; shift; exec "$@""#;

/// A directory, and the promise that what was started in it ends with this process.
#[derive(Debug)]
pub(crate) struct Guard {
    dir: PathBuf,
    pipe: Option<ChildStdin>,
    sh: Child,
}

impl Guard {
    pub(crate) fn new(prefix: &str) -> Result<Guard, Error> {
        let dir = tempfile::Builder::new().prefix(prefix).tempdir().map_err(Error::io("make a temporary directory"))?;
        // The standard library opens the pipe close-on-exec: no other child keeps it open.
        let mut sh = Command::new("/bin/sh")
            .args(["-c", GUARD, "local-kafka-guard"])
            .arg(dir.path())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(Error::io("start /bin/sh"))?;
        Ok(Guard { pipe: sh.stdin.take(), sh, dir: dir.keep() })
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // It ends by itself, within 15 s at the most.
        let _ = self.sh.wait();
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// A process started in a directory that a [`Guard`] may watch.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    what: String,
    pid_file: PathBuf,
    log: PathBuf,
}

impl Process {
    /// Starts `command` with its pid in `<dir>/<name>.pid`. Its stderr, and its stdout when that is
    /// not to be a pipe, go to `<dir>/<name>.log`.
    pub(crate) fn start(
        dir: &Path,
        name: &str,
        command: &Command,
        stdin: Stdio,
        stdout: Option<Stdio>,
    ) -> Result<Process, Error> {
        let pid_file = dir.join(format!("{name}.pid"));
        let log = dir.join(format!("{name}.log"));
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .map_err(Error::io(format!("open {}", log.display())))?;
        let stdout = match stdout {
            Some(stdout) => stdout,
            None => file.try_clone().map_err(Error::io("copy a file handle"))?.into(),
        };
        let mut launcher = Command::new("/bin/sh");
        launcher
            .args(["-c", LAUNCH, "sh"])
            .arg(&pid_file)
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(command.get_current_dir().unwrap_or(dir))
            .stdin(stdin)
            .stdout(stdout)
            .stderr(file)
            .process_group(0);
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => launcher.env(key, value),
                None => launcher.env_remove(key),
            };
        }
        let child = launcher.spawn().map_err(Error::io(format!("start {name}")))?;
        Ok(Process { child, what: name.to_owned(), pid_file, log })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    pub(crate) fn log_tail(&self) -> String {
        tail(&self.log)
    }

    /// An error with the end of the log when the process has ended.
    pub(crate) fn check_alive(&mut self) -> Result<(), Error> {
        match self.exited()? {
            None => Ok(()),
            Some(status) => {
                Err(Error::Died { what: self.what.clone(), status: status.to_string(), log: self.log_tail() })
            }
        }
    }

    pub(crate) fn exited(&mut self) -> Result<Option<ExitStatus>, Error> {
        let status = self.child.try_wait().map_err(Error::io(format!("wait for {}", self.what)))?;
        if status.is_some() {
            // The number may be given to another process from now on.
            let _ = fs::remove_file(&self.pid_file);
        }
        Ok(status)
    }

    /// Sends a signal, if the process has not ended.
    pub(crate) fn signal(&mut self, signal: Signal) -> Result<(), Error> {
        if self.exited()?.is_some() {
            return Ok(());
        }
        send(self.pid(), signal)
    }

    pub(crate) fn wait_exit(&mut self, limit: Duration) -> Result<ExitStatus, Error> {
        let what = format!("{} to end", self.what);
        wait_for(&what, limit, || {
            Ok(match self.exited()? {
                Some(status) => Check::Done(status),
                None => Check::NotYet(String::new()),
            })
        })
    }

    /// SIGTERM, and SIGKILL when that was not enough.
    pub(crate) fn stop(&mut self, limit: Duration) -> Result<ExitStatus, Error> {
        self.signal(Signal::TERM)?;
        // A stopped process acts on SIGTERM only once it goes on.
        self.signal(Signal::CONT)?;
        match self.wait_exit(limit) {
            Err(Error::Timeout { .. }) => self.kill(),
            other => other,
        }
    }

    pub(crate) fn kill(&mut self) -> Result<ExitStatus, Error> {
        self.signal(Signal::KILL)?;
        self.wait_exit(Duration::from_secs(10))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Reaps it if it has ended; ending it is the guard's work.
        let _ = self.exited();
    }
}

pub(crate) fn send(pid: u32, signal: Signal) -> Result<(), Error> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else { return Ok(()) };
    match kill_process(pid, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(Error::Io {
            what: format!("send {signal:?} to process {}", pid.as_raw_nonzero()),
            source: error.into(),
        }),
    }
}

/// Whether a process with this number exists (also as a zombie).
pub(crate) fn exists(pid: u32) -> bool {
    i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// The last lines of a log.
pub(crate) fn tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(40)..].join("\n")
}

/// How long until `end`, for calls that take a timeout.
pub(crate) fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    fn sleeper(guard: &Guard, script: &str) -> Process {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let process = Process::start(guard.dir(), "sleeper", &command, Stdio::null(), None).unwrap();
        let pid_file = guard.dir().join("sleeper.pid");
        wait_for("the pid file", SOON, || {
            Ok(match fs::read_to_string(&pid_file) {
                Ok(pid) => Check::Done(pid),
                Err(_) => Check::NotYet(String::new()),
            })
        })
        .unwrap();
        process
    }

    #[test]
    fn dropping_the_guard_ends_what_runs_under_it() {
        let guard = Guard::new("local-kafka-test-").unwrap();
        let dir = guard.dir().to_owned();
        let mut process = sleeper(&guard, "exec sleep 1000");
        assert_eq!(fs::read_to_string(dir.join("sleeper.pid")).unwrap().trim(), process.pid().to_string());
        // The guard waits for what it ends, and only its parent can reap it.
        let ending = std::thread::spawn(|| drop(guard));
        process.wait_exit(SOON).unwrap();
        ending.join().unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn a_paused_process_ends_too() {
        let guard = Guard::new("local-kafka-test-").unwrap();
        let mut process = sleeper(&guard, "exec sleep 1000");
        process.signal(Signal::STOP).unwrap();
        let ending = std::thread::spawn(|| drop(guard));
        process.wait_exit(SOON).unwrap();
        ending.join().unwrap();
    }

    #[test]
    fn an_early_end_is_told_with_the_log() {
        let guard = Guard::new("local-kafka-test-").unwrap();
        let mut process = sleeper(&guard, "echo why; exit 3");
        process.wait_exit(SOON).unwrap();
        let text = process.check_alive().unwrap_err().to_string();
        assert!(text.contains("exit status: 3") && text.contains("why"), "{text}");
        assert!(!guard.dir().join("sleeper.pid").exists());
    }

    #[test]
    fn stopping_is_terminating_first_then_killing() {
        let guard = Guard::new("local-kafka-test-").unwrap();
        let mut polite = sleeper(&guard, "exec sleep 1000");
        let status = polite.stop(SOON).unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15));
        let mut deaf = sleeper(&guard, "trap '' TERM; echo ready; while :; do sleep 1; done");
        wait_for("the trap", SOON, || {
            Ok(match tail(&guard.dir().join("sleeper.log")).contains("ready") {
                true => Check::Done(()),
                false => Check::NotYet(String::new()),
            })
        })
        .unwrap();
        let status = deaf.stop(Duration::from_millis(300)).unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    }
}
