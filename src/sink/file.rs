use super::IfExists;
use super::append::join;
use crate::error::{Code, Error, Result};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// A file in the making: it gets its name only when it is whole.
///
/// Until then it is called `NAME.partial-XXXXXX`, in the same directory. That name also stays where the run does not end well.
#[derive(Debug)]
pub struct FileTarget {
    target: PathBuf,
    file: Option<NamedTempFile>,
    then: Then,
    /// Its length when it was opened.
    length: u64,
    resumed: bool,
}

/// What becomes of a file that is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// It gets its name, which is no other's.
    Name,
    /// It takes the place of the file of that name.
    Replace,
    /// It is added to the file of that name, which has this length.
    Append(u64),
}

impl FileTarget {
    /// Begins a file that will be called `target`, which must not exist.
    pub fn create(target: &Path) -> Result<Self> {
        Self::open(target, IfExists::Fail)
    }

    /// Begins a file that will be called `target`, take its place, or be added to it ([`super::append`] looks whether it can be).
    pub fn open(target: &Path, if_exists: IfExists) -> Result<Self> {
        let then = then(target, if_exists)?;
        let (Some(name), directory) = (target.file_name(), directory(target)) else {
            return Err(Error::usage(format!("`{}` names no file", target.display()))
                .hint("a file's name is wanted, as in `--into orders.jsonl`"));
        };
        let mut prefix = name.to_os_string();
        prefix.push(".partial-");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // A temporary file is for its owner alone, which the result is not meant to be; the umask still takes its part.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        // As it is told to people, without `.` in it.
        let absolute = std::path::absolute(directory);
        let file = builder.tempfile_in(absolute.as_deref().unwrap_or(directory)).map_err(|error| {
            Error::new(Code::Io, format!("no file can be made in `{}`", directory.display()))
                .hint("the directory must exist and be writable")
                .caused_by(error)
        })?;
        Ok(FileTarget { target: target.to_owned(), file: Some(file), then, length: 0, resumed: false })
    }

    /// Goes on with the file `partial` of a run that ended early: what it has beyond `length` is cut off.
    pub fn resume(target: &Path, if_exists: IfExists, partial: &Path, length: u64) -> Result<Self> {
        let then = then(target, if_exists)?;
        let failed =
            |error| Error::new(Code::Io, format!("`{}` can't be gone on with", partial.display())).caused_by(error);
        let file = File::options().read(true).write(true).open(partial).map_err(failed)?;
        let found = file.metadata().map_err(failed)?.len();
        if found < length {
            return Err(Error::new(
                Code::BadFile,
                format!("`{}` has {found} bytes, and {length} were written", partial.display()),
            )
            .hint("it was changed since; begin anew"));
        }
        file.set_len(length).and_then(|()| file.sync_all()).map_err(failed)?;
        let path = TempPath::try_from_path(partial).map_err(failed)?;
        let mut file = NamedTempFile::from_parts(file, path);
        // Whatever goes wrong now, an earlier run's work stays.
        file.disable_cleanup(true);
        Ok(FileTarget { target: target.to_owned(), file: Some(file), then, length, resumed: true })
    }

    /// The name that it has until it is whole.
    pub fn partial(&self) -> Option<&Path> {
        self.file.as_ref().map(NamedTempFile::path)
    }

    /// Whether nothing was there before: neither in the file that this is added to, nor from an earlier run.
    pub fn begins(&self) -> bool {
        self.length == 0 && !matches!(self.then, Then::Append(1..))
    }

    /// From now on it stays, whatever becomes of this run: another one will go on with it.
    pub fn keep(&mut self) {
        self.resumed = true;
        if let Some(file) = &mut self.file {
            file.disable_cleanup(true);
        }
    }

    /// Whether another run began it, or will go on with it.
    pub fn was_resumed(&self) -> bool {
        self.resumed
    }

