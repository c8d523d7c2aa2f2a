use crate::model::{Record, TimestampType};
use crate::report::{WindowReport, WindowSide};

/// Which records a window takes by their own timestamps. It follows from the window as it is reported, so that nothing else is
/// done than what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowFilter {
    from: Option<i64>,
    to: Option<i64>,
    leaves_out: bool,
}

/// What a record's timestamp says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// It does not speak against the window.
    Within,
    /// It lies outside the window's times, whose bounds are offsets all the same: the record is delivered.
    Contradicts,
    /// It lies outside the window's times, which are the bounds: the record is left out.
    Outside,
}

impl WindowFilter {
    /// What follows from a window.
    pub fn of(window: &WindowReport) -> Self {
        let time = |side: &WindowSide| match side {
            WindowSide::Time { timestamp_ms, .. } => Some(*timestamp_ms),
            _ => None,
        };
        WindowFilter {
            from: time(&window.from),
            to: window.to.as_ref().and_then(time),
            leaves_out: window.mode == WindowReport::TIMESTAMPS,
        }
    }

    /// Judges a record. One without a timestamp can't be said to lie within times, nor to contradict them.
    #[inline]
    pub fn judge(&self, record: &Record<'_>) -> Judgement {
        if record.timestamp_type == TimestampType::NotAvailable {
            return if self.leaves_out { Judgement::Outside } else { Judgement::Within };
        }
        let time = record.timestamp_ms;
        if self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time < to) {
            Judgement::Within
        } else if self.leaves_out {
            Judgement::Outside
        } else {
            Judgement::Contradicts
        }
    }
}
