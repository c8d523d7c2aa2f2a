//! `window`: what it resolves is what Kafka's own tool finds, and what is read back reads the same records.

use super::support::*;
use crate::reset::runner::{Krewind, Ran as Printed};
use local_kafka::client::Record;
use local_kafka::{Cluster, shared, tool};
use serde_json::{Value, json};

/// A moment some hours ago, so that no record is too old or too new.
pub fn base() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap() / 1000 * 1000 - 6 * 3600 * 1000
}

/// A topic whose partitions have records of these times, in seconds after the base; their values are their offsets.
pub fn dated(topic: &str, base: i64, seconds: &[&[i64]], config: &[(&str, &str)]) {
    shared().create_topic(topic, i32::try_from(seconds.len()).unwrap(), config).unwrap();
    for (partition, seconds) in (0..).zip(seconds) {
        let record = |(offset, second): (usize, &i64)| {
            Record::to(topic).partition(partition).value(offset.to_string()).timestamp(base + second * 1000)
        };
        let records: Vec<Record> = seconds.iter().enumerate().map(record).collect();
        if !records.is_empty() {
            shared().produce(&records).unwrap();
        }
    }
}

pub fn window(args: &[&str]) -> Printed {
    Krewind::on(shared()).run(&[&["window"], args].concat())
}

/// Start and end of each partition.
fn bounds(report: &Value) -> Vec<(i64, i64)> {
    let rows = report["partitions"].as_array().unwrap();
    rows.iter().map(|row| (row["start_offset"].as_i64().unwrap(), row["end_offset"].as_i64().unwrap())).collect()
}

/// Where Kafka's own tool finds the first record at or after a time in each partition; the end of the log where there is none.
fn kafka_finds(cluster: &Cluster, topic: &str, partitions: i32, time: i64) -> Vec<i64> {
    let output = tool("org.apache.kafka.tools.GetOffsetShell", &["--bootstrap-server", cluster.bootstrap()])
        .unwrap()
        .args(["--topic-partitions", topic, "--time", &time.to_string()])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let found = |partition: i32| {
        let prefix = format!("{topic}:{partition}:");
        match text.lines().find_map(|line| line.strip_prefix(&prefix)) {
            None | Some("") => cluster.watermarks(topic, partition).unwrap().1,
            Some(offset) => offset.parse().unwrap(),
        }
    };
    (0..partitions).map(found).collect()
}

#[test]
fn bounds_by_time_are_those_that_kafkas_own_tool_finds() {
    let (topic, base) = (unique("found"), base());
    // Out of order; one record; never written.
    dated(&topic, base, &[&[0, 50, 10, 60, 20, 100, 15, 200], &[30], &[]], &[]);
    for (from, to) in [(10, 100), (51, 61), (30, 31), (201, 300)] {
        let (from, to) = (base + from * 1000, base + to * 1000);
        let times = [from, to].map(|time| time.to_string());
        let report = window(&[&topic, "--from", &times[0], "--to", &times[1], "-o", "json"]).exits(0).json();
        let (starts, ends) = (kafka_finds(shared(), &topic, 3, from), kafka_finds(shared(), &topic, 3, to));
        let kafka: Vec<(i64, i64)> = starts.into_iter().zip(ends).collect();
        assert_eq!(bounds(&report), kafka, "{report:#}");
    }
    // What the two partitions hold at 30 s, worked out by hand.
    let from = (base + 30_000).to_string();
    let report = window(&[&topic, "--from", &from, "-o", "json"]).exits(0).json();
    assert_eq!(bounds(&report), [(1, 8), (0, 1), (0, 0)]);
}

