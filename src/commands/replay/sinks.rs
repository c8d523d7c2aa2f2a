//! The sink of a replay: its arguments, and how it is opened.

use crate::commands::Context;
use crate::commands::producing::ProduceArgs;
use crate::error::{Code, Error, Result};
use crate::sink::{
    self, Begin, Compression, FileTarget, Format, Formats, IfExists, IntoFormat, JsonLines, Null, Parquet, Pipe,
    Postgres, Sink, SinkSpec, Sqlite, TextForm,
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Where the records go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sink")]
pub struct SinkArgs {
    /// Where the records go: a file ending in `.jsonl`, `.csv` (also `.gz`, `.zst`), `.parquet`, `.sqlite` or `.db`, `-` for standard
    /// output, `kafka:TOPIC`, `kafka://HOST:PORT/TOPIC`, `postgres://…`, or `null`
    #[arg(long, value_name = "SINK", default_value = "-")]
    pub into: String,

    /// The form of the file, where its name does not tell
    #[arg(long, value_enum, value_name = "FORM")]
    into_format: Option<IntoFormatArg>,

    /// What to do where the target exists: files fail and a table that krewind made takes what it does not have, unless told
    #[arg(long, value_enum, value_name = "POLICY")]
    if_exists: Option<IfExistsArg>,

    /// The table of a database, `records` in SQLite unless told
    #[arg(long, value_name = "[SCHEMA.]NAME")]
    pub table: Option<String>,

    /// Properties of the cluster that `kafka://HOST:PORT/TOPIC` names
    #[arg(long, value_name = "FILE")]
    pub into_command_config: Option<PathBuf>,

    /// How keys are written
    #[arg(long, value_enum, value_name = "FORMAT")]
    key_format: Option<FormatArg>,

    /// How values are written
    #[arg(long, value_enum, value_name = "FORMAT")]
    value_format: Option<FormatArg>,

    #[command(flatten)]
    pub produce: ProduceArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IntoFormatArg {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values
    Csv,
    /// Parquet
    Parquet,
    /// An SQLite database
    Sqlite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IfExistsArg {
    /// Read nothing
    Fail,
    /// Take its place once the result is whole
    Replace,
    /// Add to it
    Append,
    /// Add to a table what it does not have yet, by topic, partition and offset
    Upsert,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// Text; what is not UTF-8 ends the run
    String,
    /// Bytes: base64 in text, the database's own type in tables
    Bytes,
    /// JSON as it is; what is not JSON ends the run
    Json,
}

impl SinkArgs {
    /// The sink.
    pub fn spec(&self) -> Result<SinkSpec> {
        let spec = SinkSpec::parse(
            &self.into,
            self.into_format.map(|form| match form {
                IntoFormatArg::Jsonl => IntoFormat::Jsonl,
                IntoFormatArg::Csv => IntoFormat::Csv,
                IntoFormatArg::Parquet => IntoFormat::Parquet,
                IntoFormatArg::Sqlite => IntoFormat::Sqlite,
            }),
        )?;
        if self.table.is_some() && !matches!(spec, SinkSpec::Sqlite(_) | SinkSpec::Postgres(_)) {
            return Err(Error::usage(format!("`--table` says nothing about `{}`", self.into))
                .hint("it names the table of a database"));
        }
        if self.into_command_config.is_some() && !matches!(spec, SinkSpec::Topic { bootstrap: Some(_), .. }) {
            return Err(Error::usage("`--into-command-config` is for another cluster")
                .hint("`--into kafka://HOST:PORT/TOPIC` names it"));
        }
        let formed = self.if_exists.is_some() || self.key_format.is_some() || self.value_format.is_some();
        match (&spec, self.produce.is_given()) {
            (SinkSpec::Topic { .. }, _) if formed => {
                return Err(Error::usage("a topic takes records as they are")
                    .hint("leave `--if-exists`, `--key-format` and `--value-format` out"));
            }
            (SinkSpec::Topic { .. }, _) | (_, None) => {}
            (_, Some(flag)) => {
                return Err(Error::usage(format!("`{flag}` says nothing about `{}`", self.into))
                    .hint("it is for `--into kafka:TOPIC`"));
            }
        }
        Ok(spec)
    }

    /// What the target's being there means; `None` is the sink's own rule.
    pub fn if_exists(&self) -> Option<IfExists> {
        self.if_exists.map(|policy| match policy {
            IfExistsArg::Fail => IfExists::Fail,
            IfExistsArg::Replace => IfExists::Replace,
            IfExistsArg::Append => IfExists::Append,
            IfExistsArg::Upsert => IfExists::Upsert,
        })
    }

    /// How keys and values are written.
    pub fn formats(&self) -> Formats {
        let format = |format: FormatArg| match format {
            FormatArg::String => Format::String,
            FormatArg::Bytes => Format::Bytes,
            FormatArg::Json => Format::Json,
        };
        Formats { key: self.key_format.map(format), value: self.value_format.map(format) }
    }
}

/// Opens a sink that needs to know nothing of the windows: before anything is read, so that a target that can't be is known then.
pub fn open(context: &Context, spec: &SinkSpec, args: &SinkArgs, _begin: Begin<'_>) -> Result<Box<dyn Sink>> {
    let not_yet = || Err(Error::usage(format!("`{}` is no sink that is known", args.into)));
    match spec {
        SinkSpec::Null => Ok(Box::new(Null::default())),
        SinkSpec::StandardOutput(TextForm::Jsonl) => {
            Ok(Box::new(JsonLines::new(sink::Target::Stream(standard_output(context)?))))
        }
        SinkSpec::Text { form: TextForm::Jsonl, compression: Compression::None, path } => {
            Ok(Box::new(JsonLines::new(sink::Target::File(FileTarget::create(path)?))))
        }
        SinkSpec::StandardOutput(TextForm::Csv) | SinkSpec::Text { .. } => not_yet(),
        SinkSpec::Parquet(path) => Ok(Box::new(Parquet::new(FileTarget::create(path)?, args.formats())?)),
        SinkSpec::Sqlite(path) => {
            Ok(Box::new(Sqlite::open(path, args.table.as_deref(), args.if_exists(), args.formats())?))
        }
        SinkSpec::Postgres(url) => Ok(Box::new(Postgres::open(
            url,
            args.table.as_deref(),
            args.if_exists(),
            args.formats(),
            context.interrupt.flag(),
        )?)),
        // Opened once the windows are known, by `into_topic`.
        SinkSpec::Topic { .. } => not_yet(),
    }
}

/// Standard output past its lock: a write that waits for a reader would keep that, and the end of the process wants it.
fn standard_output(context: &Context) -> Result<Pipe> {
    use std::os::fd::AsFd;
    let descriptor = std::io::stdout().as_fd().try_clone_to_owned();
    descriptor
        .and_then(|descriptor| Pipe::new(Box::new(std::fs::File::from(descriptor)), context.interrupt.flag()))
        .map_err(|error| Error::new(Code::SinkFailed, "standard output can't be written").caused_by(error))
}
