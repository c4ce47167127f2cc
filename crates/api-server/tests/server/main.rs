//! The server from outside: over sockets and pipes, with hand-written clients and with the official
//! ones.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what these tests cannot do is a failed test"
)]

use testkit::raw_http;

mod authorization;
mod calls;
mod clients;
mod conformance;
mod conformance_fixture;
mod dialect;
mod keep_alive;
mod keys;
mod legacy;
mod oauth_flow;
mod pipes;
mod server_fixture;
mod stdio_relay;
mod strangers;
mod temporary_engine;
mod workers;

#[path = "../clients/driver.rs"]
mod driver;
#[path = "../clients/conformance.rs"]
mod suites;
