//! What a replay that was killed goes on from: a file that is replaced each few seconds by what is safe in the sink then.

use crate::error::{Code, Error, Result};
use crate::model::TopicPartition;
use crate::plan::tally::Tally;
use crate::plan::window::Window;
use crate::report::{Checkpoint, CheckpointPartition, CheckpointSink, VERSION, WindowReport};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::drive::Part;
use super::{Captured, CapturedPartition};

/// Between two checkpoints: what a killed run does again at most.
const EVERY: Duration = Duration::from_secs(5);

/// The first one comes sooner.
const FIRST: Duration = Duration::from_secs(1);

/// A checkpoint's file, held by a lock against a second run.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    lock: Option<File>,
}

impl CheckpointFile {
    /// Takes the file, and reads what an earlier run left in it.
    pub fn open(path: &Path) -> Result<(Self, Option<Checkpoint>)> {
        let failed = |error: std::io::Error| {
            Error::new(Code::Io, format!("the checkpoint `{}` could not be read", path.display())).caused_by(error)
        };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok((CheckpointFile { path: path.to_owned(), lock: None }, None));
            }
            Err(error) => return Err(failed(error)),
        };
        match file.try_lock() {
            Ok(()) if is_the_same(&file, path) => {}
            Ok(()) | Err(TryLockError::WouldBlock) => {
                return Err(Error::new(Code::TargetExists, format!("another run works with `{}`", path.display()))
                    .hint("wait for it, or name another checkpoint and another sink"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let checkpoint: Checkpoint = serde_json::from_reader(&file).map_err(|error| {
            Error::new(Code::BadFile, format!("`{}` is no checkpoint", path.display()))
                .hint("name the file that the interrupted run named, or one that does not exist")
                .caused_by(error)
        })?;
        if checkpoint.kind != "checkpoint" || checkpoint.version != VERSION {
            return Err(Error::new(Code::BadFile, format!("`{}` is no checkpoint of this version", path.display())));
        }
        Ok((CheckpointFile { path: path.to_owned(), lock: Some(file) }, Some(checkpoint)))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the file at once, or not at all.
    fn write(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let failed = |error: std::io::Error| {
            Error::new(Code::Io, format!("the checkpoint `{}` could not be written", self.path.display()))
                .hint("what is in the sink already stays")
                .caused_by(error)
        };
        let text = serde_json::to_vec_pretty(checkpoint).map_err(|error| failed(error.into()))?;
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut file = tempfile::NamedTempFile::new_in(directory).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        // Held before it has the name, so that the name never leads to a file that is free.
        file.as_file().lock().map_err(failed)?;
        // The first one takes no other run's place.
        let kept = match &self.lock {
            Some(_) => file.persist(&self.path),
            None => file.persist_noclobber(&self.path),
        };
        self.lock = Some(kept.map_err(|error| failed(error.error))?);
        File::open(directory).and_then(|directory| directory.sync_all()).map_err(failed)
    }
}

/// Whether the name still leads to this file: another run may have replaced it before it was locked.
fn is_the_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.metadata()) {
        (Ok(held), Ok(named)) => (held.dev(), held.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// The windows of an earlier run, as it captured them.
pub fn captured(saved: &Checkpoint) -> Captured {
    let partitions = saved.partitions.iter().map(|part| CapturedPartition {
        partition: TopicPartition::new(part.topic.as_str(), part.partition),
        window: Window { start: part.start_offset, end: part.end_offset, reason: part.reason.clone() },
        high_watermark: part.high_watermark,
    });
    Captured {
        cluster_id: saved.cluster_id.clone(),
        captured_at: saved.captured_at,
        topic_ids: saved.partitions.iter().map(|part| (part.topic.clone(), part.topic_id.clone())).collect(),
        partitions: partitions.collect(),
    }
}

/// What an earlier run saw of each partition.
pub fn tallies(saved: &Checkpoint) -> BTreeMap<TopicPartition, Tally> {
    let of = |part: &CheckpointPartition| {
        let partition = TopicPartition::new(part.topic.as_str(), part.partition);
        (partition, Tally::resumed(part.start_offset, part.end_offset, part.next_offset, part.counts))
    };
    saved.partitions.iter().map(of).collect()
}

/// Keeps the checkpoint of a run.
pub struct Keeper {
    file: CheckpointFile,
    checkpoint: Checkpoint,
    last: Instant,
    /// The accounts when the sink was asked for its place; what it took until then is known when it answers.
    asked: Option<Vec<Tally>>,
    /// How many places this run kept; the first is where it began.
    kept: u32,
}

impl Keeper {
    /// A keeper for a run that begins, or goes on.
    pub fn new(
        file: CheckpointFile,
        saved: Option<Checkpoint>,
        asked: BTreeMap<String, Vec<String>>,
        captured: &Captured,
        window: WindowReport,
        (into, target): (&str, String),
    ) -> Self {
        let checkpoint = saved.unwrap_or_else(|| Checkpoint {
            kind: "checkpoint".to_owned(),
            version: VERSION,
            complete: false,
            asked,
            cluster_id: captured.cluster_id.clone(),
            captured_at: captured.captured_at,
            window,
            sink: CheckpointSink { into: into.to_owned(), target, place: None },
            partitions: captured
                .partitions
                .iter()
                .map(|part| CheckpointPartition {
                    topic: part.partition.topic.clone(),
                    topic_id: captured.topic_ids.get(&part.partition.topic).cloned().flatten(),
                    partition: part.partition.partition,
                    start_offset: part.window.start,
                    end_offset: part.window.end,
                    next_offset: part.window.start,
                    high_watermark: part.high_watermark,
                    counts: Default::default(),
                    reason: part.window.reason.clone(),
                })
                .collect(),
        });
        Keeper { file, checkpoint, last: Instant::now(), asked: None, kept: 0 }
    }

    /// The checkpoint's file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Whether the sink should be asked for its place now.
    pub(super) fn is_due(&self) -> bool {
        self.asked.is_none() && self.last.elapsed() >= if self.kept > 1 { EVERY } else { FIRST }
    }

    /// The sink is asked for its place.
    pub(super) fn asks(&mut self, parts: &[Part]) {
        self.asked = Some(parts.iter().map(|part| part.tally).collect());
    }

    /// The sink told its place: everything that was sent before it was asked is safe, and was acknowledged.
    pub(super) fn marked(&mut self, place: serde_json::Value, parts: &[Part]) -> Result<()> {
        let Some(asked) = self.asked.take() else { return Ok(()) };
        let by_partition: BTreeMap<&TopicPartition, (&Tally, &Part)> =
            parts.iter().zip(&asked).map(|(part, tally)| (&part.partition, (tally, part))).collect();
        for saved in &mut self.checkpoint.partitions {
            let partition = TopicPartition::new(saved.topic.as_str(), saved.partition);
            if let Some((tally, part)) = by_partition.get(&partition) {
                let taken = part.tally.counts();
                saved.next_offset = tally.next();
                saved.counts = tally.counts();
                (saved.counts.records, saved.counts.bytes) = (taken.records, taken.bytes);
            }
        }
        self.checkpoint.sink.place = Some(place);
        (self.last, self.kept) = (Instant::now(), self.kept + 1);
        self.file.write(&self.checkpoint)
    }

    /// The result was published.
    pub(super) fn completed(&mut self) -> Result<()> {
        self.checkpoint.complete = true;
        self.file.write(&self.checkpoint)
    }
}
