//! Secrets, kept out of everything that is printed or written down.

/// What stands in a secret's place.
pub(super) const HIDDEN: &str = "***";

/// Whether a property's value is a secret: a password, a key or a token, in Kafka's names, librdkafka's and those of others.
pub fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    const PARTS: [&str; 9] = [
        "password",
        "passphrase",
        "passwd",
        "secret",
        "jaas",
        "key.pem",
        "keystore.key",
        // `ssl.keystore.key`'s sister in Confluent's clients, user and password in one.
        "auth.user.info",
        // Marked sensitive by librdkafka: it may hold a token.
        "sasl.oauthbearer.config",
    ];
    PARTS.iter().any(|part| key.contains(part)) || key.ends_with("token") || key.ends_with("api.key")
}

/// A command line that can be read and pasted, with the secrets of `-X` and of URLs replaced.
pub fn redact_command_line(args: &[String]) -> String {
    let mut hide_next = false;
    let mut words = Vec::with_capacity(args.len());
    for arg in args {
        let word = if std::mem::take(&mut hide_next) { HIDDEN.to_owned() } else { redact_argument(arg) };
        // `--some-password VALUE` is nothing that krewind knows, yet may have been typed.
        hide_next = arg.starts_with("--") && !arg.contains('=') && is_secret(arg);
        words.push(quote(&word));
    }
    words.join(" ")
}

fn redact_argument(arg: &str) -> String {
    // `-Xkey=value`, `key=value`, `--flag=key=value` and `host=h password=p`: what follows the first `=` behind a secret name.
    let mut start = 0;
    for (at, _) in arg.match_indices('=') {
        if is_secret(arg[start..at].trim_end()) {
            return format!("{}{HIDDEN}", redact_urls(&arg[..=at]));
        }
        start = at + 1;
    }
    redact_urls(arg)
}

/// `postgres://user:password@host` without the password.
pub(super) fn redact_urls(text: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        redacted.push_str(before);
        redacted.push_str("://");
        let end = after.find(['/', '?', '#', ' ', ',']).unwrap_or(after.len());
        rest = after;
        // An unescaped `/` or `?` in a password does not end the search for its `@`, or the password would be shown.
        let at = after[..end].rfind('@').or_else(|| after.split(' ').next().and_then(|url| url.rfind('@')));
        if let Some(at) = at {
            match after[..at].split_once(':') {
                Some((user, _)) if !user.contains('/') => redacted.push_str(&format!("{user}:{HIDDEN}")),
                _ => redacted.push_str(&after[..at]),
            }
            rest = &after[at..];
        }
    }
    redacted.push_str(rest);
    redacted
}

/// A word as a shell reads it.
pub(super) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_@%+=:,./".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.chars().any(char::is_control) {
        let escaped: String = word
            .chars()
            .map(|c| match c {
                '\n' => "\\n".to_owned(),
                '\t' => "\\t".to_owned(),
                '\\' | '\'' => format!("\\{c}"),
                c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
                c => c.to_string(),
            })
            .collect();
        return format!("$'{escaped}'");
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(args: &[&str]) -> String {
        redact_command_line(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_of_secrets() {
        for key in [
            "sasl.password",
            "ssl.key.password",
            "ssl.keystore.password",
            "ssl.truststore.password",
            "sasl.jaas.config",
            "ssl.key.pem",
            "ssl.keystore.key",
            "sasl.oauthbearer.client.secret",
            "sasl.oauthbearer.client.credentials.client.secret",
            "sasl.oauthbearer.assertion.private.key.passphrase",
            "sasl.oauthbearer.assertion.private.key.pem",
            "sasl.oauthbearer.config",
            "basic.auth.user.info",
            "schema.registry.basic.auth.user.info",
            "bearer.auth.token",
            "SASL.PASSWORD",
        ] {
            assert!(is_secret(key), "{key}");
        }
        for key in
            ["sasl.username", "ssl.key.location", "ssl.ca.pem", "sasl.oauthbearer.token.endpoint.url", "client.id"]
        {
            assert!(!is_secret(key), "{key}");
        }
    }

    #[test]
    fn command_lines() {
        assert_eq!(
            line(&["krewind", "reset", "my group", "-X", "sasl.password=hunter2"]),
            "krewind reset 'my group' -X 'sasl.password=***'"
        );
        assert_eq!(line(&["-Xsasl.password=hunter2", "-X", "client.id=a"]), "'-Xsasl.password=***' -X client.id=a");
        assert_eq!(line(&["-qXssl.key.password=a=b"]), "'-qXssl.key.password=***'");
        assert_eq!(line(&["-X=sasl.password=hunter2"]), "'-X=sasl.password=***'");
        assert_eq!(line(&["-X", "sasl.jaas.config=M required password=\"p\";"]), "-X 'sasl.jaas.config=***'");
        assert_eq!(line(&["-X", "sasl.password = hunter2"]), "-X 'sasl.password =***'");
        assert_eq!(line(&["--db-password", "hunter2", "x"]), "--db-password '***' x");
        assert_eq!(line(&["--into", "postgres://me:hunter2@db:5432/x"]), "--into 'postgres://me:***@db:5432/x'");
        assert_eq!(line(&["--into", "postgres://me:hun/ter2@db/x"]), "--into 'postgres://me:***@db/x'");
        assert_eq!(line(&["--into=postgres://db/x?password=hunter2"]), "'--into=postgres://db/x?password=***'");
        assert_eq!(line(&["host=db password=hunter2 user=me"]), "'host=db password=***'");
        assert_eq!(line(&["", "it's", "a\nb"]), r"'' 'it'\''s' $'a\nb'");
        assert_eq!(line(&["--tz", "Europe/Berlin", "-b", "a:9092,b:9092"]), "--tz Europe/Berlin -b a:9092,b:9092");
    }

    proptest! {
        #[test]
        fn no_panic_and_no_secret(args in proptest::collection::vec("([a-z:/@=. é]|\\PC){0,30}", 0..5)) {
            let mut args = args;
            args.push("-X".into());
            args.push("sasl.password=HUNTER2".into());
            prop_assert!(!redact_command_line(&args).contains("HUNTER2"));
        }
    }
}
