//! The client's properties: what `-b`, `-F` and `-X` say, in Java's dialect or librdkafka's, as librdkafka wants it.
//!
//! Pure: the file's text is an argument. Secrets are in the values alone, never in a message, and `Debug` hides them.

mod bootstrap;
mod given;
mod jaas;
mod known;
mod properties;
mod redact;
mod sasl;
#[cfg(test)]
mod tests;
mod tls;

pub use redact::{is_secret, redact_command_line};

use crate::error::{Code, Error};
use given::{Given, Origin};
use std::fmt;

/// librdkafka's properties in order, and what was left out.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientProperties {
    properties: Vec<(String, String)>,
    ignored: Vec<(String, String)>,
}

impl ClientProperties {
    /// Merges and translates what was given.
    ///
    /// `bootstrap` is `-b`; `file` is the path (for messages) and the text of `-F`; `overrides` are the `key=value` of `-X` in
    /// order. `-X` wins over the file, `-b` over both for the bootstrap servers; beside a Java property, librdkafka's own for the
    /// same thing wins. In the file, properties of no use here are left out and listed in [`Self::ignored`]; by `-X` they pass,
    /// since librdkafka itself refuses what it does not know. Backslashes in the file are escapes, whatever its dialect.
    pub fn build(
        bootstrap: Option<&str>,
        file: Option<(&str, &str)>,
        overrides: &[String],
    ) -> Result<ClientProperties, Error> {
        ClientProperties::with_profile(&ProfileProperties::default(), bootstrap, file, overrides)
    }

    /// The same with what a profile says: weaker than flags, and stronger than its own file alone.
    pub fn with_profile(
        profile: &ProfileProperties,
        bootstrap: Option<&str>,
        file: Option<(&str, &str)>,
        overrides: &[String],
    ) -> Result<ClientProperties, Error> {
        let mut given = Given { entries: Vec::new(), ignored: Vec::new(), path: file.map(|(path, _)| path) };
        let origin = if profile.over_file { Origin::ProfileOverFile } else { Origin::Profile };
        for (key, value) in &profile.properties {
            set_native(&mut given, key, value, origin)?;
        }
        if let Some((path, text)) = file {
            read_file(&mut given, path, text)?;
        }
        for text in overrides {
            read_override(&mut given, text)?;
        }
        if let Some(servers) = bootstrap {
            given.set("bootstrap.servers", servers, Origin::Bootstrap);
        }
        if let Some(servers) = profile.otherwise.as_ref().filter(|_| given.filled("bootstrap.servers").is_none()) {
            given.set("bootstrap.servers", servers, Origin::Bootstrap);
        }
        protocol(&mut given)?;
        bootstrap::normalize(&mut given)?;
        // Before the login: the translation looks at `sasl.jaas.config` to tell a Java file.
        tls::translate(&mut given)?;
        sasl::translate(&mut given)?;
        if given.get("client.dns.lookup") == Some("default") {
            given.ignore("client.dns.lookup", "`default` is Java's, long gone; librdkafka tries all addresses");
        }
        let Given { entries, ignored, .. } = given;
        let properties = entries.into_iter().map(|entry| (entry.key, entry.value)).collect();
        Ok(ClientProperties { properties, ignored })
    }

    /// The properties, each once.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.properties.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// One property, where it is set; the names are librdkafka's, `bootstrap.servers` and `sasl.mechanism` among aliases.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The brokers, each with its port.
    pub fn bootstrap_servers(&self) -> &str {
        self.get("bootstrap.servers").unwrap_or_default()
    }

    /// The properties of the file that were left out, and why.
    pub fn ignored(&self) -> &[(String, String)] {
        &self.ignored
    }

    /// What [`Self::iter`] of another process gave.
    pub fn from_translated(properties: Vec<(String, String)>) -> Self {
        ClientProperties { properties, ignored: Vec::new() }
    }

    /// The properties as `-v` prints them: secrets hidden, PEM text by its size.
    pub fn describe_redacted(&self) -> Vec<(String, String)> {
        self.iter()
            .map(|(key, value)| {
                let value = if is_secret(key) {
                    redact::HIDDEN.to_owned()
                } else if value.contains("-----BEGIN ") {
                    format!("({} bytes of PEM)", value.len())
                } else {
                    redact::redact_urls(value)
                };
                (key.to_owned(), value)
            })
            .collect()
    }
}

