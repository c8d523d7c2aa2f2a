//! Where a window may end: a record, the last one, a marker, an aborted record, a gap; what lies behind the end is never passed on.

use super::held::value;
use super::support::*;
use local_kafka::client::{Producer, Record};
use local_kafka::{Check, Cluster, shared, wait_for};
use rdkafka::Message;
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use serde_json::Value;
use std::time::Duration;

fn produced(producer: &Producer, topic: &str, values: &[&str]) {
    let records: Vec<Record> = values.iter().map(|value| Record::to(topic).partition(0).value(value)).collect();
    producer.produce(&records).unwrap();
}

/// Runs each of these windows; the records and the row of the report, in the same order.
fn windows(topic: &str, windows: &[(i64, i64)], more: &[&str]) -> Vec<(Vec<Value>, Value)> {
    let scratch = Scratch::new();
    windows
        .iter()
        .map(|(start, end)| {
            let (start, end) = (start.to_string(), end.to_string());
            let (report, path) = scratch.report();
            let args =
                [topic, "--start-offset", &start, "--end-offset", &end, "--wait-stable", "1h", "--report", &report];
            let ran = replay(&[&args[..], more].concat());
            assert_eq!(ran.code, 0, "{start}..{end}: {}", ran.stderr);
            (ran.records(), partition(&read_json(&path), 0).clone())
        })
        .collect()
}

#[test]
fn a_window_ends_at_its_end_whatever_stands_there() {
    let cluster = shared();
    let topic = unique("ends");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    let producer = cluster.transactional_producer(&unique("tx"), &[]).unwrap();
    // 0 1 plain, 2 3 committed, 4 the marker of that, 5 6 aborted, 7 the marker of that, 8 plain, 9 committed, 10 its marker.
    produced(&cluster.producer(&[]).unwrap(), &topic, &["a", "b"]);
    producer.begin().unwrap();
    produced(&producer, &topic, &["c", "d"]);
    producer.commit().unwrap();
    producer.begin().unwrap();
    produced(&producer, &topic, &["x", "y"]);
    producer.abort().unwrap();
    until("the first markers", || cluster.watermarks(&topic, 0).unwrap() == (0, 8));
    produced(&cluster.producer(&[]).unwrap(), &topic, &["e"]);
    producer.begin().unwrap();
    produced(&producer, &topic, &["f"]);
    producer.commit().unwrap();
    until("the last marker", || cluster.watermarks(&topic, 0).unwrap() == (0, 11));

    const COMMITTED: [(i64, &str); 6] = [(0, "a"), (1, "b"), (2, "c"), (3, "d"), (8, "e"), (9, "f")];
    const ABORTED: [(i64, &str); 2] = [(5, "x"), (6, "y")];
    // Each end once, and windows that hold nothing but markers and aborted records.
    let asked: Vec<(i64, i64)> = (1..=11)
        .map(|end| (0, end))
        .chain([(4, 5), (7, 8), (10, 11), (5, 7), (5, 8), (4, 8), (6, 9), (9, 10)])
        .collect();
    let check = |isolation: &str, in_the_log: Vec<(i64, &str)>| {
        for ((start, end), (records, row)) in
            asked.iter().zip(windows(&topic, &asked, &["--isolation-level", isolation]))
        {
            let found: Vec<(i64, &str)> = records
                .iter()
                .map(|record| (record["offset"].as_i64().unwrap(), record["value"].as_str().unwrap()))
                .collect();
            let expected: Vec<(i64, &str)> =
                in_the_log.iter().copied().filter(|(offset, _)| (start..end).contains(&offset)).collect();
            assert_eq!(found, expected, "{start}..{end} {isolation}");
            let count = i64::try_from(expected.len()).unwrap();
            assert_eq!(
                ["records", "gaps", "next_offset", "held_back"].map(|name| row[name].as_i64().unwrap()),
                [count, end - start - count, *end, 0],
                "{start}..{end} {isolation}: {row}"
            );
            assert_eq!(row["ended"], "end-reached", "{row}");
        }
    };
    let mut all = [&COMMITTED[..], &ABORTED].concat();
    all.sort_unstable();
    std::thread::scope(|scope| {
        scope.spawn(|| check("read_committed", COMMITTED.to_vec()));
        scope.spawn(|| check("read_uncommitted", all));
    });
}

