//! Tests of the SQLite backend: the conformance suite of the contract, and what is specific to
//! SQLite.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken rule fails its test"
)]

mod backup;
mod chain;
mod contract;
mod crowd;
mod disk_full;
mod files;
mod forgetting;
mod formats;
mod group;
mod house;
