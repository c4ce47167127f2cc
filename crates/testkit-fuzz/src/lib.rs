//! Mutation tests of parsers that read the bytes of strangers: committed samples are changed at
//! random, and the parser must neither panic nor take long. In ordinary tests each target runs a
//! fixed number of inputs from a fixed seed; `cargo xtask fuzz` sets a time instead. Never part of
//! the product.
#![allow(clippy::panic, reason = "a parser that fails its test is reported by a panic")]

mod mutation;
mod random;
mod run;
mod sample_pool;

pub use run::FuzzTarget;
