//! What a write replaces, on disk before it is replaced: a file per write in `$XDG_STATE_HOME/krewind/journal`, readable by its
//! owner alone.

use crate::error::{Code, Error, Result};
use crate::model::Timestamp;
use crate::report::{JournalEntry, JournalGroup, JournalState, VERSION};
use etcetera::BaseStrategy;
use std::fs::{DirBuilder, File};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The directory of the journal.
#[derive(Debug, Clone)]
pub struct Journal {
    directory: PathBuf,
}

impl Journal {
    /// The user's journal. Made where it is missing, so that a write never starts without one.
    pub fn open() -> Result<Self> {
        let base = etcetera::base_strategy::Xdg::new().ok().and_then(|xdg| xdg.state_dir()).ok_or_else(|| {
            Error::new(
                Code::Io,
                "there is no place for the journal: neither `XDG_STATE_HOME` nor a home directory is set",
            )
            .hint("set `XDG_STATE_HOME` to a directory that outlives this run")
        })?;
        Self::at(base.join("krewind").join("journal"))
    }

    /// The user's journal as it is; `None` where nothing was written yet.
    pub fn existing() -> Option<Self> {
        let base = etcetera::base_strategy::Xdg::new().ok().and_then(|xdg| xdg.state_dir())?;
        let directory = base.join("krewind").join("journal");
        directory.is_dir().then_some(Journal { directory })
    }

    /// All entries, the newest first, and what is wrong with the files that hold none.
    pub fn entries(&self) -> Result<(Vec<JournalEntry>, Vec<String>)> {
        self.entries_of(|_| true)
    }

    /// The entries whose end is not known, and what is wrong with files: every write asks for them, however many it has made.
    pub fn unended(&self) -> Result<(Vec<JournalEntry>, Vec<String>)> {
        let (mut entries, broken) = self.entries_of(|path| !has_ended(path))?;
        entries.retain(|entry| entry.state == JournalState::Begun);
        Ok((entries, broken))
    }

    fn entries_of(&self, wanted: impl Fn(&Path) -> bool) -> Result<(Vec<JournalEntry>, Vec<String>)> {
        let unreadable = |error: std::io::Error| {
            Error::new(Code::Io, format!("the journal at `{}` can't be read", self.directory.display()))
                .caused_by(error)
        };
        let (mut entries, mut broken) = (Vec::new(), Vec::new());
        for file in std::fs::read_dir(&self.directory).map_err(unreadable)? {
            let path = file.map_err(unreadable)?.path();
            // What a run that was cut off left half-written has another name.
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if hidden || path.extension().is_none_or(|extension| extension != "json") || !wanted(&path) {
                continue;
            }
            match Journal::read(&path) {
                Ok(entry) => entries.push(entry),
                Err(error) => broken.push(error.message),
            }
        }
        entries.sort_by(|a, b| (b.begun_at, &b.id).cmp(&(a.begun_at, &a.id)));
        broken.sort();
        Ok((entries, broken))
    }

    /// The entry in this file.
    pub fn read(path: &Path) -> Result<JournalEntry> {
        let bad = |why: String| Error::new(Code::BadFile, format!("`{}` {why}", path.display()));
        let text = std::fs::read(path).map_err(|error| bad(format!("can't be read: {error}")))?;
        let entry: JournalEntry =
            serde_json::from_slice(&text).map_err(|error| bad(format!("is no journal of a write: {error}")))?;
        if entry.kind != "journal" || entry.version != VERSION {
            return Err(bad(format!("is no journal of a write that this krewind reads (version {})", entry.version)));
        }
        Ok(entry)
    }

    /// Notes that a group's write was taken back by another one. Where that write took back a third, the third stands again.
    /// A journal that lies elsewhere keeps what it says.
    pub fn mark_undone(&self, id: &str, group: &str, by: &str) -> Result<()> {
        let (mut id, mut by) = (id.to_owned(), Some(by.to_owned()));
        let mut seen = Vec::new();
        while self.path(&id).exists() && !seen.contains(&id) {
            let undone = self.change(&id, group, |journalled| journalled.undone_by.clone_from(&by))?;
            by = if by.is_some() { None } else { Some(id.clone()) };
            seen.push(id);
            let Some(undone) = undone else { break };
            id = undone;
        }
        Ok(())
    }

    /// Notes that nothing of a group's write is left to take back.
    pub fn mark_settled(&self, id: &str, group: &str) -> Result<()> {
        if self.path(id).exists() {
            self.change(id, group, |journalled| journalled.settled = true)?;
        }
        Ok(())
    }

    /// Changes a group of an entry; the write that the entry's own took back.
    fn change(&self, id: &str, group: &str, change: impl Fn(&mut JournalGroup)) -> Result<Option<String>> {
        let mut entry = Journal::read(&self.path(id))?;
        entry.groups.iter_mut().filter(|journalled| journalled.group == group).for_each(change);
        self.save(&entry)?;
        Ok(entry.undoes)
    }

