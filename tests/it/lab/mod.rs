//! The lab, as a person at a terminal and as a script meet it: lessons and scripts as reports, the same on a real cluster, and the
//! pieces of it that touch one.

mod by_hand;
mod child;
mod documents;
mod led;
mod lessons;
mod live;
mod live_ends;
mod scratch;
mod screen;
mod stepper;
mod tui;
mod watched;
