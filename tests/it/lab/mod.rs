//! The lab: its lessons and scripts as reports, the same on a real cluster, and the pieces of it that touch one.

mod by_hand;
mod child;
mod led;
mod lessons;
mod live;
mod live_ends;
mod scratch;
mod stepper;
mod watched;
