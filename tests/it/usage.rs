//! Command lines that can't be meant, and those that only ask for help. No broker is needed: nothing is reached.

use crate::support::{Krewind, Run, bare, file, fresh};
use tempfile::TempDir;

/// A cluster that nobody may reach: a wrong command line ends before.
fn nowhere() -> Krewind {
    bare().args(["-b", "127.0.0.1:1"])
}

/// It is refused with exit 2; standard error says each of these, and `-o json` is an error report with the same words.
#[track_caller]
fn assert_usage<const N: usize>(args: &[&str], reasons: [&str; N]) {
    let line = || args.iter().fold(nowhere(), |line, arg| line.arg(arg));
    let run = line().run().silent().fails(2, reasons);
    assert!(run.stderr.starts_with("error: "), "{run}");
    let run = line().args(["-o", "json"]).run().fails(2, reasons);
    assert_eq!(run.error_code(), "usage", "{run}");
}

#[test]
fn unknown_words_are_usage_errors() {
    assert_usage(&["describe", "g", "--no-such-flag"], ["--no-such-flag"]);
    assert_usage(&["no-such-command"], ["no-such-command"]);
    assert_usage(&["descibe", "g"], ["descibe", "describe"]);
    assert_usage(&["describe", "g", "--all-topic"], ["--all-topic"]);
    assert_usage(&["completions", "tcsh"], ["tcsh", "bash"]);
}

#[test]
fn nothing_named_is_never_everything() {
    assert_usage(&["describe"], ["no group is named", "--all-groups"]);
    // What comes by a pipe is no answer to a question that only a person is asked.
    nowhere().arg("describe").stdin("1\n").run().silent().fails(2, ["no group is named"]);
    assert_usage(&["describe", ""], ["empty"]);
    assert_usage(&["describe", "g", ""], ["empty"]);
    assert_usage(&["describe", "g", "--all-groups"], ["--all-groups", "cannot be used with"]);
    assert_usage(&["describe", "g", "--topic", ""], ["--topic"]);
    assert_usage(&["describe", "g", "--topic", "orders:"], ["orders:"]);
    assert_usage(&["describe", "g", "--topic", "orders:5-3"], ["backwards"]);
    assert_usage(&["describe", "g", "--topic", "a b"], ["a b"]);
}

#[test]
fn a_time_has_a_unit_and_a_zone_a_name() {
    for (timeout, reason) in [
        ("30", "unit"),
        ("0s", "100ms"),
        ("2h", "1h"),
        ("-1s", "-1"),
        ("1.5s", "fraction"),
        ("5 parsecs", "parsecs"),
        ("", "--timeout"),
    ] {
        assert_usage(&["describe", "g", "--timeout", timeout], [reason]);
    }
    for zone in ["Mars/Olympus", "+05:30", "", "CEST"] {
        assert_usage(&["describe", "g", "--tz", zone], ["is not a time zone", "Europe/Berlin"]);
    }
}

#[test]
fn forms_and_flags_that_do_not_go_together() {
    let run = nowhere().args(["describe", "g", "-o", "yaml"]).run().silent();
    run.fails(2, ["yaml", "table", "wide", "json", "csv"]);
    assert_usage(&["describe", "g", "-q", "-v"], ["cannot be used with"]);
    assert_usage(&["describe", "g", "--color", "sometimes"], ["sometimes", "always"]);
    // Said twice, the wish for JSON is heard in either spelling.
    for json in ["-ojson", "-o=json", "--output=json"] {
        let run = nowhere().args(["describe", json]).run().exits(2);
        assert_eq!(run.error_code(), "usage");
    }
}

#[test]
fn no_broker_was_named() {
    let run = bare().args(["describe", "g"]).run().silent();
    run.fails(2, ["error: no broker was named", "-b HOST:PORT", "KREWIND_BOOTSTRAP_SERVER", "-F"]);
    let run = bare().args(["describe", "g", "-o", "json"]).run().exits(2);
    assert_eq!(run.error_code(), "usage");
    // Neither does an empty one count, nor a file that names none.
    let run = bare().args(["describe", "g", "-b", " , "]).run().silent();
    run.fails(2, ["no broker was named"]);
    let dir = TempDir::new().unwrap();
    let path = file(&dir, "client.properties", "client.id=somebody\n");
    let run = bare().args(["describe", "g", "-F", &path]).run().silent();
    run.fails(2, ["no broker was named"]);
}

#[test]
fn brokers_that_are_none() {
    for (servers, reason) in [
        ("host:port", "port is not a number"),
        ("host:0", "1 to 65535"),
        ("host:70000", "1 to 65535"),
        ("http://host:9092", "web address"),
        ("[::1:9092", "not closed"),
        (":9092", "no host"),
        ("ho st:9092", "no host has"),
        ("SASL_SSL://host:9092", "security.protocol"),
    ] {
        let run = bare().args(["describe", "g", "-b", servers, "-o", "json"]).run().fails(2, [servers, reason]);
        assert_eq!(run.error_code(), "usage");
    }
}

