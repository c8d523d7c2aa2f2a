use super::*;
use proptest::prelude::*;

/// 2026-12-01T10:00:00Z: 20788 days and 10 hours after the epoch.
const TEN: i64 = 1_796_119_200_000;
/// 2026-12-01T12:03:00Z.
const NOW: Timestamp = Timestamp(TEN + (2 * 60 + 3) * 60_000);

fn berlin() -> TimeZone {
    zone("Europe/Berlin").unwrap()
}

fn millis(text: &str, zone: &TimeZone) -> i64 {
    match parse(text, NOW, zone) {
        Ok(moment) => moment.timestamp.as_millis(),
        Err(error) => panic!("{text}: {error}"),
    }
}

fn refused(text: &str) -> Error {
    parse(text, NOW, &TimeZone::UTC).map(|moment| panic!("{text}: {moment:?}")).unwrap_err()
}

#[test]
fn date_times_with_a_zone() {
    for text in [
        "2026-12-01T10:00:00Z",
        "2026-12-01t10:00:00z",
        "2026-12-01 10:00:00Z",
        "2026-12-01T10:00Z",
        "2026-12-01T10:00:00.000Z",
        "2026-12-01T15:30:00+05:30",
        "2026-12-01T15:30:00+0530",
        "2026-12-01 15:30 +0530",
        "2026-12-01T05:00-05",
        "2026-12-01T10:00:00-00:00",
        "2026-12-01T11:00:00[Europe/Berlin]",
        "2026-12-01T11:00:00+01:00[Europe/Berlin]",
        "2026-12-01T10:00:00Z[Europe/Berlin]",
        "  2026-12-01T10:00:00Z ",
    ] {
        assert_eq!(millis(text, &TimeZone::UTC), TEN, "{text}");
        assert_eq!(millis(text, &berlin()), TEN, "{text}: the zone given is not asked");
    }
}

#[test]
fn date_times_in_the_callers_zone() {
    assert_eq!(millis("2026-12-01T10:00", &TimeZone::UTC), TEN);
    assert_eq!(millis("2026-12-01 11:00:00", &berlin()), TEN);
    assert_eq!(millis("2026-12-01", &TimeZone::UTC), TEN - 10 * 3_600_000);
    assert_eq!(millis("2026-12-01", &berlin()), TEN - 11 * 3_600_000);
    // Summer time: 12:00 at +02:00. 2026-07-01T10:00:00Z is 153 days earlier.
    assert_eq!(millis("2026-07-01T12:00", &berlin()), TEN - 153 * 86_400_000);
}

#[test]
fn fractions_finer_than_a_millisecond_are_rounded_up() {
    assert_eq!(millis("2026-12-01T10:00:00.5Z", &TimeZone::UTC), TEN + 500);
    assert_eq!(millis("2026-12-01 10:00:00,123", &TimeZone::UTC), TEN + 123);
    assert_eq!(millis("2026-12-01T10:00:00.123000000000Z", &TimeZone::UTC), TEN + 123);
    assert_eq!(millis("2026-12-01T10:00:00.123000000001Z", &TimeZone::UTC), TEN + 124);
    assert_eq!(millis("2026-12-01T09:59:59.9990001Z", &TimeZone::UTC), TEN);
    assert_eq!(millis("1969-12-31T23:59:59.9999Z", &TimeZone::UTC), 0);
}

#[test]
fn a_time_of_day_is_the_latest_one() {
    assert_eq!(millis("10:00", &TimeZone::UTC), TEN);
    assert_eq!(millis("12:03", &TimeZone::UTC), NOW.as_millis(), "the moment itself counts");
    assert_eq!(millis("12:03:00.001", &TimeZone::UTC), NOW.as_millis() + 1 - 86_400_000);
    assert_eq!(millis("14:05", &TimeZone::UTC), TEN + (4 * 60 + 5) * 60_000 - 86_400_000);
    assert_eq!(millis("9:30:15", &TimeZone::UTC), TEN - (30 * 60 - 15) * 1000);
    // 13:03 in Berlin is now.
    assert_eq!(millis("13:03", &berlin()), NOW.as_millis());
    assert_eq!(millis("13:04", &berlin()), NOW.as_millis() + 60_000 - 86_400_000);
}

