//! The server from outside: over sockets and pipes, with clients written here and with the official ones.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what these tests cannot do is a failed test"
)]

mod bed;
mod calls;
mod clients;
mod doors;
mod pipes;
mod wire;

#[path = "../../examples/testbed/dialect.rs"]
mod dialect;
#[path = "../clients/driver.rs"]
mod driver;
#[path = "../../examples/testbed/memory.rs"]
mod memory;
