use super::{Config, Placed, Problem, Profile};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const TOP: &str = "`profile`, `protected` and `[profiles.NAME]`";
const IN_PROFILE: &str = "`bootstrap-servers`, `command-config`, `tz`, `read-only`, `protected` and `properties`";

/// Reads the text of a file that lies at this path; `home` is what `~/` stands for. All that is wrong, in the order of the lines.
pub fn parse(text: &str, path: &Path, home: Option<&Path>) -> Result<Config, Vec<Problem>> {
    let mut reader = Reader { text, directory: path.parent().unwrap_or(Path::new("")), home, problems: Vec::new() };
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        // What the parser says of the rest of the file would rest on guesses. Its message has no text of the file.
        return Err(errors
            .iter()
            .map(|error| Problem {
                line: error.span().map(|span| reader.line(&span)),
                message: format!("is no TOML: {}", error.message().lines().collect::<Vec<_>>().join(", ")),
                hint: "strings stand in quotes, and a table starts with `[profiles.NAME]`".to_owned(),
            })
            .collect());
    }
    let config = reader.top(table.get_ref());
    if reader.problems.is_empty() {
        return Ok(config);
    }
    reader.problems.sort_by_key(|problem| problem.line);
    Err(reader.problems)
}

struct Reader<'a> {
    text: &'a str,
    directory: &'a Path,
    home: Option<&'a Path>,
    problems: Vec<Problem>,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl Reader<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        self.text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
    }

    fn wrong(&mut self, span: &Range<usize>, message: String, hint: &str) {
        let line = Some(self.line(span));
        self.problems.push(Problem { line, message, hint: hint.to_owned() });
    }

    fn top(&mut self, table: &DeTable<'_>) -> Config {
        let mut config = Config::default();
        let mut default = None;
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "profile" => default = self.string("profile", value),
                "protected" => config.protected = self.globs(value),
                "profiles" => match value.get_ref() {
                    DeValue::Table(profiles) => {
                        for (name, value) in profiles {
                            self.named_profile(name, value, &mut config);
                        }
                    }
                    other => self.wrong(
                        &value.span(),
                        format!("`profiles` is {}, not a table", kind(other)),
                        "a profile starts with a line `[profiles.NAME]`",
                    ),
                },
                other => self.wrong(
                    &key.span(),
                    format!("`{}` is not known here", other.escape_debug()),
                    &format!("what a file has is {TOP}; the rest belongs to a profile"),
                ),
            }
        }
        if let Some(default) = default {
            if !config.profiles.contains_key(&default.value) {
                let message = format!("`profile` names `{}`, which is none", default.value.escape_debug());
                self.problems.push(Problem { line: Some(default.line), message, hint: config.names() });
            }
            config.profile = Some(default.value);
        }
        config
    }

    fn named_profile(&mut self, name: &Spanned<toml::de::DeString<'_>>, value: &Value<'_>, config: &mut Config) {
        let text = name.get_ref().as_ref();
        // `NAME/GROUP` is what a person types, so a name has no `/`.
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            self.wrong(
                &name.span(),
                format!("`{}` is no name of a profile", text.escape_debug()),
                "a name is made of letters, digits, `-`, `_` and `.`",
            );
            return;
        }
        match value.get_ref() {
            DeValue::Table(table) => {
                let mut profile = self.profile(table);
                profile.line = self.line(&name.span());
                config.profiles.insert(text.to_owned(), profile);
            }
            other => self.wrong(
                &value.span(),
                format!("profile `{text}` is {}, not a table", kind(other)),
                "a profile starts with a line `[profiles.NAME]`",
            ),
        }
    }

    fn profile(&mut self, table: &DeTable<'_>) -> Profile {
        let mut profile = Profile::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "bootstrap-servers" => {
                    profile.bootstrap_servers = self.string("bootstrap-servers", value).map(|placed| placed.value);
                }
                "command-config" => {
                    profile.command_config =
                        self.string("command-config", value).and_then(|Placed { value: text, line }| {
                            Some(Placed { value: self.path(&text, value)?, line })
                        });
                }
                "tz" => profile.tz = self.string("tz", value),
                "read-only" => match value.get_ref() {
                    DeValue::Boolean(on) => profile.read_only = *on,
                    other => {
                        let message = format!("`read-only` is {}, not a boolean", kind(other));
                        self.wrong(&value.span(), message, "write `read-only = true`, without quotes");
                    }
                },
                "protected" => profile.protected = self.globs(value),
                "properties" => match value.get_ref() {
                    DeValue::Table(table) => self.properties("", table, &mut profile.properties),
                    other => self.wrong(
                        &value.span(),
                        format!("`properties` is {}, not a table", kind(other)),
                        "write `properties = { \"security.protocol\" = \"SSL\" }`",
                    ),
                },
                other => {
                    let message = format!("`{}` is not known in a profile", other.escape_debug());
                    self.wrong(&key.span(), message, &format!("what a profile has is {IN_PROFILE}"));
                }
            }
        }
        profile
    }

    /// librdkafka's names have dots, and unquoted dots make tables in TOML: both spellings mean the same.
    fn properties(&mut self, prefix: &str, table: &DeTable<'_>, found: &mut Vec<(String, String)>) {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let text = match value.get_ref() {
                DeValue::Table(inner) => {
                    self.properties(&format!("{name}."), inner, found);
                    continue;
                }
                DeValue::String(text) => text.to_string(),
                DeValue::Boolean(on) => on.to_string(),
                DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                other => {
                    let message = format!("property `{}` is {}", name.escape_debug(), kind(other));
                    self.wrong(&value.span(), message, "a property's value is a string, a whole number or a boolean");
                    continue;
                }
            };
            if found.iter().any(|(other, _)| *other == name) {
                let message = format!("property `{}` is given twice", name.escape_debug());
                self.wrong(&key.span(), message, "write it once, with or without quotes around its name");
            } else {
                found.push((name, text));
            }
        }
    }

    fn string(&mut self, name: &str, value: &Value<'_>) -> Option<Placed<String>> {
        match value.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => {
                self.wrong(&value.span(), format!("`{name}` is empty"), "give it a value, or take the line out");
                None
            }
            DeValue::String(text) => Some(Placed { value: text.to_string(), line: self.line(&value.span()) }),
            other => {
                let message = format!("`{name}` is {}, not a string", kind(other));
                self.wrong(&value.span(), message, &format!("write `{name} = \"...\"`"));
                None
            }
        }
    }

    fn globs(&mut self, value: &Value<'_>) -> Vec<glob::Pattern> {
        let DeValue::Array(items) = value.get_ref() else {
            let message = format!("`protected` is {}, not a list", kind(value.get_ref()));
            self.wrong(&value.span(), message, "write `protected = [\"payments-*\", \"billing\"]`");
            return Vec::new();
        };
        let mut globs = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(text) if text.is_empty() => {
                    self.wrong(
                        &item.span(),
                        "a glob of `protected` is empty".to_owned(),
                        "take it out: it protects nothing",
                    );
                }
                DeValue::String(text) => match glob::Pattern::new(text) {
                    Ok(glob) => globs.push(glob),
                    Err(error) => {
                        let message = format!("`{}` is no glob: {}", text.escape_debug(), error.msg);
                        self.wrong(&item.span(), message, "a glob has `*`, `?` and `[a-z]`; `[*]` is a star itself");
                    }
                },
                other => {
                    let message = format!("an entry of `protected` is {}, not a string", kind(other));
                    self.wrong(&item.span(), message, "write `protected = [\"payments-*\", \"billing\"]`");
                }
            }
        }
        globs
    }

    fn path(&mut self, text: &str, value: &Value<'_>) -> Option<PathBuf> {
        let Some(below_home) = text.strip_prefix("~/") else { return Some(self.directory.join(text)) };
        if self.home.is_none() {
            let message = "`command-config` starts with `~/`, and there is no home directory".to_owned();
            self.wrong(&value.span(), message, "write the path from `/` on, or set `HOME`");
        }
        self.home.map(|home| home.join(below_home))
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
