//! Brokers that fall silent or go under a reset.

use super::place::{Place, kafka_consumer_groups, unique};
use super::proxy::{Fault, Proxied};
use super::runner::{Krewind, each, rows};
use super::terminal::Terminal;
use local_kafka::client::Record;
use local_kafka::{Check, Cluster, Kafka, wait_for};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_broker_that_falls_silent_under_the_write_is_told_as_not_known_and_may_still_do_it() {
    let proxied = Proxied::start();
    let place = Place::on(proxied.cluster(), &[9]).committed(&[5]);
    let held = proxied.fault(&place.group, 0, Fault::HoldRequest);
    let krewind = Krewind::at(proxied.address()).flag("--timeout").flag("2s");
    let run =
        krewind.start(&["reset", &place.group, "--topic", &place.topic, "--to-offset", "2", "--yes", "-o", "json"]);
    held.happened();
    proxied.node().pause().unwrap();
    let started = Instant::now();
    held.release();
    let ran = run.end().exits(1);
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
    let report = ran.json();
    assert_eq!((&report["outcome"], each(&report, "outcome")), (&json!("unknown"), vec![&json!("unknown")]), "{ran}");
    assert_eq!(each(&report, "read_back"), [&json!(null)], "{ran}");
    assert!(rows(&report)[0]["error"].as_str().unwrap().contains("could not be read back"), "{ran}");
    let entry = &krewind.journal()[0].1;
    assert_eq!((&entry["state"], &entry["groups"][0]["outcome"]), (&json!("ended"), &json!("unknown")));
    assert_eq!(entry["groups"][0]["rows"][0]["previous_offset"], 5);
    // The request lay at the broker all the time.
    proxied.node().resume().unwrap();
    place.cluster.await_committed(&place.group, &place.topic, 0, 2).unwrap();
}

#[test]
fn the_coordinator_goes_while_the_question_stands() {
    let kafka = Kafka::builder().nodes(3).start().unwrap();
    let cluster = kafka.client();
    let (topic, group) = (unique("topic"), unique("group"));
    cluster.create_replicated_topic(&topic, 3, 3, &[]).unwrap();
    let records: Vec<Record> = (0..9).map(|n| Record::to(&topic).partition(n % 3).value("v")).collect();
    cluster.produce(&records).unwrap();
    let committed = |cluster: &Cluster| {
        wait_for("the commits to be readable", Duration::from_secs(60), || {
            Ok(match cluster.committed_offsets(&group, &topic, &[0, 1, 2]) {
                Ok(stands) => Check::Done(stands),
                Err(error) => Check::NotYet(error.to_string()),
            })
        })
        .unwrap()
    };
    for (target, killed) in [("1", false), ("2", true)] {
        cluster.commit_all(&group, &[(&topic, 0, 3), (&topic, 1, 3), (&topic, 2, 3)]).unwrap();
        let state = kafka_consumer_groups(&cluster, &["--describe", "--state", "--group", &group]);
        let line = state.lines().find(|line| line.contains(&group)).unwrap();
        let id: i32 = line.split(['(', ')']).nth(1).unwrap().parse().unwrap();
        let krewind = Krewind::on(&cluster).flag("--timeout").flag("20s");
        let args = ["reset", &group, "--topic", &topic, "--to-offset", target, "-o", "json"];
        let mut terminal = Terminal::start(&krewind, &args);
        terminal.shows("to apply");
        if killed {
            kafka.node(id).kill().unwrap();
        } else {
            kafka.node(id).stop().unwrap();
        }
        // The cluster has noticed, and another broker has taken over.
        assert_eq!(committed(&cluster), [Some(3); 3]);
        terminal.types(&group);
        let report = terminal.end().applied();
        assert_eq!(each(&report, "read_back"), [target.parse::<i64>().unwrap(); 3]);
        assert_eq!(committed(&cluster), [target.parse().ok(); 3]);
        kafka.node(id).restart().unwrap();
    }
}
