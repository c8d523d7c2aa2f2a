//! Windows by offset and by time, beside a producer and a live group.

use super::support::*;
use local_kafka::client::{LiveMember, MemberOptions, Record};
use local_kafka::{Check, shared, wait_for};
use rdkafka::Message;
use rdkafka::consumer::Consumer;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A moment some hours ago, so that no record is too old or too new.
fn base() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap() / 1000 * 1000 - 6 * 3600 * 1000
}

#[test]
fn a_replay_beside_production_is_what_was_produced_and_disturbs_nobody() {
    let cluster = shared();
    let (topic, live, stopped) = (unique("beside"), unique("live"), unique("stopped"));
    cluster.create_topic(&topic, 3, &[]).unwrap();
    let record = |n: usize| Record::to(&topic).partition((n % 3) as i32).key(format!("k{n}")).value(format!("v{n}"));
    let mut produced: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    let note = |produced: &mut BTreeMap<(i64, i64), usize>, first: usize, at: Vec<(i32, i64)>| {
        for (index, (partition, offset)) in at.into_iter().enumerate() {
            produced.insert((i64::from(partition), offset), first + index);
        }
    };
    let first: Vec<Record> = (0..3000).map(record).collect();
    note(&mut produced, 0, cluster.produce(&first).unwrap());
    let before = produced.clone();
    cluster.commit_all(&stopped, &[(&topic, 0, 7), (&topic, 2, 11)]).unwrap();
    let member = LiveMember::join(cluster, &live, &[&topic], &MemberOptions::new().auto_commit()).unwrap();

    let stop = AtomicBool::new(false);
    let (runs, produced) = std::thread::scope(|scope| {
        let producing = scope.spawn(|| {
            let producer = cluster.producer(&[]).unwrap();
            let mut produced = produced;
            let mut next = first.len();
            while !stop.load(Ordering::SeqCst) {
                let some: Vec<Record> = (next..next + 30).map(record).collect();
                note(&mut produced, next, producer.produce(&some).unwrap());
                next += 30;
            }
            produced
        });
        let scratch = Scratch::new();
        let report = scratch.text("report.json");
        let whole = replay(&[&topic, "--from", "earliest", "--report", &report]);
        let part = replay(&[&topic, "--start-offset", "100", "--end-offset", "900"]);
        let reported = read_json(&scratch.path("report.json"));
        stop.store(true, Ordering::SeqCst);
        ((whole, part, reported), producing.join().unwrap())
    });
    let (whole, part, report) = runs;

    assert_eq!((whole.code, part.code), (0, 0), "{} {}", whole.stderr, part.stderr);
    let records = whole.records();
    for record in &records {
        let place = (record["partition"].as_i64().unwrap(), record["offset"].as_i64().unwrap());
        let n = produced[&place];
        assert_eq!(record["topic"], topic);
        assert_eq!(
            (record["key"].as_str(), record["value"].as_str()),
            (Some(&*format!("k{n}")), Some(&*format!("v{n}")))
        );
    }
    // Everything that was there when it began, and no hole up to where each partition ended.
    let found = places(&records);
    let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
    for &(partition, offset) in &found {
        let next = counts.entry(partition).or_default();
        assert_eq!(*next, offset, "partition {partition}");
        *next += 1;
    }
    assert!(before.keys().all(|place| found.binary_search(place).is_ok()));
    assert_eq!(report["outcome"], "complete");
    assert_eq!(report["total"]["records"], found.len());
    for number in 0..3 {
        let row = partition(&report, number);
        assert_eq!((&row["end_offset"], &row["ended"]), (&counts[&number].into(), &"end-reached".into()));
    }

    let expected: Vec<(i64, i64)> =
        (0..3).flat_map(|partition| (100..900).map(move |offset| (partition, offset))).collect();
    assert_eq!(places(&part.records()), expected);

    // The live group commits up to the end, the stopped one stands where it stood, and there is no third.
    for number in 0..3 {
        let end = produced.keys().filter(|(partition, _)| *partition == number).count();
        cluster.await_committed(&live, &topic, number as i32, end as i64).unwrap();
    }
    assert_eq!(member.assignment().len(), 3);
    assert_eq!(cluster.committed_offsets(&stopped, &topic, &[0, 1, 2]).unwrap(), [Some(7), None, Some(11)]);
    no_replay_group(cluster);
}

