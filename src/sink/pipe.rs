use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How long what is on its way may take to get through after Ctrl-C: a reader that still reads gets whole lines.
const GRACE: Duration = Duration::from_secs(2);

/// A stream that is written on a thread of its own: while its reader is slow the next buffer is filled, and a reader that does
/// not read at all can't keep Ctrl-C from ending the run.
#[derive(Debug)]
pub struct Pipe {
    /// `None` once the thread has ended.
    buffers: Option<SyncSender<Vec<u8>>>,
    results: Receiver<io::Result<Vec<u8>>>,
    in_flight: bool,
    stop: &'static AtomicBool,
}

/// Why a buffer did not arrive.
#[derive(Debug)]
pub enum PipeError {
    /// The stream failed.
    Io(io::Error),
    /// Ctrl-C, and the reader does not read.
    Stopped,
}

impl Pipe {
    /// Writes to this stream; `stop` is Ctrl-C.
    pub fn new(mut stream: Box<dyn Write + Send>, stop: &'static AtomicBool) -> io::Result<Self> {
        let (buffers, work) = sync_channel::<Vec<u8>>(1);
        let (done, results) = sync_channel(1);
        std::thread::Builder::new().name("replay-output".to_owned()).spawn(move || {
            for mut buffer in work {
                let written = stream.write_all(&buffer).and_then(|()| stream.flush());
                buffer.clear();
                if done.send(written.map(|()| buffer)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Pipe { buffers: Some(buffers), results, in_flight: false, stop })
    }

    /// Sends a buffer on its way, once the one before has arrived; an empty one comes back.
    pub(super) fn send(&mut self, buffer: Vec<u8>) -> Result<Vec<u8>, PipeError> {
        let empty = self.settle()?.unwrap_or_default();
        let sent = self.buffers.as_ref().map(|buffers| buffers.send(buffer));
        match sent {
            Some(Ok(())) => {
                self.in_flight = true;
                Ok(empty)
            }
            _ => Err(PipeError::Io(io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// Waits until nothing is on its way.
    pub(super) fn settle(&mut self) -> Result<Option<Vec<u8>>, PipeError> {
        if !self.in_flight {
            return Ok(None);
        }
        let mut stopped: Option<Instant> = None;
        loop {
            match self.results.recv_timeout(Duration::from_millis(20)) {
                Ok(Ok(buffer)) => {
                    self.in_flight = false;
                    return Ok(Some(buffer));
                }
                Ok(Err(error)) => {
                    self.in_flight = false;
                    self.buffers = None;
                    return Err(PipeError::Io(error));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(PipeError::Io(io::ErrorKind::BrokenPipe.into())),
                Err(RecvTimeoutError::Timeout) => {
                    if self.stop.load(Ordering::SeqCst) {
                        let since = *stopped.get_or_insert_with(Instant::now);
                        if since.elapsed() >= GRACE {
                            return Err(PipeError::Stopped);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex, mpsc::channel};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn flag() -> &'static AtomicBool {
        Box::leak(Box::new(AtomicBool::new(false)))
    }

    #[test]
    fn buffers_arrive_in_order_and_come_back_empty() {
        let shared = Shared::default();
        let mut pipe = Pipe::new(Box::new(shared.clone()), flag()).unwrap();
        for n in 0..100 {
            assert!(pipe.send(format!("{n}\n").into_bytes()).unwrap().is_empty());
        }
        pipe.settle().unwrap();
        let expected: String = (0..100).map(|n| format!("{n}\n")).collect();
        assert_eq!(String::from_utf8(shared.0.lock().unwrap().clone()).unwrap(), expected);
    }

    struct Blocked(std::sync::mpsc::Receiver<()>);

    impl Write for Blocked {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_never_reads_does_not_outlast_ctrl_c() {
        let (reads, blocked) = channel();
        let stop = flag();
        let mut pipe = Pipe::new(Box::new(Blocked(blocked)), stop).unwrap();
        pipe.send(vec![1]).unwrap();
        stop.store(true, Ordering::SeqCst);
        assert!(matches!(pipe.settle(), Err(PipeError::Stopped)));
        drop(reads);
    }
}