#[test]
fn a_time_of_day_on_the_day_that_clocks_change() {
    let at = |text: &str, now: &str| {
        let now = parse(now, NOW, &TimeZone::UTC).unwrap().timestamp;
        parse(text, now, &berlin()).map(|moment| moment.timestamp.to_string())
    };
    // The clocks skip 02:00 to 03:00: before that, 02:30 is yesterday's; after it, nobody can say.
    assert_eq!(at("02:30", "2026-03-29T00:45:00Z").unwrap(), "2026-03-28T01:30:00.000Z");
    assert_eq!(at("02:30", "2026-03-29T01:00:00Z").unwrap_err().code, Code::AmbiguousTime);
    assert_eq!(at("03:00", "2026-03-29T01:00:00Z").unwrap(), "2026-03-29T01:00:00.000Z");
    // They show 02:00 to 03:00 twice.
    assert_eq!(at("02:30", "2026-10-25T00:29:00Z").unwrap(), "2026-10-24T00:30:00.000Z");
    assert_eq!(at("02:30", "2026-10-25T00:30:00Z").unwrap_err().code, Code::AmbiguousTime);
    assert_eq!(at("02:30", "2026-10-25T08:00:00Z").unwrap_err().code, Code::AmbiguousTime);
}

#[test]
fn epochs_by_their_digits() {
    assert_eq!(millis("1796119200", &TimeZone::UTC), TEN);
    assert_eq!(millis("1796119200000", &berlin()), TEN);
    let micros = refused("1796119200000000");
    assert!(micros.message.contains("microseconds"), "{micros}");
    assert_eq!(micros.hints[0], "in milliseconds: `1796119200000`");
    assert!(refused("1796119200000000000").message.contains("nanoseconds"));
    let date = refused("20261201");
    assert!(date.message.contains("date without its separators"), "{date}");
    assert_eq!(date.hints[0], "with separators: `2026-12-01`");
    let short = refused("30");
    assert_eq!(short.message, "`30` has 2 digits; seconds since the epoch have 10, milliseconds have 13");
    assert_eq!(short.hints[0], "a span needs its unit: `30s`, `30m`, `30h`");
    assert!(refused("17961192000").message.contains("11 digits"));
    assert!(refused(&"9".repeat(200)).message.contains("200 digits"));
}

#[test]
fn spans_back_from_now() {
    let ago = |text: &str| NOW.as_millis() - millis(text, &TimeZone::UTC);
    assert_eq!(ago("now"), 0);
    assert_eq!(ago("NOW"), 0);
    assert_eq!(ago("90s"), 90_000);
    assert_eq!(ago("2h"), 7_200_000);
    assert_eq!(ago("1d12h"), 129_600_000);
    assert_eq!(ago("1d 12h"), 129_600_000);
    assert_eq!(ago("500ms"), 500);
    assert_eq!(ago("1w"), 604_800_000);
    assert_eq!(ago("PT2H"), 7_200_000);
    assert_eq!(ago("P1DT12H"), 129_600_000);
    assert_eq!(ago("pt0.25s"), 250);
    assert!(refused("+2h").message.contains("future"));
    assert!(refused("-2h").message.contains("sign"));
    assert!(refused("PT-2H").message.contains("sign"));
    assert!(refused("1mo").message.contains("months or years"));
    assert!(refused("P1M").message.contains("months or years"));
    assert!(refused("P1Y").message.contains("months or years"));
    assert!(refused("9999w").message.contains("before 1970"));
    assert!(refused("18446744073709551615ms").message.contains("before 1970"));
}

