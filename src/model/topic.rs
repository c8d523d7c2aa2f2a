use std::collections::BTreeSet;
use std::fmt;

/// A partition of a topic. Ordered by topic (bytewise), then partition (numerically).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicPartition {
    /// The topic's name.
    pub topic: String,
    /// The partition's number, from 0.
    pub partition: i32,
}

impl TopicPartition {
    /// The partition of that topic.
    pub fn new(topic: impl Into<String>, partition: i32) -> Self {
        TopicPartition { topic: topic.into(), partition }
    }
}

impl fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}

/// Which partitions of a topic were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartitionSet {
    /// Each partition that the topic has.
    All,
    /// These alone.
    Only(BTreeSet<i32>),
}

/// A topic as the command line names it: `orders`, `orders:0,3-5`. The name is literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicSelection {
    /// The topic's name.
    pub topic: String,
    /// Its partitions.
    pub partitions: PartitionSet,
}

/// The largest partition number that a range may reach; Kafka's own limit is the int32, and a typo like `0-99999999`
/// must not fill the memory.
const MAX_PARTITION: i32 = 1_000_000;

impl std::str::FromStr for TopicSelection {
    type Err = String;

    /// `TOPIC`, `TOPIC:0`, `TOPIC:0,3-5`. Kafka's topic names hold no colon (letters, digits, `.`, `_`, `-`), so the last
    /// colon splits.
    fn from_str(text: &str) -> Result<Self, String> {
        let (topic, list) = match text.rsplit_once(':') {
            None => (text, None),
            Some((topic, list)) => (topic, Some(list)),
        };
        if topic.is_empty() {
            return Err(format!("`{text}` names no topic"));
        }
        if topic.len() > 249
            || topic == "."
            || topic == ".."
            || !topic.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        {
            return Err(format!(
                "`{topic}` can't be a topic's name: Kafka allows letters, digits, `.`, `_` and `-`, 249 at most"
            ));
        }
        let partitions = match list {
            None => PartitionSet::All,
            Some(list) => PartitionSet::Only(
                partition_list(list).map_err(|why| format!("`{text}`: {why}; write partitions as `{topic}:0,3-5`"))?,
            ),
        };
        Ok(TopicSelection { topic: topic.to_owned(), partitions })
    }
}

impl fmt::Display for TopicSelection {
    /// As it is parsed: `orders`, `orders:0,3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.topic)?;
        if let PartitionSet::Only(partitions) = &self.partitions {
            for (index, partition) in partitions.iter().enumerate() {
                write!(f, "{}{partition}", if index == 0 { ':' } else { ',' })?;
            }
        }
        Ok(())
    }
}

impl PartitionSet {
    /// Whether the set holds this partition.
    pub fn contains(&self, partition: i32) -> bool {
        match self {
            PartitionSet::All => true,
            PartitionSet::Only(partitions) => partitions.contains(&partition),
        }
    }
}

fn partition_list(list: &str) -> Result<BTreeSet<i32>, String> {
    let number = |text: &str| -> Result<i32, String> {
        match text.trim().parse::<i32>() {
            Ok(n) if (0..=MAX_PARTITION).contains(&n) => Ok(n),
            _ => Err(format!("`{text}` is no partition number")),
        }
    };
    let mut partitions = BTreeSet::new();
    for item in list.split(',') {
        match item.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if first > last {
                    return Err(format!("the range `{item}` runs backwards"));
                }
                partitions.extend(first..=last);
            }
            None => {
                partitions.insert(number(item)?);
            }
        }
    }
    Ok(partitions)
}

/// What a broker tells of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicDescription {
    /// The topic's name.
    pub topic: String,
    /// Its id (KIP-516), which a topic of the same name made anew does not share; `None` from brokers older than 2.8.
    pub topic_id: Option<String>,
    /// Its partitions' numbers, ascending.
    pub partitions: Vec<i32>,
    /// The partitions that have no leader now.
    pub leaderless: BTreeSet<i32>,
    /// Whether Kafka itself keeps state in it.
    pub is_internal: bool,
}

impl TopicDescription {
    /// Whether it has this partition.
    pub fn has_partition(&self, partition: i32) -> bool {
        self.partitions.binary_search(&partition).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Vec<i32> {
        match text.parse::<TopicSelection>().unwrap().partitions {
            PartitionSet::All => panic!("all"),
            PartitionSet::Only(set) => set.into_iter().collect(),
        }
    }

    #[test]
    fn selections_name_partitions_and_ranges() {
        assert_eq!("orders".parse::<TopicSelection>().unwrap().partitions, PartitionSet::All);
        assert_eq!(only("orders:0"), [0]);
        assert_eq!(only("orders:0,3-5"), [0, 3, 4, 5]);
        assert_eq!(only("orders:5,3-5,4"), [3, 4, 5]);
    }

    #[test]
    fn a_list_that_names_nothing_is_refused_and_never_means_all() {
        for text in [
            "",
            ":0",
            "orders:",
            "orders:,",
            "orders:1,",
            "orders:5-3",
            "orders:-1",
            "orders:x",
            "orders:0-99999999",
            "a b",
            "a/b",
            "..",
        ] {
            assert!(text.parse::<TopicSelection>().is_err(), "{text}");
        }
    }

    #[test]
    fn partitions_are_ordered_by_topic_bytes_then_number() {
        let mut all = [
            TopicPartition::new("b", 0),
            TopicPartition::new("a", 10),
            TopicPartition::new("a", 9),
            TopicPartition::new("B", 3),
        ];
        all.sort();
        assert_eq!(all.map(|p| p.to_string()), ["B-3", "a-9", "a-10", "b-0"]);
    }
}
