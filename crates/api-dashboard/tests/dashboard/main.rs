//! The dashboard from outside: over HTTP as a script uses it, and in a browser as a person does.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what these tests cannot do is a failed test"
)]

extern crate quipu_dashboard as dashboard;

use testkit::raw_http;

mod browser;
mod erasure;
mod fixture;
mod login;
mod members;
mod rest;
mod schemathesis;
mod sign_in;
