//! Standard error: status, warnings, hints, errors, questions and progress. Terminal, `NO_COLOR` and `--quiet` are decided once.

use crate::error::{Code, Error, Result};
use crate::model::visible;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// How to speak.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// No notes and no progress.
    pub quiet: bool,
    /// More notes.
    pub verbose: bool,
    /// `Some` forces colour on or off.
    pub color: Option<bool>,
    /// Whether a progress bar may be shown.
    pub progress: bool,
}

/// The person on standard error.
#[derive(Debug)]
pub struct Ui {
    quiet: bool,
    verbose: bool,
    progress: bool,
    color_stderr: bool,
    color_stdout: bool,
    stdin_terminal: bool,
    stdout_terminal: bool,
    stderr_terminal: bool,
}

impl Ui {
    /// Looks at the terminal and the environment, once.
    pub fn new(manner: Manner) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let stdout_terminal = std::io::stdout().is_terminal();
        let stderr_terminal = std::io::stderr().is_terminal();
        let color = |terminal: bool| manner.color.unwrap_or(terminal && !no_color && !dumb);
        let color_stderr = color(stderr_terminal);
        console::set_colors_enabled_stderr(color_stderr);
        Ui {
            quiet: manner.quiet,
            verbose: manner.verbose,
            progress: manner.progress && stderr_terminal && !manner.quiet && !dumb,
            color_stderr,
            color_stdout: color(stdout_terminal),
            stdin_terminal: std::io::stdin().is_terminal(),
            stdout_terminal,
            stderr_terminal,
        }
    }

    /// Whether standard input is a terminal.
    pub fn stdin_is_terminal(&self) -> bool {
        self.stdin_terminal
    }

    /// Whether standard output is a terminal.
    pub fn stdout_is_terminal(&self) -> bool {
        self.stdout_terminal
    }

    /// Whether standard error is a terminal.
    pub fn stderr_is_terminal(&self) -> bool {
        self.stderr_terminal
    }

    /// Whether reports on standard output are coloured.
    pub fn colors_stdout(&self) -> bool {
        self.color_stdout
    }

    /// Whether text on standard error is coloured.
    pub fn colors_stderr(&self) -> bool {
        self.color_stderr
    }

    /// Whether `-q` was given.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether `-v` was given.
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// The columns of the terminal that standard output, else standard error, is.
    pub fn width(&self) -> Option<u16> {
        let size = |terminal: bool, term: fn() -> console::Term| {
            terminal.then(|| term().size_checked().map(|(_, columns)| columns)).flatten()
        };
        size(self.stdout_terminal, console::Term::stdout).or_else(|| size(self.stderr_terminal, console::Term::stderr))
    }

    fn line(&self, text: &str) {
        // Where standard error is closed there is nobody to tell.
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }

    fn labelled(&self, label: &str, color: fn(console::Style) -> console::Style, text: &str) {
        let label = if self.color_stderr {
            color(console::Style::new().for_stderr().force_styling(true)).apply_to(label).to_string()
        } else {
            label.to_owned()
        };
        self.line(&format!("{label}: {}", visible(text)));
    }

    /// What is going on; left out by `--quiet`.
    pub fn status(&self, text: &str) {
        if !self.quiet {
            self.line(&visible(text));
        }
    }

    /// A detail for `-v`.
    pub fn detail(&self, text: &str) {
        if self.verbose {
            self.line(&visible(text));
        }
    }

    /// Something that must be seen, several lines as they are: a plan, a question's context. Its makers keep control characters
    /// out.
    pub fn show(&self, text: &str) {
        self.line(text.trim_end_matches('\n'));
    }

    /// Something that a person should know before going on.
    pub fn warn(&self, text: &str) {
        self.labelled("warning", |style| style.yellow().bold(), text);
    }

    /// What would help.
    pub fn hint(&self, text: &str) {
        self.labelled("hint", |style| style.cyan(), text);
    }

    /// An error and its hints.
    pub fn error(&self, error: &Error) {
        self.error_with_details(error, &[]);
    }

    /// An error, a line for each thing that it concerns, and its hints.
    pub fn error_with_details(&self, error: &Error, details: &[String]) {
        self.labelled("error", |style| style.red().bold(), &error.message);
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !error.message.contains(&cause_text) {
                self.line(&format!("  because: {}", visible(&cause_text)));
            }
            source = cause.source();
        }
        for detail in details {
            self.line(&format!("  {}", visible(detail)));
        }
        for hint in &error.hints {
            self.hint(hint);
        }
    }

    /// Whether somebody can be asked: dialoguer reads the terminal device even where standard input is a pipe, so both ends count.
    pub fn can_ask(&self) -> bool {
        self.stdin_terminal && self.stderr_terminal
    }

    /// Asks for words to be typed; whether they were, with or without blanks around them. Control characters are typed as the
    /// question shows them. Anything else is no.
    pub fn confirm_by_typing(&self, question: &str, words: &str) -> Result<bool> {
        // The plain theme: the coloured one puts a tick behind whatever was typed, a refusal too.
        let typed: String = dialoguer::Input::with_theme(&dialoguer::theme::SimpleTheme)
            .with_prompt(visible(question))
            .allow_empty(true)
            .interact_text()
            .map_err(|error| {
                let dialoguer::Error::IO(io) = error;
                self.line("");
                if io.kind() == std::io::ErrorKind::Interrupted {
                    Error::new(Code::Interrupted, "interrupted; nothing was written")
                } else {
                    Error::new(Code::NoTerminal, "the terminal could not be read; nothing was written").caused_by(io)
                }
            })?;
        Ok(typed.trim() == visible(words).trim())
    }

    /// Lets a person pick one of these, typing parts of its name; the place of what was picked.
    pub fn choose(&self, what: &str, items: &[String]) -> Result<usize> {
        let shown: Vec<String> = items.iter().map(|item| visible(item).into_owned()).collect();
        let picked = dialoguer::FuzzySelect::with_theme(&dialoguer::theme::SimpleTheme)
            .with_prompt(what)
            .items(&shown)
            .default(0)
            .max_length(15)
            .interact_opt();
        match picked {
            Ok(Some(picked)) => Ok(picked),
            Ok(None) => Err(Error::usage(format!("no {what} was chosen"))),
            Err(dialoguer::Error::IO(io)) if io.kind() == std::io::ErrorKind::Interrupted => {
                Err(Error::new(Code::Interrupted, "interrupted; nothing was written"))
            }
            Err(dialoguer::Error::IO(io)) => {
                Err(Error::new(Code::NoTerminal, "the terminal could not be read").caused_by(io))
            }
        }
    }

    /// One line that tells what is waited for: renewed where standard error is a terminal, a new line for each change otherwise.
    pub fn waiting(&self) -> Waiting<'_> {
        let bar = self.progress.then(|| {
            let bar = indicatif::ProgressBar::with_draw_target(None, indicatif::ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = indicatif::ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Waiting { ui: self, bar, told: String::new() }
    }

    /// A progress bar over `total` of something, where standard error is a terminal.
    pub fn progress(&self, total: u64, unit: &str) -> Progress {
        if !self.progress {
            return Progress { bar: None };
        }
        let bar =
            indicatif::ProgressBar::with_draw_target(Some(total), indicatif::ProgressDrawTarget::stderr_with_hz(10));
        let template = format!("  {{bar:20}} {{human_pos}}/{{human_len}} {unit}  {{eta}} left  {{wide_msg}}");
        if let Ok(style) = indicatif::ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar: Some(bar) }
    }
}

/// A progress bar, or nothing where there is no terminal. It vanishes when it is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: Option<indicatif::ProgressBar>,
}

impl Progress {
    /// How far it got, and a few words.
    pub fn at(&self, position: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(position);
            bar.set_message(message());
        }
    }

    /// Writes beside the bar, which would stand on the same line.
    pub fn beside(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

/// What is waited for. It vanishes from a terminal when it is dropped.
#[derive(Debug)]
pub struct Waiting<'a> {
    ui: &'a Ui,
    bar: Option<indicatif::ProgressBar>,
    told: String,
}

impl Waiting<'_> {
    /// Tells what is waited for, and `left`, which is shown but counts as no change.
    pub fn tell(&mut self, text: &str, left: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(visible(&format!("{left}: {text}")).into_owned()),
            None if self.told == text => {}
            None => {
                self.ui.status(text);
                self.told = text.to_owned();
            }
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
