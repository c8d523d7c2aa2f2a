//! The table that is redrawn, and the choice of a group, on a terminal and without one.

use crate::reset::runner::Krewind;
use crate::reset::terminal::Terminal;
use crate::support::{BINARY, fresh, krewind, topic};
use local_kafka::shared;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_terminal_is_redrawn_until_q_and_left_as_it_was() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10]), fresh("watched"));
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    let run = Krewind::on(cluster);
    let mut terminal = Terminal::redirected(&run, &["describe", &group, "--watch=200ms"], r#"exec "$0" "$@""#);
    terminal.shows("CONSUME/S");
    // Raw mode, other screen: what is typed is not echoed, and both are undone at the end.
    terminal.shows("every 200ms");
    terminal.presses("q");
    let ended = terminal.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("\u{1b}[?1049l"), "{ended:?}");
    assert!(ended.stderr.contains("\u{1b}[?25h"), "{ended:?}");
}

#[test]
fn a_resized_terminal_is_drawn_anew_at_once() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10]), fresh("watched"));
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    let run = Krewind::on(cluster);
    // An interval so long that only the resize can be the reason.
    let mut terminal = Terminal::redirected(&run, &["describe", &group, "--watch=10m"], r#"exec "$0" "$@""#);
    terminal.shows("LOG-END-OFFSET");
    terminal.resizes(60, 50);
    terminal.shows("every 600s");
    terminal.shows("STATUS");
    terminal.presses("q");
    let ended = terminal.end();
    assert_eq!(ended.code, Some(0));
    // Both drawings; on the narrow one the titles are broken, and stand whole no more.
    assert_eq!((ended.stderr.matches("every 600s").count(), ended.stderr.matches("LOG-END-OFFSET").count()), (2, 1));
}

#[test]
fn ctrl_c_ends_the_watch_with_130() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10]), fresh("watched"));
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    let run = Krewind::on(cluster);
    let mut terminal = Terminal::redirected(&run, &["describe", &group, "--watch=200ms"], r#"exec "$0" "$@""#);
    terminal.shows("every 200ms");
    terminal.presses("\u{3}");
    assert_eq!(terminal.end().code, Some(130));
}

#[test]
fn without_a_terminal_json_comes_a_line_at_a_time_with_rates_between_looks() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10]), fresh("watched"));
    cluster.commit_all(&group, &[(&orders, 0, 4)]).unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(BINARY);
    krewind(cluster).args(["describe", &group, "--watch=300ms", "-o", "json"]).prepare(&mut command, home.path());
    let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let first = next();
    let row = &first["groups"][0]["partitions"][0];
    assert_eq!(row["lag"], 6);
    assert!(row.get("consume_rate").is_none(), "one look tells no rate");
    cluster.commit_all(&group, &[(&orders, 0, 10)]).unwrap();
    let moved = loop {
        let report = next();
        let row = report["groups"][0]["partitions"][0].clone();
        if row["current_offset"] == 10 {
            break row;
        }
    };
    let rate = moved["consume_rate"].as_f64().unwrap();
    // Six offsets between two looks that begin 300 ms apart, each of which takes its time.
    assert!(rate > 0.0 && rate <= 6.0 / 0.2, "{moved}");
    assert_eq!((moved["lag"].as_i64(), moved["caught_up_seconds"].as_f64()), (Some(0), Some(0.0)));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_group_is_offered_on_a_terminal_and_asked_for_by_name_elsewhere() {
    let cluster = shared();
    let (orders, group) = (topic(cluster, "orders", &[10]), fresh("zzchoice"));
    cluster.commit_all(&group, &[(&orders, 0, 7)]).unwrap();
    krewind(cluster).args(["describe"]).run().fails(2, ["no group is named", "--group GROUP"]);
    let run = Krewind::on(cluster);
    let mut terminal = Terminal::start(&run, &["describe"]);
    terminal.shows("group");
    terminal.presses(&group);
    terminal.shows(&group);
    terminal.presses("\r");
    let ended = terminal.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains(&format!("{group}: Empty")), "{ended:?}");
}
