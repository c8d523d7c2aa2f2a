//! Dates and times of day, with and without a zone.

use super::{FORMS, Instant, ambiguous, out_of_range, shown, unreadable, zone_name};
use crate::error::Error;
use crate::model::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// A reading head over what was typed.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// Exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<i16> {
        let digits = self.rest.get(..count)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.rest = &self.rest[count..];
        digits.parse().ok()
    }

    fn eat(&mut self, wanted: &[char]) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// All digits that follow.
    fn run(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits
    }
}

/// A time of day to the second, and the milliseconds above it: up to 1000, for a fraction that is rounded up.
struct Clock {
    time: Time,
    millis: i64,
}

/// A date, a date-time or a time of day.
pub(super) fn parse(typed: &str, now: Timestamp, zone: &TimeZone) -> Result<Instant, Error> {
    if typed.find(':').is_some_and(|at| at <= 2) {
        return time_of_day(typed, now, zone);
    }
    let mut cursor = Cursor { rest: typed };
    let date = date(&mut cursor, typed)?;
    if cursor.rest.is_empty() {
        let start = in_zone(typed, date.at(0, 0, 0, 0), zone)?;
        return Ok(Instant { millis: start, zone: Some(zone.clone()) });
    }
    if !cursor.eat(&['T', 't', ' ']) {
        return Err(unreadable(typed));
    }
    let clock = clock(&mut cursor, typed, 2)?;
    let datetime = date.to_datetime(clock.time);
    let offset = offset(&mut cursor, typed)?;
    let named = annotation(&mut cursor, typed)?;
    if !cursor.rest.is_empty() {
        return Err(unreadable(typed));
    }
    let (seconds, given) = match (offset, named) {
        (None, None) => (in_zone(typed, datetime, zone)?, Some(zone.clone())),
        (None, Some(named)) => (in_zone(typed, datetime, &named)?, Some(named)),
        (Some(offset), named) => {
            let at = offset.offset.to_timestamp(datetime).map_err(|_| too_far(typed))?;
            if let Some(named) = &named
                && !offset.zulu
                && named.to_offset(at) != offset.offset
            {
                return Err(Error::usage(format!(
                    "`{}` names the offset {} and {}, whose offset is {} then",
                    shown(typed),
                    rfc_offset(offset.offset),
                    zone_name(named),
                    rfc_offset(named.to_offset(at)),
                ))
                .hint("give the offset alone, or the zone alone"));
            }
            let given = named.or_else(|| (!offset.offset.is_zero()).then(|| offset.offset.to_time_zone()));
            (at.as_millisecond(), given)
        }
    };
    Ok(Instant { millis: seconds + clock.millis, zone: given })
}

/// The latest moment at or before now at which the clocks in the zone show this time.
fn time_of_day(typed: &str, now: Timestamp, zone: &TimeZone) -> Result<Instant, Error> {
    let mut cursor = Cursor { rest: typed };
    let hour_digits = typed.find(':').unwrap_or(2);
    let clock = clock(&mut cursor, typed, hour_digits)?;
    if !cursor.rest.is_empty() {
        return Err(match cursor.rest.chars().next() {
            Some('Z' | 'z' | '+' | '-' | '[') => {
                Error::usage(format!("`{}` is a time of day with a zone, which is not understood", shown(typed)))
                    .hint("a time of day is read in `--tz`; with a zone, give the date too: `2026-12-01T14:05+05:30`")
            }
            _ => unreadable(typed),
        });
    }
    let here = jiff::Timestamp::from_millisecond(now.as_millis()).map_err(|_| too_far(typed))?;
    let here = zone.to_datetime(here);
    let today = here.date();
    // Tomorrow's too: clocks that go back over midnight show the next day's first minutes once before today's last hour is over.
    for date in [today.tomorrow(), Ok(today), today.yesterday()] {
        let Ok(date) = date else { continue };
        let datetime = date.to_datetime(clock.time);
        let passed = match zone.to_ambiguous_timestamp(datetime).offset() {
            AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => {
                match offset.to_timestamp(datetime) {
                    Ok(at) => at.as_millisecond() + clock.millis <= now.as_millis(),
                    Err(_) => false,
                }
            }
            // A time that the clocks skip has passed when they show a later one.
            AmbiguousOffset::Gap { .. } => datetime <= here,
        };
        if passed {
            let millis = in_zone(typed, datetime, zone)? + clock.millis;
            return Ok(Instant { millis, zone: Some(zone.clone()) });
        }
    }
    Err(too_far(typed))
}

fn date(cursor: &mut Cursor<'_>, typed: &str) -> Result<Date, Error> {
    let read = (|| {
        let year = cursor.digits(4)?;
        let month = cursor.eat(&['-']).then(|| cursor.digits(2))??;
        let day = cursor.eat(&['-']).then(|| cursor.digits(2))??;
        Some((year, month, day))
    })();
    let Some((year, month, day)) = read else {
        return Err(unreadable(typed));
    };
    if !(1..=12).contains(&month) {
        return Err(out_of_range(typed, "months go from 01 to 12"));
    }
    let first = Date::new(year, month as i8, 1).map_err(|_| too_far(typed))?;
    let days = first.days_in_month();
    Date::new(year, month as i8, day as i8)
        .map_err(|_| out_of_range(typed, &format!("{year:04}-{month:02} has the days 01 to {days}")))
}

