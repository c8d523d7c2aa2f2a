//! The forms of the report, and where its bytes go.

use super::only;
use crate::support::{BINARY, fresh, krewind, topic};
use local_kafka::shared;
use std::process::{Command, Stdio};
use std::time::SystemTime;

#[test]
fn the_table_is_this_one() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[12, 3]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 7, "").unwrap();
    let run = krewind(cluster).args(["describe", &group]).run().succeeds();
    let (g, t) = (group.len(), topic.len());
    let expected = format!(
        "{group}: Empty (simple), classic, no members\n\
         {:g$}  {:t$}  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  STATUS\n\
         {group}  {topic}          0               7              12    5  ok\n\
         {group}  {topic}          1               -               3    -  no-commit\n\
         total: 2 partitions, lag 5, 1 lag not known\n",
        "GROUP", "TOPIC",
    );
    assert_eq!(run.stdout, expected);
}

#[test]
fn wide_and_csv_have_the_same_rows() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[12, 3]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "note").unwrap();
    cluster.delete_records(&topic, 0, 5).unwrap();
    let wide = krewind(cluster).args(["describe", &group, "-o", "wide"]).run().succeeds();
    let columns = wide.stdout.lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>();
    assert_eq!(
        columns,
        [
            "GROUP",
            "TOPIC",
            "PARTITION",
            "CURRENT-OFFSET",
            "LOG-END-OFFSET",
            "LAG",
            "STATUS",
            "LOG-START-OFFSET",
            "LOST",
            "LAST-STABLE-OFFSET",
            "CONSUMER-ID",
            "HOST",
            "CLIENT-ID"
        ]
    );
    let rows: Vec<Vec<&str>> = wide.table("GROUP").into_iter().map(|row| row[2..].to_vec()).collect();
    assert_eq!(
        rows,
        [
            ["0", "2", "12", "7", "behind-log-start", "5", "3", "12", "-", "-", "-"],
            ["1", "-", "3", "-", "no-commit", "0", "-", "3", "-", "-", "-"]
        ]
    );
    let csv = krewind(cluster).args(["describe", &group, "-o", "csv"]).run().succeeds();
    let header = csv.stdout.lines().next().unwrap();
    assert!(header.starts_with("group,topic,") && header.ends_with(",status,reason"), "{header}");
    let pick = |fields: [&str; 9]| -> Vec<Vec<String>> {
        csv.csv().iter().map(|row| fields.map(|field| row[field].clone()).to_vec()).collect()
    };
    let picked = pick([
        "group",
        "topic",
        "partition",
        "current_offset",
        "log_start_offset",
        "log_end_offset",
        "lag",
        "lost",
        "metadata",
    ]);
    let expected = [
        [group.as_str(), &topic, "0", "2", "5", "12", "7", "3", "note"],
        [group.as_str(), &topic, "1", "", "0", "3", "", "", ""],
    ];
    assert_eq!(picked, expected);
}

#[test]
fn json_says_which_cluster_and_when() {
    use rdkafka::consumer::Consumer;
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[1]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 1, "").unwrap();
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    let before = now();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    let after = now();
    let report = run.json();
    let captured: jiff::Timestamp = report["captured_at"].as_str().unwrap().parse().unwrap();
    assert!((before..=after).contains(&u128::try_from(captured.as_millisecond()).unwrap()), "{run}");
    let consumer = cluster.consumer(&fresh("look"), &[]).unwrap();
    let id = consumer.client().fetch_cluster_id(local_kafka::client::LIMIT).unwrap();
    assert_eq!(report["cluster_id"], id);
}

