//! The server from outside: over sockets and pipes, with hand-written clients and with the official
//! ones.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what these tests cannot do is a failed test"
)]

use testkit::wire;

mod bed;
mod calls;
mod clients;
mod conformance;
mod dialect;
mod doors;
mod fixture;
mod fronts;
mod kept;
mod keys;
mod legacy;
mod memory;
mod pipes;
mod relayed;
mod remote;

#[path = "../clients/driver.rs"]
mod driver;
#[path = "../clients/conformance.rs"]
mod suites;
