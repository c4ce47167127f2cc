//! The sandbox from the point of view of callers: queries that work, refusals, and attacks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

extern crate quipu_sandbox as sandbox;

mod attacks;
mod copies;
mod fixture;
mod fuzz;
mod legitimate;
mod mutations;
mod refusals;
