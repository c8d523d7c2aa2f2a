//! The one time grammar: a moment as people type it, and a span.
//!
//! No clock: `now` and the zone are arguments. `now` is taken once per run, so every time of a run is read against the same moment.

mod civil;
mod span;
#[cfg(test)]
mod tests;

use crate::error::{Code, Error};
use crate::model::Timestamp;
use jiff::tz::TimeZone;
use std::time::Duration;

/// What a person may type, for hints.
const FORMS: &str = "a time is `2026-12-01T10:00:00Z`, `2026-12-01T10:00+05:30`, `2026-12-01 10:00` (in `--tz`), `2026-12-01`, `14:05` (the latest one), \
`1796119200` (seconds), `1796119200000` (milliseconds), `now`, or a span back from now: `90s`, `2h`, `1d12h`, `PT2H`";

/// A moment that was asked for: what was typed and what it resolved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The moment that was meant.
    pub timestamp: Timestamp,
    text: String,
    /// The moment in the zone it was given in; `None` where that is UTC.
    local: Option<String>,
}

impl Moment {
    /// What was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether this is later than `now`.
    pub fn is_after(&self, now: Timestamp) -> bool {
        self.timestamp > now
    }

    /// One line: the moment in the zone it was given in, in UTC, in epoch milliseconds, and how long ago it was.
    pub fn echo(&self, now: Timestamp) -> String {
        let utc = self.timestamp;
        let millis = utc.as_millis();
        let distance = distance(utc, now);
        match &self.local {
            Some(local) => format!("{local} = {utc} = {millis} ms, {distance}"),
            None => format!("{utc} = {millis} ms, {distance}"),
        }
    }
}

/// Milliseconds since the epoch, and the zone in which they were given (`None`: UTC).
struct Instant {
    millis: i64,
    zone: Option<TimeZone>,
}

/// Reads a time. A date-time without a zone, a date and a time of day are read in `zone`.
///
/// Kafka finds the first record at or after a millisecond (`ListOffsets`), so a finer fraction is rounded up: rounded down, the
/// lookup would find records from before the moment that was asked for. Times before 1970 are refused, since Kafka reads
/// negative timestamps as "latest" (-1), "earliest" (-2) and others (`ListOffsetsRequest`).
pub fn parse(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Moment, Error> {
    let typed = text.trim();
    let instant = read(typed, now, zone)?;
    if instant.millis < 0 {
        return Err(Error::usage(format!("`{}` lies before 1970, where Kafka has no times to look up", shown(typed)))
            .hint("the earliest time is `1970-01-01T00:00:00Z`"));
    }
    let timestamp = Timestamp(instant.millis);
    let local = instant.zone.and_then(|zone| local(timestamp, &zone));
    Ok(Moment { timestamp, text: typed.to_owned(), local })
}

/// Reads the name of a time zone: `UTC`, `local` (the system's), or a name of the tz database, such as `Europe/Berlin`.
pub fn zone(text: &str) -> Result<TimeZone, Error> {
    let name = text.trim();
    if name.eq_ignore_ascii_case("local") {
        return TimeZone::try_system().map_err(|error| {
            Error::usage("the system's time zone cannot be told")
                .hint("name it: `--tz Europe/Berlin`, or `--tz UTC`")
                .caused_by(error)
        });
    }
    match TimeZone::get(name) {
        Ok(zone) if !zone.is_unknown() => Ok(zone),
        _ => {
            let error = Error::usage(format!("`{}` is not a time zone", shown(name)))
                .hint("a time zone is `UTC`, `local`, or a name such as `Europe/Berlin`");
            Err(if name.starts_with(['+', '-']) {
                error.hint("an offset belongs to the time itself: `2026-12-01T10:00+05:30`")
            } else {
                error
            })
        }
    }
}

/// Reads a span: `30s`, `5m`, `1d12h`, `500ms`, `1w`, or ISO 8601 `PT2H`. The unit is required, a day is 24 hours, and there are
/// no months or years, whose length depends on the date.
pub fn span(text: &str) -> Result<Duration, Error> {
    span::parse(text.trim()).map(Duration::from_millis)
}

fn read(typed: &str, now: Timestamp, zone: &TimeZone) -> Result<Instant, Error> {
    let Some(first) = typed.chars().next() else {
        return Err(Error::usage("a time is missing").hint(FORMS));
    };
    let here = |millis| Instant { millis, zone: Some(zone.clone()) };
    if typed.eq_ignore_ascii_case("now") {
        return Ok(here(now.as_millis()));
    }
    match first {
        '+' => {
            return Err(Error::usage(format!(
                "`{}` would lie in the future; a span counts back from now, without a sign",
                shown(typed)
            ))
            .hint(FORMS));
        }
        '-' | '\u{2212}' => {
            return Err(Error::usage(format!(
                "`{}` has a sign; a span counts back from now, without one",
                shown(typed)
            ))
            .hint(FORMS));
        }
        _ => {}
    }
    if typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return epoch(typed).map(here);
    }
    if matches!(first, 'P' | 'p') || (first.is_ascii_digit() && !typed.contains(['-', ':'])) {
        let back = span::parse(typed).map_err(|error| error.hint(FORMS))?;
        // A span that reaches before 1970 is refused by the caller; saturation keeps it there.
        let back = i64::try_from(back).unwrap_or(i64::MAX);
        return Ok(here(now.as_millis().saturating_sub(back)));
    }
    civil::parse(typed, now, zone)
}

