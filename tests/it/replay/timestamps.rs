//! Records out of order across a window's bounds: what offsets take, and what timestamps take.

use super::resolved::{base, dated, window};
use super::support::*;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::Value;

/// Seconds after the base, by offset.
const OUT_OF_ORDER: [i64; 9] = [0, 50, 10, 60, 20, 100, 15, 200, 12];

/// The offsets whose time lies in [from, to).
fn within(from: i64, to: i64) -> Vec<(i64, i64)> {
    (0..).zip(OUT_OF_ORDER).filter(|(_, second)| (from..to).contains(second)).map(|(offset, _)| (0, offset)).collect()
}

struct Read {
    places: Vec<(i64, i64)>,
    report: Value,
    stderr: String,
}

fn read(topic: &str, base: i64, from: i64, to: Option<i64>, more: &[&str]) -> Read {
    let scratch = Scratch::new();
    let (report, path) = scratch.report();
    let from = (base + from * 1000).to_string();
    let to = to.map(|to| (base + to * 1000).to_string());
    let mut args = vec![topic, "--from", &from, "--report", &report];
    args.extend(to.iter().flat_map(|to| ["--to", to]));
    let ran = replay(&[&args, more].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    Read { places: places(&ran.records()), report: read_json(&path), stderr: ran.stderr }
}

/// Records, left out, and gaps are the whole range.
fn adds_up(report: &Value) {
    for row in report["partitions"].as_array().unwrap() {
        let number = |field: &str| row[field].as_i64().unwrap();
        let parts = number("records") + number("filtered") + number("outside_window") + number("gaps");
        assert_eq!(parts, number("end_offset") - number("start_offset"), "{row}");
    }
    assert_eq!(report["outcome"], "complete", "{report}");
}

#[test]
fn timestamps_take_exactly_the_records_of_the_time_wherever_they_lie() {
    let (topic, base) = (unique("stamped"), base());
    dated(&topic, base, &[&OUT_OF_ORDER, &[]], &[]);
    // On records' own times, between them, and where one record alone is in it.
    for (from, to) in [(10, 30), (10, 20), (11, 21), (0, 1), (55, 150), (12, 13), (-10, 300)] {
        let read = read(&topic, base, from, Some(to), &["--window", "timestamps"]);
        assert_eq!(read.places, within(from, to), "{from} to {to}");
        adds_up(&read.report);
        assert_eq!(
            (&read.report["window"]["mode"], &read.report["window"]["exact"]),
            (&"timestamps".into(), &true.into())
        );
        assert_eq!(read.report["window"]["padding_ms"], 3_600_000);
        let row = partition(&read.report, 0);
        assert_eq!(
            row["outside_window"].as_u64().unwrap() + row["records"].as_u64().unwrap(),
            row["end_offset"].as_u64().unwrap() - row["start_offset"].as_u64().unwrap()
        );
        assert!(read.stderr.contains("outside the window left out"), "{}", read.stderr);
    }
    // Without an end: everything from the start's time on, and no record is later than no end.
    let read = read(&topic, base, 20, None, &["--window", "timestamps"]);
    assert_eq!(read.places, within(20, 1000));
    assert_eq!(read.report["window"]["exact"], true);
}

#[test]
fn what_lies_behind_the_padding_is_not_found_and_the_report_says_that() {
    let (topic, base) = (unique("padded"), base());
    dated(&topic, base, &[&OUT_OF_ORDER], &[]);
    // 30 s + 100 s: the record of 200 s at offset 7 ends the range, and that of 12 s behind it is not looked at.
    let short = read(&topic, base, 10, Some(30), &["--window", "timestamps", "--padding", "100s"]);
    assert_eq!(short.places, [(0, 2), (0, 4), (0, 6)]);
    assert_eq!(
        (&short.report["window"]["exact"], &short.report["window"]["padding_ms"]),
        (&false.into(), &100_000.into())
    );
    let row = partition(&short.report, 0);
    assert_eq!((&row["start_offset"], &row["end_offset"], &row["outside_window"]), (&1.into(), &7.into(), &3.into()));
    adds_up(&short.report);
    assert!(short.stderr.contains("1m 40s past the end") && short.stderr.contains("--padding"), "{}", short.stderr);
    // 171 s are enough: no record is as late as that.
    let enough = read(&topic, base, 10, Some(30), &["--window", "timestamps", "--padding", "171s"]);
    assert_eq!((enough.places, &enough.report["window"]["exact"]), (within(10, 30), &true.into()));
    // Nothing of padding: the lookup of the end itself.
    let none = read(&topic, base, 10, Some(60), &["--window", "timestamps", "--padding", "0s"]);
    assert_eq!((none.places, &none.report["window"]["exact"]), (vec![(0, 1), (0, 2)], &false.into()));
}

#[test]
fn offsets_take_what_lies_between_and_count_what_the_timestamps_contradict() {
    let (topic, base) = (unique("contradicted"), base());
    dated(&topic, base, &[&OUT_OF_ORDER, &[60, 70]], &[]);
    // 55 s: the record of 60 s at 3; 150 s: that of 200 s at 7. Between them 20 s and 15 s speak against it.
    let read_offsets = read(&topic, base, 55, Some(150), &[]);
    assert_eq!(read_offsets.places, [(0, 3), (0, 4), (0, 5), (0, 6), (1, 0), (1, 1)]);
    let row = partition(&read_offsets.report, 0);
    assert_eq!((&row["records"], &row["outside_window"], &row["gaps"]), (&4.into(), &2.into(), &0.into()));
    assert_eq!(partition(&read_offsets.report, 1)["outside_window"], 0);
    assert_eq!(
        (&read_offsets.report["outcome"], &read_offsets.report["window"]["mode"]),
        (&"complete".into(), &"offsets".into())
    );
    assert!(read_offsets.report["window"].get("padding_ms").is_none());
    assert!(read_offsets.stderr.contains("2 records among them"), "{}", read_offsets.stderr);
    // Both bounds find the record of 50 s: nothing lies between, though four records have that time.
    let none = read(&topic, base, 10, Some(30), &[]);
    assert!(none.places.is_empty());
    assert_eq!(within(10, 30).len(), 4);
    // Offsets as bounds contradict nothing.
    let scratch = Scratch::new();
    let (report, path) = scratch.report();
    assert_eq!(replay(&[&topic, "--start-offset", "0", "--end-offset", "2", "--report", &report]).code, 0);
    assert_eq!(partition(&read_json(&path), 0)["outside_window"], 0);
}

#[test]
fn markers_and_aborted_records_are_gaps_beside_what_is_left_out() {
    let (topic, base) = (unique("mixed"), base());
    let cluster = shared();
    cluster.create_topic(&topic, 1, &[]).unwrap();
    let at = |second: i64| Record::to(&topic).partition(0).value(second.to_string()).timestamp(base + second * 1000);
    let producer = cluster.transactional_producer(&unique("tx"), &[]).unwrap();
    // 0 1 plain; 2 3 committed, 4 its marker; 5 aborted, 6 its marker; 7 plain.
    cluster.produce(&[at(40), at(5)]).unwrap();
    producer.begin().unwrap();
    producer.produce(&[at(45), at(12)]).unwrap();
    producer.commit().unwrap();
    producer.begin().unwrap();
    producer.produce(&[at(13)]).unwrap();
    producer.abort().unwrap();
    until("the last marker", || cluster.watermarks(&topic, 0).unwrap().1 == 7);
    cluster.produce(&[at(14)]).unwrap();
    // Markers have times too, which is now: the first one ends the range unless the padding reaches past it.
    let short = read(&topic, base, 10, Some(20), &["--window", "timestamps"]);
    assert_eq!((short.places, &short.report["window"]["exact"]), (vec![(0, 3)], &false.into()));
    let read = read(&topic, base, 10, Some(20), &["--window", "timestamps", "--padding", "1d"]);
    assert_eq!((read.places, &read.report["window"]["exact"]), (vec![(0, 3), (0, 7)], &true.into()));
    let row = partition(&read.report, 0);
    assert_eq!((&row["start_offset"], &row["end_offset"]), (&0.into(), &8.into()));
    assert_eq!((&row["records"], &row["outside_window"], &row["gaps"]), (&2.into(), &3.into(), &3.into()));
    adds_up(&read.report);
}

#[test]
fn several_topics_share_one_window_and_the_resolved_one_is_padded_too() {
    let (one, two, base) = (unique("one"), unique("two"), base());
    dated(&one, base, &[&OUT_OF_ORDER], &[]);
    dated(&two, base, &[&[100, 10, 20]], &[]);
    let (from, to) = ((base + 10_000).to_string(), (base + 30_000).to_string());
    let args = [&one, &two, "--from", &from, "--to", &to, "--window", "timestamps"];
    let ran = replay(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let records = ran.records();
    let of = |topic: &str| {
        let mut offsets: Vec<i64> = records
            .iter()
            .filter(|record| record["topic"] == topic)
            .map(|record| record["offset"].as_i64().unwrap())
            .collect();
        offsets.sort_unstable();
        offsets
    };
    assert_eq!((of(&one), of(&two)), (vec![2, 4, 6, 8], vec![1, 2]));
    let ran = window(&[&args[..], &["--padding", "100s", "-o", "json"]].concat()).exits(0);
    assert_eq!(ran.json()["window"]["exact"], false);
    let table = window(&[&args[..], &["--padding", "100s"]].concat()).exits(0).stdout;
    assert!(table.contains("leaves out what lies outside the times") && table.contains("1m 40s"), "{table}");
}
