//! Parquet, read with pyarrow.

use super::*;

/// Prints the schema and how it is stored, then the records.
const READ: &str = r#"
import base64, json, sys
import pyarrow.parquet as pq
file = pq.ParquetFile(sys.argv[1])
b64 = lambda value: None if value is None else base64.b64encode(value.encode() if isinstance(value, str) else value).decode()
print(json.dumps({
    "schema": [[field.name, str(field.type), field.nullable] for field in file.schema_arrow],
    "groups": [[file.metadata.row_group(n).num_rows, file.metadata.row_group(n).total_byte_size] for n in range(file.num_row_groups)],
    "compression": sorted({file.metadata.row_group(n).column(c).compression for n in range(file.num_row_groups) for c in range(file.metadata.num_columns)}),
    "created_by": file.metadata.created_by}))
for batch in file.iter_batches():
    columns = {name: batch.column(name) for name in batch.schema.names}
    times = columns["timestamp"].cast("int64").to_pylist()
    values = {name: column.to_pylist() for name, column in columns.items() if name != "timestamp"}
    for n in range(batch.num_rows):
        row = {name: column[n] for name, column in values.items()}
        row["timestamp"] = times[n]
        row["key"], row["value"] = b64(row["key"]), b64(row["value"])
        row["headers"] = [[header["key"], b64(header["value"])] for header in row["headers"]]
        print(json.dumps(row))
"#;

pub fn read(path: &str) -> (Value, Vec<Value>) {
    let mut lines = python::run(READ, &[path]);
    let about = lines.remove(0);
    (about, lines)
}

/// Name, Arrow's type, and whether it may be null.
fn schema(key: &str, value: &str) -> Value {
    json!([
        ["topic", "string", false],
        ["partition", "int32", false],
        ["offset", "int64", false],
        ["timestamp", "timestamp[ms, tz=UTC]", true],
        ["timestamp_type", "string", false],
        ["key", key, true],
        ["value", value, true],
        ["headers", "list<element: struct<key: string not null, value: binary> not null>", false]
    ])
}

#[test]
fn every_kind_of_record_is_in_the_parquet_file() {
    let (topic, sent) = every_kind();
    let scratch = Scratch::new();
    let path = scratch.text("a.parquet");
    let report = into(&topic, &path, &[]);
    assert_eq!((&report["sink"]["into"], &report["sink"]["written"]), (&json!("parquet"), &json!(sent.len())));
    let (about, rows) = read(&path);
    assert_eq!(about["schema"], schema("binary", "binary"));
    assert_eq!(about["compression"], json!(["ZSTD"]));
    assert!(about["created_by"].as_str().unwrap().starts_with("krewind"), "{about}");
    assert_eq!(rows.iter().map(python::sent).collect::<Vec<_>>(), sent);
    assert!(
        rows.iter().all(|row| row["topic"] == topic && row["partition"] == 0 && row["timestamp_type"] == "CreateTime")
    );
    assert_eq!(scratch.names(), ["a.parquet"]);
}

#[test]
fn a_column_is_text_when_the_format_says_so() {
    let (topic, sent) = texts();
    let scratch = Scratch::new();
    let path = scratch.text("a.parquet");
    into(&topic, &path, &["--key-format", "string", "--value-format", "string"]);
    let (about, rows) = read(&path);
    assert_eq!(about["schema"], schema("string", "string"));
    assert_eq!(rows.iter().map(python::sent).collect::<Vec<_>>(), sent);
}

#[test]
fn a_window_without_records_is_a_file_without_rows() {
    let topic = unique("parquet-empty");
    shared().create_topic(&topic, 1, &[]).unwrap();
    let scratch = Scratch::new();
    let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text("a.parquet")]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (about, rows) = read(&scratch.text("a.parquet"));
    assert_eq!(
        (about["schema"].clone(), about["groups"].clone(), rows.len()),
        (schema("binary", "binary"), json!([]), 0)
    );
}

#[test]
fn row_groups_are_bounded_and_none_is_lost_between_them() {
    let cluster = shared();
    let topics = [unique("groups-a"), unique("groups-b")];
    let padding = "x".repeat(1000);
    for topic in &topics {
        cluster.create_topic(topic, 2, &[]).unwrap();
        let records: Vec<Record> = (0..24_000)
            .map(|n| Record::to(topic).partition(n % 2).key(n.to_string()).value(format!("{topic} {n} {padding}")))
            .collect();
        cluster.produce(&records).unwrap();
    }
    let scratch = Scratch::new();
    let path = scratch.text("a.parquet");
    let args = [&topics[0], &topics[1], "--from", "earliest", "--into", &path, "-o", "json"];
    let ran = replay(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["sink"]["written"], 48_000);
    let (about, rows) = read(&path);
    let groups = about["groups"].as_array().unwrap();
    assert!(groups.len() >= 3, "{about}");
    assert!(groups.iter().all(|group| group[1].as_i64().unwrap() < 10 << 20), "{about}");
    // Each record once, its key and value those of its place, as they were produced.
    let mut found: Vec<(String, i64, i64)> = rows
        .iter()
        .map(|row| {
            let (topic, partition, offset) =
                (row["topic"].as_str().unwrap(), row["partition"].as_i64().unwrap(), row["offset"].as_i64().unwrap());
            let n = (offset * 2 + partition).to_string();
            assert_eq!(python::bytes(&row["key"]).unwrap(), n.as_bytes());
            assert_eq!(python::bytes(&row["value"]).unwrap(), format!("{topic} {n} {padding}").as_bytes());
            (topic.to_owned(), partition, offset)
        })
        .collect();
    found.sort_unstable();
    let mut expected: Vec<(String, i64, i64)> =
        topics.iter().flat_map(|topic| (0..24_000).map(move |n| (topic.clone(), n % 2, n / 2))).collect();
    expected.sort_unstable();
    assert!(found == expected);
}

#[test]
fn what_is_not_text_ends_the_run_where_text_was_asked_for() {
    let (topic, _) = every_kind();
    let scratch = Scratch::new();
    let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text("a.parquet"), "--value-format", "string"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("the value of `{topic}-0` at offset 4 is not UTF-8")), "{}", ran.stderr);
    assert!(!scratch.path("a.parquet").exists());
}
