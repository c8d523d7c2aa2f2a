//! Files that are there already, and runs that end early.

use super::*;

fn numbers(what: &str, count: usize) -> String {
    let topic = unique(what);
    shared().create_topic(&topic, 1, &[]).unwrap();
    shared().produce_numbers(&topic, 0, count).unwrap();
    topic
}

#[test]
fn a_new_result_takes_the_old_ones_place_when_it_is_whole() {
    let topic = numbers("replace", 3);
    let scratch = Scratch::new();
    for name in ["a.jsonl", "a.csv.zst", "a.parquet"] {
        let path = scratch.text(name);
        std::fs::write(&path, "old\n").unwrap();
        // Not whole: what is no JSON ends it.
        let bad = numbers("replace-bad", 0);
        shared().produce(&[Record::to(&bad).partition(0).value("{")]).unwrap();
        let args = ["--from", "earliest", "--into", &path, "--if-exists", "replace", "--value-format", "json"];
        let ran = replay(&[&[bad.as_str()], &args[..]].concat());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert_eq!(std::fs::read(&path).unwrap(), b"old\n");
        into(&topic, &path, &["--if-exists", "replace"]);
        assert_ne!(std::fs::read(&path).unwrap(), b"old\n");
    }
    assert_eq!(values(&records(&std::fs::read(scratch.path("a.jsonl")).unwrap())), ["0", "1", "2"]);
    assert_eq!(parquet::read(&scratch.text("a.parquet")).1.len(), 3);
    assert_eq!(scratch.names(), ["a.csv.zst", "a.jsonl", "a.parquet"]);
}

#[test]
fn records_are_added_to_a_file_of_lines() {
    let topic = numbers("append", 6);
    let scratch = Scratch::new();
    for name in ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.csv", "a.csv.gz"] {
        let path = scratch.text(name);
        let args = |start, end| {
            ["--start-offset", start, "--end-offset", end, "--into", &path, "--if-exists", "append"].map(str::to_owned)
        };
        for (start, end) in [("0", "2"), ("2", "2"), ("2", "6")] {
            let args = args(start, end);
            let args: Vec<&str> = [topic.as_str()].into_iter().chain(args.iter().map(String::as_str)).collect();
            let ran = replay(&args);
            assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        }
        let content = text::decompressed(&path);
        let lines: Vec<&str> = std::str::from_utf8(&content).unwrap().lines().collect();
        if name.contains("csv") {
            assert_eq!(lines.len(), 7, "one header: {lines:?}");
            let offsets: Vec<&str> = lines[1..].iter().map(|line| line.split(',').nth(2).unwrap()).collect();
            assert_eq!(offsets, ["0", "1", "2", "3", "4", "5"]);
        } else {
            assert_eq!(values(&records(&content)), ["0", "1", "2", "3", "4", "5"]);
        }
    }
    assert_eq!(scratch.names().len(), 5, "{:?}", scratch.names());
}

#[test]
fn what_can_not_be_added_to_is_left_as_it_is() {
    let topic = numbers("no-append", 3);
    let scratch = Scratch::new();
    let cases: [(&str, &str, &[u8], i32); 5] = [
        ("cut.jsonl", "append", b"{}\n{\"topic\"", 2),
        ("other.csv", "append", b"a,b\n", 2),
        ("cut.jsonl.gz", "append", b"\x1f\x8b\x08", 2),
        ("a.parquet", "append", b"PAR1", 2),
        ("a.jsonl", "upsert", b"{}\n", 2),
    ];
    for (name, policy, content, code) in cases {
        std::fs::write(scratch.path(name), content).unwrap();
        let ran = replay(&[&topic, "--from", "earliest", "--into", &scratch.text(name), "--if-exists", policy]);
        assert_eq!(ran.code, code, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
        assert_eq!(std::fs::read(scratch.path(name)).unwrap(), content);
    }
    let ran = replay(&[&topic, "--from", "earliest", "--if-exists", "append"]);
    assert_eq!((ran.code, ran.stdout.len()), (2, 0), "{}", ran.stderr);
    assert_eq!(scratch.names().len(), cases.len(), "{:?}", scratch.names());
}

#[test]
fn a_run_that_is_killed_leaves_no_file_of_the_targets_name() {
    let topic = numbers("killed", 3);
    // The window's end is in an open transaction: the run has all records before it, and waits.
    let producer = shared().transactional_producer(&unique("killed-transaction"), &[]).unwrap();
    producer.begin().unwrap();
    producer.produce(&[Record::to(&topic).partition(0).value("open")]).unwrap();
    for name in ["a.jsonl", "a.csv.gz", "a.jsonl.zst", "a.parquet"] {
        let scratch = Scratch::new();
        let path = scratch.text(name);
        let mut running =
            start(&[&topic, "--start-offset", "0", "--end-offset", "4", "--into", &path, "--wait-stable", "5m"]);
        let partial = format!("{name}.partial-");
        until("the partial file", || scratch.names().iter().any(|found| found.starts_with(&partial)));
        running.child.kill().unwrap();
        running.child.wait().unwrap();
        assert!(scratch.names().iter().all(|found| found.starts_with(&partial)), "{:?}", scratch.names());
    }
    producer.abort().unwrap();
}
