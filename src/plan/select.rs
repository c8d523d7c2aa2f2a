//! Which records are wanted, by their keys, headers and values.

use crate::model::Record;
use regex::bytes::Regex;
use serde_json::Value;
use std::cmp::Ordering;

/// What a record must have to be wanted: all of it.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// One of these keys, exactly; none given: any.
    pub keys: Vec<Vec<u8>>,
    /// Each of these headers.
    pub headers: Vec<HeaderTest>,
    /// A value in which each of these is found.
    pub patterns: Vec<Regex>,
    /// A value that is JSON, of which each of these holds.
    pub conditions: Vec<Condition>,
}

/// A header that must be there: with this value, or any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderTest {
    /// Its name.
    pub name: String,
    /// Its value; `None` is any, null too.
    pub value: Option<String>,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It is wanted.
    Wanted,
    /// It is not.
    Unwanted,
    /// It is not, since its value is not JSON, which a condition asks for.
    NotJson,
}

/// A comparison with a place in a JSON value.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The place, as RFC 6901 has it.
    pub pointer: String,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what.
    pub with: Value,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl HeaderTest {
    /// Reads `name=value`, or `name` for any value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        if name.is_empty() {
            return Err(format!("`{text}` names no header: `name=value`, or `name` for any value"));
        }
        Ok(HeaderTest { name: name.to_owned(), value })
    }
}

impl Condition {
    /// Reads `/status == "failed"`: a JSON pointer, a comparison, a JSON value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refused = |why: &str| format!("{why}; a condition looks like `/status == \"failed\"`");
        // Longer signs first, of those that begin alike.
        const SIGNS: [(&str, Comparison); 6] = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let found = text
            .char_indices()
            .find_map(|(at, _)| SIGNS.iter().find(|(sign, _)| text[at..].starts_with(sign)).map(|found| (at, found)));
        let Some((at, (sign, comparison))) = found else {
            return Err(refused("no comparison (==, !=, <, <=, >, >=) stands in it"));
        };
        let (pointer, with) = (text[..at].trim(), text[at + sign.len()..].trim());
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(refused("a JSON pointer begins with `/`"));
        }
        let with: Value = serde_json::from_str(with)
            .map_err(|_| refused("what it is compared with is no JSON value; text needs quotes"))?;
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if ordered && !(with.is_number() || with.is_string()) {
            return Err(refused("only numbers and texts have an order"));
        }
        Ok(Condition { pointer: pointer.to_owned(), comparison: *comparison, with })
    }

    /// Whether it holds of a value. A place that does not exist fulfils nothing, and neither does one of another type, except that
    /// it is unequal.
    pub fn holds(&self, value: &Value) -> bool {
        let Some(found) = value.pointer(&self.pointer) else { return false };
        let order = order(found, &self.with);
        match self.comparison {
            Comparison::Equal => order == Some(Ordering::Equal),
            Comparison::Unequal => order != Some(Ordering::Equal),
            Comparison::Less => order == Some(Ordering::Less),
            Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Comparison::Greater => order == Some(Ordering::Greater),
            Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

/// The order of two values; `None` where they have none, and are not equal.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            let whole = |number: &serde_json::Number| {
                number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
            };
            match (whole(left), whole(right)) {
                (Some(left), Some(right)) => Some(left.cmp(&right)),
                _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
            }
        }
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (left, right) => (left == right).then_some(Ordering::Equal),
    }
}

impl Selection {
    /// Whether every record is wanted.
    pub fn is_everything(&self) -> bool {
        self.keys.is_empty() && self.headers.is_empty() && self.patterns.is_empty() && self.conditions.is_empty()
    }

    /// Whether it looks at headers.
    pub fn needs_headers(&self) -> bool {
        !self.headers.is_empty()
    }

