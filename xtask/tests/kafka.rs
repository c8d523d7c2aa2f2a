//! `cargo xtask kafka` as a person runs it.
#![allow(clippy::unwrap_used)]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

fn xtask(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).arg("kafka").args(args).env("XDG_STATE_HOME", home).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Stops the broker also when the test fails.
struct Stop<'a>(&'a Path);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        xtask(self.0, &["stop"]);
    }
}

#[test]
fn a_broker_is_started_found_and_stopped() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let port = listener.local_addr().unwrap().port().to_string();

    let taken = xtask(home, &["start", "--port", &port]);
    let error = String::from_utf8(taken.stderr).unwrap();
    assert!(!taken.status.success());
    assert!(error.contains(&format!("error: port {port} of 127.0.0.1 is in use")), "{error}");
    assert_eq!(stdout(&xtask(home, &["status"])), "not running\n");

    drop(listener);
    let _stop = Stop(home);
    let started = xtask(home, &["start", "--port", &port]);
    assert_eq!(stdout(&started), format!("export KREWIND_BOOTSTRAP_SERVER={address}\n"), "{started:?}");
    // xtask has ended; the broker serves.
    let cluster = local_kafka::Cluster::new(&address);
    cluster.create_topic("t", 1, &[]).unwrap();
    let status = stdout(&xtask(home, &["status"]));
    assert!(status.starts_with("running: process ") && status.contains(&address), "{status}");
    let again = xtask(home, &["start", "--port", &port]);
    let error = String::from_utf8(again.stderr).unwrap();
    assert!(!again.status.success() && error.contains("already running"), "{error}");

    let stopped = stdout(&xtask(home, &["stop"]));
    assert!(stopped.starts_with("stopped process "), "{stopped}");
    assert_eq!(stdout(&xtask(home, &["status"])), "not running\n");
    assert_eq!(stdout(&xtask(home, &["stop"])), "not running\n");
}
