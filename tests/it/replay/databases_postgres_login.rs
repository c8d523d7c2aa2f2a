//! Who may write into PostgreSQL, and what is said where it can't be reached.

use super::databases_support::*;
use super::support::*;
use std::os::unix::fs::PermissionsExt;

/// A run into a table of its own, with these variables and none of the tester's.
fn with(url: &str, topic: &str, home: &str, variables: &[(&str, &str)]) -> Ran {
    let table = unique("login");
    let mut command = command(&whole(topic, url, &["--table", &table]));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PG") {
            command.env_remove(name);
        }
    }
    command.env("HOME", home).envs(variables.iter().copied());
    let ran = ran(command);
    for secret in ["open:se", "same", "wrong-secret"] {
        assert!(!ran.stderr.contains(secret), "{}", ran.stderr);
        assert!(!String::from_utf8_lossy(&ran.stdout).contains(secret), "{ran:?}");
    }
    ran
}

#[track_caller]
fn fails(ran: &Ran, code: &str, words: &[&str]) {
    assert_eq!((ran.code, ran.json()["code"].as_str()), (1, Some(code)), "{}", ran.stderr);
    for words in words {
        assert!(ran.stderr.contains(words), "no `{words}`: {}", ran.stderr);
    }
}

#[test]
fn passwords_come_from_the_url_the_environment_or_the_password_file() {
    let topic = numbers("pg-password", &[3]);
    let scratch = Scratch::new();
    let home = scratch.text("");
    let server = postgres();
    let url = server.tcp("writer", "sslmode=require");
    let inline = server.tcp("writer:open%3Ase%5Csame", "sslmode=require");
    assert_eq!(counts(&with(&inline, &topic, &home, &[])), (3, 0));
    assert_eq!(counts(&with(&url, &topic, &home, &[("PGPASSWORD", "open:se\\same")])), (3, 0));
    fails(&with(&url, &topic, &home, &[]), "authentication-failed", &["wants a password", "PGPASSWORD"]);
    fails(
        &with(&server.tcp("writer:wrong-secret", ""), &topic, &home, &[]),
        "authentication-failed",
        &["password authentication failed", ".pgpass"],
    );
    let file = scratch.path(".pgpass");
    let line = format!("# ours\nlocalhost:{}:shop:writer:open\\:se\\\\same\n", server.port);
    std::fs::write(&file, &line).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(counts(&with(&url, &topic, &home, &[])), (3, 0));
    // libpq does not read a file that others may read, and neither is it read here.
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    fails(&with(&url, &topic, &home, &[]), "authentication-failed", &["chmod 600"]);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let other = scratch.text(".pgpass");
    assert_eq!(counts(&with(&url, &topic, "/nonexistent", &[("PGPASSFILE", &other)])), (3, 0));
}

#[test]
fn the_report_names_the_database_without_the_password() {
    let topic = numbers("pg-report", &[3]);
    let scratch = Scratch::new();
    let ran = with(&postgres().tcp("writer:open%3Ase%5Csame", ""), &topic, &scratch.text(""), &[]);
    assert_eq!(counts(&ran), (3, 0));
    let target = ran.json()["sink"]["target"].as_str().unwrap().to_owned();
    assert!(
        target.starts_with(&format!("postgres://writer@localhost:{}/shop, table public.", postgres().port)),
        "{target}"
    );
}

#[test]
fn tls_is_as_sslmode_says() {
    let topic = numbers("pg-tls", &[3]);
    let scratch = Scratch::new();
    let home = scratch.text("");
    let server = postgres();
    let other = scratch.text("other.crt");
    std::fs::write(&other, rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert.pem()).unwrap();
    let right = server.certificate.display().to_string();
    let password = ("PGPASSWORD", "open:se\\same");
    let run = |options: &str, variables: &[(&str, &str)]| {
        with(&server.tcp("writer", options), &topic, &home, &[&[password], variables].concat())
    };
    // The server takes this user over TLS alone.
    for options in ["", "sslmode=prefer", "sslmode=require"] {
        assert_eq!(counts(&run(options, &[])), (3, 0), "{options}");
    }
    assert_eq!(counts(&run(&format!("sslmode=verify-full&sslrootcert={right}"), &[])), (3, 0));
    assert_eq!(counts(&run("", &[("PGSSLMODE", "verify-full"), ("PGSSLROOTCERT", &right)])), (3, 0));
    fails(&run("sslmode=disable", &[]), "authentication-failed", &["no encryption"]);
    fails(&run("sslmode=verify-full", &[]), "tls-failed", &["sslrootcert"]);
    for mode in ["require", "verify-ca", "verify-full"] {
        fails(&run(&format!("sslmode={mode}&sslrootcert={other}"), &[]), "tls-failed", &["certificate"]);
    }
    fails(&run("sslmode=verify-full&sslrootcert=/nonexistent", &[]), "tls-failed", &["does not exist"]);
    // By its address the server is not the one that its certificate names.
    let by_address = |mode: &str| {
        let url = server.tcp("writer", &format!("sslmode={mode}&sslrootcert={right}"));
        with(&url.replace("localhost", "127.0.0.1"), &topic, &home, &[password])
    };
    assert_eq!(counts(&by_address("verify-ca")), (3, 0));
    fails(&by_address("verify-full"), "tls-failed", &["certificate"]);
    // Without TLS too, where the server and the person want that.
    let plain = server.tcp("plain:plain", "sslmode=disable");
    assert_eq!(counts(&with(&plain, &topic, &home, &[])), (3, 0));
}

#[test]
fn what_can_not_be_reached_or_read_is_said() {
    let topic = numbers("pg-unreachable", &[3]);
    let scratch = Scratch::new();
    let home = scratch.text("");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let run = |url: &str| with(url, &topic, &home, &[]);
    let closed = format!("postgres://me:wrong-secret@127.0.0.1:{port}/d");
    fails(&run(&closed), "connection-failed", &["could not be reached", &port.to_string(), "refused"]);
    fails(&run("postgres://me@/d?host=/nonexistent"), "connection-failed", &["could not be reached", "/nonexistent"]);
    fails(&run(&postgres().url().replace("/shop", "/nowhere")), "sink-failed", &["does not exist", "createdb"]);
    for url in [
        "postgres://me:wrong-secret@h@h/d",
        "postgres://me:wrong-secret@h:x/d",
        "postgres://me:wrong-secret@h/d?sslmode=on",
        "postgres:me:wrong-secret@h/d",
        "postgres://me:wrong-secret@h/d?wrong=wrong-secret",
    ] {
        let ran = run(url);
        assert_eq!((ran.code, &ran.json()["code"]), (2, &"usage".into()), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
    }
    let ran = replay(&whole(&topic, &postgres().url(), &[]));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("--table [SCHEMA.]NAME"), "{}", ran.stderr);
}

#[test]
fn rights_that_are_missing_are_known_before_anything_is_read() {
    let topic = numbers("pg-rights", &[3]);
    let scratch = Scratch::new();
    let home = scratch.text("");
    let name = format!("closed_{}", std::process::id());
    postgres().psql(&format!("CREATE SCHEMA {name}; GRANT USAGE ON SCHEMA {name} TO writer"));
    let url = postgres().tcp("writer", "");
    let mut command = command(&whole(&topic, &url, &["--table", &format!("{name}.t")]));
    command.env("HOME", &home).env("PGPASSWORD", "open:se\\same");
    fails(&ran(command), "unauthorized", &["may not make tables", "GRANT CREATE ON SCHEMA"]);
}
