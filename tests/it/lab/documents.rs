//! The documents show what krewind prints.

use std::path::Path;
use std::process::Command;

/// Each `krewind lab` of the file's console blocks that needs no cluster, with what the file says that it prints.
fn shown(file: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let mut blocks = text.split("```");
    let mut found = Vec::new();
    // Text, block, text, block.
    blocks.next();
    while let (Some(block), _) = (blocks.next(), blocks.next()) {
        let Some(rest) = block.strip_prefix("console\n$ krewind ") else { continue };
        let (command, output) = rest.split_once('\n').unwrap();
        if command.starts_with("lab --s") {
            found.push((command.to_owned(), output.to_owned()));
        }
    }
    found
}

/// A command line's words, with single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in command.split('\'').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_ascii_whitespace().map(str::to_owned));
        }
    }
    words
}

#[test]
fn the_documents_show_what_is_printed() {
    let mut all = shown("docs/lab.md");
    assert_eq!(all.len(), 6, "five lessons and a script");
    all.extend(shown("README.md"));
    assert_eq!(all.len(), 7);
    for (command, output) in all {
        let ran = Command::new(env!("CARGO_BIN_EXE_krewind")).args(words(&command)).output().unwrap();
        assert!(ran.status.success(), "{command}");
        assert_eq!(String::from_utf8(ran.stdout).unwrap(), output, "{command}");
    }
}
