//! The five lessons, worked out by hand from Kafka's rules: the committed offset is the next one to read, a consumer without a
//! valid one begins at the log start, and lag counts from the committed offset, or from the log start where that is later.
//!
//! The log, offset by offset, from 10:00 on, an event each minute:
//!
//! | offset | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 |
//! |---|---|---|---|---|---|---|---|---|---|---|---|---|
//! | order | 1001 | 1002 | 1001 | 1003 | 1004 | 1002 | 1005 | 1006 | 1004 | 1007 | 1005 | 1008 |

use serde_json::{Value, json};

/// The order of each offset.
pub const LOG: [i64; 12] = [1001, 1002, 1001, 1003, 1004, 1002, 1005, 1006, 1004, 1007, 1005, 1008];

/// How it stands after an action. -1: there is none.
pub struct Stands {
    pub action: &'static str,
    pub committed: i64,
    pub position: i64,
    pub log_start: i64,
    pub lag: i64,
    pub rows: i64,
    pub orders: i64,
    pub lost: i64,
    pub duplicates: i64,
    pub writes: i64,
    /// Read, lost (again), retained away, still to come: all twelve.
    pub account: [i64; 4],
}

/// `[committed, position, log start, lag]`, `[rows, orders, lost, duplicates, writes]`, account.
const fn after(action: &'static str, log: [i64; 4], sink: [i64; 5], account: [i64; 4]) -> Stands {
    let [committed, position, log_start, lag] = log;
    let [rows, orders, lost, duplicates, writes] = sink;
    Stands { action, committed, position, log_start, lag, rows, orders, lost, duplicates, writes, account }
}

/// A lesson, batches of four.
pub struct Lesson {
    pub name: &'static str,
    pub commit: &'static str,
    pub sink: &'static str,
    pub steps: &'static [Stands],
}

/// The timer commits right after each poll; 3 is in hand when the consumer dies.
pub const AUTO_COMMIT_LOSS: Lesson = Lesson {
    name: "auto-commit-loss",
    commit: "auto",
    sink: "append",
    steps: &[
        after("process 3", [4, 4, 0, 8], [3, 2, 0, 0, 3], [3, 0, 0, 9]),
        after("crash", [4, -1, 0, 8], [3, 2, 1, 0, 3], [3, 1, 0, 8]),
        after("restart", [4, 4, 0, 8], [3, 2, 1, 0, 3], [3, 1, 0, 8]),
        // All but offset 3, whose order has no other event.
        after("process all", [12, 12, 0, 0], [11, 7, 1, 0, 11], [11, 1, 0, 0]),
    ],
};

/// 0-3 are written and committed, 4-6 only written.
pub const MANUAL_DUPLICATES: Lesson = Lesson {
    name: "manual-duplicates",
    commit: "manual",
    sink: "append",
    steps: &[
        after("process 7", [4, 8, 0, 8], [7, 5, 0, 0, 7], [7, 0, 0, 5]),
        after("crash", [4, -1, 0, 8], [7, 5, 0, 0, 7], [7, 0, 0, 5]),
        after("restart", [4, 4, 0, 8], [7, 5, 0, 0, 7], [7, 0, 0, 5]),
        after("process all", [12, 12, 0, 0], [15, 8, 0, 3, 15], [12, 0, 0, 0]),
    ],
};

/// The same with a row for each order, then all twelve once more.
pub const UPSERT_CONVERGES: Lesson = Lesson {
    name: "upsert-converges",
    commit: "manual",
    sink: "upsert",
    steps: &[
        after("process 7", [4, 8, 0, 8], [5, 5, 0, 0, 7], [7, 0, 0, 5]),
        after("crash", [4, -1, 0, 8], [5, 5, 0, 0, 7], [7, 0, 0, 5]),
        after("restart", [4, 4, 0, 8], [5, 5, 0, 0, 7], [7, 0, 0, 5]),
        after("process all", [12, 12, 0, 0], [8, 8, 0, 3, 15], [12, 0, 0, 0]),
        after("rewind earliest", [0, 0, 0, 12], [8, 8, 0, 3, 15], [12, 0, 0, 0]),
        after("process all", [12, 12, 0, 0], [8, 8, 0, 15, 27], [12, 0, 0, 0]),
    ],
};

