//! `cargo xtask`: check, bench and crash.

fn main() {}
