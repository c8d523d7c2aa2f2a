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
    after_help = "Exit codes: 0 done, nothing to do or dry run; 1 failed, or any row failed; 2 usage; 3 refused, nothing written; 130 interrupted.\n\nA flag wins over its environment variable, that over the profile, that over the built-in default; an empty variable counts as not set. `krewind config show` tells what holds and why."
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
    /// The profile of the configuration file; flags and the environment win over what it says
    #[arg(long, value_name = "NAME", env = "KREWIND_PROFILE", hide_env_values = true, global = true)]
    pub profile: Option<String>,

    /// Brokers to start from; any of them tells the others [profile: bootstrap-servers]
    #[arg(
        short = 'b',
        long = "bootstrap-server",
        value_name = "HOST:PORT,...",
        env = "KREWIND_BOOTSTRAP_SERVER",
        hide_env_values = true,
        global = true
    )]
    pub bootstrap_server: Option<String>,

    /// Client properties, as Kafka's own tools or librdkafka write them [profile: command-config]
    #[arg(
        short = 'F',
        long,
        value_name = "FILE",
        env = "KREWIND_COMMAND_CONFIG",
        hide_env_values = true,
        global = true
    )]
    pub command_config: Option<PathBuf>,

    /// One librdkafka property; repeatable, wins over the file [profile: properties]
    #[arg(short = 'X', value_name = "KEY=VALUE", global = true)]
    pub property: Vec<String>,

    /// The longest that one request may take, with its unit
    #[arg(long, value_name = "SPAN", default_value = "30s", value_parser = timeout, global = true)]
    pub timeout: Duration,

    /// Refuse every write, in the client itself; nothing switches a profile's off [profile: read-only]
    #[arg(
        long,
        env = "KREWIND_READ_ONLY",
        hide_env_values = true,
        value_parser = clap::builder::FalseyValueParser::new(),
        global = true
    )]
    pub read_only: bool,
}

/// What is printed, and how.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct Terminal {
    /// The zone in which times without one are read: UTC, local, or Area/City [profile: tz]
    #[arg(long, value_name = "ZONE", env = "KREWIND_TZ", hide_env_values = true, default_value = "UTC", global = true)]
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
    /// The table, for a document
    Markdown,
    /// Prometheus text exposition (describe and list)
    Prometheus,
    /// The options of Spark's Kafka source (window)
    Spark,
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

/// Which groups a reading command looks at.
#[derive(Debug, Clone, Args)]
pub struct GroupChoice {
    /// Groups, by their exact names; without one, a terminal offers a choice
    #[arg(value_name = "GROUP")]
    pub groups: Vec<String>,

    /// The same; as Kafka's own tools name it
    #[arg(long = "group", value_name = "GROUP")]
    pub named: Vec<String>,

    /// Every group of the cluster
    #[arg(long, conflicts_with_all = ["groups", "named"])]
    pub all_groups: bool,

    /// Groups whose name matches, `*` and `?` as in a shell; repeatable
    #[arg(long, value_name = "GLOB", value_parser = glob::Pattern::new)]
    pub matching: Vec<glob::Pattern>,
}
