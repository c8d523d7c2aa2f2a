//! The lessons and scripts as reports: without a cluster, and whatever the environment names.

use super::by_hand::{AUTO_COMMIT_LOSS, LESSONS, Lesson, RETENTION_GAP, Stands, holds};
use crate::reset::runner::{Krewind, Ran};
use crate::reset::terminal::Terminal;
use crate::support::{Run, bare};
use serde_json::{Value, json};
use std::net::TcpListener;

/// Kafka's own defaults where nothing else is said.
const SCRIPT: &str = "process 3; crash; restart; rewind earliest";

fn lesson(lesson: &Lesson, form: &str) -> Run {
    bare().args(["lab", "--scenario", lesson.name, "-o", form]).run().succeeds()
}

fn script(text: &str) -> Run {
    bare().args(["lab", "--script", text, "-o", "json"]).run()
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The last numbers of a line.
fn numbers(line: &str, count: usize) -> Vec<Option<i64>> {
    let words: Vec<&str> = line.split([' ', '|']).filter(|word| !word.is_empty()).collect();
    words[words.len() - count..]
        .iter()
        .map(|word| if *word == "-" { None } else { Some(word.parse().unwrap()) })
        .collect()
}

/// The numbers of the table's first columns.
fn narrow(stands: &Stands) -> Vec<Option<i64>> {
    let names =
        ["committed", "log_end_offset", "lag", "position", "sink_rows", "distinct_orders", "lost", "duplicates"];
    picked(stands, &names)
}

fn picked(stands: &Stands, names: &[&str]) -> Vec<Option<i64>> {
    let all = stands.numbers();
    names.iter().map(|name| all.iter().find(|(its, _)| its == name).unwrap().1).collect()
}

/// The lines behind the header's, as many as there are actions.
fn rows<'a>(run: &'a Run, lesson: &Lesson) -> Vec<&'a str> {
    let header = run.stdout.lines().position(|line| line.contains("COMMITTED")).unwrap_or_else(|| panic!("{run}"));
    let rows = run.stdout.lines().skip(header + 1).filter(|line| !line.starts_with("|--"));
    rows.take(lesson.steps.len()).collect()
}

#[test]
fn every_lesson_is_as_it_was_worked_out_by_hand() {
    for lesson in LESSONS {
        let run = self::lesson(lesson, "json");
        let report = run.json();
        assert_eq!((&report["kind"], &report["version"]), (&json!("lab"), &json!(1)), "{run}");
        assert_eq!((&report["scenario"], &report["live"]), (&json!(lesson.name), &json!(false)), "{run}");
        let began = json!([report["commit"], report["sink"], report["batch"]]);
        assert_eq!(began, json!([lesson.commit, lesson.sink, 4]), "{run}");
        holds(&report, lesson.steps);
        for text in ["look_at", "conclude", "in_production"] {
            assert!(report[text].as_str().unwrap().len() > 30, "{text}: {run}");
        }
        assert!(report["in_production"].as_str().unwrap().contains("krewind "), "{run}");
        assert!(report.get("warnings").is_none(), "{run}");
    }
}

#[test]
fn the_report_has_the_keys_that_are_promised() {
    let report = lesson(&RETENTION_GAP, "json").json();
    for key in ["kind", "version", "scenario", "live", "steps", "final"] {
        assert!(report.get(key).is_some(), "{key}");
    }
    let step = &report["steps"][0];
    for key in ["action", "why", "committed", "position", "log_start_offset", "log_end_offset", "lag", "sink_rows"] {
        assert!(step.get(key).is_some(), "{key}: {step}");
    }
    for key in ["distinct_orders", "lost", "duplicates"] {
        assert!(step.get(key).is_some(), "{key}: {step}");
    }
    let mut of_the_end = keys(step);
    of_the_end.retain(|key| !["action", "why"].contains(key));
    assert_eq!(keys(&report["final"]), of_the_end);
}

