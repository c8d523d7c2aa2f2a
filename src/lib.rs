//! krewind moves Kafka consumer-group offsets and replays bounded windows of topics.
//!
//! Data flows one way: command line → spec → snapshot (gathered from the cluster) → plan (pure) → report → rendering.
//!
//! | module | what it is | imports |
//! |---|---|---|
//! | [`model`], [`error`] | data and errors | nothing of ours |
//! | [`watermark`] | lag, lost, rereads, skips: the one place where they are computed | model |
//! | [`offset`] | a target and a time, parsed; target + facts → offset | watermark, model, error |
//! | [`report`] | what is serialized | model |
//! | [`plan`] | decisions, without I/O or clock | report, offset, watermark, model, error |
//! | [`journal`] | what was replaced, on disk before it is replaced | report, model, error |
//! | [`config`] | the user's configuration file | error |
//! | [`kafka`] | the only importer of rdkafka | model, watermark, error |
//! | [`sink`] | where replayed records go | model, error |
//! | [`lab`] | the commit-and-crash lab; its `live` alone reaches a cluster | model, report, error; live: + kafka |
//! | [`render`] | reports as table, JSON, CSV | report, model |
//! | [`ui`] | the terminal: status, prompts, progress | error, model |
//! | [`exec`] | the only drivers of I/O | all above but render, ui |
//! | [`commands`], [`cli`] | clap, and the order of calls | anything |
//!
//! A test reads every `crate::` path and fails on any other edge.

pub mod cli;
pub mod commands;
pub mod config;
pub mod error;
pub mod exec;
pub mod journal;
pub mod kafka;
pub mod lab;
pub mod model;
pub mod offset;
pub mod plan;
pub mod render;
pub mod report;
pub mod sink;
pub mod ui;
pub mod watermark;

pub use commands::run;
