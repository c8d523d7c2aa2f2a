//! The subcommands, a file each, and what they share: the context of a run, its end, and standard output.

mod apply;
mod choice;
mod completions;
mod config;
mod consent;
mod delete;
mod describe;
mod diff;
mod interrupt;
mod lab;
mod lab_consumer;
mod list;
mod load;
mod peek;
mod producing;
mod replay;
mod reset;
mod save;
mod saved;
mod settings;
mod undo;
mod wait;
mod watch;
mod window;
mod windows;
mod write;
mod writing;

use crate::cli::{Color, Connect, Output};
use crate::error::{Code, Error, Exit, Result};
use crate::kafka::config::ClientProperties;
use crate::kafka::{Client, Connection};
use crate::model::{PartitionSet, Timestamp, TopicSelection};
use crate::report::ErrorReport;
use crate::ui::{Manner, Ui};
use clap::Subcommand;
use interrupt::Interrupt;
use jiff::tz::TimeZone;
use settings::Settings;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the groups of the cluster
    List(list::ListArgs),
    /// Show where consumer groups stand: committed offset, log end and lag of each partition
    Describe(describe::DescribeArgs),
    /// Show the records around each committed offset of a group
    Peek(peek::PeekArgs),
    /// Compare two snapshots, or a snapshot with the groups as they stand now
    Diff(diff::DiffArgs),
    /// Move a group's committed offsets: plan, show, ask, write, read back
    Reset(reset::ResetArgs),
    /// Delete a group with all of its commits: plan, show, ask, delete, read back
    Delete(delete::DeleteArgs),
    /// Remove a group's committed offsets on some topics: plan, show, ask, remove, read back
    DeleteOffsets(delete::DeleteOffsetsArgs),
    /// Write a plan that `reset --plan` saved, if it still holds
    Apply(apply::ApplyArgs),
    /// Put back what a write replaced, or list the writes that the journal keeps
    Undo(undo::UndoArgs),
    /// Resolve a window of topics and print it, also as Spark reads it; nothing is read
    Window(window::ResolveArgs),
    /// Read a window of topics into a sink, beside production; it stops by itself
    Replay(Box<replay::ReplayArgs>),
    /// Produce again what a replay wrote to a file: check, show, ask, produce
    Load(load::LoadArgs),
    /// The commit-and-crash lab: see why resets and replays lose or repeat; it touches no cluster by itself
    Lab(lab::LabArgs),
    /// Show, find or check the configuration
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print the completions of a shell
    Completions(completions::CompletionsArgs),
    /// Print the man page
    #[command(hide = true)]
    Man,
}

/// What every subcommand of a run knows.
pub struct Context {
    /// Standard error.
    pub ui: Ui,
    /// The moment that all times of the run are read against.
    pub now: Timestamp,
    /// The zone of times without one.
    pub zone: TimeZone,
    /// The report's form.
    pub output: Output,
    /// Whether that form was asked for.
    pub output_is_chosen: bool,
    /// How to reach the cluster.
    pub connect: Connect,
    /// The configuration file, and what holds of it beside the command line.
    pub settings: Settings,
    /// The command line without secrets.
    pub command_line: String,
    /// The subcommand's own arguments, as they were typed, by their names.
    pub asked: BTreeMap<String, Vec<String>>,
    /// Ctrl-C.
    pub interrupt: &'static Interrupt,
    /// Whether errors stay away from standard output, which holds something else.
    errors_in_words_alone: Cell<bool>,
}

/// Runs the command line of this process.
pub fn run() -> ! {
    leave(run_command_line())
}

