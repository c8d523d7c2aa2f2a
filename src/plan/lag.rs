//! What a commit and a log say together: lag, losses, and the words for them.

use crate::report::PartitionStatus;
use crate::watermark::Watermarks;

/// What a row shows of a commit in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Offsets still to read; `None` without a commit.
    pub lag: Option<u64>,
    /// Offsets deleted before they were read; `None` without a commit.
    pub lost: Option<u64>,
    /// The status.
    pub status: PartitionStatus,
    /// Its words.
    pub reason: Option<String>,
}

/// Where a commit stands in its log. `pending`: a transaction holds another commit.
pub fn standing(committed: Option<i64>, pending: bool, log: Watermarks) -> Standing {
    let (lag, lost) = (committed.map(|offset| log.lag(offset)), committed.map(|offset| log.lost(offset)));
    let (status, reason) = match committed {
        _ if pending => (
            PartitionStatus::PendingTransaction,
            Some("a transaction holds a commit that is not decided; this is the one before it".to_owned()),
        ),
        None => (PartitionStatus::NoCommit, None),
        Some(offset) if offset < log.log_start => (
            PartitionStatus::BehindLogStart,
            Some(format!("{} offsets were deleted before they were read", log.lost(offset))),
        ),
        Some(offset) if offset > log.high_watermark => (
            PartitionStatus::AheadOfLogEnd,
            Some(format!("the commit is {} past the log's end", offset.abs_diff(log.high_watermark))),
        ),
        Some(_) => (PartitionStatus::Ok, None),
    };
    let held_back = log.held_back();
    let reason = match reason {
        None if held_back > 0 => Some(format!(
            "open transaction: `read_committed` readers get no further than {}, {held_back} before the end",
            log.last_stable
        )),
        other => other,
    };
    Standing { lag, lost, status, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_standing_of_a_log_from_3_to_12() {
        let log = Watermarks { log_start: 3, high_watermark: 12, last_stable: 12 };
        let of = |offset| {
            let standing = standing(offset, false, log);
            (standing.lag, standing.lost, standing.status)
        };
        assert_eq!(of(Some(7)), (Some(5), Some(0), PartitionStatus::Ok));
        assert_eq!(of(Some(3)), (Some(9), Some(0), PartitionStatus::Ok));
        assert_eq!(of(Some(12)), (Some(0), Some(0), PartitionStatus::Ok));
        assert_eq!(of(Some(1)), (Some(9), Some(2), PartitionStatus::BehindLogStart));
        assert_eq!(of(Some(15)), (Some(0), Some(0), PartitionStatus::AheadOfLogEnd));
        assert_eq!(of(None), (None, None, PartitionStatus::NoCommit));
    }

    #[test]
    fn an_open_transaction_is_said_and_does_not_change_the_lag() {
        let log = Watermarks { log_start: 0, high_watermark: 10, last_stable: 5 };
        let standing = standing(Some(4), false, log);
        assert_eq!((standing.lag, standing.status), (Some(6), PartitionStatus::Ok));
        assert!(standing.reason.unwrap().contains("no further than 5, 5 before the end"));
    }
}
