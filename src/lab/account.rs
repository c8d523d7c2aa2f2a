//! What became of each event: read, lost, taken by retention, or still to come. It always adds up.

use std::collections::{BTreeMap, BTreeSet};

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It reached the sink, once or more often.
    Read,
    /// It is not in the sink, and nobody will read it: the consumer goes on behind it. Nothing says so.
    Lost,
    /// Retention deleted it before it was read.
    RetainedAway,
    /// The consumer has it in hand, or will read it.
    ToCome,
}

/// What is known of the log, the consumer and the sink.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The oldest offset that is kept.
    pub log_start: i64,
    /// The offset behind the last event; the first one is 0.
    pub log_end: i64,
    /// Where the consumer reads next: its position while it runs, else the committed offset. `None`: it would begin at the log
    /// start.
    pub next: Option<i64>,
    /// What it polled and has not written yet.
    pub in_hand: &'a BTreeSet<i64>,
    /// What is in the sink.
    pub written: &'a BTreeSet<i64>,
}

/// The account, which remembers of deleted events why they are missing: later commits pass them all the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    deleted: BTreeMap<i64, Fate>,
}

impl Account {
    /// To be called after each change: settles what became of events that retention deleted.
    pub fn settle(&mut self, facts: Facts<'_>) {
        for offset in 0..facts.log_start {
            if facts.written.contains(&offset) || facts.in_hand.contains(&offset) {
                continue;
            }
            let passed = facts.next.is_some_and(|next| offset < next);
            self.deleted.entry(offset).or_insert(if passed { Fate::Lost } else { Fate::RetainedAway });
        }
    }

    /// What became of the event at this offset.
    pub fn fate(&self, offset: i64, facts: Facts<'_>) -> Fate {
        if facts.written.contains(&offset) {
            Fate::Read
        } else if facts.in_hand.contains(&offset) {
            Fate::ToCome
        } else if let Some(fate) = self.deleted.get(&offset) {
            *fate
        } else if facts.next.is_some_and(|next| offset < next) {
            Fate::Lost
        } else {
            Fate::ToCome
        }
    }

    /// The events of this fate.
    pub fn of(&self, fate: Fate, facts: Facts<'_>) -> BTreeSet<i64> {
        (0..facts.log_end).filter(|&offset| self.fate(offset, facts) == fate).collect()
    }
}
