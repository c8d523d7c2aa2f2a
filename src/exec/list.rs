//! The groups of a cluster.

use crate::error::Result;
use crate::kafka::{BrokerFault, Cluster, ListedGroup, SilentBroker};
use crate::model::{GroupState, GroupType};
use std::collections::{BTreeMap, BTreeSet};

/// All groups of a cluster, and what may be missing.
#[derive(Debug, Clone)]
pub struct AllGroups {
    /// The groups, by name. Those that librdkafka hides from its list (share, streams and Connect groups) are told by what a
    /// describe says of them.
    pub groups: Vec<ListedGroup>,
    /// Brokers that did not list theirs.
    pub silent: Vec<SilentBroker>,
    /// Why names of hidden groups may be missing.
    pub names_fault: Option<BrokerFault>,
}

impl AllGroups {
    /// Whether every broker answered.
    pub fn is_whole(&self) -> bool {
        self.silent.is_empty() && self.names_fault.is_none()
    }
}

/// Lists the groups whose name is wanted: the brokers' lists and the list of all names at once, then a describe of the hidden ones.
pub fn all_groups<C: Cluster + ?Sized>(cluster: &C, wanted: impl Fn(&str) -> bool) -> Result<AllGroups> {
    let (listing, names) = std::thread::scope(|scope| {
        let names = scope.spawn(|| cluster.group_names());
        (cluster.list_groups(), names.join())
    });
    let listing = listing?;
    let (names, names_fault) = match names {
        Ok(names) => (names.names, names.fault),
        Err(_) => (BTreeSet::new(), Some(BrokerFault::no_answer())),
    };
    let mut groups: BTreeMap<String, ListedGroup> = listing
        .groups
        .into_iter()
        .filter(|listed| wanted(&listed.group))
        .map(|listed| (listed.group.clone(), listed))
        .collect();
    let hidden: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !groups.contains_key(*name) && wanted(name)).collect();
    let described = cluster.describe_groups(&hidden);
    for (name, answer) in hidden.into_iter().zip(described) {
        let (group_type, state, is_simple) = match answer {
            // A Connect cluster's group answers as a classic one.
            Ok(group) if !group.is_dead() => (group.group_type, group.state, group.is_simple),
            Ok(_) => (GroupType::Unmanaged, GroupState::Unknown, false),
            Err(_) => (GroupType::Unknown, GroupState::Unknown, false),
        };
        groups.insert(name.to_owned(), ListedGroup { group: name.to_owned(), group_type, state, is_simple });
    }
    // Where every broker listed its groups, a fault of the older call can only hide share, streams and Connect groups.
    Ok(AllGroups { groups: groups.into_values().collect(), silent: listing.silent, names_fault })
}
