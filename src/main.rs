//! The `krewind` binary.

fn main() {
    krewind::run()
}
