//! Files that reports are kept in.

use crate::error::{Code, Error, Result};
use crate::sink::FileTarget;
use std::io::Write;

/// Writes a report to a file that was begun before, and gives it its name.
pub fn write(mut file: FileTarget, report: &str) -> Result<()> {
    file.write_all(report.as_bytes()).map_err(|error| {
        Error::new(Code::Io, format!("the report could not be written to `{}`", file.target().display()))
            .caused_by(error)
    })?;
    file.publish().map_err(|(error, _)| error)
}
