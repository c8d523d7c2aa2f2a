//! How fast records may be read, and how many.

use std::time::Duration;

/// So much a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// Records.
    Records(f64),
    /// Bytes of keys and values.
    Bytes(f64),
}

/// How often a second a rate is looked after: what comes at once is a part of it.
const PARTS: f64 = 20.0;

impl Rate {
    /// Reads `500`, `20k`, `1.5M` (records a second) or `800B`, `64kB`, `50MB`, `1GiB` (bytes a second).
    pub fn parse(text: &str) -> Result<Self, String> {
        let (number, is_bytes) = amount(text)
            .ok_or_else(|| format!("`{text}` is no rate: records as in `20k`, or bytes as in `50MB`, a second"))?;
        if number < 1.0 {
            return Err(format!("`{text}` is less than one a second"));
        }
        Ok(if is_bytes { Rate::Bytes(number) } else { Rate::Records(number) })
    }

    /// How many records may come at once, so that the flow is even.
    pub fn most_at_once(self) -> usize {
        match self {
            Rate::Records(rate) => (rate / PARTS).ceil().max(1.0) as usize,
            Rate::Bytes(_) => usize::MAX,
        }
    }

    /// How long to wait after so much came in so long a time.
    pub fn wait(self, records: u64, bytes: u64, elapsed: Duration) -> Duration {
        let due = match self {
            Rate::Records(rate) => records as f64 / rate,
            Rate::Bytes(rate) => bytes as f64 / rate,
        };
        Duration::try_from_secs_f64(due).unwrap_or(Duration::MAX).saturating_sub(elapsed)
    }
}

/// Reads a number of bytes: `1048576`, `64MB`, `1GiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    match amount(text) {
        Some((number, is_bytes)) if number >= 1.0 && (is_bytes || text.bytes().all(|byte| byte.is_ascii_digit())) => {
            Ok(number as u64)
        }
        _ => Err(format!("`{text}` is no size: bytes as in `1048576`, `64MB` or `1GiB`")),
    }
}

/// The number, and whether its unit is bytes.
fn amount(text: &str) -> Option<(f64, bool)> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let (prefix, is_bytes) = match unit.strip_suffix('B') {
        Some(prefix) => (prefix, true),
        None => (unit, false),
    };
    let factor = match (prefix, is_bytes) {
        ("", _) => 1.0,
        ("k" | "K", _) => 1e3,
        ("M", _) => 1e6,
        ("G", _) => 1e9,
        ("Ki", true) => 1024.0,
        ("Mi", true) => 1_048_576.0,
        ("Gi", true) => 1_073_741_824.0,
        _ => return None,
    };
    Some((number * factor, is_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_sizes_as_people_write_them() {
        assert_eq!(Rate::parse("500"), Ok(Rate::Records(500.0)));
        assert_eq!(Rate::parse("20k"), Ok(Rate::Records(20_000.0)));
        assert_eq!(Rate::parse("1.5M"), Ok(Rate::Records(1_500_000.0)));
        assert_eq!(Rate::parse("50MB"), Ok(Rate::Bytes(50_000_000.0)));
        assert_eq!(Rate::parse("1MiB"), Ok(Rate::Bytes(1_048_576.0)));
        for text in ["", "k", "0", "0.5", "-1", "20 k", "20kb", "1e3", "1Mi", "fast"] {
            assert!(Rate::parse(text).is_err(), "{text}");
        }
        assert_eq!(bytes("64MB"), Ok(64_000_000));
        assert_eq!(bytes("1048576"), Ok(1_048_576));
        assert_eq!(bytes("2GiB"), Ok(2_147_483_648));
        for text in ["64M", "64k", "0", "1.5", "x"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_came_too_early_is_waited_for() {
        let rate = Rate::Records(1000.0);
        assert_eq!(rate.most_at_once(), 50);
        assert_eq!(rate.wait(500, 0, Duration::from_millis(100)), Duration::from_millis(400));
        assert_eq!(rate.wait(500, 0, Duration::from_secs(1)), Duration::ZERO);
        assert_eq!(Rate::Bytes(1e6).wait(9, 2_000_000, Duration::from_secs(1)), Duration::from_secs(1));
        assert_eq!(Rate::Records(1.0).most_at_once(), 1);
    }
}
