//! Which server, and who asks: the URL, what libpq's environment adds, and the password file.

use super::password_file::{self, Wanted};
use super::tls;
use crate::error::{Error, Result};
use openssl::ssl::SslConnector;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// How long a connection may take, and how long a server that is gone is waited for, unless the URL says.
const CONNECT: Duration = Duration::from_secs(10);
const GONE: Duration = Duration::from_secs(60);

/// What a connection needs.
pub struct Settings {
    /// For the client.
    pub config: Config,
    /// TLS, and whether the name in the certificate must be the host's; `None` without.
    pub tls: Option<(SslConnector, bool)>,
    /// The database without a password, for people.
    pub shown: String,
    /// Why the password file was not read.
    pub ignored: Option<String>,
}

/// Where variables come from: the process, or a test.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The URL without its password and options, for reports.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once(':') else { return url.to_owned() };
    let rest = rest.trim_start_matches('/');
    let (location, _) = rest.split_once('?').unwrap_or((rest, ""));
    match location.rsplit_once('@') {
        Some((login, place)) => {
            format!("{scheme}://{}@{place}", login.split_once(':').map_or(login, |(user, _)| user))
        }
        None => format!("{scheme}://{location}"),
    }
}

/// Reads the URL.
pub fn read(url: &str, environment: Environment<'_>) -> Result<Settings> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (location, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = location.split_once('/').unwrap_or((location, ""));
    // A password with `@`, `/` or `?` as they are would be taken for a host and stand in messages.
    let signs = authority.matches('@').count();
    if signs > 1 || path.contains('@') || signs == 0 && query.contains('@') {
        return Err(Error::usage("the database's URL has an `@` where none can be")
            .hint("within a user or a password `@` is written `%40`, `:` `%3A`, `/` `%2F`, `?` `%3F`, `#` `%23`, `%` `%25`")
            .hint("or leave the password out: `PGPASSWORD` and `~/.pgpass` are read"));
    }
    let mut tls = tls::Wanted::default();
    let mut password_file = None;
    let mut left = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decoded(value);
        match name {
            "sslmode" => tls.mode = Some(value),
            "sslrootcert" => tls.root = Some(value),
            "sslcert" => tls.certificate = Some(value),
            "sslkey" => tls.key = Some(value),
            "passfile" => password_file = Some(PathBuf::from(value)),
            _ => left.push(pair),
        }
    }
    let mut text = format!("postgres://{location}");
    if !left.is_empty() {
        text += &format!("?{}", left.join("&"));
    }
    let mut config: Config = text.parse().map_err(|error: tokio_postgres::Error| {
        // The client names the option, never its value.
        let why = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        Error::usage(format!("the database's URL can't be read{why}"))
            .hint("`postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full`")
    })?;
    complete(&mut config, environment)?;
    let remote = config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)));
    let tls = tls::connector(&mut config, tls, remote, environment)?;
    let mut ignored = None;
    if config.get_password().is_none() {
        if let Some(password) = environment("PGPASSWORD").filter(|password| !password.is_empty()) {
            config.password(password);
        } else if let Some(file) = password_file
            .or_else(|| environment("PGPASSFILE").map(PathBuf::from))
            .or_else(|| home(environment, ".pgpass"))
        {
            let (host, port) = place(&config);
            let user = config.get_user().unwrap_or_default();
            let database = config.get_dbname().unwrap_or(user);
            match password_file::find(&file, &Wanted { host: &host, port, database, user }) {
                Ok(Some(password)) => drop(config.password(password)),
                Ok(None) => {}
                Err(why) => ignored = Some(why),
            }
        }
    }
    let (host, port) = place(&config);
    let shown = format!(
        "postgres://{}@{host}:{port}/{}",
        config.get_user().unwrap_or_default(),
        config.get_dbname().or(config.get_user()).unwrap_or_default()
    );
    Ok(Settings { config, tls, shown, ignored })
}

