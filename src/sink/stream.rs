//! Text on its way: buffers go to a thread that compresses and writes them.

use super::pipe::{Pipe, PipeError};
use super::{Compression, FileTarget, Finished};
use crate::error::{Code, Error, Result};
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Bytes that are collected before they are sent.
const BUFFER: usize = 256 * 1024;

/// Buffers that may wait for the thread of a file.
const WAITING: usize = 4;

/// Where lines of text go: standard output or a file.
pub struct Lines {
    to: To,
    buffer: Vec<u8>,
    /// Records in the buffer.
    pending: u64,
    /// Records on their way.
    in_flight: u64,
    written: u64,
    failed: bool,
}

enum To {
    Pipe(Pipe),
    File(FileStream),
}

impl Lines {
    /// Lines to a stream, such as standard output.
    pub fn to_pipe(pipe: Pipe) -> Self {
        Self::new(To::Pipe(pipe))
    }

    /// Lines to a file. What it holds already stays, and the next bytes follow it: as a frame (zstd) or member (gzip) of their own
    /// where it is compressed.
    pub fn to_file(target: FileTarget, compression: Compression) -> Result<Self> {
        Ok(Self::new(To::File(FileStream::new(target, compression)?)))
    }

    fn new(to: To) -> Self {
        Lines { to, buffer: Vec::with_capacity(BUFFER * 5 / 4), pending: 0, in_flight: 0, written: 0, failed: false }
    }

    /// Whether nothing stands before the first line: a header belongs there.
    pub(super) fn begins(&self) -> bool {
        match &self.to {
            To::Pipe(_) => true,
            To::File(file) => file.target.begins(),
        }
    }

    /// What lines are put into; [`Lines::took`] says that a record is.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Another record is in the buffer.
    #[inline]
    pub(super) fn took(&mut self) -> Result<()> {
        self.pending += 1;
        if self.buffer.len() >= BUFFER { self.write_out() } else { Ok(()) }
    }

    /// Sends the buffer on its way.
    fn write_out(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let full = std::mem::take(&mut self.buffer);
        let pending = std::mem::take(&mut self.pending);
        let sent = match &mut self.to {
            To::Pipe(pipe) => pipe.send(full).map(|empty| {
                self.buffer = empty;
                std::mem::replace(&mut self.in_flight, pending)
            }),
            To::File(file) => file.send(full, pending).map(|(empty, arrived)| {
                self.buffer = empty;
                arrived
            }),
        };
        self.arrived(sent)
    }

    fn arrived(&mut self, arrived: std::result::Result<u64, PipeError>) -> Result<()> {
        match arrived {
            Ok(records) => {
                self.written += records;
                Ok(())
            }
            Err(error) => {
                self.failed = true;
                Err(self.write_error(error))
            }
        }
    }

    /// A stream has everything after this; a file is read by nobody before its end, so that nothing is hurried along there.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.failed || matches!(self.to, To::File(_)) {
            return Ok(());
        }
        self.write_out()?;
        let To::Pipe(pipe) = &mut self.to else { return Ok(()) };
        let settled = pipe.settle().map(|_| std::mem::take(&mut self.in_flight));
        self.arrived(settled)
    }

    /// Ends what is compressed as one, makes everything so far safe on the disk, and returns the file's length: cut back to it, the
    /// file is whole as far as it goes ([`FileTarget::resume`]). `None` where there is no file.
    pub fn mark(&mut self) -> Result<Option<u64>> {
        match self.to {
            To::Pipe(_) => self.flush().map(|()| None),
            To::File(_) => self.settle(false).map(Some),
        }
    }

    /// Writes everything to the file; its length then.
    fn settle(&mut self, last: bool) -> Result<u64> {
        self.write_out()?;
        let To::File(file) = &mut self.to else { return Ok(0) };
        let (result, length) = match file.settle(last) {
            Ok((arrived, length)) => (Ok(arrived), length),
            Err(error) => (Err(error), 0),
        };
        self.arrived(result).map(|()| length)
    }

    pub(super) fn finish(&mut self, whole: bool) -> Finished {
        let mut error = match (self.failed, &self.to) {
            (true, _) => None,
            (false, To::Pipe(_)) => self.flush().err(),
            (false, To::File(_)) => self.settle(true).err(),
        };
        let To::File(file) = &mut self.to else { return Finished { partial: None, error } };
        let target = &mut file.target;
        let mut partial = None;
        if whole && error.is_none() && !self.failed {
            if let Err((why, kept)) = target.publish() {
                (error, partial) = (Some(why), kept);
            }
        } else {
            // A header alone, or an empty frame, is nothing to keep.
            if self.written == 0 && !target.was_resumed() {
                target.discard();
            }
            partial = target.abandon();
        }
        Finished { partial, error }
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Where the lines are until they have their name; `None` where there is no file.
    pub fn file(&self) -> Option<&FileTarget> {
        match &self.to {
            To::Pipe(_) => None,
            To::File(file) => Some(&file.target),
        }
    }

    pub(super) fn name(&self) -> String {
        self.file().map_or_else(|| "-".to_owned(), |file| file.target().display().to_string())
    }

    fn write_error(&self, error: PipeError) -> Error {
        let error = match error {
            PipeError::Stopped => {
                return Error::new(Code::Interrupted, "interrupted while nobody read standard output");
            }
            PipeError::Io(error) => error,
        };
        match &self.to {
            To::Pipe(_) if error.kind() == io::ErrorKind::BrokenPipe => {
                Error::new(Code::SinkClosed, "the reader of standard output left before the window's end")
            }
            To::Pipe(_) => Error::new(Code::SinkFailed, "standard output could not be written").caused_by(error),
            To::File(file) => could_not(&file.target, error),
        }
    }
}