    /// The journal in this directory.
    pub fn at(directory: PathBuf) -> Result<Self> {
        let journal = Journal { directory };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&journal.directory)
            .map_err(|error| journal.failed(&journal.directory, error))?;
        // Found out now rather than after the question: a directory that can't be written to.
        tempfile::tempfile_in(&journal.directory).map_err(|error| journal.failed(&journal.directory, error))?;
        Ok(journal)
    }

    /// A new id: the moment, and letters that tell two writes of one second apart.
    pub fn new_id(&self, now: Timestamp) -> Result<String> {
        let moment: String = now.to_string().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let moment = moment.get(..15).unwrap_or(&moment).to_owned();
        for _ in 0..100 {
            let file = tempfile::Builder::new()
                .prefix("")
                .rand_bytes(6)
                .tempfile_in(&self.directory)
                .map_err(|error| self.failed(&self.directory, error))?;
            let random =
                file.path().file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
            let id = format!("{moment}-{random}");
            if !self.path(&id).exists() {
                return Ok(id);
            }
        }
        Err(Error::new(Code::Internal, "no free name for a journal file was found"))
    }

    /// Where the entry of this id lies.
    pub fn path(&self, id: &str) -> PathBuf {
        self.directory.join(format!("{id}.json"))
    }

    /// Writes an entry, whole or not at all, and waits until the disk has it.
    pub fn save(&self, entry: &JournalEntry) -> Result<PathBuf> {
        let path = self.path(&entry.id);
        let text = serde_json::to_vec_pretty(entry)
            .map_err(|error| Error::new(Code::Internal, "the journal's entry could not be made").caused_by(error))?;
        let save = || -> std::io::Result<()> {
            let mut file = tempfile::Builder::new()
                .prefix(".krewind-")
                .permissions(std::fs::Permissions::from_mode(0o600))
                .tempfile_in(&self.directory)?;
            file.write_all(&text)?;
            file.write_all(b"\n")?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            // The name too must survive a power cut.
            File::open(&self.directory)?.sync_all()
        };
        save().map_err(|error| self.failed(&path, error))?;
        Ok(path)
    }

    fn failed(&self, path: &Path, error: std::io::Error) -> Error {
        Error::new(Code::Io, format!("the journal at `{}` can't be written", path.display()))
            .hint("without it a write could not be taken back; `XDG_STATE_HOME` names another place")
            .caused_by(error)
    }
}

/// Whether the entry in this file begins as [`Journal::save`] writes one that ended. Any other file has to be read whole: the
/// rows of ten thousand partitions, to learn what stands above them.
fn has_ended(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut head));
    let head = String::from_utf8_lossy(&head);
    // No text of a person stands above the state.
    let above = head.split("\"begun_at\"").next().unwrap_or_default();
    read.is_ok() && above.contains("\n  \"state\": \"ended\",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> JournalEntry {
        JournalEntry {
            kind: "journal".to_owned(),
            version: VERSION,
            id: id.to_owned(),
            state: JournalState::Begun,
            begun_at: Timestamp(1_796_119_200_000),
            ended_at: None,
            user: None,
            command: "krewind reset g".to_owned(),
            cluster_id: "c".to_owned(),
            bootstrap_servers: "b:9092".to_owned(),
            undoes: None,
            groups: Vec::new(),
        }
    }

    #[test]
    fn an_entry_is_saved_whole_private_and_again() {
        let place = tempfile::tempdir().unwrap();
        let journal = Journal::at(place.path().join("a/journal")).unwrap();
        let id = journal.new_id(Timestamp(1_796_119_200_000)).unwrap();
        assert!(id.starts_with("20261201T100000-"), "{id}");
        let path = journal.save(&entry(&id)).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let ended = JournalEntry { state: JournalState::Ended, ..entry(&id) };
        journal.save(&ended).unwrap();
        let back: JournalEntry = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(back, ended);
        let names: Vec<_> = std::fs::read_dir(place.path().join("a/journal")).unwrap().collect();
        assert_eq!(names.len(), 1);

        // Only what has not ended is read whole; another hand may have written it otherwise.
        assert!(has_ended(&path));
        assert_eq!(journal.unended().unwrap(), (Vec::new(), Vec::new()));
        let other = JournalEntry { command: "\n  \"state\": \"ended\",".to_owned(), ..entry("other") };
        journal.save(&other).unwrap();
        std::fs::write(journal.path("compact"), serde_json::to_vec(&entry("compact")).unwrap()).unwrap();
        std::fs::write(journal.path("broken"), "{").unwrap();
        let (unended, broken) = journal.unended().unwrap();
        let ids: Vec<&str> = unended.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!((ids, broken.len()), (vec!["other", "compact"], 1));
    }

    #[test]
    fn a_journal_that_cannot_be_made_is_an_error_that_names_the_way_out() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = Journal::at(file.join("journal")).unwrap_err();
        assert_eq!(error.code, Code::Io);
        assert!(error.hints[0].contains("XDG_STATE_HOME"));
    }
}