/// What the URL left open, as libpq fills it in.
fn complete(config: &mut Config, environment: Environment<'_>) -> Result<()> {
    let given = |name| environment(name).filter(|value: &String| !value.is_empty());
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        match given("PGHOST") {
            Some(host) if host.starts_with('/') => config.host_path(host),
            Some(host) => config.host(host),
            None => match ["/var/run/postgresql", "/tmp"].iter().find(|path| std::path::Path::new(path).is_dir()) {
                Some(path) => config.host_path(path),
                None => config.host("localhost"),
            },
        };
    }
    if config.get_ports().is_empty()
        && let Some(port) = given("PGPORT")
    {
        config.port(port.parse().map_err(|_| Error::usage("`PGPORT` is no port"))?);
    }
    if config.get_user().is_none() {
        let user = given("PGUSER").or_else(|| given("USER")).or_else(|| given("LOGNAME"));
        config.user(user.ok_or_else(|| {
            Error::usage("the database's user is not known").hint("`postgres://USER@HOST/DATABASE`, or `PGUSER`")
        })?);
    }
    if config.get_dbname().is_none()
        && let Some(database) = given("PGDATABASE")
    {
        config.dbname(database);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(GONE);
    }
    if config.get_application_name().is_none() {
        config.application_name("krewind replay");
    }
    Ok(())
}

/// The first host and its port.
fn place(config: &Config) -> (String, u16) {
    let host = match (config.get_hosts().first(), config.get_hostaddrs().first()) {
        (Some(Host::Tcp(host)), _) => host.clone(),
        #[cfg(unix)]
        (Some(Host::Unix(path)), _) => path.display().to_string(),
        (None, Some(address)) => address.to_string(),
        (None, None) => "localhost".to_owned(),
    };
    (host, config.get_ports().first().copied().unwrap_or(5432))
}

/// A file in the home directory.
pub fn home(environment: Environment<'_>, name: &str) -> Option<PathBuf> {
    environment("HOME").filter(|home| !home.is_empty()).map(|home| PathBuf::from(home).join(name))
}

/// Percent signs resolved; what is no UTF-8 then is replaced, and fails as a name.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| byte == b'%') {
            Some(decoded) => (bytes.push(decoded), rest = &after[2..]).0,
            None => (bytes.push(byte), rest = after).0,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_postgres::config::SslMode;

    fn of(url: &str, variables: &[(&str, &str)]) -> Result<Settings> {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        read(url, &move |name| variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
    }

    #[test]
    fn the_url_goes_before_the_environment() {
        let settings = of(
            "postgres://me:p%40ss@db.example:6432/shop?sslmode=disable&application_name=x",
            &[("PGPASSWORD", "other"), ("PGUSER", "other"), ("PGSSLMODE", "require")],
        )
        .unwrap();
        assert_eq!(settings.config.get_password(), Some(&b"p@ss"[..]));
        assert_eq!(settings.config.get_ssl_mode(), SslMode::Disable);
        assert_eq!(settings.config.get_application_name(), Some("x"));
        assert_eq!(settings.shown, "postgres://me@db.example:6432/shop");
        let settings =
            of("postgresql://h", &[("PGPASSWORD", "secret"), ("PGUSER", "me"), ("PGSSLMODE", "require")]).unwrap();
        assert_eq!(settings.config.get_password(), Some(&b"secret"[..]));
        assert_eq!(settings.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(settings.shown, "postgres://me@h:5432/me");
        let socket = of("postgres://me@/shop?host=/run/pg&sslmode=require", &[]).unwrap();
        assert!(socket.tls.is_none(), "there is no TLS over a socket");
        assert_eq!(socket.shown, "postgres://me@/run/pg:5432/shop");
    }

    #[test]
    fn no_message_holds_a_password() {
        for url in [
            "postgres://me:se@cret@h/d",
            "postgres://me:se/cret@h/d",
            "postgres://me:se?cret@h/d",
            "postgres://me:secret@h:port/d",
            "postgres://me:secret@h/d?nonsense=secret",
            "postgres://me:secret@h/d?sslmode=secret-mode",
            "postgres://me:secret",
        ] {
            let Err(error) = of(url, &[]) else { panic!("{url}") };
            let text = format!("{error:?}");
            assert!(!text.contains("cret@") && !text.contains(":secret"), "{text}");
            assert_eq!(error.code, crate::error::Code::Usage);
        }
        assert_eq!(without_password("postgres://me:se@c/ret@h/d?x=1"), "postgres://me@h/d");
        assert_eq!(without_password("postgres://me@h/d"), "postgres://me@h/d");
        assert_eq!(without_password("postgres:/me:secret@h"), "postgres://me@h");
    }
}
