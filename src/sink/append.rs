//! Adding to a file of lines that is there already.
//!
//! The new lines are collected in a file beside it. Once they are whole, they are copied to its end, and cut off again where that
//! fails. While they are copied their file is called `NAME.appending-LENGTH`, after the length of what stood before: where the
//! process is killed in that moment, the name tells what to cut the file back to.

use super::file::{directory, kept};
use super::{Compression, FileTarget, IfExists, TextForm, csv};
use crate::error::{Code, Error, Result};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Opens a file to be added to: it is as it would be had krewind just written it, or does not exist.
pub fn append(path: &Path, form: TextForm, compression: Compression) -> Result<FileTarget> {
    if let Some((left, length)) = left_over(path) {
        let message = format!("an earlier append to `{}` was cut short while it was copied", path.display());
        return Err(Error::new(Code::BadFile, message).hint(format!(
            "`truncate -s {length} {}` cuts it back to what stood before; `{}` holds what was to be added",
            path.display(),
            left.display()
        )));
    }
    let target = FileTarget::open(path, IfExists::Append)?;
    if !target.begins() {
        let bad = |why: &str| Error::new(Code::BadFile, format!("nothing can be added to `{}`: {why}", path.display()));
        let failed = |error| bad("it can't be read to its end").hint("it may be cut").caused_by(error);
        let content = look(path, compression).map_err(failed)?;
        match (form, content.first.as_slice()) {
            // A frame of nothing.
            (TextForm::Jsonl, []) => {}
            (TextForm::Csv, []) => {
                return Err(bad("it has no header").hint("`--if-exists replace` takes its place"));
            }
            (TextForm::Csv, line) if line != csv::HEADER => {
                return Err(bad("its columns are others").hint("its first line must be the header that replay writes"));
            }
            (TextForm::Jsonl, line) if line[0] != b'{' => {
                return Err(bad("it is no JSON Lines").hint("each line must be an object, as replay writes them"));
            }
            _ => {}
        }
        if content.last.is_some_and(|byte| byte != b'\n') {
            return Err(bad("its last line is cut").hint("take that line off, or name another file"));
        }
    }
    Ok(target)
}

/// What a file of lines begins and ends with.
struct Content {
    first: Vec<u8>,
    last: Option<u8>,
}

fn look(path: &Path, compression: Compression) -> io::Result<Content> {
    let mut file = BufReader::with_capacity(256 * 1024, File::open(path)?);
    match compression {
        Compression::None => {
            let mut content = Content { first: Vec::new(), last: None };
            content.take(&mut file, true)?;
            if file.get_ref().metadata()?.len() > 0 {
                file.seek(SeekFrom::End(-1))?;
                content.take(&mut file, false)?;
            }
            Ok(content)
        }
        // Whether the last frame is whole is seen at its end alone.
        Compression::Gzip => Content::of(flate2::bufread::MultiGzDecoder::new(file)),
        Compression::Zstd => Content::of(zstd::Decoder::with_buffer(file)?),
    }
}

impl Content {
    fn of(mut reader: impl Read) -> io::Result<Content> {
        let mut content = Content { first: Vec::new(), last: None };
        content.take(&mut reader, false)?;
        Ok(content)
    }

    /// Reads to the end, or one buffer alone.
    fn take(&mut self, reader: &mut impl Read, once: bool) -> io::Result<()> {
        let mut buffer = vec![0; 256 * 1024];
        loop {
            let count = reader.read(&mut buffer)?;
            let bytes = &buffer[..count];
            if count == 0 {
                return Ok(());
            }
            // A decoder may give less than a line at once.
            if !self.first.ends_with(b"\n") && self.first.len() <= csv::HEADER.len() {
                self.first.extend(bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default());
            }
            self.last = bytes.last().copied();
            if once {
                return Ok(());
            }
        }
    }
}

/// The file of an append that was killed, and the length before it.
fn left_over(target: &Path) -> Option<(PathBuf, u64)> {
    let prefix = appending(target)?;
    let prefix = prefix.to_str()?;
    directory(target).read_dir().ok()?.filter_map(std::result::Result::ok).find_map(|entry| {
        let length = entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?;
        Some((entry.path(), length))
    })
}

/// `NAME.appending-`, which the length follows.
fn appending(target: &Path) -> Option<OsString> {
    let mut name = target.file_name()?.to_os_string();
    name.push(".appending-");
    Some(name)
}