/// The event of 10:03 is offset 3: from there nine are read, eight of them for the second time.
pub const REWIND_REBUILD: Lesson = Lesson {
    name: "rewind-rebuild",
    commit: "auto",
    sink: "upsert",
    steps: &[
        after("process 3", [4, 4, 0, 8], [2, 2, 0, 0, 3], [3, 0, 0, 9]),
        after("crash", [4, -1, 0, 8], [2, 2, 1, 0, 3], [3, 1, 0, 8]),
        after("restart", [4, 4, 0, 8], [2, 2, 1, 0, 3], [3, 1, 0, 8]),
        after("process all", [12, 12, 0, 0], [7, 7, 1, 0, 11], [11, 1, 0, 0]),
        after("stop", [12, -1, 0, 0], [7, 7, 1, 0, 11], [11, 1, 0, 0]),
        after("rewind 10:03", [3, -1, 0, 9], [7, 7, 0, 0, 11], [11, 0, 0, 1]),
        after("restart", [3, 3, 0, 9], [7, 7, 0, 0, 11], [11, 0, 0, 1]),
        after("process all", [12, 12, 0, 0], [8, 8, 0, 8, 20], [12, 0, 0, 0]),
    ],
};

/// 4 and 5 are deleted before anybody read them. Their orders have other events.
pub const RETENTION_GAP: Lesson = Lesson {
    name: "retention-gap",
    commit: "manual",
    sink: "append",
    steps: &[
        after("process 4", [4, 4, 0, 8], [4, 3, 0, 0, 4], [4, 0, 0, 8]),
        after("stop", [4, -1, 0, 8], [4, 3, 0, 0, 4], [4, 0, 0, 8]),
        after("retention 6", [4, -1, 6, 6], [4, 3, 0, 0, 4], [4, 0, 2, 6]),
        after("restart", [4, 6, 6, 6], [4, 3, 0, 0, 4], [4, 0, 2, 6]),
        after("process all", [12, 12, 6, 0], [10, 8, 0, 0, 10], [10, 0, 2, 0]),
        after("rewind earliest", [6, 6, 6, 6], [10, 8, 0, 0, 10], [10, 0, 2, 0]),
        after("process all", [12, 12, 6, 0], [16, 8, 0, 6, 16], [10, 0, 2, 0]),
    ],
};

pub const LESSONS: [&Lesson; 5] =
    [&AUTO_COMMIT_LOSS, &MANUAL_DUPLICATES, &UPSERT_CONVERGES, &REWIND_REBUILD, &RETENTION_GAP];

impl Stands {
    /// By the names that a report has for them.
    pub fn numbers(&self) -> [(&'static str, Option<i64>); 13] {
        let some = |number: i64| (number >= 0).then_some(number);
        let [read, lost, retained_away, to_come] = self.account;
        assert_eq!((lost, self.account.iter().sum::<i64>()), (self.lost, 12), "the table itself is wrong");
        [
            ("committed", some(self.committed)),
            ("position", some(self.position)),
            ("log_start_offset", some(self.log_start)),
            ("log_end_offset", Some(12)),
            ("lag", some(self.lag)),
            ("sink_rows", some(self.rows)),
            ("distinct_orders", some(self.orders)),
            ("lost", some(self.lost)),
            ("duplicates", some(self.duplicates)),
            ("sink_writes", some(self.writes)),
            ("read", some(read)),
            ("retained_away", some(retained_away)),
            ("to_come", some(to_come)),
        ]
    }
}

/// That a report's steps are these, number by number, and that it ends as the last one says.
#[track_caller]
pub fn holds(report: &Value, by_hand: &[Stands]) {
    let steps = report["steps"].as_array().unwrap();
    let actions: Vec<&str> = steps.iter().map(|step| step["action"].as_str().unwrap()).collect();
    assert_eq!(actions, by_hand.iter().map(|stands| stands.action).collect::<Vec<_>>());
    for (place, (step, stands)) in steps.iter().zip(by_hand).enumerate() {
        assert!(!step["why"].as_str().unwrap().is_empty(), "{step}");
        for (name, number) in stands.numbers() {
            assert_eq!(step.get(name), Some(&json!(number)), "`{name}` after step {}: {step:#}", place + 1);
        }
    }
    for (name, number) in by_hand.last().unwrap().numbers() {
        assert_eq!(report["final"].get(name), Some(&json!(number)), "`{name}` in the end: {report:#}");
    }
}