#[test]
fn a_login_in_the_brokers_address_is_refused_and_not_repeated() {
    const SECRET: &str = "hunter2";
    for servers in [
        format!("user:{SECRET}@host:9092"),
        format!("host:9092,user:{SECRET}@host:9092"),
        format!("user:{SECRET},{SECRET}@host"),
        format!("kafka://user:{SECRET}@host"),
        format!("user:{SECRET}/{SECRET}@host:9092"),
    ] {
        let hidden = |run: Run| {
            let run = run.fails(2, ["an `@`", "sasl.password"]);
            assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run}");
            run
        };
        for verbosity in ["-q", "-v"] {
            hidden(bare().args(["describe", "g", "-b", &servers, verbosity]).run());
        }
        let run = bare().args(["describe", "g", "-o", "json"]).env("KREWIND_BOOTSTRAP_SERVER", &servers).run();
        assert_eq!(hidden(run).error_code(), "usage");
        let dir = TempDir::new().unwrap();
        let path = file(&dir, "client.properties", &format!("bootstrap.servers={servers}\n"));
        let run = hidden(bare().args(["describe", "g", "-o", "json", "-F", &path]).run());
        assert_eq!(run.error_code(), "bad-file");
    }
}

#[test]
fn a_secret_in_a_wrong_command_line_is_not_repeated() {
    const SECRET: &str = "hunter2";
    for args in [
        ["-X", "sasl.password=hunter2", "--no-such-flag"],
        ["-Xsasl.password=hunter2", "-X", "nonsense"],
        ["-X", "sasl.password hunter2", "-v"],
        ["-X", "security.protocol=SASL_SSL", "-Xsasl.password=hunter2"],
        ["-X", "sasl.passwort=hunter2", "-v"],
        ["-X", "ssl.key.password=hunter2", "-Xssl.key.location=/no/such/file"],
        ["--sasl.password=hunter2", "-v", "-v"],
    ] {
        let run = nowhere().args(["describe", "g", "-o", "json", "--timeout", "100ms"]).args(args).run();
        assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run}");
        assert_ne!(run.code, Some(0), "{run}");
    }
}

#[test]
fn properties_that_can_not_be_used() {
    assert_usage(&["describe", "g", "-X", "nonsense"], ["has no `=`", "-X key=value"]);
    assert_usage(&["describe", "g", "-X", "no.such.property=1"], ["no.such.property"]);
    assert_usage(&["describe", "g", "-X", "group.id=mine"], ["group.id", "krewind sets"]);
    assert_usage(&["describe", "g", "-X", "security.protocol=TLS"], ["TLS", "SASL_SSL"]);
    assert_usage(&["describe", "g", "-X", "socket.timeout.ms=soon"], ["socket.timeout.ms"]);
}

#[test]
fn a_properties_file_that_can_not_be_read() {
    let missing = format!("/no/such/{}.properties", fresh("client"));
    let run = nowhere().args(["describe", "g", "-o", "json", "-F", &missing]).run();
    assert_eq!(run.fails(2, [&missing, "No such file"]).error_code(), "bad-file");
    let dir = TempDir::new().unwrap();
    let broken = file(&dir, "broken.properties", "client.id=a\nsasl.password=\\u12\n");
    let run = nowhere().args(["describe", "g", "-o", "json", "-F", &broken]).run();
    assert_eq!(run.fails(2, ["line 2", &broken]).error_code(), "bad-file");
}

#[test]
fn help_and_version_are_answers() {
    let run = bare().arg("--help").run().succeeds();
    for word in ["describe", "completions", "--bootstrap-server", "KREWIND_BOOTSTRAP_SERVER", "Exit codes"] {
        assert!(run.stdout.contains(word), "{run}");
    }
    assert!(bare().arg("-h").run().succeeds().stdout.contains("Usage:"));
    let run = bare().args(["describe", "--help"]).run().succeeds();
    assert!(run.stdout.contains("krewind describe --all-groups"), "{run}");
    for version in ["--version", "-V"] {
        assert_eq!(bare().arg(version).run().succeeds().stdout, format!("krewind {}\n", env!("CARGO_PKG_VERSION")));
    }
    // Help wins over `-o json`, and no arguments at all ask for it, wrongly.
    assert!(bare().args(["-o", "json", "--help"]).run().succeeds().stdout.contains("Usage:"));
    bare().run().silent().fails(2, ["Usage:"]);
}

#[test]
fn help_shows_no_value_of_the_environment() {
    let run = bare().arg("--help").env("KREWIND_BOOTSTRAP_SERVER", "user:hunter2@host").run().succeeds();
    assert!(!run.stdout.contains("hunter2"), "{run}");
}

#[test]
fn a_man_page_is_made_from_the_same_words() {
    let run = bare().arg("man").run().succeeds();
    assert!(run.stdout.contains(".TH krewind") && run.stdout.contains("describe"), "{run}");
}
