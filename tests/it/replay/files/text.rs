//! JSON Lines and CSV, compressed and not, read with Python, gzip and zstd.

use super::*;
use std::process::Command;

/// Python's reader of CSV tells null from empty where it is asked for strings alone to be in quotes (3.12); so a reader of its own
/// looks at what stands before the quotes, and Python's `csv` checks it.
const CSV: &str = r#"
import base64, csv, datetime, io, json, sys
text = open(sys.argv[1], newline="", encoding="utf-8").read()
rows, row, at = [], [], 0
while at < len(text):
    if text[at] == '"':
        field, at = "", at + 1
        while True:
            end = text.index('"', at)
            field += text[at:end]
            at = end + 1
            if at < len(text) and text[at] == '"':
                field, at = field + '"', at + 1
            else:
                break
    else:
        end = min(text.index(c, at) for c in ",\n" if c in text[at:])
        field, at = text[at:end] or None, end
    row.append(field)
    assert text[at] in ",\n", (text[at], rows, row)
    if text[at] == "\n":
        rows, row = rows + [row], []
    at += 1
assert not row
assert [[field or "" for field in row] for row in rows] == list(csv.reader(io.StringIO(text, newline="")))
b64 = lambda value: None if value is None else base64.b64encode(value).decode()
def part(value, encoded):
    return value if value is None or encoded else b64(value.encode())
def header(header, name):
    return header[name].encode() if header.get(name) is not None else base64.b64decode(header[name + "_base64"]) if name + "_base64" in header else None
print(json.dumps(rows[0]))
epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
for row in rows[1:]:
    row = dict(zip(rows[0], row, strict=True))
    time = row["timestamp"]
    row["timestamp"] = None if time is None else (datetime.datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%f%z") - epoch) // datetime.timedelta(milliseconds=1)
    row["partition"], row["offset"] = int(row["partition"]), int(row["offset"])
    row["key"], row["value"] = part(row["key"], "key" in sys.argv), part(row["value"], "value" in sys.argv)
    row["headers"] = [[header(h, "key").decode(), b64(header(h, "value"))] for h in json.loads(row["headers"])]
    print(json.dumps(row))
"#;

fn csv(path: &str, encoded: &[&str]) -> Vec<Value> {
    let mut lines = python::run(CSV, &[&[path], encoded].concat());
    let columns = json!(["topic", "partition", "offset", "timestamp", "timestamp_type", "key", "value", "headers"]);
    assert_eq!(lines.remove(0), columns);
    lines
}

/// What this prints.
fn printed(command: &mut Command) -> Vec<u8> {
    let output =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; `apt-get install gzip zstd` brings it"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The content, by the tools that made the formats.
pub fn decompressed(path: &str) -> Vec<u8> {
    match path.rsplit_once('.').unwrap().1 {
        "gz" => printed(Command::new("gzip").args(["-dc", path])),
        "zst" => printed(Command::new("zstd").args(["-qdc", path])),
        _ => std::fs::read(path).unwrap(),
    }
}

/// A record of JSON Lines in the default formats.
fn jsonl(record: &Value) -> Sent {
    let field = |from: &Value, name: &str| match from.get(format!("{name}_base64")) {
        Some(encoded) => python::bytes(encoded),
        None => from[name].as_str().map(|text| text.as_bytes().to_vec()),
    };
    let headers = record["headers"].as_array().unwrap().iter();
    Sent {
        offset: record["offset"].as_i64().unwrap(),
        timestamp_ms: record["timestamp_ms"].as_i64(),
        key: field(record, "key"),
        value: field(record, "value"),
        headers: headers.map(|header| (header["key"].as_str().unwrap().to_owned(), field(header, "value"))).collect(),
    }
}

#[test]
fn text_comes_back_from_csv() {
    let (topic, sent) = texts();
    let scratch = Scratch::new();
    let path = scratch.text("a.csv");
    into(&topic, &path, &[]);
    let rows = csv(&path, &[]);
    assert_eq!(rows.iter().map(python::sent).collect::<Vec<_>>(), sent);
    assert!(rows.iter().all(|row| row["topic"] == topic && row["timestamp_type"] == "CreateTime"));
    // Standard output has the same.
    let ran = replay(&[&topic, "--from", "earliest", "--into-format", "csv"]);
    assert_eq!((ran.code, ran.stdout), (0, std::fs::read(&path).unwrap()));
}

#[test]
fn bytes_come_back_from_csv_where_they_were_asked_for() {
    let (topic, sent) = every_kind();
    let scratch = Scratch::new();
    let path = scratch.text("a.csv");
    into(&topic, &path, &["--key-format", "bytes", "--value-format", "bytes"]);
    assert_eq!(csv(&path, &["key", "value"]).iter().map(python::sent).collect::<Vec<_>>(), sent);
    let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text("b.csv")]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("at offset 4 is not UTF-8") && ran.stderr.contains("-format bytes`"), "{}", ran.stderr);
    assert!(!scratch.path("b.csv").exists());
}