fn could_not(target: &FileTarget, error: io::Error) -> Error {
    Error::new(Code::SinkFailed, format!("`{}` could not be written", target.target().display())).caused_by(error)
}

/// A file that is written on a thread of its own.
struct FileStream {
    target: FileTarget,
    work: SyncSender<Work>,
    results: Receiver<io::Result<Done>>,
    empty: Vec<Vec<u8>>,
    /// Results that are still to come.
    due: usize,
}

enum Work {
    Buffer(Vec<u8>, u64),
    Mark,
    End,
}

struct Done {
    empty: Option<Vec<u8>>,
    records: u64,
    length: u64,
}

impl FileStream {
    fn new(target: FileTarget, compression: Compression) -> Result<Self> {
        let (work, buffers) = sync_channel(WAITING);
        let (done, results) = channel();
        let started = target.writer().and_then(|mut file| {
            file.seek(SeekFrom::End(0))?;
            // Appended to a file that is whole, nothing is a fine end too.
            let may_be_empty = compression == Compression::None || !target.begins();
            let framed = Framed { file, compression, open: None, may_be_empty };
            std::thread::Builder::new().name("replay-file".to_owned()).spawn(move || write(framed, &buffers, &done))
        });
        match started {
            Ok(_) => Ok(FileStream { target, work, results, empty: Vec::new(), due: 0 }),
            Err(error) => Err(could_not(&target, error)),
        }
    }

    /// Sends a buffer on its way, once there is room for it; an empty one comes back, and how many records have arrived meanwhile.
    fn send(&mut self, buffer: Vec<u8>, records: u64) -> std::result::Result<(Vec<u8>, u64), PipeError> {
        self.give(Work::Buffer(buffer, records))?;
        let mut arrived = 0;
        while let Ok(result) = self.results.try_recv() {
            arrived += self.done(result)?.0;
        }
        Ok((self.empty.pop().unwrap_or_default(), arrived))
    }

    /// Waits until everything is written; how many records have arrived, and the file's length.
    fn settle(&mut self, last: bool) -> std::result::Result<(u64, u64), PipeError> {
        self.give(if last { Work::End } else { Work::Mark })?;
        let (mut arrived, mut length) = (0, 0);
        while self.due > 0 {
            let result = self.results.recv().unwrap_or_else(|_| Err(gone()));
            let (records, now) = self.done(result)?;
            arrived += records;
            length = now;
        }
        Ok((arrived, length))
    }

    fn give(&mut self, work: Work) -> std::result::Result<(), PipeError> {
        if self.work.send(work).is_ok() {
            self.due += 1;
            return Ok(());
        }
        // Its last result says why it ended.
        let failure = self.results.iter().find_map(std::result::Result::err);
        Err(PipeError::Io(failure.unwrap_or_else(gone)))
    }

    fn done(&mut self, result: io::Result<Done>) -> std::result::Result<(u64, u64), PipeError> {
        let done = result.map_err(PipeError::Io)?;
        self.due -= 1;
        self.empty.extend(done.empty);
        Ok((done.records, done.length))
    }
}

fn gone() -> io::Error {
    io::Error::other("the thread that writes it has ended")
}

/// Writes what comes, until nothing more does or something fails.
fn write(mut file: Framed, work: &Receiver<Work>, done: &Sender<io::Result<Done>>) {
    for work in work {
        let result = match work {
            Work::Buffer(mut buffer, records) => file.write(&buffer).map(|()| {
                buffer.clear();
                Done { empty: Some(buffer), records, length: 0 }
            }),
            Work::Mark => file.end(false).map(|length| Done { empty: None, records: 0, length }),
            Work::End => file.end(true).map(|length| Done { empty: None, records: 0, length }),
        };
        let failed = result.is_err();
        if done.send(result).is_err() || failed {
            return;
        }
    }
}

