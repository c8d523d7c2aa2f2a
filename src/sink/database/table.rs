//! Which table, and what its being there means.

use crate::error::{Code, Error, Result};
use crate::sink::IfExists;

/// What tells that a table was made here: in PostgreSQL the table's comment begins with it, in SQLite the statement that made the
/// table holds it.
pub const MARK: &str = "krewind replay";

/// A table's name: taken exactly, so upper case stays upper case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableName {
    /// The schema, where it was given.
    pub schema: Option<String>,
    /// The table.
    pub name: String,
}

/// What is to be done, given what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The table is made.
    New,
    /// Records are added that are not there yet.
    Upsert,
    /// Records are added.
    Append,
    /// A table in the making takes its place at the end.
    Replace,
}

impl TableName {
    /// `NAME`, `SCHEMA.NAME`; a name with dots in it stands in double quotes.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::usage(format!("`--table {text}` names no table"))
                .hint("`NAME` or `SCHEMA.NAME`, a name that has dots in double quotes; taken exactly as it is written")
        };
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let (part, after) = match rest.strip_prefix('"') {
                Some(quoted) => {
                    let end = quoted.find('"').ok_or_else(wrong)?;
                    (&quoted[..end], &quoted[end + 1..])
                }
                None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
            };
            if part.is_empty() || part.contains(['"', '\0']) {
                return Err(wrong());
            }
            parts.push(part.to_owned());
            match after.strip_prefix('.') {
                Some(next) => rest = next,
                None if after.is_empty() => break,
                None => return Err(wrong()),
            }
        }
        match (parts.pop(), parts.pop(), parts.is_empty()) {
            (Some(name), schema, true) => Ok(TableName { schema, name }),
            _ => Err(wrong()),
        }
    }
}

/// A name as SQL takes it.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Decides about a table that is there; `own`: whether it was made here.
pub fn mode(own: bool, if_exists: Option<IfExists>, shown: &str) -> Result<Mode> {
    match if_exists {
        Some(IfExists::Replace) => Ok(Mode::Replace),
        Some(IfExists::Append) => Ok(Mode::Append),
        Some(IfExists::Upsert) => Ok(Mode::Upsert),
        None if own => Ok(Mode::Upsert),
        None => Err(Error::new(Code::TargetExists, format!("the table {shown} exists, and krewind did not make it")).hint(
            "`--if-exists upsert` adds what it does not have, `append` adds all, `replace` puts a new one in its place; or \
             name another with `--table`",
        )),
        Some(IfExists::Fail) => Err(Error::new(Code::TargetExists, format!("the table {shown} exists"))
            .hint("without `--if-exists fail` a table that krewind made takes what it does not have yet; nothing was read")),
    }
}

/// The refusal of a table whose columns don't fit.
pub fn unfit(shown: &str, what: &[String]) -> Error {
    Error::new(Code::TargetExists, format!("the table {shown} does not fit: {}", what.join("; ")))
        .hint("`--key-format` and `--value-format` as it was made with may fit it; nothing was read")
        .hint("or name another with `--table`; `--if-exists replace` puts a new one in its place")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_exactly() {
        let of = |text| TableName::parse(text).map(|table| (table.schema, table.name)).ok();
        let some = |schema: Option<&str>, name: &str| Some((schema.map(str::to_owned), name.to_owned()));
        assert_eq!(of("Orders"), some(None, "Orders"));
        assert_eq!(of("shop.orders"), some(Some("shop"), "orders"));
        assert_eq!(of("\"a.b\".\"c d\""), some(Some("a.b"), "c d"));
        assert_eq!(of("\"orders.v1\""), some(None, "orders.v1"));
        for text in ["", ".", "a.", ".a", "a.b.c", "\"a", "\"a\"b", "\"\"", "a\"b"] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }

    #[test]
    fn only_a_table_made_here_takes_records_unasked() {
        assert_eq!(mode(true, None, "t").unwrap(), Mode::Upsert);
        assert_eq!(mode(false, None, "t").unwrap_err().code, Code::TargetExists);
        for own in [true, false] {
            assert_eq!(mode(own, Some(IfExists::Fail), "t").unwrap_err().code, Code::TargetExists);
            assert_eq!(mode(own, Some(IfExists::Append), "t").unwrap(), Mode::Append);
            assert_eq!(mode(own, Some(IfExists::Upsert), "t").unwrap(), Mode::Upsert);
            assert_eq!(mode(own, Some(IfExists::Replace), "t").unwrap(), Mode::Replace);
        }
    }
}
