//! The user's configuration file, `$XDG_CONFIG_HOME/krewind/config.toml`: profiles, and groups that are protected.
//!
//! All that is wrong with it is collected, each with its line; values are never repeated, since they may be secrets.

mod read;
#[cfg(test)]
mod tests;

pub use read::parse;

use crate::error::{Code, Error, Result};
use etcetera::BaseStrategy;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A value, and the line that it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// The line, from 1.
    pub line: usize,
}

/// What the file says.
#[derive(Default, Clone)]
pub struct Config {
    /// The profile where none is named.
    pub profile: Option<String>,
    /// Groups that are protected under every profile, and without one.
    pub protected: Vec<glob::Pattern>,
    /// The profiles, by name.
    pub profiles: BTreeMap<String, Profile>,
}

/// One profile.
#[derive(Default, Clone)]
pub struct Profile {
    /// `bootstrap-servers`.
    pub bootstrap_servers: Option<String>,
    /// `command-config`, from the file's directory on.
    pub command_config: Option<Placed<PathBuf>>,
    /// `tz`.
    pub tz: Option<Placed<String>>,
    /// `read-only`.
    pub read_only: bool,
    /// Groups that are protected under this profile.
    pub protected: Vec<glob::Pattern>,
    /// librdkafka's properties.
    pub properties: Vec<(String, String)>,
    /// The line of its header.
    pub line: usize,
}

/// One thing that is wrong with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where; `None` where the file as a whole is meant.
    pub line: Option<usize>,
    /// What.
    pub message: String,
    /// What would help.
    pub hint: String,
}

impl Problem {
    /// The problem as an error of this file.
    pub fn error(&self, path: &Path) -> Error {
        let place = match self.line {
            Some(line) => format!("line {line} of `{}`", path.display()),
            None => format!("`{}`", path.display()),
        };
        Error::new(Code::BadFile, format!("{place}: {}", self.message)).hint(self.hint.clone())
    }
}

/// Where the file lies; `None` where there is neither `XDG_CONFIG_HOME` nor a home.
pub fn path() -> Option<PathBuf> {
    let base = etcetera::base_strategy::Xdg::new().ok()?;
    Some(base.config_dir().join("krewind").join("config.toml"))
}

/// The file's text; `None` where there is no such file.
pub fn text(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        // A link that leads nowhere was meant to lead somewhere.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && std::fs::symlink_metadata(path).is_err() => {
            Ok(None)
        }
        Err(error) => {
            Err(Error::new(Code::BadFile, format!("the configuration file `{}` can't be read", path.display()))
                .hint("make it readable, or move it away: without it no group is protected")
                .caused_by(error))
        }
    }
}

/// Reads the user's file, where there is one; the first thing that is wrong with it is the error.
pub fn load(path: &Path) -> Result<Option<Config>> {
    let Some(text) = text(path)? else { return Ok(None) };
    match parse(&text, path, home().as_deref()) {
        Ok(config) => Ok(Some(config)),
        Err(problems) => Err(match problems.as_slice() {
            [] => Error::new(Code::Internal, "a configuration file was refused without a reason"),
            [only] => only.error(path),
            [first, more @ ..] => {
                first.error(path).hint(format!("`krewind config check` tells {} more of its problems", more.len()))
            }
        }),
    }
}

/// The home directory that `~/` stands for.
pub fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

impl Config {
    /// The profiles' names, for a sentence.
    pub fn names(&self) -> String {
        if self.profiles.is_empty() {
            return "there are no profiles".to_owned();
        }
        let names: Vec<String> = self.profiles.keys().map(|name| format!("`{name}`")).collect();
        format!("the profiles are {}", names.join(", "))
    }
}
