//! The lab, as a person at a terminal and as a script meet it.
#![allow(clippy::unwrap_used)]

mod screen;
mod tui;
