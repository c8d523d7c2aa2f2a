//! The topic that is made for a while.

use crate::reset::place::{EPOCH, unique};
use crate::reset::runner::DEADLINE;
use krewind::error::Code;
use krewind::kafka::config::ClientProperties;
use krewind::kafka::scratch::{NewRecord, ScratchTopic};
use krewind::kafka::{Client, Connection};
use local_kafka::client::Record;
use local_kafka::{Check, shared, wait_for};
use rdkafka::consumer::Consumer;
use rdkafka::message::{Message, Timestamp};
use rdkafka::{Offset, TopicPartitionList};

fn client() -> &'static Client {
    let cluster = shared();
    let properties = ClientProperties::build(Some(cluster.bootstrap()), None, &[]).unwrap();
    let connection = Connection { properties, timeout: DEADLINE, log: None };
    Box::leak(Box::new(Client::connect(connection).unwrap()))
}

/// Key, value and time of the records that a consumer of the tests' own finds from the log's start on.
pub(super) fn read(topic: &str, count: usize) -> Vec<(i64, String, String, i64)> {
    let consumer = shared().consumer("lab-read", &[]).unwrap();
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, 0, Offset::Beginning).unwrap();
    consumer.assign(&list).unwrap();
    let text = |bytes: Option<&[u8]>| String::from_utf8(bytes.unwrap().to_vec()).unwrap();
    (0..count)
        .map(|_| {
            let message = consumer.poll(DEADLINE).expect("a record").unwrap();
            let Timestamp::CreateTime(time) = message.timestamp() else { panic!("{:?}", message.timestamp()) };
            (message.offset(), text(message.key()), text(message.payload()), time)
        })
        .collect()
}

fn exists(topic: &str) -> bool {
    let consumer = shared().consumer("lab-look", &[]).unwrap();
    let metadata = consumer.fetch_metadata(None, DEADLINE).unwrap();
    metadata.topics().iter().any(|known| known.name() == topic)
}

#[test]
fn it_is_made_filled_shortened_and_deleted() {
    let (client, name) = (client(), unique("scratch"));
    assert!(!ScratchTopic::exists(client, &name).unwrap());
    let topic = ScratchTopic::create(client, &name).unwrap();
    assert!(exists(&name) && ScratchTopic::exists(client, &name).unwrap());
    assert_eq!((topic.name(), shared().watermarks(&name, 0).unwrap()), (name.as_str(), (0, 0)));

    // Within the hour: the log's own retention must not take them.
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let minute = |minutes: i64| now - minutes * 60_000;
    let record = |timestamp_ms, key: &'static str, value: &'static str| NewRecord {
        timestamp_ms,
        key: key.as_bytes(),
        value: value.as_bytes(),
    };
    let first = [record(minute(50), "1001", "a"), record(minute(40), "1002", "b"), record(minute(30), "1001", "c")];
    assert_eq!(topic.produce(&first).unwrap(), [0, 1, 2]);
    assert_eq!(topic.produce(&[record(minute(20), "1003", "d")]).unwrap(), [3]);
    assert_eq!(topic.produce(&[]).unwrap(), [] as [i64; 0]);
    // Another producer's record in between counts as in any log.
    shared().produce(&[Record::to(&name).partition(0).key("1004").value("e").timestamp(minute(10))]).unwrap();
    assert_eq!(topic.produce(&[record(minute(5), "1005", "f")]).unwrap(), [5]);
    let row = |offset, key: &str, value: &str, time| (offset, key.to_owned(), value.to_owned(), time);
    let last = [
        row(2, "1001", "c", minute(30)),
        row(3, "1003", "d", minute(20)),
        row(4, "1004", "e", minute(10)),
        row(5, "1005", "f", minute(5)),
    ];
    let all = [&[row(0, "1001", "a", minute(50)), row(1, "1002", "b", minute(40))], &last[..]].concat();
    assert_eq!(read(&name, 6), all);

    assert_eq!(topic.delete_records_before(2).unwrap(), 2);
    assert_eq!(shared().watermarks(&name, 0).unwrap(), (2, 6));
    assert_eq!(read(&name, 4), last);
    // Beyond the end is no offset of the log.
    assert!(topic.delete_records_before(7).is_err());
    assert_eq!(shared().watermarks(&name, 0).unwrap(), (2, 6));

    topic.delete().unwrap();
    wait_for("the topic to be gone", DEADLINE, || {
        Ok(if exists(&name) { Check::NotYet(String::new()) } else { Check::Done(()) })
    })
    .unwrap();
    assert!(!ScratchTopic::exists(client, &name).unwrap());
    // Once more is no error.
    topic.delete().unwrap();
}

#[test]
fn a_topic_that_exists_is_left_alone() {
    let (client, name) = (client(), unique("scratch"));
    shared().create_topic(&name, 3, &[("retention.ms", "-1")]).unwrap();
    shared().produce(&[Record::to(&name).partition(0).value("v").timestamp(EPOCH)]).unwrap();
    let refused = ScratchTopic::create(client, &name).err().unwrap();
    assert_eq!(refused.code, Code::TargetExists, "{refused}");
    assert_eq!(shared().watermarks(&name, 0).unwrap(), (0, 1));
    assert!(ScratchTopic::create(client, "not a name").is_err());
}
