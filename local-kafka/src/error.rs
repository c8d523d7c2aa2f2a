use std::path::PathBuf;

/// Why a local Kafka, or something asked of it, could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A program that is needed is not installed; the text names packages and alternatives.
    #[error("{0}")]
    Missing(String),
    /// A file, directory or process could not be used.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was tried, as in "cannot …".
        what: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Kafka's client library answered with an error.
    #[error("cannot {what}: {source}")]
    Kafka {
        /// What was tried, as in "cannot …".
        what: String,
        /// What librdkafka said.
        source: rdkafka::error::KafkaError,
    },
    /// A process of ours ended though it should run.
    #[error("{what} ended ({status}); the end of its log:\n{log}")]
    Died {
        /// Which process.
        what: String,
        /// Its exit status.
        status: String,
        /// The last lines of its log.
        log: String,
    },
    /// A program ran and failed.
    #[error("{what} failed ({status}):\n{output}")]
    Tool {
        /// Which program.
        what: String,
        /// Its exit status.
        status: String,
        /// What it printed.
        output: String,
    },
    /// A condition did not come true in time.
    #[error("waited {seconds} s for {what}, in vain{last}")]
    Timeout {
        /// The condition.
        what: String,
        /// How long.
        seconds: u64,
        /// The last thing seen, empty or starting with a colon.
        last: String,
    },
    /// Another program listens on a port that was asked for.
    #[error("port {0} of 127.0.0.1 is in use by another program; give another port")]
    PortInUse(u16),
    /// A standing broker runs already.
    #[error("a broker is already running: pid {pid}, {bootstrap}")]
    AlreadyRunning {
        /// Its process.
        pid: u32,
        /// Where it listens.
        bootstrap: String,
    },
    /// A combination of settings that cannot work.
    #[error("{0}")]
    Unsupported(String),
    /// A certificate could not be made.
    #[error("cannot make a certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// No home directory to derive the cache directory from.
    #[error("cannot find this user's cache directory: {0}")]
    NoHome(String),
    /// A file is not what it should be.
    #[error("{path}: {what}", path = path.display())]
    Unexpected {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
        let what = what.into();
        move |source| Error::Io { what, source }
    }

    pub(crate) fn kafka(what: impl Into<String>) -> impl FnOnce(rdkafka::error::KafkaError) -> Error {
        let what = what.into();
        move |source| Error::Kafka { what, source }
    }

    pub(crate) fn tool(what: impl Into<String>, output: &std::process::Output) -> Error {
        let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        Error::Tool {
            what: what.into(),
            status: output.status.to_string(),
            output: String::from_utf8_lossy(&text).trim_end().to_owned(),
        }
    }
}