#[test]
fn every_field_is_what_the_log_and_the_topics_settings_say() {
    let (topic, base) = (unique("fields"), base());
    let day = 24 * 3600 * 1000;
    dated(&topic, base, &[&[0, 1, 2, 3, 4, 5], &[7, 8], &[]], &[("retention.ms", &(3 * day).to_string())]);
    assert_eq!(shared().delete_records(&topic, 0, 2).unwrap(), 2);
    let from = (base + 4000).to_string();
    let report = window(&[&topic, "--from", &from, "-o", "json"]).exits(0).json();
    assert_eq!(
        (&report["kind"], &report["version"], &report["window"]["mode"]),
        (&"window".into(), &1.into(), &"offsets".into())
    );
    assert_eq!(report["window"]["from"]["timestamp_ms"], base + 4000);
    assert_eq!(report["window"]["to"], Value::Null);
    assert_eq!(report["total"], json!({"partitions": 3, "offsets": 4}));
    let rows = report["partitions"].as_array().unwrap();
    let time =
        |ms: i64| json!(jiff::Timestamp::from_millisecond(ms).unwrap().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string());
    let expected = [
        (4, 6, 2, 6, time(base + 4000), time(base + 4000 + 3 * day)),
        // The first record of this log is later than the start.
        (0, 2, 0, 2, time(base + 7000), time(base + 7000 + 3 * day)),
        (0, 0, 0, 0, Value::Null, Value::Null),
    ];
    for (row, (start, end, log_start, high, first, kept)) in rows.iter().zip(expected) {
        assert_eq!((&row["start_offset"], &row["end_offset"]), (&start.into(), &end.into()), "{row}");
        assert_eq!(row["offsets"], end - start, "{row}");
        assert_eq!((&row["log_start_offset"], &row["high_watermark"]), (&log_start.into(), &high.into()), "{row}");
        assert_eq!(
            (&row["last_stable_offset"], &row["margin_offsets"]),
            (&high.into(), &(start - log_start).into()),
            "{row}"
        );
        assert_eq!((&row["first_timestamp"], &row["kept_at_least_until"]), (&first, &kept), "{row}");
        assert_eq!(row["retention_ms"], 3 * day, "{row}");
        assert!(row["topic_id"].is_string(), "{row}");
    }
    assert!(rows[2]["reason"].as_str().unwrap().contains("empty"), "{report:#}");
    // An offset inside the log: no lookup tells the time of the record there.
    let inside = window(&[&topic, "--start-offset", "3", "--out-of-range", "clamp", "-o", "json"]).exits(0).json();
    assert_eq!(inside["partitions"][0]["first_timestamp"], Value::Null, "{inside:#}");
    assert_eq!(inside["partitions"][0]["kept_at_least_until"], Value::Null, "{inside:#}");
    // At the log's start the oldest lookup does.
    let whole = window(&[&topic, "--from", "earliest", "-o", "json"]).exits(0).json();
    assert_eq!(whole["partitions"][0]["first_timestamp"], time(base + 2000), "{whole:#}");
}

#[test]
fn nothing_is_promised_where_compaction_or_a_size_limit_may_come_first() {
    let base = base();
    for (config, retention) in [
        (&[("cleanup.policy", "compact")][..], Value::Null),
        (&[("cleanup.policy", "compact,delete"), ("retention.ms", "259200000")], 259_200_000.into()),
        (&[("retention.bytes", "1000000"), ("retention.ms", "259200000")], 259_200_000.into()),
        (&[("retention.ms", "-1")], (-1).into()),
    ] {
        let topic = unique("promised");
        shared().create_topic(&topic, 1, config).unwrap();
        shared().produce(&[Record::to(&topic).partition(0).key("k").value("v").timestamp(base)]).unwrap();
        let report = window(&[&topic, "--from", "earliest", "-o", "json"]).exits(0).json();
        let row = &report["partitions"][0];
        assert_eq!((&row["retention_ms"], &row["kept_at_least_until"]), (&retention, &Value::Null), "{config:?}");
        assert!(row["first_timestamp"].is_string(), "{row}");
    }
    // A window that is near its end is spoken of.
    let topic = unique("near");
    dated(&topic, base, &[&[0]], &[("retention.ms", "25200000")]);
    let ran = window(&[&topic, "--from", "earliest", "-o", "json"]).exits(0).tells("kept at least until");
    assert_eq!(ran.json()["warnings"][0]["code"], "retention-near");
}

