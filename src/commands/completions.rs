use super::Context;
use crate::cli::Cli;
use crate::error::{Code, Error, Exit, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = "Example: krewind completions bash > ~/.local/share/bash-completion/completions/krewind")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the completions.
pub fn run(context: &Context, args: &CompletionsArgs) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "krewind", &mut text);
    context.emit(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}

/// Prints the man page.
pub fn man(context: &Context) -> Result<Exit> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut text)
        .map_err(|error| Error::new(Code::Internal, "the man page could not be made").caused_by(error))?;
    context.emit(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}
