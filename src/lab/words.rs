//! What happened, and why, in plain words.

use super::event::Event;
use super::model::{CommitMode, Happened, Refused, Target};
use super::sink::SinkMode;

/// Offsets as ranges: `offset 3`, `offsets 0-2, 5`.
pub fn offsets(offsets: &[i64]) -> String {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for &offset in offsets {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == offset => *last = offset,
            _ => ranges.push((offset, offset)),
        }
    }
    let text: Vec<String> = ranges
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    format!("offset{} {}", if offsets.len() == 1 { "" } else { "s" }, text.join(", "))
}

/// Events by their orders: `order 1003 (offset 3)`, `orders 1003, 1004 (offsets 3-4)`.
fn orders(offsets: &[i64]) -> String {
    const NAMED: usize = 4;
    let mut numbers: Vec<String> = offsets.iter().map(|&offset| Event::at(offset).order.to_string()).collect();
    numbers.dedup();
    let many = numbers.len();
    if many > NAMED {
        numbers.truncate(NAMED);
        numbers.push("…".to_owned());
    }
    format!("order{} {} ({})", if many == 1 { "" } else { "s" }, numbers.join(", "), self::offsets(offsets))
}

fn range(first: i64, next: i64) -> String {
    offsets(&(first..next).collect::<Vec<_>>())
}

fn they(offsets: &[i64], one: &'static str, many: &'static str) -> &'static str {
    if offsets.len() == 1 { one } else { many }
}

/// One step, in a sentence.
pub fn sentence(happened: &Happened) -> String {
    match happened {
        Happened::Polled { first, next, out_of_range } => {
            let jump = out_of_range.map(|position| jumped(position, *first)).unwrap_or_default();
            format!("{jump}polled {}: in hand, not in the sink yet; the position is {next}", range(*first, *next))
        }
        Happened::NothingToPoll(position) => format!("nothing to read: the position {position} is the log end"),
        Happened::Processed(event) => {
            format!("worked on offset {}: order {} {}", event.offset, event.order, event.status())
        }
        Happened::Wrote { event, sink, again } => {
            let what = format!("wrote order {} {} (offset {})", event.order, event.status(), event.offset);
            match (again, sink) {
                (false, _) => what,
                (true, SinkMode::Append) => format!("{what} once more: the append-only sink now has a copy"),
                (true, SinkMode::Upsert) => format!("{what} once more: the upsert replaced the row"),
            }
        }
        Happened::Committed { offset, by, unwritten_from } => committed(*offset, *by, *unwritten_from),
        Happened::NothingToCommit => "nothing new to commit".to_owned(),
        Happened::Crashed { committed, lost, repeats, unread, gone } => {
            crashed(*committed, lost, repeats, unread, gone)
        }
        Happened::Started { position, committed, gone } => started(*position, *committed, gone),
        Happened::Left { committed: Some(committed) } => {
            format!("the consumer left the group in order; the committed offset stays {committed}")
        }
        Happened::Left { committed: None } => "the consumer left the group before it had committed anything".to_owned(),
        Happened::Moved { from, to, target, rereads, rescued, skipped, gone } => {
            moved(*from, *to, *target, [rereads, rescued, skipped, gone])
        }
        Happened::Produced { first, next } => format!("new events at {}; the log end is {next}", range(*first, *next)),
        Happened::Deleted { first, next, unread, lost, in_hand } => deleted(*first, *next, unread, lost, in_hand),
        Happened::Chose(settings) => format!(
            "from now on: {} commit, {} sink, batches of {}",
            settings.commit.as_str(),
            settings.sink.as_str(),
            settings.batch
        ),
    }
}

fn jumped(position: i64, start: i64) -> String {
    format!("the position {position} is out of range, so auto.offset.reset=earliest goes on at the log start {start}; ")
}

