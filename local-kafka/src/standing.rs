//! A broker that stays when its starter ends, for trying things by hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use crate::guard::{exists, send};
use crate::jars::Jars;
use crate::wait::{Check, wait_for};
use crate::{Error, Kafka};

const LIMIT: Duration = Duration::from_secs(15);

/// A place for one broker that stays until it is stopped.
#[derive(Debug)]
pub struct Standing {
    dir: PathBuf,
}

/// A broker found running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its process.
    pub pid: u32,
    /// `127.0.0.1:port`.
    pub bootstrap: String,
}

impl Standing {
    /// The broker whose files lie in `dir`; nothing is started or written.
    #[must_use]
    pub fn at(dir: &Path) -> Standing {
        Standing { dir: dir.to_owned() }
    }

    /// Starts it, empty, on this port of 127.0.0.1.
    ///
    /// # Errors
    /// When it runs already, the port is in use, or it does not come up.
    pub fn start(&self, port: u16) -> Result<Running, Error> {
        if let Some(Running { pid, bootstrap }) = self.status()? {
            return Err(Error::AlreadyRunning { pid, bootstrap });
        }
        let jars = Jars::get()?;
        self.remove()?;
        fs::create_dir_all(&self.dir).map_err(Error::io(format!("make {}", self.dir.display())))?;
        let node =
            Kafka::builder().port(port).heap_mb(512).launch_in(jars, &self.dir).inspect_err(|_| drop(self.remove()))?;
        fs::write(self.dir.join("bootstrap"), node.bootstrap()).map_err(Error::io("write the broker's address"))?;
        if let Err(error) = node.await_ready() {
            node.kill()?;
            self.remove()?;
            return Err(error);
        }
        Ok(Running { pid: node.pid().unwrap_or_default(), bootstrap: node.bootstrap().to_owned() })
    }

    /// Which broker runs here, if any.
    ///
    /// # Errors
    /// When its files cannot be read.
    pub fn status(&self) -> Result<Option<Running>, Error> {
        let read = |name: &str| match fs::read_to_string(self.dir.join(name)) {
            Ok(text) => Ok(Some(text.trim().to_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { what: format!("read {}", self.dir.join(name).display()), source }),
        };
        let Some(pid) = read("node-1.pid")?.and_then(|pid| pid.parse().ok()) else {
            return Ok(None);
        };
        if !self.is_ours(pid) {
            return Ok(None);
        }
        Ok(Some(Running { pid, bootstrap: read("bootstrap")?.unwrap_or_default() }))
    }

    /// Stops it and removes its data. Says which one was stopped, if any ran.
    ///
    /// # Errors
    /// When it does not end.
    pub fn stop(&self) -> Result<Option<Running>, Error> {
        let running = self.status()?;
        if let Some(Running { pid, .. }) = running {
            let gone = |limit| {
                wait_for("the broker to end", limit, || {
                    Ok(match self.is_ours(pid) {
                        false => Check::Done(()),
                        true => Check::NotYet(format!("process {pid} is still there")),
                    })
                })
            };
            send(pid, Signal::TERM)?;
            if gone(LIMIT).is_err() {
                send(pid, Signal::KILL)?;
                gone(LIMIT)?;
            }
        }
        self.remove()?;
        Ok(running)
    }

    /// A number may have been given to another process since: only a process that was started with
    /// this broker's properties file is this broker.
    fn is_ours(&self, pid: u32) -> bool {
        let file = self.dir.join("node-1.properties");
        exists(pid) && command_line(pid).contains(&file.display().to_string())
    }

    fn remove(&self) -> Result<(), Error> {
        match fs::remove_dir_all(&self.dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Io { what: format!("remove {}", self.dir.display()), source: error })
            }
            _ => Ok(()),
        }
    }
}

/// From /proc where there is one, else from `ps`; empty when the process has ended.
fn command_line(pid: u32) -> String {
    if Path::new("/proc/self/cmdline").exists() {
        let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        return String::from_utf8_lossy(&bytes).replace('\0', " ");
    }
    Command::new("ps")
        .args(["-ww", "-o", "args=", "-p", &pid.to_string()])
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_with_the_number_is_not_the_broker() {
        let dir = tempfile::tempdir().unwrap();
        let own = std::process::id();
        fs::write(dir.path().join("node-1.pid"), own.to_string()).unwrap();
        fs::write(dir.path().join("bootstrap"), "127.0.0.1:1").unwrap();
        let standing = Standing::at(dir.path());
        assert_eq!(standing.status().unwrap(), None);
        assert_eq!(standing.stop().unwrap(), None);
        assert!(exists(own) && !dir.path().exists());
    }

    #[test]
    fn nothing_there_is_nothing_running() {
        let dir = tempfile::tempdir().unwrap();
        let standing = Standing::at(&dir.path().join("none"));
        assert_eq!(standing.status().unwrap(), None);
        assert_eq!(standing.stop().unwrap(), None);
    }

    #[test]
    fn a_command_line_is_read() {
        assert!(!command_line(std::process::id()).is_empty());
        assert_eq!(command_line(u32::MAX), "");
    }
}
