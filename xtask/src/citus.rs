//! `cargo xtask citus --url URL`: the tests of the store and the load on a cluster of Citus, whose
//! coordinator the address names. Each schema is distributed by owner with
//! `crates/store-postgres/citus.sql`, as an administrator does it.

use anyhow::Result;

use crate::checkout::RepoCheckout;
use crate::command;
use crate::postgres::{ADDRESS_VARIABLE, TESTS, THOROUGH_VARIABLE};

/// Variable that says that the database is Citus, with the number of shards of a table.
const CITUS_VARIABLE: &str = "QUIPU_TEST_CITUS";
/// Number of shards: two for each of two workers. More take longer to create for each test.
const SHARDS: &str = "4";
/// The suite on SQLite and Citus at once, in one schema, and some of it in schemas of their own
/// under row-level security. The creation of a schema takes seconds.
const FILTER: &str = "test(differential::) + test(contract::access::) + test(row_security::)
    + test(faults::writes_survive)";

/// Runs the tests and the load.
pub fn run(checkout: &RepoCheckout, url: &str) -> Result<()> {
    let with = |words: &[&str]| {
        let mut command = checkout.command(words[0]);
        command.args(&words[1..]).env(ADDRESS_VARIABLE, url);
        command.env(CITUS_VARIABLE, SHARDS).env(THOROUGH_VARIABLE, "1");
        command
    };
    // Citus creates the shards of one schema at a time.
    command::run(&mut with(&[TESTS, &["-j", "2", "-E", FILTER]].concat()))?;
    command::run(&mut with(&["cargo", "bench", "--workspace", "--bench", "load"]))
}
