use super::time::Moment;

/// Where a group or a reader should stand.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// The oldest record that is kept.
    Earliest,
    /// After the last record: the high watermark.
    Latest,
    /// This offset.
    Offset(i64),
    /// The first record whose timestamp is this moment or later.
    Timestamp(Moment),
    /// This many offsets on from the commit; negative: back.
    ShiftBy(i64),
    /// Where the commit stands.
    Current,
}
