//! The forms of the report: JSON, CSV, tables.

use super::place::{EPOCH, Place, kafka_consumer_groups};
use super::runner::{each, rows};
use serde_json::{Value, json};

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn sorted<const N: usize>(mut names: [&str; N]) -> Vec<&str> {
    names.sort_unstable();
    names.to_vec()
}

const REPORT: [&str; 11] = [
    "kind",
    "version",
    "command",
    "outcome",
    "cluster_id",
    "computed_at",
    "applied_at",
    "target",
    "groups",
    "total",
    "warnings",
];
const GROUP: [&str; 9] =
    ["group", "type", "outcome", "refusal", "would_refuse", "preconditions", "rows", "total", "undo"];
const ROW: [&str; 19] = [
    "topic",
    "topic_id",
    "partition",
    "current_offset",
    "current_metadata",
    "requested",
    "new_offset",
    "new_timestamp",
    "log_start_offset",
    "log_end_offset",
    "last_stable_offset",
    "lag_before",
    "lag_after",
    "rereads",
    "skips",
    "action",
    "reason",
    "outcome",
    "read_back",
];
const TOTAL: [&str; 7] = ["moved", "kept", "skipped", "failed", "rereads", "skips", "unknown"];

#[test]
fn json_has_every_field_in_every_outcome() {
    let place = Place::with_records(&[9, 9]).committed(&[5]);
    let args = ["--topic", &place.topic, "--to-offset", "3"];
    for more in [&["--dry-run"][..], &[], &["--yes"], &["--yes"]] {
        let report = place.krewind().reset(&[&[place.group.as_str()], &args[..], more].concat()).json();
        assert_eq!(keys(&report), sorted(REPORT));
        assert_eq!(
            (&report["kind"], &report["version"], &report["command"]),
            (&json!("reset"), &json!(1), &json!("reset"))
        );
        let group = &report["groups"][0];
        assert_eq!(keys(group), sorted(GROUP));
        assert_eq!(keys(&group["preconditions"]), ["members", "state"]);
        assert_eq!((keys(&group["total"]), keys(&report["total"])), (sorted(TOTAL), sorted(TOTAL)));
        for row in rows(&report) {
            let mut expected = [&ROW[..], &["error"]].concat();
            expected.sort_unstable();
            assert_eq!(keys(row), expected);
            // Kafka writes topic ids as 22 characters.
            assert_eq!(row["topic_id"].as_str().map(str::len), Some(22), "{row}");
        }
        let written = report["outcome"] == "applied";
        assert_eq!(report["applied_at"].is_string(), written);
        let computed: jiff::Timestamp = report["computed_at"].as_str().unwrap().parse().unwrap();
        assert!(report["computed_at"].as_str().unwrap().ends_with('Z'));
        assert!(jiff::Timestamp::now().duration_since(computed).as_secs() < 120);
        assert_eq!(group["undo"].is_object(), written);
    }
    let report = place.krewind().reset(&[&place.group, "--topic", &place.topic, "--to-offset", "99", "--yes"]).json();
    assert_eq!(keys(&report["groups"][0]["refusal"]), ["code", "members", "message"]);
}

#[test]
fn two_dry_runs_over_the_same_state_print_the_same_bytes() {
    let place = Place::with_records(&[9; 12]).committed(&[5; 7]);
    let run = || {
        let text = place.krewind().reset(&[&place.group, "--all-topics", "--to-earliest", "--dry-run"]).exits(0).stdout;
        text.lines().filter(|line| !line.contains("computed_at")).map(str::to_owned).collect::<Vec<_>>()
    };
    let report = place.krewind().reset(&[&place.group, "--all-topics", "--to-earliest", "--dry-run"]).json();
    // By number, not by text: 2 before 10.
    assert_eq!(each(&report, "partition"), (0..12).collect::<Vec<_>>());
    assert_eq!(run(), run());
}

