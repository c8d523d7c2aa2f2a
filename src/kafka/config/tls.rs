//! TLS: Java's truststores and keystores to the files and texts that librdkafka reads.

use super::given::{Entry, Given, Origin};
use super::redact::quote;
use crate::error::Error;

const CA: [&str; 2] = ["ssl.ca.location", "ssl.ca.pem"];
const CLIENT: [&str; 4] = ["ssl.certificate.location", "ssl.certificate.pem", "ssl.key.location", "ssl.key.pem"];

const TRUSTSTORE: [&str; 4] =
    ["ssl.truststore.type", "ssl.truststore.location", "ssl.truststore.certificates", "ssl.truststore.password"];
/// Java's alone: `ssl.keystore.location` and `ssl.keystore.password` are librdkafka's too.
const KEYSTORE: [&str; 3] = ["ssl.keystore.type", "ssl.keystore.key", "ssl.keystore.certificate.chain"];

/// Translates Java's stores (KIP-651 for PEM).
pub(super) fn translate(given: &mut Given<'_>) -> Result<(), Error> {
    let tls = given.get("security.protocol").is_some_and(|protocol| protocol.ends_with("ssl"));
    if !tls {
        // Java does not read the stores then: one that could not be converted must not stop a run.
        for key in TRUSTSTORE.iter().chain(&KEYSTORE).chain(&["ssl.keystore.location", "ssl.keystore.password"]) {
            given.ignore(key, "`security.protocol` asks for no TLS");
        }
        return Ok(());
    }
    // Java's libraries sniff the type only where it is its default, so both are looked at before either is refused.
    let mut refusals = Vec::new();
    // Whether the keystore is Java's is told by the keys around it, which the truststore's translation takes away.
    let java = TRUSTSTORE.iter().chain(&KEYSTORE).chain(&["sasl.jaas.config"]).any(|key| given.entry(key).is_some());
    truststore(given, &mut refusals)?;
    keystore(given, java, &mut refusals)?;
    if !refusals.is_empty() {
        return Err(refused(given, refusals));
    }
    details(given);
    for key in ["ssl.ca.pem", "ssl.certificate.pem", "ssl.key.pem"] {
        if let Some(entry) = given.filled(key)
            && let Some(text) = pem(&entry.value)
        {
            given.set(key, &text, entry.origin);
        }
    }
    if given.outranks(&CA, Origin::File).is_none() && given.entry("ssl.ca.certificate.stores").is_none() {
        // A vendored OpenSSL does not know where the system keeps its certificates.
        given.set("ssl.ca.location", "probe", Origin::File);
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pem,
    Pkcs12,
    Java,
}

/// A store that librdkafka does not read.
struct Refusal {
    location: Entry,
    kind: Kind,
    trust: bool,
}

/// The store's kind by its declared type, else by its name's ending, else `otherwise`.
///
/// A type given by a file does not speak of a location given by `-X`. `JKS` with a `.p12` file is PKCS #12: Java's JKS reads both
/// (`keystore.type.compat`).
fn kind(location: &Entry, declared: Option<&Entry>, otherwise: Kind) -> Option<Kind> {
    let name = location.value.to_ascii_lowercase();
    let by_name = match name.rsplit('.').next() {
        Some("jks") => Some(Kind::Java),
        Some("p12" | "pfx" | "pkcs12") => Some(Kind::Pkcs12),
        Some("pem" | "crt" | "cer") => Some(Kind::Pem),
        _ => None,
    };
    let declared = declared.filter(|entry| !entry.value.is_empty() && entry.origin >= location.origin);
    match declared.map(|entry| entry.value.to_ascii_uppercase()).as_deref() {
        Some("PEM") => Some(Kind::Pem),
        Some("PKCS12") => Some(Kind::Pkcs12),
        Some("JKS") if by_name == Some(Kind::Pkcs12) => by_name,
        Some("JKS") => Some(Kind::Java),
        Some(_) => None,
        None => Some(by_name.unwrap_or(otherwise)),
    }
}

fn truststore(given: &mut Given<'_>, refusals: &mut Vec<Refusal>) -> Result<(), Error> {
    let strongest = TRUSTSTORE.iter().filter_map(|key| given.entry(key)).map(|entry| entry.origin).max();
    let Some(strongest) = strongest else { return Ok(()) };
    if let Some(native) = given.outranks(&CA, strongest) {
        for key in TRUSTSTORE {
            given.ignore(key, &format!("`{native}` is given"));
        }
        return Ok(());
    }
    let declared = given.take("ssl.truststore.type");
    let location = given.filled("ssl.truststore.location");
    let certificates = given.filled("ssl.truststore.certificates");
    if let Some(certificates) = certificates {
        let text = inline(given, &certificates)?;
        given.set("ssl.ca.pem", &text, certificates.origin);
    } else if let Some(location) = location {
        match kind(&location, declared.as_ref(), Kind::Java) {
            Some(Kind::Pem) => given.set("ssl.ca.location", &location.value, location.origin),
            Some(kind) => refusals.push(Refusal { location, kind, trust: true }),
            None => return Err(unknown_type(given, "ssl.truststore.type", &location)),
        }
        given.ignore("ssl.truststore.password", "a PEM file of certificates has no password");
    }
    for key in TRUSTSTORE {
        given.take(key);
    }
    Ok(())
}

fn keystore(given: &mut Given<'_>, java: bool, refusals: &mut Vec<Refusal>) -> Result<(), Error> {
    let inline_key = given.filled("ssl.keystore.key");
    let inline_chain = given.filled("ssl.keystore.certificate.chain");
    let location = given.filled("ssl.keystore.location");
    let strongest = [&inline_key, &inline_chain, &location].into_iter().flatten().map(|entry| entry.origin).max();
    let declared = given.take("ssl.keystore.type");
    let Some(strongest) = strongest else {
        for key in KEYSTORE.iter().chain(&["ssl.keystore.location"]) {
            given.take(key);
        }
        return Ok(());
    };
    if let Some(native) = given.outranks(&CLIENT, strongest) {
        for key in KEYSTORE.iter().chain(&["ssl.keystore.location", "ssl.keystore.password"]) {
            given.ignore(key, &format!("`{native}` is given"));
        }
        return Ok(());
    }
    match (inline_key, inline_chain, location) {
        (Some(key), Some(chain), _) => {
            let (key_text, chain_text) = (inline(given, &key)?, inline(given, &chain)?);
            given.set("ssl.key.pem", &key_text, key.origin);
            given.set("ssl.certificate.pem", &chain_text, chain.origin);
            given.take("ssl.keystore.location");
            given.ignore("ssl.keystore.password", "a PEM key's password is `ssl.key.password`");
        }
        (Some(entry), None, _) | (None, Some(entry), _) => {
            let place = given.place(entry.origin);
            let message = format!(
                "`ssl.keystore.key` and `ssl.keystore.certificate.chain`{place} go together, and one is missing"
            );
            return Err(given
                .error(entry.origin, message)
                .hint("give both, or `ssl.keystore.location` with a file of both"));
        }
        (None, None, Some(location)) => {
            // librdkafka's `ssl.keystore.location` is PKCS #12; Java's default is JKS.
            let otherwise = if java && location.origin == Origin::File { Kind::Java } else { Kind::Pkcs12 };
            match kind(&location, declared.as_ref(), otherwise) {
                Some(Kind::Pem) => {
                    // Key and certificates in one file: OpenSSL reads the blocks that it is asked for and passes the others.
                    given.take("ssl.keystore.location");
                    given.set("ssl.certificate.location", &location.value, location.origin);
                    given.set("ssl.key.location", &location.value, location.origin);
                    given.ignore("ssl.keystore.password", "a PEM key's password is `ssl.key.password`");
                }
                Some(Kind::Pkcs12) => {}
                Some(Kind::Java) => refusals.push(Refusal { location, kind: Kind::Java, trust: false }),
                None => return Err(unknown_type(given, "ssl.keystore.type", &location)),
            }
        }
        (None, None, None) => {}
    }
    for key in KEYSTORE {
        given.take(key);
    }
    Ok(())
}

fn unknown_type(given: &Given<'_>, key: &str, location: &Entry) -> Error {
    let place = given.place(location.origin);
    given
        .error(location.origin, format!("`{key}`{place} is none of `PEM`, `PKCS12` and `JKS`"))
        .hint(format!("convert `{}` to PEM or PKCS #12 with `keytool`", location.value))
}

/// One error for all stores that have to be converted, with the commands that do it.
fn refused(given: &Given<'_>, refusals: Vec<Refusal>) -> Error {
    let origin = refusals.iter().map(|refusal| refusal.location.origin).min().unwrap_or(Origin::Flag);
    let names: Vec<String> = refusals
        .iter()
        .map(|refusal| {
            let format = if refusal.kind == Kind::Java { "a Java keystore" } else { "a PKCS #12 truststore" };
            format!("`{}` is {format}", refusal.location.value)
        })
        .collect();
    let place = given.place(origin);
    let which = if refusals.len() == 1 { "which" } else { "neither of which" };
    let verb = if refusals.len() == 1 { "cannot read" } else { "reads" };
    let mut error = given.error(origin, format!("{}, {which} librdkafka {verb} (named{place})", names.join(" and ")));
    if place.is_empty() {
        error.message = format!("{}, {which} librdkafka {verb}", names.join(" and "));
    }
    for Refusal { location, kind, trust } in refusals {
        let source = location.value;
        let stem = match source.rfind('.') {
            Some(at) if !source[at..].contains(['/', '\\']) && at > 0 => &source[..at],
            _ => &source,
        };
        let (p12, pem) = (format!("{stem}.p12"), format!("{stem}.pem"));
        let mut archive = source.clone();
        if kind == Kind::Java {
            error = error.hint(format!(
                "convert it: `keytool -importkeystore -srckeystore {} -destkeystore {} -deststoretype PKCS12`",
                quote(&source),
                quote(&p12)
            ));
            archive = p12.clone();
        }
        error = if trust {
            error
                .hint(format!(
                    "take the certificates out: `openssl pkcs12 -in {} -nokeys -out {}`",
                    quote(&archive),
                    quote(&pem)
                ))
                .hint(format!("then `-X ssl.ca.location={}`, or in the file `ssl.ca.location={pem}`", quote(&pem)))
        } else {
            error.hint(format!(
                "then `-X ssl.keystore.location={}`, or in the file `ssl.keystore.type=PKCS12` and `ssl.keystore.location={p12}`",
                quote(&p12)
            ))
        };
    }
    error
}

/// Values that have the same name in Java and in librdkafka, and another form.
fn details(given: &mut Given<'_>) {
    const ALGORITHM: &str = "ssl.endpoint.identification.algorithm";
    if let Some(entry) = given.entry(ALGORITHM).cloned() {
        // Empty is Java's way to turn the check of host names off.
        let value = if entry.value.is_empty() { "none".to_owned() } else { entry.value.to_ascii_lowercase() };
        given.set(ALGORITHM, &value, entry.origin);
    }
    const SUITES: &str = "ssl.cipher.suites";
    if given.entry(SUITES).is_some_and(|entry| {
        entry.origin == Origin::File
            && (entry.value.is_empty() || entry.value.contains("TLS_") || entry.value.contains("SSL_"))
    }) {
        given.ignore(SUITES, "it has Java's names of ciphers, and OpenSSL has others");
    }
}

/// PEM text within a property.
fn inline(given: &Given<'_>, entry: &Entry) -> Result<String, Error> {
    pem(&entry.value).ok_or_else(|| {
        let place = given.place(entry.origin);
        given
            .error(entry.origin, format!("`{}`{place} holds no PEM text", entry.key))
            .hint("PEM text goes from `-----BEGIN …-----` to `-----END …-----`")
    })
}

/// The PEM blocks of a text in the form that OpenSSL reads: Java takes any blanks in place of the line breaks
/// (`DefaultSslEngineFactory.PemParser`), and a properties file's continued lines have none.
fn pem(text: &str) -> Option<String> {
    const BEGIN: &str = "-----BEGIN ";
    const DASHES: &str = "-----";
    let mut blocks = String::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(BEGIN) {
        let (label, after) = after.split_once(DASHES)?;
        let end = format!("-----END {label}-----");
        let (body, after) = after.split_once(end.as_str())?;
        rest = after;
        blocks.push_str(&format!("{BEGIN}{label}{DASHES}\n"));
        if body.contains(':') {
            // The headers of an old encrypted key need their lines.
            for line in body.trim().lines() {
                blocks.push_str(line.trim());
                blocks.push('\n');
            }
        } else {
            let base64: Vec<char> = body.chars().filter(|c| !c.is_whitespace()).collect();
            for line in base64.chunks(64) {
                blocks.extend(line);
                blocks.push('\n');
            }
        }
        blocks.push_str(&end);
        blocks.push('\n');
    }
    (!blocks.is_empty()).then_some(blocks)
}
