//! From the reader to the sink: parcels of records go to a thread of the sink's own, and what came of them comes back in order.
//!
//! reader (librdkafka's threads) → drive: what counts, what is wanted → **parcels** → sink thread: encoder → writer thread, where the
//! sink has one. What is on its way is bounded in bytes.

use crate::error::{Code, Error, Result};
use crate::kafka::reader::Lent;
use crate::sink::{Finished, Remark, Sink};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Records that nothing followed for this long are passed on.
const IDLE: Duration = Duration::from_millis(10);

/// How long the sink may take to end after Ctrl-C: longer than a stream takes to give its reader up.
const GRACE: Duration = Duration::from_secs(4);

/// How long a whole result's publishing may take after Ctrl-C: it is nearly done.
const PUBLISHING: Duration = Duration::from_secs(60);

/// Between two looks at whether Ctrl-C came.
const LOOK: Duration = Duration::from_millis(20);

/// Parcels on their way, however small they are.
const MOST_PARCELS: usize = 64;

/// Records that came together, and which of them are wanted.
pub(super) struct Parcel {
    pub(super) lent: Box<dyn Lent>,
    pub(super) wanted: Vec<Wanted>,
    pub(super) bytes: u64,
}

/// Places in a row whose records are of one partition.
pub(super) struct Wanted {
    pub(super) part: usize,
    pub(super) places: Range<usize>,
}

/// What the sink took of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) part: usize,
    pub(super) records: u64,
    pub(super) bytes: u64,
    /// The offset behind the last one.
    pub(super) next: i64,
}

enum Order {
    Take(Parcel),
    Mark,
    Flush,
    Finish(bool),
}

/// What came of an order.
pub(super) enum Outcome {
    /// The sink has these records.
    Taken(Vec<Taken>),
    /// Everything before is safe; the sink's place.
    Marked(serde_json::Value),
    /// The sink failed; nothing more is taken.
    Failed(Error),
}

enum Answer {
    Taken { taken: Vec<Taken>, bytes: u64, written: u64 },
    Marked(serde_json::Value),
    Flushed,
    Failed(Error),
    Finished(Box<SinkEnd>),
}

/// What is to be told of the sink after its end.
#[derive(Debug, Default)]
pub(super) struct SinkEnd {
    pub(super) finished: Finished,
    pub(super) written: u64,
    pub(super) duplicates: u64,
    pub(super) remarks: Vec<Remark>,
}

/// The way to the sink.
pub(super) struct Conveyor {
    orders: Sender<Order>,
    answers: Receiver<Answer>,
    /// Most bytes on their way.
    bound: u64,
    bytes: u64,
    parcels: usize,
    /// What the sink said last.
    written: u64,
    failed: bool,
}

impl Conveyor {
    /// Starts the sink's thread. At most `bound` bytes are on their way, or one parcel.
    pub(super) fn start(sink: Box<dyn Sink>, bound: u64) -> Result<Self> {
        let (orders, work) = channel();
        let (reply, answers) = channel();
        std::thread::Builder::new()
            .name("replay-sink".to_owned())
            .spawn(move || serve(sink, &work, &reply))
            .map_err(|error| Error::new(Code::Internal, "no thread could be started").caused_by(error))?;
        Ok(Conveyor { orders, answers, bound, bytes: 0, parcels: 0, written: 0, failed: false })
    }

    /// Whether another parcel may be sent.
    pub(super) fn has_room(&self) -> bool {
        self.parcels == 0 || self.bytes < self.bound && self.parcels < MOST_PARCELS
    }

    /// Whether anything is on its way.
    pub(super) fn is_busy(&self) -> bool {
        self.parcels > 0
    }

    pub(super) fn send(&mut self, parcel: Parcel) {
        self.bytes += parcel.bytes;
        self.parcels += 1;
        // The thread ends only behind an order to finish.
        let _ = self.orders.send(Order::Take(parcel));
    }

    /// Asks for a place that a killed run can go on from: [`Outcome::Marked`] comes behind everything that was sent.
    pub(super) fn mark(&self) {
        let _ = self.orders.send(Order::Mark);
    }

    /// What came back, if anything; waits up to `timeout`.
    pub(super) fn outcome(&mut self, timeout: Duration) -> Option<Outcome> {
        let answer = match timeout {
            Duration::ZERO => self.answers.try_recv().ok(),
            timeout => self.answers.recv_timeout(timeout).ok(),
        };
        match answer? {
            Answer::Taken { taken, bytes, written } => {
                self.bytes -= bytes;
                self.parcels -= 1;
                self.written = written;
                Some(Outcome::Taken(taken))
            }
            Answer::Marked(place) => Some(Outcome::Marked(place)),
            Answer::Failed(error) => {
                self.failed = true;
                Some(Outcome::Failed(error))
            }
            Answer::Flushed | Answer::Finished(_) => None,
        }
    }

