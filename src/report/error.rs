use serde::Serialize;

/// A failure before any report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorReport {
    /// `error`.
    pub kind: &'static str,
    /// The shape's version.
    pub version: u32,
    /// The stable code.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What would help.
    pub hints: Vec<String>,
}

impl ErrorReport {
    /// The report of an error.
    pub fn new(code: &str, message: &str, hints: &[String]) -> Self {
        ErrorReport {
            kind: "error",
            version: super::VERSION,
            code: code.to_owned(),
            message: message.to_owned(),
            hints: hints.to_vec(),
        }
    }
}
