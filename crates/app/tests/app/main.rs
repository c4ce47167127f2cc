//! End-to-end tests of the real binary, each in a home directory of its own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on should fail"
)]

#[path = "../../../api-server/tests/clients/driver.rs"]
mod driver;
#[path = "../../../api-server/tests/clients/conformance.rs"]
mod suites;

#[cfg(unix)]
mod canaries;
mod commands;
mod configuration;
#[cfg(unix)]
mod contracts;
mod crash;
mod embedder;
mod eval;
mod help;
mod interchange;
#[cfg(feature = "local-models")]
mod local_model;
mod many;
#[cfg(unix)]
mod matrix;
mod mcp;
mod oauth;
mod official;
mod owner;
mod place;
mod quality;
mod readme;
mod serve;
mod served;
mod stable;
mod terminal;
