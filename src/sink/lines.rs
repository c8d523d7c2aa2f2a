//! Records as lines of text, whatever their form.

use super::{FileTarget, Finished, Lines, Remark, Sink};
use crate::error::Result;
use crate::model::Record;

/// Makes text of records.
pub trait Encode: Send {
    /// The form's name in reports.
    const NAME: &'static str;

    /// What stands before the first record.
    const HEADER: &'static [u8] = b"";

    /// Writes one record. What was written when it fails is taken back.
    fn encode(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<()>;

    /// Keys and values that are bytes because of a Schema Registry's prefix, although something else was asked for.
    fn registered(&self) -> u64;
}

/// Writes records as text.
pub struct Text<E> {
    encoder: E,
    lines: Lines,
}

impl<E: Encode> Text<E> {
    /// Records, encoded like this, to there.
    pub fn new(encoder: E, mut lines: Lines) -> Self {
        if lines.begins() {
            lines.buffer().extend_from_slice(E::HEADER);
        }
        Text { encoder, lines }
    }

    /// The text on its way: for marks to go on from.
    pub fn lines(&mut self) -> &mut Lines {
        &mut self.lines
    }
}

impl<E: Encode> Sink for Text<E> {
    fn put(&mut self, record: &Record<'_>) -> Result<()> {
        let buffer = self.lines.buffer();
        let before = buffer.len();
        if let Err(error) = self.encoder.encode(buffer, record) {
            buffer.truncate(before);
            return Err(error);
        }
        self.lines.took()
    }

    fn flush(&mut self) -> Result<()> {
        self.lines.flush()
    }

    fn mark(&mut self) -> Result<serde_json::Value> {
        let length = self.lines.mark()?;
        self.lines.keep();
        let partial = self.lines.file().and_then(FileTarget::partial);
        Ok(serde_json::json!({ "partial": partial, "length": length }))
    }

    fn finish(&mut self, whole: bool) -> Finished {
        self.lines.finish(whole)
    }

    fn written(&self) -> u64 {
        self.lines.written()
    }

    fn remarks(&self) -> Vec<Remark> {
        let remark = |count| Remark {
            code: "schema-registry",
            message: match count {
                1 => {
                    "1 key or value begins as Schema Registry's serializers write it, and was written as bytes (base64)"
                        .to_owned()
                }
                count => format!(
                    "{count} keys or values begin as Schema Registry's serializers write them, and were written as bytes \
                     (base64)"
                ),
            },
        };
        Some(self.encoder.registered()).filter(|count| *count > 0).map(remark).into_iter().collect()
    }

    fn name(&self) -> (&'static str, String) {
        (E::NAME, self.lines.name())
    }
}