    /// The name that the file gets.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Makes the content safe on the disk and gives the file its name, or what else is to become of it. Where that name came into
    /// being meanwhile, both files stay, and the path of this one is returned with the error.
    pub fn publish(&mut self) -> std::result::Result<(), (Error, Option<PathBuf>)> {
        let Some(file) = self.file.take() else { return Ok(()) };
        if let Err(error) = file.as_file().sync_all() {
            return Err((self.failed(error), kept(file)));
        }
        let persisted = match self.then {
            Then::Append(length) => return join(&self.target, file, length),
            Then::Replace => file.persist(&self.target),
            Then::Name => file.persist_noclobber(&self.target),
        };
        match persisted {
            Ok(_) => {
                // The name too must survive a crash; a directory that can't be opened for that is no reason to fail.
                let _ = File::open(directory(&self.target)).and_then(|directory| directory.sync_all());
                Ok(())
            }
            Err(error) => {
                let exists = error.error.kind() == io::ErrorKind::AlreadyExists;
                let kept = kept(error.file);
                let place =
                    kept.as_ref().map_or(String::new(), |path| format!(", so the records are in `{}`", path.display()));
                let why = if exists {
                    Error::new(
                        Code::SinkFailed,
                        format!("`{}` came into being meanwhile{place}", self.target.display()),
                    )
                    .hint("it was left as it is; rename one of the two")
                } else {
                    Error::new(
                        Code::SinkFailed,
                        format!("the file could not be named `{}`{place}", self.target.display()),
                    )
                    .caused_by(error.error)
                };
                Err((why, kept))
            }
        }
    }

    /// Leaves what there is under its partial name; an empty one is removed.
    pub fn abandon(&mut self) -> Option<PathBuf> {
        let file = self.file.take()?;
        let empty = file.as_file().metadata().is_ok_and(|metadata| metadata.len() == 0);
        if empty { None } else { kept(file) }
    }

    /// Removes what there is.
    pub fn discard(&mut self) {
        self.file = None;
    }

    /// Another handle of the same file, for a thread that writes it.
    pub fn writer(&self) -> io::Result<File> {
        match &self.file {
            Some(file) => file.as_file().try_clone(),
            None => Err(io::Error::other("the file was ended")),
        }
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::new(Code::SinkFailed, format!("`{}` could not be written", self.target.display())).caused_by(error)
    }
}

impl Write for FileTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.as_file_mut().write(bytes),
            None => Err(io::Error::other("the file was ended")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is to become of a file whose target is there already, or not.
fn then(target: &Path, if_exists: IfExists) -> Result<Then> {
    // A link is followed where the file behind it is meant, and is in the way else.
    let Ok(found) = target.symlink_metadata() else { return Ok(Then::Name) };
    match if_exists {
        IfExists::Replace if found.is_file() => Ok(Then::Replace),
        IfExists::Append if found.is_file() => Ok(Then::Append(found.len())),
        IfExists::Replace | IfExists::Append => {
            Err(Error::new(Code::TargetExists, format!("`{}` is no ordinary file", target.display()))
                .hint("name a file; nothing was read"))
        }
        IfExists::Fail | IfExists::Upsert => Err(exists(target)),
    }
}

/// The error of a target that is there already.
pub fn exists(target: &Path) -> Error {
    Error::new(Code::TargetExists, format!("`{}` exists", target.display()))
        .hint("name another file, or move that one away; nothing was read")
}

pub(super) fn directory(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

pub(super) fn kept(file: NamedTempFile) -> Option<PathBuf> {
    file.keep().ok().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            directory.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        let mut target = FileTarget::create(&path).unwrap();
        target.write_all(b"1\n").unwrap();
        assert!(!path.exists());
        target.publish().unwrap();
        assert_eq!(names(directory.path()), ["a.jsonl"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"1\n");
    }

    #[test]
    fn what_exists_is_never_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        let mut target = FileTarget::create(&path).unwrap();
        target.write_all(b"new\n").unwrap();
        std::fs::write(&path, "old\n").unwrap();
        assert_eq!(FileTarget::create(&path).unwrap_err().code, Code::TargetExists);
        let (error, kept) = target.publish().unwrap_err();
        assert_eq!(error.code, Code::SinkFailed);
        assert_eq!(std::fs::read(&path).unwrap(), b"old\n");
        assert_eq!(std::fs::read(kept.unwrap()).unwrap(), b"new\n");
    }

    #[test]
    fn what_is_not_whole_keeps_its_partial_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        let mut target = FileTarget::create(&path).unwrap();
        target.write_all(b"1\n").unwrap();
        let kept = target.abandon().unwrap();
        assert!(kept.file_name().unwrap().to_str().unwrap().starts_with("a.jsonl.partial-"));
        assert_eq!(std::fs::read(&kept).unwrap(), b"1\n");
        assert!(!path.exists());
        // Nothing in it: nothing is left.
        std::fs::remove_file(kept).unwrap();
        assert_eq!(FileTarget::create(&path).unwrap().abandon(), None);
        assert!(names(directory.path()).is_empty());
    }
}
