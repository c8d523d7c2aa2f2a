//! The lab: why resets and replays lose or repeat, to see with one's own hands.

pub mod live;