/// The offsets that are left, read by a consumer that is not krewind's.
fn left(cluster: &Cluster, topic: &str, end: i64) -> Vec<i64> {
    let consumer = cluster.consumer("replay-look", &[("enable.partition.eof", "false")]).unwrap();
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, 0, Offset::Beginning).unwrap();
    consumer.assign(&list).unwrap();
    let mut offsets = Vec::new();
    while offsets.last() != Some(&(end - 1)) {
        let message = consumer.poll(Duration::from_secs(10)).expect("the last record is never compacted").unwrap();
        offsets.push(message.offset());
    }
    offsets
}

/// Four rounds of the same keys 0 to 49 after one record, compacted: of the rounds the last alone is left. Returns the offsets that are
/// left, as they are read by a consumer that is not krewind's, some records behind the rounds among them.
fn compacted(topic: &str, round: &dyn Fn(&[Record]), last: std::ops::Range<i64>, filled: i64) -> Vec<i64> {
    let cluster = shared();
    let config = [
        ("cleanup.policy", "compact"),
        ("segment.ms", "100"),
        ("min.cleanable.dirty.ratio", "0.01"),
        ("min.compaction.lag.ms", "0"),
    ];
    cluster.create_topic(topic, 1, &config).unwrap();
    let keyed = |key: String| Record::to(topic).partition(0).key(key).value(value(0));
    cluster.produce(&[keyed("first".to_owned())]).unwrap();
    for _ in 0..4 {
        round(&(0..50).map(|n| keyed(format!("key-{n}"))).collect::<Vec<_>>());
    }
    until("the rounds", || cluster.watermarks(topic, 0).unwrap() == (0, filled));
    let expected: Vec<i64> = std::iter::once(0).chain(last).collect();
    let mut filler = 0;
    wait_for("compaction", LIMIT, || {
        // The active segment is never compacted, and rolls only when something is written.
        filler += 1;
        cluster.produce(&[keyed(format!("filler-{filler}"))])?;
        let offsets = left(cluster, topic, filled + filler);
        let before: Vec<i64> = offsets.iter().copied().filter(|offset| *offset < filled).collect();
        Ok(if before == expected { Check::Done(offsets) } else { Check::NotYet(format!("{before:?}")) })
    })
    .unwrap()
}

/// Each of these windows holds of the offsets that are left those within it.
fn hold(topic: &str, asked: &[(i64, i64)], offsets: &[i64]) {
    // As many as come at once, and one batch at a time.
    for more in [&[][..], &["--buffer", "1MB", "-X", "fetch.message.max.bytes=1024"]] {
        for ((start, end), (records, row)) in asked.iter().zip(windows(topic, asked, more)) {
            let found: Vec<i64> = places(&records).into_iter().map(|place| place.1).collect();
            let expected: Vec<i64> = offsets.iter().copied().filter(|offset| (start..end).contains(&offset)).collect();
            assert_eq!(found, expected, "{start}..{end}");
            let count = i64::try_from(expected.len()).unwrap();
            assert_eq!((&row["records"], &row["gaps"]), (&count.into(), &(end - start - count).into()), "{row}");
            assert_eq!((&row["ended"], &row["next_offset"]), (&"end-reached".into(), &(*end).into()), "{row}");
        }
    }
}

#[test]
fn batches_that_compaction_emptied_are_passed_and_a_compacted_tail_is_an_end() {
    let topic = unique("emptied");
    // A producer for each round: its last batch stays, empty, since it holds the producer's sequence.
    let round = |records: &[Record]| drop(shared().produce(records).unwrap());
    // The record at 0, and rounds at 1, 51, 101 and 151.
    let offsets = compacted(&topic, &round, 151..201, 201);
    // Ends inside the gap, at its last offset, right behind it; windows that lie in it; and all that is left.
    let asked =
        [(0, 1), (0, 2), (0, 100), (0, 150), (0, 151), (0, 152), (1, 51), (51, 101), (100, 101), (150, 151), (3, 201)];
    hold(&topic, &asked, &offsets);
}

#[test]
fn a_log_that_is_compacted_and_transactional_is_read_to_its_end() {
    let topic = unique("both");
    let producer = shared().transactional_producer(&unique("tx"), &[]).unwrap();
    let round = |records: &[Record]| {
        producer.begin().unwrap();
        producer.produce(records).unwrap();
        producer.commit().unwrap();
    };
    // The record at 0, rounds at 1, 52, 103 and 154, and the marker of each behind it: at 51, 102, 153 and 204.
    let offsets = compacted(&topic, &round, 154..204, 205);
    let asked =
        [(0, 51), (0, 52), (51, 52), (52, 102), (1, 154), (153, 155), (154, 204), (0, 205), (203, 205), (204, 205)];
    hold(&topic, &asked, &offsets);
}

