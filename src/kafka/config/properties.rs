//! Java `.properties` syntax, as `java.util.Properties.load` reads it.

/// One property.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) key: String,
    pub(super) value: String,
}

/// The line (from 1) that cannot be read; the only thing that can be wrong is a `\uXXXX` escape.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadEscape {
    pub(super) line: usize,
}

/// The properties in the order of the file. Values are trimmed, as Kafka trims them (`ConfigDef.parseType`).
pub(super) fn parse(text: &str) -> Result<Vec<Property>, BadEscape> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut properties = Vec::new();
    let mut lines = text.split('\n').enumerate();
    while let Some((at, first)) = lines.next() {
        let first = first.trim_start_matches(is_blank);
        if first.is_empty() || first.starts_with(['#', '!']) {
            continue;
        }
        // A line that ends in an odd number of backslashes goes on in the next one, comment or not, without its leading blanks.
        let mut logical = first.to_owned();
        while continues(&logical) {
            logical.pop();
            match lines.next() {
                Some((_, next)) => logical.push_str(next.trim_start_matches(is_blank)),
                None => break,
            }
        }
        let (key, value) = split(&logical);
        let read = |text: &str| unescape(text).ok_or(BadEscape { line: at + 1 });
        properties.push(Property { key: read(key)?, value: read(value)?.trim().to_owned() });
    }
    Ok(properties)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

fn continues(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The key ends at the first `=`, `:` or blank without a backslash before it; blanks and one `=` or `:` part it from the value.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line
        .char_indices()
        .find(|(_, c)| {
            let ends = !escaped && (is_blank(*c) || matches!(c, '=' | ':'));
            escaped = !escaped && *c == '\\';
            ends
        })
        .map_or(line.len(), |(at, _)| at);
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(is_blank);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, value.trim_start_matches(is_blank))
}

fn unescape(text: &str) -> Option<String> {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    let mut buffer = [0; 2];
    while let Some(c) = rest.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut buffer));
            continue;
        }
        match rest.next() {
            Some('t') => units.push(u16::from(b'\t')),
            Some('n') => units.push(u16::from(b'\n')),
            Some('r') => units.push(u16::from(b'\r')),
            Some('f') => units.push(0x0c),
            Some('u') => {
                let digits = rest.as_str().get(..4)?;
                if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return None;
                }
                units.push(u16::from_str_radix(digits, 16).ok()?);
                rest = rest.as_str()[4..].chars();
            }
            Some(other) => units.extend_from_slice(other.encode_utf16(&mut buffer)),
            None => {}
        }
    }
    // Java's strings are UTF-16, so that two escapes may make up one character.
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        parse(text).unwrap().into_iter().map(|property| (property.key, property.value)).collect()
    }

    fn one(text: &str) -> (String, String) {
        let mut all = pairs(text);
        assert_eq!(all.len(), 1, "{text:?}");
        all.remove(0)
    }

    #[test]
    fn separators() {
        for text in
            ["a=b", "a = b", "a:b", "a : b", "a b", "a\tb", "  a\t= \tb  ", "a=b\r\n", "\u{feff}a=b", "\n\n a=b\r# c"]
        {
            assert_eq!(one(text), ("a".into(), "b".into()), "{text:?}");
        }
        assert_eq!(one("a==b"), ("a".into(), "=b".into()));
        assert_eq!(one("a = :b"), ("a".into(), ":b".into()));
        assert_eq!(one("a"), ("a".into(), String::new()));
        assert_eq!(one("a="), ("a".into(), String::new()));
        assert_eq!(one("=b"), (String::new(), "b".into()));
        assert_eq!(one(r"a\=b\:c\ d=e"), ("a=b:c d".into(), "e".into()));
        assert_eq!(one("a=b # no comment"), ("a".into(), "b # no comment".into()));
    }

    #[test]
    fn comments_and_continuations() {
        assert_eq!(pairs("# a=b\\\n! c=d\n   #e\n\t\n"), []);
        assert_eq!(one("a=b\\\n   c\\\r\n\td"), ("a".into(), "bcd".into()));
        assert_eq!(one("a=b\\\n# c"), ("a".into(), "b# c".into()));
        assert_eq!(one("a=b\\"), ("a".into(), "b".into()));
        assert_eq!(pairs("a=b\\\\\nc=d"), [("a".into(), "b\\".into()), ("c".into(), "d".into())]);
    }

    #[test]
    fn escapes() {
        assert_eq!(one(r"a=\t\n\u00e9\uD83D\uDE00\q\\x").1, "\t\n\u{e9}\u{1f600}q\\x".trim());
        assert_eq!(one(r"a=x\uD83Dy").1, "x\u{fffd}y");
        assert_eq!(parse("b=c\n\na=\\u12"), Err(BadEscape { line: 3 }));
        assert_eq!(parse("a=\\u+123"), Err(BadEscape { line: 1 }));
        assert_eq!(parse("a=\\u12é4"), Err(BadEscape { line: 1 }));
    }

    proptest! {
        #[test]
        fn no_panic(text in "([a-z=: \\\\\n\ru0-9#é\t]|\\PC){0,60}") {
            let _ = parse(&text);
        }
    }
}
