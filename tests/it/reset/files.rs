//! Offsets from a file: Kafka's CSV both ways, with Kafka's own tool on the other side, snapshots, and reports.

use super::place::{Place, ago, kafka_consumer_groups, unique};
use std::path::PathBuf;
use tempfile::TempDir;

fn file(dir: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_kafkas_tool_exports_is_read_and_what_is_printed_kafkas_tool_applies() {
    let place = Place::with_records(&[9, 9]).committed(&[5, 2]);
    let dir = TempDir::new().unwrap();
    let export = kafka_consumer_groups(
        &place.cluster,
        &[
            "--reset-offsets",
            "--group",
            &place.group,
            "--topic",
            &place.topic,
            "--shift-by",
            "2",
            "--dry-run",
            "--export",
        ],
    );
    let theirs = file(&dir, "theirs.csv", &export);
    place.krewind().reset(&[&place.group, "--from-file", theirs.to_str().unwrap(), "--yes"]).applied();
    assert_eq!(place.stands(), [Some(7), Some(4)]);

    let csv = ["reset", "-o", "csv", &place.group, "--topic", &place.topic, "--to-offset", "3", "--dry-run"];
    let ours = file(&dir, "ours.csv", &place.krewind().run(&csv).exits(0).stdout);
    let args = ["--reset-offsets", "--group", &place.group, "--from-file", ours.to_str().unwrap(), "--execute"];
    kafka_consumer_groups(&place.cluster, &args);
    assert_eq!(place.stands(), [Some(3), Some(3)]);
}

#[test]
fn several_groups_both_ways() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let other = unique("group");
    place.cluster.commit(&other, &place.topic, 0, 8, "").unwrap();
    let dir = TempDir::new().unwrap();
    let of_other = || place.cluster.committed_offsets(&other, &place.topic, &[0]).unwrap();
    let groups = ["--group", &place.group, "--group", &other];
    let both = [&groups[..], &["--topic", &place.topic]].concat();
    let export = kafka_consumer_groups(
        &place.cluster,
        &[&["--reset-offsets"], &both[..], &["--to-earliest", "--dry-run", "--export"]].concat(),
    );
    let theirs = file(&dir, "theirs.csv", &export);
    // The file names the groups.
    place.krewind().reset(&["--from-file", theirs.to_str().unwrap(), "--yes"]).exits(0);
    assert_eq!((place.stands(), of_other()), (vec![Some(0)], vec![Some(0)]));

    let csv = [&["reset", "-o", "csv"], &both[..], &["--to-latest", "--dry-run"]].concat();
    let ours = file(&dir, "ours.csv", &place.krewind().run(&csv).exits(0).stdout);
    let args = [&["--reset-offsets"], &groups[..], &["--from-file", ours.to_str().unwrap(), "--execute"]].concat();
    kafka_consumer_groups(&place.cluster, &args);
    assert_eq!((place.stands(), of_other()), (vec![Some(9)], vec![Some(9)]));
}

#[test]
fn headers_comments_quotes_times_and_words() {
    let place = Place::dated(&[&[7200, 3600, 60].map(ago), &[ago(60)], &[60, 50].map(ago)]).committed(&[0, 0, 0]);
    let topic = place.topic.as_str();
    let dir = TempDir::new().unwrap();
    let text = format!(
        "\u{feff}topic,partition,offset\r\n# a note, with a comma\r\n\r\n\"{topic}\",0, 2h\r\n{topic},1,latest\r\n{topic}, 2 ,\"1\"\r\n"
    );
    let path = file(&dir, "mixed.csv", &text.replace("2h", "90m"));
    let args = [&place.group, "--from-file", path.to_str().unwrap(), "--skip-unread", "allow", "--yes"];
    place.krewind().reset(&args).applied();
    assert_eq!(place.stands(), [Some(1), Some(1), Some(1)]);
}

#[test]
fn one_bad_line_refuses_the_file_with_its_number_and_nothing_is_written() {
    let place = Place::with_records(&[9, 9]).committed(&[5, 5]);
    let topic = place.topic.as_str();
    let dir = TempDir::new().unwrap();
    for (bad, line) in [
        // Kafka's tool takes a missing offset for 0 and commits it.
        (format!("{topic},0,1\n{topic},1\n"), "line 2"),
        (format!("{topic},0,1\n{topic},x,1\n"), "line 2"),
        (format!("{topic},0,1\n\n{topic},1,-4\n"), "line 3"),
        (format!("{topic},0,1\n{topic},0,2\n"), "line 2"),
        (format!("{topic},0,1\n,1,2\n"), "line 2"),
        (format!("{topic},0,1\ng,{topic},1,2\n"), "line 2"),
        (format!("{topic},0,99999999999999999999\n"), "line 1"),
        (String::new(), "has no line"),
    ] {
        let path = file(&dir, "bad.csv", &bad);
        let ran = place.krewind().reset(&[&place.group, "--from-file", path.to_str().unwrap(), "--yes"]);
        let error = ran.error(2, "bad-file");
        assert!(error["message"].as_str().unwrap().contains(line), "{bad:?}: {error}");
    }
    for missing in [format!("{topic},0,1\n{topic},7,1\n"), format!("{topic},0,1\n{},0,1\n", unique("topic"))] {
        let path = file(&dir, "bad.csv", &missing);
        let ran = place.krewind().reset(&[&place.group, "--from-file", path.to_str().unwrap(), "--yes"]);
        ran.error(3, "topic-not-found");
    }
    assert_eq!(place.stands(), [Some(5), Some(5)]);
}

#[test]
fn a_snapshot_restores_offsets_and_metadata_and_a_report_is_gone_by_again() {
    let place = Place::with_records(&[9, 9]);
    place.cluster.commit(&place.group, &place.topic, 0, 5, "kept é").unwrap();
    let dir = TempDir::new().unwrap();
    let snapshot = dir.path().join("before.json");
    let krewind = place.krewind();
    krewind.run(&["describe", &place.group, "--save", snapshot.to_str().unwrap()]).exits(0);
    place.cluster.commit(&place.group, &place.topic, 0, 9, "other").unwrap();
    place.cluster.commit(&place.group, &place.topic, 1, 9, "").unwrap();
    krewind.reset(&["--from-file", snapshot.to_str().unwrap(), "--yes"]).applied();
    // What had no commit then is left as it is now.
    assert_eq!(place.stands(), [Some(5), Some(9)]);
    let restored = place.cluster.committed(&place.group, &place.topic, &[0]).unwrap().remove(0).unwrap();
    assert_eq!(restored.metadata, "kept é");

    let dry = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--dry-run"]).exits(0);
    let report = file(&dir, "report.json", &dry.stdout);
    krewind.reset(&[&place.group, "--from-file", report.to_str().unwrap(), "--yes"]).applied();
    assert_eq!(place.stands(), [Some(2), Some(2)]);

    let id = dry.json()["cluster_id"].as_str().unwrap().to_owned();
    let foreign = file(&dir, "foreign.json", &dry.stdout.replace(&id, "AAAAAAAAAAAAAAAAAAAAAA"));
    krewind.reset(&[&place.group, "--from-file", foreign.to_str().unwrap(), "--yes"]).error(2, "bad-file");
    krewind.reset(&[&unique("group"), "--from-file", report.to_str().unwrap(), "--yes"]).error(2, "bad-file");
}
