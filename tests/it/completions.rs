//! The committed completions are what this binary prints.

use crate::support::bare;
use std::path::Path;

#[test]
fn the_committed_completions_are_current() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    let shells = [
        ("bash", "krewind.bash"),
        ("zsh", "_krewind"),
        ("fish", "krewind.fish"),
        ("elvish", "krewind.elv"),
        ("powershell", "_krewind.ps1"),
    ];
    for (shell, file) in shells {
        let printed = bare().args(["completions", shell]).run().succeeds().stdout;
        let committed = std::fs::read(directory.join(file)).unwrap_or_default();
        assert!(
            printed.as_bytes() == committed,
            "completions/{file} is not what `krewind completions {shell}` prints: run `cargo xtask docs` and commit it"
        );
        assert!(printed.contains("describe") && printed.contains("bootstrap-server"), "{shell}: {printed}");
    }
    // And there are no others.
    let mut names: Vec<String> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut expected = shells.map(|(_, file)| file.to_owned());
    expected.sort();
    assert_eq!(names, expected);
}
