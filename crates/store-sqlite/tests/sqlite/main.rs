//! Tests of the SQLite backend: the conformance suite of the contract, and what is specific to
//! SQLite.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken rule fails its test"
)]

mod audit_head;
mod backup;
mod chain;
mod concurrency;
mod contract;
mod disk_full;
mod files;
mod fixture;
mod forgetting;
mod formats;
mod group_commit;
mod restore;
