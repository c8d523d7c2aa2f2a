//! Where other tools are known to go wrong: names taken for patterns, sentinels taken for offsets, zones, and a live group that
//! is disturbed by a mere look.

use super::place::{EPOCH, Place, kafka_consumer_groups, kafkas_plan, unique};
use super::runner::{DEADLINE, Krewind, each, rows};
use local_kafka::client::{LiveMember, MemberOptions, Record};
use local_kafka::{Check, Cluster, shared, wait_for};
use serde_json::json;

/// A topic of this name with one partition of nine records.
fn topic(cluster: &Cluster, name: &str) {
    cluster.create_topic(name, 1, &[]).unwrap();
    cluster.produce_numbers(name, 0, 9).unwrap();
}

#[test]
fn names_are_no_patterns() {
    let cluster = shared();
    let base = unique("literal");
    let [dot, dash, longer] = [".events", "-events", ".events.eu"].map(|end| format!("{base}{end}"));
    let [group, alike] = [".g", "-g"].map(|end| format!("{base}{end}"));
    for name in [&dot, &dash, &longer] {
        topic(cluster, name);
        for group in [&group, &alike] {
            cluster.commit(group, name, 0, 5, "").unwrap();
        }
    }
    let stands =
        |group: &str| [&dot, &dash, &longer].map(|name| cluster.committed_offsets(group, name, &[0]).unwrap()[0]);
    let krewind = Krewind::on(cluster);
    krewind.reset(&[&group, "--topic", &dot, "--to-offset", "2", "--yes"]).applied();
    assert_eq!(stands(&group), [Some(2), Some(5), Some(5)]);
    krewind.run(&["delete-offsets", &group, "--topic", &dot, "--yes", "-o", "json"]).applied();
    assert_eq!(stands(&group), [None, Some(5), Some(5)]);
    krewind.run(&["undo", &group, "--yes", "-o", "json"]).applied();
    assert_eq!(stands(&group), [Some(2), Some(5), Some(5)]);
    // What can be no topic's name is no pattern either, and a group of such a name does not exist.
    for pattern in [format!("{base}.*"), format!("{base}*"), format!("{base}|{dash}")] {
        for command in [&["reset", "--to-earliest"][..], &["delete-offsets"]] {
            let args = [&group, "--topic", &pattern, "--yes", "-o", "json"];
            krewind.run(&[command, &args].concat()).error(2, "usage");
            let args = [&pattern, "--topic", &dot, "--yes", "-o", "json"];
            krewind.run(&[command, &args].concat()).error(3, "group-not-found");
        }
        krewind.run(&["delete", &pattern, "--yes", "-o", "json"]).error(3, "group-not-found");
    }
    krewind.run(&["delete", &group, "--yes", "-o", "json"]).applied();
    assert_eq!((stands(&group), stands(&alike)), ([None; 3], [Some(5); 3]));
}

#[test]
fn minus_one_and_minus_two_are_no_offsets() {
    let place = Place::with_records(&[9]).committed(&[5]);
    let krewind = place.krewind();
    let file = krewind.state_home().join("file");
    let args = ["--from-file", file.to_str().unwrap(), "--out-of-range", "clamp", "--yes"];
    let snapshot = krewind.run(&["describe", &place.group, "-o", "json"]).exits(0).json();
    let report = krewind.reset(&[&place.group, "--topic", &place.topic, "--to-offset", "2", "--dry-run"]).json();
    for sentinel in ["-1", "-2"] {
        for column in ["", &format!("{},", place.group)] {
            std::fs::write(&file, format!("{column}{},0,{sentinel}\n", place.topic)).unwrap();
            let named = if column.is_empty() { &[place.group.as_str()][..] } else { &[] };
            let error = krewind.reset(&[named, &args].concat()).error(2, "bad-file");
            assert!(error["message"].as_str().unwrap().contains(&format!("`{sentinel}`")), "{error}");
        }
        let number = json!(sentinel.parse::<i64>().unwrap());
        for (whole, field) in
            [(&snapshot, "/groups/0/partitions/0/current_offset"), (&report, "/groups/0/rows/0/new_offset")]
        {
            let mut whole = whole.clone();
            *whole.pointer_mut(field).unwrap() = number.clone();
            std::fs::write(&file, whole.to_string()).unwrap();
            krewind.reset(&args).error(2, "bad-file");
        }
        let flag = format!("--to-offset={sentinel}");
        krewind
            .reset(&[&place.group, "--topic", &place.topic, &flag, "--out-of-range", "clamp", "--yes"])
            .error(2, "usage");
    }
    assert_eq!(place.stands(), [Some(5)]);
    assert_eq!(krewind.journal().len(), 0);
}

#[test]
fn a_time_with_half_an_hour_in_its_zone_is_kafkas_instant() {
    // A record a half hour, from 19:13:20 UTC on 14 November 2023 to 03:13:20 the next day.
    let records: Vec<i64> = (-6..=10).map(|half_hours| half_hours * 1800).collect();
    let place = Place::dated(&[&records]).committed(&[0]);
    for (time, offset) in [
        ("2023-11-14T22:13:20.000", 6),
        // 22:13:20 less 5 h 30 min: before the first record; and plus 3 h 30 min.
        ("2023-11-14T22:13:20.000+05:30", 0),
        ("2023-11-15T03:43:20.000+05:30", 6),
        ("2023-11-14T22:13:20.001-03:30", 14),
    ] {
        let kafka = kafkas_plan(&place.cluster, &place.group, &["--topic", &place.topic, "--to-datetime", time]);
        assert_eq!(kafka, [(place.topic.clone(), 0, offset)], "{time}");
        let args = [&place.group, "--topic", &place.topic, "--to-datetime", time, "--dry-run"];
        assert_eq!(each(&place.krewind().reset(&args).exits(0).json(), "new_offset"), [offset], "{time}");
    }
}

