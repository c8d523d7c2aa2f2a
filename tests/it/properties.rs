//! What holds for every input: of pure modules, against models that are slow and plain.

use jiff::tz::TimeZone;
use krewind::model::{
    Assignment, Coordinator, GroupState, GroupType, Member, PartitionSet, Timestamp, TopicPartition, TopicSelection,
};
use krewind::offset::time;
use krewind::report::{
    DescribeReport, GroupError, GroupReport, GroupTotal, PartitionReport, PartitionStatus, VERSION, Warning,
};
use krewind::watermark::Watermarks;
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;

/// A log as a plain list: every offset that was ever written, and which of them are kept.
struct Log {
    deleted: Vec<i64>,
    kept: Vec<i64>,
}

impl Log {
    fn new(start: i64, end: i64) -> Log {
        Log { deleted: (0..start).collect(), kept: (start..end).collect() }
    }

    /// Offsets that a reader at `from` gets before it is at `to`.
    fn read(&self, from: i64, to: i64) -> u64 {
        self.kept.iter().filter(|&&offset| offset >= from && offset < to).count() as u64
    }
}

fn topic_name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9._-]{1,60}".prop_filter("reserved", |name| name != "." && name != "..")
}

proptest! {
    #[test]
    fn lag_is_what_a_reader_would_still_get(start in 0i64..60, length in 0i64..60, committed in 0i64..150, open in 0i64..60) {
        let end = start + length;
        let last_stable = (end - open).max(start);
        let (log, marks) = (Log::new(start, end), Watermarks { log_start: start, high_watermark: end, last_stable });
        prop_assert_eq!(marks.lag(committed), log.read(committed, i64::MAX));
        prop_assert_eq!(marks.lost(committed), log.deleted.iter().filter(|&&offset| offset >= committed).count() as u64);
        // What was read and what is left are all that is kept.
        prop_assert_eq!(log.read(0, committed) + marks.lag(committed), log.kept.len() as u64);
        prop_assert_eq!(marks.held_back(), log.read(last_stable, i64::MAX));
    }

    #[test]
    fn a_move_rereads_and_skips_what_lies_between(start in 0i64..60, length in 0i64..60, current in 0i64..150, new in 0i64..150) {
        let end = start + length;
        let (log, marks) = (Log::new(start, end), Watermarks { log_start: start, high_watermark: end, last_stable: end });
        prop_assert_eq!(marks.rereads(current, new), log.read(new, current));
        prop_assert_eq!(marks.skips(current, new), log.read(current, new));
        // There and back is the same thing from the other side.
        prop_assert_eq!(marks.rereads(new, current), marks.skips(current, new));
        prop_assert!(marks.rereads(current, new) == 0 || marks.skips(current, new) == 0);
    }

    #[test]
    fn a_topic_selection_comes_back_from_its_text(topic in topic_name(), partitions in option::of(btree_set(0..1_000_001i32, 1..20))) {
        let selection = TopicSelection {
            topic,
            partitions: partitions.map_or(PartitionSet::All, PartitionSet::Only),
        };
        prop_assert_eq!(selection.to_string().parse(), Ok(selection));
    }

    #[test]
    fn partition_lists_are_the_union_of_their_items(topic in topic_name(), items in vec((0..200i32, option::of(0..50i32)), 1..8)) {
        let text: Vec<String> = items
            .iter()
            .map(|(first, more)| more.map_or(first.to_string(), |more| format!("{first}-{}", first + more)))
            .collect();
        let expected: BTreeSet<i32> = items.iter().flat_map(|(first, more)| *first..=first + more.unwrap_or(0)).collect();
        let parsed: TopicSelection = format!("{topic}:{}", text.join(",")).parse().unwrap();
        prop_assert_eq!(parsed, TopicSelection { topic, partitions: PartitionSet::Only(expected) });
    }

    #[test]
    fn no_topic_selection_panics(text in "\\PC{0,40}") {
        if let Ok(selection) = text.parse::<TopicSelection>() {
            prop_assert!(!selection.topic.is_empty() && selection.partitions != PartitionSet::Only(BTreeSet::new()));
        }
    }

    #[test]
    fn partitions_are_ordered_by_the_bytes_of_the_topic(a in "\\PC{0,5}", b in "\\PC{0,5}", m in any::<i32>(), n in any::<i32>()) {
        let expected = a.as_bytes().cmp(b.as_bytes()).then(m.cmp(&n));
        prop_assert_eq!(TopicPartition::new(a, m).cmp(&TopicPartition::new(b, n)), expected);
    }

    #[test]
    fn a_span_is_the_sum_of_its_units(
        w in option::of(0..100u64), d in option::of(0..1000u64), h in option::of(0..1000u64),
        m in option::of(0..1000u64), s in option::of(0..1000u64), ms in option::of(0..1000u64), spaced in any::<bool>(),
    ) {
        let units = [(w, "w", 604_800_000), (d, "d", 86_400_000), (h, "h", 3_600_000), (m, "m", 60_000), (s, "s", 1000), (ms, "ms", 1)];
        let parts: Vec<String> = units.iter().filter_map(|(n, unit, _)| n.map(|n| format!("{n}{unit}"))).collect();
        let text = parts.join(if spaced { " " } else { "" });
        let millis: u64 = units.iter().map(|(n, _, unit)| n.unwrap_or(0) * unit).sum();
        match time::span(&text) {
            Ok(span) => prop_assert_eq!(span, Duration::from_millis(millis), "{}", text),
            Err(error) => prop_assert!(parts.is_empty(), "{}: {}", text, error),
        }
        // Back from now, the same.
        let now = Timestamp(1_796_119_200_000);
        if !parts.is_empty() {
            let moment = time::parse(&text, now, &TimeZone::UTC).unwrap();
            prop_assert_eq!(moment.timestamp.as_millis(), now.as_millis() - i64::try_from(millis).unwrap(), "{}", text);
        }
    }

    #[test]
    fn an_iso_8601_span_is_the_sum_of_its_parts(d in option::of(0..1000u64), h in option::of(0..1000u64), s in option::of(0..100_000u64), ms in 0..1000u64) {
        let date = d.map(|d| format!("{d}D")).unwrap_or_default();
        let hours = h.map(|h| format!("{h}H")).unwrap_or_default();
        let seconds = s.map(|s| format!("{s}.{ms:03}S")).unwrap_or_default();
        let clock = if h.is_none() && s.is_none() { String::new() } else { format!("T{hours}{seconds}") };
        prop_assume!(!date.is_empty() || !clock.is_empty());
        let millis = d.unwrap_or(0) * 86_400_000 + h.unwrap_or(0) * 3_600_000 + s.map_or(0, |s| s * 1000 + ms);
        let text = format!("P{date}{clock}");
        prop_assert_eq!(time::span(&text).map_err(|error| format!("{text}: {error}")), Ok(Duration::from_millis(millis)));
    }

    /// Ten digits are seconds, thirteen milliseconds; any other count is neither.
    #[test]
    fn epoch_numbers_are_told_apart_by_their_digits(seconds in 1_000_000_000i64..=9_999_999_999, millis in 1_000_000_000_000i64..=9_999_999_999_999, other in "[0-9]{1,19}") {
        let read = |text: &str| time::parse(text, Timestamp(0), &TimeZone::UTC).map(|moment| moment.timestamp.as_millis()).ok();
        prop_assert_eq!(read(&seconds.to_string()), Some(seconds * 1000));
        prop_assert_eq!(read(&millis.to_string()), Some(millis));
        prop_assert_eq!(read(&other).is_some(), [10, 13].contains(&other.len()), "{}", other);
    }

    #[test]
    fn a_timestamp_comes_back_from_its_text(millis in -377_705_000_000_000i64..253_402_200_000_000) {
        let text = serde_json::to_string(&Timestamp(millis)).unwrap();
        prop_assert!(text.ends_with("Z\""), "{}", text);
        prop_assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), Timestamp(millis));
    }

    #[test]
    fn a_describe_report_comes_back_from_its_json(report in describe_report()) {
        let text = krewind::render::json(&report);
        let back: DescribeReport = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &report);
        prop_assert_eq!(krewind::render::json(&back), text);
    }
}

