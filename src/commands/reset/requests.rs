//! From the arguments to what is asked of each group.

use super::file::{self, Rows};
use super::{NoCommitPolicy, NoRecordPolicy, OutOfRangePolicy, ResetArgs, SkipUnreadPolicy};
use crate::commands::{Context, merged};
use crate::error::{Code, Error, Result};
use crate::exec::gather::{self, Commit};
use crate::exec::reset::{Request, Scope};
use crate::kafka::Client;
use crate::model::{PartitionSet, TopicPartition};
use crate::offset::time::Moment;
use crate::offset::{NoCommit, NoRecord, OutOfRange, Policies, Target, time};
use crate::plan::reset::{Destination, Place, ResetSpec, SkipUnread};
use crate::report::TargetReport;
use std::collections::{BTreeMap, BTreeSet};

/// What the command line asks for, read and checked before anything is connected to.
pub struct Wanted {
    names: BTreeSet<String>,
    matching: Vec<glob::Pattern>,
    topics: BTreeMap<String, PartitionSet>,
    all_topics: bool,
    to: To,
    policies: Policies,
    skip_unread: SkipUnread,
    create_group: bool,
}

/// Where to, as far as the command line alone tells.
enum To {
    Rule(Target),
    Group(String),
    File { rows: Rows, name: String, cluster_id: Option<String> },
}

impl ResetArgs {
    /// Reads the arguments; the file too, where one is named.
    pub fn wanted(self, context: &Context) -> Result<Wanted> {
        let names: BTreeSet<String> = self.group.iter().chain(&self.named).cloned().collect();
        if names.contains("") {
            return Err(Error::usage("the group's name is empty").hint("`krewind list` shows the names"));
        }
        let moment = |text: &str| -> Result<Target> {
            let moment = time::parse(text, context.now, &context.zone)?;
            if moment.is_after(context.now) {
                return Err(Error::usage(format!(
                    "`{}` lies in the future: {}",
                    moment.text(),
                    moment.echo(context.now)
                ))
                .hint("`--to-latest` stands at the end, where the next record will be"));
            }
            Ok(Target::Timestamp(moment))
        };
        let to = if let Some(path) = &self.from_file {
            let contents = file::read(context, path)?;
            To::File { rows: contents.rows, name: path.display().to_string(), cluster_id: contents.cluster_id }
        } else if let Some(other) = &self.to_group {
            if names.contains(other) {
                return Err(Error::usage(format!("group `{other}` can't be moved to where it stands itself")));
            }
            To::Group(other.clone())
        } else if let Some(text) = &self.to_timestamp {
            To::Rule(moment(text)?)
        } else if let Some(text) = &self.by_duration {
            time::span(text)?;
            To::Rule(moment(text)?)
        } else if let Some(offset) = self.to_offset {
            To::Rule(Target::Offset(offset))
        } else if let Some(by) = self.shift_by {
            To::Rule(Target::ShiftBy(by))
        } else if self.to_current {
            To::Rule(Target::Current)
        } else if self.to_latest {
            To::Rule(Target::Latest)
        } else {
            To::Rule(Target::Earliest)
        };
        if let To::File { rows, name, .. } = &to
            && rows.contains_key(&None)
            && (names.len() != 1 || !self.matching.is_empty())
        {
            return Err(Error::usage(format!("`{name}` names no groups, so exactly one has to be named here")));
        }
        let policies = Policies {
            out_of_range: match self.out_of_range {
                OutOfRangePolicy::Fail => OutOfRange::Fail,
                OutOfRangePolicy::Clamp => OutOfRange::Clamp,
            },
            no_record: match self.no_record {
                NoRecordPolicy::Latest => NoRecord::Latest,
                NoRecordPolicy::Skip => NoRecord::Skip,
                NoRecordPolicy::Fail => NoRecord::Fail,
            },
            no_commit: match self.no_commit {
                NoCommitPolicy::Skip => NoCommit::Skip,
                NoCommitPolicy::UseEarliest => NoCommit::UseEarliest,
                NoCommitPolicy::UseLatest => NoCommit::UseLatest,
                NoCommitPolicy::Fail => NoCommit::Fail,
            },
        };
        let skip_unread = match self.skip_unread {
            None => SkipUnread::Ask,
            Some(SkipUnreadPolicy::Allow) => SkipUnread::Allow,
            Some(SkipUnreadPolicy::Keep) => SkipUnread::Keep,
        };
        Ok(Wanted {
            names,
            matching: self.matching,
            topics: merged(self.topic),
            all_topics: self.all_topics,
            to,
            policies,
            skip_unread,
            create_group: self.create_group,
        })
    }
}

impl Wanted {
    /// The groups that are named.
    pub fn names(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }

    /// The one moment that all partitions go to.
    pub fn moment(&self) -> Option<&Moment> {
        match &self.to {
            To::Rule(Target::Timestamp(moment)) => Some(moment),
            _ => None,
        }
    }

