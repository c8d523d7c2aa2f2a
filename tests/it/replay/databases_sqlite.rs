//! Tables of SQLite, read back by its own tool.

use super::databases_support::*;
use super::support::*;
use serde_json::Value;

#[test]
fn what_is_hard_to_keep_is_kept_in_sqlite() {
    let topic = contents("sqlite-bytes");
    let scratch = Scratch::new();
    let ran = replay(&whole(&topic, &scratch.text("a.sqlite"), &[]));
    assert_eq!(counts(&ran), (7, 0));
    assert_eq!(scratch.names(), ["a.sqlite"]);
    let path = scratch.path("a.sqlite");
    assert_eq!(sqlite(&path, "PRAGMA integrity_check"), "ok");
    let hex = |bytes: Bytes<'_>| match bytes {
        None => "NULL".to_owned(),
        Some(bytes) => format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
    };
    let expected: Vec<String> = CONTENTS
        .iter()
        .enumerate()
        .map(|(n, (key, value))| {
            format!("{topic}|0|{n}|2026-06-01T08:00:00.{n:03}Z|CreateTime|{}|{}", hex(*key), hex(*value))
        })
        .collect();
    let found = sqlite(
        &path,
        "SELECT kafka_topic, kafka_partition, kafka_offset, kafka_timestamp, kafka_timestamp_type, quote(kafka_key), \
         quote(kafka_value) FROM records ORDER BY kafka_offset",
    );
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
    let headers = sqlite(&path, "SELECT kafka_headers FROM records ORDER BY kafka_offset");
    let headers: Vec<Value> = headers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&headers[0], &headers[1]), (&serde_json::json!([]), &expected_headers()));
    let duplicates = sqlite(&path, "SELECT count(*) FROM pragma_table_info('records') WHERE pk > 0");
    assert_eq!(duplicates, "3", "topic, partition and offset are the primary key");
}

