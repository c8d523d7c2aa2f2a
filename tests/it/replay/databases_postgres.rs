//! Tables of PostgreSQL, read back by `psql`.

use super::databases_support::*;
use super::support::*;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::Value;

/// A run into this table.
fn into(topic: &str, table: &str, more: &[&str]) -> Ran {
    let url = postgres().url();
    replay(&whole(topic, &url, &[&["--table", table], more].concat()))
}

/// A name that needs quotes.
fn table(what: &str) -> String {
    unique(what)
}

#[test]
fn what_is_hard_to_keep_is_kept_in_postgres() {
    let (topic, table) = (contents("pg-bytes"), table("bytes"));
    let ran = into(&topic, &table, &[]);
    assert_eq!(counts(&ran), (7, 0));
    let hex = |bytes: Bytes<'_>| match bytes {
        None => "NULL".to_owned(),
        Some(bytes) => format!("\\x{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
    };
    let expected: Vec<String> = CONTENTS
        .iter()
        .enumerate()
        .map(|(n, (key, value))| {
            format!("{topic}|0|{n}|2026-06-01 08:00:00.{n:03}|CreateTime|{}|{}", hex(*key), hex(*value))
        })
        .collect();
    let found = postgres().psql(&format!(
        "SELECT kafka_topic, kafka_partition, kafka_offset, to_char(kafka_timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS'), \
         kafka_timestamp_type, coalesce(kafka_key::text, 'NULL'), coalesce(kafka_value::text, 'NULL') FROM \"{table}\" ORDER BY kafka_offset"
    ));
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
    let headers = postgres().psql(&format!("SELECT kafka_headers FROM \"{table}\" ORDER BY kafka_offset"));
    let headers: Vec<Value> = headers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&headers[0], &headers[1]), (&serde_json::json!([]), &expected_headers()));
    let types = postgres().psql(&format!(
        "SELECT string_agg(format_type(atttypid, NULL), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = '\"{table}\"'::regclass AND attnum > 0"
    ));
    assert_eq!(types, "text, bigint, bigint, timestamp with time zone, text, bytea, bytea, jsonb");
    let key = postgres().psql(&format!(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '\"{table}\"'::regclass AND contype = 'p'"
    ));
    assert_eq!(key, "PRIMARY KEY (kafka_topic, kafka_partition, kafka_offset)");
}

#[test]
fn timestamps_of_all_kinds_stand_in_postgres() {
    let (topic, appended) = (unique("pg-times"), unique("pg-append-time"));
    shared()
        .create_topic(
            &topic,
            1,
            &[
                ("retention.ms", "-1"),
                ("message.timestamp.before.max.ms", &i64::MAX.to_string()),
                ("message.timestamp.after.max.ms", &i64::MAX.to_string()),
            ],
        )
        .unwrap();
    shared().create_topic(&appended, 1, &[("message.timestamp.type", "LogAppendTime")]).unwrap();
    // The last is beyond what the database knows.
    let times = [1, 1_780_300_800_999, 9_223_372_036_854_775_000];
    let records: Vec<Record> =
        times.iter().map(|time| Record::to(&topic).partition(0).value("v").timestamp(*time)).collect();
    shared().produce(&records).unwrap();
    shared().produce(&[Record::to(&appended).partition(0).value("v").timestamp(1000)]).unwrap();
    let table = table("times");
    let ran = into(&topic, &table, &["--topic", &appended]);
    assert_eq!(counts(&ran), (4, 0));
    assert!(ran.json()["warnings"].to_string().contains("timestamp-out-of-range"), "{}", ran.json()["warnings"]);
    let found = postgres().psql(&format!(
        "SELECT extract(epoch FROM kafka_timestamp) * 1000 FROM \"{table}\" WHERE kafka_topic = '{topic}' ORDER BY kafka_offset"
    ));
    let found: Vec<Option<f64>> = found.split('\n').map(|text| text.parse().ok()).chain([None]).take(3).collect();
    assert_eq!(found, [Some(1.0), Some(1_780_300_800_999.0), None]);
    let found = postgres().psql(&format!(
        "SELECT kafka_timestamp_type, kafka_timestamp > now() - interval '1 hour' FROM \"{table}\" WHERE kafka_topic = '{appended}'"
    ));
    assert_eq!(found, "LogAppendTime|t");
}

