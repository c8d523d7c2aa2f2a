use serde::Serialize;

/// What holds in a run, and where each value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigReport {
    /// `config`.
    pub kind: &'static str,
    /// The shape's version.
    pub version: u32,
    /// Where the configuration file lies, or would.
    pub path: Option<String>,
    /// Whether it is there.
    pub exists: bool,
    /// The profiles that it has.
    pub profiles: Vec<String>,
    /// The values that hold.
    pub settings: Vec<Setting>,
}

/// One value that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its name: the flag's, or `-X` with the property's.
    pub name: String,
    /// The value, a secret by its mask; `null` where there is none.
    pub value: Option<String>,
    /// `flag`, `environment`, `profile`, `file`, `command-config` or `default`.
    pub source: String,
}

/// What is wrong with a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigCheck {
    /// `config-check`.
    pub kind: &'static str,
    /// The shape's version.
    pub version: u32,
    /// The file.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// What is wrong.
    pub problems: Vec<ConfigProblem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigProblem {
    /// One sentence, with file and line.
    pub message: String,
    /// What would help.
    pub hints: Vec<String>,
}