fn partition_report() -> impl Strategy<Value = PartitionReport> {
    let status = prop_oneof![
        Just(PartitionStatus::Ok),
        Just(PartitionStatus::NoCommit),
        Just(PartitionStatus::BehindLogStart),
        Just(PartitionStatus::AheadOfLogEnd),
        Just(PartitionStatus::PendingTransaction),
        Just(PartitionStatus::TopicMissing),
        Just(PartitionStatus::NoLeader),
        Just(PartitionStatus::Unauthorized),
        Just(PartitionStatus::Error),
    ];
    let text = || option::of(any::<String>());
    let offset = || option::of(any::<i64>());
    let places = (any::<String>(), text(), any::<i32>(), text(), text(), text());
    let offsets = (offset(), offset(), offset(), offset(), option::of(any::<u64>()), option::of(any::<u64>()));
    // The last millisecond of the year 9999 is about 253 * 10^12.
    let times = (offset(), option::of((0..253_402_200_000_000i64).prop_map(Timestamp)), option::of(any::<i32>()));
    (places, offsets, times, (status, text(), text())).prop_map(
        |(places, offsets, times, (status, metadata, reason))| PartitionReport {
            topic: places.0,
            topic_id: places.1,
            partition: places.2,
            current_offset: offsets.0,
            log_start_offset: offsets.1,
            log_end_offset: offsets.2,
            last_stable_offset: offsets.3,
            lag: offsets.4,
            lost: offsets.5,
            time_lag_ms: times.0,
            oldest_unread_timestamp: times.1,
            leader_epoch: times.2,
            metadata,
            member_id: places.3,
            client_id: places.4,
            host: places.5,
            status,
            reason,
            consume_rate: None,
            produce_rate: None,
            caught_up_seconds: None,
        },
    )
}

