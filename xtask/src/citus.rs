//! `cargo xtask citus --url URL`: the tests of the store and the load on a cluster of Citus, whose
//! coordinator the address names. Each schema is distributed by owner with
//! `crates/store-postgres/citus.sql`, as an administrator does it. With `--cluster`, a program that
//! is called as `PROGRAM kill|start DIRECTORY NODE`, nodes are killed under load too.

use anyhow::Result;

use crate::checkout::RepoCheckout;
use crate::command;
use crate::postgres::{ADDRESS_VARIABLE, TESTS, THOROUGH_VARIABLE};

/// Variable that says that the database is Citus, with the number of shards of a table.
const CITUS_VARIABLE: &str = "QUIPU_TEST_CITUS";
/// Variable with the program that kills and starts nodes, and the directory of the cluster.
const CLUSTER_VARIABLE: &str = "QUIPU_TEST_CITUS_CLUSTER";
/// Number of shards: two for each of two workers. More take longer to create for each test.
const SHARDS: &str = "4";
/// Variable that has the suite run under row-level security.
const ROW_SECURITY_VARIABLE: &str = "QUIPU_TEST_ROW_SECURITY";
/// The suite on SQLite and Citus at once, in one schema.
const SUITE: &str = "package(quipu-store-postgres) & test(differential::)";
/// The suite without row-level security, and some of it in schemas of their own under it. The
/// creation of a schema takes seconds.
const FILTER: &str = "package(quipu-store-postgres) & (test(differential::)
    + test(contract::access::) + test(row_security::) + test(faults::writes_survive))";

/// Tests in which nodes are killed.
const KILLED_NODES: &str = "test(/killed_.*_of_a_cluster/)";

/// Runs the tests and the load.
pub fn run(checkout: &RepoCheckout, url: &str, cluster: Option<&str>) -> Result<()> {
    let with = |words: &[&str]| {
        let mut command = checkout.command(words[0]);
        command.args(&words[1..]).env(ADDRESS_VARIABLE, url);
        command.env(CITUS_VARIABLE, SHARDS).env(THOROUGH_VARIABLE, "1");
        command
    };
    if let Some(cluster) = cluster {
        // First, while the cluster has few files: after a kill a node syncs all it has before it
        // starts, and the schemas of the other tests are many thousands.
        let mut killing = with(&[TESTS, &[KILLED_NODES, "--no-capture"]].concat());
        command::run(killing.env(CLUSTER_VARIABLE, cluster))?;
    }
    // Citus creates the shards of one schema at a time.
    command::run(&mut with(&[TESTS, &[FILTER, "-j", "2"]].concat()))?;
    let mut secured = with(&[TESTS, &[SUITE, "-j", "2"]].concat());
    command::run(secured.env(ROW_SECURITY_VARIABLE, "1"))?;
    command::run(&mut with(&[
        "cargo",
        "bench",
        "--profile",
        "dist",
        "--workspace",
        "--bench",
        "load",
    ]))
}
