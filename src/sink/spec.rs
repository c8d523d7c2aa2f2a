//! Where records go, as a person says it.

use crate::error::{Error, Result};
use std::path::PathBuf;

/// A sink, parsed; nothing was opened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SinkSpec {
    /// Lines of text on standard output.
    StandardOutput(TextForm),
    /// Lines of text in a file.
    Text {
        /// The lines' form.
        form: TextForm,
        /// How the file is compressed.
        compression: Compression,
        /// The file.
        path: PathBuf,
    },
    /// A Parquet file.
    Parquet(PathBuf),
    /// A table of an SQLite database.
    Sqlite(PathBuf),
    /// A table of a PostgreSQL database: its URL, which may hold a password.
    Postgres(String),
    /// A topic.
    Topic {
        /// Another cluster's bootstrap servers; `None` is the cluster that is read.
        bootstrap: Option<String>,
        /// The topic's name.
        topic: String,
    },
    /// Nowhere: records are read and counted.
    Null,
}

/// How a file's bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// Gzip, `.gz`.
    Gzip,
    /// Zstandard, `.zst`.
    Zstd,
}

/// A form of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values, with a header.
    Csv,
}

/// What a file's or a table's being there already means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// Nothing is read.
    Fail,
    /// The new result takes its place once it is whole.
    Replace,
    /// Records are added.
    Append,
    /// Records are added that are not there yet, by topic, partition and offset.
    Upsert,
}

/// The form of a file, where its name does not tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntoFormat {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values.
    Csv,
    /// Parquet.
    Parquet,
    /// An SQLite database.
    Sqlite,
}

/// How the bytes of a key or a value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text; what is not UTF-8 ends the run.
    String,
    /// Bytes: base64 in text, the database's own type in tables.
    Bytes,
    /// JSON, as it is; what is not JSON ends the run.
    Json,
}

/// The formats of keys and values; `None` is the sink's own choice: in JSON Lines text where it is UTF-8, else base64; in CSV text;
/// in Parquet and tables bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Formats {
    /// Of keys.
    pub key: Option<Format>,
    /// Of values.
    pub value: Option<Format>,
}

impl SinkSpec {
    /// Reads a path or URL; `format` overrides what the ending says.
    pub fn parse(text: &str, format: Option<IntoFormat>) -> Result<Self> {
        let url =
            text == "null" || ["kafka:", "postgres:", "postgresql:"].iter().any(|scheme| text.starts_with(scheme));
        if url && format.is_some() {
            return Err(Error::usage(format!("`--into-format` says nothing about `{}`", shown(text)))
                .hint("it tells the form of a file, or of standard output"));
        }
        if text == "null" {
            return Ok(SinkSpec::Null);
        }
        if let Some(rest) = text.strip_prefix("kafka:") {
            return topic(text, rest);
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(SinkSpec::Postgres(text.to_owned()));
        }
        if text == "-" {
            return match format {
                None | Some(IntoFormat::Jsonl) => Ok(SinkSpec::StandardOutput(TextForm::Jsonl)),
                Some(IntoFormat::Csv) => Ok(SinkSpec::StandardOutput(TextForm::Csv)),
                Some(IntoFormat::Parquet | IntoFormat::Sqlite) => {
                    Err(Error::usage("standard output takes `jsonl` or `csv`").hint("name a file with `--into FILE`"))
                }
            };
        }
        let path = PathBuf::from(text);
        let (name, compression) = match text.rsplit_once('.') {
            Some((name, "gz")) => (name, Compression::Gzip),
            Some((name, "zst")) => (name, Compression::Zstd),
            _ => (text, Compression::None),
        };
        let ending = match name.rsplit_once('.') {
            Some((_, "jsonl")) => Some(IntoFormat::Jsonl),
            Some((_, "csv")) => Some(IntoFormat::Csv),
            Some((_, "parquet")) => Some(IntoFormat::Parquet),
            Some((_, "sqlite" | "sqlite3" | "db")) => Some(IntoFormat::Sqlite),
            _ => None,
        };
        match (format.or(ending), compression) {
            (Some(IntoFormat::Jsonl), compression) => Ok(SinkSpec::Text { form: TextForm::Jsonl, compression, path }),
            (Some(IntoFormat::Csv), compression) => Ok(SinkSpec::Text { form: TextForm::Csv, compression, path }),
            (Some(IntoFormat::Parquet), Compression::None) => Ok(SinkSpec::Parquet(path)),
            (Some(IntoFormat::Sqlite), Compression::None) => Ok(SinkSpec::Sqlite(path)),
            (Some(IntoFormat::Parquet | IntoFormat::Sqlite), _) => {
                Err(Error::usage(format!("`{text}`: Parquet and SQLite files are not compressed as a whole"))
                    .hint("leave the `.gz` or `.zst` off; Parquet compresses its columns itself"))
            }
            (None, _) => Err(Error::usage(format!("`{}` is no sink that is known", shown(text))).hint(
                "a file's name ends in `.jsonl`, `.csv` (also `.gz`, `.zst`), `.parquet`, `.sqlite` or `.db`, or give \
                 `--into-format`; others are `-`, `null`, `kafka:TOPIC`, `postgres://…`",
            )),
        }
    }
}

