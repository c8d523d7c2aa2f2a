use super::encode::Encoder;
use super::{Sink, target_exists};
use crate::error::{Code, Error, Result};
use crate::model::Record;
use std::io::{ErrorKind, Stdout, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 256 * 1024;

/// Where lines go.
#[derive(Debug)]
pub enum Place {
    /// Standard output.
    Stdout(Stdout),
    /// A file that gets its name at the end.
    File {
        /// The name.
        path: PathBuf,
        /// The file until then, beside its place.
        file: tempfile::NamedTempFile,
    },
}

impl Place {
    /// A file that will be named `path`; refused where that exists.
    pub fn file(path: &Path) -> Result<Self> {
        if path.symlink_metadata().is_ok() {
            return Err(target_exists(path));
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let file = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".partial")
            .permissions(std::fs::Permissions::from_mode(0o666))
            .tempfile_in(directory)
            .map_err(|error| failed(path, error))?;
        Ok(Place::File { path: path.to_owned(), file })
    }
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::new(Code::SinkFailed, format!("`{}` can't be written", path.display())).caused_by(error)
}

/// JSON Lines.
#[derive(Debug)]
pub struct JsonLines {
    encoder: Encoder,
    buffer: Vec<u8>,
    place: Place,
}

impl JsonLines {
    /// Writes lines there.
    pub fn new(place: Place) -> Self {
        JsonLines { encoder: Encoder::default(), buffer: Vec::with_capacity(BUFFER + 4096), place }
    }
}

impl Sink for JsonLines {
    fn write(&mut self, record: &Record<'_>) -> Result<()> {
        self.encoder.line(&mut self.buffer, record);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let written = match &mut self.place {
            Place::Stdout(stdout) => {
                let mut stdout = stdout.lock();
                stdout.write_all(&self.buffer).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
                    ErrorKind::BrokenPipe => {
                        Error::new(Code::SinkClosed, "the reader of standard output left before the window's end")
                    }
                    _ => Error::new(Code::SinkFailed, "standard output can't be written").caused_by(error),
                })
            }
            Place::File { path, file } => file.write_all(&self.buffer).map_err(|error| failed(path, error)),
        };
        self.buffer.clear();
        written
    }

    fn finish(mut self: Box<Self>, whole: bool) -> Result<Option<PathBuf>> {
        let flushed = self.flush();
        let Place::File { path, file } = self.place else {
            return flushed.map(|()| None);
        };
        let whole = whole && flushed.is_ok();
        let synced = file.as_file().sync_all().map_err(|error| failed(&path, error));
        if whole && synced.is_ok() {
            file.persist_noclobber(&path).map_err(|error| match error.error.kind() {
                ErrorKind::AlreadyExists => {
                    // Somebody took the name meanwhile: what was read is kept beside it.
                    let kept = error.file.keep().map(|(_, kept)| kept.display().to_string()).unwrap_or_default();
                    let mut error = target_exists(&path).hint(format!("the records are in `{kept}`"));
                    error.exit = crate::error::Exit::Failed;
                    error
                }
                _ => failed(&path, error.error),
            })?;
            if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                let _ = std::fs::File::open(directory).and_then(|directory| directory.sync_all());
            }
            return Ok(None);
        }
        // Kept under a name that nobody takes for the whole.
        let mut partial = path.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let kept = match file.persist_noclobber(&partial) {
            Ok(_) => partial,
            Err(error) => error.file.keep().map(|(_, kept)| kept).map_err(|error| failed(&path, error.error))?,
        };
        flushed.and(synced).map(|()| Some(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TimestampType;

    fn record(offset: i64) -> Record<'static> {
        Record {
            topic: "t",
            partition: 0,
            offset,
            timestamp_ms: 0,
            timestamp_type: TimestampType::CreateTime,
            key: None,
            value: Some(b"v"),
            headers: &[],
        }
    }

    #[test]
    fn a_file_appears_under_its_name_only_when_it_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out.jsonl");
        let mut sink = Box::new(JsonLines::new(Place::file(&path).unwrap()));
        sink.write(&record(1)).unwrap();
        sink.flush().unwrap();
        assert!(!path.exists());
        assert_eq!(sink.finish(true).unwrap(), None);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
        assert_eq!(Place::file(&path).unwrap_err().code, Code::TargetExists);
        let names: Vec<_> = std::fs::read_dir(place.path()).unwrap().collect();
        assert_eq!(names.len(), 1);
    }

    #[test]
    fn what_is_not_whole_is_kept_under_another_name() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out.jsonl");
        let mut sink = Box::new(JsonLines::new(Place::file(&path).unwrap()));
        sink.write(&record(1)).unwrap();
        let kept = sink.finish(false).unwrap().unwrap();
        assert_eq!(kept, place.path().join("out.jsonl.partial"));
        assert!(!path.exists() && kept.exists());
    }

    #[test]
    fn a_name_taken_meanwhile_is_not_overwritten() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("out.jsonl");
        let mut sink = Box::new(JsonLines::new(Place::file(&path).unwrap()));
        sink.write(&record(1)).unwrap();
        std::fs::write(&path, "another's").unwrap();
        let error = sink.finish(true).unwrap_err();
        assert_eq!(error.code, Code::TargetExists);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "another's");
    }
}
