//! The real binary against a real broker.
#![allow(clippy::unwrap_used)]

mod replay;
