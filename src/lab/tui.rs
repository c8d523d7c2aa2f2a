//! x
use crate::error::{Error, Exit, Result};
/// x
pub fn run(
    _: super::model::Settings,
    _: Option<&'static super::scenario::Scenario>,
    _: bool,
    _: &std::sync::atomic::AtomicBool,
) -> Result<Exit> {
    Err(Error::usage("x"))
}