#[test]
fn a_second_run_changes_nothing_in_postgres_and_a_third_adds_what_is_new() {
    let (topic, table) = (numbers("pg-again", &[30, 20]), table("again"));
    assert_eq!(counts(&into(&topic, &table, &[])), (50, 0));
    let all = format!("SELECT xmin, * FROM \"{table}\" ORDER BY 2, 3, 4");
    let before = postgres().psql(&all);
    assert_eq!(counts(&into(&topic, &table, &[])), (0, 50));
    assert_eq!(postgres().psql(&all), before, "no row was written again");
    shared().produce_numbers(&topic, 1, 5).unwrap();
    assert_eq!(counts(&into(&topic, &format!("public.\"{table}\""), &[])), (5, 50));
    postgres()
        .psql(&format!("UPDATE \"{table}\" SET kafka_value = 'other' WHERE kafka_partition = 0 AND kafka_offset = 3"));
    let ran = into(&topic, &table, &[]);
    assert_eq!(counts(&ran), (0, 55));
    let warnings = ran.json()["warnings"].to_string();
    assert!(warnings.contains("rows-differ") && warnings.contains("1 rows"), "{warnings}");
    refused(&into(&topic, &table, &["--if-exists", "fail"]), "exists");
    // Added once more, a record would be there twice: the table's key says no, and nothing of the batch is left.
    let ran = into(&topic, &table, &["--if-exists", "append"]);
    assert_eq!((ran.code, &ran.json()["sink"]["written"]), (1, &0.into()), "{}", ran.stderr);
    assert!(ran.stderr.contains("already exists") && ran.stderr.contains("--if-exists upsert"), "{}", ran.stderr);
    assert_eq!(postgres().psql(&format!("SELECT count(*) FROM \"{table}\"")), "55");
}

const COLUMNS: &str = "kafka_topic text, kafka_partition bigint, kafka_offset bigint, kafka_timestamp timestamptz, \
                       kafka_timestamp_type text, kafka_key bytea, kafka_value bytea, kafka_headers jsonb";

