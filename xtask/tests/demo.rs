//! `cargo xtask demo` as a person runs it.
#![allow(clippy::unwrap_used)]

use std::process::Command;

#[test]
fn the_demo_runs_to_its_end_and_shows_each_step() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("demo").output().unwrap();
    let (shown, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{shown}\n{said}");
    let steps = [
        "$ krewind describe inventory email",
        "--to-timestamp 30m --dry-run",
        "dry run: nothing was written",
        "$ krewind reset email",
        "(exit code 3)",
        "applied: 3 commits written and read back",
        "$ krewind replay orders --from 2h --into replayed.jsonl",
        "commits of `email` after the replay:  1200 1200 1200",
        "groups of the cluster: email inventory",
        "without a cluster: `krewind lab`",
    ];
    let mut rest = shown.as_str();
    for step in steps {
        let at = rest.find(step).unwrap_or_else(|| panic!("no `{step}` after what was found, in:\n{shown}"));
        rest = &rest[at..];
    }
    assert!(said.contains("client `email-worker`"), "{said}");
}
