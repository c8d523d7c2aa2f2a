//! The five lessons: what is done, what to look at, what follows, and which command answers it in production.

use super::model::{CommitMode, Settings};
use super::script::{self, Action};
use super::sink::SinkMode;
use crate::error::Result;

/// A lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scenario {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub title: &'static str,
    /// How the lab begins.
    pub settings: Settings,
    /// What is done.
    pub script: &'static str,
    /// What to look at.
    pub look_at: &'static str,
    /// What follows.
    pub conclude: &'static str,
    /// The command that answers it in production.
    pub in_production: &'static str,
}

const fn settings(commit: CommitMode, sink: SinkMode) -> Settings {
    Settings { commit, sink, batch: 4 }
}

/// All of them, in the order in which they build on each other.
pub const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "auto-commit-loss",
        title: "a commit before the work can lose",
        settings: settings(CommitMode::Auto, SinkMode::Append),
        script: "process 3; crash; restart; process all",
        look_at: "The timer commits 4 while only three of the four events are in the sink. Watch LOST at the crash, and LAG at the end.",
        conclude: "Order 1003 is missing, and nothing says so: the lag is 0. A committed offset tells where reading goes on, not what was done. Commit after the work.",
        in_production: "krewind describe GROUP (lag 0 proves no completeness), then krewind reset GROUP --topic TOPIC --to-timestamp TIME --dry-run",
    },
    Scenario {
        name: "manual-duplicates",
        title: "a commit after the work can repeat",
        settings: settings(CommitMode::Manual, SinkMode::Append),
        script: "process 7; crash; restart; process all",
        look_at: "Seven events are in the sink, and the committed offset is 4. Watch DUPLICATES after the restart.",
        conclude: "Nothing is lost, and offsets 4-6 are in the sink twice. That is at-least-once: after a crash everything behind the committed offset comes again.",
        in_production: "krewind describe GROUP (the lag bounds what would come again), krewind peek GROUP (the events around the committed offset)",
    },
    Scenario {
        name: "upsert-converges",
        title: "a sink with a key takes repetition without harm",
        settings: settings(CommitMode::Manual, SinkMode::Upsert),
        script: "process 7; crash; restart; process all; rewind earliest; process all",
        look_at: "The same crash, then everything once more. Watch SINK-ROWS beside DUPLICATES.",
        conclude: "Fifteen writes too many, and still one row for each of the eight orders. With a key in the sink, going back is safe; append-only would hold 27 rows.",
        in_production: "krewind replay TOPIC --from TIME --into FILE.sqlite --if-exists upsert (or into postgres://...)",
    },
    Scenario {
        name: "rewind-rebuild",
        title: "rewinding rebuilds what was lost",
        settings: settings(CommitMode::Auto, SinkMode::Upsert),
        script: "process 3; crash; restart; process all; stop; rewind 10:03; restart; process all",
        look_at: "Order 1003 is lost as in the first lesson. The log still has it: watch LOST when the committed offset goes back to 10:03.",
        conclude: "The log keeps what was read. Going back to the time before the incident brings order 1003, and repeats what came after it; the upsert absorbs that.",
        in_production: "krewind reset GROUP --topic TOPIC --to-timestamp TIME --dry-run, then the same without --dry-run; krewind undo GROUP takes it back",
    },
    Scenario {
        name: "retention-gap",
        title: "rewinding reaches as far as retention",
        settings: settings(CommitMode::Manual, SinkMode::Append),
        script: "process 4; stop; retention 6; restart; process all; rewind earliest; process all",
        look_at: "The consumer is stopped for too long: retention deletes the six oldest events, and two of them it had not read. Watch LAG, LOG-START and RETAINED-AWAY.",
        conclude: "Two events are gone for good, and earliest is now 6: no reset brings them back. The lag fell from 8 to 6 although nobody read. Look at what is kept before counting on a rewind.",
        in_production: "krewind window TOPIC --from TIME (KEPT-AT-LEAST-UNTIL), krewind describe GROUP -o wide (STATUS behind-log-start, LOST)",
    },
];

impl Scenario {
    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Scenario> {
        SCENARIOS.iter().find(|scenario| scenario.name == name)
    }

    /// What is done, action by action.
    pub fn actions(&self) -> Result<Vec<Action>> {
        script::parse(self.script)
    }
}