#[test]
fn a_table_of_somebody_else_in_postgres_is_refused_unless_told() {
    let topic = numbers("pg-foreign", &[10]);
    let name = |what: &str| format!("foreign_{what}_{}", std::process::id());
    let (fits, lacks, demands, view) = (name("fits"), name("lacks"), name("demands"), name("view"));
    postgres().psql(&format!(
        "CREATE TABLE {fits} (note text DEFAULT 'mine', {COLUMNS}); CREATE TABLE {lacks} (kafka_topic int); \
         CREATE TABLE {demands} ({COLUMNS}, note text NOT NULL); CREATE VIEW {view} AS SELECT 1"
    ));
    let append = ["--if-exists", "append"];
    refused(&into(&topic, &fits, &[]), "krewind did not make it");
    refused(&into(&topic, &fits, &["--if-exists", "upsert"]), "no primary key or unique index");
    refused(
        &into(&topic, &fits, &["--if-exists", "append", "--value-format", "json"]),
        "`--value-format json` wants jsonb",
    );
    let ran = into(&topic, &lacks, &append);
    refused(&ran, "it lacks `kafka_partition bigint`");
    refused(&ran, "`kafka_topic` is integer and not text");
    refused(&into(&topic, &demands, &append), "`note` takes no null");
    refused(&into(&topic, &view, &append), "is no table");
    assert_eq!(postgres().psql(&format!("SELECT count(*) FROM {fits}")), "0");
    for _ in 0..2 {
        assert_eq!(counts(&into(&topic, &fits, &append)), (10, 0));
    }
    assert_eq!(
        postgres().psql(&format!("SELECT count(*), count(DISTINCT kafka_offset), min(note) FROM {fits}")),
        "20|10|mine"
    );
    postgres()
        .psql(&format!("TRUNCATE {fits}; CREATE UNIQUE INDEX ON {fits} (kafka_offset, kafka_topic, kafka_partition)"));
    assert_eq!(counts(&into(&topic, &fits, &["--if-exists", "upsert"])), (10, 0));
    assert_eq!(counts(&into(&topic, &fits, &["--if-exists", "upsert"])), (0, 10));
    let ran = into(&topic, "no_such_schema.t", &[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("`no_such_schema` does not exist") && ran.stderr.contains("CREATE SCHEMA"),
        "{}",
        ran.stderr
    );
}

#[test]
fn another_table_takes_the_place_of_the_old_one_in_postgres_only_when_it_is_whole() {
    let (topic, broken) = (numbers("pg-replace", &[10]), values_in("pg-broken", &[b"{}", b"{"]));
    let table = format!("replaced_{}", std::process::id());
    postgres().psql(&format!("CREATE TABLE {table} (mine int); INSERT INTO {table} VALUES (1)"));
    let replace = ["--if-exists", "replace"];
    let ran = into(&broken, &table, &["--if-exists", "replace", "--value-format", "json"]);
    assert_eq!((ran.code, &ran.json()["sink"]["written"]), (1, &0.into()), "{}", ran.stderr);
    assert_eq!(postgres().psql(&format!("SELECT * FROM {table}")), "1");
    postgres().psql(&format!("CREATE VIEW {table}_view AS SELECT * FROM {table}"));
    refused(&into(&topic, &table, &replace), "depend");
    postgres().psql(&format!("DROP VIEW {table}_view"));
    for _ in 0..2 {
        assert_eq!(counts(&into(&topic, &table, &replace)), (10, 0));
        assert_eq!(postgres().psql(&format!("SELECT count(kafka_value) FROM {table}")), "10");
    }
    assert_eq!(counts(&into(&topic, &table, &[])), (0, 10));
}

#[test]
fn text_and_jsonb_where_they_were_asked_for_and_an_error_that_names_the_record_where_they_can_not_be() {
    let topic = values_in("pg-json", &[b"{\"b\": 1.5, \"a\":12345678901234567890123}", b"7", b"null"]);
    let json = table("json");
    assert_eq!(counts(&into(&topic, &json, &["--value-format", "json", "--key-format", "string"])), (3, 0));
    let found = postgres().psql(&format!(
        "SELECT pg_typeof(kafka_key), pg_typeof(kafka_value), kafka_value FROM \"{json}\" ORDER BY kafka_offset"
    ));
    assert_eq!(found, "text|jsonb|{\"a\": 12345678901234567890123, \"b\": 1.5}\ntext|jsonb|7\ntext|jsonb|null");
    refused(&into(&topic, &json, &["--value-format", "json"]), "`--key-format bytes` wants bytea");
    for (value, format, words) in [
        (&b"{"[..], "json", "is not JSON"),
        (b"\"\\u0000\"", "json", "\\u0000"),
        (b"\"\\ud800\"", "json", "surrogate"),
        (b"\xff", "string", "is not UTF-8"),
        (b"a\0", "string", "NUL character"),
        (b"\0\0\0\0\x01{}", "json", "Schema Registry"),
    ] {
        let topic = values_in("pg-bad", &[b"1", value, b"2"]);
        let ran = into(&topic, &table("bad"), &["--value-format", format]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let place = format!("`{topic}-0` at offset 1");
        for words in [words, &place, "--value-format bytes"] {
            assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
        }
        assert_eq!(ran.json()["outcome"], "incomplete");
    }
}

#[test]
fn a_run_that_is_killed_is_made_good_by_the_next_in_postgres() {
    const COUNT: usize = 150_000;
    let (topic, table) = (numbers("pg-killed", &[COUNT / 2, COUNT / 2]), format!("killed_{}", std::process::id()));
    let url = postgres().url();
    let args = whole(&topic, &url, &["--table", &table]);
    let running = start(&args);
    let count = || postgres().psql(&format!("SELECT count(*) FROM {table}")).parse::<usize>().unwrap();
    until("some rows", || postgres().psql(&format!("SELECT to_regclass('{table}') IS NOT NULL")) == "t" && count() > 0);
    running.signal("KILL");
    drop(running);
    // The server may still be at what it was sent.
    until("its session to end", || {
        postgres().psql(&format!("SELECT count(*) FROM pg_locks WHERE relation = '{table}'::regclass")) == "0"
    });
    let left = count();
    assert!(left > 0 && left < COUNT, "{left}: the run ended before it was killed");
    assert_eq!(counts(&replay(&args)), ((COUNT - left) as u64, left as u64));
    let found = postgres().psql(&format!(
        "SELECT count(*), count(DISTINCT (kafka_partition, kafka_offset)), sum(kafka_offset) FROM {table}"
    ));
    let sum = (COUNT / 2) * (COUNT / 2 - 1);
    assert_eq!(found, format!("{COUNT}|{COUNT}|{sum}"));
}

#[test]
fn ctrl_c_ends_a_run_whose_table_is_locked() {
    let (topic, table) = (numbers("pg-locked", &[10]), format!("locked_{}", std::process::id()));
    assert_eq!(counts(&into(&topic, &table, &[])), (10, 0));
    let _session = postgres().session(&format!("BEGIN; LOCK TABLE {table} IN SHARE MODE;\n"));
    let waiting = |granted: &str| {
        postgres()
            .psql(&format!("SELECT count(*) > 0 FROM pg_locks WHERE relation = '{table}'::regclass AND {granted}"))
    };
    until("the lock", || waiting("granted") == "t");
    let url = postgres().url();
    let running = start(&whole(&topic, &url, &["--table", &table]));
    until("krewind to wait for it", || waiting("NOT granted") == "t");
    running.signal("INT");
    let ran = running.end();
    assert_eq!((ran.code, &ran.json()["code"]), (130, &"interrupted".into()), "{}", ran.stderr);
    assert_eq!(postgres().psql(&format!("SELECT count(*) FROM {table}")), "10");
}
