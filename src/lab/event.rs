//! The events of the lab's log: each offset's event is always the same one.

use std::fmt;

/// Events in the log when the lab begins.
pub const FIRST_EVENTS: i64 = 12;

/// The most events that the lab's log takes.
pub const MOST_EVENTS: i64 = 999;

/// The minute of the day of the first event: 10:00. One event comes each minute.
const FIRST_MINUTE: i64 = 600;

/// Orders of the first events: four of the eight come twice.
const FIRST_ORDERS: [u32; FIRST_EVENTS as usize] =
    [1001, 1002, 1001, 1003, 1004, 1002, 1005, 1006, 1004, 1007, 1005, 1008];

/// One event of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Its place in the log.
    pub offset: i64,
    /// The order's number, the record's key.
    pub order: u32,
    /// Whether it is the order's second event.
    pub paid: bool,
}

impl Event {
    /// The event at this offset. After the first twelve, new orders come one after the other, each placed and then paid.
    pub fn at(offset: i64) -> Event {
        let first = usize::try_from(offset).ok().and_then(|place| FIRST_ORDERS.get(place).map(|order| (place, *order)));
        if let Some((place, order)) = first {
            return Event { offset, order, paid: FIRST_ORDERS[..place].contains(&order) };
        }
        let later = offset.saturating_sub(FIRST_EVENTS).clamp(0, MOST_EVENTS);
        let order = 1009 + u32::try_from(later / 2).unwrap_or_default();
        Event { offset, order, paid: later % 2 == 1 }
    }

    /// `placed` or `paid`.
    pub fn status(&self) -> &'static str {
        if self.paid { "paid" } else { "placed" }
    }

    /// When it was produced.
    pub fn time(&self) -> TimeOfDay {
        TimeOfDay(FIRST_MINUTE + self.offset)
    }
}

/// A minute of the lab's one day: 0 is midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeOfDay(pub i64);

impl TimeOfDay {
    /// A time such as `10:03`.
    pub fn parse(text: &str) -> Option<TimeOfDay> {
        let (hours, minutes) = text.split_once(':')?;
        let number = |text: &str| -> Option<i64> {
            let digits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten()
        };
        let (hours, minutes) = (number(hours)?, number(minutes).filter(|_| minutes.len() == 2)?);
        (hours < 24 && minutes < 60).then_some(TimeOfDay(hours * 60 + minutes))
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The log's end lies after midnight of the same day's count.
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}
