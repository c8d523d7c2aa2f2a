//! `cargo xtask docs`: the files that are made from krewind's command line. A test compares them.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Shells, and the name under which each looks for completions.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "krewind.bash"),
    ("zsh", "_krewind"),
    ("fish", "krewind.fish"),
    ("elvish", "krewind.elv"),
    ("powershell", "_krewind.ps1"),
];

pub fn run() -> Result<(), Box<dyn Error>> {
    let krewind = crate::demo::build()?;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../completions");
    fs::create_dir_all(&directory)?;
    for (shell, file) in COMPLETIONS {
        let output = Command::new(&krewind).args(["completions", shell]).output()?;
        if !output.status.success() {
            return Err(format!("completions for {shell}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        fs::write(directory.join(file), output.stdout)?;
        println!("completions/{file}");
    }
    Ok(())
}
