//! Kafka lets a group be called almost anything. What it is called arrives unharmed, and does no harm on a terminal.

use super::named;
use crate::support::{fresh, krewind, topic};
use local_kafka::shared;

/// Names that break naive output: separators, quotes, other scripts, line breaks, terminal escapes, text that turns around.
const AWKWARD: [&str; 9] = [
    "two words",
    "comma,semicolon;tab\there",
    "double\"quote and 'single'",
    "注文 é ✓ 🦀",
    "line\nbreak\r\n",
    "\u{1b}[31mred\u{1b}[0m",
    "turned \u{202e}around",
    "=1+1",
    "back\\slash {braces}",
];

#[test]
fn awkward_names_arrive_unharmed_in_json_and_csv() {
    let cluster = shared();
    let topic = topic(cluster, "orders", &[9]);
    let prefix = fresh("g");
    let names: Vec<String> = AWKWARD.iter().map(|name| format!("{prefix} {name}")).collect();
    for (offset, name) in (0..).zip(&names) {
        cluster.commit(name, &topic, 0, offset, "").unwrap();
    }
    let describe = |form: &str| {
        let run = names.iter().fold(krewind(cluster).args(["describe", "-o", form]), |run, name| run.arg(name));
        run.run().succeeds()
    };
    let json = describe("json");
    for (offset, name) in (0..).zip(&names) {
        assert_eq!(named(&json, name)["partitions"][0]["current_offset"], offset, "{name:?}");
    }
    let mut from_csv: Vec<(String, String)> =
        describe("csv").csv().into_iter().map(|row| (row["group"].clone(), row["current_offset"].clone())).collect();
    let mut committed: Vec<(String, String)> =
        (0..).zip(&names).map(|(offset, name): (i64, _)| (name.clone(), offset.to_string())).collect();
    from_csv.sort();
    committed.sort();
    assert_eq!(from_csv, committed);

    // A person sees each on one line, escapes as text.
    for form in ["table", "wide", "markdown"] {
        let table = describe(form);
        let unsafe_chars: Vec<char> =
            table.stdout.chars().filter(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}').collect();
        assert!(unsafe_chars.is_empty(), "{unsafe_chars:?} in {table}");
        for shown in [
            "two words",
            "comma,semicolon;tab\\there",
            "double\"quote and 'single'",
            "注文 é ✓ 🦀",
            "line\\nbreak\\r\\n",
            "\\u{1b}[31mred\\u{1b}[0m",
            "turned \\u{202e}around",
            "=1+1",
        ] {
            assert!(table.stdout.contains(&format!("{prefix} {shown}")), "{shown} in {table}");
        }
    }
}

#[test]
fn an_absent_group_with_an_awkward_name_is_named_visibly() {
    let name = format!("{}\u{1b}[31m\nred", fresh("nobody"));
    let run = krewind(shared()).args(["describe", &name]).run().silent().exits(1);
    assert!(run.stderr.contains("\\u{1b}[31m\\nred` does not exist"), "{run}");
    assert!(!run.stderr.contains('\u{1b}'), "{run}");
}

#[test]
fn a_name_that_looks_like_a_flag_follows_two_dashes() {
    let cluster = shared();
    let topic = topic(cluster, "orders", &[9]);
    let name = format!("--{}", fresh("topic"));
    cluster.commit(&name, &topic, 0, 3, "").unwrap();
    let run = krewind(cluster).args(["describe", "-o", "json", "--", &name]).run().succeeds();
    assert_eq!(named(&run, &name)["partitions"][0]["current_offset"], 3);
    let run = krewind(cluster).args(["describe", "-o", "json", &format!("--group={name}")]).run().succeeds();
    assert_eq!(named(&run, &name)["partitions"][0]["current_offset"], 3);
}

#[test]
fn metadata_with_escapes_does_no_harm() {
    let cluster = shared();
    let (topic, group) = (topic(cluster, "orders", &[1]), fresh("g"));
    let metadata = "a,b\n\"c\" \u{1b}[2J";
    cluster.commit(&group, &topic, 0, 1, metadata).unwrap();
    let run = krewind(cluster).args(["describe", &group, "-o", "json"]).run().succeeds();
    assert_eq!(named(&run, &group)["partitions"][0]["metadata"], metadata);
    let run = krewind(cluster).args(["describe", &group, "-o", "csv"]).run().succeeds();
    assert_eq!(run.csv()[0]["metadata"], metadata);
}
