//! The account of one partition's window: every offset of it is a record that was taken, one that was left out, or a gap.

use super::window::{Judgement, WindowFilter};
use crate::model::Record;
use crate::report::Counts;

/// What was seen of a window so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    start: i64,
    end: i64,
    next: i64,
    counts: Counts,
}

/// Where a record that arrived lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the window, and new.
    Within,
    /// At an offset that was passed already: it was seen, or a gap was counted there.
    Behind,
    /// At the window's end or later: the window was read to its end.
    Past,
}

impl Tally {
    /// Nothing was seen of `[start, end)` yet.
    pub fn new(start: i64, end: i64) -> Self {
        Tally { start, end: end.max(start), next: start, counts: Counts::default() }
    }

    /// Everything before `next` was seen, and counted so.
    pub fn resumed(start: i64, end: i64, next: i64, counts: Counts) -> Self {
        Tally { start, end: end.max(start), next: next.max(start), counts }
    }

    /// What was counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// A record arrived: offsets that were jumped over are gaps. What happens to the record is told by [`Self::took`].
    #[inline]
    pub fn arrived(&mut self, offset: i64) -> Place {
        if offset < self.next {
            return Place::Behind;
        }
        if offset >= self.end {
            self.pass_to(self.end);
            return Place::Past;
        }
        self.pass_to(offset);
        self.next = offset + 1;
        Place::Within
    }

    /// Whether the record that arrived is the window's by its own timestamp. Where that is no bound, a timestamp outside the
    /// window is counted beside the record.
    #[inline]
    pub fn admits(&mut self, filter: &WindowFilter, record: &Record<'_>) -> bool {
        match filter.judge(record) {
            Judgement::Within => true,
            Judgement::Contradicts => {
                self.counts.contradicting += 1;
                true
            }
            Judgement::Outside => {
                self.counts.left_out += 1;
                false
            }
        }
    }

    /// The sink has the record that arrived.
    #[inline]
    pub fn took(&mut self, bytes: u64) {
        self.counts.records += 1;
        self.counts.bytes += bytes;
    }

    /// A filter left the record that arrived out.
    #[inline]
    pub fn left_out(&mut self) {
        self.counts.filtered += 1;
    }

    /// The sink has these records.
    #[inline]
    pub fn took_all(&mut self, records: u64, bytes: u64) {
        self.counts.records += records;
        self.counts.bytes += bytes;
    }

    /// The log has nothing before this offset that was not delivered. Whether the window is at its end by that.
    pub fn log_ends_at(&mut self, offset: i64) -> bool {
        self.pass_to(offset.min(self.end));
        self.is_done()
    }

    fn pass_to(&mut self, offset: i64) {
        if offset > self.next {
            self.counts.gaps += offset.abs_diff(self.next);
            self.next = offset;
        }
    }

    /// Ends the window where it was read to; what lay behind that is returned.
    pub fn end_here(&mut self) -> u64 {
        let left = self.left();
        self.end = self.next;
        left
    }

    /// Whether every offset was passed.
    pub fn is_done(&self) -> bool {
        self.next >= self.end
    }

    /// Whether the parts make up the whole window.
    pub fn adds_up(&self) -> bool {
        self.is_done() && self.adds_up_so_far()
    }

    /// Whether the parts make up what was passed.
    pub fn adds_up_so_far(&self) -> bool {
        self.counts.records + self.counts.filtered + self.counts.left_out + self.counts.gaps == self.passed()
    }

    /// Offsets not passed yet.
    pub fn left(&self) -> u64 {
        self.end.abs_diff(self.next)
    }

    /// Offsets passed.
    pub fn passed(&self) -> u64 {
        self.next.abs_diff(self.start)
    }

    /// The window's first offset.
    pub fn start(&self) -> i64 {
        self.start
    }

    /// The window's end, exclusive.
    pub fn end(&self) -> i64 {
        self.end
    }

    /// The next offset to see.
    pub fn next(&self) -> i64 {
        self.next
    }

    /// Records that the sink took.
    pub fn records(&self) -> u64 {
        self.counts.records
    }

    /// Records that a filter left out.
    pub fn filtered(&self) -> u64 {
        self.counts.filtered
    }

    /// Records whose timestamp lies outside the window: left out where timestamps are its bounds, delivered and counted besides
    /// where offsets are.
    pub fn outside(&self) -> u64 {
        self.counts.left_out + self.counts.contradicting
    }

    /// Offsets without a record.
    pub fn gaps(&self) -> u64 {
        self.counts.gaps
    }

