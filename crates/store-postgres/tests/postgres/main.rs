//! Tests of the store on PostgreSQL. They need a database: `cargo xtask postgres` starts one that
//! is thrown away, and names it in `QUIPU_TEST_POSTGRES`. Without it they say so and do nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken rule fails its test"
)]

mod contract;
mod controlled_cluster;
mod cut_commits;
mod cutting_proxy;
mod database_faults;
mod differential;
mod expiring;
mod faults;
mod fixture;
mod full_disk;
mod job_files;
mod killed_nodes;
mod moving;
mod pair;
mod pair_contract;
mod pair_control;
mod planned_writes;
mod postmaster;
mod row_security;
mod shared_transactions;
mod start;
mod view_segments;
mod write_load;
