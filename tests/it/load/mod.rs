//! `load`: what a replay wrote is in a topic again, and nothing of a file that is wrong.
#![allow(clippy::unwrap_used)]

mod refused;
mod round_trip;

use crate::replay::support::{Ran, command_of, ran};

/// Runs `load … -o json`.
fn load(args: &[&str]) -> Ran {
    ran(command_of(local_kafka::shared(), "load", &[args, &["-o", "json"]].concat()))
}

/// The error's code of a run that ended with this exit code.
#[track_caller]
fn refused(run: &Ran, exit: i32) -> String {
    assert_eq!(run.code, exit, "{} {}", run.stderr, String::from_utf8_lossy(&run.stdout));
    run.json()["code"].as_str().unwrap().to_owned()
}
