//! Where replayed records go: a file each.

mod append;
mod csv;
mod file;
pub mod form;
mod jsonl;
mod lines;
mod null;
mod parquet;
mod pipe;
mod spec;
mod stream;
mod text;
mod topic;

use crate::error::{Error, Result};
use crate::model::Record;
use std::path::PathBuf;

pub use append::append;
pub use csv::Csv;
pub use file::FileTarget;
pub use jsonl::{Jsonl, json_line};
pub use lines::{Encode, Text};
pub use null::Null;
pub use parquet::Parquet;
pub use pipe::{Pipe, PipeError};
pub use spec::{Compression, Format, Formats, IfExists, IntoFormat, SinkSpec, TextForm};
pub use stream::Lines;
pub use topic::{Manner as TopicManner, ORIGIN_HEADERS, Partitioner, Topic};

/// A place for records.
pub trait Sink: Send {
    /// Takes one record. What fails is [`crate::error::Code::SinkClosed`] where the reader left,
    /// [`crate::error::Code::Interrupted`] where Ctrl-C ended a wait for it, else [`crate::error::Code::SinkFailed`].
    fn put(&mut self, record: &Record<'_>) -> Result<()>;

    /// Passes on what was taken, and waits until it has arrived: nothing more comes for now.
    fn flush(&mut self) -> Result<()>;

    /// Ends it. `whole`: everything that was asked for was taken, and the result may be published; else nothing that looks
    /// whole is left.
    fn finish(&mut self, whole: bool) -> Finished;

    /// Records that reached the target.
    fn written(&self) -> u64;

    /// Records that were there already, and are there once.
    fn duplicates(&self) -> u64 {
        0
    }

    /// What a person should know of the result.
    fn remarks(&self) -> Vec<Remark> {
        Vec::new()
    }

    /// What it is, for reports: kind and target, without a password.
    fn name(&self) -> (&'static str, String);
}

/// What a person should know of a result: it becomes one of the report's warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The warning's code.
    pub code: &'static str,
    /// In words.
    pub message: String,
}

/// What is there after the end.
#[derive(Debug, Default)]
pub struct Finished {
    /// The file that holds what was read, where the run is not whole.
    pub partial: Option<PathBuf>,
    /// Why the result could not be published or written.
    pub error: Option<Error>,
}
