//! The parts of `cargo xtask` that its tests use too: reading the source files of the checkout and
//! measuring their style.

pub mod style;
