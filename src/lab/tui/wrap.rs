//! Text in lines of a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Breaks between words, and within one that is wider than a line. At least one line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let wide = word.width();
        if used > 0 && used + 1 + wide > width {
            lines.push(String::new());
            used = 0;
        }
        for sign in (if used > 0 { " " } else { "" }).chars().chain(word.chars()) {
            let wide = sign.width().unwrap_or(0);
            if used + wide > width {
                lines.push(String::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                line.push(sign);
            }
            used += wide;
        }
    }
    lines
}