/// What may hold a password, without it.
fn shown(text: &str) -> String {
    if text.contains('@') && text.contains(':') { super::without_password(text) } else { text.to_owned() }
}

/// `TOPIC` or `//host:port,host:port/TOPIC`.
fn topic(text: &str, rest: &str) -> Result<SinkSpec> {
    let (bootstrap, topic) = match rest.strip_prefix("//") {
        None => (None, rest),
        Some(rest) => match rest.split_once('/') {
            Some((servers, topic)) if !servers.is_empty() => (Some(servers.to_owned()), topic),
            _ => ("".to_owned().into(), ""),
        },
    };
    if topic.is_empty() || topic.contains('/') || bootstrap.as_deref() == Some("") {
        return Err(Error::usage(format!("`{text}` names no topic"))
            .hint("`kafka:TOPIC` on the same cluster, `kafka://host:port/TOPIC` on another"));
    }
    Ok(SinkSpec::Topic { bootstrap, topic: topic.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_urls_tell_the_sink() {
        let text = |form, compression, path: &str| SinkSpec::Text { form, compression, path: path.into() };
        let of = |text: &str| SinkSpec::parse(text, None).unwrap();
        assert_eq!(of("-"), SinkSpec::StandardOutput(TextForm::Jsonl));
        assert_eq!(of("a/b.jsonl"), text(TextForm::Jsonl, Compression::None, "a/b.jsonl"));
        assert_eq!(of("b.jsonl.zst"), text(TextForm::Jsonl, Compression::Zstd, "b.jsonl.zst"));
        assert_eq!(of("b.csv.gz"), text(TextForm::Csv, Compression::Gzip, "b.csv.gz"));
        assert_eq!(of("b.parquet"), SinkSpec::Parquet("b.parquet".into()));
        for name in ["b.db", "b.sqlite", "b.sqlite3"] {
            assert_eq!(of(name), SinkSpec::Sqlite(name.into()));
        }
        assert_eq!(of("null"), SinkSpec::Null);
        assert_eq!(of("kafka:copy"), SinkSpec::Topic { bootstrap: None, topic: "copy".to_owned() });
        assert_eq!(
            of("kafka://a:1,b:2/copy"),
            SinkSpec::Topic { bootstrap: Some("a:1,b:2".to_owned()), topic: "copy".to_owned() }
        );
        assert_eq!(of("postgres://u@h/d"), SinkSpec::Postgres("postgres://u@h/d".to_owned()));
        assert_eq!(
            SinkSpec::parse("out.txt", Some(IntoFormat::Csv)).unwrap(),
            text(TextForm::Csv, Compression::None, "out.txt")
        );
        assert_eq!(SinkSpec::parse("-", Some(IntoFormat::Csv)).unwrap(), SinkSpec::StandardOutput(TextForm::Csv));
    }

    #[test]
    fn what_names_no_sink_is_refused() {
        for text in
            ["out", "out.txt", "a.parquet.gz", "kafka:", "kafka:///t", "kafka://h:1/", "kafka://h:1", "kafka:a/b"]
        {
            assert!(SinkSpec::parse(text, None).is_err(), "{text}");
        }
        assert!(SinkSpec::parse("null", Some(IntoFormat::Csv)).is_err());
        assert!(SinkSpec::parse("-", Some(IntoFormat::Parquet)).is_err());
    }
}