/// Epoch seconds (10 digits, 2001 to 2286) or milliseconds (13); any other number is more likely something else.
fn epoch(digits: &str) -> Result<i64, Error> {
    let count = digits.len();
    let number = digits.parse::<i64>().ok();
    match (count, number) {
        (10, Some(seconds)) => return Ok(seconds * 1000),
        (13, Some(millis)) => return Ok(millis),
        _ => {}
    }
    let seen = shown(digits);
    let error = match count {
        16 | 19 => {
            let unit = if count == 16 { "micro" } else { "nano" };
            Error::usage(format!(
                "`{seen}` has {count} digits, which looks like {unit}seconds since the epoch; Kafka's times are milliseconds"
            ))
            .hint(format!("in milliseconds: `{}`", &digits[..13]))
        }
        8 | 14 => Error::usage(format!("`{seen}` has {count} digits, which looks like a date without its separators"))
            .hint(format!("with separators: `{}-{}-{}`", &digits[..4], &digits[4..6], &digits[6..8])),
        _ => {
            let s = if count == 1 { "" } else { "s" };
            let error = Error::usage(format!(
                "`{seen}` has {count} digit{s}; seconds since the epoch have 10, milliseconds have 13"
            ));
            if count < 8 {
                error.hint(format!("a span needs its unit: `{seen}s`, `{seen}m`, `{seen}h`"))
            } else {
                error
            }
        }
    };
    Err(error.hint(FORMS))
}

fn unreadable(typed: &str) -> Error {
    Error::usage(format!("`{}` is not a time", shown(typed))).hint(FORMS)
}

fn out_of_range(typed: &str, why: &str) -> Error {
    Error::usage(format!("`{}` is not a time: {why}", shown(typed))).hint(FORMS)
}

fn ambiguous(message: String, hint: String) -> Error {
    Error::new(Code::AmbiguousTime, message).hint(hint)
}

/// What was typed, fit for a message: no control characters, not endless.
fn shown(text: &str) -> String {
    const LONGEST: usize = 64;
    let mut shown: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() || c == '`' { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// RFC 3339 in this zone, with the zone's name where it has one; `None` for UTC itself.
fn local(timestamp: Timestamp, zone: &TimeZone) -> Option<String> {
    let instant = jiff::Timestamp::from_millisecond(timestamp.as_millis()).ok()?;
    let offset = zone.to_offset(instant);
    let text = instant.display_with_offset(offset);
    match zone.iana_name() {
        Some("UTC") => None,
        Some(name) => Some(format!("{text}[{name}]")),
        None if offset.is_zero() => None,
        None => Some(text.to_string()),
    }
}

/// How a zone is named in a sentence.
fn zone_name(zone: &TimeZone) -> String {
    match zone.iana_name() {
        Some(name) => format!("`{name}`"),
        None => "the local time zone".to_owned(),
    }
}

/// `2h 3m ago`, `in 5s`, or `now`.
fn distance(then: Timestamp, now: Timestamp) -> String {
    if then == now {
        return "now".to_owned();
    }
    let text = length(i64::try_from(now.as_millis().abs_diff(then.as_millis())).unwrap_or(i64::MAX));
    if then > now { format!("in {text}") } else { format!("{text} ago") }
}

/// `2h 3m`, `7d`: the two largest units of so many milliseconds, since an exact number stands beside it.
pub fn length(millis: i64) -> String {
    const UNITS: [(u64, &str); 5] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
    let millis = millis.unsigned_abs();
    let largest = UNITS.iter().position(|(unit, _)| millis >= *unit).unwrap_or(UNITS.len() - 1);
    let (unit, name) = UNITS[largest];
    let mut text = format!("{}{name}", millis / unit);
    if let Some((finer, name)) = UNITS.get(largest + 1)
        && millis % unit / finer > 0
    {
        text.push_str(&format!(" {}{name}", millis % unit / finer));
    }
    text
}
