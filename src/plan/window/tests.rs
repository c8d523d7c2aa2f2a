//! Windows of logs whose offsets were worked out by hand, and of any log.

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

fn clamping(from: Target, to: Target) -> WindowSpec {
    WindowSpec { out_of_range: OutOfRange::Clamp, ..WindowSpec::between(from, to) }
}

fn at(spec: &WindowSpec, facts: &WindowFacts) -> Result<Window, String> {
    window(spec, &TopicPartition::new("orders", 0), facts).map_err(|why| match why {
        Unreadable::OutOfRange(words) | Unreadable::Retention(words) => words,
        Unreadable::NoCommit => "no commit".to_owned(),
        Unreadable::NotInFile => "not in the file".to_owned(),
    })
}

fn of(from: Target, to: Target, facts: WindowFacts) -> Result<(i64, i64), String> {
    at(&WindowSpec::between(from, to), &facts).map(|window| (window.start, window.end))
}

const NO: TimeLookup = TimeLookup::NotAsked;

#[test]
fn windows_of_a_log_from_3_to_12() {
    let facts = |from, to| WindowFacts { log: log(3, 12), from, to, commit: Committed::Absent };
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
    let facts = WindowFacts { log: log(3, 12), from: NO, to: NO, commit: Committed::Absent };
    assert_eq!(of(Target::Offset(1), Target::Latest, facts), Err("offset 1 is 2 before the log start 3".to_owned()));
    assert_eq!(of(Target::Earliest, Target::Offset(13), facts), Err("offset 13 is 1 past the end 12".to_owned()));
    let clamped = at(&clamping(Target::Offset(1), Target::Offset(13)), &facts).unwrap();
    assert_eq!((clamped.start, clamped.end), (3, 12));
    let reason = clamped.reason.unwrap();
    assert!(reason.contains("1 is 2 before") && reason.contains("13 is 1 past"), "{reason}");
}

#[test]
fn an_empty_partition_says_so() {
    let facts = WindowFacts { log: log(7, 7), from: TimeLookup::NoRecord, to: NO, commit: Committed::Absent };
    for from in [time(), Target::Earliest] {
        let window = at(&WindowSpec::between(from, Target::Latest), &facts).unwrap();
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
        let facts = WindowFacts { log: log(start, start + length), from: lookup(from_found), to: lookup(to_found), commit: Committed::Absent };
        let spec = clamping(target(kinds % 4, from, Target::Earliest), target(kinds / 4, to, Target::Latest));
        let window = at(&spec, &facts).unwrap();
        prop_assert!(facts.log.contains(window.start) && facts.log.contains(window.end));
        prop_assert!(window.start <= window.end);
        prop_assert_eq!(window.offsets() as i64, window.end - window.start);
    }
}

fn from_commit(no_commit: NoCommit) -> WindowSpec {
    let from = Start::Commit { group: "inventory".to_owned(), no_commit };
    WindowSpec {
        bounds: Bounds::Alike { from, to: Target::Latest },
        ..WindowSpec::between(Target::Earliest, Target::Latest)
    }
}

#[test]
fn a_commit_is_a_start_unless_retention_passed_it() {
    let facts = |commit| WindowFacts { log: log(3, 12), from: NO, to: NO, commit };
    let spec = from_commit(NoCommit::Fail);
    let ends = |commit| at(&spec, &facts(commit)).map(|window| (window.start, window.end));
    assert_eq!(ends(Committed::At(7)), Ok((7, 12)));
    assert_eq!(ends(Committed::At(3)), Ok((3, 12)));
    assert_eq!(ends(Committed::At(12)), Ok((12, 12)));
    assert_eq!(ends(Committed::Undecided(7)), Ok((7, 12)));
    assert!(ends(Committed::At(1)).unwrap_err().contains("2 offsets were deleted"));
    assert!(ends(Committed::At(13)).unwrap_err().contains("13 is 1 past"));
    assert_eq!(ends(Committed::Absent), Err("no commit".to_owned()));
    assert!(at(&spec, &facts(Committed::Undecided(7))).unwrap().reason.unwrap().contains("not decided"));
    assert!(at(&spec, &facts(Committed::At(12))).unwrap().reason.unwrap().contains("has read up to the end"));
    let clamped = WindowSpec { out_of_range: OutOfRange::Clamp, ..spec.clone() };
    let window = at(&clamped, &facts(Committed::At(1))).unwrap();
    assert_eq!((window.start, window.end), (3, 12));
    assert!(window.reason.unwrap().contains("1 is 2 before"));
}

