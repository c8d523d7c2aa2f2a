//! The lab on a real cluster: a real consumer in a process of its own, and a database as its sink.

pub mod child;
pub mod consumer;
pub mod orders;