#[test]
fn a_window_by_time_starts_and_ends_at_the_first_record_of_the_time_or_later() {
    let cluster = shared();
    let topic = unique("time");
    cluster.create_topic(&topic, 2, &[]).unwrap();
    let base = base();
    // Offset n at n seconds; partition 1 stays empty.
    let all: Vec<Record> =
        (0..10).map(|n| Record::to(&topic).partition(0).value(n.to_string()).timestamp(base + n * 1000)).collect();
    cluster.produce(&all).unwrap();
    let scratch = Scratch::new();
    let mut count = 0;
    let mut window = |from: i64, to: Option<i64>| {
        count += 1;
        let name = format!("{count}.json");
        let (from, to) = ((base + from).to_string(), to.map(|to| (base + to).to_string()));
        let report = scratch.text(&name);
        let mut args = vec![topic.as_str(), "--from", &from, "--report", &report];
        if let Some(to) = &to {
            args.extend(["--to", to]);
        }
        let ran = replay(&args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let offsets: Vec<i64> = places(&ran.records()).into_iter().map(|(_, offset)| offset).collect();
        (offsets, read_json(&scratch.path(&name)))
    };
    let range = |from: i64, to: i64| (from..to).collect::<Vec<i64>>();

    // On a record's own millisecond, and one after it.
    assert_eq!(window(3000, None).0, range(3, 10));
    assert_eq!(window(3001, None).0, range(4, 10));
    assert_eq!(window(3000, Some(7000)).0, range(3, 7));
    assert_eq!(window(3000, Some(7001)).0, range(3, 8));
    // Before the first, after the last.
    let (offsets, report) = window(-5000, Some(60_000));
    assert_eq!(offsets, range(0, 10));
    assert_eq!(report["outcome"], "complete");
    assert_eq!(partition(&report, 0)["ended"], "end-reached");
    let empty = partition(&report, 1);
    assert_eq!(
        (&empty["ended"], &empty["start_offset"], &empty["end_offset"]),
        (&"nothing-to-replay".into(), &0.into(), &0.into())
    );
    assert!(empty["reason"].as_str().unwrap().contains("empty"), "{empty}");
    let (offsets, report) = window(9001, None);
    assert!(offsets.is_empty());
    assert_eq!(report["outcome"], "nothing-to-replay");
    let row = partition(&report, 0);
    assert_eq!((&row["start_offset"], &row["end_offset"], &row["gaps"]), (&10.into(), &10.into(), &0.into()));
    // Between two records.
    assert!(window(3001, Some(3999)).0.is_empty());
    assert!(window(3000, Some(3000)).0.is_empty());
    // Before them all.
    assert!(window(-9000, Some(-5000)).0.is_empty());
}

#[test]
fn an_instant_is_echoed_and_read_in_the_zone() {
    let cluster = shared();
    let topic = unique("zone");
    // The records are older than what is kept by default.
    cluster.create_topic(&topic, 1, &[("retention.ms", "-1")]).unwrap();
    // 2026-06-01T08:00:00Z is 10:00 in Berlin.
    let at = 1_780_300_800_000;
    cluster
        .produce(&[
            Record::to(&topic).partition(0).value("before").timestamp(at - 1),
            Record::to(&topic).partition(0).value("at").timestamp(at),
        ])
        .unwrap();
    let ran = replay(&[&topic, "--tz", "Europe/Berlin", "--from", "2026-06-01T10:00"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(values(&ran.records()), ["at"]);
    assert!(ran.stderr.contains("2026-06-01T08:00:00.000Z = 1780300800000 ms"), "{}", ran.stderr);
}

#[test]
fn offsets_outside_the_log_are_refused_and_clamped_where_that_was_asked_for() {
    let cluster = shared();
    let topic = unique("range");
    cluster.create_topic(&topic, 1, &[]).unwrap();
    cluster.produce_numbers(&topic, 0, 10).unwrap();
    cluster.delete_records(&topic, 0, 4).unwrap();
    let scratch = Scratch::new();
    let file = scratch.text("a.jsonl");
    for window in [["--start-offset", "3"], ["--start-offset", "11"]] {
        let mut args = vec![topic.as_str(), "--into", &file, "-o", "json"];
        args.extend(window);
        let ran = replay(&args);
        assert_eq!((ran.code, &ran.json()["code"]), (3, &"out-of-range".into()), "{}", ran.stderr);
        assert!(ran.stderr.contains("--out-of-range clamp"), "{}", ran.stderr);
    }
    assert_eq!(replay(&[&topic, "--start-offset", "5", "--end-offset", "11"]).code, 3);
    assert!(scratch.names().is_empty());

    let ran = replay(&[&topic, "--start-offset", "3", "--end-offset", "99", "--out-of-range", "clamp"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(values(&ran.records()), ["4", "5", "6", "7", "8", "9"]);
    // The end of the log is an offset too; nothing is there.
    let ran = replay(&[&topic, "--start-offset", "10"]);
    assert_eq!((ran.code, ran.stdout.len()), (0, 0), "{}", ran.stderr);
}

#[test]
fn topics_and_partitions_are_those_that_were_named() {
    let cluster = shared();
    let (one, two) = (unique("one"), unique("two"));
    for topic in [&one, &two] {
        cluster.create_topic(topic, 4, &[]).unwrap();
        for partition in 0..4 {
            cluster.produce_numbers(topic, partition, 3).unwrap();
        }
    }
    let selected = format!("{one}:0,2-3");
    let ran = replay(&[&selected, "--topic", &format!("{two}:1"), "--from", "earliest"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let records = ran.records();
    let of = |topic: &str| {
        let some: Vec<_> = records.iter().filter(|record| record["topic"] == topic).cloned().collect();
        places(&some)
    };
    let expected = |partitions: &[i64]| -> Vec<(i64, i64)> {
        partitions.iter().flat_map(|&partition| (0..3).map(move |offset| (partition, offset))).collect()
    };
    assert_eq!(of(&one), expected(&[0, 2, 3]));
    assert_eq!(of(&two), expected(&[1]));
}

#[test]
fn a_window_may_end_inside_a_gap_of_a_compacted_log() {
    let cluster = shared();
    let topic = unique("compact");
    let config = [
        ("cleanup.policy", "compact"),
        ("segment.ms", "100"),
        ("min.cleanable.dirty.ratio", "0.01"),
        ("min.compaction.lag.ms", "0"),
    ];
    cluster.create_topic(&topic, 1, &config).unwrap();
    // One key: of 0..20 the last alone will be left.
    let same: Vec<Record> = (0..20).map(|n| Record::to(&topic).partition(0).key("same").value(n.to_string())).collect();
    cluster.produce(&same).unwrap();
    let mut filler = 0;
    wait_for("compaction", LIMIT, || {
        // The active segment is never compacted, and rolls only when something is written.
        filler += 1;
        cluster.produce(&[Record::to(&topic).partition(0).key(format!("filler-{filler}")).value("x")])?;
        let consumer = cluster.consumer(&unique("look"), &[])?;
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(&topic, 0, Offset::Offset(0)).unwrap();
        consumer.assign(&list).unwrap();
        let first = consumer.poll(Duration::from_secs(10)).map(|message| message.unwrap().offset());
        Ok(match first {
            Some(19) => Check::Done(()),
            other => Check::NotYet(format!("the first offset is {other:?}")),
        })
    })
    .unwrap();

    let scratch = Scratch::new();
    let window = |start: &str, end: &str| {
        let (report, path) = scratch.report();
        let ran = replay(&[&topic, "--start-offset", start, "--end-offset", end, "--report", &report]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (ran.records(), partition(&read_json(&path), 0).clone())
    };
    let (records, row) = window("2", "12");
    assert!(records.is_empty());
    assert_eq!((&row["ended"], &row["gaps"], &row["next_offset"]), (&"end-reached".into(), &10.into(), &12.into()));
    let (records, row) = window("0", "20");
    assert_eq!(values(&records), ["19"]);
    assert_eq!((&row["records"], &row["gaps"]), (&1.into(), &19.into()));
}
