//! The sink of a replay: its arguments, and how it is opened.

use crate::commands::Context;
use crate::commands::producing::ProduceArgs;
use crate::error::{Code, Error, Result};
use crate::sink::{
    self, Begin, Csv, FileTarget, Format, Formats, IfExists, IntoFormat, Jsonl, Lines, Null, Parquet, Pipe, Postgres,
    Sink, SinkSpec, Sqlite, Text, TextForm,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

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
pub fn open(context: &Context, spec: &SinkSpec, args: &SinkArgs, begin: Begin<'_>) -> Result<Box<dyn Sink>> {
    let not_yet = || Err(Error::usage(format!("`{}` is no sink that is known", args.into)));
    let formats = args.formats();
    match spec {
        SinkSpec::Null | SinkSpec::StandardOutput(_) if args.if_exists.is_some() => {
            Err(Error::usage(format!("`--if-exists` says nothing about `{}`", args.into))
                .hint("it is for files and tables"))
        }
        SinkSpec::Null => Ok(Box::new(Null::default())),
        SinkSpec::StandardOutput(form) => Ok(text(*form, Lines::to_pipe(standard_output(context)?), formats)),
        SinkSpec::Text { form, compression, path } => {
            let target = match (file_policy(args)?, begin) {
                (IfExists::Append, _) => sink::append(path, *form, *compression)?,
                (policy, Begin::GoOn(place)) => go_on(path, policy, place)?,
                (policy, _) => new_file(path, policy)?,
            };
            Ok(text(*form, Lines::to_file(target, *compression)?, formats))
        }
        SinkSpec::Parquet(path) => match file_policy(args)? {
            IfExists::Append => Err(Error::usage("nothing can be added to a Parquet file")
                .hint("write another file beside it: readers of Parquet take a directory of them")),
            policy => Ok(Box::new(Parquet::new(new_file(path, policy)?, formats)?)),
        },
        SinkSpec::Sqlite(path) => {
            Ok(Box::new(Sqlite::open(path, args.table.as_deref(), args.if_exists(), formats, begin)?))
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

/// Begins a file, and says what could be done about one that is there.
fn new_file(path: &Path, policy: IfExists) -> Result<FileTarget> {
    FileTarget::open(path, policy).map_err(|error| match error.code {
        Code::TargetExists if policy == IfExists::Fail => {
            error.hint("or `--if-exists replace`: it takes the place of that one once it is whole")
        }
        _ => error,
    })
}

/// Opens the file of an earlier run where its checkpoint says that it was.
fn go_on(path: &Path, policy: IfExists, place: &serde_json::Value) -> Result<FileTarget> {
    match (place["partial"].as_str(), place["length"].as_u64()) {
        // A file without a byte was not kept.
        (Some(partial), Some(0)) if !Path::new(partial).exists() => FileTarget::open(path, policy),
        (Some(partial), Some(length)) => FileTarget::resume(path, policy, Path::new(partial), length),
        _ => Err(Error::new(Code::BadFile, "the checkpoint does not say where its file goes on")
            .hint("another checkpoint and another sink begin anew")),
    }
}

fn text(form: TextForm, lines: Lines, formats: Formats) -> Box<dyn Sink> {
    match form {
        TextForm::Jsonl => Box::new(Text::new(Jsonl::new(formats), lines)),
        TextForm::Csv => Box::new(Text::new(Csv::new(formats), lines)),
    }
}

/// What a file's being there already means.
fn file_policy(args: &SinkArgs) -> Result<IfExists> {
    match args.if_exists() {
        None => Ok(IfExists::Fail),
        Some(IfExists::Upsert) => Err(Error::usage("`--if-exists upsert` is for tables")
            .hint("a file takes `fail`, `replace` or `append`; `--into FILE.sqlite` makes a table")),
        Some(policy) => Ok(policy),
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