#[test]
fn without_a_commit_the_policy_decides_and_is_named() {
    let facts = WindowFacts { log: log(3, 12), from: NO, to: NO, commit: Committed::Absent };
    for (policy, expected) in
        [(NoCommit::Skip, (12, 12)), (NoCommit::UseEarliest, (3, 12)), (NoCommit::UseLatest, (12, 12))]
    {
        let window = at(&from_commit(policy), &facts).unwrap();
        assert_eq!((window.start, window.end), expected, "{policy:?}");
        assert!(window.reason.unwrap().contains("no commit of `inventory`"), "{policy:?}");
    }
}

#[test]
fn the_last_offsets_are_counted_back_from_the_end() {
    let last = |count, to: Target, facts: &WindowFacts| {
        let bounds = Bounds::Alike { from: Start::Last(count), to };
        let spec = WindowSpec { bounds, ..WindowSpec::between(Target::Earliest, Target::Latest) };
        at(&spec, facts).map(|window| (window.start, window.end, window.reason.is_some()))
    };
    let facts = WindowFacts { log: log(3, 12), from: NO, to: found(8), commit: Committed::Absent };
    assert_eq!(last(4, Target::Latest, &facts), Ok((8, 12, false)));
    assert_eq!(last(9, Target::Latest, &facts), Ok((3, 12, false)));
    assert_eq!(last(10, Target::Latest, &facts), Ok((3, 12, true)), "fewer than were asked for");
    assert_eq!(last(i64::MAX, Target::Latest, &facts), Ok((3, 12, true)));
    assert_eq!(last(2, Target::Offset(5), &facts), Ok((3, 5, false)));
    assert_eq!(last(2, time(), &facts), Ok((6, 8, false)));
    assert_eq!(last(2, Target::Earliest, &facts), Ok((3, 3, true)));
}

#[test]
fn a_file_says_each_partition_by_itself() {
    let spec = |start, end| WindowSpec {
        bounds: Bounds::Each {
            file: "w.csv".to_owned(),
            windows: [(TopicPartition::new("orders", 0), (start, end))].into(),
        },
        ..WindowSpec::between(Target::Earliest, Target::Latest)
    };
    let facts = WindowFacts { log: log(3, 12), from: NO, to: NO, commit: Committed::Absent };
    assert_eq!(at(&spec(5, 9), &facts).map(|window| (window.start, window.end)), Ok((5, 9)));
    assert!(at(&spec(1, 9), &facts).is_err() && at(&spec(5, 13), &facts).is_err());
    // Nothing was to be read there, so that nothing is missing.
    assert!(at(&spec(1, 1), &facts).unwrap().is_empty());
    assert!(spec(5, 9).has_explicit_end());
    let other = window(&spec(5, 9), &TopicPartition::new("orders", 1), &facts);
    assert_eq!(other, Err(Unreadable::NotInFile));
}

#[test]
fn only_the_end_of_a_window_by_timestamps_is_looked_up_later() {
    let by = |mode| WindowSpec { mode, ..WindowSpec::between(time(), time()) };
    let plain = by(Mode::Offsets).end_time().unwrap();
    let padded = by(Mode::Timestamps { padding_ms: 250 });
    assert_eq!((padded.start_time(), padded.end_time()), (Some(plain), Some(plain + 250)));
    assert_eq!(WindowSpec::between(Target::Earliest, Target::Latest).end_time(), None);
}

/// Kafka's lookup: the first offset whose record has this time or a later one.
fn lookup(times: &[i64], time: i64) -> TimeLookup {
    times.iter().position(|at| *at >= time).map_or(TimeLookup::NoRecord, |offset| found(offset as i64))
}