fn run_command_line() -> Exit {
    let argv: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    if argv.get(1).is_some_and(|arg| arg == crate::exec::apply::WRITE_COMMAND) {
        return write::run();
    }
    if argv.get(1).is_some_and(|arg| arg == crate::lab::live::child::CONSUMER_COMMAND) {
        return lab_consumer::run();
    }
    let (mut cli, matches) = match settings::parse() {
        Ok(parsed) => parsed,
        Err(error) => return refused_command_line(&error, &argv),
    };
    let color = match cli.terminal.color {
        Color::Auto => None,
        Color::Always => Some(true),
        Color::Never => Some(false),
    };
    let manner =
        Manner { quiet: cli.terminal.quiet, verbose: cli.terminal.verbose, color, progress: !cli.terminal.no_progress };
    let output = cli.terminal.output;
    let ui = Ui::new(manner);
    let in_force = Settings::of(&mut cli, &matches).and_then(|settings| {
        let zone = settings.zone()?;
        Ok((settings, zone))
    });
    let (settings, zone) = match in_force {
        Ok(in_force) => in_force,
        Err(error) => return failed(&ui, output, &error),
    };
    let context = Context {
        ui,
        now: Timestamp(jiff::Timestamp::now().as_millisecond()),
        zone,
        output,
        output_is_chosen: matches.value_source("output") == Some(clap::parser::ValueSource::CommandLine),
        connect: cli.connect,
        settings,
        command_line: crate::kafka::config::redact_command_line(&argv),
        asked: settings::asked(&matches),
        interrupt: Interrupt::listen(output == Output::Json),
        errors_in_words_alone: Cell::new(false),
    };
    if output == Output::Spark && !matches!(cli.command, Command::Window(_)) {
        let error = Error::usage("`-o spark` is for windows alone").hint("`krewind window TOPIC --from 2h -o spark`");
        return failed(&context.ui, output, &error);
    }
    let outcome = match cli.command {
        Command::List(args) => list::run(&context, &args),
        Command::Describe(args) => describe::run(&context, &args),
        Command::Peek(args) => peek::run(&context, &args),
        Command::Diff(args) => diff::run(&context, &args),
        Command::Reset(args) => reset::run(&context, args),
        Command::Delete(args) => delete::run(&context, args),
        Command::DeleteOffsets(args) => delete::run_offsets(&context, args),
        Command::Apply(args) => apply::run(&context, &args),
        Command::Undo(args) => undo::run(&context, &args),
        Command::Window(args) => window::run(&context, &args),
        Command::Replay(args) => replay::run(&context, *args),
        Command::Load(args) => load::run(&context, &args),
        Command::Lab(args) => lab::run(&context, &args),
        Command::Config(command) => config::run(&context, &command),
        Command::Completions(args) => completions::run(&context, &args),
        Command::Man => completions::man(&context),
    };
    outcome.unwrap_or_else(|error| {
        if error.code == Code::Interrupted && !context.interrupt.tell_once() {
            // The signal's thread is telling it, and ends the process.
            context.interrupt.let_the_other_tell();
            return error.exit;
        }
        let output = if context.errors_in_words_alone.get() { Output::Table } else { output };
        failed(&context.ui, output, &error)
    })
}

/// Tells an error in words, and as a report where JSON was asked for.
fn failed(ui: &Ui, output: Output, error: &Error) -> Exit {
    ui.error(error);
    if output == Output::Json {
        print_error(error);
    }
    error.exit
}

fn print_error(error: &Error) {
    let report = ErrorReport::new(error.code.as_str(), &error.message, &error.hints);
    let _ = print(&crate::render::json(&report));
}

/// What clap found wrong, or the help that was asked for.
fn refused_command_line(error: &clap::Error, argv: &[String]) -> Exit {
    if !error.use_stderr() {
        // Help or the version: an answer like any other.
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        return match written(printed) {
            Ok(_) => Exit::Done,
            Err(failure) => {
                let _ = writeln!(std::io::stderr(), "error: {failure}");
                failure.exit
            }
        };
    }
    let _ = error.print();
    if wants_json(argv) && !records_on_stdout(argv) {
        let text = error.render().to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let message = lines.next().unwrap_or("the command line is wrong").trim_start_matches("error: ").to_owned();
        let hints: Vec<String> = lines
            .filter(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
            .map(str::to_owned)
            .collect();
        print_error(&hints.into_iter().fold(Error::usage(message), Error::hint));
    }
    Exit::Usage
}

/// Whether a command line that could not be parsed asks for records on standard output: then no error may stand there.
fn records_on_stdout(argv: &[String]) -> bool {
    let into = argv.iter().enumerate().find_map(|(at, arg)| match arg.strip_prefix("--into") {
        Some("") => argv.get(at + 1).map(String::as_str),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    });
    argv.iter().any(|arg| arg == "replay") && into.is_none_or(|sink| sink == "-")
}

/// Whether `-o json` stands in a command line that could not be parsed.
fn wants_json(argv: &[String]) -> bool {
    let flags = argv.iter().take_while(|arg| *arg != "--");
    let mut after_flag = false;
    for arg in flags {
        if after_flag && arg == "json" || matches!(arg.as_str(), "-ojson" | "-o=json" | "--output=json") {
            return true;
        }
        after_flag = matches!(arg.as_str(), "-o" | "--output");
    }
    false
}

/// Ends the process with this code. Clients are not dropped: that may wait for a resolver or a broker, and nothing is left to do.
fn leave(exit: Exit) -> ! {
    let _ = std::io::stdout().flush();
    crate::kafka::leave(exit.code())
}

/// Writes to standard output; whether the reader is still there. One that left is no failure.
fn print(text: &str) -> Result<bool> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') { Ok(()) } else { stdout.write_all(b"\n") });
    self::written(written.and_then(|()| stdout.flush()))
}

