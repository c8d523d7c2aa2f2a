//! Reports as text: tables for people, JSON and CSV for programs.

pub mod config;
mod csv;
pub mod describe;
pub mod diff;
pub mod history;
pub mod lab;
pub mod list;
pub mod load;
pub mod peek;
pub mod prometheus;
mod removal;
pub mod replay;
pub mod reset;
pub mod spark;
mod table;
pub mod window;

pub use table::Style;

use serde::Serialize;

/// Any report as one JSON object.
pub fn json<T: Serialize>(report: &T) -> String {
    let mut text = serde_json::to_string_pretty(report).unwrap_or_else(|error| {
        // Every report is made of text, numbers and lists: there is nothing in it that JSON lacks.
        format!(
            "{{\"kind\": \"error\", \"version\": 1, \"code\": \"internal\", \"message\": \"{error}\", \"hints\": []}}"
        )
    });
    text.push('\n');
    text
}