    /// Whether the record is wanted.
    pub fn choose(&self, record: &Record<'_>) -> Choice {
        if !self.keys.is_empty() && !self.keys.iter().any(|key| record.key == Some(key.as_slice())) {
            return Choice::Unwanted;
        }
        let has = |test: &HeaderTest| {
            record.headers.iter().any(|header| {
                header.key == test.name.as_bytes()
                    && test.value.as_ref().is_none_or(|value| header.value == Some(value.as_bytes()))
            })
        };
        if !self.headers.iter().all(has) {
            return Choice::Unwanted;
        }
        let value = record.value.unwrap_or_default();
        if !self.patterns.iter().all(|pattern| record.value.is_some() && pattern.is_match(value)) {
            return Choice::Unwanted;
        }
        if self.conditions.is_empty() {
            return Choice::Wanted;
        }
        // A tombstone is no JSON that could be looked into, and nothing to wonder at.
        let Some(value) = record.value else { return Choice::Unwanted };
        match serde_json::from_slice::<Value>(value) {
            Err(_) => Choice::NotJson,
            Ok(value) if self.conditions.iter().all(|condition| condition.holds(&value)) => Choice::Wanted,
            Ok(_) => Choice::Unwanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Header, TimestampType};

    fn record<'a>(key: Option<&'a [u8]>, value: Option<&'a [u8]>, headers: &'a [Header<'a>]) -> Record<'a> {
        let timestamp_type = TimestampType::CreateTime;
        Record { topic: "t", partition: 0, offset: 0, timestamp_ms: 0, timestamp_type, key, value, headers }
    }

    fn holds(condition: &str, value: &str) -> bool {
        Condition::parse(condition).unwrap().holds(&serde_json::from_str(value).unwrap())
    }

    #[test]
    fn conditions() {
        let order =
            r#"{"status":"failed","total":12.5,"lines":[{"sku":"a=b"}],"paid":null,"id":9007199254740993,"a/b":1}"#;
        for (condition, expected) in [
            (r#"/status == "failed""#, true),
            (r#"/status=="paid""#, false),
            (r#"/status != "paid""#, true),
            ("/total > 12", true),
            ("/total >= 12.5", true),
            ("/total < 12.5", false),
            ("/total <= 12.5", true),
            (r#"/lines/0/sku == "a=b""#, true),
            ("/paid == null", true),
            ("/paid != null", false),
            // A place that is not there fulfils nothing.
            ("/missing == null", false),
            ("/missing != 1", false),
            // Whole numbers are compared as such, past what a float holds.
            ("/id == 9007199254740993", true),
            ("/id > 9007199254740992", true),
            // Another type has no order, and is unequal.
            (r#"/total == "12.5""#, false),
            (r#"/total != "12.5""#, true),
            (r#"/status > 1"#, false),
            ("/a~1b == 1", true),
            (r#"/status >= "fail""#, true),
        ] {
            assert_eq!(holds(condition, order), expected, "{condition}");
        }
        assert!(holds("== 5", "5"), "an empty pointer is the whole value");
        for wrong in ["", "/a", "status == 1", "/a == failed", "/a = 1", "/a > null", "/a > {}", "/a =="] {
            assert!(Condition::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_headers_and_patterns() {
        let headers = [
            Header { key: b"a", value: Some(b"1") },
            Header { key: b"a", value: Some(b"2") },
            Header { key: b"n", value: None },
        ];
        let of = |selection: &Selection, record: &Record<'_>| selection.choose(record) == Choice::Wanted;
        let keys = Selection { keys: vec![b"x".to_vec(), b"y".to_vec()], ..Selection::default() };
        assert!(of(&keys, &record(Some(b"y"), None, &[])));
        assert!(!of(&keys, &record(Some(b"yy"), None, &[])) && !of(&keys, &record(None, None, &[])));
        let header = |text: &str| Selection { headers: vec![HeaderTest::parse(text).unwrap()], ..Selection::default() };
        for (test, expected) in [("a=2", true), ("a=3", false), ("a", true), ("n", true), ("n=", false), ("b", false)] {
            assert_eq!(of(&header(test), &record(None, None, &headers)), expected, "{test}");
        }
        let grep = Selection { patterns: vec![Regex::new("fail(ed|ure)").unwrap()], ..Selection::default() };
        assert!(of(&grep, &record(None, Some(b"\xff it failed"), &[])));
        assert!(!of(&grep, &record(None, None, &[])) && !of(&grep, &record(None, Some(b"fine"), &[])));
        let everything = Regex::new("").unwrap();
        let any = Selection { patterns: vec![everything], ..Selection::default() };
        assert!(!of(&any, &record(None, None, &[])), "a tombstone has no value to look into");
    }

    #[test]
    fn what_is_not_json_is_told() {
        let selection = Selection { conditions: vec![Condition::parse("/a == 1").unwrap()], ..Selection::default() };
        let choose = |value: Option<&[u8]>| selection.choose(&record(None, value, &[]));
        assert_eq!(choose(Some(br#"{"a":1}"#)), Choice::Wanted);
        assert_eq!(choose(Some(br#"{"a":2}"#)), Choice::Unwanted);
        assert_eq!(choose(Some(b"a")), Choice::NotJson);
        assert_eq!(choose(None), Choice::Unwanted);
        assert!(Selection::default().is_everything());
    }
}
