use std::time::{Duration, Instant};

use crate::Error;

/// What a check of [`wait_for`] found.
pub enum Check<T> {
    /// It is true now.
    Done(T),
    /// Not yet; the text is what was seen instead, for the error message.
    NotYet(String),
}

/// Asks again and again until `check` is done, at most for `limit`.
///
/// # Errors
/// The error of `check` at once, or [`Error::Timeout`] with the last thing it saw.
pub fn wait_for<T>(
    what: &str,
    limit: Duration,
    mut check: impl FnMut() -> Result<Check<T>, Error>,
) -> Result<T, Error> {
    let end = Instant::now() + limit;
    loop {
        let last = match check()? {
            Check::Done(value) => return Ok(value),
            Check::NotYet(last) => last,
        };
        if Instant::now() >= end {
            return Err(Error::Timeout {
                what: what.to_owned(),
                seconds: limit.as_secs(),
                last: if last.is_empty() { last } else { format!(": {last}") },
            });
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
