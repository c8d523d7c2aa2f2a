//! Python with pyarrow, in an environment of its own that is made once below `target`.

use super::Sent;
use base64::Engine;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PYARROW: &str = "26.0.1";

fn succeeds(command: &mut Command, hint: &str) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; {hint}"));
    assert!(output.status.success(), "{command:?}: {}; {hint}", String::from_utf8_lossy(&output.stderr));
}

/// The interpreter.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pyarrow-{PYARROW}"));
        let python = place.join("bin/python");
        let check = format!("import pyarrow; assert pyarrow.__version__ == '{PYARROW}'");
        if !Command::new(&python).args(["-c", &check]).output().is_ok_and(|output| output.status.success()) {
            let hint = "`apt-get install python3 python3-venv` brings it";
            succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&place), hint);
            let package = format!("pyarrow=={PYARROW}");
            succeeds(
                Command::new(&python).args(["-m", "pip", "install", "--quiet", &package]),
                "PyPI must be reachable",
            );
        }
        python
    })
}

/// What this script prints, a JSON object a line; it gets the arguments as `sys.argv[1:]`.
pub fn run(script: &str, args: &[&str]) -> Vec<Value> {
    let output = Command::new(python()).args(["-c", script]).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The bytes of base64, which the scripts print.
pub fn bytes(value: &Value) -> Option<Vec<u8>> {
    value.as_str().map(|text| base64::engine::general_purpose::STANDARD.decode(text).unwrap())
}

/// A record as the scripts print it.
pub fn sent(record: &Value) -> Sent {
    let headers = record["headers"].as_array().unwrap().iter();
    Sent {
        offset: record["offset"].as_i64().unwrap(),
        timestamp_ms: record["timestamp"].as_i64(),
        key: bytes(&record["key"]),
        value: bytes(&record["value"]),
        headers: headers.map(|pair| (pair[0].as_str().unwrap().to_owned(), bytes(&pair[1]))).collect(),
    }
}
