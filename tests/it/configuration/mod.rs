//! The configuration file, profiles, and what protects groups.

mod file;
mod show;
mod writes;

use std::path::Path;

/// Puts a configuration file where runs with this `XDG_CONFIG_HOME` find it; its path.
fn configure(config_home: &Path, text: &str) -> String {
    let path = config_home.join("krewind/config.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}
