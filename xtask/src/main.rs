//! `cargo xtask`: chores around krewind.
// It speaks to a person at a terminal, and that is all it does.
#![allow(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bench;
mod demo;
mod docs;
mod kafka;
mod spark;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores around krewind.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// A Kafka on this machine, for trying things by hand
    #[command(subcommand)]
    Kafka(kafka::Command),
    /// Watch krewind do its main job on a real Kafka of its own, in under a minute
    Demo(demo::Demo),
    /// Measure krewind beside kafka-consumer-groups on one broker
    Bench(bench::Bench),
    /// See that Spark, given a window that krewind resolved, reads the same records; opt-in, fetches PySpark
    SparkCheck(spark::SparkCheck),
    /// Write the generated files: completions/
    Docs,
}

fn run(cli: Cli) -> Result<(), Box<dyn Error>> {
    match cli.command {
        Command::Kafka(command) => kafka::run(&command),
        Command::Demo(demo) => demo::run(&demo),
        Command::Bench(bench) => bench::run(&bench),
        Command::SparkCheck(check) => spark::run(&check),
        Command::Docs => docs::run(),
    }
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
