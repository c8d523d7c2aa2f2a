//! Which groups are meant: named, matched, all, or picked from a list.

use super::Context;
use crate::cli::GroupChoice;
use crate::error::{Code, Error, Result};
use crate::exec::list::{AllGroups, all_groups};
use crate::kafka::{Client, ListedGroup};
use crate::model::GroupState;
use crate::report::{Incomplete, Warning};
use std::collections::{BTreeSet, HashMap};

/// The groups, and what a listing told.
pub struct Chosen {
    /// Their names, sorted.
    pub groups: Vec<String>,
    /// Groups that a listing called Empty.
    pub empty: HashMap<String, ListedGroup>,
    /// Whether exactly one was named, and nothing else: its failure is the run's.
    pub only: bool,
    /// Brokers whose groups may be missing.
    pub incomplete: Vec<Incomplete>,
}

impl GroupChoice {
    /// Fails before a connection is made where nothing is named and nobody can be asked.
    pub fn check(&self, context: &Context) -> Result<()> {
        if self.groups.iter().chain(&self.named).any(String::is_empty) {
            return Err(Error::usage("a group's name is empty").hint("name a group, or use `--all-groups`"));
        }
        let names_some = !self.groups.is_empty() || !self.named.is_empty();
        if !names_some && !self.all_groups && self.matching.is_empty() && !context.ui.can_ask() {
            return Err(Error::usage("no group is named")
                .hint("name one (`GROUP` or `--group GROUP`), or use `--all-groups` or `--matching GLOB`"));
        }
        Ok(())
    }

    /// Resolves the choice against the cluster.
    pub fn resolve(&self, context: &Context, client: &Client) -> Result<Chosen> {
        let mut names: BTreeSet<String> = self.groups.iter().chain(&self.named).cloned().collect();
        if self.all_groups || !self.matching.is_empty() {
            let wanted = |name: &str| self.all_groups || self.matching.iter().any(|glob| glob.matches(name));
            let all = all_groups(client, wanted)?;
            let incomplete = incomplete(&all);
            let mut empty = HashMap::new();
            for listed in all.groups {
                if listed.state == GroupState::Empty {
                    empty.insert(listed.group.clone(), listed.clone());
                }
                names.insert(listed.group);
            }
            return Ok(Chosen { groups: names.into_iter().collect(), empty, only: false, incomplete });
        }
        if names.is_empty() {
            names.insert(pick(context, client)?);
        }
        let only = names.len() == 1;
        Ok(Chosen { groups: names.into_iter().collect(), empty: HashMap::new(), only, incomplete: Vec::new() })
    }
}

/// Lets a person pick one of the cluster's groups.
fn pick(context: &Context, client: &Client) -> Result<String> {
    let all = all_groups(client, |_| true)?;
    for silent in incomplete(&all) {
        context.ui.warn(&incomplete_message(&silent));
    }
    let names: Vec<String> = all.groups.into_iter().map(|listed| listed.group).collect();
    if names.is_empty() {
        return Err(Error::usage("the cluster has no consumer groups to choose from"));
    }
    let picked = context.ui.choose("group", &names)?;
    names
        .into_iter()
        .nth(picked)
        .ok_or_else(|| Error::usage("no group was chosen").hint("name one: `GROUP` or `--group GROUP`"))
}

/// The groups whose name matches, for a write: a list that may lack some is refused.
pub fn all_matching(client: &Client, globs: &[glob::Pattern]) -> Result<Vec<String>> {
    let all = all_groups(client, |name| globs.iter().any(|glob| glob.matches(name)))?;
    // A group that is not listed would be left out without a word.
    if let Some(missing) = incomplete(&all).first() {
        return Err(Error::new(Code::TimedOut, incomplete_message(missing)).hint("name the groups with `--group`"));
    }
    Ok(all.groups.into_iter().map(|listed| listed.group).collect())
}

/// Which brokers did not list their groups.
pub fn incomplete(all: &AllGroups) -> Vec<Incomplete> {
    let mut incomplete: Vec<Incomplete> = all
        .silent
        .iter()
        .map(|silent| Incomplete { broker: Some(silent.broker), reason: silent.fault.to_string() })
        .collect();
    if incomplete.is_empty()
        && let Some(fault) = &all.names_fault
    {
        incomplete.push(Incomplete { broker: None, reason: fault.to_string() });
    }
    incomplete
}

/// A sentence for a broker that did not answer.
pub fn incomplete_message(incomplete: &Incomplete) -> String {
    let who = incomplete.broker.map_or_else(|| "a broker".to_owned(), |broker| format!("broker {broker}"));
    format!("{who} did not list its groups, so some may be missing: {}", incomplete.reason)
}

/// The same as a report's warning.
pub fn incomplete_warning(incomplete: &Incomplete) -> Warning {
    Warning {
        code: "incomplete".to_owned(),
        message: incomplete_message(incomplete),
        group: None,
        topic: None,
        partition: None,
    }
}