/// Adds the file's content to the target, which has this length; or leaves both as they are.
pub(super) fn join(
    target: &Path,
    file: NamedTempFile,
    length: u64,
) -> std::result::Result<(), (Error, Option<PathBuf>)> {
    let failed = |what: &str, path: &Path| {
        let message = format!("`{}` {what}, so the records are in `{}`", target.display(), path.display());
        Error::new(Code::SinkFailed, message)
    };
    let Some(mut name) = appending(target) else { return Err((failed("names no file", file.path()), kept(file))) };
    name.push(length.to_string());
    let opened = File::options().read(true).write(true).open(target);
    let mut old = match opened.and_then(|old| old.metadata().map(|found| (old, found.len()))) {
        Ok((old, found)) if found == length => old,
        Ok(_) => return Err((failed("was changed meanwhile", file.path()).hint("it was left as it is"), kept(file))),
        Err(error) => return Err((failed("can't be written", file.path()).caused_by(error), kept(file))),
    };
    let partial = file.path().to_owned();
    let named = directory(target).join(name);
    let mut new = match file.persist_noclobber(&named) {
        Ok(new) => new,
        Err(error) => return Err((failed("can't be added to", &partial).caused_by(error.error), kept(error.file))),
    };
    let copied = (|| {
        new.seek(SeekFrom::Start(0))?;
        old.seek(SeekFrom::Start(length))?;
        io::copy(&mut new, &mut old)?;
        old.sync_all()
    })();
    match copied {
        Ok(()) => {
            // What is left over would only make the next append ask.
            let _ = std::fs::remove_file(&named);
            Ok(())
        }
        Err(error) => {
            let path = match old.set_len(length).and_then(|()| old.sync_all()) {
                Ok(()) if std::fs::rename(&named, &partial).is_ok() => partial,
                _ => named,
            };
            Err((failed("could not be added to", &path).caused_by(error), Some(path)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::Lines;

    fn added(path: &Path, form: TextForm, compression: Compression, text: &str) -> Result<()> {
        let mut lines = Lines::to_file(append(path, form, compression)?, compression)?;
        lines.buffer().extend_from_slice(text.as_bytes());
        lines.took()?;
        lines.finish(true).error.map_or(Ok(()), Err)
    }

    fn bad(directory: &Path, name: &str, content: &[u8], form: TextForm, compression: Compression) -> String {
        let path = directory.join(name);
        std::fs::write(&path, content).unwrap();
        let error = added(&path, form, compression, "{}\n").unwrap_err();
        assert_eq!(error.code, Code::BadFile);
        assert_eq!(std::fs::read(&path).unwrap(), content);
        error.message
    }

    #[test]
    fn what_is_not_whole_lines_is_not_added_to() {
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path();
        let (none, gzip, zstd) = (Compression::None, Compression::Gzip, Compression::Zstd);
        assert!(bad(here, "a", b"{}\n{", TextForm::Jsonl, none).contains("last line is cut"));
        assert!(bad(here, "b", b"a,b\n", TextForm::Csv, none).contains("columns"));
        assert!(bad(here, "c", b"a,b\n", TextForm::Jsonl, none).contains("no JSON Lines"));
        let whole = zstd::encode_all(&b"{}\n"[..], 3).unwrap();
        assert!(bad(here, "d", &whole[..whole.len() - 1], TextForm::Jsonl, zstd).contains("to its end"));
        assert!(bad(here, "e", b"{}\n", TextForm::Jsonl, gzip).contains("to its end"));
        let cut = zstd::encode_all(&b"{}"[..], 3).unwrap();
        assert!(bad(here, "f", &cut, TextForm::Jsonl, zstd).contains("last line is cut"));
    }

    #[test]
    fn lines_follow_those_that_are_there() {
        let directory = tempfile::tempdir().unwrap();
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let path = directory.path().join(format!("{compression:?}"));
            for text in ["{1}\n", "{2}\n"] {
                added(&path, TextForm::Jsonl, compression, text).unwrap();
            }
            let mut text = String::new();
            let file = File::open(&path).unwrap();
            match compression {
                Compression::None => BufReader::new(file).read_to_string(&mut text),
                Compression::Gzip => flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text),
                Compression::Zstd => zstd::Decoder::new(file).unwrap().read_to_string(&mut text),
            }
            .unwrap();
            assert_eq!(text, "{1}\n{2}\n");
        }
        assert_eq!(directory.path().read_dir().unwrap().count(), 3);
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        std::fs::write(&path, "{1}\n").unwrap();
        let mut lines =
            Lines::to_file(append(&path, TextForm::Jsonl, Compression::None).unwrap(), Compression::None).unwrap();
        lines.buffer().extend_from_slice(b"{2}\n");
        lines.took().unwrap();
        std::fs::write(&path, "{1}\n{other}\n").unwrap();
        let finished = lines.finish(true);
        assert_eq!(finished.error.unwrap().code, Code::SinkFailed);
        assert_eq!(std::fs::read(finished.partial.unwrap()).unwrap(), b"{2}\n");
        assert_eq!(std::fs::read(&path).unwrap(), b"{1}\n{other}\n");
    }

    #[test]
    fn an_append_that_was_killed_says_what_to_cut_back_to() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        std::fs::write(&path, "{1}\n{2}\n").unwrap();
        std::fs::write(directory.path().join("a.jsonl.appending-4"), "{2}\n{3}\n").unwrap();
        let error = append(&path, TextForm::Jsonl, Compression::None).unwrap_err();
        assert!(error.hints.iter().any(|hint| hint.contains("truncate -s 4 ")), "{error:?}");
    }
}
