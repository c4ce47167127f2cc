//! `cargo xtask team-faults N`: faults under load with a PostgreSQL server of its own: connections
//! cut at every point of a commit, N kills of Quipu's servers, and a tenth as many of the database
//! server. Fails when an acknowledged write is lost, or one is there twice.

use anyhow::{Result, ensure};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::postgres::{ADDRESS_VARIABLE, TestCluster};
use crate::test_counts::TestCounts;

/// Variable with the number of servers to kill.
const KILLS_VARIABLE: &str = "QUIPU_TEAM_KILLS";
/// Variable with the number of times that the database server is killed.
const POSTMASTER_VARIABLE: &str = "QUIPU_POSTMASTER_KILLS";
/// Variable with the directory of the cluster's data.
const DATA_VARIABLE: &str = "QUIPU_TEST_POSTGRES_DATA";
/// Variable with the command that runs `pg_ctl`, in words.
const CONTROL_VARIABLE: &str = "QUIPU_TEST_POSTGRES_CONTROL";

/// The tests, each with its package.
const HARNESSES: [(&str, &str); 3] = [
    ("quipu-store-postgres", "a_write_is_there_once_wherever_its_connection_was_cut"),
    ("quipu-store-postgres", "a_killed_database_server_loses_and_doubles_nothing"),
    ("quipu", "killed_servers_lose_and_double_nothing"),
];

/// Runs every fault.
pub fn run(checkout: &RepoCheckout, kills: u64) -> Result<()> {
    for (package, harness) in HARNESSES {
        let cluster = TestCluster::start()?;
        let mut command = checkout.cargo(&["test", "--package", package, "--tests", "--locked"]);
        command.args(["--", "--nocapture", harness]);
        command.env(ADDRESS_VARIABLE, cluster.address());
        command.env(KILLS_VARIABLE, kills.to_string());
        command.env(POSTMASTER_VARIABLE, kills.div_ceil(10).to_string());
        command.env(DATA_VARIABLE, cluster.data());
        command.env(CONTROL_VARIABLE, cluster.control_words().join(" "));
        let (tally, success) =
            command::run_counting(&mut command, TestCounts::from_cargo_test_line)?;
        ensure!(success && tally.failed == 0, "the harness {harness} failed");
        // A filter that matches no test succeeds too, and would prove nothing.
        ensure!(tally.passed == 1, "the test {harness} did not run");
    }
    println!("{kills} kills, nothing lost and nothing doubled");
    Ok(())
}
