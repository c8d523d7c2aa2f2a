//! `reset --plan`, `apply` and `--wait-empty`: plans that are saved, reviewed, edited, and written later.

mod edited;
mod round_trip;
mod stale;
mod waiting;

use crate::reset::place::Place;
use crate::reset::runner::Krewind;
use serde_json::Value;
use std::path::PathBuf;

/// A place, the krewind of its test, and a directory for plans.
struct Saved {
    place: Place,
    krewind: Krewind,
    dir: tempfile::TempDir,
}

impl Saved {
    fn of(place: Place) -> Saved {
        let krewind = place.krewind();
        Saved { place, krewind, dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("plan.json")
    }

    /// The plan's path as an argument.
    fn file(&self) -> String {
        self.path().display().to_string()
    }

    /// Saves the plan of a reset of the whole topic with this target.
    #[track_caller]
    fn plan(&self, target: &[&str]) -> Value {
        let file = self.file();
        let args = ["reset", &self.place.group, "--topic", &self.place.topic, "--plan", &file];
        self.krewind.run(&[&args, target].concat()).exits(0).tells("saved to `");
        self.read()
    }

    fn read(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path()).unwrap()).unwrap()
    }

    fn write(&self, plan: &Value) {
        std::fs::write(self.path(), serde_json::to_vec_pretty(plan).unwrap()).unwrap();
    }

    /// Runs `apply FILE --yes -o json`.
    fn apply(&self, more: &[&str]) -> crate::reset::runner::Ran {
        let file = self.file();
        self.krewind.run(&[&["apply", &file, "--yes", "-o", "json"], more].concat())
    }
}