impl fmt::Debug for ClientProperties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientProperties")
            .field("properties", &self.describe_redacted())
            .field("ignored", &self.ignored)
            .finish()
    }
}

/// What a profile of the configuration file says of the client.
#[derive(Clone, Default)]
pub struct ProfileProperties {
    /// librdkafka's properties, `bootstrap.servers` among them.
    pub properties: Vec<(String, String)>,
    /// Whether they win over the file: it is the profile's own.
    pub over_file: bool,
    /// The brokers where nobody names any: for a look at the properties alone.
    pub otherwise: Option<String>,
}

/// librdkafka's aliases, one name for each.
fn canonical(key: &str) -> &str {
    match key {
        "metadata.broker.list" => "bootstrap.servers",
        "sasl.mechanisms" => "sasl.mechanism",
        other => other,
    }
}

fn read_file(given: &mut Given<'_>, path: &str, text: &str) -> Result<(), Error> {
    let properties = properties::parse(text).map_err(|bad| {
        Error::new(
            Code::BadFile,
            format!("line {} of `{path}` has a `\\u` that is not followed by four hex digits", bad.line),
        )
        .hint("in a properties file a backslash itself is written `\\\\`")
    })?;
    for property in properties {
        let key = canonical(&property.key);
        match known::of(key) {
            known::Use::Ignored(why) => {
                // A file may give a thing twice; it is left out once.
                if !given.ignored.iter().any(|(ignored, _)| ignored == key) {
                    given.ignored.push((key.to_owned(), why.to_owned()));
                }
            }
            known::Use::Pass | known::Use::Translated => {
                if property.value.contains('\0') {
                    return Err(Error::new(Code::BadFile, format!("`{key}` in `{path}` has a NUL character"))
                        .hint("take the `\\u0000` out of it"));
                }
                given.set(key, &property.value, Origin::File);
            }
        }
    }
    Ok(())
}

fn read_override(given: &mut Given<'_>, text: &str) -> Result<(), Error> {
    let form = "its form is `-X key=value`, as in `-X security.protocol=SSL`";
    let Some((key, value)) = text.split_once('=') else {
        // The text may be a secret that lost its name, so it is not shown.
        return Err(Error::usage("a `-X` has no `=`").hint(form));
    };
    let key = canonical(key.trim());
    if key.is_empty() || text.contains('\0') {
        return Err(Error::usage("a `-X` has no name before its `=`").hint(form));
    }
    if known::is_owned(key) {
        let error = Error::usage(format!("krewind sets `{key}` itself, so `-X` may not"));
        return Err(match key {
            "isolation.level" => error.hint("for replays there is `--isolation-level`"),
            _ => error.hint("leave it out"),
        });
    }
    given.set(key, value, Origin::Flag);
    Ok(())
}

/// A property of a profile.
fn set_native(given: &mut Given<'_>, key: &str, value: &str, origin: Origin) -> Result<(), Error> {
    let key = canonical(key.trim());
    let bad = |message: String| Error::new(Code::BadFile, message);
    if key.is_empty() || value.contains('\0') {
        return Err(bad("a property of the profile has no name, or a NUL character".to_owned())
            .hint("write `\"security.protocol\" = \"SSL\"` below `[profiles.NAME.properties]`"));
    }
    if known::is_owned(key) {
        return Err(bad(format!("krewind sets `{key}` itself, so a profile may not")).hint("leave it out"));
    }
    given.set(key, value, origin);
    Ok(())
}

fn protocol(given: &mut Given<'_>) -> Result<(), Error> {
    let Some(entry) = given.entry("security.protocol").cloned() else { return Ok(()) };
    let value = entry.value.trim().to_ascii_lowercase();
    if !["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"].contains(&value.as_str()) {
        let place = given.place(entry.origin);
        return Err(given
            .error(entry.origin, format!("`{}` is not a `security.protocol`{place}", entry.value))
            .hint("one of `PLAINTEXT`, `SSL`, `SASL_PLAINTEXT`, `SASL_SSL`"));
    }
    given.set("security.protocol", &value, entry.origin);
    Ok(())
}
