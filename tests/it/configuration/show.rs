//! What holds, and where it comes from.

use super::configure;
use crate::support::{Run, bare, file};
use tempfile::TempDir;

const FILE: &str = r#"
protected = ["top-*"]
profile = "staging"
[profiles.staging]
bootstrap-servers = "staging:9092"
[profiles.prod]
bootstrap-servers = "prod:9092"
command-config = "prod.properties"
tz = "Asia/Tokyo"
read-only = true
protected = ["prod-*"]
[profiles.prod.properties]
client.id = "of-the-profile"
"sasl.password" = "hunter2"
"#;

/// A home with [`FILE`] and what it names.
fn home() -> TempDir {
    let home = TempDir::new().unwrap();
    let path = configure(&home.path().join("XDG_CONFIG_HOME"), FILE);
    let beside = std::path::Path::new(&path).with_file_name("prod.properties");
    std::fs::write(beside, "bootstrap.servers=file:9092\nclient.id=of-the-file\nsasl.username=me\n").unwrap();
    home
}

fn show(home: &TempDir, args: &[&str], env: &[(&str, &str)]) -> Run {
    let krewind = bare().args(["config", "show", "-o", "json"]).home(home.path());
    let krewind = args.iter().fold(krewind, |krewind, arg| krewind.arg(arg));
    env.iter().fold(krewind, |krewind, (key, value)| krewind.env(key, value)).run().succeeds()
}

/// Value and source of one setting.
#[track_caller]
fn of(run: &Run, name: &str) -> (String, String) {
    let report = run.json();
    let settings = report["settings"].as_array().unwrap();
    let setting = settings.iter().find(|setting| setting["name"] == name).unwrap_or_else(|| panic!("no {name}: {run}"));
    let text = |field: &str| setting[field].as_str().unwrap_or("null").to_owned();
    (text("value"), text("source"))
}

#[track_caller]
fn is(run: &Run, name: &str, value: &str, source: &str) {
    assert_eq!(of(run, name), (value.to_owned(), source.to_owned()), "{name}: {run}");
}

#[test]
fn a_flag_wins_over_the_environment_that_over_the_profile_that_over_the_default() {
    let home = home();
    let nothing = show(&TempDir::new().unwrap(), &[], &[]);
    for (name, value) in [("profile", "null"), ("bootstrap-server", "null"), ("tz", "UTC"), ("read-only", "false")] {
        is(&nothing, name, value, "default");
    }
    let by_file = show(&home, &[], &[]);
    is(&by_file, "profile", "staging", "file");
    is(&by_file, "bootstrap-server", "staging:9092", "profile");
    is(&by_file, "tz", "UTC", "default");

    let prod = ("KREWIND_PROFILE", "prod");
    let profile = show(&home, &[], &[prod]);
    is(&profile, "profile", "prod", "environment");
    is(&profile, "tz", "Asia/Tokyo", "profile");
    is(&profile, "read-only", "true", "profile");
    is(&profile, "bootstrap-server", "prod:9092", "profile");
    is(&profile, "-X client.id", "of-the-profile", "profile");
    is(&profile, "-X sasl.username", "me", "command-config");

    let environment = [prod, ("KREWIND_TZ", "Europe/Berlin"), ("KREWIND_BOOTSTRAP_SERVER", "env:9092")];
    let run = show(&home, &[], &environment);
    is(&run, "tz", "Europe/Berlin", "environment");
    is(&run, "bootstrap-server", "env:9092", "environment");
    let flags = ["--profile", "staging", "--tz", "America/Lima", "-b", "flag:9092", "-X", "client.id=x", "--read-only"];
    let run = show(&home, &flags, &environment);
    is(&run, "profile", "staging", "flag");
    is(&run, "tz", "America/Lima", "flag");
    is(&run, "bootstrap-server", "flag:9092", "flag");
    is(&run, "-X client.id", "x", "flag");
    is(&run, "read-only", "true", "flag");
}

#[test]
fn a_file_that_a_flag_names_wins_over_the_profile() {
    let home = home();
    let dir = TempDir::new().unwrap();
    let mine = file(&dir, "mine.properties", "bootstrap.servers=mine:9092\nclient.id=mine\n");
    let run = show(&home, &["--profile", "prod", "-F", &mine], &[]);
    is(&run, "command-config", &mine, "flag");
    is(&run, "bootstrap-server", "mine:9092", "command-config");
    is(&run, "-X client.id", "mine", "command-config");
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let home = home();
    let empty =
        ["TZ", "COMMAND_CONFIG", "PROFILE", "BOOTSTRAP_SERVER", "READ_ONLY"].map(|name| format!("KREWIND_{name}"));
    let env: Vec<(&str, &str)> = empty.iter().map(|name| (name.as_str(), "")).collect();
    let run = show(&home, &[], &env);
    is(&run, "profile", "staging", "file");
    is(&run, "bootstrap-server", "staging:9092", "profile");
    is(&run, "command-config", "null", "default");
    is(&run, "tz", "UTC", "default");
    is(&run, "read-only", "false", "default");
}

#[test]
fn secrets_are_hidden_and_protected_groups_are_told() {
    let home = home();
    for form in ["json", "table", "wide", "csv", "markdown"] {
        let run = bare().args(["config", "show", "--profile", "prod", "-v", "-o", form, "-Xssl.key.password=hunter2"]);
        let run = run.home(home.path()).run().exits(0);
        assert!(run.stdout.contains("********") && run.stdout.contains("prod-*"), "{run}");
        assert!(!run.stdout.contains("hunter2") && !run.stderr.contains("hunter2"), "{run}");
    }
    let run = show(&home, &["--profile", "prod"], &[]);
    is(&run, "-X sasl.password", "********", "profile");
    let protected: Vec<String> = run.json()["settings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|setting| setting["name"] == "protected")
        .map(|setting| format!("{} {}", setting["value"], setting["source"]))
        .collect();
    assert_eq!(protected, [r#""top-*" "file""#, r#""prod-*" "profile""#]);
}
