//! krewind as people and scripts meet it: the real binary on a real Apache Kafka, and the rules of its source.
//!
//! One binary, so that the broker is started once. Each test makes topics and groups of its own, by [`support::fresh`] names.
#![allow(clippy::unwrap_used)]

mod apply;
mod architecture;
mod completions;
mod configuration;
mod connection;
mod delete;
mod describe;
mod lab;
mod load;
mod properties;
mod replay;
mod reset;
mod see;
mod support;
mod undo;
mod usage;
