//! A span: units, or ISO 8601 in the part of it that has a fixed length.

use super::shown;
use crate::error::Error;

const FORMS: &str = "a span is `500ms`, `30s`, `5m`, `2h`, `1d12h`, `1w`, or `PT2H`, `P1DT12H`";

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;

/// The milliseconds of a span.
pub(super) fn parse(text: &str) -> Result<u64, Error> {
    match text.chars().next() {
        None => Err(Error::usage("a span is missing").hint(FORMS)),
        Some('+' | '-' | '\u{2212}') => {
            Err(Error::usage(format!("`{}` has a sign; a span has none", shown(text))).hint(FORMS))
        }
        Some('P' | 'p') => iso(text),
        Some(_) => units(text),
    }
}

/// `1d12h`: numbers with their units, the larger unit first, each once.
fn units(text: &str) -> Result<u64, Error> {
    let mut total: u64 = 0;
    let mut previous = u64::MAX;
    let mut rest = text;
    while !rest.is_empty() {
        let (number, after) = split(rest, |c| c.is_ascii_digit());
        let (name, after) = split(after, |c| c.is_ascii_alphabetic());
        if number.is_empty() {
            return Err(unreadable(text));
        }
        if after.starts_with(['.', ',']) {
            return Err(Error::usage(format!("`{}` has a fraction; a span is whole numbers", shown(text)))
                .hint("the next smaller unit has room for it: `1h30m` for an hour and a half"));
        }
        if name.is_empty() {
            return Err(Error::usage(format!("`{}` has a number without a unit", shown(text)))
                .hint(format!("the unit is required: `{}s`, `{}m`, `{}h`", shown(number), shown(number), shown(number)))
                .hint(FORMS));
        }
        let unit = match name {
            "ms" => 1,
            "s" => SECOND,
            "m" => MINUTE,
            "h" => HOUR,
            "d" => DAY,
            "w" => WEEK,
            "M" | "mo" | "month" | "months" | "y" | "Y" | "year" | "years" => return Err(calendar(text)),
            other => {
                return Err(Error::usage(format!(
                    "`{}` has the unit `{}`, which is not known",
                    shown(text),
                    shown(other)
                ))
                .hint("the units are `ms`, `s`, `m` (minutes), `h`, `d` (24 hours) and `w`"));
            }
        };
        if unit >= previous {
            return Err(Error::usage(format!("`{}` does not go from larger units to smaller ones", shown(text)))
                .hint("each unit once, the largest first: `1d12h`"));
        }
        previous = unit;
        total = add(text, total, number, unit)?;
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    Ok(total)
}

/// `P1DT12H`, as `java.time.Duration` and Kafka's `--by-duration` have it; weeks too.
fn iso(text: &str) -> Result<u64, Error> {
    // The first character is the `P`, in either case.
    let mut rest = &text[1..];
    let mut total: u64 = 0;
    let mut previous = u64::MAX;
    let mut in_time = false;
    let mut empty = true;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(['T', 't'])
            && !in_time
        {
            in_time = true;
            empty = true;
            rest = after;
            continue;
        }
        if rest.starts_with(['-', '+']) {
            return Err(Error::usage(format!("`{}` has a sign; a span has none", shown(text))).hint(FORMS));
        }
        let (number, after) = split(rest, |c| c.is_ascii_digit());
        let (fraction, after) = match after.strip_prefix(['.', ',']) {
            Some(after) => split(after, |c| c.is_ascii_digit()),
            None => ("", after),
        };
        let mut letters = after.chars();
        let Some(letter) = letters.next() else {
            return Err(unreadable(text));
        };
        let unit = match (letter.to_ascii_uppercase(), in_time) {
            ('W', false) => WEEK,
            ('D', false) => DAY,
            ('H', true) => HOUR,
            ('M', true) => MINUTE,
            ('S', true) => SECOND,
            ('M' | 'Y', false) => return Err(calendar(text)),
            ('H' | 'S', false) => {
                return Err(Error::usage(format!(
                    "`{}` lacks the `T` before its hours, minutes or seconds",
                    shown(text)
                ))
                .hint(FORMS));
            }
            _ => return Err(unreadable(text)),
        };
        let digits_missing = number.is_empty() || (fraction.is_empty() && after.len() + number.len() != rest.len());
        if digits_missing || unit >= previous || (!fraction.is_empty() && unit != SECOND) {
            return Err(unreadable(text));
        }
        previous = unit;
        total = add(text, total, number, unit)?;
        if !fraction.is_empty() {
            let significant = fraction.trim_end_matches('0');
            if significant.len() > 3 {
                return Err(Error::usage(format!("`{}` is finer than a millisecond", shown(text))).hint(FORMS));
            }
            total = add(text, total, &format!("{significant:0<3}"), 1)?;
        }
        empty = false;
        rest = letters.as_str();
    }
    if empty { Err(unreadable(text)) } else { Ok(total) }
}

fn add(text: &str, total: u64, number: &str, unit: u64) -> Result<u64, Error> {
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .and_then(|millis| millis.checked_add(total))
        .ok_or_else(|| Error::usage(format!("`{}` is longer than any span can be", shown(text))).hint(FORMS))
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn unreadable(text: &str) -> Error {
    Error::usage(format!("`{}` is not a span", shown(text))).hint(FORMS)
}

fn calendar(text: &str) -> Error {
    Error::usage(format!("`{}` counts months or years, whose length depends on the date", shown(text)))
        .hint("in days or weeks: `30d`, `4w`; or give the date: `2026-12-01`")
}
