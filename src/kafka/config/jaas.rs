//! `sasl.jaas.config`: `org.example.LoginModule required name="value" … ;`, as Kafka's `JaasConfig` reads it.

/// One login module and its options.
#[derive(PartialEq, Eq)]
pub(super) struct Login {
    /// The class's name without its package, which differs where Kafka is shaded.
    pub(super) module: String,
    options: Vec<(String, String)>,
}

impl Login {
    /// An option; of one given twice, the last.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

enum Token {
    Word(String),
    Quoted(String),
    Equals,
    End,
}

/// Parses the one login module; what is wrong is said without any of the text, which holds a password.
pub(super) fn parse(text: &str) -> Result<Login, &'static str> {
    let mut tokens = tokens(text)?.into_iter();
    let module = match tokens.next() {
        Some(Token::Word(name) | Token::Quoted(name)) => name,
        _ => return Err("names no login module"),
    };
    match tokens.next() {
        Some(Token::Word(flag) | Token::Quoted(flag))
            if ["required", "requisite", "sufficient", "optional"].contains(&flag.to_ascii_lowercase().as_str()) => {}
        _ => return Err("lacks `required` after the login module"),
    }
    let mut options = Vec::new();
    loop {
        let key = match tokens.next() {
            Some(Token::Word(key) | Token::Quoted(key)) => key,
            Some(Token::End) => break,
            Some(Token::Equals) => return Err("has a value without a name"),
            None => return Err("does not end with `;`"),
        };
        match (tokens.next(), tokens.next()) {
            (Some(Token::Equals), Some(Token::Word(value) | Token::Quoted(value))) => options.push((key, value)),
            _ => return Err("has an option without a value"),
        }
    }
    if tokens.next().is_some() {
        return Err("has more than one login module");
    }
    let module = module.rsplit('.').next().unwrap_or_default().to_owned();
    Ok(Login { module, options })
}

fn tokens(text: &str) -> Result<Vec<Token>, &'static str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
        } else if first == '=' || first == ';' {
            tokens.push(if first == '=' { Token::Equals } else { Token::End });
            rest = &rest[1..];
        } else if first == '"' || first == '\'' {
            let (value, after) = quoted(&rest[1..], first).ok_or("has a quote that is not closed")?;
            tokens.push(Token::Quoted(value));
            rest = after;
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "=;\"'".contains(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            tokens.push(Token::Word(word.to_owned()));
            rest = after;
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

/// A quoted string and what follows it; the escapes are those of `java.io.StreamTokenizer`.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    loop {
        let c = chars.next()?;
        if c == quote {
            return Some((value, chars.as_str()));
        }
        if c == '\n' || c == '\r' {
            return None;
        }
        if c != '\\' {
            value.push(c);
            continue;
        }
        let escaped = chars.next()?;
        value.push(match escaped {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0'..='7' => {
                // Up to three digits, and no more than 0o377.
                let most = if escaped <= '3' { 2 } else { 1 };
                let mut code = escaped.to_digit(8)?;
                for _ in 0..most {
                    let Some(digit) = chars.as_str().chars().next().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    chars.next();
                }
                char::from_u32(code)?
            }
            other => other,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn password(text: &str) -> String {
        match parse(text) {
            Ok(login) => login.option("password").unwrap_or("-").to_owned(),
            Err(why) => panic!("{text}: {why}"),
        }
    }

    #[test]
    fn quoting() {
        for (text, expected) in [
            (r#"a.b.PlainLoginModule required username="u" password="p";"#, "p"),
            (r#"M required password="b\"c" ;"#, r#"b"c"#),
            (r#"M required password='b"c';"#, r#"b"c"#),
            (r#"M required password='it\'s';"#, "it's"),
            (r#"M required password="a;b=c d//e";"#, "a;b=c d//e"),
            (r#"M required password="back\\slash";"#, r"back\slash"),
            (r#"M required password="\101\t\0618";"#, "A\t18"),
            (r#"M REQUIRED password = "" username=u;"#, ""),
            ("M required password=plain-word_1.2/3;", "plain-word_1.2/3"),
            ("M required /* c */ password=\"p\" // d\n;", "p"),
            ("M\n  required\n  username=\"u\"\n  password=\"p\";\n", "p"),
            ("M required password=\"ä€\";", "ä€"),
            ("M required password=a password=b;", "b"),
        ] {
            assert_eq!(password(text), expected, "{text}");
        }
        assert_eq!(parse("a.b.C required;").map(|login| login.module), Ok("C".to_owned()));
    }

    #[test]
    fn what_is_wrong() {
        for (text, why) in [
            ("", "names no login module"),
            ("M", "lacks `required` after the login module"),
            ("M needed a=b;", "lacks `required` after the login module"),
            ("M required a=b", "does not end with `;`"),
            ("M required a;", "has an option without a value"),
            ("M required a=;", "has an option without a value"),
            ("M required =a;", "has a value without a name"),
            ("M required a=\"b;", "has a quote that is not closed"),
            ("M required a=b; N required c=d;", "has more than one login module"),
        ] {
            assert_eq!(parse(text).err(), Some(why), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_panic(text in "(M required )?([a-z=;\"' \\\\0-9/*é\n]|\\PC){0,60}") {
            let _ = parse(&text);
        }
    }
}
