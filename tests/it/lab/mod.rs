//! The lab, as a person at a terminal and as a script meet it, and its pieces on a real cluster.

mod child;
mod documents;
mod led;
mod scratch;
mod screen;
mod stepper;
mod tui;