fn group_report() -> impl Strategy<Value = GroupReport> {
    let kind = prop_oneof![
        Just(GroupType::Classic),
        Just(GroupType::Consumer),
        Just(GroupType::Unmanaged),
        Just(GroupType::Unknown)
    ];
    let state = prop_oneof![
        Just(GroupState::Unknown),
        Just(GroupState::PreparingRebalance),
        Just(GroupState::CompletingRebalance),
        Just(GroupState::Stable),
        Just(GroupState::Dead),
        Just(GroupState::Empty)
    ];
    let assignment =
        (any::<String>(), vec(any::<i32>(), 0..3)).prop_map(|(topic, partitions)| Assignment { topic, partitions });
    let member = (any::<[String; 3]>(), option::of(any::<String>()), vec(assignment, 0..3)).prop_map(
        |([member_id, client_id, host], instance_id, assignment)| Member {
            member_id,
            instance_id,
            client_id,
            host,
            assignment,
        },
    );
    let coordinator =
        (any::<i32>(), any::<String>(), any::<u16>()).prop_map(|(id, host, port)| Coordinator { id, host, port });
    let error = (any::<[String; 2]>(), vec(any::<String>(), 0..2)).prop_map(|([code, message], hints)| GroupError {
        code,
        message,
        hints,
    });
    let totals = (option::of(any::<u64>()), option::of(any::<u64>()), option::of(any::<i64>()), any::<u16>());
    let head = (any::<String>(), kind, state, any::<bool>(), option::of(any::<String>()));
    let body = (option::of(coordinator), vec(member, 0..3), vec(partition_report(), 0..4));
    (head, body, totals, option::of(error)).prop_map(|(head, body, totals, error)| GroupReport {
        group: head.0,
        group_type: head.1,
        state: head.2,
        is_simple: head.3,
        assignor: head.4,
        coordinator: body.0,
        members: body.1,
        total: GroupTotal {
            partitions: body.2.len(),
            lag: totals.0,
            lost: totals.1,
            max_time_lag_ms: totals.2,
            unknown: usize::from(totals.3),
        },
        partitions: body.2,
        error,
    })
}

fn describe_report() -> impl Strategy<Value = DescribeReport> {
    let warning = any::<[String; 3]>().prop_map(|[code, group, message]| Warning::of_group(&code, &group, message));
    let captured = (0..253_402_200_000_000i64).prop_map(Timestamp);
    let topics = option::of(vec(any::<String>(), 0..3));
    (any::<String>(), captured, vec(group_report(), 0..3), vec(warning, 0..2), topics, option::of(any::<String>()))
        .prop_map(|(cluster_id, captured_at, groups, warnings, topics, visibility)| DescribeReport {
            kind: "describe".to_owned(),
            version: VERSION,
            cluster_id,
            captured_at,
            groups,
            warnings,
            topics,
            visibility,
        })
}
