//! `cargo xtask postgres`: runs a command, by default the tests of the store, with a PostgreSQL
//! server that is thrown away, of the system's version or of another one.

mod cluster;
mod programs;

use std::process::ExitCode;

use anyhow::Result;

use crate::checkout::RepoCheckout;
use crate::command;

pub use cluster::{ClusterSettings, TestCluster, run_quietly};
pub use programs::ServerPrograms;

/// Variable that names the server to the tests.
pub const ADDRESS_VARIABLE: &str = "QUIPU_TEST_POSTGRES";
/// Variable that asks for the tests that take minutes, which a check leaves out.
pub const THOROUGH_VARIABLE: &str = "QUIPU_TEST_POSTGRES_THOROUGH";

/// The test runner. Of the whole workspace, so that no dependency is built twice.
pub const TESTS: &[&str] = &["cargo", "nextest", "run", "--no-fail-fast", "--workspace", "-E"];
/// Filter of the tests of the store.
const STORE: &str = "package(quipu-store-postgres)";

/// Runs a command, by default the tests of the store, with a server of its own.
pub fn run(checkout: &RepoCheckout, words: &[&str]) -> Result<ExitCode> {
    let (programs, words) = match words {
        ["--version", version, rest @ ..] => (ServerPrograms::install(checkout, version)?, rest),
        rest => (ServerPrograms::of_system()?, rest),
    };
    let cluster = TestCluster::start(programs, &ClusterSettings::default())?;
    println!("{ADDRESS_VARIABLE}={}", cluster.address());
    let tests = [TESTS, &[STORE]].concat();
    let words = if words.is_empty() { &tests } else { words };
    let mut command = checkout.command(words[0]);
    command.args(&words[1..]).env(ADDRESS_VARIABLE, cluster.address());
    command.env(THOROUGH_VARIABLE, "1");
    command::run(&mut command)?;
    Ok(ExitCode::SUCCESS)
}