#[test]
fn two_runs_over_the_same_state_print_the_same_bytes() {
    let cluster = shared();
    let (first, second, group) = (topic(cluster, "b", &[3; 12]), topic(cluster, "a", &[2, 2]), fresh("inventory"));
    cluster.commit_all(&group, &[(&first, 10, 1), (&first, 9, 2), (&second, 1, 2)]).unwrap();
    let run = || krewind(cluster).args(["describe", &group, "-o", "csv"]).run().succeeds();
    let (one, other) = (run(), run());
    assert_eq!(one.stdout, other.stdout);
    let order: Vec<(String, i32)> =
        one.csv().into_iter().map(|row| (row["topic"].clone(), row["partition"].parse().unwrap())).collect();
    let expected: Vec<(String, i32)> =
        (0..2).map(|p| (second.clone(), p)).chain((0..12).map(|p| (first.clone(), p))).collect();
    assert_eq!(order, expected);
}

#[test]
fn numbers_have_no_separators_in_a_pipe() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[12_345]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 1111, "").unwrap();
    for form in ["table", "wide", "markdown"] {
        let run = krewind(cluster).args(["describe", &group, "-o", form]).run().succeeds();
        for number in ["12345", "1111", "11234"] {
            assert!(run.stdout.contains(number), "{run}");
        }
    }
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    assert_eq!(only(&run)["partitions"][0]["lag"], 11_234);
}

#[test]
fn a_person_at_a_terminal_sees_separators() {
    use expectrl::Expect;
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[12_345]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 1111, "").unwrap();
    let home = tempfile::TempDir::new().unwrap();
    let shown = |more: [&str; 2]| {
        let mut command = Command::new(BINARY);
        krewind(cluster).args(["describe", &group]).args(more).prepare(&mut command, home.path());
        command.env("TERM", "xterm-256color");
        let mut terminal = expectrl::Session::spawn(command).unwrap();
        terminal.set_expect_timeout(Some(std::time::Duration::from_secs(30)));
        let shown = terminal.expect(expectrl::Eof).unwrap();
        String::from_utf8(shown.as_bytes().to_vec()).unwrap()
    };
    let table = shown(["-o", "table"]);
    for number in ["12,345", "1,111", "11,234"] {
        assert!(table.contains(number), "{table}");
    }
    // Programs get the same bytes there as anywhere.
    let json = shown(["-o", "json"]);
    assert!(json.contains("\"lag\": 11234"), "{json}");
}

#[test]
fn color_is_for_terminals() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[1]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 9, "").unwrap();
    let run = krewind(cluster).args(["describe", &group]).run().succeeds();
    assert!(!run.stdout.contains('\u{1b}'), "{run:?}");
    let run = krewind(cluster).args(["describe", &group, "--color", "always"]).run().succeeds();
    assert!(run.stdout.contains('\u{1b}'), "{run:?}");
}

#[test]
fn a_reader_that_left_is_no_failure() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[1; 40]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 1, "").unwrap();
    let home = tempfile::TempDir::new().unwrap();
    for form in ["table", "json", "csv"] {
        let mut command = Command::new(BINARY);
        krewind(cluster).args(["describe", &group, "-o", form]).prepare(&mut command, home.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // As `| head -0` does: the reading end is closed before anything is written.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{form}");
    }
}

#[test]
fn looking_leaves_nothing_behind() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[5]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "note").unwrap();
    let home = tempfile::TempDir::new().unwrap();
    krewind(cluster).args(["describe", &group]).home(home.path()).run().succeeds();
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    // Neither a commit nor a member of krewind's own.
    let after = cluster.committed(&group, &topic, &[0]).unwrap().remove(0).unwrap();
    assert_eq!((after.offset, after.metadata.as_str()), (2, "note"));
    assert!(!cluster.group_names().unwrap().iter().any(|name| name.contains("krewind")));
}

// Other systems have no device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_can_not_be_written_is_a_failure() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[5]), fresh("inventory"));
    cluster.commit(&group, &topic, 0, 2, "").unwrap();
    let home = tempfile::TempDir::new().unwrap();
    for args in [["describe", group.as_str()], ["completions", "bash"], ["--help", "-v"]] {
        let mut command = Command::new(BINARY);
        krewind(cluster).args(args).prepare(&mut command, home.path());
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command.stdin(Stdio::null()).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.contains("could not be written"), "{args:?}: {stderr}");
    }
}
