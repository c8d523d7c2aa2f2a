//! The login: `sasl.jaas.config` and `sasl.mechanism` to what librdkafka understands.

use super::given::{Given, Origin};
use super::jaas;
use crate::error::Error;

/// Translates the login. Java reads `sasl.*` only where `security.protocol` says SASL, and so does this.
pub(super) fn translate(given: &mut Given<'_>) -> Result<(), Error> {
    let sasl = given.get("security.protocol").is_some_and(|protocol| protocol.starts_with("sasl"));
    if let Some(entry) = given.entry("sasl.mechanism").cloned() {
        given.set("sasl.mechanism", &entry.value.to_ascii_uppercase(), entry.origin);
    }
    if let Some(config) = given.filled("sasl.jaas.config") {
        if !sasl {
            given.ignore("sasl.jaas.config", "`security.protocol` asks for no login");
        } else if let Some(native) = given.outranks(&["sasl.password"], config.origin) {
            given.ignore("sasl.jaas.config", &format!("`{native}` is given"));
        } else {
            given.take("sasl.jaas.config");
            login(given, &config.value, config.origin)?;
        }
    }
    if !sasl {
        return Ok(());
    }
    match given.filled("sasl.mechanism") {
        None => {
            let origin = given.entry("security.protocol").map_or(Origin::Flag, |entry| entry.origin);
            let place = given.place(origin);
            Err(given
                .error(origin, format!("`security.protocol`{place} asks for a login, and no `sasl.mechanism` says how"))
                .hint("one of `-X sasl.mechanism=PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`, as the cluster has it"))
        }
        Some(mechanism) if mechanism.value == "GSSAPI" => {
            Err(unsupported(given, mechanism.origin, "sasl.mechanism", KERBEROS))
        }
        Some(mechanism) if mechanism.value == "AWS_MSK_IAM" => {
            Err(unsupported(given, mechanism.origin, "sasl.mechanism", IAM))
        }
        Some(_) => Ok(()),
    }
}

/// A way to log in that krewind's librdkafka lacks, and what can be done.
type Unsupported = (&'static str, &'static str);
const KERBEROS: Unsupported =
    ("Kerberos", "use a listener of the cluster with PLAIN, SCRAM or a client certificate, named by `-F FILE`");
const IAM: Unsupported = (
    "AWS IAM",
    "Amazon MSK offers SASL/SCRAM (port 9096) and client certificates (port 9094) beside IAM: give those by `-F FILE`",
);
const OAUTH: Unsupported = (
    "OAuth tokens",
    "use an API key or a user with `sasl.mechanism=PLAIN` or `SCRAM-SHA-512`, or a client certificate, by `-F FILE`",
);

fn unsupported(given: &Given<'_>, origin: Origin, key: &str, (what, instead): Unsupported) -> Error {
    let place = given.place(origin);
    given.error(origin, format!("`{key}`{place} logs in by {what}, which is not built in")).hint(instead)
}

fn login(given: &mut Given<'_>, config: &str, origin: Origin) -> Result<(), Error> {
    const KEY: &str = "sasl.jaas.config";
    let place = given.place(origin);
    let login = jaas::parse(config).map_err(|why| {
        given.error(origin, format!("`{KEY}`{place} {why}")).hint(
            "its form is `org.apache.kafka.common.security.plain.PlainLoginModule required username=\"…\" password=\"…\";`",
        )
    })?;
    let module = login.module.as_str();
    let mechanism = given.filled("sasl.mechanism").map(|entry| entry.value);
    let scram = match module {
        "PlainLoginModule" => false,
        "ScramLoginModule" => true,
        "Krb5LoginModule" => return Err(unsupported(given, origin, KEY, KERBEROS)),
        "IAMLoginModule" => return Err(unsupported(given, origin, KEY, IAM)),
        _ if module.contains("OAuth") => return Err(unsupported(given, origin, KEY, OAUTH)),
        _ => {
            return Err(given
                .error(
                    origin,
                    format!("`{KEY}`{place} has a login module other than `PlainLoginModule` and `ScramLoginModule`"),
                )
                .hint("librdkafka logs in by `sasl.mechanism`, `sasl.username` and `sasl.password`"));
        }
    };
    match mechanism.as_deref() {
        None if scram => {
            return Err(given
                .error(origin, format!("`{KEY}`{place} has `{module}`, and no `sasl.mechanism` says which SCRAM"))
                .hint("one of `-X sasl.mechanism=SCRAM-SHA-256` and `-X sasl.mechanism=SCRAM-SHA-512`"));
        }
        None => given.set("sasl.mechanism", "PLAIN", origin),
        // A password for SCRAM must not be sent in the clear because of a slip, so the two have to agree, as in Java.
        Some(name) if scram != name.starts_with("SCRAM-") || (!scram && name != "PLAIN") => {
            return Err(given
                .error(
                    origin,
                    format!("`{KEY}`{place} has `{module}`, which does not go with the `sasl.mechanism` given"),
                )
                .hint(
                    "`PlainLoginModule` goes with `PLAIN`, `ScramLoginModule` with `SCRAM-SHA-256` and `SCRAM-SHA-512`",
                ));
        }
        Some(_) => {}
    }
    if scram && login.option("tokenauth").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Err(given
            .error(origin, format!("`{KEY}`{place} logs in by a delegation token, which librdkafka cannot"))
            .hint("give a user and a password"));
    }
    for (option, key) in [("username", "sasl.username"), ("password", "sasl.password")] {
        let Some(value) = login.option(option) else {
            return Err(given
                .error(origin, format!("`{KEY}`{place} has no `{option}`"))
                .hint("give `username` and `password`"));
        };
        given.set(key, value, origin);
    }
    Ok(())
}