#[test]
fn spans_alone() {
    assert_eq!(span("30s").unwrap(), Duration::from_secs(30));
    assert_eq!(span("5m").unwrap(), Duration::from_secs(300));
    assert_eq!(span("1d12h30m5s250ms").unwrap(), Duration::from_millis(131_405_250));
    assert_eq!(span("0s").unwrap(), Duration::ZERO);
    assert_eq!(span("PT1M30.5S").unwrap(), Duration::from_millis(90_500));
    assert_eq!(span("P1W").unwrap(), Duration::from_secs(604_800));
    let missing = span("30").unwrap_err();
    assert_eq!(missing.code, Code::Usage);
    assert_eq!(missing.message, "`30` has a number without a unit");
    assert_eq!(missing.hints[0], "the unit is required: `30s`, `30m`, `30h`");
    for text in [
        "",
        "s",
        "1.5h",
        "12h1d",
        "1h1h",
        "5M",
        "1x",
        "P",
        "PT",
        "P1DT",
        "P1H",
        "PT1D",
        "PTS",
        "PT1.H",
        "PT.5S",
        "PT1.5H",
        "PT0.0001S",
        "P1DT1HT1M",
        "99999999999999999999s",
        "9999999999999999999w",
        "1d-2h",
        "é",
        "5µs",
        "Pé",
        "P1é",
    ] {
        assert_eq!(span(text).unwrap_err().code, Code::Usage, "{text}");
    }
}

#[test]
fn gaps_and_folds_name_both_instants() {
    let gap = parse("2026-03-29T02:30", NOW, &berlin()).unwrap_err();
    assert_eq!(gap.code, Code::AmbiguousTime);
    assert_eq!(
        gap.message,
        "`2026-03-29T02:30` does not exist in `Europe/Berlin`, whose clocks skip it: \
         it is `2026-03-29T00:30:00Z` at +02:00, or `2026-03-29T01:30:00Z` at +01:00"
    );
    assert_eq!(gap.hints, ["give the offset: `2026-03-29T02:30:00+02:00` or `2026-03-29T02:30:00+01:00`"]);
    let fold = parse("2026-10-25 02:30", NOW, &berlin()).unwrap_err();
    assert_eq!(fold.code, Code::AmbiguousTime);
    assert_eq!(
        fold.message,
        "`2026-10-25 02:30` exists twice in `Europe/Berlin`, whose clocks go back over it: \
         it is `2026-10-25T00:30:00Z` at +02:00, or `2026-10-25T01:30:00Z` at +01:00"
    );
    // What the hint says can be typed, and an offset beside the zone's name decides too.
    let utc = |text: &str| parse(text, NOW, &berlin()).unwrap().timestamp.to_string();
    assert_eq!(utc("2026-10-25T02:30:00+01:00"), "2026-10-25T01:30:00.000Z");
    assert_eq!(utc("2026-10-25T02:30:00+02:00[Europe/Berlin]"), "2026-10-25T00:30:00.000Z");
    // Midnight itself is skipped in Cairo.
    let cairo = zone("Africa/Cairo").unwrap();
    assert_eq!(parse("2026-04-24", NOW, &cairo).unwrap_err().code, Code::AmbiguousTime);
}

#[test]
fn refusals_say_why() {
    for (text, why) in [
        ("", "a time is missing"),
        ("yesterday", "`yesterday` is not a time"),
        ("2026-02-30", "`2026-02-30` is not a time: 2026-02 has the days 01 to 28"),
        ("2026-13-01", "`2026-13-01` is not a time: months go from 01 to 12"),
        ("25:00", "`25:00` is not a time: hours go from 00 to 23"),
        ("24:00", "`24:00` is not a time: hours go from 00 to 23"),
        ("2026-12-01T10:60Z", "`2026-12-01T10:60Z` is not a time: minutes go from 00 to 59"),
        ("2026-12-01T10:00:60Z", "`2026-12-01T10:00:60Z` is not a time: seconds go from 00 to 59"),
        ("2026-12-01T10:00+24:00", "`2026-12-01T10:00+24:00` is not a time: an offset goes from -23:59 to +23:59"),
        ("14:05Z", "`14:05Z` is a time of day with a zone, which is not understood"),
        (
            "1969-12-31T23:59:59.999Z",
            "`1969-12-31T23:59:59.999Z` lies before 1970, where Kafka has no times to look up",
        ),
        (
            "2026-12-01T10:00[Europe/Berln]",
            "`2026-12-01T10:00[Europe/Berln]` names the zone `Europe/Berln`, which is not known",
        ),
        (
            "2026-12-01T10:00+02:00[Europe/Berlin]",
            "`2026-12-01T10:00+02:00[Europe/Berlin]` names the offset +02:00 and `Europe/Berlin`, whose offset is +01:00 then",
        ),
    ] {
        let error = refused(text);
        assert_eq!(error.code, Code::Usage, "{text}");
        assert_eq!(error.message, why);
        assert!(!error.hints.is_empty(), "{text}");
    }
    for text in [
        "2026-12",
        "2026-12-1",
        "26-12-01",
        "2026-12-01T",
        "2026-12-01T10",
        "2026-12-01T10:00:",
        "2026-12-01T10:00:00.Z",
        "2026-12-01T10:00Q",
        "2026-12-01T10:00+5",
        "2026-12-01T10:00+053",
        "2026-12-01Z",
        "2026/12/01",
        ":",
        "1:2",
        "é",
        "２０２６-12-01",
        "2026-12-01T10:00[",
        "1-2:3",
        "10:00 PM",
    ] {
        assert_eq!(refused(text).code, Code::Usage, "{text}");
    }
}

