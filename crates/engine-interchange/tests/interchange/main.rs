//! Files that other programs wrote, and files from hostile hands.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what a test's helpers cannot do ends the test"
)]

// The short name that every other room knows it by.
extern crate quipu_interchange as interchange;

mod epitome;
mod hostile;
mod house;
mod jsonl;
mod layout;
mod made_up;
mod roundtrip;
