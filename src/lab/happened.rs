//! What the steps of the world did, and why one could not be taken.

use super::event::Event;
use super::model::{CommitMode, Settings, Target};
use super::sink::SinkMode;

/// What a step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// Events `first..next` are in hand.
    Polled {
        /// The first offset.
        first: i64,
        /// The offset behind the last.
        next: i64,
        /// The position that lay before the log start, where it did.
        out_of_range: Option<i64>,
    },
    /// There was nothing to read at this position.
    NothingToPoll(i64),
    /// This event was worked on.
    Processed(Event),
    /// This event was written.
    Wrote {
        /// The event.
        event: Event,
        /// What the sink does with an order that it has.
        sink: SinkMode,
        /// Whether this event had been written before.
        again: bool,
    },
    /// The committed offset moved.
    Committed {
        /// To here.
        offset: i64,
        /// Who did it.
        by: CommitMode,
        /// The first of the events before it that are in hand and not in the sink.
        unwritten_from: Option<i64>,
    },
    /// There was nothing new to commit.
    NothingToCommit,
    /// The consumer died.
    Crashed {
        /// The committed offset that it left behind.
        committed: Option<i64>,
        /// In hand, and the committed offset is past them.
        lost: Vec<i64>,
        /// In the sink, and the committed offset is before them.
        repeats: Vec<i64>,
        /// In hand, neither written nor committed: to be read again.
        unread: Vec<i64>,
        /// In hand, not committed, and deleted from the log meanwhile.
        gone: Vec<i64>,
    },
    /// A consumer started.
    Started {
        /// It reads here next.
        position: i64,
        /// The committed offset.
        committed: Option<i64>,
        /// Deleted before they were read, between the committed offset and the position.
        gone: Vec<i64>,
    },
    /// The consumer left in order.
    Left {
        /// The committed offset.
        committed: Option<i64>,
    },
    /// The committed offset was moved from outside.
    Moved {
        /// From here.
        from: Option<i64>,
        /// To here.
        to: i64,
        /// What was asked for.
        target: Target,
        /// In the sink already, and to be read again.
        rereads: Vec<i64>,
        /// They were lost, and will be read after all.
        rescued: Vec<i64>,
        /// They would have been read, and are lost now.
        skipped: Vec<i64>,
        /// Missing in the sink and deleted: no rewinding brings them back.
        gone: Vec<i64>,
    },
    /// Events `first..next` came.
    Produced {
        /// The first offset.
        first: i64,
        /// The offset behind the last.
        next: i64,
    },
    /// Events `first..next` were deleted.
    Deleted {
        /// The first offset.
        first: i64,
        /// The offset behind the last.
        next: i64,
        /// Nobody had read these.
        unread: Vec<i64>,
        /// These were lost before, and can't be rescued any more.
        lost: Vec<i64>,
        /// The consumer has these in hand.
        in_hand: Vec<i64>,
    },
    /// Other settings hold.
    Chose(Settings),
}

/// Why a step can't be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No consumer runs.
    Down,
    /// A consumer runs.
    Running,
    /// The consumer has something in hand.
    Busy,
    /// Nothing is in hand.
    NothingInHand,
    /// The offset lies outside the log.
    OutOfRange {
        /// What was asked for.
        offset: i64,
        /// The log start.
        start: i64,
        /// The log end.
        end: i64,
    },
    /// The log holds fewer events.
    TooFew(i64),
    /// The lab's log would get too long.
    Full,
}
