use std::borrow::Cow;

/// Text as a terminal may have it: control characters, and those that turn the direction of writing, shown as escapes. Line
/// breaks too: a name with one must not look like two rows.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\t' => shown.push_str("\\t"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn control_characters_never_reach_a_terminal_raw() {
        assert_eq!(visible("orders é 注文"), "orders é 注文");
        assert_eq!(visible("a\u{1b}[2Jb\tc\nd"), "a\\u{1b}[2Jb\\tc\\nd");
        assert_eq!(visible("x\u{202e}y"), "x\\u{202e}y");
    }
}
