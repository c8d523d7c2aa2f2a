//! The `krewind` binary.
fn main() {}
