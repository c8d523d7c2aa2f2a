//! The rules of the house, read from the source: which module may import which, and where clocks, files, `unsafe`, clap, serde
//! and rdkafka may stand.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::Path;

/// The modules of the crate, and which of each other they may import.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("error", &[]),
    ("watermark", &["model"]),
    ("offset", &["watermark", "model", "error"]),
    ("report", &["model"]),
    ("plan", &["report", "offset", "watermark", "model", "error"]),
    ("journal", &["report", "model", "error"]),
    ("config", &["error"]),
    ("kafka", &["watermark", "model", "error"]),
    ("sink", &["model", "error"]),
    ("render", &["report", "model"]),
    ("ui", &["error", "model"]),
    ("exec", &["report", "plan", "journal", "kafka", "sink", "offset", "watermark", "model", "error"]),
    ("lab", &["report", "model", "error"]),
    ("commands", EVERYTHING),
    ("cli", EVERYTHING),
];

const EVERYTHING: &[&str] = &["*"];

/// What single files, and all below a directory, may import beyond their module.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("sink/topic.rs", "kafka::producer"),
    ("lab/live.rs", "kafka"),
    ("lab/live.rs", "sink"),
    ("lab/live/", "kafka"),
    ("lab/live/", "sink"),
];

/// No clock, no client, no files, no printing: what they need is an argument.
const PURE: [&str; 5] = ["model", "watermark", "offset", "plan", "report"];
const IMPURE: [&str; 12] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "println",
    "eprintln",
    "stdout",
];

const LONGEST_FILE: usize = 500;

/// A path as it stands in the source, and the module it stands in.
struct Found {
    module: Vec<String>,
    path: Vec<String>,
    in_derive: bool,
}

/// Every path of the code, the groups of `use` spelled out; names alone are paths of one segment. Comments, documentation and
/// strings are none.
fn paths(module: &[String], stream: TokenStream, in_derive: bool, found: &mut Vec<Found>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) => {
                let word = word.to_string();
                let next = |ahead: usize| tokens.get(at + ahead);
                if let ("mod", Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
                    (word.as_str(), next(1), next(2))
                {
                    let inner = [module, &[name.to_string()]].concat();
                    paths(&inner, body.stream(), false, found);
                    at += 3;
                    continue;
                }
                if let ("derive", Some(TokenTree::Group(list))) = (word.as_str(), next(1)) {
                    paths(module, list.stream(), true, found);
                    at += 2;
                    continue;
                }
                at = path(module, &tokens, at, Vec::new(), in_derive, found);
            }
            TokenTree::Group(group) => {
                paths(module, group.stream(), in_derive, found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// The path that starts here, with what stands before it; where it ends.
fn path(
    module: &[String],
    tokens: &[TokenTree],
    mut at: usize,
    mut path: Vec<String>,
    in_derive: bool,
    found: &mut Vec<Found>,
) -> usize {
    let is = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) => path.push(word.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace && !path.is_empty() => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for item in inner.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')) {
                    if !item.is_empty() {
                        self::path(module, item, 0, path.clone(), in_derive, found);
                    }
                }
                return at + 1;
            }
            // A glob names everything there; before a turbofish the path so far is what is named.
            _ => {
                path.extend(is(at, '*').then(|| "*".to_owned()));
                found.push(Found { module: module.to_vec(), path, in_derive });
                return at;
            }
        }
        if !(is(at + 1, ':') && is(at + 2, ':')) {
            found.push(Found { module: module.to_vec(), path, in_derive });
            return at + 1;
        }
        at += 3;
    }
}

impl Found {
    /// The path from the crate's root, where it leads into the crate.
    fn in_crate(&self) -> Option<Vec<String>> {
        let mut base = match self.path.first()?.as_str() {
            // Alone it is a visibility, or a value.
            _ if self.path.len() == 1 => return None,
            "crate" => Vec::new(),
            "self" | "super" => self.module.clone(),
            _ => return None,
        };
        for segment in &self.path {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => drop(base.pop()),
                other => base.push(other.to_owned()),
            }
        }
        Some(base)
    }

    fn names(&self, rule: &str) -> bool {
        let rule: Vec<&str> = rule.split("::").collect();
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        // `std::fs` from its start; `Instant::now` also behind `std::time`.
        if rule[0] == "std" { path.starts_with(&rule) } else { path.ends_with(&rule) }
    }
}

