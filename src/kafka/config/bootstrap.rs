//! `bootstrap.servers`: a list of brokers, each with a host and a port.

use super::given::{Given, Origin};
use crate::error::Error;

/// librdkafka's default; Java's clients require the port.
const PORT: u16 = 9092;

/// Checks the brokers and writes each as `host:port`.
pub(super) fn normalize(given: &mut Given<'_>) -> Result<(), Error> {
    let Some(entry) = given.filled("bootstrap.servers") else { return Err(missing()) };
    if entry.value.contains('@') {
        // What stands before an `@` may be a password, so none of it is shown.
        let place = given.place(entry.origin);
        return Err(given
            .error(entry.origin, format!("the brokers{place} have an `@`, and a broker's address holds no login"))
            .hint("give the login by `sasl.username` and `sasl.password` in the file that `-F` names")
            .hint(FORM));
    }
    let protocol = given.get("security.protocol").unwrap_or("plaintext");
    let mut brokers = Vec::new();
    for broker in entry.value.split(',').map(str::trim).filter(|broker| !broker.is_empty()) {
        let read = read(broker, protocol).map_err(|(why, hint)| {
            let place = given.place(entry.origin);
            given.error(entry.origin, format!("`{broker}` is not a broker{place}: {why}")).hint(hint)
        })?;
        brokers.push(read);
    }
    if brokers.is_empty() {
        return Err(missing());
    }
    given.set("bootstrap.servers", &brokers.join(","), Origin::Bootstrap);
    Ok(())
}

fn missing() -> Error {
    Error::usage("no broker was named")
        .hint("name one: `-b HOST:PORT`, or `KREWIND_BOOTSTRAP_SERVER=HOST:PORT` in the environment")
        .hint("or `bootstrap.servers` in the file that `-F` names")
}

const FORM: &str = "a broker is `HOST:PORT`, and several are parted by commas";

fn read(broker: &str, protocol: &str) -> Result<String, (String, String)> {
    let wrong = |why: &str| (why.to_owned(), FORM.to_owned());
    let address = match broker.split_once("://") {
        None => broker,
        Some((prefix, address)) => {
            let prefix = prefix.to_ascii_lowercase();
            match prefix.as_str() {
                "http" | "https" => return Err(wrong("it is a web address")),
                "plaintext" | "ssl" | "sasl_plaintext" | "sasl_ssl" if prefix != protocol => {
                    let named = prefix.to_ascii_uppercase();
                    let current = protocol.to_ascii_uppercase();
                    return Err((
                        format!("it says {named}, and `security.protocol` is {current}"),
                        format!("make them agree: `-X security.protocol={named}`"),
                    ));
                }
                // Another name is a listener's; Java's clients do not look at it either (`Utils.getHost`).
                _ => address,
            }
        }
    };
    if address.contains(|c: char| c.is_whitespace() || c.is_control() || "/?#=`".contains(c)) {
        return Err(wrong("it has a character that no host has"));
    }
    let (host, port) = if let Some(rest) = address.strip_prefix('[') {
        let Some((host, rest)) = rest.split_once(']') else { return Err(wrong("its `[` is not closed")) };
        let port = match rest.strip_prefix(':') {
            Some(port) => Some(port),
            None if rest.is_empty() => None,
            None => return Err(wrong("there is something between its `]` and its port")),
        };
        (format!("[{host}]"), port)
    } else {
        match address.split_once(':') {
            None => (address.to_owned(), None),
            // More than one colon: an IPv6 address without brackets, and so without a port.
            Some((_, rest)) if rest.contains(':') => (format!("[{address}]"), None),
            Some((host, port)) => (host.to_owned(), Some(port)),
        }
    };
    if host.is_empty() || host == "[]" {
        return Err(wrong("it has no host"));
    }
    let port = match port {
        None => PORT,
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => match port.parse() {
            Ok(port) if port > 0 => port,
            _ => return Err(wrong("a port goes from 1 to 65535")),
        },
        Some(_) => return Err(wrong("its port is not a number")),
    };
    Ok(format!("{host}:{port}"))
}
