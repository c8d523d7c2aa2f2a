//! Names that need care, more partitions than one request takes, and two runs at once.

use super::place::{Place, kafka_consumer_groups, unique};
use super::runner::{Ran, Running, each, rows};
use super::terminal::Terminal;
use local_kafka::client::Record;
use local_kafka::shared;
use serde_json::json;

#[test]
fn a_group_may_have_any_name() {
    let base = unique("n");
    for name in [
        "two  blanks ",
        "tab\there",
        "line\nbreak",
        "é 注文 🛒",
        "\"quoted\", 'too'",
        "a,b;c|d",
        "-dash",
        "$(x) `y` %s",
    ] {
        let mut place = Place::with_records(&[6]);
        place.group = format!("{name}{base}{name}");
        place.commit(&[4]);
        let flag = format!("--group={}", place.group);
        let report = place.krewind().reset(&[&flag, "--topic", &place.topic, "--to-earliest", "--yes"]).applied();
        assert_eq!(report["groups"][0]["group"], *place.group);
        assert_eq!(place.stands(), [Some(0)], "{name:?}");
        // On a terminal one line stays one line.
        let args = ["reset", &flag, "--topic", &place.topic, "--to-offset", "1", "--yes"];
        let table = place.krewind().run(&args).exits(0);
        for text in [&table.stdout, &table.stderr] {
            assert!(!text.contains('\t') && !text.contains("line\nbreak"), "{table}");
        }
        // A neighbour's name is another name.
        if place.group.trim() != place.group {
            let neighbour = format!("--group={}", place.group.trim());
            let args = [&neighbour, "--topic", &place.topic, "--to-latest", "--yes"];
            place.krewind().reset(&args).error(3, "group-not-found");
        }
        assert_eq!(place.stands(), [Some(1)], "{name:?}");
    }
}

/// Types this at the question about this group.
fn typed_for(place: &Place, typed: &str) -> Ran {
    let flag = format!("--group={}", place.group);
    let args = ["reset", &flag, "--topic", &place.topic, "--to-earliest", "-o", "json"];
    // Its directories stay until the run has ended.
    let home = place.krewind();
    let mut terminal = Terminal::start(&home, &args);
    terminal.shows("to apply");
    terminal.types(typed);
    terminal.end()
}

#[test]
fn a_name_with_blanks_at_its_ends_or_control_characters_can_be_typed() {
    let base = unique("typed");
    // What can't be typed is typed as it is shown.
    for (name, typed) in [("padded ", "padded "), ("a\tb\nc", "a\\tb\\nc"), ("é 注文", "é 注文")] {
        let mut place = Place::with_records(&[6]);
        place.group = format!("{name}{base}{name}");
        place.commit(&[4]);
        let declined = typed_for(&place, &base).exits(3);
        assert_eq!(declined.json()["groups"][0]["refusal"]["code"], "declined", "{declined}");
        typed_for(&place, &format!("{typed}{base}{typed}")).applied();
        assert_eq!(place.stands(), [Some(0)], "{name:?}");
    }
    // librdkafka takes blanks from the start of a `group.id`, so Kafka's own tool arranges this one.
    let mut place = Place::with_records(&[6]);
    place.group = format!("  {base}");
    let common = ["--group", &place.group, "--topic", &place.topic];
    let args = [&["--reset-offsets", "--execute", "--to-offset", "4"], &common[..]].concat();
    kafka_consumer_groups(&place.cluster, &args);
    typed_for(&place, &place.group).applied();
    let described = kafka_consumer_groups(&place.cluster, &["--describe", "--group", &place.group]);
    let line = described.lines().find(|line| line.contains(&place.topic)).unwrap();
    assert_eq!(line.split_whitespace().skip(2).take(3).collect::<Vec<_>>(), ["0", "0", "6"], "{described}");
}

#[test]
fn more_partitions_than_one_request_takes() {
    const COUNT: i32 = 1203;
    let cluster = shared().clone();
    let (topic, group) = (unique("wide"), unique("group"));
    cluster.create_topic(&topic, COUNT, &[]).unwrap();
    // Each third partition ends at 0, 1, 2.
    let records: Vec<Record> = (0..COUNT)
        .flat_map(|partition| (0..partition % 3).map(move |_| partition))
        .map(|partition| Record::to(&topic).partition(partition).value("v"))
        .collect();
    cluster.produce(&records).unwrap();
    let args = [group.as_str(), "--topic", &topic, "--to-latest", "--create-group", "--yes"];
    let krewind = super::runner::Krewind::on(&cluster);
    let report = krewind.reset(&args).applied();
    assert_eq!(rows(&report).len(), 1203);
    assert_eq!(report["total"]["moved"], 1203);
    let partitions: Vec<i32> = (0..COUNT).collect();
    let stand = cluster.committed_offsets(&group, &topic, &partitions).unwrap();
    let expected: Vec<Option<i64>> = partitions.iter().map(|partition| Some(i64::from(partition % 3))).collect();
    assert_eq!(stand, expected);
    assert_eq!(each(&report, "partition"), partitions);
    // Back again: only the two thirds that are not at 0 already.
    let report = krewind.reset(&[group.as_str(), "--all-topics", "--to-earliest", "--yes"]).applied();
    assert_eq!((&report["total"]["moved"], &report["total"]["kept"]), (&json!(802), &json!(401)));
    assert_eq!(report["total"]["rereads"], 401 + 802);
    assert_eq!(cluster.committed_offsets(&group, &topic, &partitions).unwrap(), vec![Some(0); 1203]);
}

#[test]
fn two_runs_at_once_end_and_the_group_stands_where_one_of_them_put_it() {
    let place = Place::with_records(&[9; 40]).committed(&[5; 40]);
    let krewinds = [place.krewind(), place.krewind(), place.krewind()];
    let targets = ["1", "2", "3"];
    let runs: Vec<Running> = krewinds
        .iter()
        .zip(targets)
        .map(|(krewind, to)| {
            krewind.start(&["reset", &place.group, "--topic", &place.topic, "--to-offset", to, "--yes", "-o", "json"])
        })
        .collect();
    let ran: Vec<_> = runs.into_iter().map(Running::end).collect();
    let stands = place.stands();
    assert!(stands.iter().all(|offset| *offset == stands[0]), "{stands:?}");
    assert!([Some(1), Some(2), Some(3)].contains(&stands[0]), "{stands:?}");
    for ran in ran {
        let report = ran.json();
        match ran.code {
            // Read back before another one wrote, and what it read back is what it wrote.
            Some(0) => assert_eq!(each(&report, "read_back"), each(&report, "new_offset"), "{ran}"),
            // Overwritten before it read back.
            Some(1) => assert!(["partial", "unknown"].contains(&report["outcome"].as_str().unwrap()), "{ran}"),
            // Seen by the second look.
            Some(3) => assert_eq!(report["groups"][0]["refusal"]["code"], "commits-moving", "{ran}"),
            _ => panic!("{ran}"),
        }
    }
}
