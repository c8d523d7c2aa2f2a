//! What was given, by a file and by flags, before it is translated.

use crate::error::{Code, Error};

/// Where a property was given. Of two, the later variant wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// The profile, beside a file that `-F` or the environment names.
    Profile,
    /// `-F`.
    File,
    /// The profile, beside its own file.
    ProfileOverFile,
    /// `-X`.
    Flag,
    /// `-b`.
    Bootstrap,
}

#[derive(Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) origin: Origin,
}

/// All properties, each once, in the order in which they first came.
pub(super) struct Given<'a> {
    pub(super) entries: Vec<Entry>,
    pub(super) ignored: Vec<(String, String)>,
    pub(super) path: Option<&'a str>,
}

impl Given<'_> {
    /// Adds a property; one given before by the same or a weaker origin is replaced.
    pub(super) fn set(&mut self, key: &str, value: &str, origin: Origin) {
        match self.entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) if entry.origin > origin => {}
            Some(entry) => {
                entry.value = value.to_owned();
                entry.origin = origin;
            }
            None => self.entries.push(Entry { key: key.to_owned(), value: value.to_owned(), origin }),
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.entry(key).map(|entry| entry.value.as_str())
    }

    /// The property where it is given and not empty, as Java's clients take an empty location or password for none.
    pub(super) fn filled(&self, key: &str) -> Option<Entry> {
        self.entry(key).filter(|entry| !entry.value.is_empty()).cloned()
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at))
    }

    /// Leaves a property out, and says why.
    pub(super) fn ignore(&mut self, key: &str, why: &str) {
        if self.take(key).is_some() {
            self.ignored.push((key.to_owned(), why.to_owned()));
        }
    }

    /// Whether any of these is given by an origin at least as strong: a native property wins over a Java one beside it.
    pub(super) fn outranks<'k>(&self, natives: &[&'k str], java: Origin) -> Option<&'k str> {
        natives.iter().copied().find(|key| self.filled(key).is_some_and(|entry| entry.origin >= java))
    }

    /// Where a property stands, for a sentence: ` in `client.properties``, or nothing for a flag.
    pub(super) fn place(&self, origin: Origin) -> String {
        match (origin, self.path) {
            (Origin::File, Some(path)) => format!(" in `{path}`"),
            (Origin::Profile | Origin::ProfileOverFile, _) => " in the profile".to_owned(),
            _ => String::new(),
        }
    }

    /// An error about a property: of the file's content, or of the command line.
    pub(super) fn error(&self, origin: Origin, message: String) -> Error {
        let of_a_file = matches!(origin, Origin::File | Origin::Profile | Origin::ProfileOverFile);
        Error::new(if of_a_file { Code::BadFile } else { Code::Usage }, message)
    }
}
