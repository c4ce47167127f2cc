//! Tests of the store on PostgreSQL. They need a database: `cargo xtask postgres` starts one that
//! is thrown away, and names it in `QUIPU_TEST_POSTGRES`. Without it they say so and do nothing.

mod contract;
mod differential;
mod faults;
mod fixture;
mod pair;
mod pair_contract;
mod pair_control;
mod row_security;
mod start;
