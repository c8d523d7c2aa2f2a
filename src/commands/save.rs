//! Files that reports are kept in and read back from.

use crate::error::{Code, Error, Result};
use std::io::Write;
use std::path::Path;

/// There is a file already.
pub fn exists(path: &Path) -> Error {
    Error::new(Code::TargetExists, format!("`{}` exists", path.display()))
        .hint("name another file, or remove that one: nothing is overwritten")
}

/// Writes a report to a new file, whole or not at all.
pub fn save(path: &Path, text: &str) -> Result<()> {
    let failed =
        |error: std::io::Error| Error::new(Code::Io, format!("`{}` can't be written", path.display())).caused_by(error);
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".krewind-").tempfile_in(directory).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist_noclobber(path).map_err(|error| {
        if error.error.kind() == std::io::ErrorKind::AlreadyExists { exists(path) } else { failed(error.error) }
    })?;
    Ok(())
}
