//! `reset`: the real binary, a real broker, and the broker looked at afterwards.
#![allow(clippy::unwrap_used)]

pub(crate) mod place;
pub(crate) mod runner;
pub(crate) mod terminal;

mod active;
mod asked;
mod broken;
mod denied;
mod dry_run;
mod failover;
mod files;
mod journal;
mod kept;
mod leaderless;
mod missing;
mod names_and_numbers;
mod peers;
mod pending;
pub(crate) mod proxy;
mod ranges;
mod relative;
mod secured;
mod several;
mod shapes;
mod targets;
mod times;
mod two_requests;
mod unmanaged;
