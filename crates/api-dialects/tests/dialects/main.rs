//! Each dialect as clients see it: its tools, and what they answer on a real store. One module for
//! each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a test's helpers cannot do ends the test"
)]

// The rooms call each other by their short names; here too.
extern crate quipu_dialects as dialects;

mod agentic;
mod codememory;
mod epitome;
mod hints;
mod house;
mod librarian;
mod listed;
mod odd;
mod one_memory;
mod quipu;
mod reach;