#[test]
fn a_second_run_changes_nothing_in_sqlite_and_a_third_adds_what_is_new() {
    let topic = numbers("sqlite-again", &[30, 20]);
    let scratch = Scratch::new();
    let into = scratch.text("a.db");
    let path = scratch.path("a.db");
    assert_eq!(counts(&replay(&whole(&topic, &into, &[]))), (50, 0));
    let all = "SELECT * FROM records ORDER BY 1, 2, 3";
    let before = sqlite(&path, all);
    assert_eq!(counts(&replay(&whole(&topic, &into, &[]))), (0, 50));
    assert_eq!(sqlite(&path, all), before);
    local_kafka::shared().produce_numbers(&topic, 1, 5).unwrap();
    assert_eq!(counts(&replay(&whole(&topic, &into, &[]))), (5, 50));
    assert_eq!(
        sqlite(&path, "SELECT count(*), count(DISTINCT kafka_partition || '-' || kafka_offset) FROM records"),
        "55|55"
    );
    // The same record with another content is not overwritten, and said.
    sqlite(&path, "UPDATE records SET kafka_value = 'other' WHERE kafka_partition = 0 AND kafka_offset = 3");
    let ran = replay(&whole(&topic, &into, &[]));
    assert_eq!(counts(&ran), (0, 55));
    let warnings = ran.json()["warnings"].to_string();
    assert!(warnings.contains("rows-differ") && warnings.contains("1 rows"), "{warnings}");
    // Told so, it is left alone.
    refused(&replay(&whole(&topic, &into, &["--if-exists", "fail"])), "exists");
    // Another table of the same database is made.
    assert_eq!(counts(&replay(&whole(&topic, &into, &["--table", "Second"]))), (55, 0));
    assert_eq!(sqlite(&path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1"), "Second\nrecords");
}

#[test]
fn a_table_of_somebody_else_is_refused_unless_told() {
    let topic = numbers("sqlite-foreign", &[10]);
    let scratch = Scratch::new();
    let (into, path) = (scratch.text("a.db"), scratch.path("a.db"));
    let columns = "kafka_topic TEXT, kafka_partition INTEGER, kafka_offset INTEGER, kafka_timestamp TEXT, \
                   kafka_timestamp_type TEXT, kafka_key, kafka_value, kafka_headers TEXT";
    sqlite(
        &path,
        &format!(
            "CREATE TABLE records ({columns}, note TEXT DEFAULT 'mine'); CREATE TABLE lacks (kafka_topic); CREATE VIEW v AS SELECT 1; CREATE TABLE demands ({columns}, note NOT NULL)"
        ),
    );
    let before = sqlite(&path, ".dump");
    let table = |name| ["--table", name, "--if-exists", "append"];
    refused(&replay(&whole(&topic, &into, &[])), "krewind did not make it");
    refused(&replay(&whole(&topic, &into, &["--if-exists", "upsert"])), "no primary key or unique index");
    refused(&replay(&whole(&topic, &into, &table("lacks"))), "it lacks `kafka_partition INTEGER`");
    refused(&replay(&whole(&topic, &into, &table("demands"))), "`note` takes no null");
    refused(&replay(&whole(&topic, &into, &table("v"))), "view");
    assert_eq!(sqlite(&path, ".dump"), before);
    for _ in 0..2 {
        assert_eq!(counts(&replay(&whole(&topic, &into, &["--if-exists", "append"]))), (10, 0));
    }
    assert_eq!(sqlite(&path, "SELECT count(*), count(DISTINCT kafka_offset), min(note) FROM records"), "20|10|mine");
    sqlite(
        &path,
        "DELETE FROM records WHERE rowid > 4; CREATE UNIQUE INDEX i ON records (kafka_offset, kafka_topic, kafka_partition)",
    );
    assert_eq!(counts(&replay(&whole(&topic, &into, &["--if-exists", "upsert"]))), (6, 4));
    // What is no database at all.
    std::fs::write(scratch.path("text.db"), "x".repeat(5000)).unwrap();
    refused(&replay(&whole(&topic, &scratch.text("text.db"), &[])), "no SQLite database");
}

#[test]
fn another_table_takes_the_place_of_the_old_one_only_when_it_is_whole() {
    let (topic, broken) = (numbers("sqlite-replace", &[10]), values_in("sqlite-broken", &[b"{}", b"{"]));
    let scratch = Scratch::new();
    let (into, path) = (scratch.text("a.db"), scratch.path("a.db"));
    sqlite(
        &path,
        "CREATE TABLE records (mine); INSERT INTO records VALUES (1); CREATE VIEW v AS SELECT count(*) FROM records",
    );
    let before = sqlite(&path, ".dump");
    let ran = replay(&whole(&broken, &into, &["--if-exists", "replace", "--value-format", "json"]));
    assert_eq!((ran.code, &ran.json()["sink"]["written"]), (1, &0.into()), "{}", ran.stderr);
    assert_eq!(sqlite(&path, ".dump"), before);
    assert_eq!(counts(&replay(&whole(&topic, &into, &["--if-exists", "replace"]))), (10, 0));
    assert_eq!(sqlite(&path, "SELECT * FROM v; SELECT name FROM sqlite_schema WHERE type = 'table'"), "10\nrecords");
    // It is krewind's own now.
    assert_eq!(counts(&replay(&whole(&topic, &into, &[]))), (0, 10));
}

#[test]
fn text_and_json_stand_as_they_are_and_what_is_neither_ends_the_run() {
    let topic = values_in("sqlite-json", &[b"{\"b\": 1.50e400, \"a\":12345678901234567890123}", b"7", b"null"]);
    let scratch = Scratch::new();
    let into = scratch.text("a.db");
    let path = scratch.path("a.db");
    assert_eq!(counts(&replay(&whole(&topic, &into, &["--value-format", "json", "--key-format", "string"]))), (3, 0));
    let found = sqlite(&path, "SELECT typeof(kafka_value), kafka_value FROM records ORDER BY kafka_offset");
    assert_eq!(found, "text|{\"b\": 1.50e400, \"a\":12345678901234567890123}\ntext|7\ntext|null");
    refused(&replay(&whole(&topic, &into, &[])), "`kafka_value` is TEXT, and `--value-format bytes` wants BLOB");
    for (value, format, words) in
        [(&b"{"[..], "json", "is not JSON"), (b"\xff", "string", "is not UTF-8"), (b"a\0", "string", "NUL character")]
    {
        let topic = values_in("sqlite-bad", &[b"1", value, b"2"]);
        let name = format!("{}.db", unique("bad"));
        let ran = replay(&whole(&topic, &scratch.text(&name), &["--value-format", format]));
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(words) && ran.stderr.contains("at offset 1"), "{}", ran.stderr);
        // What came before it is there, under a partial name.
        assert!(!scratch.path(&name).exists());
        let report = ran.json();
        let partial = report["sink"]["partial"].as_str().unwrap();
        assert_eq!(report["sink"]["written"], 1);
        assert_eq!(sqlite(std::path::Path::new(partial), "SELECT kafka_value FROM records"), "1");
    }
}

#[test]
fn a_run_that_is_killed_is_made_good_by_the_next_in_sqlite() {
    const COUNT: usize = 150_000;
    let topic = numbers("sqlite-killed", &[COUNT / 2, COUNT / 2]);
    let scratch = Scratch::new();
    let (into, path) = (scratch.text("a.db"), scratch.path("a.db"));
    let args = whole(&topic, &into, &["--if-exists", "upsert"]);
    let running = start(&args);
    let count = || sqlite(&path, "SELECT count(*) FROM records").parse::<usize>().unwrap();
    until("some rows", || {
        path.exists()
            && sqlite(&path, "SELECT count(*) FROM sqlite_schema WHERE name = 'records'") == "1"
            && count() > 0
    });
    running.signal("KILL");
    drop(running);
    let left = count();
    assert!(left > 0 && left < COUNT, "{left}: the run ended before it was killed");
    assert_eq!(counts(&replay(&args)), ((COUNT - left) as u64, left as u64));
    let found = sqlite(
        &path,
        "SELECT count(*), count(DISTINCT kafka_partition || '-' || kafka_offset), sum(kafka_offset) FROM records; PRAGMA integrity_check",
    );
    let sum = (COUNT / 2) * (COUNT / 2 - 1);
    assert_eq!(found, format!("{COUNT}|{COUNT}|{sum}\nok"));
}
