//! The real binary against a real broker.

mod replay;
