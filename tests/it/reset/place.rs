//! A topic with records and a group, of one test alone.

use super::runner::Krewind;
use local_kafka::client::Record;
use local_kafka::{Cluster, shared, tool};
use std::sync::atomic::{AtomicUsize, Ordering};

/// 14 November 2023, 22:13:20 UTC.
pub const EPOCH: i64 = 1_700_000_000_000;

/// A name that no other test has.
pub fn unique(what: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("reset-{what}-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst))
}

/// A topic and a group.
pub struct Place {
    pub cluster: Cluster,
    pub topic: String,
    pub group: String,
    pub partitions: Vec<i32>,
}

/// So many seconds ago, as [`Place::dated`] takes it.
pub fn ago(seconds: i64) -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap() - EPOCH / 1000 - seconds
}

impl Place {
    /// On the broker of all tests, a topic with this many records in each partition.
    pub fn with_records(records: &[usize]) -> Place {
        Place::on(shared().clone(), records)
    }

    /// The same on another cluster.
    pub fn on(cluster: Cluster, records: &[usize]) -> Place {
        let place = Place::empty(cluster, records.len());
        place.add(records);
        place
    }

    /// A topic in which each partition has records of these times, in seconds after [`EPOCH`].
    pub fn dated(seconds: &[&[i64]]) -> Place {
        let place = Place::empty(shared().clone(), seconds.len());
        let records: Vec<Record> = place
            .partitions
            .iter()
            .zip(seconds)
            .flat_map(|(&partition, seconds)| seconds.iter().map(move |second| (partition, EPOCH + second * 1000)))
            .map(|(partition, time)| Record::to(&place.topic).partition(partition).value("v").timestamp(time))
            .collect();
        if !records.is_empty() {
            place.cluster.produce(&records).unwrap();
        }
        place
    }

    fn empty(cluster: Cluster, partitions: usize) -> Place {
        let partitions: Vec<i32> = (0..i32::try_from(partitions).unwrap()).collect();
        let (topic, group) = (unique("topic"), unique("group"));
        // Records of the past must not be taken for expired ones.
        cluster.create_topic(&topic, i32::try_from(partitions.len()).unwrap(), &[("retention.ms", "-1")]).unwrap();
        Place { cluster, topic, group, partitions }
    }

    /// An empty topic and a group of the same names on another cluster.
    pub fn named_alike_on(&self, cluster: Cluster) -> Place {
        let twin = Place {
            cluster,
            topic: self.topic.clone(),
            group: self.group.clone(),
            partitions: self.partitions.clone(),
        };
        twin.cluster.create_topic(&twin.topic, i32::try_from(twin.partitions.len()).unwrap(), &[]).unwrap();
        twin
    }

    /// The same topic with another group, which has no commit yet.
    pub fn with_another_group(&self) -> Place {
        Place {
            cluster: self.cluster.clone(),
            topic: self.topic.clone(),
            group: unique("group"),
            partitions: self.partitions.clone(),
        }
    }

    /// Produces this many more records into each partition.
    pub fn add(&self, records: &[usize]) {
        let records: Vec<Record> = self
            .partitions
            .iter()
            .zip(records)
            .flat_map(|(&partition, &count)| (0..count).map(move |_| partition))
            .map(|partition| Record::to(&self.topic).partition(partition).value("v"))
            .collect();
        if !records.is_empty() {
            self.cluster.produce(&records).unwrap();
        }
    }

    /// Commits these offsets on the first partitions, as a stopped consumer left them.
    pub fn committed(self, offsets: &[i64]) -> Place {
        self.commit(offsets);
        self
    }

    /// The same once more.
    pub fn commit(&self, offsets: &[i64]) {
        let rows: Vec<(&str, i32, i64)> = self
            .partitions
            .iter()
            .zip(offsets)
            .map(|(&partition, &offset)| (self.topic.as_str(), partition, offset))
            .collect();
        self.cluster.commit_all(&self.group, &rows).unwrap();
    }

    /// What the group has committed on each partition, asked of the broker.
    pub fn stands(&self) -> Vec<Option<i64>> {
        self.cluster.committed_offsets(&self.group, &self.topic, &self.partitions).unwrap()
    }

    /// A krewind on its cluster.
    pub fn krewind(&self) -> Krewind {
        Krewind::on(&self.cluster)
    }

    /// Whether the brokers name the group.
    pub fn group_exists(&self) -> bool {
        self.cluster.group_names().unwrap().contains(&self.group)
    }
}

/// What Kafka's own `kafka-consumer-groups` prints.
pub fn kafka_consumer_groups(cluster: &Cluster, args: &[&str]) -> String {
    let mut command = tool(
        "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
        &["--bootstrap-server", cluster.bootstrap()],
    )
    .unwrap();
    let output = command.args(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The offsets that Kafka's own reset would go to, by topic and partition, with these arguments.
pub fn kafkas_plan(cluster: &Cluster, group: &str, args: &[&str]) -> Vec<(String, i32, i64)> {
    let common = ["--reset-offsets", "--dry-run", "--export", "--group", group];
    let text = kafka_consumer_groups(cluster, &[&common, args].concat());
    let mut rows: Vec<(String, i32, i64)> = text
        .lines()
        .filter_map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            [topic, partition, offset] => Some((topic.to_owned(), partition.parse().ok()?, offset.parse().ok()?)),
            _ => None,
        })
        .collect();
    rows.sort();
    rows
}
