//! TLS as libpq's `sslmode` says it.

use super::settings::{Environment, home};
use crate::error::{Code, Error, Result};
use openssl::ssl::{SslConnector, SslFiletype, SslMethod, SslVerifyMode};
use openssl::x509::store::X509StoreBuilder;
use std::path::Path;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

/// What the URL says of TLS.
#[derive(Default)]
pub struct Wanted {
    /// `sslmode`.
    pub mode: Option<String>,
    /// `sslrootcert`.
    pub root: Option<String>,
    /// `sslcert`.
    pub certificate: Option<String>,
    /// `sslkey`.
    pub key: Option<String>,
}

/// Sets the mode, and makes what does TLS, with whether the certificate must name the host.
pub fn connector(
    config: &mut Config,
    wanted: Wanted,
    remote: bool,
    environment: Environment<'_>,
) -> Result<Option<(SslConnector, bool)>> {
    let given = |name| environment(name).filter(|value: &String| !value.is_empty());
    let mode = wanted.mode.or_else(|| given("PGSSLMODE")).unwrap_or_else(|| "prefer".to_owned());
    let default_root = home(environment, ".postgresql/root.crt").filter(|path| path.is_file());
    let root = wanted
        .root
        .or_else(|| given("PGSSLROOTCERT"))
        .or_else(|| default_root.map(|path| path.to_string_lossy().into_owned()));
    let (client_mode, mut chain, name) = match mode.as_str() {
        "disable" => (SslMode::Disable, false, false),
        // There is no trying without TLS first: a server that has it gets it.
        "allow" | "prefer" => (SslMode::Prefer, false, false),
        // As libpq does: a root certificate that is there is used.
        "require" => (SslMode::Require, root.is_some(), false),
        "verify-ca" => (SslMode::Require, true, false),
        "verify-full" => (SslMode::Require, true, true),
        _ => {
            return Err(Error::usage("`sslmode` of the database's URL or of `PGSSLMODE` is none that is known")
                .hint("`disable`, `prefer`, `require`, `verify-ca` or `verify-full`"));
        }
    };
    // There is none over a socket.
    config.ssl_mode(if remote { client_mode } else { SslMode::Disable });
    if !remote || client_mode == SslMode::Disable {
        return Ok(None);
    }
    let system = root.as_deref() == Some("system");
    if system && !name {
        return Err(Error::usage(format!("`sslrootcert=system` goes with `sslmode=verify-full`, not with `{mode}`")));
    }
    let mut builder = SslConnector::builder(SslMethod::tls_client())
        .map_err(|error| Error::new(Code::TlsFailed, "TLS can't be set up").caused_by(error))?;
    match &root {
        None if chain => {
            return Err(Error::new(Code::TlsFailed, format!("`sslmode={mode}` needs a root certificate"))
                .hint("`sslrootcert=FILE` in the URL, `PGSSLROOTCERT`, or `~/.postgresql/root.crt`")
                .hint("`sslrootcert=system` with `sslmode=verify-full` takes the system's certificates"));
        }
        Some(file) if chain && !system => {
            let store = X509StoreBuilder::new().map(|store| builder.set_cert_store(store.build()));
            store
                .and_then(|()| builder.set_ca_file(file))
                .map_err(|error| unreadable("root certificate", file, error))?;
        }
        _ => {}
    }
    chain |= system;
    builder.set_verify(if chain { SslVerifyMode::PEER } else { SslVerifyMode::NONE });
    let certificate = wanted.certificate.or_else(|| given("PGSSLCERT"));
    let key = wanted.key.or_else(|| given("PGSSLKEY"));
    if let (Some(certificate), Some(key)) = (&certificate, &key) {
        builder
            .set_certificate_chain_file(certificate)
            .map_err(|error| unreadable("client certificate", certificate, error))?;
        builder.set_private_key_file(key, SslFiletype::PEM).map_err(|error| unreadable("key", key, error))?;
    } else if certificate.is_some() != key.is_some() {
        return Err(Error::usage("of `sslcert` and `sslkey` one is missing"));
    }
    Ok(Some((builder.build(), name)))
}

fn unreadable(what: &str, file: &str, error: openssl::error::ErrorStack) -> Error {
    let why = if Path::new(file).exists() { "can't be read" } else { "does not exist" };
    Error::new(Code::TlsFailed, format!("the {what} `{file}` {why}")).caused_by(error)
}
