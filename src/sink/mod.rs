//! Where replayed records go, a file each.

mod encode;
mod jsonl;

pub use jsonl::{JsonLines, Place};

use crate::error::{Code, Error, Result};
use crate::model::Record;
use std::path::{Path, PathBuf};

/// Takes records in their order.
pub trait Sink {
    /// Takes one record. An error ends the replay.
    fn write(&mut self, record: &Record<'_>) -> Result<()>;

    /// Hands over what is still in memory.
    fn flush(&mut self) -> Result<()>;

    /// Ends it. `whole`: everything that was asked for is in it; otherwise nothing that looks whole may be left. Where an unwhole
    /// result lies, if anywhere.
    fn finish(self: Box<Self>, whole: bool) -> Result<Option<PathBuf>>;
}

/// Where to, as the command line names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SinkSpec {
    /// Standard output, as JSON Lines.
    Stdout,
    /// A file of JSON Lines, which appears under its name only when it is whole.
    JsonLines(PathBuf),
}

impl SinkSpec {
    /// `-`, or a path whose ending tells the format.
    pub fn parse(text: &str) -> Result<Self> {
        if text == "-" {
            return Ok(SinkSpec::Stdout);
        }
        let path = Path::new(text);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("jsonl" | "ndjson") => Ok(SinkSpec::JsonLines(path.to_owned())),
            _ => Err(Error::usage(format!("`{text}` is no sink: its ending tells no format"))
                .hint("a sink is `-` (standard output) or a file that ends in `.jsonl`")),
        }
    }

    /// Its name in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            SinkSpec::Stdout => "stdout",
            SinkSpec::JsonLines(_) => "jsonl",
        }
    }

    /// The file, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            SinkSpec::Stdout => None,
            SinkSpec::JsonLines(path) => Some(path),
        }
    }

    /// Whether standard output holds records alone.
    pub fn is_stdout(&self) -> bool {
        *self == SinkSpec::Stdout
    }

    /// Opens it; a file that exists is refused.
    pub fn open(&self) -> Result<Box<dyn Sink>> {
        Ok(match self {
            SinkSpec::Stdout => Box::new(JsonLines::new(Place::Stdout(std::io::stdout()))),
            SinkSpec::JsonLines(path) => Box::new(JsonLines::new(Place::file(path)?)),
        })
    }
}

/// The target exists.
pub(crate) fn target_exists(path: &Path) -> Error {
    Error::new(Code::TargetExists, format!("`{}` exists", path.display()))
        .hint("name another file, or remove that one: nothing is overwritten")
}
