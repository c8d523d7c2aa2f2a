//! Reports that were saved to a file, read again.

use crate::error::{Code, Error, Result};
use crate::report::{DescribeReport, ResetReport};
use std::path::Path;

/// A report that was read from a file.
pub enum Saved {
    Describe(Box<DescribeReport>),
    Reset(Box<ResetReport>),
}

/// Reads a report that krewind wrote.
pub fn read(path: &Path) -> Result<Saved> {
    parse(path, &bytes(path)?)
}

/// Takes the report from the file's bytes.
pub fn parse(path: &Path, text: &[u8]) -> Result<Saved> {
    let shown = path.display();
    let bad = |why: String| {
        Error::new(Code::BadFile, format!("`{shown}` {why}"))
            .hint("`krewind describe --save FILE` writes a snapshot, `krewind reset -o json` a report")
    };
    let value: serde_json::Value = serde_json::from_slice(text).map_err(|error| bad(format!("is no JSON: {error}")))?;
    let kind = value.get("kind").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let version = value.get("version").and_then(serde_json::Value::as_u64);
    if version != Some(u64::from(crate::report::VERSION)) {
        return Err(bad(match version {
            Some(version) => format!("has version {version}, and this krewind reads {}", crate::report::VERSION),
            None => "is no report of krewind".to_owned(),
        }));
    }
    let wrong = |error: serde_json::Error| bad(format!("is no whole report of kind `{kind}`: {error}"));
    match kind.as_str() {
        "describe" => Ok(Saved::Describe(Box::new(serde_json::from_value(value).map_err(wrong)?))),
        "reset" => Ok(Saved::Reset(Box::new(serde_json::from_value(value).map_err(wrong)?))),
        other => Err(bad(format!("is a report of kind `{other}`"))),
    }
}

/// The bytes of a file that was named on the command line.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| Error::new(Code::BadFile, format!("`{}` can't be read", path.display())).caused_by(error))
}

/// A line of a CSV file: its fields, and how its fault is told.
pub struct CsvLine<'a> {
    path: &'a Path,
    number: Option<usize>,
    hint: &'static str,
    /// The fields.
    pub record: csv::StringRecord,
}

impl CsvLine<'_> {
    /// The fault of this line, by its number: it refuses the whole file.
    pub fn bad(&self, why: String) -> Error {
        let shown = self.path.display();
        let place = self.number.map_or_else(|| format!("`{shown}`"), |number| format!("line {number} of `{shown}`"));
        Error::new(Code::BadFile, format!("{place} {why}")).hint(self.hint)
    }

    /// Whether it is a header: the first line, where it names a column.
    pub fn is_header(&self, index: usize) -> bool {
        index == 0 && self.record.iter().any(|field| field.trim().eq_ignore_ascii_case("partition"))
    }
}

/// The lines of a CSV file; comments, quotes, CRLF and blank lines are fine.
pub fn csv_lines<'a>(path: &'a Path, text: &'a [u8], hint: &'static str) -> impl Iterator<Item = Result<CsvLine<'a>>> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).comment(Some(b'#')).from_reader(text);
    reader.into_records().map(move |record| {
        let position = record.as_ref().ok().and_then(csv::StringRecord::position);
        let number = position.map(|position| line_of(text, position.byte()));
        let line = |record| CsvLine { path, number, hint, record };
        match record {
            Ok(record) => Ok(line(record)),
            Err(error) => Err(line(csv::StringRecord::new()).bad(format!("is no CSV: {error}"))),
        }
    })
}

/// The number of the line that a record stands in, whose position is that of the blank lines and comments before it.
fn line_of(text: &[u8], byte: u64) -> usize {
    let mut at = usize::try_from(byte).unwrap_or(text.len()).min(text.len());
    loop {
        match text.get(at) {
            Some(b'\r' | b'\n') => at += 1,
            Some(b'#') => at += text[at..].iter().position(|&byte| byte == b'\n').unwrap_or(text.len() - at),
            _ => return 1 + text[..at].iter().filter(|&&byte| byte == b'\n').count(),
        }
    }
}