#[test]
fn a_script_tells_why_in_words() {
    let run = script(SCRIPT).succeeds();
    let report = run.json();
    assert_eq!((&report["scenario"], &report["live"]), (&Value::Null, &json!(false)), "{run}");
    assert_eq!(json!([report["commit"], report["sink"], report["batch"]]), json!(["auto", "append", 4]), "{run}");
    for text in ["look_at", "conclude", "in_production"] {
        assert_eq!(report[text], Value::Null, "{run}");
    }
    let why: Vec<&str> = report["steps"].as_array().unwrap().iter().map(|step| step["why"].as_str().unwrap()).collect();
    assert_eq!(
        why[1],
        "crashed after the commit of 4 and before its sink write: order 1003 (offset 3) will never be written"
    );
    assert!(why[3].contains("order 1003 (offset 3), lost until now, will be read after all"), "{run}");
    // The first three steps are the first lesson's; going back to 0 takes the loss away, and repeats nothing yet.
    let last = Stands {
        action: "rewind earliest",
        committed: 0,
        position: 0,
        lag: 12,
        lost: 0,
        account: [3, 0, 0, 9],
        ..AUTO_COMMIT_LOSS.steps[2]
    };
    let [a, b, c, _] = AUTO_COMMIT_LOSS.steps else { panic!("four steps") };
    for (step, stands) in report["steps"].as_array().unwrap().iter().zip([a, b, c, &last]) {
        for (name, number) in stands.numbers() {
            assert_eq!(step[name], json!(number), "{name}: {run}");
        }
    }
}

#[test]
fn the_flags_are_how_a_script_begins() {
    let flags = ["--commit", "manual", "--sink", "upsert", "--batch", "5"];
    let run = bare().args(["lab", "--script", "process 7; crash", "-o", "json"]).args(flags).run().succeeds();
    let report = run.json();
    assert_eq!(json!([report["commit"], report["sink"], report["batch"]]), json!(["manual", "upsert", 5]), "{run}");
    // 0-4 are committed; 5 and 6 are written, and 7-9 in hand when it dies. Orders 1001-1005.
    let end = &report["final"];
    let stands =
        ["committed", "position", "lag", "sink_rows", "sink_writes", "lost", "duplicates"].map(|key| &end[key]);
    assert_eq!(json!(stands), json!([5, null, 7, 5, 7, 0, 0]), "{run}");
    // The same, chosen on the way.
    let chosen = script("manual; upsert; batch 5; process 7; crash").succeeds().json();
    assert_eq!(&chosen["final"], end);
}

#[test]
fn as_a_table_and_as_markdown() {
    for lesson in LESSONS {
        let run = self::lesson(lesson, "table");
        assert!(run.stdout.starts_with(&format!("{}: {} commit, {} sink", lesson.name, lesson.commit, lesson.sink)));
        let cut = lesson.name == RETENTION_GAP.name;
        for (line, stands) in rows(&run, lesson).iter().zip(lesson.steps) {
            assert!(line.contains(stands.action), "{run}");
            let mut by_hand = narrow(stands);
            if cut {
                by_hand.extend(picked(stands, &["log_start_offset", "retained_away"]));
            }
            assert_eq!(numbers(line, by_hand.len()), by_hand, "{run}");
        }
        assert!(run.stdout.contains("\nconclude: ") && run.stdout.contains("\nin production: "), "{run}");
        assert!(!run.stdout.contains('\x1b'), "{run}");

        let run = self::lesson(lesson, "markdown");
        let bars = |line: &str| line.matches('|').count();
        let header = run.stdout.lines().find(|line| line.contains("| COMMITTED |")).unwrap_or_else(|| panic!("{run}"));
        for (line, stands) in rows(&run, lesson).iter().zip(lesson.steps) {
            assert!(line.starts_with("| ") && bars(line) == bars(header), "{run}");
            let by_hand = narrow(stands);
            assert_eq!(numbers(line, by_hand.len() + 2 * usize::from(cut))[..by_hand.len()], by_hand, "{run}");
        }
    }
}

#[test]
fn wide_has_the_whole_account() {
    let names = ["log_start_offset", "sink_writes", "read", "retained_away", "to_come"];
    for lesson in LESSONS {
        let run = self::lesson(lesson, "wide");
        for (line, stands) in rows(&run, lesson).iter().zip(lesson.steps) {
            let by_hand = [narrow(stands), picked(stands, &names)].concat();
            assert_eq!(numbers(line, by_hand.len()), by_hand, "{run}");
        }
    }
}

