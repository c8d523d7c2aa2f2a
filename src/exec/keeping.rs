//! What a plan should say beyond its rows: how long records and commits are kept, and what it does not reach.

use super::reset::{Look, Request, Scope};
use crate::kafka::{BrokerFault, Cluster, OffsetSpec};
use crate::model::{Timestamp, TopicPartition};
use crate::plan::keeping::{self, COMMIT_RETENTION, TOPIC_SETTINGS, TopicRetention};
use crate::report::{Action, Warning};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// First records whose time is looked up, of each topic: by time a broker looks into the log itself.
const LOOKUPS: usize = 20;

/// The warnings of these plans. What can't be asked is said as not known; it never keeps a plan from being made.
pub fn warnings<C: Cluster + ?Sized>(cluster: &C, looks: &[(Request, Look)], now: Timestamp) -> Vec<Warning> {
    let moving: Vec<&(Request, Look)> =
        looks.iter().filter(|(_, look)| look.planned.rows.iter().any(|row| row.action == Action::Move)).collect();
    let mut warnings = Vec::new();
    let limited = cluster.is_restricted() == Some(true);
    for (request, look) in looks.iter().filter(|(request, _)| request.scope == Scope::AllTopics) {
        warnings.extend(keeping::without_commit(&request.group, &look.planned.rows));
        if limited {
            warnings.push(keeping::limited(&request.group));
        }
    }
    if moving.is_empty() {
        return warnings;
    }
    let topics: BTreeSet<&str> = moving
        .iter()
        .flat_map(|(_, look)| &look.planned.rows)
        .filter(|row| row.action == Action::Move)
        .map(|row| row.topic.as_str())
        .collect();
    let topics: Vec<&str> = topics.into_iter().collect();
    let (settings, minutes, names, times) = std::thread::scope(|scope| {
        let minutes = scope.spawn(|| commit_retention(cluster, &moving));
        let names = scope.spawn(|| cluster.topic_names());
        let times = scope.spawn(|| first_times(cluster, &moving));
        let settings = cluster.topic_settings(&topics, &TOPIC_SETTINGS);
        let names = names.join().unwrap_or_else(|_| Err(BrokerFault::no_answer()));
        (settings, minutes.join().unwrap_or_default(), names, times.join().unwrap_or_default())
    });
    let retention: BTreeMap<String, Result<TopicRetention, String>> = topics
        .iter()
        .zip(settings)
        .map(|(topic, settings)| {
            let retention = settings
                .map_err(|fault| format!("its settings can't be read ({})", fault.name))
                .and_then(|settings| TopicRetention::of(&settings).ok_or_else(|| "the broker did not tell".to_owned()));
            ((*topic).to_owned(), retention)
        })
        .collect();
    let names = names.map_err(|fault| fault.to_string());
    for (request, look) in moving {
        warnings.extend(keeping::records(&request.group, &look.planned.rows, &retention, &times, now));
        let coordinator = look.description.coordinator.as_ref().map(|node| node.id);
        let unknown = || Err("its coordinator is not known".to_owned());
        let minutes = coordinator.map_or_else(unknown, |id| minutes.get(&id).cloned().unwrap_or_else(unknown));
        warnings.extend(keeping::commits(&look.description, &minutes));
        warnings.extend(keeping::streams(&request.group, &names));
    }
    warnings
}

/// `offsets.retention.minutes` of the coordinators, by their ids.
fn commit_retention<C: Cluster + ?Sized>(
    cluster: &C,
    moving: &[&(Request, Look)],
) -> HashMap<i32, Result<i64, String>> {
    let coordinators: BTreeSet<i32> =
        moving.iter().filter_map(|(_, look)| look.description.coordinator.as_ref()).map(|node| node.id).collect();
    let asked = |id: i32| {
        let settings = cluster.broker_settings(id, &[COMMIT_RETENTION]);
        let settings = settings.map_err(|fault| format!("the broker's settings can't be read ({})", fault.name))?;
        let minutes = settings.get(COMMIT_RETENTION).and_then(|minutes| minutes.parse().ok());
        minutes.ok_or_else(|| "the broker did not tell".to_owned())
    };
    coordinators.into_iter().map(|id| (id, asked(id))).collect()
}

/// The times of the first records of some partitions that go to their log start.
fn first_times<C: Cluster + ?Sized>(cluster: &C, moving: &[&(Request, Look)]) -> HashMap<TopicPartition, Timestamp> {
    let partitions: BTreeSet<TopicPartition> =
        moving.iter().flat_map(|(_, look)| keeping::to_look_up(&look.planned.rows, LOOKUPS)).collect();
    if partitions.is_empty() {
        return HashMap::new();
    }
    let queries: Vec<(TopicPartition, OffsetSpec)> =
        partitions.into_iter().map(|partition| (partition, OffsetSpec::AtTime(0))).collect();
    let answers = cluster.list_offsets(&queries);
    let found = |answer: Result<Option<crate::kafka::FoundOffset>, BrokerFault>| answer.ok().flatten()?.timestamp_ms;
    queries
        .into_iter()
        .zip(answers)
        .filter_map(|((partition, _), answer)| Some((partition, Timestamp(found(answer)?))))
        .collect()
}
