//! What SQLite keeps: the suite of the contract, and what only this backend can get wrong.
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
