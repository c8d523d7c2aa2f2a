//! A window of a partition's log: from what was asked and what is known to `[start, end)`.

use crate::offset::{Facts, NoCommit, NoRecord, OutOfRange, Policies, Resolution, Target, TimeLookup, resolve};
use crate::watermark::Watermarks;

/// What a person asked to read.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSpec {
    /// Where each partition's window starts.
    pub from: Target,
    /// Where it ends, exclusive.
    pub to: Target,
    /// What to do with an offset outside the log.
    pub out_of_range: OutOfRange,
}

impl WindowSpec {
    /// Whether the end was named, so that a window that can't be read up to it is not whole.
    pub fn has_explicit_end(&self) -> bool {
        !matches!(self.to, Target::Latest)
    }
}

/// What is known of a partition. The lookups by time are made after the log's bounds were read: what they find at or past the
/// high watermark came later, and lies outside the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowFacts {
    /// The log's bounds.
    pub log: Watermarks,
    /// The first record at or after the start's time.
    pub from: TimeLookup,
    /// The first record at or after the end's time.
    pub to: TimeLookup,
}

/// One partition's window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The first offset.
    pub start: i64,
    /// The offset after the last one; never below `start`.
    pub end: i64,
    /// What is worth saying of it: why it is empty, or what was clamped.
    pub reason: Option<String>,
}

