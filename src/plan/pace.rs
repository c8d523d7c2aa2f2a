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

    /// How long so much takes, in seconds.
    fn seconds(self, records: u64, bytes: u64) -> f64 {
        match self {
            Rate::Records(rate) => records as f64 / rate,
            Rate::Bytes(rate) => bytes as f64 / rate,
        }
    }
}

/// Holds reading to a rate.
#[derive(Debug)]
pub struct Pacer {
    rate: Rate,
    /// Until when what came is paid for, in seconds after the start.
    paid_until: f64,
    /// Of all that came.
    records: u64,
    bytes: u64,
}

impl Pacer {
    /// A pacer that begins now.
    pub fn new(rate: Rate) -> Self {
        Pacer { rate, paid_until: 0.0, records: 0, bytes: 0 }
    }

    /// How many records may come at once, so that the flow is even. Of how many bytes a record is, the first one tells.
    pub fn most_at_once(&self) -> usize {
        let rate = match self.rate {
            Rate::Records(rate) => rate,
            Rate::Bytes(_) if self.records == 0 => 1.0,
            Rate::Bytes(rate) => rate * self.records as f64 / self.bytes.max(1) as f64,
        };
        (rate / PARTS).ceil().max(1.0) as usize
    }

    /// So much came, this long after the start. Time in which nothing came is not made up for.
    pub fn came(&mut self, records: u64, bytes: u64, elapsed: Duration) {
        self.records += records;
        self.bytes += bytes;
        let from = self.paid_until.max(elapsed.as_secs_f64() - 1.0 / PARTS);
        self.paid_until = from + self.rate.seconds(records, bytes);
    }

    /// How long to wait before more may come.
    pub fn wait(&self, elapsed: Duration) -> Duration {
        Duration::try_from_secs_f64(self.paid_until).unwrap_or(Duration::MAX).saturating_sub(elapsed)
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
        let ms = Duration::from_millis;
        let mut pacer = Pacer::new(Rate::Records(1000.0));
        assert_eq!((pacer.most_at_once(), pacer.wait(ms(0))), (50, ms(0)));
        pacer.came(500, 0, ms(0));
        assert_eq!((pacer.wait(ms(100)), pacer.wait(ms(500)), pacer.wait(ms(9000))), (ms(400), ms(0), ms(0)));
        // A minute without records is no reason to read the next ones faster: but for a twentieth of a second.
        pacer.came(100, 0, ms(60_000));
        assert_eq!(pacer.wait(ms(60_000)), ms(50));
        assert_eq!(Pacer::new(Rate::Records(1.0)).most_at_once(), 1);
    }

    #[test]
    fn bytes_at_once_go_by_how_large_records_are() {
        let mut pacer = Pacer::new(Rate::Bytes(1e6));
        assert_eq!(pacer.most_at_once(), 1);
        pacer.came(1, 500, Duration::ZERO);
        assert_eq!(pacer.most_at_once(), 100, "a twentieth of a million bytes");
        pacer.came(9, 2_000_000, Duration::ZERO);
        assert!(pacer.wait(Duration::from_secs(1)) >= Duration::from_secs(1));
        assert_eq!(pacer.most_at_once(), 1);
        let mut empty = Pacer::new(Rate::Bytes(1e6));
        empty.came(10, 0, Duration::ZERO);
        assert!(empty.most_at_once() > 1, "records without keys and values weigh nothing");
    }
}