#[test]
fn a_window_that_was_printed_reads_the_same_records_later() {
    let (one, two, base) = (unique("one"), unique("two"), base());
    dated(&one, base, &[&[0, 10, 20, 30], &[5, 25]], &[]);
    dated(&two, base, &[&[12, 22]], &[]);
    let from = (base + 10_000).to_string();
    let printed = window(&[&one, &two, "--from", &from, "-o", "csv"]).exits(0).stdout;
    let expected = format!("topic,partition,start_offset,end_offset\n{one},0,1,4\n{one},1,1,2\n{two},0,0,2\n");
    assert_eq!(printed, expected);
    // What comes after is not in it.
    shared()
        .produce(&[Record::to(&one).partition(0).value("late"), Record::to(&two).partition(0).value("late")])
        .unwrap();
    let scratch = Scratch::new();
    let file = scratch.path("window.csv");
    // As Windows programs leave a file.
    std::fs::write(&file, format!("\u{feff}{}# kept\r\n", printed.replace('\n', "\r\n"))).unwrap();
    let (report, path) = scratch.report();
    let ran = replay(&["--window-file", &scratch.text("window.csv"), "--report", &report]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut got: Vec<(String, i64, i64)> = ran
        .records()
        .iter()
        .map(|record| {
            let number = |field: &str| record[field].as_i64().unwrap();
            (record["topic"].as_str().unwrap().to_owned(), number("partition"), number("offset"))
        })
        .collect();
    got.sort();
    let mut right: Vec<(String, i64, i64)> =
        [(0, 1), (0, 2), (0, 3), (1, 1)].map(|(partition, offset)| (one.clone(), partition, offset)).to_vec();
    right.extend([(0, 0), (0, 1)].map(|(partition, offset)| (two.clone(), partition, offset)));
    right.sort();
    assert_eq!(got, right);
    let reported = read_json(&path);
    assert_eq!(reported["outcome"], "complete");
    assert_eq!(reported["window"]["from"]["file"], scratch.text("window.csv"));
    // A topic that is named restricts the file; one that it lacks is no window.
    let ran = replay(&[&two, "--window-file", &scratch.text("window.csv")]);
    assert_eq!((ran.code, places(&ran.records())), (0, vec![(0, 0), (0, 1)]));
    let ran = replay(&["other", "--window-file", &scratch.text("window.csv")]);
    assert!(ran.code == 2 && ran.stderr.contains("no window for topic `other`"), "{}", ran.stderr);
    // The file is resolved as it stands, by `window` too.
    let again = window(&["--window-file", &scratch.text("window.csv"), "-o", "csv"]).exits(0).stdout;
    assert_eq!(again, expected);
}

#[test]
fn a_file_with_one_bad_line_is_refused_with_its_number_and_nothing_is_read() {
    let topic = unique("bad");
    dated(&topic, base(), &[&[0, 1, 2]], &[]);
    let scratch = Scratch::new();
    let (file, out) = (scratch.text("w.csv"), scratch.text("out.jsonl"));
    std::fs::write(scratch.path("w.csv"), format!("# mine\n{topic},0,0,3\n{topic},0,0,three\n")).unwrap();
    let ran = replay(&["--window-file", &file, "--into", &out, "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (2, &"bad-file".into()), "{}", ran.stderr);
    assert!(ran.json()["message"].as_str().unwrap().contains("line 3"), "{}", ran.stderr);
    // What the log has no longer, or not yet, is refused, or cut where that is asked for.
    std::fs::write(scratch.path("w.csv"), format!("{topic},0,1,5\n")).unwrap();
    let ran = replay(&["--window-file", &file, "--into", &out, "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (3, &"out-of-range".into()), "{}", ran.stderr);
    assert_eq!(scratch.names(), ["w.csv"]);
    let ran = replay(&["--window-file", &file, "--out-of-range", "clamp"]);
    assert_eq!((ran.code, places(&ran.records())), (0, vec![(0, 1), (0, 2)]), "{}", ran.stderr);
    let ran = replay(&["--window-file", &scratch.text("none.csv"), "--into", &out, "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["code"]), (2, &"bad-file".into()), "{}", ran.stderr);
}

#[test]
fn spark_gets_its_options_and_nothing_else_has_that_form() {
    let (one, two, base) = (unique("spark"), unique("spark"), base());
    dated(&one, base, &[&[0, 10], &[], &[20]], &[]);
    dated(&two, base, &[&[12, 22]], &[]);
    let from = (base + 10_000).to_string();
    let ran = window(&[&format!("{one}:0,2"), &two, "--from", &from, "-o", "spark"]).exits(0);
    let expected = json!({
        "assign": {&one: [0, 2], &two: [0]},
        "startingOffsets": {&one: {"0": 1, "2": 0}, &two: {"0": 0}},
        "endingOffsets": {&one: {"0": 2, "2": 1}, &two: {"0": 2}},
    });
    assert_eq!(ran.json(), expected);
    for args in [&["replay", &one, "--from", "earliest"][..], &["list"], &["describe", "g"]] {
        Krewind::on(shared()).run(&[args, &["-o", "spark"]].concat()).exits(2).tells("for windows alone");
    }
    window(&[&one, "--from", "earliest", "-o", "prometheus"]).exits(2);
    let table = window(&[&one, "--from", "earliest"]).exits(0).stdout;
    for words in ["START-OFFSET", "END-OFFSET", "KEPT-AT-LEAST-UNTIL", "3 partitions, 3 offsets", "nothing was read"] {
        assert!(table.contains(words), "{table}");
    }
    let wide = window(&[&one, "--from", "earliest", "-o", "wide"]).exits(0).stdout;
    assert!(wide.contains("MARGIN-OFFSETS") && wide.contains("RETENTION-MS"), "{wide}");
    let markdown = window(&[&one, "--from", "earliest", "-o", "markdown"]).exits(0).stdout;
    assert!(markdown.trim_start().starts_with("| TOPIC"), "{markdown}");
    window(&[&unique("missing"), "--from", "earliest", "-o", "json"]).error(1, "topic-not-found");
    no_replay_group(shared());
}
