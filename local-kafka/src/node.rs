use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Signal;

use crate::Error;
use crate::guard::Process;
use crate::jars::Jars;
use crate::ready;
use crate::settings::Settings;
use crate::wait::{Check, wait_for};

/// A clean stop takes 0.3 s, or 6 s for the last of three nodes: it has no quorum left.
const STOP: Duration = Duration::from_secs(15);

/// How a node's JVM is started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jvm {
    /// The heap limit in MB.
    pub(crate) heap_mb: u32,
    /// With the flags of Kafka's own scripts.
    pub(crate) as_a_server: bool,
}

impl Jvm {
    fn command(self, jars: &Jars) -> std::process::Command {
        if self.as_a_server { jars.java_as_a_server(self.heap_mb) } else { jars.java(self.heap_mb) }
    }
}

/// One broker of a [`Kafka`](crate::Kafka); each is its own controller too.
#[derive(Debug)]
pub struct Node {
    id: i32,
    name: String,
    dir: PathBuf,
    bootstrap: String,
    cluster_id: String,
    jvm: Jvm,
    jars: &'static Jars,
    process: Mutex<Option<Process>>,
}

impl Node {
    /// Writes the node's properties file and starts it; does not wait until it is ready.
    pub(crate) fn start(
        id: i32,
        dir: &Path,
        bootstrap: String,
        cluster_id: &str,
        jvm: Jvm,
        jars: &'static Jars,
        settings: &Settings,
    ) -> Result<Node, Error> {
        let name = format!("node-{id}");
        fs::write(dir.join(format!("{name}.properties")), settings.text())
            .map_err(Error::io("write the broker's properties file"))?;
        let node = Node {
            id,
            name,
            dir: dir.to_owned(),
            bootstrap,
            cluster_id: cluster_id.to_owned(),
            jvm,
            jars,
            process: Mutex::new(None),
        };
        node.launch()?;
        Ok(node)
    }

    fn launch(&self) -> Result<(), Error> {
        let mut command = self.jvm.command(self.jars);
        command.arg("kafka.Kafka").arg(self.dir.join(format!("{}.properties", self.name)));
        let process = Process::start(&self.dir, &self.name, &command, Stdio::null(), None)?;
        *self.lock() = Some(process);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Process>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The broker's id, from 1.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.id
    }

    /// `host:port` of this node alone.
    #[must_use]
    pub fn bootstrap(&self) -> &str {
        &self.bootstrap
    }

    /// The process, if it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.lock().as_ref().map(Process::pid)
    }

    /// Kills it by SIGKILL: as when its machine fails.
    ///
    /// # Errors
    /// When the process does not end.
    pub fn kill(&self) -> Result<(), Error> {
        let mut process = self.lock();
        if let Some(mut process) = process.take() {
            process.kill()?;
        }
        Ok(())
    }

    /// Stops it in order: it hands its partitions over first.
    ///
    /// # Errors
    /// When the process does not end.
    pub fn stop(&self) -> Result<(), Error> {
        let mut process = self.lock();
        if let Some(mut process) = process.take() {
            process.stop(STOP)?;
        }
        Ok(())
    }

    /// Freezes it: its sockets stay open and nothing answers.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn pause(&self) -> Result<(), Error> {
        self.signal(Signal::STOP)?;
        let Some(pid) = self.pid() else { return Ok(()) };
        // The signal is sent, not yet taken: on a busy machine a thread may answer once more.
        wait_for("the broker to stand still", Duration::from_secs(10), || {
            Ok(if stands_still(pid) { Check::Done(()) } else { Check::NotYet(String::new()) })
        })
    }

    /// Lets it go on after [`pause`](Node::pause).
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn resume(&self) -> Result<(), Error> {
        self.signal(Signal::CONT)
    }

    /// Starts it again on its data and its port, after a kill or a stop, or stops it first; waits
    /// until it is ready. After a kill that takes as long as its old session
    /// (`broker.session.timeout.ms`).
    ///
    /// # Errors
    /// When it does not come up.
    pub fn restart(&self) -> Result<(), Error> {
        self.stop()?;
        self.launch()?;
        self.await_ready()
    }

    /// Waits until it serves.
    pub(crate) fn await_ready(&self) -> Result<(), Error> {
        ready::wait(&self.bootstrap, &self.cluster_id, &[self.id], || self.check_alive())
    }

    pub(crate) fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// The last lines of its log.
    #[must_use]
    pub fn log_tail(&self) -> String {
        crate::guard::tail(&self.dir.join(format!("{}.log", self.name)))
    }

    pub(crate) fn terminate(&self) -> Result<(), Error> {
        self.signal(Signal::TERM)?;
        self.signal(Signal::CONT)
    }

    pub(crate) fn check_alive(&self) -> Result<(), Error> {
        match self.lock().as_mut() {
            Some(process) => process.check_alive(),
            None => Ok(()),
        }
    }

    fn signal(&self, signal: Signal) -> Result<(), Error> {
        match self.lock().as_mut() {
            Some(process) => process.signal(signal),
            None => Ok(()),
        }
    }
}

/// Whether every thread of a process is stopped; where there is no /proc, that is taken for granted.
fn stands_still(pid: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    threads.flatten().all(|thread| {
        // The state follows the command's name, which is in parentheses and may hold any.
        std::fs::read_to_string(thread.path().join("stat"))
            .map_or(true, |stat| stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('T')))
    })
}