#[test]
fn the_last_record_and_one_record_alone_are_windows() {
    let cluster = shared();
    let topic = unique("one");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce_numbers(&topic, 0, 5).unwrap();
    for n in 0..5_i64 {
        let (records, row) = windows(&topic, &[(n, n + 1)], &[]).remove(0);
        assert_eq!(values(&records), [n.to_string()]);
        assert_eq!((&row["records"], &row["gaps"], &row["ended"]), (&1.into(), &0.into(), &"end-reached".into()));
    }
    // Nothing that comes later is read, however fast it comes.
    let ran = replay(&[&topic, "--start-offset", "4"]);
    assert_eq!((ran.code, values(&ran.records())), (0, vec!["4"]));
    let ran = replay(&[&topic, "--last", "1", "--window", "offsets"]);
    assert_eq!((ran.code, values(&ran.records())), (0, vec!["4"]));
}

#[test]
fn a_time_without_a_record_behind_it_is_no_start_at_the_end_in_silence() {
    let cluster = shared();
    let topic = unique("no-match");
    cluster.create_topic(&topic, 2, &[("retention.ms", "-1")]).unwrap();
    let at = |time: i64| Record::to(&topic).partition(0).value("v").timestamp(time);
    cluster.produce(&[at(1_700_000_000_000), at(1_700_000_001_000)]).unwrap();
    // Partition 0 has older records alone, partition 1 none at all: told apart.
    let scratch = Scratch::new();
    let (report, path) = scratch.report();
    let ran = replay(&[&topic, "--from", "1700000002000", "--report", &report]);
    assert_eq!((ran.code, ran.stdout.len()), (0, 0), "{}", ran.stderr);
    let report = read_json(&path);
    assert_eq!(report["outcome"], "nothing-to-replay");
    let reasons = [0, 1].map(|number| partition(&report, number)["reason"].as_str().map(str::to_owned));
    assert!(reasons[0].is_some() && reasons[1].is_some() && reasons[0] != reasons[1], "{reasons:?}");
}

#[test]
fn a_tombstone_is_null_in_every_format_and_broken_json_names_its_record() {
    let cluster = shared();
    let topic = unique("tombstones");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    let record = |key: &str| Record::to(&topic).partition(0).key(key);
    cluster.produce(&[record("1").value("{\"a\":1}"), record("2"), record("3").value("\"\"")]).unwrap();
    for format in ["json", "string", "bytes"] {
        let ran = replay(&[&topic, "--from", "earliest", "--value-format", format]);
        assert_eq!(ran.code, 0, "{format}: {}", ran.stderr);
        let records = ran.records();
        assert_eq!(records.len(), 3);
        // No form of a value but the one that says there is none.
        assert_eq!((records[1]["value"].clone(), records[1].get("value_base64")), (Value::Null, None), "{format}");
        assert!(records[1].as_object().unwrap().contains_key("value"), "{format}");
        assert!(records[2]["value"].is_string() || records[2]["value_base64"].is_string(), "{format}");
    }
    cluster.produce(&[record("4").value("{\"a\":"), record("5").value("{}")]).unwrap();
    let scratch = Scratch::new();
    let into = scratch.text("a.jsonl");
    let ran = replay(&[&topic, "--from", "earliest", "--value-format", "json", "--into", &into, "-o", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["outcome"], "incomplete");
    let reason = partition(&report, 0)["reason"].as_str().unwrap().to_owned();
    let place = [format!("{topic}-0"), "3".to_owned()];
    assert!(place.iter().all(|part| reason.contains(part)) && reason.contains("JSON"), "{reason}");
    assert!(ran.stderr.contains(&topic) && ran.stderr.contains("JSON"), "{}", ran.stderr);
    assert!(!scratch.path("a.jsonl").exists());
}

#[test]
fn a_name_with_a_dot_is_no_pattern() {
    let cluster = shared();
    let stem = unique("audit");
    let (dotted, dashed) = (format!("{stem}.events"), format!("{stem}-events"));
    for topic in [&dotted, &dashed] {
        cluster.create_topic(topic, 1, &[]).unwrap();
        cluster.produce(&[Record::to(topic).partition(0).value(topic)]).unwrap();
    }
    let ran = replay(&[&dotted, "--from", "earliest"]);
    assert_eq!((ran.code, values(&ran.records())), (0, vec![dotted.as_str()]), "{}", ran.stderr);
}