#[test]
fn a_record_of_an_open_transaction_is_found_by_its_time_as_kafka_finds_it() {
    let place = Place::dated(&[&[10, 20]]).committed(&[0]);
    let open = place.cluster.transactional_producer(&unique("tx"), &[]).unwrap();
    open.begin().unwrap();
    open.produce(&[Record::to(&place.topic).partition(0).value("open").timestamp(EPOCH + 30_000)]).unwrap();
    let kafka = ["--topic", &place.topic, "--to-datetime", "2023-11-14T22:13:45.000Z"];
    assert_eq!(kafkas_plan(&place.cluster, &place.group, &kafka), [(place.topic.clone(), 0, 2)]);
    let time = (EPOCH + 25_000).to_string();
    let args = [&place.group, "--topic", &place.topic, "--to-timestamp", &time, "--skip-unread", "allow", "--yes"];
    let report = place.krewind().reset(&args).applied();
    assert_eq!(each(&report, "reason"), [&json!(null)]);
    assert_eq!(place.stands(), [Some(2)]);
    open.abort().unwrap();
}

#[test]
fn what_kafkas_tool_says_among_its_lines_refuses_the_file_and_ours_says_nothing_there() {
    // The second partition was never written.
    let place = Place::dated(&[&[10, 20], &[]]).committed(&[1]);
    let krewind = place.krewind();
    let file = krewind.state_home().join("plan.csv");
    let scope = ["--group", &place.group, "--topic", &place.topic];
    let time = ["--to-datetime", "2023-11-14T22:14:00.000Z"];
    let export = ["--reset-offsets", "--dry-run", "--export"];
    let theirs = kafka_consumer_groups(&place.cluster, &[&export, &scope[..], &time].concat());
    assert!(theirs.contains("Falling back to latest known offset"), "{theirs}");
    std::fs::write(&file, &theirs).unwrap();
    let from_file = ["--from-file", file.to_str().unwrap()];
    krewind.reset(&[&[&place.group, "--yes"], &from_file[..]].concat()).error(2, "bad-file");
    assert_eq!(place.stands(), [Some(1), None]);

    let ours = krewind.run(&[&["reset", "-o", "csv", "--dry-run"], &scope[..], &time].concat()).exits(0);
    assert_eq!(ours.stdout, format!("{0},0,2\n{0},1,0\n", place.topic));
    std::fs::write(&file, &ours.stdout).unwrap();
    let execute = ["--reset-offsets", "--execute", "--group", &place.group];
    kafka_consumer_groups(&place.cluster, &[&execute, &from_file[..]].concat());
    assert_eq!(place.stands(), [Some(2), Some(0)]);
    place.commit(&[1]);
    krewind.reset(&[&[&place.group, "--yes", "--skip-unread", "allow"], &from_file[..]].concat()).applied();
    assert_eq!(place.stands(), [Some(2), Some(0)]);
}

#[test]
fn a_look_and_a_refusal_leave_a_live_group_as_it_was() {
    for newer in [false, true] {
        let options = if newer { MemberOptions::new().consumer_protocol() } else { MemberOptions::new() };
        let place = Place::with_records(&[9]).committed(&[5]);
        let member = LiveMember::join(&place.cluster, &place.group, &[&place.topic], &options).unwrap();
        // Member ids and assignments, and of the newer protocol the group's epoch, which each join counts up.
        let seen = || {
            ["--members", "--state"].map(|what| {
                kafka_consumer_groups(&place.cluster, &["--describe", what, "--verbose", "--group", &place.group])
            })
        };
        // A member of the newer protocol has its partitions a moment before the coordinator knows.
        let before = wait_for("a stable group", DEADLINE, || {
            let now = seen();
            Ok(if now[1].contains("Stable") { Check::Done(now) } else { Check::NotYet(now.concat()) })
        })
        .unwrap();
        let group = before[1].lines().find(|line| line.contains(&place.group)).unwrap();
        let epoch = group.split_whitespace().rev().nth(2).unwrap();
        assert_eq!(epoch.parse::<i32>().is_ok(), newer, "{before:?}");
        let krewind = place.krewind();
        let reset = [&place.group, "--topic", &place.topic, "--to-earliest"];
        let report = krewind.reset(&[&reset[..], &["--dry-run"]].concat()).exits(0).json();
        assert_eq!(rows(&report).len(), 1);
        krewind.reset(&[&reset[..], &["--yes"]].concat()).refused("group-active");
        krewind.run(&["delete-offsets", &place.group, "--topic", &place.topic, "--yes", "-o", "json"]).exits(3);
        krewind.run(&["delete", &place.group, "--yes", "-o", "json"]).exits(3);
        assert_eq!(seen(), before);
        member.leave();
    }
}
