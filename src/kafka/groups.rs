use super::connect::Client;
use super::error::{BrokerFault, codes};
use super::ffi::{Fault, groups as ffi};
use crate::error::Result;
use crate::model::{Assignment, Coordinator, GroupDescription, GroupState, GroupType, Member};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Groups in flight at once.
const WINDOW: usize = 256;

/// How long a coordinator that moves or loads is waited for, within the timeout.
const COORDINATOR_PATIENCE: Duration = Duration::from_secs(20);

/// A listed group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGroup {
    /// The group's id.
    pub group: String,
    /// Its type.
    pub group_type: GroupType,
    /// Its state.
    pub state: GroupState,
    /// Whether its commits come from no member.
    pub is_simple: bool,
}

/// A broker that did not list its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SilentBroker {
    /// Its id.
    pub broker: i32,
    /// Why.
    pub fault: BrokerFault,
}

/// All groups that were listed, and each broker that did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupListing {
    /// The groups, by name.
    pub groups: Vec<ListedGroup>,
    /// Whose groups are missing.
    pub silent: Vec<SilentBroker>,
}

/// The names of all groups, whatever their kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupNames {
    /// The names.
    pub names: BTreeSet<String>,
    /// Why some may be missing.
    pub fault: Option<BrokerFault>,
}

impl Client {
    pub(super) fn listed_groups(&self) -> Result<GroupListing> {
        let timeout = self.connection().timeout;
        let brokers = self
            .ask(timeout, 1, |native, _| ffi::broker_ids(native, timeout))
            .map_err(|fault| self.explain(fault).into_error("asking for the cluster's brokers"))?;
        let answers = self.ask(timeout, WINDOW, |native, wait| ffi::list_groups(native, wait, &brokers));
        let mut groups = Vec::new();
        let mut silent = Vec::new();
        for (broker, answer) in brokers.into_iter().zip(answers) {
            match answer {
                Err(fault) => silent.push(SilentBroker { broker, fault: self.explain(fault) }),
                Ok(listed) => groups.extend(listed.into_iter().map(|listed| ListedGroup {
                    group: listed.group,
                    group_type: group_type(listed.group_type),
                    state: group_state(listed.state),
                    is_simple: listed.is_simple,
                })),
            }
        }
        groups.sort_by(|a, b| a.group.cmp(&b.group));
        // While a coordinator moves, two brokers may list the same group.
        groups.dedup_by(|a, b| a.group == b.group);
        silent.sort_by_key(|silent| silent.broker);
        Ok(GroupListing { groups, silent })
    }

    pub(super) fn all_group_names(&self) -> GroupNames {
        let timeout = self.connection().timeout;
        let (names, fault) = self.ask(timeout, 1, |native, _| ffi::legacy_group_names(native, timeout));
        GroupNames { names: names.into_iter().collect(), fault: fault.map(|fault| self.explain(fault)) }
    }

    pub(super) fn described_groups(&self, groups: &[&str]) -> Vec<Result<GroupDescription, BrokerFault>> {
        self.retry_coordinator(
            groups,
            |groups| {
                let answers = self.ask_each(groups, ffi::describe_groups);
                answers
                    .into_iter()
                    .zip(groups)
                    .map(|(answer, group)| match answer {
                        Ok(ffi::DescribedGroup { fault: Some(fault), .. }) if is_other_protocol(&fault) => {
                            Ok(unmanaged(group))
                        }
                        Ok(ffi::DescribedGroup { fault: Some(fault), .. }) | Err(fault) => Err(self.explain(fault)),
                        Ok(described) => Ok(description(described)),
                    })
                    .collect()
            },
            |answer| answer.as_ref().err().cloned(),
        )
    }

    /// Asks again for what met a coordinator that moves or loads, until the timeout; after NOT_COORDINATOR on a new handle.
    pub(super) fn retry_coordinator<Q: Copy, A>(
        &self,
        questions: &[Q],
        ask: impl Fn(&[Q]) -> Vec<A>,
        fault_of: impl Fn(&A) -> Option<BrokerFault>,
    ) -> Vec<A> {
        let deadline = Instant::now() + COORDINATOR_PATIENCE.min(self.connection().timeout);
        let mut answers: Vec<A> = ask(questions);
        let mut pause = Duration::from_millis(50);
        loop {
            let faults: Vec<(usize, BrokerFault)> = answers
                .iter()
                .enumerate()
                .filter_map(|(index, answer)| Some((index, fault_of(answer)?)))
                .filter(|(_, fault)| fault.is_coordinator_moving())
                .collect();
            if faults.is_empty() || Instant::now() + pause >= deadline {
                return answers;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(1));
            if faults.iter().any(|(_, fault)| fault.code == codes::NOT_COORDINATOR) {
                self.renew();
            }
            let again: Vec<Q> = faults.iter().map(|&(index, _)| questions[index]).collect();
            for ((index, _), answer) in faults.into_iter().zip(ask(&again)) {
                answers[index] = answer;
            }
        }
    }
}

/// Librdkafka describes no group whose protocol is another than `consumer`, such as a Connect cluster's, once it has members
/// (`rd_kafka_DescribeConsumerGroupsResponse_parse`).
fn is_other_protocol(fault: &Fault) -> bool {
    fault.code == codes::INVALID_ARG && fault.message.contains("is not a consumer group")
}

/// A group that can't be looked into.
fn unmanaged(group: &str) -> GroupDescription {
    GroupDescription {
        group: group.to_owned(),
        group_type: GroupType::Unmanaged,
        state: GroupState::Unknown,
        is_simple: false,
        assignor: None,
        coordinator: None,
        members: Vec::new(),
    }
}

fn group_type(number: u32) -> GroupType {
    match number {
        1 => GroupType::Consumer,
        2 => GroupType::Classic,
        _ => GroupType::Unknown,
    }
}

fn group_state(number: u32) -> GroupState {
    match number {
        1 => GroupState::PreparingRebalance,
        2 => GroupState::CompletingRebalance,
        3 => GroupState::Stable,
        4 => GroupState::Dead,
        5 => GroupState::Empty,
        _ => GroupState::Unknown,
    }
}

fn description(described: ffi::DescribedGroup) -> GroupDescription {
    let mut members: Vec<Member> = described
        .members
        .into_iter()
        .map(|member| {
            let mut topics: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
            for (topic, partition) in member.assignment {
                topics.entry(topic).or_default().insert(partition);
            }
            Member {
                member_id: member.member_id,
                instance_id: member.instance_id,
                client_id: member.client_id,
                host: member.host,
                assignment: topics
                    .into_iter()
                    .map(|(topic, partitions)| Assignment { topic, partitions: partitions.into_iter().collect() })
                    .collect(),
            }
        })
        .collect();
    members.sort_by(|a, b| a.member_id.cmp(&b.member_id));
    GroupDescription {
        group: described.group,
        group_type: group_type(described.group_type),
        state: group_state(described.state),
        is_simple: described.is_simple,
        assignor: Some(described.assignor).filter(|assignor| !assignor.is_empty()),
        coordinator: described.coordinator.map(|(id, host, port)| Coordinator { id, host, port }),
        members,
    }
}