    /// Has everything passed on, and waits until it has arrived; what came of it goes to `each`.
    pub(super) fn settle(&mut self, stop: &AtomicBool, each: &mut dyn FnMut(Outcome)) -> Result<()> {
        if self.failed {
            return Ok(());
        }
        let _ = self.orders.send(Order::Flush);
        self.wait(stop, GRACE, each, |answer| matches!(answer, Answer::Flushed)).map(|_| ())
    }

    /// Ends the sink; what comes of records that were on their way goes to `each`.
    pub(super) fn finish(&mut self, whole: bool, stop: &AtomicBool, each: &mut dyn FnMut(Outcome)) -> SinkEnd {
        let _ = self.orders.send(Order::Finish(whole));
        let grace = if whole { PUBLISHING } else { GRACE };
        match self.wait(stop, grace, each, |answer| matches!(answer, Answer::Finished(_))) {
            Ok(Answer::Finished(end)) => *end,
            Ok(_) => SinkEnd::default(),
            Err(error) => SinkEnd {
                finished: Finished { partial: None, error: Some(error) },
                written: self.written,
                ..SinkEnd::default()
            },
        }
    }

    fn wait(
        &mut self,
        stop: &AtomicBool,
        grace: Duration,
        each: &mut dyn FnMut(Outcome),
        is_it: impl Fn(&Answer) -> bool,
    ) -> Result<Answer> {
        let mut stopped: Option<Instant> = None;
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(answer) if is_it(&answer) => return Ok(answer),
                Ok(Answer::Taken { taken, bytes, written }) => {
                    self.bytes -= bytes;
                    self.parcels -= 1;
                    self.written = written;
                    each(Outcome::Taken(taken));
                }
                Ok(Answer::Marked(place)) => each(Outcome::Marked(place)),
                Ok(Answer::Failed(error)) => {
                    self.failed = true;
                    return Err(error);
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    if stop.load(Ordering::SeqCst) && stopped.get_or_insert_with(Instant::now).elapsed() >= grace {
                        return Err(Error::new(Code::Interrupted, "interrupted while the sink did not answer"));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(Code::Internal, "the sink's thread has ended"));
                }
            }
        }
    }
}

/// The sink's thread.
fn serve(mut sink: Box<dyn Sink>, orders: &Receiver<Order>, reply: &Sender<Answer>) {
    let (mut failed, mut unsettled) = (false, false);
    let answer = |answer: Answer| reply.send(answer).is_ok();
    loop {
        let order = match orders.recv_timeout(if unsettled { IDLE } else { Duration::MAX }) {
            Ok(order) => order,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                unsettled = false;
                match sink.flush() {
                    Ok(()) => continue,
                    Err(error) => {
                        failed = true;
                        if answer(Answer::Failed(error)) {
                            continue;
                        }
                        return;
                    }
                }
            }
        };
        let sent = match order {
            Order::Finish(whole) => {
                let finished = sink.finish(whole && !failed);
                answer(Answer::Finished(Box::new(SinkEnd {
                    finished,
                    written: sink.written(),
                    duplicates: sink.duplicates(),
                    remarks: sink.remarks(),
                })));
                return;
            }
            _ if failed => continue,
            Order::Take(parcel) => {
                let bytes = parcel.bytes;
                let (taken, error) = take(sink.as_mut(), parcel);
                unsettled = true;
                let told = answer(Answer::Taken { taken, bytes, written: sink.written() });
                match error {
                    None => told,
                    Some(error) => {
                        (failed, unsettled) = (true, false);
                        answer(Answer::Failed(error))
                    }
                }
            }
            Order::Flush | Order::Mark => {
                unsettled = false;
                let done = match order {
                    Order::Mark => sink.mark().map(Answer::Marked),
                    _ => sink.flush().map(|()| Answer::Flushed),
                };
                failed = done.is_err();
                answer(done.unwrap_or_else(Answer::Failed))
            }
        };
        if !sent {
            return;
        }
    }
}

/// Hands the wanted records to the sink, and counts those that it took.
fn take(sink: &mut dyn Sink, parcel: Parcel) -> (Vec<Taken>, Option<Error>) {
    let mut all: Vec<Taken> = Vec::with_capacity(parcel.wanted.len());
    for wanted in parcel.wanted {
        let mut taken = Taken { part: wanted.part, records: 0, bytes: 0, next: -1 };
        let put = parcel.lent.records(wanted.places, &mut |record| {
            sink.put(record)?;
            taken.records += 1;
            taken.bytes += record.bytes();
            taken.next = record.offset + 1;
            Ok(())
        });
        if taken.records > 0 {
            all.push(taken);
        }
        if let Err(error) = put {
            return (all, Some(error));
        }
    }
    (all, None)
}