fn committed(offset: i64, by: CommitMode, unwritten_from: Option<i64>) -> String {
    match (by, unwritten_from) {
        (CommitMode::Manual, _) => format!("committed {offset}: all that was read before it is in the sink"),
        (CommitMode::Auto, None) => format!("the auto-commit timer committed {offset}"),
        (CommitMode::Auto, Some(first)) => {
            format!("the auto-commit timer committed {offset}, though {} not in the sink yet", {
                let unwritten: Vec<i64> = (first..offset).collect();
                format!("{} {}", offsets(&unwritten), they(&unwritten, "is", "are"))
            })
        }
    }
}

fn crashed(committed: Option<i64>, lost: &[i64], repeats: &[i64], unread: &[i64], gone: &[i64]) -> String {
    let commit = committed.map_or_else(|| "any commit".to_owned(), |committed| format!("the commit of {committed}"));
    let mut parts = Vec::new();
    if !lost.is_empty() {
        let its = they(lost, "its sink write", "their sink writes");
        parts.push(format!("crashed after {commit} and before {its}: {} will never be written", orders(lost)));
    }
    if !repeats.is_empty() {
        let its = they(repeats, "its commit", "their commit");
        let crashed = if parts.is_empty() { "crashed" } else { "also" };
        parts.push(format!(
            "{crashed} after the sink write of {} and before {its}: {} will be read and written again",
            offsets(repeats),
            they(repeats, "it", "they")
        ));
    }
    if !gone.is_empty() {
        parts.push(format!("{} in hand, deleted from the log meanwhile: can't be read again", orders(gone)));
    }
    if parts.is_empty() && unread.is_empty() {
        return "crashed with nothing in hand: nothing is lost, nothing will be read again".to_owned();
    }
    if !unread.is_empty() {
        let crashed =
            if parts.is_empty() { format!("crashed with {} in hand", offsets(unread)) } else { offsets(unread) };
        parts.push(format!(
            "{crashed}, neither written nor committed: {} will be read again, and nothing of {} is lost",
            they(unread, "it", "they"),
            they(unread, "it", "them")
        ));
    }
    parts.join("; ")
}

fn started(position: i64, committed: Option<i64>, gone: &[i64]) -> String {
    match committed {
        Some(committed) if committed == position => {
            format!("the consumer started at the committed offset {committed}: the next one to read")
        }
        Some(committed) => {
            let missing = match gone {
                [] => String::new(),
                gone => format!("; retention took {} unread", orders(gone)),
            };
            format!(
                "the consumer started: the committed offset {committed} lies before the log start, so auto.offset.reset=earliest goes on at {position}{missing}"
            )
        }
        None => format!(
            "the consumer started: no commit yet, so auto.offset.reset=earliest begins at the log start {position}"
        ),
    }
}

fn moved(from: Option<i64>, to: i64, target: Target, [rereads, rescued, skipped, gone]: [&[i64]; 4]) -> String {
    let was = from.map_or_else(|| "nowhere".to_owned(), |from| from.to_string());
    let place = match target {
        Target::Earliest => ", the log start".to_owned(),
        Target::Latest => ", the log end".to_owned(),
        Target::Time(time) => format!(", the first event at or after {time}"),
        Target::Offset(_) => String::new(),
    };
    let mut text = format!("moved the committed offset from {was} to {to}{place}");
    if !rereads.is_empty() {
        text.push_str(&format!("; {} will be read and written again", offsets(rereads)));
    }
    if !rescued.is_empty() {
        text.push_str(&format!("; {}, lost until now, will be read after all", orders(rescued)));
    }
    if !skipped.is_empty() {
        text.push_str(&format!("; {} will never be read", orders(skipped)));
    }
    if !gone.is_empty() && to == gone.last().map_or(to, |last| to.max(last + 1)) {
        text.push_str(&format!("; {} can't come back: deleted", orders(gone)));
    }
    text
}

fn deleted(first: i64, next: i64, unread: &[i64], lost: &[i64], in_hand: &[i64]) -> String {
    let mut text = format!("retention deleted {}; the log starts at {next}", range(first, next));
    if !unread.is_empty() {
        text.push_str(&format!("; {} had not been read, and never will be", orders(unread)));
    }
    if !lost.is_empty() {
        text.push_str(&format!("; {}, lost before, can't be rescued any more", orders(lost)));
    }
    if !in_hand.is_empty() {
        text.push_str(&format!("; the consumer still has {} in hand", offsets(in_hand)));
    }
    if unread.is_empty() && lost.is_empty() && in_hand.is_empty() {
        text.push_str("; all of it is in the sink, yet it can't be read again");
    }
    text
}