impl Window {
    /// Offsets in it; records may be fewer, since logs have gaps.
    pub fn offsets(&self) -> u64 {
        self.end.abs_diff(self.start)
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

/// The partition's window, or in words why an offset lies outside its log.
pub fn window(spec: &WindowSpec, facts: &WindowFacts) -> Result<Window, String> {
    let log = facts.log;
    let high = log.high_watermark.max(log.log_start);
    let (start, start_reason) = side(&spec.from, log, facts.from, spec.out_of_range)?;
    if matches!(spec.from, Target::Timestamp(_)) && start >= high {
        let why = if log.log_start == high { "the partition is empty" } else { "no record at or after the start" };
        return Ok(Window { start: high, end: high, reason: Some(why.to_owned()) });
    }
    let (end, end_reason) = side(&spec.to, log, facts.to, spec.out_of_range)?;
    if end <= start {
        let why = if log.log_start == high {
            "the partition is empty".to_owned()
        } else if matches!(spec.to, Target::Timestamp(_)) {
            "no record in that time".to_owned()
        } else {
            format!("the end {end} is not after the start {start}")
        };
        return Ok(Window { start, end: start, reason: Some(why) });
    }
    let clamped: Vec<String> = start_reason.into_iter().chain(end_reason).collect();
    Ok(Window { start, end, reason: (!clamped.is_empty()).then(|| clamped.join("; ")) })
}

/// One side's offset, and what a policy did to an offset that was named.
fn side(
    target: &Target,
    log: Watermarks,
    time: TimeLookup,
    out_of_range: OutOfRange,
) -> Result<(i64, Option<String>), String> {
    let is_time = matches!(target, Target::Timestamp(_));
    // Records that a lookup found past the high watermark came after it; those below the log start are being deleted.
    let out_of_range = if is_time { OutOfRange::Clamp } else { out_of_range };
    // A window has no commits to start from.
    let policies = Policies { out_of_range, no_record: NoRecord::Latest, no_commit: NoCommit::Fail };
    match resolve(target, &Facts { watermarks: log, time, committed: None }, &policies) {
        Resolution::At { offset, reason, .. } => Ok((offset, reason.filter(|_| !is_time))),
        Resolution::OutOfRange { reason, .. }
        | Resolution::NoRecord { reason }
        | Resolution::NoCommit { reason }
        | Resolution::Leave { reason } => Err(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;
    use proptest::prelude::*;

    fn log(log_start: i64, high_watermark: i64) -> Watermarks {
        Watermarks { log_start, high_watermark, last_stable: high_watermark }
    }

    fn time() -> Target {
        let now = Timestamp(1_796_119_200_000);
        Target::Timestamp(crate::offset::time::parse("2h", now, &jiff::tz::TimeZone::UTC).unwrap())
    }

    fn found(offset: i64) -> TimeLookup {
        TimeLookup::Found { offset, timestamp_ms: None }
    }

    fn of(from: Target, to: Target, facts: WindowFacts) -> Result<(i64, i64), String> {
        let spec = WindowSpec { from, to, out_of_range: OutOfRange::Fail };
        window(&spec, &facts).map(|window| (window.start, window.end))
    }

    const NO: TimeLookup = TimeLookup::NotAsked;

    #[test]
    fn windows_of_a_log_from_3_to_12() {
        let facts = |from, to| WindowFacts { log: log(3, 12), from, to };
        assert_eq!(of(Target::Earliest, Target::Latest, facts(NO, NO)), Ok((3, 12)));
        assert_eq!(of(Target::Offset(5), Target::Offset(9), facts(NO, NO)), Ok((5, 9)));
        assert_eq!(of(Target::Offset(12), Target::Latest, facts(NO, NO)), Ok((12, 12)));
        assert_eq!(of(time(), time(), facts(found(5), found(9))), Ok((5, 9)));
        assert_eq!(of(time(), time(), facts(found(5), found(5))), Ok((5, 5)));
        // The end's time has no record: everything up to the end of the log.
        assert_eq!(of(time(), time(), facts(found(5), TimeLookup::NoRecord)), Ok((5, 12)));
        // The start's time has no record: nothing, at the end of the log, whatever the end says.
        assert_eq!(of(time(), Target::Offset(4), facts(TimeLookup::NoRecord, NO)), Ok((12, 12)));
        // What was appended after the bounds were read is not in the window.
        assert_eq!(of(time(), Target::Latest, facts(found(14), NO)), Ok((12, 12)));
        assert_eq!(of(time(), time(), facts(found(5), found(14))), Ok((5, 12)));
        // An end before a start that a time gave: nothing there.
        assert_eq!(of(time(), Target::Offset(4), facts(found(8), NO)), Ok((8, 8)));
    }

    #[test]
    fn offsets_outside_the_log_are_refused_or_clamped() {
        let facts = WindowFacts { log: log(3, 12), from: NO, to: NO };
        assert_eq!(of(Target::Offset(1), Target::Latest, facts), Err("1 is 2 before the log start 3".to_owned()));
        assert_eq!(of(Target::Earliest, Target::Offset(13), facts), Err("13 is 1 past the end 12".to_owned()));
        let spec = WindowSpec { from: Target::Offset(1), to: Target::Offset(13), out_of_range: OutOfRange::Clamp };
        let clamped = window(&spec, &facts).unwrap();
        assert_eq!((clamped.start, clamped.end), (3, 12));
        let reason = clamped.reason.unwrap();
        assert!(reason.contains("1 is 2 before") && reason.contains("13 is 1 past"), "{reason}");
    }

    #[test]
    fn an_empty_partition_says_so() {
        let facts = WindowFacts { log: log(7, 7), from: TimeLookup::NoRecord, to: NO };
        for from in [time(), Target::Earliest] {
            let spec = WindowSpec { from, to: Target::Latest, out_of_range: OutOfRange::Fail };
            let window = window(&spec, &facts).unwrap();
            assert_eq!((window.start, window.end), (7, 7));
            assert_eq!(window.reason.as_deref(), Some("the partition is empty"));
        }
    }

    proptest! {
        #[test]
        fn a_window_lies_within_the_log(
            start in 0i64..100, length in 0i64..100, from in -5i64..220, to in -5i64..220, kinds in 0u8..16,
            from_found in 0i64..300, to_found in 0i64..300,
        ) {
            let lookup = |offset: i64| if offset < 220 { found(offset) } else { TimeLookup::NoRecord };
            let target = |kind: u8, offset: i64, plain: Target| match kind {
                0 => plain,
                1 => Target::Offset(offset),
                _ => time(),
            };
            let facts = WindowFacts { log: log(start, start + length), from: lookup(from_found), to: lookup(to_found) };
            let spec = WindowSpec {
                from: target(kinds % 4, from, Target::Earliest),
                to: target(kinds / 4, to, Target::Latest),
                out_of_range: OutOfRange::Clamp,
            };
            let window = window(&spec, &facts).unwrap();
            prop_assert!(facts.log.contains(window.start) && facts.log.contains(window.end));
            prop_assert!(window.start <= window.end);
            prop_assert_eq!(window.offsets() as i64, window.end - window.start);
        }
    }
}
