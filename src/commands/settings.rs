//! What holds in a run, and why: a flag wins over the environment, that over the profile, that over the built-in default.

use super::Command;
use crate::cli::{Cli, Connect};
use crate::config::{self, Config, Profile};
use crate::error::{Code, Error, Result};
use crate::kafka::config::{ClientProperties, ProfileProperties};
use crate::offset::time;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Brokers where none are named, so that everything else can be translated; they are never asked, nor shown.
pub const NOWHERE: &str = "nowhere.invalid:9";

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Flag,
    Environment,
    Profile,
    /// The configuration file, outside of any profile.
    File,
    /// The file of client properties.
    CommandConfig,
    Default,
}

impl Source {
    /// Its name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Flag => "flag",
            Source::Environment => "environment",
            Source::Profile => "profile",
            Source::File => "file",
            Source::CommandConfig => "command-config",
            Source::Default => "default",
        }
    }
}

/// The configuration file, the profile in use, and where the values that hold come from.
pub struct Settings {
    /// Where the file lies, or would.
    pub path: Option<PathBuf>,
    /// What it says, where it is there.
    pub config: Option<Config>,
    chosen: Option<(String, Source)>,
    tz: (String, Source),
    pub bootstrap_servers: Source,
    pub command_config: Source,
    pub timeout: Source,
    pub read_only: Source,
}

/// Parses the command line of this process. An environment variable that is empty counts as not set.
pub fn parse() -> Result<(Cli, ArgMatches), clap::Error> {
    let mut command = Cli::command().mut_args(|arg| {
        let empty = arg.get_env().is_some_and(|name| std::env::var_os(name).is_some_and(|value| value.is_empty()));
        if empty { arg.env(clap::builder::Resettable::Reset) } else { arg }
    });
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok((cli, matches))
}

/// The subcommand's own arguments, as they were typed, by their names.
pub fn asked(matches: &ArgMatches) -> BTreeMap<String, Vec<String>> {
    let command = Cli::command();
    let Some((name, typed)) = matches.subcommand() else { return BTreeMap::new() };
    let Some(command) = command.find_subcommand(name) else { return BTreeMap::new() };
    let given = |id: &str| typed.value_source(id) == Some(ValueSource::CommandLine);
    let values = |id: &str| typed.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy().into_owned());
    let ids = command.get_arguments().map(|argument| argument.get_id().as_str()).filter(|id| given(id));
    ids.map(|id| (id.to_owned(), values(id).collect())).collect()
}

fn source(matches: &ArgMatches, id: &str) -> Source {
    match matches.value_source(id) {
        Some(ValueSource::CommandLine) => Source::Flag,
        Some(ValueSource::EnvVariable) => Source::Environment,
        _ => Source::Default,
    }
}

impl Settings {
    /// Reads the configuration file where the command needs it, and puts what the profile says where the command line is silent.
    pub fn of(cli: &mut Cli, matches: &ArgMatches) -> Result<Settings> {
        let path = config::path();
        let of_command_line = |id: &str| source(matches, id);
        let mut settings = Settings {
            path,
            config: None,
            chosen: None,
            tz: (cli.terminal.tz.clone(), of_command_line("tz")),
            bootstrap_servers: of_command_line("bootstrap_server"),
            command_config: of_command_line("command_config"),
            timeout: of_command_line("timeout"),
            read_only: of_command_line("read_only"),
        };
        if !needs_configuration(&cli.command) {
            return Ok(settings);
        }
        settings.config = match &settings.path {
            Some(path) => config::load(path)?,
            None => None,
        };
        settings.choose(cli.connect.profile.as_deref(), of_command_line("profile"))?;
        if !cli.connect.read_only {
            settings.read_only = Source::Default;
        }
        let Some(profile) = settings.in_use().cloned() else { return Ok(settings) };
        if let Some(tz) = profile.tz.filter(|_| settings.tz.1 == Source::Default) {
            settings.tz = (tz.value, Source::Profile);
        }
        if let Some(path) = profile.command_config.filter(|_| cli.connect.command_config.is_none()) {
            cli.connect.command_config = Some(path.value);
            settings.command_config = Source::Profile;
        }
        if profile.bootstrap_servers.is_some() && cli.connect.bootstrap_server.is_none() {
            settings.bootstrap_servers = Source::Profile;
        }
        if profile.read_only {
            // Its source is the profile even beside a flag: taking the flag away would not help.
            cli.connect.read_only = true;
            settings.read_only = Source::Profile;
        }
        Ok(settings)
    }

    fn choose(&mut self, named: Option<&str>, source: Source) -> Result<()> {
        let config = self.config.as_ref();
        let Some(name) = named else {
            self.chosen = config.and_then(|config| Some((config.profile.clone()?, Source::File)));
            return Ok(());
        };
        if config.is_some_and(|config| config.profiles.contains_key(name)) {
            self.chosen = Some((name.to_owned(), source));
            return Ok(());
        }
        let given = if source == Source::Environment { "KREWIND_PROFILE" } else { "--profile" };
        let error = Error::usage(format!("`{given}` names `{name}`, and there is no such profile"));
        Err(match (config, &self.path) {
            (Some(config), _) => error.hint(config.names()),
            (None, Some(path)) => error.hint(format!("there is no `{}`, where profiles are", path.display())),
            (None, None) => error.hint("set `XDG_CONFIG_HOME` or `HOME`, below which profiles are"),
        })
    }