/// Several steps of one action, in a sentence: work is put together, everything else is told as it is.
pub fn summary(happened: &[Happened]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut work = Work::default();
    for happened in happened {
        if !work.took(happened) {
            parts.extend(std::mem::take(&mut work).told());
            parts.push(sentence(happened));
        }
    }
    parts.extend(work.told());
    parts.join("; ")
}

/// Polls, writes and commits that are told together.
#[derive(Default)]
struct Work {
    jump: Option<String>,
    polled: Vec<i64>,
    wrote: Vec<i64>,
    again: Vec<i64>,
    commits: Vec<i64>,
    early: Vec<i64>,
    sink: Option<SinkMode>,
    processed: Option<Event>,
}

impl Work {
    fn took(&mut self, happened: &Happened) -> bool {
        match happened {
            Happened::Polled { first, next, out_of_range } => {
                self.jump = out_of_range.map(|position| jumped(position, *first)).or(self.jump.take());
                self.polled.extend(*first..*next);
            }
            Happened::Processed(event) => self.processed = Some(*event),
            Happened::Wrote { event, sink, again } => {
                self.processed = None;
                self.sink = Some(*sink);
                self.wrote.push(event.offset);
                self.again.extend(again.then_some(event.offset));
            }
            Happened::Committed { offset, unwritten_from, .. } => {
                self.commits.push(*offset);
                self.early.extend(unwritten_from.is_some().then_some(*offset));
            }
            _ => return false,
        }
        true
    }

    fn told(self) -> Vec<String> {
        let mut parts = Vec::new();
        let early = !self.early.is_empty();
        if !self.polled.is_empty() && self.polled == self.wrote && !early {
            parts.push(format!("{}read and wrote {}", self.jump.unwrap_or_default(), offsets(&self.polled)));
        } else {
            if !self.polled.is_empty() {
                parts.push(format!("{}polled {}", self.jump.unwrap_or_default(), offsets(&self.polled)));
            }
            if early {
                let commits = listed(&self.commits);
                parts.push(format!("the auto-commit timer committed {commits} before the sink writes"));
            }
            if !self.wrote.is_empty() {
                parts.push(format!("wrote {}", offsets(&self.wrote)));
            }
        }
        if !self.again.is_empty() {
            let copies = match self.sink {
                Some(SinkMode::Upsert) => they(&self.again, "its row was replaced", "their rows were replaced"),
                _ => they(&self.again, "the sink has a copy of it now", "the sink has copies of them now"),
            };
            parts.push(format!("{} had been written before: {copies}", offsets(&self.again)));
        }
        if !early && !self.commits.is_empty() {
            parts.push(format!("committed {}", listed(&self.commits)));
        }
        if let Some(event) = self.processed {
            parts.push(sentence(&Happened::Processed(event)));
        }
        parts
    }
}

/// `4`, `4 and 8`, `4, 8 and 12`.
fn listed(numbers: &[i64]) -> String {
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Why a step can't be taken, and what helps.
pub fn refusal(refused: Refused) -> (String, Option<&'static str>) {
    match refused {
        Refused::Down => ("no consumer runs".to_owned(), Some("`restart` starts one")),
        Refused::Running => {
            ("a consumer runs, and a group with members is not moved".to_owned(), Some("`stop` lets it leave"))
        }
        Refused::Busy => ("the consumer has a batch in hand".to_owned(), Some("`step` goes on with it")),
        Refused::NothingInHand => ("the consumer has nothing in hand".to_owned(), Some("`step` polls")),
        Refused::OutOfRange { offset, start, end } => {
            (format!("offset {offset} lies outside the log, which is {start} to {end}"), None)
        }
        Refused::TooFew(count) => (format!("the log holds {count} events"), None),
        Refused::Full => ("the lab's log would get too long".to_owned(), None),
    }
}