#[test]
fn as_csv() {
    for lesson in LESSONS {
        let run = self::lesson(lesson, "csv");
        let rows = run.csv();
        assert_eq!(rows.len(), lesson.steps.len(), "{run}");
        for (row, stands) in rows.iter().zip(lesson.steps) {
            assert_eq!((row["action"].as_str(), row["why"].is_empty()), (stands.action, false), "{run}");
            assert_eq!(row.len(), 15, "{run}");
            for (name, number) in stands.numbers() {
                assert_eq!(row[name], number.map_or(String::new(), |number| number.to_string()), "{name}: {run}");
            }
        }
    }
}

/// What it prints on a terminal of so many columns.
fn printed(lesson: &Lesson, form: &str, columns: u16) -> Ran {
    let krewind = Krewind::at("127.0.0.1:1").flag("--color").flag("never");
    let args = ["lab", "--scenario", lesson.name, "-o", form];
    // The terminal has its first size when the line is typed.
    let shell = format!(r#"read go; stty cols {columns}; exec "$0" "$@""#);
    let mut terminal = Terminal::redirected(&krewind, &args, &shell);
    terminal.types("go");
    terminal.end().exits(0)
}

#[test]
fn on_a_terminal_of_eighty_columns_lines_are_wrapped() {
    for lesson in LESSONS {
        let ran = printed(lesson, "table", 80);
        let (before, table) = ran.stderr.split_once("\n\n").unwrap();
        let (table, after) = table.split_once("\n\n").unwrap();
        // Where the log start moves there are two more columns, for which eighty are too few.
        let table = table.lines().filter(|_| lesson.name != RETENTION_GAP.name);
        let mut words = String::new();
        for line in before.lines().chain(table).chain(after.lines()) {
            assert!(line.chars().count() <= 80, "{line}\n{ran}");
            words.push_str(&format!("{} ", line.trim()));
        }
        let report = self::lesson(lesson, "json").json();
        for text in ["look_at", "conclude", "in_production"] {
            assert!(words.contains(report[text].as_str().unwrap()), "{text}: {ran}");
        }
        assert!(printed(lesson, "wide", 200).stderr.contains("DUPLICATES  LOG-START  SINK-WRITES"));
    }
}

#[test]
fn forms_that_it_does_not_have() {
    for form in ["prometheus", "spark"] {
        for run in [["--scenario", "retention-gap"], ["--script", SCRIPT]] {
            let words = format!("-o {form}");
            bare().args(["lab", "-o", form]).args(run).run().fails(2, [&words, "hint: "]).silent();
        }
    }
}

#[test]
fn what_can_not_be_done_says_which_action_and_why() {
    for (text, words) in [
        ("process 3; jump", ["`jump` is no action", "process N|all"]),
        ("process", ["needs a number", "process 3"]),
        ("process 0", ["from 1 to 999", "`process`"]),
        ("process 1000", ["from 1 to 999", "`process`"]),
        ("process -1", ["from 1 to 999", "`process`"]),
        ("batch 101", ["from 1 to 100", "`batch`"]),
        ("rewind", ["needs a place", "earliest"]),
        ("rewind tomorrow", ["`tomorrow` is no place", "10:03"]),
        ("rewind 25:00", ["`25:00` is no place", "10:03"]),
        ("", ["script is empty", "process N|all"]),
        (" ; ;\n", ["script is empty", "process N|all"]),
        ("process 3; crash; process 1", ["action 3, `process 1`", "`restart`"]),
        ("crash; crash", ["action 2, `crash`", "no consumer runs"]),
        ("process 4; rewind 13", ["action 2, `rewind 13`", "12"]),
        ("stop; retention 6; rewind 5", ["action 3, `rewind 5`", "6"]),
        ("rewind -1", ["`rewind -1`", "0"]),
        ("retention 13", ["action 1, `retention 13`", "12"]),
        ("produce 999", ["action 1, `produce 999`", "999"]),
    ] {
        let run = script(text).fails(2, words);
        assert_eq!(run.error_code(), "usage", "{text}: {run}");
    }
}

#[test]
fn words_that_do_not_go_together() {
    let cases: [(&[&str], [&str; 2]); 10] = [
        (&["--scenario", "no-such"], ["no-such", "auto-commit-loss"]),
        (&["--scenario", "retention-gap", "--script", "crash"], ["--scenario", "--script"]),
        (&["--scenario", "retention-gap", "--commit", "auto"], ["--scenario", "--commit"]),
        (&["--scenario", "retention-gap", "--batch", "3"], ["--scenario", "--batch"]),
        (&["--script", "crash", "--batch", "0"], ["--batch", "0"]),
        (&["--script", "crash", "--batch", "101"], ["--batch", "101"]),
        (&["--live"], ["--scenario", "required"]),
        (&["--live", "--script", "crash"], ["--live", "--scenario"]),
        (&["--scenario", "retention-gap", "--yes"], ["--live", "required"]),
        (&["--scenario", "retention-gap", "--dry-run"], ["--live", "required"]),
    ];
    for (args, words) in cases {
        let run = args.iter().fold(bare().args(["lab", "-o", "json"]), |run, arg| run.arg(arg)).run();
        assert_eq!(run.fails(2, words).error_code(), "usage", "{args:?}");
    }
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    for args in [&["lab"][..], &["lab", "-o", "json"], &["lab", "--commit", "manual", "-o", "json"]] {
        let run = args.iter().fold(bare(), |run, arg| run.arg(arg)).run();
        let run = run.fails(3, ["error: the lab needs a terminal", "hint: ", "--scenario NAME", "auto-commit-loss"]);
        if args.len() > 1 {
            assert_eq!(run.error_code(), "no-terminal", "{run}");
        }
    }
    // A lesson needs none.
    let run = bare().args(["lab", "--scenario", "auto-commit-loss"]).run().succeeds();
    assert!(run.stdout.contains("order 1003 (offset 3) will never"), "{run}");
}

/// An address at which nobody has called yet.
struct Quiet {
    listener: TcpListener,
    address: String,
}

impl Quiet {
    fn new() -> Quiet {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        Quiet { listener, address }
    }

    #[track_caller]
    fn was_not_called(&self) {
        assert_eq!(self.listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    }
}

#[test]
fn a_lesson_and_a_script_call_no_broker() {
    let quiet = Quiet::new();
    let lesson = bare().args(["lab", "--scenario", "auto-commit-loss", "-o", "json", "-b", &quiet.address]);
    holds(&lesson.run().succeeds().json(), AUTO_COMMIT_LOSS.steps);
    let script = bare().args(["lab", "--script", SCRIPT]).env("KREWIND_BOOTSTRAP_SERVER", &quiet.address);
    script.run().succeeds();
    quiet.was_not_called();
}

#[test]
fn a_live_run_takes_its_cluster_from_the_command_line_alone() {
    let quiet = Quiet::new();
    let (home, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let config = home.path().join("XDG_CONFIG_HOME/krewind/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(
        &config,
        format!("profile = \"near\"\n[profiles.near]\nbootstrap-servers = \"{}\"\n", quiet.address),
    )
    .unwrap();
    let properties = home.path().join("client.properties");
    std::fs::write(&properties, format!("bootstrap.servers={}\n", quiet.address)).unwrap();
    let live = || {
        let run = bare().args(["lab", "--live", "--scenario", "auto-commit-loss", "--yes", "-o", "json"]);
        run.env("TMPDIR", files.path().to_str().unwrap())
    };
    for run in [
        live(),
        live().env("KREWIND_BOOTSTRAP_SERVER", &quiet.address),
        live().home(home.path()),
        live().home(home.path()).args(["--profile", "near"]),
        live().home(home.path()).env("KREWIND_PROFILE", "near"),
        live().args(["-F", properties.to_str().unwrap()]),
        live().args(["-X", &format!("bootstrap.servers={}", quiet.address)]),
    ] {
        let run = run.run().fails(2, ["command line", "-b HOST:PORT"]);
        assert_eq!(run.error_code(), "usage", "{run}");
        assert_eq!(std::fs::read_dir(files.path()).unwrap().count(), 0, "{run}");
    }
    quiet.was_not_called();
}
