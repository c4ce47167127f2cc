//! Tests of import and export: round trips, the layout of files, and hostile input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing helper fails the test"
)]

// The short name under which every other crate depends on it.
extern crate quipu_interchange as interchange;

mod epitome;
mod hostile;
mod house;
mod jsonl;
mod layout;
mod made_up;
mod roundtrip;
