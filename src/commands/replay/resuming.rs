//! `--checkpoint`: whether what an earlier run left is of the same request, and still of the same topics.

use super::exit;
use crate::commands::Context;
use crate::error::{Code, Error, Exit, Result};
use crate::exec::gather;
use crate::exec::replay::checkpoint::CheckpointFile;
use crate::kafka::config::redact_command_line;
use crate::kafka::{BrokerFault, Client};
use crate::report::{Checkpoint, ReplayOutcome};
use crate::sink::{Begin, IfExists, SinkSpec};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What may differ when a run goes on: how it is read, not what.
const FREE: [&str; 9] =
    ["checkpoint", "rate", "buffer", "report", "stall_timeout", "wait_stable", "yes", "confirm", "into_command_config"];

/// A checkpoint in use.
pub struct Resuming {
    /// The file.
    pub file: CheckpointFile,
    /// What an earlier run left.
    pub saved: Option<Checkpoint>,
    /// What is asked for now.
    pub asked: BTreeMap<String, Vec<String>>,
}

impl Resuming {
    /// Takes the checkpoint, and refuses one of another request.
    pub fn open(context: &Context, path: &Path, into: &SinkSpec, if_exists: Option<IfExists>) -> Result<Self> {
        refuse_sink(into, if_exists)?;
        let mut asked = context.asked.clone();
        asked.retain(|name, _| !FREE.contains(&name.as_str()));
        if let (SinkSpec::Postgres(url), Some(into)) = (into, asked.get_mut("into")) {
            // All of it but the password: another host is another request.
            *into = vec![redact_command_line(std::slice::from_ref(url))];
        }
        let (file, saved) = CheckpointFile::open(path)?;
        if let Some(saved) = &saved {
            compare(path, &saved.asked, &asked)?;
        }
        Ok(Resuming { file, saved, asked })
    }

    /// How the sink begins.
    pub fn begin(&self) -> Begin<'_> {
        match self.saved.as_ref().and_then(|saved| saved.sink.place.as_ref()) {
            Some(place) => Begin::GoOn(place),
            None => Begin::Marked,
        }
    }

    /// Says that an earlier run did everything, where it did.
    pub fn ended(&self, context: &Context) -> Option<Exit> {
        let saved = self.saved.as_ref().filter(|saved| saved.complete || was_published(saved))?;
        let records: u64 = saved.partitions.iter().map(|part| part.counts.records).sum();
        context.ui.status(&format!(
            "the run of `{}` is complete: {records} records are in `{}`; nothing was read now",
            self.file.path().display(),
            saved.sink.target
        ));
        context.ui.hint("another checkpoint and another sink begin anew");
        Some(exit(ReplayOutcome::Complete))
    }

    /// Refuses to go on in another cluster, or in topics that were made anew.
    pub fn check(&self, client: &Client) -> Result<()> {
        use crate::kafka::Cluster;
        let Some(saved) = &self.saved else { return Ok(()) };
        let stale = |message: String| {
            Err(Error::new(Code::StalePlan, message)
                .hint("nothing was read; another checkpoint and another sink begin anew"))
        };
        let cluster = client.cluster_id()?;
        if cluster != saved.cluster_id {
            return stale(format!(
                "`{}` is of the cluster `{}`, and this one is `{cluster}`",
                self.file.path().display(),
                saved.cluster_id
            ));
        }
        let names: BTreeSet<&str> = saved.partitions.iter().map(|part| part.topic.as_str()).collect();
        let mut topics = gather::topics(client, &names);
        for part in &saved.partitions {
            match topics.entry(part.topic.clone()).or_insert_with(|| Err(BrokerFault::no_answer())) {
                Ok(now) if now.topic_id == part.topic_id => {}
                Ok(_) => return stale(format!("topic `{}` was deleted and made anew since", part.topic)),
                Err(fault) if fault.is_missing_topic() => {
                    return stale(format!("topic `{}` was deleted since", part.topic));
                }
                Err(fault) => return Err(fault.clone().into_error(&format!("describing topic `{}`", part.topic))),
            }
        }
        Ok(())
    }
}

/// Whether the run was killed between giving the file its name and saying so: all of the window is in it.
fn was_published(saved: &Checkpoint) -> bool {
    let Some(place) = saved.sink.place.as_ref().filter(|_| saved.is_read()) else { return false };
    let (Some(partial), Some(length)) = (place["partial"].as_str(), place["length"].as_u64()) else { return false };
    !Path::new(partial).exists()
        && Path::new(&saved.sink.target).metadata().is_ok_and(|metadata| metadata.len() == length)
}

/// Refuses sinks that can't go on where a killed run was.
fn refuse_sink(into: &SinkSpec, if_exists: Option<IfExists>) -> Result<()> {
    let refused = |what: &str, hint: &str| Err(Error::usage(format!("`--checkpoint` is not for {what}")).hint(hint));
    match (into, if_exists) {
        (SinkSpec::StandardOutput(_), _) => {
            refused("standard output: what its reader did with the records is not known", "name a file: `--into FILE`")
        }
        (SinkSpec::Parquet(_), _) => refused(
            "Parquet, whose file is readable only as a whole",
            "`--into FILE.jsonl.zst` or `.csv` goes on; a window of an hour at a time is done soon enough to be begun anew",
        ),
        (SinkSpec::Sqlite(_) | SinkSpec::Postgres(_), Some(IfExists::Append | IfExists::Replace)) => refused(
            "a table that takes records twice, or is replaced",
            "leave `--if-exists` out: what is there already is not added again",
        ),
        (SinkSpec::Text { .. }, Some(IfExists::Append)) => {
            refused("a file that is added to", "name a new file: `--into FILE`")
        }
        _ => Ok(()),
    }
}

/// Refuses another request than the one that the checkpoint is of.
fn compare(path: &Path, saved: &BTreeMap<String, Vec<String>>, asked: &BTreeMap<String, Vec<String>>) -> Result<()> {
    let names: BTreeSet<&String> = saved.keys().chain(asked.keys()).collect();
    let text =
        |values: Option<&Vec<String>>| values.map_or("nothing".to_owned(), |values| format!("`{}`", values.join(" ")));
    for name in names {
        let (before, now) = (saved.get(name), asked.get(name));
        if before != now {
            let flag = match name.as_str() {
                "topics" => "the topics".to_owned(),
                name => format!("`--{}`", name.replace('_', "-")),
            };
            return Err(Error::usage(format!(
                "`{}` is of another request: {flag} was {}, and is {}",
                path.display(),
                text(before),
                text(now)
            ))
            .hint("give the command of the first run again, or another checkpoint and another sink"));
        }
    }
    Ok(())
}
