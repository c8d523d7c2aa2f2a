//! `config`: what holds, where the file is, what is wrong with it. None of it needs a cluster.

use super::Context;
use super::settings::{self, NOWHERE, Source};
use crate::cli::Output;
use crate::config::{self, Config};
use crate::error::{Code, Error, Exit, Result};
use crate::kafka::config::{ClientProperties, is_secret};
use crate::offset::time;
use crate::render;
use crate::report::{ConfigCheck, ConfigProblem, ConfigReport, Setting, VERSION};
use clap::Subcommand;
use std::path::{Path, PathBuf};

/// What stands in a secret's place.
const MASK: &str = "********";

/// The subcommands of `config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// What holds, and where each value comes from; secrets are hidden
    Show,
    /// Where the configuration file lies, or would
    Path,
    /// Read a configuration file, and the files that it names; say what is wrong, or ok
    Check {
        /// The file; the user's own otherwise
        file: Option<PathBuf>,
    },
}

impl ConfigCommand {
    /// Whether it may fail for what is wrong with the configuration.
    pub fn needs_configuration(&self) -> bool {
        matches!(self, ConfigCommand::Show)
    }
}

/// Shows, finds or checks.
pub fn run(context: &Context, command: &ConfigCommand) -> Result<Exit> {
    if context.output == Output::Prometheus {
        return Err(context.no_such_form("config"));
    }
    match command {
        ConfigCommand::Show => show(context),
        ConfigCommand::Path => {
            let path = own_path(context)?;
            let text = match context.output {
                Output::Json => {
                    let exists = path.exists();
                    let shown = path.display().to_string();
                    render::json(&ConfigReport {
                        kind: "config",
                        version: VERSION,
                        path: Some(shown),
                        exists,
                        profiles: Vec::new(),
                        settings: Vec::new(),
                    })
                }
                _ => path.display().to_string(),
            };
            context.emit(&text)?;
            Ok(Exit::Done)
        }
        ConfigCommand::Check { file } => check(context, file.as_deref()),
    }
}

fn own_path(context: &Context) -> Result<PathBuf> {
    context.settings.path.clone().ok_or_else(|| {
        Error::new(Code::Io, "there is no place for a configuration file: neither `XDG_CONFIG_HOME` nor a home is set")
            .hint("set `XDG_CONFIG_HOME`")
    })
}

fn setting(name: &str, value: Option<String>, source: Source) -> Setting {
    Setting { name: name.to_owned(), value, source: source.as_str().to_owned() }
}

fn show(context: &Context) -> Result<Exit> {
    let (settings, connect) = (&context.settings, &context.connect);
    let properties = settings.properties(connect, Some(NOWHERE))?;
    let servers = Some(properties.bootstrap_servers()).filter(|servers| *servers != NOWHERE).map(str::to_owned);
    let property_source = |key: &str| {
        let is = |name: &str| {
            let name = name.trim();
            name == key
                || (name, key) == ("sasl.mechanisms", "sasl.mechanism")
                || (name, key) == ("metadata.broker.list", "bootstrap.servers")
        };
        let by_flag = connect.property.iter().any(|text| text.split_once('=').is_some_and(|(name, _)| is(name)));
        let by_profile = settings.profile_properties().any(is) && !settings.file_gives(connect, key);
        if by_flag {
            Source::Flag
        } else if by_profile {
            Source::Profile
        } else {
            Source::CommandConfig
        }
    };
    let servers_source = match settings.bootstrap_servers {
        given @ (Source::Flag | Source::Environment) => given,
        _ if servers.is_none() => Source::Default,
        given => match property_source("bootstrap.servers") {
            Source::Flag => Source::Flag,
            _ if given == Source::Profile && !settings.file_gives(connect, "bootstrap.servers") => Source::Profile,
            other => other,
        },
    };
    let (tz, tz_source) = settings.tz();
    let mut rows = vec![
        setting("profile", settings.profile().map(str::to_owned), settings.profile_source()),
        setting("bootstrap-server", servers, servers_source),
        setting(
            "command-config",
            connect.command_config.as_ref().map(|path| path.display().to_string()),
            settings.command_config,
        ),
        setting("timeout", Some(format!("{:?}", connect.timeout)), settings.timeout),
        setting("read-only", Some(connect.read_only.to_string()), settings.read_only),
        setting("tz", Some(tz.to_owned()), tz_source),
    ];
    rows.extend(settings.protected().map(|(glob, source)| setting("protected", Some(glob.to_string()), source)));
    for (key, value) in properties.describe_redacted() {
        if key != "bootstrap.servers" {
            let value = if is_secret(&key) { MASK.to_owned() } else { value };
            rows.push(setting(&format!("-X {key}"), Some(value), property_source(&key)));
        }
    }
    let report = ConfigReport {
        kind: "config",
        version: VERSION,
        path: settings.path.as_ref().map(|path| path.display().to_string()),
        exists: settings.config.is_some(),
        profiles: settings.config.iter().flat_map(|config| config.profiles.keys().cloned()).collect(),
        settings: rows,
    };
    context.emit(&match context.output {
        Output::Json => render::json(&report),
        Output::Csv => render::config::csv(&report),
        _ => render::config::table(&report, context.table_style()),
    })?;
    Ok(Exit::Done)
}

fn check(context: &Context, file: Option<&Path>) -> Result<Exit> {
    let path = match file {
        Some(path) => path.to_owned(),
        None => own_path(context)?,
    };
    let text = config::text(&path)?;
    let exists = text.is_some();
    let problems: Vec<Error> = match text {
        None if file.is_some() => {
            return Err(Error::new(Code::BadFile, format!("there is no file `{}`", path.display()))
                .hint("without a name `krewind config check` reads what `krewind config path` names"));
        }
        None => Vec::new(),
        Some(text) => match config::parse(&text, &path, config::home().as_deref()) {
            Ok(config) => wrong_values(&config, &path),
            Err(problems) => problems.iter().map(|problem| problem.error(&path)).collect(),
        },
    };
    for problem in &problems {
        context.ui.error(problem);
    }
    let report = ConfigCheck {
        kind: "config-check",
        version: VERSION,
        path: path.display().to_string(),
        exists,
        ok: problems.is_empty(),
        problems: problems
            .iter()
            .map(|problem| ConfigProblem { message: problem.message.clone(), hints: problem.hints.clone() })
            .collect(),
    };
    context.emit(&match context.output {
        Output::Json => render::json(&report),
        _ => render::config::check(&report),
    })?;
    Ok(if report.ok { Exit::Done } else { Exit::Usage })
}

/// What the file alone does not tell: zones, and the client's properties of each profile.
fn wrong_values(config: &Config, path: &Path) -> Vec<Error> {
    let mut wrong = Vec::new();
    for profile in config.profiles.values() {
        if let Some(tz) = &profile.tz
            && let Err(error) = time::zone(&tz.value)
        {
            wrong.push(settings::in_file(error, path, tz.line));
        }
        let line = profile.command_config.as_ref().map_or(profile.line, |placed| placed.line);
        let built = profile
            .command_config
            .as_ref()
            .map(|placed| settings::client_properties(&placed.value))
            .transpose()
            .and_then(|file| {
                let file = file.as_ref().map(|(path, text)| (path.as_str(), text.as_str()));
                let mut properties = settings::of_profile(profile, true);
                properties.otherwise = Some(NOWHERE.to_owned());
                ClientProperties::with_profile(&properties, None, file, &[])
            });
        if let Err(error) = built {
            wrong.push(settings::in_file(error, path, line));
        }
    }
    wrong
}
