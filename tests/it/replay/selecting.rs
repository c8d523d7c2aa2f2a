//! What is kept of a window, how much, and how fast: compared with the producer's own list.

use super::support::*;
use crate::reset::runner::Krewind;
use crate::reset::terminal::Terminal;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What was produced.
#[derive(Debug, Clone)]
struct Sent {
    place: (String, i64, i64),
    key: Option<&'static str>,
    value: Option<String>,
    headers: Vec<(&'static str, Option<&'static str>)>,
}

impl Sent {
    fn header(&self, name: &str, value: &str) -> bool {
        self.headers.contains(&(name, Some(value)))
    }

    fn json(&self) -> Option<Value> {
        serde_json::from_str(self.value.as_ref()?).ok()
    }

    /// Of key and value; headers do not count.
    fn bytes(&self) -> u64 {
        (self.key.map_or(0, str::len) + self.value.as_ref().map_or(0, String::len)) as u64
    }
}

const PARTITIONS: i64 = 3;
const EACH: i64 = 60;

/// Two topics of three partitions, the transactions' markers among their records.
fn shop() -> (Vec<String>, Vec<Sent>) {
    let cluster = shared();
    let topics = vec![unique("select-a"), unique("select-b")];
    let mut sent = Vec::new();
    for topic in &topics {
        cluster.create_topic(topic, PARTITIONS as i32, &[]).unwrap();
        for n in 0..PARTITIONS * EACH {
            let key = [Some("anna"), Some("berta"), Some("ann"), Some(""), None][n as usize % 5];
            let status = ["paid", "failed", "open", "Failed"][n as usize % 4];
            let value = match n % 7 {
                0 => None,
                1 => Some(format!("plain text {n}, {status}")),
                2 => Some(String::new()),
                _ => Some(json!({"status": status, "total": n as f64 / 2.0, "lines": [{"sku": n}]}).to_string()),
            };
            let headers = match n % 6 {
                0 => vec![("trace", Some("1")), ("source", Some("shop"))],
                1 => vec![("trace", Some("2")), ("trace", Some("1"))],
                2 => vec![("source", None)],
                3 => vec![("Trace", Some("1")), ("eq", Some("a=b"))],
                _ => vec![],
            };
            sent.push(Sent { place: (topic.clone(), n % PARTITIONS, -1), key, value, headers });
        }
    }
    let record = |sent: &Sent| {
        let mut record = Record::to(&sent.place.0).partition(sent.place.1 as i32);
        if let Some(key) = sent.key {
            record = record.key(key);
        }
        if let Some(value) = &sent.value {
            record = record.value(value);
        }
        sent.headers
            .iter()
            .fold(record, |record, (name, value)| record.header(name, value.as_ref().map(|value| value.as_bytes())))
    };
    let producer = cluster.transactional_producer(&unique("select-tx"), &[]).unwrap();
    for some in sent.chunks_mut(90) {
        producer.begin().unwrap();
        let at = producer.produce(&some.iter().map(&record).collect::<Vec<_>>()).unwrap();
        producer.commit().unwrap();
        for (sent, (partition, offset)) in some.iter_mut().zip(at) {
            assert_eq!(sent.place.1, i64::from(partition));
            sent.place.2 = offset;
        }
    }
    (topics, sent)
}

fn places_of(records: &[Value]) -> BTreeSet<(String, i64, i64)> {
    let of = |record: &Value| {
        let number = |name: &str| record[name].as_i64().unwrap();
        (record["topic"].as_str().unwrap().to_owned(), number("partition"), number("offset"))
    };
    let all: BTreeSet<_> = records.iter().map(of).collect();
    assert_eq!(all.len(), records.len(), "a record came twice");
    all
}

