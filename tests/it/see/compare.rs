//! `diff`: two snapshots, a snapshot and what stands now, a reset's report.

use crate::support::{Run, fresh, krewind, topic};
use local_kafka::{Cluster, shared};
use serde_json::Value;

struct Saved {
    dir: tempfile::TempDir,
}

impl Saved {
    fn new() -> Saved {
        Saved { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    fn save(&self, cluster: &Cluster, group: &str, name: &str) -> String {
        let path = self.path(name);
        krewind(cluster).args(["describe", group, "--save", &path, "-q"]).run().exits(0);
        path
    }
}

fn diff(cluster: &Cluster, args: &[&str]) -> Run {
    let mut run = krewind(cluster).arg("diff");
    for arg in args {
        run = run.arg(arg);
    }
    run.run()
}

fn changes(report: &Value) -> Vec<(i64, &str)> {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().map(|row| (row["partition"].as_i64().unwrap(), row["change"].as_str().unwrap())).collect()
}

#[test]
fn commits_that_moved_came_and_went_and_a_topic_that_merely_grew() {
    let cluster = shared();
    let (orders, group, saved) = (topic(cluster, "orders", &[10, 10, 10]), fresh("g"), Saved::new());
    cluster.commit_all(&group, &[(&orders, 0, 7), (&orders, 1, 3)]).unwrap();
    let before = saved.save(cluster, &group, "before.json");
    // Nothing but growth.
    cluster.produce_numbers(&orders, 1, 5).unwrap();
    let same = diff(cluster, &[&before, "--exit-code", "-o", "json"]).exits(0).json();
    assert_eq!((same["changed"].as_bool(), changes(&same).len()), (Some(false), 0));
    assert_eq!(same["after"]["source"], "live");
    let all = diff(cluster, &[&before, "--all", "-o", "json"]).exits(0).json();
    assert_eq!(changes(&all), [(0, "same"), (1, "same"), (2, "same")]);
    assert_eq!(all["rows"][1]["delta"]["log_end_offset"], 5);
    assert_eq!(all["rows"][1]["delta"]["lag"], 5);

    cluster.commit_all(&group, &[(&orders, 0, 2), (&orders, 2, 1)]).unwrap();
    let report = diff(cluster, &[&before, "--exit-code", "-o", "json"]).exits(4).json();
    assert_eq!(changes(&report), [(0, "moved"), (2, "added")]);
    let row = &report["rows"][0];
    assert_eq!((row["before"]["current_offset"].as_i64(), row["after"]["current_offset"].as_i64()), (Some(7), Some(2)));
    assert_eq!((row["delta"]["current_offset"].as_i64(), row["delta"]["lag"].as_i64()), (Some(-5), Some(5)));
    // Without the flag a change is an answer, not a failure.
    let table = diff(cluster, &[&before]).exits(0);
    assert!(table.stdout.contains("7 -> 2 (-5)"), "{table}");

    let after = saved.save(cluster, &group, "after.json");
    let report = diff(cluster, &[&after, &before, "-o", "json"]).exits(0).json();
    assert_eq!(changes(&report), [(0, "moved"), (2, "removed")]);
    let itself = diff(cluster, &[&after, &after, "--exit-code", "-o", "json"]).exits(0).json();
    assert_eq!(itself["changed"], false);
}

#[test]
fn a_topic_made_anew_is_recreated_and_never_plain_progress() {
    let cluster = shared();
    let (orders, group, saved) = (topic(cluster, "orders", &[10]), fresh("g"), Saved::new());
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    let before = saved.save(cluster, &group, "before.json");
    cluster.delete_topic(&orders).unwrap();
    cluster.create_topic(&orders, 1, &[]).unwrap();
    cluster.produce_numbers(&orders, 0, 10).unwrap();
    crate::support::until("the commit on the topic made anew", || {
        cluster.commit_all(&group, &[(&orders, 0, 7)]).is_ok()
            && cluster.committed_offsets(&group, &orders, &[0]).unwrap() == [Some(7)]
    });
    let report = diff(cluster, &[&before, "--exit-code", "-o", "json"]).exits(4).json();
    assert_eq!(changes(&report), [(0, "recreated")]);
}

#[test]
fn a_resets_report_is_compared_within_its_own_scope() {
    let cluster = shared();
    let (orders, group, saved) = (topic(cluster, "orders", &[10, 10]), fresh("g"), Saved::new());
    cluster.commit_all(&group, &[(&orders, 0, 7), (&orders, 1, 3)]).unwrap();
    let selection = format!("{orders}:0");
    let reset = ["reset", &group, "--topic", &selection, "--to-offset", "2", "--yes", "-o", "json"];
    let run = krewind(cluster).args(reset).run().exits(0);
    let path = saved.path("reset.json");
    std::fs::write(&path, &run.stdout).unwrap();
    // What it replaced, against what stands now: its own row alone.
    let report = diff(cluster, &[&path, "--all", "-o", "json"]).exits(0).json();
    assert_eq!(changes(&report), [(0, "moved")]);
    // And what it left, against what stands now: nothing.
    let report = diff(cluster, &[&path, &path, "-o", "json"]).exits(0).json();
    assert_eq!(report["rows"][0]["after"]["current_offset"], 2);
}

#[test]
fn a_group_that_is_gone_has_lost_its_commits_and_a_strange_file_is_refused() {
    let cluster = shared();
    let (orders, group, saved) = (topic(cluster, "orders", &[10]), fresh("g"), Saved::new());
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    let before = saved.save(cluster, &group, "before.json");
    crate::support::kafka_tool(cluster, "consumer.group.ConsumerGroupCommand", &["--delete", "--group", &group]);
    let report = diff(cluster, &[&before, "--exit-code", "-o", "json"]).run_code(&[1, 4]);
    assert_eq!(changes(&report), [(0, "removed")]);

    let strange = saved.path("strange.json");
    for text in ["", "[]", "{\"kind\": \"describe\"}", "{\"kind\": \"list\", \"version\": 1}", "not json"] {
        std::fs::write(&strange, text).unwrap();
        let run = diff(cluster, &[&strange, "-o", "json"]).exits(2);
        assert_eq!(run.error_code(), "bad-file", "{text}");
    }
    // A snapshot is not overwritten.
    let again = krewind(cluster).args(["describe", &group, "--save", &before]).run().exits(3);
    assert!(again.stderr.contains("exists"), "{again}");
}

impl Run {
    /// Ended with one of these codes; its report.
    fn run_code(self, codes: &[i32]) -> Value {
        assert!(self.code.is_some_and(|code| codes.contains(&code)), "{self}");
        self.json()
    }
}
