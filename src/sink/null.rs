use super::{Finished, Sink};
use crate::error::Result;
use crate::model::Record;

/// Takes records and keeps none: a window is read and accounted for.
#[derive(Debug, Default)]
pub struct Null {
    taken: u64,
}

impl Sink for Null {
    #[inline]
    fn put(&mut self, _: &Record<'_>) -> Result<()> {
        self.taken += 1;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn mark(&mut self) -> Result<serde_json::Value> {
        Ok(serde_json::Value::Null)
    }

    fn finish(&mut self, _: bool) -> Finished {
        Finished::default()
    }

    fn written(&self) -> u64 {
        self.taken
    }

    fn name(&self) -> (&'static str, String) {
        ("null", "null".to_owned())
    }
}
