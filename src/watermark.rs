//! Where a partition's log starts and ends, and what follows from it for a committed offset: lag, lost, rereads, skips.
//! Nothing else in krewind computes these.

/// The bounds of one partition's log, as its leader told them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watermarks {
    /// The offset of the oldest record that is kept (Kafka: log start offset, "earliest").
    pub log_start: i64,
    /// The offset that the next replicated record gets (Kafka: high watermark, "latest" under `read_uncommitted`).
    pub high_watermark: i64,
    /// Where the oldest open transaction starts, else the high watermark (Kafka: last stable offset, "latest" under
    /// `read_committed`).
    pub last_stable: i64,
}

impl Watermarks {
    /// Whether a group may stand at this offset: the high watermark itself is the end, so it counts.
    pub fn contains(&self, offset: i64) -> bool {
        (self.log_start..=self.high_watermark).contains(&offset)
    }

    /// The nearest offset within the log.
    pub fn clamp(&self, offset: i64) -> i64 {
        offset.max(self.log_start).min(self.high_watermark.max(self.log_start))
    }

    /// Offsets still to read from this commit: from the commit or the log's start, whichever is later, to the high watermark.
    pub fn lag(&self, committed: i64) -> u64 {
        distance(committed.max(self.log_start), self.high_watermark)
    }

    /// Offsets that were deleted before this commit read them.
    pub fn lost(&self, committed: i64) -> u64 {
        distance(committed, self.log_start)
    }

    /// Offsets that a move from `current` to `new` delivers again. An upper bound of records, since logs have gaps.
    pub fn rereads(&self, current: i64, new: i64) -> u64 {
        distance(new.max(self.log_start), current.min(self.high_watermark))
    }

    /// Offsets that a move from `current` to `new` never delivers. An upper bound of records, since logs have gaps.
    pub fn skips(&self, current: i64, new: i64) -> u64 {
        distance(current.max(self.log_start), new.min(self.high_watermark))
    }

    /// Offsets before the end that readers of `read_committed` can't have yet, because a transaction is open.
    pub fn held_back(&self) -> u64 {
        distance(self.last_stable, self.high_watermark)
    }
}

/// How far `to` lies after `from`; 0 where it does not.
fn distance(from: i64, to: i64) -> u64 {
    if to > from { to.abs_diff(from) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(log_start: i64, high_watermark: i64) -> Watermarks {
        Watermarks { log_start, high_watermark, last_stable: high_watermark }
    }

    #[test]
    fn lag_and_lost_of_a_hand_worked_log() {
        // Offsets 3..=11 are kept; the next record gets 12.
        let log = log(3, 12);
        assert_eq!((log.lag(7), log.lost(7)), (5, 0));
        assert_eq!((log.lag(12), log.lost(12)), (0, 0));
        // Behind the log's start: 0, 1 and 2 are gone, 3..=11 are left (redpanda issue 30624: no phantom lag).
        assert_eq!((log.lag(0), log.lost(0)), (9, 3));
        // Ahead of the end: never negative.
        assert_eq!((log.lag(20), log.lost(20)), (0, 0));
    }

    #[test]
    fn moves_of_a_hand_worked_log() {
        let log = log(3, 12);
        assert_eq!((log.rereads(7, 3), log.skips(7, 3)), (4, 0));
        assert_eq!((log.rereads(7, 10), log.skips(7, 10)), (0, 3));
        assert_eq!((log.rereads(7, 7), log.skips(7, 7)), (0, 0));
        // A commit behind the start skips nothing by moving to the start: those are gone already.
        assert_eq!((log.rereads(0, 3), log.skips(0, 3)), (0, 0));
        // A commit past the end re-reads only what exists.
        assert_eq!((log.rereads(20, 10), log.skips(20, 10)), (2, 0));
    }

    proptest! {
        #[test]
        fn clamped_offsets_lie_in_the_log(start in 0i64..1000, length in 0i64..1000, offset in any::<i64>()) {
            let log = log(start, start + length);
            prop_assert!(log.contains(log.clamp(offset)));
            prop_assert_eq!(log.contains(offset), log.clamp(offset) == offset);
        }

        #[test]
        fn a_move_changes_the_lag_by_what_it_rereads_and_skips(start in 0i64..1000, length in 0i64..1000, current in -10i64..2100, to in 0i64..=1000) {
            let log = log(start, start + length);
            let new = log.clamp(start + to);
            let (before, after) = (log.lag(current) as i64, log.lag(new) as i64);
            prop_assert_eq!(after - before, log.rereads(current, new) as i64 - log.skips(current, new) as i64);
        }

        #[test]
        fn nothing_overflows(start in any::<i64>(), end in any::<i64>(), a in any::<i64>(), b in any::<i64>()) {
            let log = log(start, end);
            let _ = (log.lag(a), log.lost(a), log.rereads(a, b), log.skips(a, b), log.held_back(), log.clamp(a));
        }
    }
}