fn clock(cursor: &mut Cursor<'_>, typed: &str, hour_digits: usize) -> Result<Clock, Error> {
    let read = (|| {
        let hour = cursor.digits(hour_digits)?;
        let minute = cursor.eat(&[':']).then(|| cursor.digits(2))??;
        let second = if cursor.eat(&[':']) { Some(cursor.digits(2)?) } else { None };
        Some((hour, minute, second))
    })();
    let Some((hour, minute, second)) = read else {
        return Err(unreadable(typed));
    };
    if hour > 23 {
        return Err(out_of_range(typed, "hours go from 00 to 23"));
    }
    if minute > 59 {
        return Err(out_of_range(typed, "minutes go from 00 to 59"));
    }
    if second.is_some_and(|second| second > 59) {
        return Err(out_of_range(typed, "seconds go from 00 to 59"));
    }
    let mut millis = 0;
    if second.is_some() && cursor.eat(&['.', ',']) {
        let fraction = cursor.run();
        if fraction.is_empty() {
            return Err(unreadable(typed));
        }
        let (coarse, fine) = fraction.split_at(fraction.len().min(3));
        millis = format!("{coarse:0<3}").parse().unwrap_or(0);
        // Rounded up: see `super::parse`.
        if fine.bytes().any(|digit| digit != b'0') {
            millis += 1;
        }
    }
    let time = Time::new(hour as i8, minute as i8, second.unwrap_or(0) as i8, 0).map_err(|_| unreadable(typed))?;
    Ok(Clock { time, millis })
}

struct GivenOffset {
    offset: Offset,
    /// `Z`, which beside a zone's name says nothing of the zone's offset (RFC 9557 §2.2).
    zulu: bool,
}

/// `Z`, `+05:30`, `+0530` or `+05`; a space before the sign is allowed.
fn offset(cursor: &mut Cursor<'_>, typed: &str) -> Result<Option<GivenOffset>, Error> {
    if cursor.eat(&['Z', 'z']) {
        return Ok(Some(GivenOffset { offset: Offset::UTC, zulu: true }));
    }
    if cursor.rest.starts_with(" +") || cursor.rest.starts_with(" -") {
        cursor.eat(&[' ']);
    }
    let sign = if cursor.eat(&['+']) {
        1
    } else if cursor.eat(&['-']) {
        -1
    } else {
        return Ok(None);
    };
    let Some(hours) = cursor.digits(2) else {
        return Err(unreadable(typed));
    };
    let minutes = if cursor.eat(&[':']) {
        cursor.digits(2).ok_or_else(|| unreadable(typed))?
    } else {
        cursor.digits(2).unwrap_or(0)
    };
    if hours > 23 || minutes > 59 {
        return Err(out_of_range(typed, "an offset goes from -23:59 to +23:59"));
    }
    let seconds = sign * (i32::from(hours) * 3600 + i32::from(minutes) * 60);
    let offset = Offset::from_seconds(seconds).map_err(|_| unreadable(typed))?;
    Ok(Some(GivenOffset { offset, zulu: false }))
}

/// `[Europe/Berlin]`, as RFC 9557 has it.
fn annotation(cursor: &mut Cursor<'_>, typed: &str) -> Result<Option<TimeZone>, Error> {
    let Some(rest) = cursor.rest.strip_prefix('[') else {
        return Ok(None);
    };
    let Some((name, rest)) = rest.split_once(']') else {
        return Err(unreadable(typed));
    };
    cursor.rest = rest;
    match TimeZone::get(name) {
        Ok(zone) if !zone.is_unknown() => Ok(Some(zone)),
        _ => Err(Error::usage(format!("`{}` names the zone `{}`, which is not known", shown(typed), shown(name)))
            .hint("a zone's name is one such as `Europe/Berlin`")),
    }
}

/// The instant of a date-time in a zone; an error where the zone's clocks skip it or show it twice.
fn in_zone(typed: &str, datetime: DateTime, zone: &TimeZone) -> Result<i64, Error> {
    let at = |offset: Offset| offset.to_timestamp(datetime).map_err(|_| too_far(typed));
    match zone.to_ambiguous_timestamp(datetime).offset() {
        AmbiguousOffset::Unambiguous { offset } => Ok(at(offset)?.as_millisecond()),
        AmbiguousOffset::Gap { before, after } => {
            // Read with the offset of after the gap it is the earlier of the two.
            let (early, late) = (at(after)?, at(before)?);
            Err(ambiguous(
                format!(
                    "`{}` does not exist in {}, whose clocks skip it: it is `{early}` at {}, or `{late}` at {}",
                    shown(typed),
                    zone_name(zone),
                    rfc_offset(after),
                    rfc_offset(before),
                ),
                format!("give the offset: `{datetime}{}` or `{datetime}{}`", rfc_offset(after), rfc_offset(before)),
            ))
        }
        AmbiguousOffset::Fold { before, after } => {
            let (early, late) = (at(before)?, at(after)?);
            Err(ambiguous(
                format!(
                    "`{}` exists twice in {}, whose clocks go back over it: it is `{early}` at {}, or `{late}` at {}",
                    shown(typed),
                    zone_name(zone),
                    rfc_offset(before),
                    rfc_offset(after),
                ),
                format!("give the offset: `{datetime}{}` or `{datetime}{}`", rfc_offset(before), rfc_offset(after)),
            ))
        }
    }
}

/// `+05:30`, as it may be typed. Seconds, which zones had before 1972, are left out: such times cannot be looked up.
fn rfc_offset(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

fn too_far(typed: &str) -> Error {
    Error::usage(format!("`{}` lies outside the years that can be read", shown(typed))).hint(FORMS)
}