/// A file in frames that can each be read alone.
struct Framed {
    file: File,
    compression: Compression,
    open: Option<Open>,
    may_be_empty: bool,
}

enum Open {
    Gzip(GzEncoder<File>),
    Zstd(zstd::Encoder<'static, File>),
}

impl Framed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.open.is_none() {
            self.begin()?;
        }
        match &mut self.open {
            None => self.file.write_all(bytes),
            Some(Open::Gzip(encoder)) => encoder.write_all(bytes),
            Some(Open::Zstd(encoder)) => encoder.write_all(bytes),
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.open = match self.compression {
            Compression::None => None,
            Compression::Gzip => {
                Some(Open::Gzip(GzEncoder::new(self.file.try_clone()?, flate2::Compression::default())))
            }
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(self.file.try_clone()?, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Some(Open::Zstd(encoder))
            }
        };
        Ok(())
    }

    /// Ends the frame and makes it safe on the disk; the file's length. A file of no frame is no compressed file.
    fn end(&mut self, last: bool) -> io::Result<u64> {
        if last && !self.may_be_empty && self.file.stream_position()? == 0 && self.open.is_none() {
            self.begin()?;
        }
        match self.open.take() {
            None => {}
            Some(Open::Gzip(encoder)) => drop(encoder.finish()?),
            Some(Open::Zstd(encoder)) => drop(encoder.finish()?),
        }
        if !last {
            self.file.sync_all()?;
        }
        self.file.stream_position()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::IfExists;
    use std::io::Read;
    use std::path::Path;

    fn lines(path: &Path, compression: Compression) -> Lines {
        Lines::to_file(FileTarget::open(path, IfExists::Fail).unwrap(), compression).unwrap()
    }

    fn put(lines: &mut Lines, text: &str) {
        lines.buffer().extend_from_slice(text.as_bytes());
        lines.took().unwrap();
    }

    fn read(bytes: &[u8], compression: Compression) -> String {
        let mut text = String::new();
        match compression {
            Compression::None => return String::from_utf8(bytes.to_vec()).unwrap(),
            Compression::Gzip => flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).unwrap(),
            Compression::Zstd => zstd::Decoder::new(bytes).unwrap().read_to_string(&mut text).unwrap(),
        };
        text
    }

    const ALL: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zstd];

    #[test]
    fn a_file_goes_on_from_a_mark() {
        for compression in ALL {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("a");
            let mut first = lines(&path, compression);
            put(&mut first, "one\n");
            first.flush().unwrap();
            put(&mut first, "two\n");
            let length = first.mark().unwrap().unwrap();
            assert_eq!(first.written(), 2);
            put(&mut first, "never seen\n");
            first.mark().unwrap();
            put(&mut first, "nor this\n");
            let partial = first.finish(false).partial.unwrap();
            assert_eq!(read(&std::fs::read(&partial).unwrap()[..length as usize], compression), "one\ntwo\n");

            let target = FileTarget::resume(&path, IfExists::Fail, &partial, length).unwrap();
            let mut second = Lines::to_file(target, compression).unwrap();
            assert!(!second.begins());
            put(&mut second, "three\n");
            assert!(second.finish(true).error.is_none());
            assert_eq!(read(&std::fs::read(&path).unwrap(), compression), "one\ntwo\nthree\n");
            assert!(!partial.exists());
            assert_eq!(second.written(), 1);
        }
    }

    #[test]
    fn flushing_ends_no_frame() {
        for compression in [Compression::Gzip, Compression::Zstd] {
            let directory = tempfile::tempdir().unwrap();
            let (often, once) = (directory.path().join("often"), directory.path().join("once"));
            for (path, flushes) in [(&often, true), (&once, false)] {
                let mut lines = lines(path, compression);
                for n in 0..1000 {
                    put(&mut lines, &format!("{n}\n"));
                    if flushes {
                        lines.flush().unwrap();
                    }
                }
                assert!(lines.finish(true).error.is_none());
            }
            assert_eq!(std::fs::read(often).unwrap(), std::fs::read(once).unwrap());
        }
    }

    #[test]
    fn nothing_is_a_file_that_can_be_read() {
        for compression in ALL {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("a");
            assert!(lines(&path, compression).finish(true).error.is_none());
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(bytes.is_empty(), compression == Compression::None);
            assert_eq!(read(&bytes, compression), "");
        }
    }

    #[test]
    fn many_buffers_arrive_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut lines = lines(&path, Compression::Zstd);
        let mut expected = String::new();
        for n in 0..300_000 {
            let line = format!("line {n}\n");
            put(&mut lines, &line);
            expected.push_str(&line);
        }
        assert!(lines.finish(true).error.is_none());
        assert_eq!(lines.written(), 300_000);
        assert!(read(&std::fs::read(&path).unwrap(), Compression::Zstd) == expected);
    }
}
