//! Which records of the windows are wanted, how many, and how fast.

use crate::error::{Error, Result};
use crate::plan::pace::{self, Rate};
use crate::plan::select::{Condition, HeaderTest, Selection};
use clap::Args;

/// What is kept of the window.
#[derive(Debug, Args)]
#[command(next_help_heading = "Selecting")]
pub struct SelectArgs {
    /// Only records with this key, exactly; repeated: one of these
    #[arg(long, value_name = "KEY")]
    key: Vec<String>,

    /// Only records with this header, also `NAME` with any value; repeated: all of these
    #[arg(long, value_name = "NAME=VALUE", value_parser = HeaderTest::parse)]
    header: Vec<HeaderTest>,

    /// Only records in whose value this regular expression is found; repeated: all of these
    #[arg(long, value_name = "REGEX")]
    grep: Vec<String>,

    /// Only records whose value is JSON of which this holds, as in `/status == "failed"`: a JSON pointer, one of == != < <= > >=, and a
    /// JSON value; repeated: all of these. A place that does not exist fulfils nothing
    #[arg(long = "where", value_name = "CONDITION", value_parser = Condition::parse)]
    conditions: Vec<Condition>,

    /// Stop after this many records
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_messages: Option<u64>,

    /// Stop before more than this many bytes of keys and values, as in `100MB`
    #[arg(long, value_name = "SIZE", value_parser = pace::bytes)]
    pub max_bytes: Option<u64>,

    /// Read no faster than this: records a second as in `20k`, or bytes a second as in `50MB`
    #[arg(long, value_name = "RATE", value_parser = Rate::parse)]
    pub rate: Option<Rate>,

    /// How much of the keys and values is held in memory at most, on the way from the brokers to the sink
    #[arg(long, value_name = "SIZE", default_value = "32MB", value_parser = buffer)]
    pub buffer: u64,
}

/// Less than this would hold up reading.
const LEAST_BUFFER: u64 = 1_000_000;
const MOST_BUFFER: u64 = 2_000_000_000;

fn buffer(text: &str) -> std::result::Result<u64, String> {
    match pace::bytes(text)? {
        size if size < LEAST_BUFFER => Err(format!("`{text}` is less than 1MB")),
        size if size > MOST_BUFFER => Err(format!("`{text}` is more than 2GB")),
        size => Ok(size),
    }
}

impl SelectArgs {
    /// The selection.
    pub fn selection(&self) -> Result<Selection> {
        let patterns = self.grep.iter().map(|pattern| {
            regex::bytes::Regex::new(pattern).map_err(|error| {
                // The last line says what is wrong; those before it draw where.
                let text = error.to_string();
                let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Error::usage(format!("`--grep {pattern}` is no regular expression: {why}"))
                    .hint("a sign of `.+*?()|[]{}^$` that is meant as such needs a `\\` before it")
            })
        });
        Ok(Selection {
            keys: self.key.iter().map(|key| key.clone().into_bytes()).collect(),
            headers: self.header.clone(),
            patterns: patterns.collect::<Result<_>>()?,
            conditions: self.conditions.clone(),
        })
    }
}
