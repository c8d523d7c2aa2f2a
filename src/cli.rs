//! The command line: the parser and the arguments that every subcommand shares. clap stays here and in [`crate::commands`].

use crate::commands::Command;
use clap::{Args, Parser, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Move Kafka consumer groups back and forth in time, and replay bounded windows beside production
///
/// Nothing is written that was not shown first, and every write is read back. Standard output carries the report alone; everything
/// else goes to standard error.
#[derive(Debug, Parser)]
#[command(
    name = "krewind",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = "Exit codes: 0 done, nothing to do or dry run; 1 failed, or any row failed; 2 usage; 3 refused, nothing written; 130 interrupted."
)]
pub struct Cli {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub connect: Connect,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub terminal: Terminal,
    #[command(subcommand)]
    #[allow(missing_docs)]
    pub command: Command,
}

/// How to reach the cluster.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub struct Connect {
    /// Brokers to start from; any of them tells the others
    #[arg(
        short = 'b',
        long = "bootstrap-server",
        value_name = "HOST:PORT,...",
        env = "KREWIND_BOOTSTRAP_SERVER",
        global = true
    )]
    pub bootstrap_server: Option<String>,

    /// Client properties, as Kafka's own tools or librdkafka write them
    #[arg(short = 'F', long, value_name = "FILE", env = "KREWIND_COMMAND_CONFIG", global = true)]
    pub command_config: Option<PathBuf>,

    /// One librdkafka property; repeatable, wins over the file
    #[arg(short = 'X', value_name = "KEY=VALUE", global = true)]
    pub property: Vec<String>,

    /// The longest that one request may take, with its unit
    #[arg(long, value_name = "SPAN", default_value = "30s", value_parser = timeout, global = true)]
    pub timeout: Duration,

    /// Refuse every write, in the client itself
    #[arg(long, env = "KREWIND_READ_ONLY", value_parser = clap::builder::FalseyValueParser::new(), global = true)]
    pub read_only: bool,
}

/// What is printed, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct Terminal {
    /// The zone in which times without one are read: UTC, local, or Area/City
    #[arg(long, value_name = "ZONE", env = "KREWIND_TZ", default_value = "UTC", global = true)]
    pub tz: String,

    /// The report's form
    #[arg(short = 'o', long, value_enum, value_name = "FORM", default_value_t = Output::Table, global = true)]
    pub output: Output,

    /// Leave out notes and progress; warnings, plans and errors stay
    #[arg(short = 'q', long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say more: ignored properties, and what librdkafka logs
    #[arg(short = 'v', long, global = true)]
    pub verbose: bool,

    /// Colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true)]
    pub color: Color,

    /// No progress bar
    #[arg(long, global = true)]
    pub no_progress: bool,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// A table for people
    Table,
    /// The same with more columns
    Wide,
    /// One JSON object
    Json,
    /// Comma-separated values
    Csv,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The largest timeout: librdkafka takes an hour at most.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(3600);

fn timeout(text: &str) -> Result<Duration, String> {
    let span = span(text)?;
    if span < Duration::from_millis(100) || span > LONGEST_TIMEOUT {
        return Err("a timeout lies between `100ms` and `1h`".to_owned());
    }
    Ok(span)
}

/// A span with its unit, for arguments: `30s`, `5m`.
pub fn span(text: &str) -> Result<Duration, String> {
    crate::offset::time::span(text).map_err(|error| match error.hints.first() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })
}
