//! The lessons on the tests' broker: reality, the model and the tables worked out by hand agree, and nothing is left behind.

use super::by_hand::{
    AUTO_COMMIT_LOSS, LOG, Lesson, MANUAL_DUPLICATES, RETENTION_GAP, REWIND_REBUILD, UPSERT_CONVERGES, holds,
};
use crate::reset::runner::{DEADLINE, Krewind};
use crate::reset::terminal::Terminal;
use local_kafka::{Check, Cluster, shared, wait_for};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A live run whose words are read as they come.
struct Live {
    cluster: &'static Cluster,
    child: Child,
    words: Receiver<String>,
    seen: Vec<String>,
    name: String,
    database: PathBuf,
    _home: Krewind,
}

impl Live {
    fn start(lesson: &Lesson, args: &[&str]) -> Live {
        let cluster = shared();
        let home = Krewind::on(cluster);
        let fixed = ["lab", "--live", "--scenario", lesson.name, "--yes", "-o", "json"];
        let mut command = home.command(&[&fixed, args].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (told, words) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = told.send(line);
            }
        });
        let mut live = Live {
            cluster,
            child,
            words,
            seen: Vec::new(),
            name: String::new(),
            database: PathBuf::new(),
            _home: home,
        };
        let plan = live.until("makes:");
        let quoted: Vec<&str> = plan.split('`').collect();
        (live.name, live.database) = (quoted[1].to_owned(), PathBuf::from(quoted[3]));
        live
    }

    /// The next line with these words.
    #[track_caller]
    fn until(&mut self, words: &str) -> String {
        loop {
            match self.words.recv_timeout(DEADLINE) {
                Ok(line) => {
                    self.seen.push(line.clone());
                    if line.contains(words) {
                        return line;
                    }
                }
                Err(_) => panic!("`{words}` was not said after:\n{}", self.seen.join("\n")),
            }
        }
    }

    fn signal(&self, name: &str) {
        crate::reset::runner::signal(self.child.id(), name);
    }

    fn committed(&self) -> Option<i64> {
        self.cluster.committed_offsets(&self.name, &self.name, &[0]).unwrap()[0]
    }

    /// Waits for its end; the exit code and the report.
    fn end(mut self) -> (Option<i32>, Value) {
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let code = self.child.wait().unwrap().code();
        self.seen.extend(self.words.iter());
        let report = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}\n{}", self.seen.join("\n")));
        self.is_gone();
        (code, report)
    }

    /// Topic, group, directory and consumer processes are gone.
    fn is_gone(&self) {
        assert!(self.cluster.watermarks(&self.name, 0).is_err(), "topic {} is still there", self.name);
        assert!(!self.cluster.group_names().unwrap().contains(&self.name), "group {} is still there", self.name);
        assert!(!self.database.parent().unwrap().exists(), "{} is still there", self.database.display());
        for pid in self.consumers() {
            assert!(!Path::new(&format!("/proc/{pid}")).exists(), "consumer {pid} is still there");
        }
    }

    /// The consumers that were started.
    fn consumers(&self) -> Vec<u32> {
        let started = self.seen.iter().filter_map(|line| line.strip_prefix("consumer started: process "));
        started.map(|rest| rest.split(',').next().unwrap().parse().unwrap()).collect()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same lesson by the model alone.
fn by_the_model(lesson: &Lesson) -> Value {
    let ran = Krewind::at("nowhere.invalid:9").run(&["lab", "--scenario", lesson.name, "-o", "json"]);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn agrees(lesson: &Lesson) {
    let live = Live::start(lesson, &[]);
    let (code, report) = live.end();
    assert_eq!(code, Some(0), "{report:#}");
    assert_eq!(report["live"], true);
    assert_eq!(report.get("warnings"), None);
    holds(&report, lesson.steps);
    let model = by_the_model(lesson);
    assert_eq!(model["live"], false);
    assert_eq!(report["steps"], model["steps"]);
    assert_eq!(report["final"], model["final"]);
}

#[test]
fn auto_commit_loses_on_a_real_cluster_too() {
    agrees(&AUTO_COMMIT_LOSS);
}

#[test]
fn manual_commit_repeats_on_a_real_cluster_too() {
    agrees(&MANUAL_DUPLICATES);
}

#[test]
fn an_upsert_converges_on_a_real_cluster_too() {
    agrees(&UPSERT_CONVERGES);
}

#[test]
fn rewinding_rebuilds_on_a_real_cluster_too() {
    agrees(&REWIND_REBUILD);
}

#[test]
fn retention_leaves_its_gap_on_a_real_cluster_too() {
    agrees(&RETENTION_GAP);
}

/// Orders and offsets of the sink, as another program reads them.
fn sink(database: &Path) -> Vec<(i64, i64)> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(database, flags).unwrap();
    let mut rows = connection.prepare("SELECT order_id, log_offset FROM orders ORDER BY rowid").unwrap();
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn the_crash_is_real_for_somebody_who_looks_from_outside() {
    let mut live = Live::start(&AUTO_COMMIT_LOSS, &[]);
    let killed = live.until("(SIGKILL)");
    let pid = killed.split_ascii_whitespace().nth(2).unwrap();
    assert!(!Path::new("/proc").join(pid).exists(), "{killed}");
    // The new consumer waits now: nothing moves.
    live.until("the new consumer waits");
    assert_eq!(live.committed(), Some(4));
    assert_eq!(live.cluster.watermarks(&live.name, 0).unwrap(), (0, 12));
    assert_eq!(sink(&live.database), [(1001, 0), (1002, 1), (1001, 2)]);
    live.until("> process all");
    let (code, report) = live.end();
    assert_eq!((code, report["final"]["lost"].as_u64()), (Some(0), Some(1)));
    assert_eq!(LOG[3], 1003);
}

#[test]
fn the_rewinding_is_real_for_somebody_who_looks_from_outside() {
    let mut live = Live::start(&REWIND_REBUILD, &[]);
    live.until("> rewind 10:03");
    live.until("committed 3");
    let stands = wait_for("the group at the event of 10:03", DEADLINE, || {
        // From here on the next consumer may already have read on.
        Ok(live.committed().filter(|&offset| offset >= 3).map_or(Check::NotYet(String::new()), Check::Done))
    });
    assert!([3, 7, 11, 12].contains(&stands.unwrap()));
    let orders: Vec<i64> = sink(&live.database).into_iter().map(|(order, _)| order).collect();
    assert!(orders.contains(&1001), "{orders:?}");
    live.end();
}

fn ended_by(signal: &str) {
    let mut live = Live::start(&MANUAL_DUPLICATES, &[]);
    live.until("the new consumer waits");
    live.signal(signal);
    let (code, report) = live.end();
    assert_eq!(code, Some(130), "{report:#}");
    assert_eq!((report["kind"].as_str(), report["code"].as_str()), (Some("error"), Some("interrupted")));
}

#[test]
fn ctrl_c_leaves_nothing_behind() {
    ended_by("INT");
}

#[test]
fn neither_does_a_request_to_end() {
    ended_by("TERM");
}

#[test]
fn neither_does_a_terminal_that_goes_away() {
    ended_by("HUP");
}

#[test]
fn what_would_be_made_is_shown_and_nothing_is_made_without_a_yes() {
    let home = Krewind::on(shared());
    let live = ["lab", "--live", "--scenario", "upsert-converges"];
    for (flags, code, says) in [
        (&["--dry-run"][..], 0, "dry run: nothing was made"),
        (&[], 3, "nobody can be asked here"),
        (&["--read-only", "--yes"], 3, "this run is read-only"),
    ] {
        let ran = home.run(&[&live, flags].concat());
        assert_eq!(ran.code, Some(code), "{ran}");
        assert!(ran.stderr.contains(says), "{ran}");
        if let Some(name) = ran.stderr.split('`').nth(1).filter(|name| name.starts_with("krewind-lab-")) {
            assert!(shared().watermarks(name, 0).is_err());
            assert!(!shared().group_names().unwrap().contains(&name.to_owned()));
        }
    }
}

/// The topic's name, which is the group's too, from the plan.
fn planned(words: &str) -> String {
    words.split('`').find(|part| part.starts_with("krewind-lab-")).unwrap_or_else(|| panic!("{words}")).to_owned()
}

#[test]
fn a_person_types_lab_and_nothing_else_begins_it() {
    let home = Krewind::on(shared());
    let mut terminal = Terminal::start(&home, &["lab", "--live", "--scenario", "retention-gap"]);
    terminal.shows("type lab to begin");
    terminal.types("retention-gap");
    let ran = terminal.end();
    assert_eq!(ran.code, Some(3), "{ran}");
    assert!(ran.stderr.contains("`lab` was not typed; nothing was written"), "{ran}");
    assert!(shared().watermarks(&planned(&ran.stderr), 0).is_err());

    let mut terminal = Terminal::start(&home, &["lab", "--live", "--scenario", "retention-gap"]);
    terminal.shows("type lab to begin");
    terminal.types("lab");
    let ran = terminal.end();
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("Two events are gone for good"), "{ran}");
    let name = planned(&ran.stderr);
    assert!(shared().watermarks(&name, 0).is_err());
    assert!(!shared().group_names().unwrap().contains(&name));
}

#[test]
fn where_no_broker_answers_nothing_is_left_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let home = Krewind::at("127.0.0.1:1");
    let mut command =
        home.command(&["lab", "--live", "--scenario", "retention-gap", "--yes", "--timeout", "2s", "-o", "json"]);
    command.env("TMPDIR", temporary.path());
    let ran = crate::reset::runner::Running::start(command).end();
    assert_eq!(ran.code, Some(1), "{ran}");
    let error: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(error["code"], "connection-failed");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}