    /// The profile in use, by name.
    pub fn profile(&self) -> Option<&str> {
        self.chosen.as_ref().map(|(name, _)| name.as_str())
    }

    /// Who chose the profile.
    pub fn profile_source(&self) -> Source {
        self.chosen.as_ref().map_or(Source::Default, |(_, source)| *source)
    }

    fn in_use(&self) -> Option<&Profile> {
        self.config.as_ref()?.profiles.get(self.profile()?)
    }

    /// The zone's name, and where it comes from.
    pub fn tz(&self) -> (&str, Source) {
        (&self.tz.0, self.tz.1)
    }

    /// The zone in which times without one are read.
    pub fn zone(&self) -> Result<TimeZone> {
        time::zone(&self.tz.0).map_err(|error| {
            match (self.in_use().and_then(|profile| profile.tz.as_ref()), &self.path) {
                (Some(tz), Some(path)) if self.tz.1 == Source::Profile => in_file(error, path, tz.line),
                _ => error,
            }
        })
    }

    /// The globs that protect groups, and where each stands.
    pub fn protected(&self) -> impl Iterator<Item = (&glob::Pattern, Source)> {
        let top = self.config.iter().flat_map(|config| &config.protected).map(|glob| (glob, Source::File));
        top.chain(self.in_use().into_iter().flat_map(|profile| &profile.protected).map(|glob| (glob, Source::Profile)))
    }

    /// Whether a group is protected.
    pub fn protects(&self, group: &str) -> bool {
        self.protected().any(|(glob, _)| glob.matches(group))
    }

    /// The cluster in a line, as it stands above a question.
    pub fn heading(&self, servers: &str, id: &str) -> String {
        match self.profile() {
            Some(profile) => format!("profile {profile}, {servers} ({id})"),
            None => format!("{servers} ({id})"),
        }
    }

    /// How a read-only run could write.
    pub fn read_only_hint(&self) -> String {
        match (self.profile(), &self.path) {
            (Some(profile), Some(path)) if self.read_only == Source::Profile => format!(
                "`--dry-run` shows the plan; profile `{profile}` of `{}` is `read-only`, and no flag switches that off",
                path.display()
            ),
            _ => "`--dry-run` shows the plan; without `--read-only` (or `KREWIND_READ_ONLY`) it can be applied"
                .to_owned(),
        }
    }

    /// The client's properties; `otherwise` are the servers where nobody names any.
    pub fn properties(&self, connect: &Connect, otherwise: Option<&str>) -> Result<ClientProperties> {
        let text = connect.command_config.as_deref().map(client_properties).transpose()?;
        let file = text.as_ref().map(|(path, text)| (path.as_str(), text.as_str()));
        let over_file = self.command_config == Source::Profile;
        let mut profile = self.in_use().map(|profile| of_profile(profile, over_file)).unwrap_or_default();
        profile.otherwise = otherwise.map(str::to_owned);
        ClientProperties::with_profile(&profile, connect.bootstrap_server.as_deref(), file, &connect.property)
    }

    /// Whether a file of client properties that is not the profile's own gives this one: then it wins over the profile.
    pub fn file_gives(&self, connect: &Connect, key: &str) -> bool {
        let Some(path) = connect.command_config.as_deref().filter(|_| self.command_config != Source::Profile) else {
            return false;
        };
        let Ok((path, text)) = client_properties(path) else { return false };
        let nothing = ProfileProperties { otherwise: Some(NOWHERE.to_owned()), ..ProfileProperties::default() };
        ClientProperties::with_profile(&nothing, None, Some((&path, &text)), &[])
            .is_ok_and(|alone| alone.get(key).is_some_and(|value| value != NOWHERE))
    }

    /// The names of the properties that the profile in use gives.
    pub fn profile_properties(&self) -> impl Iterator<Item = &str> {
        self.in_use().into_iter().flat_map(|profile| &profile.properties).map(|(key, _)| key.as_str())
    }
}

/// Whether a command may fail for what is wrong with the configuration.
fn needs_configuration(command: &Command) -> bool {
    match command {
        Command::Completions(_) | Command::Man => false,
        Command::Config(command) => command.needs_configuration(),
        _ => true,
    }
}

/// What a profile says of the client.
pub fn of_profile(profile: &Profile, over_file: bool) -> ProfileProperties {
    let mut properties = profile.properties.clone();
    if let Some(servers) = &profile.bootstrap_servers {
        properties.push(("bootstrap.servers".to_owned(), servers.clone()));
    }
    ProfileProperties { properties, over_file, otherwise: None }
}

/// The path for messages, and the text of a file of client properties.
pub fn client_properties(path: &Path) -> Result<(String, String)> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::new(Code::BadFile, format!("`{shown}` can't be read"))
            .hint("`-F`, or `command-config` in a profile, names a file of client properties")
            .caused_by(error)
    })?;
    Ok((shown, text))
}

/// An error about a value of the configuration file.
pub fn in_file(error: Error, path: &Path, line: usize) -> Error {
    let message = format!("line {line} of `{}`: {}", path.display(), error.message);
    error.hints.into_iter().fold(Error::new(Code::BadFile, message), Error::hint)
}