#[test]
fn zones() {
    assert_eq!(zone("UTC").unwrap(), TimeZone::UTC);
    assert_eq!(zone("utc").unwrap(), TimeZone::UTC);
    assert_eq!(zone("Asia/Kolkata").unwrap().iana_name(), Some("Asia/Kolkata"));
    for text in ["", "Europe/Berln", "Etc/Unknown", "+05:30", "../etc/passwd"] {
        let error = zone(text).unwrap_err();
        assert_eq!(error.code, Code::Usage);
        assert!(!error.hints.is_empty());
    }
}

#[test]
fn the_echo_is_one_line() {
    let echo = |text: &str, zone: &TimeZone| parse(text, NOW, zone).unwrap().echo(NOW);
    assert_eq!(
        echo("2026-12-01T15:30:00+05:30", &TimeZone::UTC),
        "2026-12-01T15:30:00+05:30 = 2026-12-01T10:00:00.000Z = 1796119200000 ms, 2h 3m ago"
    );
    assert_eq!(echo("2026-12-01T10:00Z", &berlin()), "2026-12-01T10:00:00.000Z = 1796119200000 ms, 2h 3m ago");
    assert_eq!(
        echo("11:00", &berlin()),
        "2026-12-01T11:00:00+01:00[Europe/Berlin] = 2026-12-01T10:00:00.000Z = 1796119200000 ms, 2h 3m ago"
    );
    assert_eq!(echo("now", &TimeZone::UTC), "2026-12-01T12:03:00.000Z = 1796126580000 ms, now");
    assert_eq!(echo("1d", &TimeZone::UTC), "2026-11-30T12:03:00.000Z = 1796040180000 ms, 1d ago");
    let later = parse("2026-12-01T12:03:01.500Z", NOW, &TimeZone::UTC).unwrap();
    assert!(later.is_after(NOW));
    assert!(later.echo(NOW).ends_with(", in 1s 500ms"));
}

proptest! {
    #[test]
    fn no_input_panics(text in ".*", now in any::<i64>()) {
        for zone in [TimeZone::UTC, berlin()] {
            if let Ok(moment) = parse(&text, Timestamp(now), &zone) {
                moment.echo(Timestamp(now));
            }
        }
        let _ = span(&text);
        let _ = zone(&text);
    }

    #[test]
    fn nearly_right_input_does_not_panic(text in "[-0-9TtZz:+.,PpDHMSWdhmsw \\[\\]é]{0,30}", now in any::<i64>()) {
        if let Ok(moment) = parse(&text, Timestamp(now), &berlin()) {
            moment.echo(Timestamp(now));
            prop_assert!(moment.timestamp.as_millis() >= 0);
        }
        let _ = span(&text);
    }

    /// Up to the end of 9999-12-29, in milliseconds.
    #[test]
    fn rfc_3339_comes_back(at in 0..253_402_128_000_000_i64, offset in -14 * 60..=14 * 60_i32) {
        let instant = jiff::Timestamp::from_millisecond(at).unwrap();
        prop_assert_eq!(millis(&instant.to_string(), &berlin()), at);
        let offset = jiff::tz::Offset::from_seconds(offset * 60).unwrap();
        prop_assert_eq!(millis(&instant.display_with_offset(offset).to_string(), &berlin()), at);
    }
}