#[test]
fn compressed_files_hold_what_plain_ones_do() {
    let (topic, sent) = every_kind();
    let scratch = Scratch::new();
    for name in ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"] {
        into(&topic, &scratch.text(name), &[]);
        let found = records(&decompressed(&scratch.text(name)));
        assert_eq!(found.iter().map(jsonl).collect::<Vec<_>>(), sent, "{name}");
    }
    let (topic, _) = texts();
    let of = |name: &str| {
        into(&topic, &scratch.text(name), &[]);
        decompressed(&scratch.text(name))
    };
    let plain = of("a.csv");
    assert!(of("a.csv.gz") == plain && of("a.csv.zst") == plain);
}

#[test]
fn a_window_without_records_is_a_file_that_can_be_read() {
    let topic = unique("text-empty");
    shared().create_topic(&topic, 1, &[]).unwrap();
    let scratch = Scratch::new();
    for name in ["a.jsonl.gz", "a.jsonl.zst", "a.csv", "a.csv.zst"] {
        let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text(name)]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let content = decompressed(&scratch.text(name));
        assert_eq!(content.iter().filter(|byte| **byte == b'\n').count(), usize::from(name.contains("csv")), "{name}");
    }
}

#[test]
fn formats_of_json_lines() {
    let (topic, _) = produced(
        "formats",
        &[
            (Some(b"1"), Some(b" { \"b\" : 1.50, \"a\":12345678901234567890123, \"a\": \" \\\" \" }\n")),
            (Some(b"null"), None),
            (None, Some(b"null")),
            (Some(b"\"k\""), Some(b"\0\0\0\x01\x07\x0cbinary")),
        ],
    );
    let scratch = Scratch::new();
    let path = scratch.text("a.jsonl");
    let report = into(&topic, &path, &["--key-format", "json", "--value-format", "json"]);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let has = |n: usize, part: &str| assert!(lines[n].contains(part), "{part}: {text}");
    has(
        0,
        r#","key":1,"key_format":"json","value":{"b":1.50,"a":12345678901234567890123,"a":" \" "},"value_format":"json","headers""#,
    );
    has(1, r#","key":null,"key_format":"json","value":null,"headers""#);
    has(2, r#","key":null,"value":null,"value_format":"json","headers""#);
    has(3, r#","key":"k","key_format":"json","value_base64":"AAAAAQcMYmluYXJ5","headers""#);
    // The prefix of a Schema Registry is said.
    let codes: Vec<&Value> = report["warnings"].as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
    assert_eq!(codes, ["schema-registry"], "{report}");

    let ran = replay(&[&topic, "--from", "earliest", "--value-format", "bytes"]);
    assert_eq!(ran.records()[2]["value_base64"], "bnVsbA==");
    let ran = replay(&[&topic, "--from", "earliest", "--value-format", "string"]);
    assert_eq!(ran.records()[2]["value"], "null");
    assert!(ran.records()[2].get("value_format").is_none());
}

#[test]
fn the_brokers_time_is_in_every_form() {
    let cluster = shared();
    let topic = unique("files-append-time");
    cluster.create_topic(&topic, 1, &[("message.timestamp.type", "LogAppendTime")]).unwrap();
    cluster.produce(&[Record::to(&topic).partition(0).value("v").timestamp(1000)]).unwrap();
    let scratch = Scratch::new();
    for name in ["a.csv", "a.jsonl", "a.parquet"] {
        into(&topic, &scratch.text(name), &[]);
    }
    let line = &records(&std::fs::read(scratch.path("a.jsonl")).unwrap())[0];
    let found = [csv(&scratch.text("a.csv"), &[]), parquet::read(&scratch.text("a.parquet")).1];
    for row in found.iter().map(|rows| &rows[0]) {
        assert_eq!(row["timestamp_type"], "LogAppendTime");
        assert_eq!(row["timestamp"], line["timestamp_ms"]);
    }
    assert!(line["timestamp_ms"].as_i64().unwrap() > EPOCH);
}