/// What breaks the rules in this file, which lies at this place below `src`.
fn violations(file: &str, text: &str) -> Vec<String> {
    let mut module: Vec<String> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        module.pop();
    }
    let top = module.first().cloned().unwrap_or_default();
    let mut found = Vec::new();
    paths(&module, text.parse().unwrap(), false, &mut found);

    let mut wrong = Vec::new();
    let mut add = |what: String| wrong.push(format!("src/{file}: {what}"));
    for found in &found {
        let path = found.path.join("::");
        if let Some(target) = found.in_crate()
            && !allowed(file, &top, &target)
        {
            add(format!("`{top}` may not import `{}`", target.join("::")));
        }
        let first = found.path[0].as_str();
        if ["rdkafka", "rdkafka_sys"].contains(&first) && top != "kafka" {
            add(format!("`{path}`: rdkafka is for `kafka` alone"));
        }
        if first == "unsafe" && !file.starts_with("kafka/ffi/") {
            add("`unsafe` is for `kafka/ffi` alone".to_owned());
        }
        if ["clap", "clap_complete", "clap_mangen"].contains(&first) && !["cli", "commands"].contains(&top.as_str()) {
            add(format!("`{path}`: clap is for `cli` and `commands` alone"));
        }
        let serde = ["Serialize", "Deserialize"].iter().any(|name| found.names(name));
        if found.in_derive && serde && !["report", "model"].contains(&top.as_str()) {
            add("what is serialized lives in `report`".to_owned());
        }
        if first == "ratatui" && !file.starts_with("lab/tui") {
            add(format!("`{path}`: ratatui is for the lab's screen alone"));
        }
        if is_pure(file, &top) && IMPURE.iter().any(|rule| found.names(rule)) {
            add(format!("`{path}`: `{top}` knows no clock, no files, no environment and no printing"));
        }
    }
    let lines = text.lines().count();
    if lines > LONGEST_FILE {
        add(format!("{lines} lines, and {LONGEST_FILE} is the most"));
    }
    wrong
}

/// The lab's model is pure too; its screen and its cluster are not.
fn is_pure(file: &str, top: &str) -> bool {
    PURE.contains(&top) || top == "lab" && !["lab/tui", "lab/live"].iter().any(|place| file.starts_with(place))
}

fn allowed(file: &str, from: &str, target: &[String]) -> bool {
    let Some(to) = target.first() else { return false };
    // The root arranges everything; within a module there are no rules.
    if from.is_empty() || from == to {
        return true;
    }
    let path = target.join("::");
    let here = |place: &str| place == file || place.ends_with('/') && file.starts_with(place);
    let excepted = EXCEPTIONS.iter().any(|(place, prefix)| here(place) && path.starts_with(prefix));
    let listed = MAY_IMPORT.iter().find(|(name, _)| *name == from).is_some_and(|(_, may)| {
        *may == EVERYTHING && MAY_IMPORT.iter().any(|(name, _)| name == to) || may.contains(&to.as_str())
    });
    excepted || listed
}