    /// What is asked of each group, by name, as the cluster is now.
    pub fn requests(&self, context: &Context, client: &Client) -> Result<Vec<Request>> {
        let groups = self.groups(context, client)?;
        let (policies, skip_unread, create_group) = (self.policies, self.skip_unread, self.create_group);
        let request = |group: &str, scope: Scope, destination: Destination| Request {
            group: group.to_owned(),
            scope,
            spec: ResetSpec { destination, policies, skip_unread },
            create_group,
        };
        match &self.to {
            To::Rule(target) => {
                let scope = if self.all_topics { Scope::AllTopics } else { Scope::Topics(self.topics.clone()) };
                let to = || Destination::One(target.clone());
                Ok(groups.iter().map(|group| request(group, scope.clone(), to())).collect())
            }
            To::Group(other) => {
                let rows = commits_of(client, other, &self.topics)?;
                let scope = if self.topics.is_empty() { scope_of(&rows) } else { Scope::Topics(self.topics.clone()) };
                let to = || Destination::Each {
                    rows: rows.clone(),
                    from: TargetReport::Group { group: other.clone() },
                    otherwise: format!("group `{other}` has no commit here"),
                };
                Ok(groups.iter().map(|group| request(group, scope.clone(), to())).collect())
            }
            To::File { rows, name, cluster_id } => {
                if let Some(id) = cluster_id.as_ref().filter(|id| *id != client.id()) {
                    let message = format!("`{name}` comes from cluster `{id}`, and this is `{}`", client.id());
                    return Err(Error::new(Code::BadFile, message).hint("offsets of another cluster mean nothing here"));
                }
                groups
                    .iter()
                    .map(|group| {
                        let mut rows = self.rows_of(rows, group, name)?;
                        if !self.topics.is_empty() {
                            rows.retain(|partition, _| selects(&self.topics, partition));
                        }
                        let (from, scope) = (TargetReport::File { file: name.clone() }, scope_of(&rows));
                        let otherwise = format!("not in `{name}`");
                        Ok(request(group, scope, Destination::Each { rows, from, otherwise }))
                    })
                    .collect()
            }
        }
    }

    fn rows_of(&self, rows: &Rows, group: &str, file: &str) -> Result<BTreeMap<TopicPartition, Place>> {
        // One group may be brought to where another one of the file stood only by its name: a file tells whose offsets they are.
        rows.get(&None).or_else(|| rows.get(&Some(group.to_owned()))).cloned().ok_or_else(|| {
            let there: Vec<String> = rows.keys().flatten().map(|name| format!("`{name}`")).collect();
            Error::new(Code::BadFile, format!("`{file}` has no rows of group `{group}`"))
                .hint(format!("it has rows of {}", there.join(", ")))
        })
    }

    fn groups(&self, context: &Context, client: &Client) -> Result<BTreeSet<String>> {
        let mut groups = self.names.clone();
        if !self.matching.is_empty() {
            groups.extend(crate::commands::choice::all_matching(client, &self.matching)?);
        }
        if let (To::File { rows, .. }, true) = (&self.to, groups.is_empty() && self.matching.is_empty()) {
            groups.extend(rows.keys().flatten().cloned());
        }
        if let To::Group(other) = &self.to
            && groups.remove(other)
        {
            context.ui.status(&format!("group `{other}` itself stays as it is"));
        }
        Ok(groups)
    }
}

fn selects(topics: &BTreeMap<String, PartitionSet>, partition: &TopicPartition) -> bool {
    match topics.get(&partition.topic) {
        None => false,
        Some(PartitionSet::All) => true,
        Some(PartitionSet::Only(numbers)) => numbers.contains(&partition.partition),
    }
}

fn scope_of(rows: &BTreeMap<TopicPartition, Place>) -> Scope {
    let mut topics: BTreeMap<String, PartitionSet> = BTreeMap::new();
    for partition in rows.keys() {
        let numbers = topics.entry(partition.topic.clone()).or_insert_with(|| PartitionSet::Only(BTreeSet::new()));
        if let PartitionSet::Only(numbers) = numbers {
            numbers.insert(partition.partition);
        }
    }
    Scope::Topics(topics)
}

/// The commits of another group, on these topics or on all of its own.
fn commits_of(
    client: &Client,
    group: &str,
    topics: &BTreeMap<String, PartitionSet>,
) -> Result<BTreeMap<TopicPartition, Place>> {
    if let Some(Err(error)) = gather::groups(client, &[group]).pop() {
        return Err(error);
    }
    let failed =
        |fault: crate::kafka::BrokerFault| fault.into_error(&format!("reading the commits of group `{group}`"));
    let commits = gather::all_commits(client, &[group])
        .pop()
        .unwrap_or_else(|| Err(crate::kafka::BrokerFault::no_answer()))
        .map_err(failed)?;
    let mut rows = BTreeMap::new();
    for (partition, commit) in commits {
        if !topics.is_empty() && !selects(topics, &partition) {
            continue;
        }
        match commit {
            Commit::Absent => {}
            Commit::Stands(commit) => {
                let place = Place { target: Target::Offset(commit.offset), metadata: Some(commit.metadata) };
                rows.insert(partition, place);
            }
            Commit::Failed(fault) => return Err(failed(fault)),
            Commit::Pending(_) => {
                let message = format!("an open transaction holds the commit of group `{group}` on `{partition}`");
                return Err(
                    Error::new(Code::PendingTransaction, message).hint("wait until it ends, then run this again")
                );
            }
        }
    }
    if rows.is_empty() {
        return Err(Error::new(Code::GroupNotFound, format!("group `{group}` has no commits to go by")));
    }
    Ok(rows)
}
