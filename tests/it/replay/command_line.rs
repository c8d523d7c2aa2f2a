//! What is refused before anything is read.

use super::support::*;
use local_kafka::shared;

#[test]
fn a_topic_or_partition_that_is_missing_is_named_and_does_not_come_to_life() {
    let cluster = shared();
    let (there, missing) = (unique("there"), unique("missing"));
    cluster.create_topic(&there, 2, &[]).unwrap();
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    let partition = format!("{there}:0,5");
    for (selection, words) in [(&missing, "does not exist"), (&partition, "5")] {
        let ran = replay(&[&there, selection, "--from", "earliest", "--into", &file, "-o", "json"]);
        assert_eq!((ran.code, &ran.json()["code"]), (1, &"topic-not-found".into()), "{}", ran.stderr);
        let message = ran.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(selection.split(':').next().unwrap()) && message.contains(words), "{message}");
    }
    let names = topic_names(cluster);
    assert!(names.contains(&there) && !names.contains(&missing));
    assert!(cluster.watermarks(&there, 1).is_ok());
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());
}

#[test]
fn a_window_without_a_start_or_with_a_wrong_one_is_a_usage_error() {
    let scratch = Scratch::new();
    let unknown = scratch.text("a.txt");
    let cases: [&[&str]; 15] = [
        &["t"],
        &["--from", "2h"],
        &["t", "--from", "2h", "--start-offset", "3"],
        &["t", "--from", "2h", "--to", "1h", "--end-offset", "3"],
        &["t", "--from", "2099-01-01"],
        &["t", "--from", "2h", "--to", "2099-01-01"],
        &["t", "--from", "1h", "--to", "2h"],
        &["t", "--start-offset", "5", "--end-offset", "3"],
        &["t", "--start-offset=-1"],
        &["t", "--from", "yesterday"],
        &["t:", "--from", "2h"],
        &["t:5-3", "--from", "2h"],
        &["a b", "--from", "2h"],
        &["t", "--from", "2h", "--into", &unknown],
        &["t", "--from", "2h", "--wait-stable", "10"],
    ];
    for args in cases {
        let ran = replay(args);
        assert_eq!((ran.code, ran.stdout.len()), (2, 0), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("error:"), "{args:?}: {}", ran.stderr);
    }
    let ran = replay(&["t"]);
    assert!(ran.stderr.contains("--from"), "{}", ran.stderr);
    let ran = replay(&["t", "--from", "2h", "--into", &unknown]);
    assert!(ran.stderr.contains(".jsonl"), "{}", ran.stderr);
    assert!(scratch.names().is_empty());
}