/// Whether each partition's row says what the list says.
fn accounts(report: &Value, sent: &[Sent], wanted: &dyn Fn(&Sent) -> bool) {
    let mut expected: BTreeMap<(String, i64), (u64, u64, u64)> = BTreeMap::new();
    for one in sent {
        let row = expected.entry((one.place.0.clone(), one.place.1)).or_default();
        match wanted(one) {
            true => (row.0, row.2) = (row.0 + 1, row.2 + one.bytes()),
            false => row.1 += 1,
        }
    }
    let rows = report["partitions"].as_array().unwrap();
    assert_eq!(rows.len(), expected.len());
    for row in rows {
        let (records, filtered, bytes) =
            expected[&(row["topic"].as_str().unwrap().to_owned(), row["partition"].as_i64().unwrap())];
        assert_eq!((&row["records"], &row["filtered"]), (&records.into(), &filtered.into()), "{row}");
        assert_eq!(row["bytes"], bytes, "{row}");
        // Markers are the only offsets without a record.
        let offsets = row["end_offset"].as_u64().unwrap() - row["start_offset"].as_u64().unwrap();
        assert!(offsets > EACH as u64, "{row}");
        assert_eq!(row["gaps"], offsets - records - filtered, "{row}");
        assert_eq!(records + filtered, EACH as u64);
        assert_eq!((&row["ended"], &row["outside_window"]), (&"end-reached".into(), &0.into()), "{row}");
    }
    let total = sent.iter().filter(|one| wanted(one)).count();
    assert_eq!(report["total"]["records"], total);
    assert_eq!(report["total"]["filtered"], sent.len() - total);
    assert_eq!(report["sink"]["written"], total);
    assert_eq!(report["outcome"], "complete");
}

type Rule<'a> = &'a dyn Fn(&Sent) -> bool;