proptest! {
    /// A log of any order: what the filter leaves of the range is exactly the window where the range reaches the log's end, and
    /// otherwise lacks only what lies behind a record that is later than the end by the padding.
    #[test]
    fn a_window_by_timestamps_is_exact_or_says_so(
        times in proptest::collection::vec(0i64..60, 0..30), from in 0i64..60, length in 0i64..30, padding in 0i64..40,
    ) {
        use crate::model::{Record, TimestampType};
        use crate::report::{WindowReport, WindowSide};
        let to = from + length;
        let moment = |ms: i64| Target::Timestamp(
            crate::offset::time::parse(&format!("{:013}", 1_000_000_000_000 + ms), Timestamp(1_796_119_200_000), &jiff::tz::TimeZone::UTC).unwrap());
        let base = 1_000_000_000_000;
        let times: Vec<i64> = times.into_iter().map(|time| base + time).collect();
        let spec = WindowSpec { mode: Mode::Timestamps { padding_ms: padding }, ..WindowSpec::between(moment(from), moment(to)) };
        let facts = WindowFacts {
            log: log(0, times.len() as i64),
            from: lookup(&times, spec.start_time().unwrap()),
            to: lookup(&times, spec.end_time().unwrap()),
            commit: Committed::Absent,
        };
        let range = at(&spec, &facts).unwrap();
        let side = |ms: i64| WindowSide::Time { timestamp_ms: base + ms, timestamp: Timestamp(base + ms) };
        let report = WindowReport {
            mode: WindowReport::TIMESTAMPS.to_owned(), from: side(from), to: Some(side(to)), padding_ms: Some(padding), exact: None,
        };
        let filter = WindowFilter::of(&report);
        let record = |offset: usize| Record {
            topic: "orders", partition: 0, offset: offset as i64, timestamp_ms: times[offset],
            timestamp_type: TimestampType::CreateTime, key: None, value: None, headers: &[],
        };
        let within = |offset: &usize| (base + from..base + to).contains(&times[*offset]);
        let expected: Vec<usize> = (0..times.len()).filter(within).collect();
        let got: Vec<usize> = (range.start as usize..range.end as usize)
            .filter(|offset| filter.judge(&record(*offset)) == Judgement::Within)
            .collect();
        prop_assert!(got.iter().all(within));
        if range.end == facts.log.high_watermark {
            prop_assert_eq!(&got, &expected);
        }
        for missed in expected.iter().filter(|offset| !got.contains(offset)) {
            prop_assert!(times[..*missed].iter().any(|time| *time >= base + to + padding));
        }
    }
}

#[test]
fn timestamps_are_bounds_in_one_mode_and_counted_in_the_other() {
    use crate::model::{Record, TimestampType};
    use crate::report::{WindowReport, WindowSide};
    let side = |ms: i64| WindowSide::Time { timestamp_ms: ms, timestamp: Timestamp(ms) };
    let report = |mode: &str| WindowReport {
        mode: mode.to_owned(),
        from: side(10),
        to: Some(side(20)),
        padding_ms: None,
        exact: None,
    };
    let judge = |mode: &str, timestamp_ms: i64, timestamp_type| {
        let headers = &[];
        let record = Record {
            topic: "t",
            partition: 0,
            offset: 0,
            timestamp_ms,
            timestamp_type,
            key: None,
            value: None,
            headers,
        };
        WindowFilter::of(&report(mode)).judge(&record)
    };
    for (time, within) in [(9, false), (10, true), (19, true), (20, false)] {
        let (offsets, timestamps) = match within {
            true => (Judgement::Within, Judgement::Within),
            false => (Judgement::Contradicts, Judgement::Outside),
        };
        assert_eq!(judge(WindowReport::OFFSETS, time, TimestampType::CreateTime), offsets, "{time}");
        assert_eq!(judge(WindowReport::TIMESTAMPS, time, TimestampType::CreateTime), timestamps, "{time}");
    }
    // Without a timestamp nothing contradicts, and nothing says that it is within.
    assert_eq!(judge(WindowReport::OFFSETS, 0, TimestampType::NotAvailable), Judgement::Within);
    assert_eq!(judge(WindowReport::TIMESTAMPS, 0, TimestampType::NotAvailable), Judgement::Outside);
}