    /// Bytes of the keys and values that the sink took.
    pub fn bytes(&self) -> u64 {
        self.counts.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_hand_worked_window() {
        // 5..12 with records at 5, 6, 9; 7 and 8 were compacted, 10 is a marker, and the record at 13 is past the end.
        let mut tally = Tally::new(5, 12);
        for offset in [5, 6, 9] {
            assert_eq!(tally.arrived(offset), Place::Within);
            tally.took(10);
        }
        assert!(!tally.is_done());
        assert_eq!(tally.arrived(13), Place::Past);
        assert!(tally.is_done() && tally.adds_up());
        assert_eq!((tally.records(), tally.gaps(), tally.bytes(), tally.next()), (3, 4, 30, 12));
    }

    #[test]
    fn the_end_of_the_log_before_the_end_of_the_window_is_not_its_end() {
        let mut tally = Tally::new(0, 10);
        tally.arrived(0);
        tally.took(1);
        assert!(!tally.log_ends_at(5));
        assert_eq!((tally.next(), tally.gaps(), tally.left()), (5, 4, 5));
        assert!(!tally.adds_up());
        assert!(!tally.log_ends_at(3), "an older end takes nothing back");
        assert_eq!(tally.next(), 5);
        assert!(tally.log_ends_at(12));
        assert!(tally.adds_up());
    }

    #[test]
    fn a_window_that_ends_early_adds_up_to_there() {
        let mut tally = Tally::new(0, 10);
        tally.log_ends_at(4);
        assert_eq!(tally.end_here(), 6);
        assert!(tally.adds_up());
        assert_eq!(tally.end(), 4);
    }

    #[test]
    fn a_record_that_the_sink_did_not_take_makes_the_sum_differ() {
        let mut tally = Tally::new(0, 3);
        for offset in 0..3 {
            tally.arrived(offset);
            if offset != 1 {
                tally.took(1);
            }
        }
        assert!(tally.is_done() && !tally.adds_up());
    }

    #[test]
    fn a_timestamp_outside_is_left_out_or_counted_besides_and_the_sum_holds() {
        use crate::model::{Timestamp, TimestampType};
        use crate::report::{WindowReport, WindowSide};
        // Times 5, 15, 25 at 0, 1, 2 and a gap at 3; the window is [10, 20).
        for (mode, taken) in [(WindowReport::OFFSETS, vec![0, 1, 2]), (WindowReport::TIMESTAMPS, vec![1])] {
            let side = |ms| WindowSide::Time { timestamp_ms: ms, timestamp: Timestamp(ms) };
            let (from, to) = (side(10), Some(side(20)));
            let window = WindowReport { mode: mode.to_owned(), from, to, padding_ms: None, exact: None };
            let filter = WindowFilter::of(&window);
            let mut tally = Tally::new(0, 4);
            let mut delivered = Vec::new();
            for offset in 0..3 {
                let record = Record {
                    topic: "t",
                    partition: 0,
                    offset,
                    timestamp_ms: 5 + 10 * offset,
                    timestamp_type: TimestampType::CreateTime,
                    key: None,
                    value: None,
                    headers: &[],
                };
                assert_eq!(tally.arrived(offset), Place::Within);
                if tally.admits(&filter, &record) {
                    delivered.push(offset);
                    tally.took(1);
                }
            }
            assert!(tally.log_ends_at(4) && tally.adds_up(), "{mode}");
            assert_eq!((delivered, tally.outside(), tally.gaps()), (taken, 2, 1), "{mode}");
        }
    }

    #[test]
    fn a_record_that_comes_twice_is_behind() {
        let mut tally = Tally::new(0, 3);
        assert_eq!(tally.arrived(1), Place::Within);
        assert_eq!(tally.arrived(1), Place::Behind);
        assert_eq!(tally.arrived(0), Place::Behind);
    }

    proptest! {
        #[test]
        fn whatever_arrives_in_order_is_accounted_for(
            start in 0i64..50, length in 0i64..50, present in proptest::collection::vec(any::<bool>(), 120), by_end in any::<bool>(),
        ) {
            let end = start + length;
            let mut tally = Tally::new(start, end);
            let mut expected = 0;
            let last = end + 5;
            for offset in start..last {
                if !present[offset as usize] || tally.is_done() && offset >= end { continue }
                if by_end && offset >= end { break }
                match tally.arrived(offset) {
                    Place::Within => { prop_assert!(offset < end); tally.took(1); expected += 1 }
                    Place::Past => prop_assert!(offset >= end),
                    Place::Behind => prop_assert!(false),
                }
            }
            tally.log_ends_at(last);
            prop_assert!(tally.adds_up());
            prop_assert_eq!(tally.records(), expected);
            prop_assert_eq!(tally.gaps(), length as u64 - expected);
        }
    }
}