#[test]
fn what_is_selected_is_what_the_list_has_of_it() {
    let (topics, sent) = shop();
    let scratch = Scratch::new();
    let is = |one: &Sent, pointer: &str, rule: &dyn Fn(&Value) -> bool| {
        one.json().as_ref().and_then(|value| value.pointer(pointer)).is_some_and(rule)
    };
    let failed = |one: &Sent| is(one, "/status", &|status| status == "failed");
    let cases: [(&[&str], Rule<'_>); 16] = [
        (&["--key", "ann"], &|one| one.key == Some("ann")),
        (&["--key", "ann", "--key", "berta"], &|one| matches!(one.key, Some("ann" | "berta"))),
        // Empty is a key; null is none.
        (&["--key", ""], &|one| one.key == Some("")),
        (&["--key", "nobody"], &|_| false),
        (&["--header", "trace=1"], &|one| one.header("trace", "1")),
        (&["--header", "trace=1", "--header", "trace=2"], &|one| one.header("trace", "1") && one.header("trace", "2")),
        (&["--header", "source"], &|one| one.headers.iter().any(|(name, _)| *name == "source")),
        (&["--header", "eq=a=b"], &|one| one.header("eq", "a=b")),
        (&["--grep", "failed"], &|one| one.value.as_ref().is_some_and(|value| value.contains("failed"))),
        (&["--grep", "(?i)failed", "--grep", "^plain"], &|one| {
            let value = one.value.as_ref();
            value.is_some_and(|value| value.to_lowercase().contains("failed") && value.starts_with("plain"))
        }),
        // An empty value matches what is empty; a tombstone has no value.
        (&["--grep", "^$"], &|one| one.value.as_deref() == Some("")),
        (&["--where", r#"/status == "failed""#], &failed),
        (&["--where", "/total>=40.5", "--where", r#"/status != "failed""#], &|one| {
            !failed(one) && is(one, "/total", &|total| total.as_f64().unwrap() >= 40.5)
        }),
        (&["--where", "/lines/0/sku < 30"], &|one| is(one, "/lines/0/sku", &|sku| sku.as_i64().unwrap() < 30)),
        (&["--where", "/nowhere == null"], &|_| false),
        // All kinds at once: each must hold.
        (&["--key", "anna", "--header", "trace", "--grep", "sku", "--where", "/total > 10"], &|one| {
            one.key == Some("anna")
                && one.headers.iter().any(|(name, _)| *name == "trace")
                && is(one, "/total", &|total| total.as_f64().unwrap() > 10.0)
        }),
    ];
    for (args, rule) in cases {
        let (report, path) = scratch.report();
        let ran = replay(
            &[&[topics[0].as_str(), topics[1].as_str(), "--from", "earliest", "--report", &report], args].concat(),
        );
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        let expected: BTreeSet<_> = sent.iter().filter(|one| rule(one)).map(|one| one.place.clone()).collect();
        assert_eq!(places_of(&ran.records()), expected, "{args:?}");
        let report = read_json(&path);
        accounts(&report, &sent, rule);
        // Text is nothing that a JSON pointer looks into, and that is said, with how many.
        let others = sent.iter().filter(|one| one.value.is_some() && one.json().is_none()).count();
        let looks = args.contains(&"--where") && !args.contains(&"--key");
        let words = format!("{others} records were left out since their values are not JSON");
        assert_eq!(ran.stderr.contains(&words), looks, "{args:?}: {}", ran.stderr);
        // What was left out is said to a person too.
        let left = sent.len() - expected.len();
        assert!(ran.stderr.contains(&format!("{left} records were left out")), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn a_limit_ends_the_run_and_what_came_until_then_is_whole() {
    let (topics, sent) = shop();
    let scratch = Scratch::new();
    let run = |args: &[&str]| {
        let file = scratch.text(&format!("{}.jsonl", unique("limited")));
        let common = [topics[0].as_str(), &topics[1], "--from", "earliest", "--into", &file, "-o", "json"];
        let ran = replay(&[&common, args].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        (records(&std::fs::read(&file).unwrap()), ran.json())
    };
    let bytes = |records: &[Value]| -> u64 {
        let places = places_of(records);
        sent.iter().filter(|one| places.contains(&one.place)).map(Sent::bytes).sum()
    };
    // What was read of a partition has no hole, and the account adds up to where it stopped.
    let whole = |records: &[Value], report: &Value, rule: Rule<'_>| {
        let places = places_of(records);
        for row in report["partitions"].as_array().unwrap() {
            let (topic, number) = (row["topic"].as_str().unwrap(), row["partition"].as_i64().unwrap());
            let count = |name: &str| row[name].as_i64().unwrap();
            let next = count("next_offset");
            let before: Vec<&Sent> = sent
                .iter()
                .filter(|one| (one.place.0.as_str(), one.place.1) == (topic, number) && one.place.2 < next)
                .collect();
            let wanted: Vec<&&Sent> = before.iter().filter(|one| rule(one)).collect();
            assert!(wanted.iter().all(|one| places.contains(&one.place)), "{row}");
            assert_eq!(count("records"), wanted.len() as i64, "{row}");
            assert_eq!(count("filtered"), (before.len() - wanted.len()) as i64, "{row}");
            assert_eq!(count("gaps"), next - count("start_offset") - before.len() as i64, "{row}");
        }
        assert_eq!(report["total"]["records"], records.len());
        assert_eq!(report["sink"]["written"], records.len());
    };
    let everything: Rule<'_> = &|_| true;
    for most in [1, 7, 359] {
        let (records, report) = run(&["--max-messages", &most.to_string()]);
        assert_eq!((records.len(), &report["outcome"]), (most, &"limited".into()));
        whole(&records, &report, everything);
        assert!(report["partitions"].as_array().unwrap().iter().any(|row| row["ended"] == "limit"), "{report}");
    }
    // What the limit counts are the records that are wanted.
    let failed: Rule<'_> = &|one| one.value.as_ref().is_some_and(|value| value.contains("failed"));
    let (records, report) = run(&["--max-messages", "11", "--grep", "failed"]);
    assert_eq!((records.len(), &report["outcome"]), (11, &"limited".into()));
    whole(&records, &report, failed);
    // A limit that the window does not come to changes nothing.
    for most in [sent.len(), sent.len() + 1] {
        let (records, report) = run(&["--max-messages", &most.to_string()]);
        assert_eq!((records.len(), &report["outcome"]), (sent.len(), &"complete".into()));
    }

    let (records, report) = run(&["--max-bytes", "2000"]);
    let largest = sent.iter().map(Sent::bytes).max().unwrap();
    let found = bytes(&records);
    assert!(found <= 2000 && found + largest > 2000, "{found}");
    assert_eq!((&report["total"]["bytes"], &report["outcome"]), (&found.into(), &"limited".into()));
    whole(&records, &report, everything);
    let all: u64 = sent.iter().map(Sent::bytes).sum();
    let (records, report) = run(&["--max-bytes", &all.to_string()]);
    assert_eq!((bytes(&records), &report["outcome"]), (all, &"complete".into()));
    let (records, report) = run(&["--max-bytes", &(all - 1).to_string(), "--max-messages", "1000000"]);
    assert!(bytes(&records) < all);
    assert_eq!(report["outcome"], "limited");
}

#[test]
fn reading_is_no_faster_than_the_rate() {
    let cluster = shared();
    let topic = unique("rate");
    cluster.create_topic(&topic, 2, &[]).unwrap();
    let value = "x".repeat(500);
    let all: Vec<Record> =
        (0..2000).map(|n| Record::to(&topic).partition(n % 2).key(format!("{n:04}")).value(&value)).collect();
    cluster.produce(&all).unwrap();
    // 2000 records of 504 bytes: each of these takes a second at least, but for what may come at once.
    for args in [&["--rate", "2k"][..], &["--rate", "1008kB"], &["--rate", "2k", "--grep", "^y"], &["--rate", "1MB"]] {
        let ran = replay(&[&[topic.as_str(), "--from", "earliest", "--into", "null", "-o", "json"], args].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        let report = ran.json();
        // What a selection leaves out is read all the same.
        let left_out = args.contains(&"--grep");
        assert_eq!(report["total"]["records"], if left_out { 0 } else { 2000 });
        let seconds = report["total"]["seconds"].as_f64().unwrap();
        assert!(seconds >= 0.9, "{args:?}: {seconds}");
    }
}

#[test]
fn a_small_buffer_loses_nothing() {
    let cluster = shared();
    let topic = unique("buffer");
    cluster.create_topic(&topic, 2, &[]).unwrap();
    // Larger than the buffer, all together; one record as large as a broker takes by default.
    let value = |n: usize| format!("{n} {}", "x".repeat(if n == 50 { 900_000 } else { 30_000 }));
    let all: Vec<Record> = (0..100).map(|n| Record::to(&topic).partition((n % 2) as i32).value(value(n))).collect();
    let at = cluster.produce(&all).unwrap();
    let ran = replay(&[&topic, "--from", "earliest", "--buffer", "1MB"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found: BTreeMap<(i64, i64), String> = ran
        .records()
        .iter()
        .map(|record| {
            let place = (record["partition"].as_i64().unwrap(), record["offset"].as_i64().unwrap());
            (place, record["value"].as_str().unwrap().to_owned())
        })
        .collect();
    let expected: BTreeMap<(i64, i64), String> =
        at.into_iter().enumerate().map(|(n, (part, offset))| ((i64::from(part), offset), value(n))).collect();
    assert!(found == expected);
}

#[test]
fn keys_and_values_stand_in_the_line_as_was_asked_for() {
    let cluster = shared();
    let topic = unique("formats");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    let framed = b"\x00\x00\x00\x00\x07\x02a";
    type Bytes<'a> = Option<&'a [u8]>;
    let contents: [(Bytes<'_>, Bytes<'_>); 5] = [
        (Some(b"1"), Some(br#"{ "b" : 1.50, "a": [ 1e2, "x\u0041" ] }"#)),
        (Some(b"\"k\""), Some(b"null")),
        (None, None),
        (Some(b"{}"), Some(b"12345678901234567890123")),
        (Some(b"[]"), Some(framed)),
    ];
    let all: Vec<Record> = contents
        .iter()
        .map(|(key, value)| {
            let record = Record::to(&topic).partition(0);
            let record = key.map_or(record.clone(), |key| record.key(key));
            value.map_or(record.clone(), |value| record.value(value))
        })
        .collect();
    cluster.produce(&all).unwrap();
    let run = |args: &[&str]| {
        let ran = replay(&[&[topic.as_str(), "--from", "earliest"], args].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        let text = String::from_utf8(ran.stdout).unwrap();
        // From the key on, and without the headers.
        let lines: Vec<String> = text
            .lines()
            .map(|line| {
                let from = line.find(r#""CreateTime","#).unwrap() + r#""CreateTime","#.len();
                line[from..].strip_suffix(r#","headers":[]}"#).unwrap().to_owned()
            })
            .collect();
        (lines, ran.stderr)
    };
    let (lines, stderr) = run(&["--key-format", "json", "--value-format", "json"]);
    // Compact, with the digits that were there; what a Schema Registry's prefix precedes is bytes.
    assert_eq!(
        lines,
        [
            r#""key":1,"key_format":"json","value":{"b":1.50,"a":[1e2,"x\u0041"]},"value_format":"json""#,
            r#""key":"k","key_format":"json","value":null,"value_format":"json""#,
            r#""key":null,"value":null"#,
            r#""key":{},"key_format":"json","value":12345678901234567890123,"value_format":"json""#,
            r#""key":[],"key_format":"json","value_base64":"AAAAAAcCYQ==""#,
        ]
    );
    assert!(stderr.contains("Schema Registry"), "{stderr}");
    let (lines, _) = run(&["--value-format", "bytes", "--key-format", "string"]);
    assert_eq!(lines[1], r#""key":"\"k\"","value_base64":"bnVsbA==""#);
    assert_eq!(lines[2], r#""key":null,"value":null"#);

    // What is not of the format ends the run, and names the record.
    cluster.produce(&[Record::to(&topic).partition(0).key("k").value("\u{feff}no json")]).unwrap();
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    let ran = replay(&[&topic, "--from", "earliest", "--value-format", "json", "--into", &file, "-o", "json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("`{topic}-0` at offset 5")), "{}", ran.stderr);
    assert!(!scratch.path("a.jsonl").exists(), "a file that is not whole has no name");
}

#[test]
fn wrong_selections_are_refused_with_what_would_be_right() {
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    let cases: [(&[&str], &str); 16] = [
        (&["--grep", "a("], "regular expression: unclosed group"),
        (&["--header", "=1"], "name=value"),
        (&["--where", "status == 1"], "begins with `/`"),
        (&["--where", "/status == failed"], "text needs quotes"),
        (&["--where", "/status = 1"], "=="),
        (&["--where", "/a < null"], "order"),
        (&["--max-messages", "0"], "--max-messages"),
        (&["--max-messages", "many"], "--max-messages"),
        (&["--max-bytes", "10M"], "`64MB`"),
        (&["--max-bytes", "0"], "`64MB`"),
        (&["--rate", "fast"], "20k"),
        (&["--rate", "0"], "less than one"),
        (&["--rate", "20 k"], "20k"),
        (&["--buffer", "500kB"], "1MB"),
        (&["--buffer", "3GB"], "2GB"),
        (&["--value-format", "avro"], "json"),
    ];
    for (args, words) in cases {
        let ran = replay(&[&["t", "--from", "2h", "--into", &file], args].concat());
        assert_eq!((ran.code, ran.stdout.len()), (2, 0), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
    }
    let ran = replay(&["t", "--from", "2h", "--max-messages", "5", "--checkpoint", &scratch.text("c.json")]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(scratch.names().is_empty());
}

#[test]
fn verbose_tells_of_each_partition_and_nothing_else_does() {
    let cluster = shared();
    let topic = unique("verbose");
    cluster.create_topic(&topic, 2, &[]).unwrap();
    cluster.produce_numbers(&topic, 0, 12).unwrap();
    cluster.produce_numbers(&topic, 1, 3000).unwrap();
    let args = [topic.as_str(), "--from", "earliest", "--into", "null"];
    let short = format!("{topic}-0: end-reached at offset 12; 12 records, 0 gaps");
    let ran = replay(&[&args[..], &["-v"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let long = format!("{topic}-1: end-reached at offset 3000; 3000 records, 0 gaps");
    assert!(ran.stderr.lines().any(|line| line == short) && ran.stderr.lines().any(|line| line == long));
    for quiet in [&[][..], &["-q"]] {
        let ran = replay(&[&args[..], quiet].concat());
        assert!(!ran.stderr.contains("end-reached at"), "{}", ran.stderr);
    }

    // The one that is not at its end after a while is told of with how far it is.
    let running = start(&[&args[..], &["-v", "--rate", "100"]].concat());
    running.says(&short);
    running.says(&format!("{topic}-1: at offset "));
    running.signal("INT");
    let ran = running.end();
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let line = ran.stderr.lines().find(|line| line.contains("-1: at offset ")).unwrap();
    assert!(line.contains(" of 3000, ") && line.ends_with('%'), "{line}");
    assert!(!ran.stderr.contains(&format!("{topic}-0: at offset")), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{topic}-1: interrupted at offset")), "{}", ran.stderr);
}

#[test]
fn a_bar_on_the_terminal_tells_records_bytes_rate_and_time_left() {
    let cluster = shared();
    let topic = unique("bar");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce_numbers(&topic, 0, 5000).unwrap();
    let args = ["replay", &topic, "--from", "earliest", "--into", "null", "--rate", "1k", "-v"];
    // Its directories stay until the run has ended.
    let home = Krewind::on(cluster);
    let mut terminal = Terminal::start(&home, &args);
    for words in ["/5,000 offsets", "records, ", "/s", " left"] {
        terminal.shows(words);
    }
    let ran = terminal.end();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // A line of its own, and not behind the bar.
    let line = ran.stderr.lines().find(|line| line.contains("end-reached at")).unwrap();
    let written = line.rsplit(['\r', '\u{1b}']).find(|part| part.contains("end-reached")).unwrap();
    assert!(!written.contains(" left"), "{line:?}");
}
