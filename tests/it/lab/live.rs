//! The lessons on a real broker, beside the model and beside what was worked out by hand.

use super::by_hand::{
    AUTO_COMMIT_LOSS, LOG, Lesson, MANUAL_DUPLICATES, RETENTION_GAP, REWIND_REBUILD, UPSERT_CONVERGES, holds,
};
use super::scratch::read;
use super::watched::{Lab, Names, runs};
use crate::reset::place::{Place, unique};
use crate::reset::runner::{DEADLINE, Ran, children};
use crate::support::bare;
use local_kafka::client::Record;
use local_kafka::{Check, shared, wait_for};
use rdkafka::consumer::Consumer;
use serde_json::json;

/// That a live run's report is the model's, but for the word that it was live, and the hand-worked one; and that nothing is left.
fn is_as_in_the_model(lab: &Lab, ran: Ran, lesson: &Lesson) {
    let ran = ran.exits(0);
    let real = ran.json();
    holds(&real, lesson.steps);
    let mut model = bare().args(["lab", "--scenario", lesson.name, "-o", "json"]).run().succeeds().json();
    assert_eq!((&model["live"], &real["live"]), (&json!(false), &json!(true)));
    model["live"] = json!(true);
    assert_eq!(real, model);
    lab.nothing_is_left(&ran);
}

/// What the group has committed, asked of the broker.
fn committed(names: &Names) -> Option<i64> {
    shared().committed_offsets(&names.group, &names.topic, &[0]).unwrap()[0]
}

/// The group's state, protocol and members: their client ids, and whether their subscription names the topic.
fn group(names: &Names) -> (String, String, Vec<(String, bool)>) {
    let consumer = shared().consumer("lab-look", &[]).unwrap();
    let list = consumer.fetch_group_list(Some(&names.group), DEADLINE).unwrap();
    let group = &list.groups()[0];
    let topic = names.topic.as_bytes();
    let members = group.members().iter().map(|member| {
        let subscription = member.metadata().unwrap_or_default();
        (member.client_id().to_owned(), subscription.windows(topic.len()).any(|part| part == topic))
    });
    (group.state().to_owned(), format!("{} {}", group.protocol_type(), group.protocol()), members.collect())
}

/// Order and offset of the sink's rows.
fn rows(names: &Names) -> Vec<(i64, i64)> {
    let database = rusqlite::Connection::open(&names.database).unwrap();
    let mut statement = database.prepare("SELECT order_id, log_offset FROM orders ORDER BY log_offset").unwrap();
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

#[test]
fn auto_commit_loss_seen_from_outside() {
    let lab = Lab::new();
    let mut run = lab.start(AUTO_COMMIT_LOSS.name);
    let (first, position) = run.consumer();
    assert_eq!(position, 0);
    let names = run.names();
    assert!(names.database.starts_with(lab.files()), "{names:?}");
    run.meanwhile(|| {
        // A process of its own, a member by `subscribe()` in the classic protocol.
        assert!(children(run.pid()).iter().any(|(pid, line)| *pid == first && line.ends_with("__lab-consumer")));
        let members = wait_for("the group to be stable", DEADLINE, || {
            let (state, protocol, members) = group(&names);
            let now = format!("{state} {protocol}");
            Ok(if now == "Stable consumer range" { Check::Done(members) } else { Check::NotYet(now) })
        });
        assert!(matches!(&members.unwrap()[..], [(_, true)]));
        assert_eq!(shared().watermarks(&names.topic, 0).unwrap(), (0, 12));
        let log = read(&names.topic, 12);
        let minutes: Vec<i64> = log.iter().map(|(.., time)| time.rem_euclid(86_400_000)).collect();
        assert_eq!(minutes, (600..612).map(|minute| minute * 60_000).collect::<Vec<_>>());
        let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
        assert!(log.iter().all(|(.., time)| (now - 2 * 86_400_000..now).contains(time)), "{log:?}");
        for ((offset, key, value, _), order) in log.iter().zip(LOG) {
            // Four orders come twice: placed, then paid.
            let status = if [2, 5, 8, 10].contains(offset) { "paid" } else { "placed" };
            assert_eq!(key, &order.to_string());
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(value).unwrap(),
                json!({"order": order, "status": status})
            );
        }
    });

    let killed = run.says("killed process ");
    assert_eq!(killed, format!("killed process {first} (SIGKILL)"));
    run.meanwhile(|| {
        assert!(!runs(first));
        assert_eq!(committed(&names), Some(4));
        // 3 was committed, and is not there.
        assert_eq!(rows(&names), [(1001, 0), (1002, 1), (1001, 2)]);
    });
    let (second, position) = run.consumer();
    assert!(second != first && position == 4, "{second} at {position}");
    is_as_in_the_model(&lab, run.end(), &AUTO_COMMIT_LOSS);
    assert!(!runs(second));
}

