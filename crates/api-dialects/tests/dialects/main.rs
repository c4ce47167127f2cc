//! Each dialect as clients see it: its tools, and their results on a real store. One module per
//! dialect.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing helper fails the test"
)]

// The crates refer to each other by their short names; the tests do too.
extern crate quipu_dialects as dialects;

mod agentic;
mod answers;
mod codememory;
mod epitome;
mod erasure;
mod fixture;
mod hints;
mod invalid_arguments;
mod librarian;
mod no_external_access;
mod quipu;
mod shared_memory;
mod tool_listing;