/// What became of the bytes on standard output.
fn written(result: std::io::Result<()>) -> Result<bool> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::new(Code::Io, "the report could not be written to standard output").caused_by(error))
        }
        Err(_) => Ok(false),
        Ok(()) => Ok(true),
    }
}

/// One set of partitions per topic; a topic named as a whole wins.
pub fn merged(selections: Vec<TopicSelection>) -> BTreeMap<String, PartitionSet> {
    let mut topics: BTreeMap<String, PartitionSet> = BTreeMap::new();
    for selection in selections {
        match (topics.get_mut(&selection.topic), selection.partitions) {
            (Some(PartitionSet::Only(all)), PartitionSet::Only(more)) => all.extend(more),
            (Some(PartitionSet::All), _) => {}
            (_, partitions) => {
                topics.insert(selection.topic, partitions);
            }
        }
    }
    topics
}

impl Context {
    /// Prints the report: standard output carries nothing else.
    pub fn emit(&self, report: &str) -> Result<()> {
        print(report).map(|_| ())
    }

    /// Prints one report of several; whether somebody still reads them.
    pub fn emit_more(&self, report: &str) -> Result<bool> {
        print(report)
    }

    /// From now on errors are told in words alone, also under `-o json`: standard output holds records.
    pub fn keep_stdout_for_records(&self) {
        self.errors_in_words_alone.set(true);
        self.interrupt.keep_from_stdout();
    }

    /// `-o` asks for a form that this command does not have.
    pub fn no_such_form(&self, command: &str) -> Error {
        Error::usage(format!("`krewind {command}` has no `-o prometheus`")).hint("`describe` and `list` have it")
    }

    /// How to reach the cluster, from `-b`, `-F`, `-X` and the profile.
    pub fn connection(&self) -> Result<Connection> {
        let properties = self.settings.properties(&self.connect, None)?;
        for (key, why) in properties.ignored() {
            self.ui.detail(&format!("ignored `{key}`: {why}"));
        }
        Ok(self.connection_by(properties))
    }

    /// A connection by these properties, which may be another cluster's.
    pub fn connection_by(&self, properties: ClientProperties) -> Connection {
        let log: Option<crate::kafka::LogSink> = self.ui.is_verbose().then(|| {
            Arc::new(|line: &str| {
                let _ = writeln!(std::io::stderr().lock(), "{}", crate::model::visible(line));
            }) as crate::kafka::LogSink
        });
        Connection { properties, timeout: self.connect.timeout, log }
    }

    /// A client that has reached its cluster. It lives until the process ends.
    pub fn client(&self) -> Result<&'static Client> {
        Ok(Box::leak(Box::new(Client::connect(self.connection()?)?)))
    }

    /// Whether somebody sits at a terminal that can be filled.
    pub fn has_screen(&self) -> bool {
        self.ui.stdin_is_terminal() && self.ui.stdout_is_terminal()
    }

    /// How tables on standard output are drawn.
    pub fn table_style(&self) -> crate::render::Style {
        let terminal = self.ui.stdout_is_terminal();
        let markdown = self.output == Output::Markdown;
        crate::render::Style {
            width: self.ui.width().filter(|_| terminal && !markdown),
            separators: terminal && !markdown,
            color: self.ui.colors_stdout(),
            markdown,
        }
    }

    /// How tables on standard error are drawn.
    pub fn stderr_table_style(&self) -> crate::render::Style {
        let terminal = self.ui.stderr_is_terminal();
        crate::render::Style {
            width: self.ui.width().filter(|_| terminal),
            separators: terminal,
            color: self.ui.colors_stderr(),
            markdown: false,
        }
    }

    /// The present moment, for capture times.
    pub fn clock(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_millisecond())
    }
}
