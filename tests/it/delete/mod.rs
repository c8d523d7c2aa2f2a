//! `delete` and `delete-offsets`: the real binary, a real broker, and the broker looked at afterwards.

mod asked;
mod broken;
mod groups;
mod offsets;
mod refused;