/// Each Rust file below the directory, by its place in it, with its text.
fn sources(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let place = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((place, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_source_keeps_the_rules() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(sources.iter().any(|(file, _)| file == "kafka/ffi/mod.rs"), "the source was not found");
    let wrong: Vec<String> = sources.iter().flat_map(|(file, text)| violations(file, text)).collect();
    assert!(wrong.is_empty(), "{} broken rules:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_module_has_its_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = std::fs::read_to_string(root).unwrap();
    let modules: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(modules.contains(&"model"), "{modules:?}");
    for module in modules {
        assert!(MAY_IMPORT.iter().any(|(name, _)| *name == module), "`{module}` has no rule");
    }
}

#[test]
fn the_other_files_are_short_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for directory in ["tests", "local-kafka/src", "local-kafka/tests", "xtask/src", "xtask/tests"] {
        for (file, text) in sources(&root.join(directory)) {
            let lines = text.lines().count();
            assert!(lines <= LONGEST_FILE, "{directory}/{file} has {lines} lines");
        }
    }
}

#[test]
fn what_breaks_a_rule_is_found() {
    for (file, text) in [
        ("plan/reset.rs", "use crate::kafka::Client;"),
        ("plan/reset.rs", "use crate::{model::Timestamp, kafka::{Client, Cluster}};"),
        ("plan/reset.rs", "use crate::model::{self, Timestamp}; use super::super::exec::gather;"),
        ("plan/reset.rs", "fn f() -> crate::ui::Ui { todo!() }"),
        ("plan/reset.rs", "fn f() { assert!(crate::render::json(1) == ::core::f()); }"),
        ("plan/reset.rs", "mod inner { use super::super::super::kafka::Client; }"),
        ("plan/mod.rs", "use super::journal;"),
        ("plan/mod.rs", "use crate::*;"),
        ("plan/mod.rs", "use crate::run;"),
        ("model/text.rs", "use crate::error::Error;"),
        ("watermark.rs", "#[cfg(test)] mod tests { use crate::report::VERSION; }"),
        ("exec/gather.rs", "use crate::render;"),
        ("exec/gather.rs", "use crate::cli::Cli;"),
        ("commands/list.rs", "use crate::no_such_module::x;"),
        ("sink/jsonl.rs", "use crate::kafka::producer;"),
        ("sink/topic.rs", "use crate::kafka::Client;"),
        ("lab/model.rs", "use crate::kafka::Client;"),
        ("lab/live/child.rs", "use crate::exec::gather;"),
        ("no_rule.rs", "use crate::model;"),
        ("exec/apply.rs", "use rdkafka::Offset;"),
        ("exec/apply.rs", "fn f() { rdkafka_sys::rd_kafka_version(); }"),
        ("kafka/connect.rs", "fn f() { unsafe { g() } }"),
        ("kafka/reader.rs", "unsafe impl Send for X {}"),
        ("exec/apply.rs", "#[derive(clap::Args)] struct A;"),
        ("exec/apply.rs", "#[derive(Debug, serde::Serialize)] struct A;"),
        ("kafka/groups.rs", "#[derive(Clone, Deserialize)] struct A;"),
        ("plan/reset.rs", "use std::{collections::BTreeMap, fs};"),
        ("report/mod.rs", "fn f() { let _ = std::env::var(\"X\"); }"),
        ("offset/time.rs", "fn f() { jiff::Timestamp::now(); }"),
        ("offset/time.rs", "use jiff::Zoned; fn f() { Zoned::now(); }"),
        ("watermark.rs", "use std::time::Instant; fn f() { Instant::now(); }"),
        ("model/record.rs", "fn f() { SystemTime::now().elapsed(); }"),
        ("model/record.rs", "fn f() { println!(\"x\"); }"),
        ("lab/model.rs", "use std::time::Instant; fn f() { Instant::now(); }"),
        ("lab/script.rs", "use crate::kafka::Client;"),
        ("lab/tui/draw.rs", "use crate::kafka::Client;"),
        ("ui.rs", "use ratatui::Frame;"),
    ] {
        assert!(!violations(file, text).is_empty(), "{file}: {text}");
    }
    assert_eq!(violations("ui.rs", &"\n".repeat(501)).len(), 1);
}

#[test]
fn what_keeps_the_rules_is_left_alone() {
    for (file, text) in [
        ("plan/reset.rs", "use crate::{model::Timestamp, offset::{Target, time}}; use super::guard;"),
        ("plan/reset.rs", "// use crate::kafka;\n/// [`crate::kafka::Client`]\nfn f() { g(\"crate::kafka\"); }"),
        ("plan/reset.rs", "#[cfg(test)] mod tests { use super::*; use super::super::guard; }"),
        ("plan/reset.rs", "fn f(now: Timestamp) -> super::Now { self.now(now) }"),
        ("kafka/ffi/raw.rs", "#![allow(unsafe_code)] fn f() { unsafe { rdkafka_sys::x() } }"),
        ("kafka/connect.rs", "#![deny(unsafe_code)] use rdkafka::ClientConfig; use std::time::Instant;"),
        ("exec/describe.rs", "use crate::{kafka, plan::lag, report};"),
        ("exec/describe.rs", "fn f<T: serde::Serialize>(t: T) {}"),
        ("sink/topic.rs", "use crate::kafka::producer::Producer;"),
        ("lab/live.rs", "use crate::kafka::Client;"),
        ("lab/live/child.rs", "use crate::{kafka::subscriber, report}; use super::orders;"),
        ("commands/list.rs", "use crate::{cli, exec, ui}; use clap::Args; use std::env;"),
        ("report/list.rs", "#[derive(Serialize, Deserialize)] struct A { now: u8 }"),
        ("model/text.rs", "use std::borrow::Cow; const X: char = '\"'; const Y: &str = r#\"crate::kafka\"#;"),
        ("lib.rs", "pub mod kafka; pub use commands::run;"),
        ("lab/tui/draw.rs", "use ratatui::Frame; use crate::report::LabNumbers;"),
        ("lab/live.rs", "use crate::kafka::Client; fn f() { std::fs::remove_file(x); }"),
        ("ui.rs", "fn f() { std::env::var_os(\"X\"); std::io::stdout(); }"),
    ] {
        assert_eq!(violations(file, text), [] as [&str; 0], "{file}: {text}");
    }
}
