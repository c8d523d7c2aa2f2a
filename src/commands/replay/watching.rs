//! What is shown while a replay reads.

use crate::exec::{Flow, Observer, Standing};
use crate::ui::{Progress, Ui};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two looks at each partition.
const EVERY: Duration = Duration::from_secs(10);

/// The terminal, as the driver sees it.
pub struct Watcher<'a> {
    ui: &'a Ui,
    progress: Option<Progress>,
    begun: Instant,
    /// When the partitions were told of last.
    told: Mutex<Instant>,
}

impl<'a> Watcher<'a> {
    /// Shows a bar over this many offsets, where there is room for it.
    pub fn new(ui: &'a Ui, offsets: Option<u64>) -> Self {
        let now = Instant::now();
        let progress = offsets.map(|offsets| ui.progress(offsets, "offsets"));
        Watcher { ui, progress, begun: now, told: Mutex::new(now) }
    }

    /// Lets the bar make room for a line.
    fn beside(&self, line: impl FnOnce(&Ui)) {
        match &self.progress {
            Some(progress) => progress.beside(|| line(self.ui)),
            None => line(self.ui),
        }
    }

    fn tells_partitions(&self) -> bool {
        self.ui.is_verbose() && !self.ui.is_quiet()
    }
}

impl Observer for Watcher<'_> {
    fn status(&self, text: &str) {
        self.beside(|ui| ui.status(text));
    }

    fn warn(&self, text: &str) {
        self.beside(|ui| ui.warn(text));
    }

    fn flow(&self, flow: &Flow) {
        if let Some(progress) = &self.progress {
            progress.at(flow.passed, || {
                let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
                format!(
                    "{} records, {}, {}/s",
                    indicatif::HumanCount(flow.records),
                    indicatif::DecimalBytes(flow.bytes),
                    indicatif::HumanCount((flow.records as f64 / seconds) as u64)
                )
            });
        }
    }

    fn ended(&self, partition: &Standing<'_>) {
        if self.tells_partitions() {
            self.beside(|ui| ui.status(&has_ended(partition)));
        }
    }

    fn reading(&self, partitions: &mut dyn Iterator<Item = Standing<'_>>) {
        if !self.tells_partitions() {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= EVERY {
            *told = Instant::now();
            for partition in partitions {
                self.beside(|ui| ui.status(&is_read(&partition)));
            }
        }
    }
}

/// `orders-0: end-reached at offset 1200; 798 records, 3 gaps`.
fn has_ended(at: &Standing<'_>) -> String {
    let of = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!(
        "{}: {} at offset {}; {}, {}",
        at.partition,
        at.ended.map_or("being read", |ended| ended.as_str()),
        at.next,
        of(at.records, "record"),
        of(at.gaps, "gap")
    )
}

/// `orders-0: at offset 600 of 1200, 50%`.
fn is_read(at: &Standing<'_>) -> String {
    let (passed, all) = (at.next.abs_diff(at.start), at.end.abs_diff(at.start).max(1));
    format!("{}: at offset {} of {}, {}%", at.partition, at.next, at.end, u128::from(passed) * 100 / u128::from(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TopicPartition;
    use crate::report::Ended;

    #[test]
    fn lines_of_partitions() {
        let partition = TopicPartition::new("orders", 3);
        let at = Standing { partition: &partition, start: 400, next: 650, end: 900, records: 1, gaps: 0, ended: None };
        assert_eq!(is_read(&at), "orders-3: at offset 650 of 900, 50%");
        // Not all of it before it is all.
        assert_eq!(is_read(&Standing { next: 899, ..at }), "orders-3: at offset 899 of 900, 99%");
        assert_eq!(is_read(&Standing { start: 5, next: 5, end: 5, ..at }), "orders-3: at offset 5 of 5, 0%");
        let ended = Standing { next: 900, records: 498, gaps: 2, ended: Some(Ended::EndReached), ..at };
        assert_eq!(has_ended(&ended), "orders-3: end-reached at offset 900; 498 records, 2 gaps");
        let limited = Standing { ended: Some(Ended::Limit), ..at };
        assert_eq!(has_ended(&limited), "orders-3: limit at offset 650; 1 record, 0 gaps");
    }
}
