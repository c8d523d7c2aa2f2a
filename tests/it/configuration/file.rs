//! The file itself: what is wrong with it, and where it is.

use super::configure;
use crate::support::{Krewind, bare, file};
use tempfile::TempDir;

/// A home with this configuration file, and the file's path.
fn home(text: &str) -> (TempDir, String) {
    let home = TempDir::new().unwrap();
    let path = configure(&home.path().join("XDG_CONFIG_HOME"), text);
    (home, path)
}

fn list(home: &TempDir) -> Krewind {
    bare().args(["list", "-o", "json", "-b", "127.0.0.1:1"]).home(home.path())
}

#[test]
fn what_is_wrong_stops_every_command_with_file_and_line() {
    for (text, line, words) in [
        ("\nprotectd = []\n", "line 2", "`protectd` is not known"),
        ("[profiles.a]\nread-only = \"no\"\n", "line 2", "not a boolean"),
        ("protected = [\"[a\"]\n", "line 1", "is no glob"),
        ("[profiles.a]\n\"x\n", "line 2", "is no TOML"),
    ] {
        let (home, path) = home(text);
        let run = list(&home).run().fails(2, [line, &path, words, "hint:"]);
        assert_eq!(run.error_code(), "bad-file");
    }
    let (home, path) = home("profile = \"a\"\n[profiles.a]\n\ntz = \"Mars\"\n");
    assert_eq!(list(&home).run().fails(2, ["line 4", &path, "`Mars` is not a time zone"]).error_code(), "bad-file");
}

#[test]
fn a_file_that_can_not_be_read_is_an_error_and_a_missing_one_is_none() {
    let home = TempDir::new().unwrap();
    let directory = home.path().join("XDG_CONFIG_HOME/krewind/config.toml");
    std::fs::create_dir_all(&directory).unwrap();
    list(&home).run().fails(2, ["can't be read", "config.toml"]);
    std::fs::remove_dir(&directory).unwrap();
    std::os::unix::fs::symlink("/no/such/file", &directory).unwrap();
    list(&home).run().fails(2, ["can't be read", "config.toml"]);
    std::fs::remove_file(&directory).unwrap();
    bare().args(["config", "show"]).home(home.path()).run().succeeds();
}

#[test]
fn an_unknown_profile_is_told_beside_those_that_exist() {
    let (home, _) = home("[profiles.staging]\n[profiles.prod]\n");
    let run = list(&home).args(["--profile", "prd"]).run();
    assert_eq!(run.fails(2, ["`--profile` names `prd`", "`prod`, `staging`"]).error_code(), "usage");
    let run = list(&home).env("KREWIND_PROFILE", "prd").run();
    assert_eq!(run.fails(2, ["`KREWIND_PROFILE` names `prd`", "`prod`, `staging`"]).error_code(), "usage");
    let empty = TempDir::new().unwrap();
    list(&empty).args(["--profile", "prod"]).run().fails(2, ["no such profile", "config.toml"]);
}

#[test]
fn the_path_is_told_with_or_without_a_file() {
    let home = TempDir::new().unwrap();
    let expected = home.path().join("XDG_CONFIG_HOME/krewind/config.toml").display().to_string();
    let path = || bare().args(["config", "path"]).home(home.path()).run().succeeds();
    assert_eq!(path().stdout, format!("{expected}\n"));
    configure(&home.path().join("XDG_CONFIG_HOME"), "nonsense");
    assert_eq!(path().stdout, format!("{expected}\n"));
}

#[test]
fn a_check_reads_the_file_and_those_that_it_names() {
    let (home, path) = home("[profiles.a]\ncommand-config = \"a.properties\"\ntz = \"UTC\"\n");
    let check = || bare().args(["config", "check", "-o", "json"]).home(home.path()).run();
    let run = check().fails(2, ["line 2", &path, "a.properties", "can't be read"]);
    assert_eq!(run.json()["ok"], false);
    let properties = std::path::Path::new(&path).with_file_name("a.properties");
    std::fs::write(&properties, "sasl.password=\\u12\n").unwrap();
    check().fails(2, ["line 2", "line 1 of", "four hex digits"]);
    std::fs::write(&properties, "client.id=a\n").unwrap();
    let run = check().succeeds();
    assert_eq!((run.json()["ok"].as_bool(), run.json()["problems"].as_array().map(Vec::len)), (Some(true), Some(0)));

    let dir = TempDir::new().unwrap();
    let other = file(&dir, "other.toml", "x = 1\n[profiles.b]\ntz = 3\n");
    let run = bare().args(["config", "check", &other]).home(home.path()).run();
    let run = run.fails(2, ["line 1", "`x` is not known", "line 3", "`tz` is an integer"]);
    assert_eq!(run.stdout, format!("2 problems in {other}\n"));
    bare().args(["config", "check", "/no/such/file"]).home(home.path()).run().fails(2, ["/no/such/file"]);
    let nobody = TempDir::new().unwrap();
    let run = bare().args(["config", "check"]).home(nobody.path()).run().succeeds();
    assert!(run.stdout.starts_with("ok: "), "{run}");
}