#[test]
fn csv_is_kafkas_and_its_tool_reads_it_back() {
    let place = Place::dated(&[&[10, 20, 30], &[10, 20], &[10], &[]]).committed(&[1, 2]);
    let krewind = place.krewind();
    let csv = |more: &[&str]| {
        let args = [&["reset", "-o", "csv", &place.group, "--topic", &place.topic], more].concat();
        krewind.run(&args)
    };
    let time = (EPOCH + 20_000).to_string();
    let skip = ["--to-timestamp", &time, "--no-record", "skip"];
    let planned = csv(&[&skip[..], &["--dry-run"]].concat()).exits(0);
    // Partitions 2 and 3 have no such record and no commit: they stay without one, so no line can stand for them.
    let topic = &place.topic;
    assert_eq!(planned.stdout, format!("{topic},0,1\n{topic},1,1\n"));
    // Kafka's own plan from this file is the plan that the file came from.
    let file = krewind.state_home().join("plan.csv");
    std::fs::write(&file, &planned.stdout).unwrap();
    let from_file = ["--reset-offsets", "--dry-run", "--export", "--group", &place.group, "--from-file"];
    let kafka = kafka_consumer_groups(&place.cluster, &[&from_file, &[file.to_str().unwrap()][..]].concat());
    let mut lines: Vec<&str> = kafka.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    assert_eq!(lines, planned.stdout.lines().collect::<Vec<_>>());
    // And its `--export` of the same target is the same text, but for the order and the empty line at its end.
    let export = ["--reset-offsets", "--dry-run", "--export", "--group", &place.group, "--topic", topic, "--to-latest"];
    let kafka = kafka_consumer_groups(&place.cluster, &export);
    let mut lines: Vec<&str> = kafka.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    assert_eq!(csv(&["--to-latest", "--dry-run"]).stdout.lines().collect::<Vec<_>>(), lines);
    // A refusal and a write print the same lines.
    assert_eq!(csv(&skip).exits(3).stdout, planned.stdout);
    assert_eq!(csv(&[&skip[..], &["--yes"]].concat()).exits(0).stdout, planned.stdout);
    assert_eq!(place.stands(), [Some(1), Some(1), None, None]);
}

#[test]
fn a_failure_before_any_report_leaves_csv_and_tables_empty() {
    let place = Place::with_records(&[1]);
    for form in ["csv", "table", "wide"] {
        let args = ["reset", "-o", form, &place.group, "--topic", &place.topic, "--to-earliest", "--yes"];
        let ran = place.krewind().run(&args).exits(3).tells("error: group `").tells("hint: ");
        assert_eq!(ran.stdout, "", "{ran}");
    }
}

/// The cells of the table's lines, by blanks.
fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn a_table_has_its_columns_sums_and_what_comes_next() {
    let place = Place::with_records(&[12, 8, 5]).committed(&[7, 8]);
    let krewind = place.krewind();
    let topic = place.topic.as_str();
    let dry = krewind.run(&["reset", &place.group, "--topic", topic, "--to-latest", "--dry-run"]).exits(0);
    let lines = cells(&dry.stdout);
    let columns =
        "TOPIC PARTITION CURRENT-OFFSET NEW-OFFSET REREADS SKIPS LOG-START-OFFSET LOG-END-OFFSET ACTION REASON";
    assert_eq!(lines[0], columns.split(' ').collect::<Vec<_>>(), "{dry}");
    assert_eq!(lines[1], [topic, "0", "7", "12", "0", "5", "0", "12", "move", "-"], "{dry}");
    assert_eq!(lines[2], [topic, "1", "8", "8", "0", "0", "0", "8", "keep", "-"], "{dry}");
    assert_eq!(lines[3], [topic, "2", "-", "5", "-", "-", "0", "5", "move", "-"], "{dry}");
    for words in [
        "total: 2 to move, 1 in place, 0 left",
        "5 never delivered",
        "not known for 1 partition",
        "lag: 5 before, 0 after",
    ] {
        assert!(dry.stdout.contains(words), "{words}\n{dry}");
    }
    let wide = krewind.run(&["reset", "-o", "wide", &place.group, "--topic", topic, "--to-latest", "--yes"]).exits(0);
    let header = cells(&wide.stdout)[0].join(" ");
    for column in ["OUTCOME", "LAG-BEFORE", "LAG-AFTER", "NEW-TIMESTAMP", "LAST-STABLE-OFFSET", "READ-BACK"] {
        assert!(header.contains(column), "{wide}");
    }
    assert!(header.starts_with(columns), "{wide}");
    for words in ["applied: 2 commits written and read back", "undo: krewind undo --id "] {
        assert!(wide.stdout.contains(words), "{words}\n{wide}");
    }
    let id = krewind.journal()[0].1["id"].as_str().unwrap().to_owned();
    assert!(wide.stdout.contains(&format!("undo: krewind undo --id {id}\n")), "{wide}");
    assert_eq!(place.stands(), [Some(12), Some(8), Some(5)]);
    // No colour and no cursor movement where nobody looks.
    assert!(!wide.stdout.contains('\u{1b}') && !wide.stderr.contains('\u{1b}'), "{wide}");
}

#[test]
fn a_reader_that_leaves_is_no_failure_and_the_write_is_made() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    let mut command = krewind.command(&["reset", &place.group, "--topic", &place.topic, "--to-earliest", "--yes"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = command.stdout(writer).stderr(std::process::Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(place.stands(), [Some(0)]);
}