#[test]
fn manual_duplicates() {
    let lab = Lab::new();
    let mut run = lab.start(MANUAL_DUPLICATES.name);
    run.says("killed process ");
    let names = run.names();
    run.meanwhile(|| {
        assert_eq!(committed(&names), Some(4));
        assert_eq!(rows(&names).iter().map(|row| row.1).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    });
    is_as_in_the_model(&lab, run.end(), &MANUAL_DUPLICATES);
}

#[test]
fn upsert_converges() {
    let lab = Lab::new();
    let mut run = lab.start(UPSERT_CONVERGES.name);
    // Going back while a consumer runs stops that one, and starts another.
    run.says("> rewind earliest");
    let (_, position) = run.consumer();
    assert_eq!(position, 0);
    let names = run.names();
    // Twelve writes, and more to come: a row for each order all the time.
    run.meanwhile(|| assert_eq!(rows(&names).len(), 8));
    is_as_in_the_model(&lab, run.end(), &UPSERT_CONVERGES);
}

#[test]
fn rewind_rebuild_seen_from_outside() {
    let lab = Lab::new();
    let mut run = lab.start(REWIND_REBUILD.name);
    run.says("> rewind 10:03");
    let names = run.names();
    let line = run.says("  committed ");
    run.meanwhile(|| {
        assert_eq!(committed(&names), Some(3), "{line}");
        // As an upsert leaves it: order 1003 is missing, of the others the last event is there.
        let there = [(1001, 2), (1002, 5), (1006, 7), (1004, 8), (1007, 9), (1005, 10), (1008, 11)];
        assert_eq!(rows(&names), there);
    });
    assert_eq!(run.consumer().1, 3);
    is_as_in_the_model(&lab, run.end(), &REWIND_REBUILD);
}

#[test]
fn retention_gap_beside_a_group_and_a_topic_of_somebody_else() {
    let name = format!("krewind-lab-{}", unique("neighbour"));
    shared().create_topic(&name, 1, &[]).unwrap();
    let records: Vec<Record> = (0..9).map(|_| Record::to(&name).partition(0).value("v")).collect();
    shared().produce(&records).unwrap();
    let neighbour = Place { cluster: shared().clone(), topic: name.clone(), group: name, partitions: vec![0] };
    neighbour.commit(&[5]);

    let lab = Lab::new();
    let mut run = lab.start(RETENTION_GAP.name);
    run.says("> retention 6");
    let names = run.names();
    run.says("  committed 4");
    run.meanwhile(|| {
        assert_eq!((committed(&names), shared().watermarks(&names.topic, 0).unwrap()), (Some(4), (6, 12)));
    });
    assert_eq!(run.consumer().1, 6);
    is_as_in_the_model(&lab, run.end(), &RETENTION_GAP);
    assert_eq!(shared().watermarks(&neighbour.topic, 0).unwrap(), (0, 9));
    assert_eq!((neighbour.stands(), neighbour.group_exists()), (vec![Some(5)], true));
}
