//! `cargo xtask team-faults N`: faults under load with PostgreSQL servers of its own: connections
//! cut at every point of a commit, N kills of Quipu's servers and a tenth as many of the database
//! server, no free connection, statements that take too long, a failover to a synchronous replica,
//! and a full disk. Fails when an acknowledged write is lost, or one is there twice.

mod small_disk;

use std::process::Command;

use anyhow::{Result, ensure};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::postgres::{ADDRESS_VARIABLE, ClusterSettings, ServerPrograms, TestCluster};
use crate::test_counts::TestCounts;
use small_disk::SmallDisk;

/// Variable with the number of servers to kill.
const KILLS_VARIABLE: &str = "QUIPU_TEAM_KILLS";
/// Variable with the number of times that the database server is killed.
const POSTMASTER_VARIABLE: &str = "QUIPU_POSTMASTER_KILLS";
/// Variable with the directory of the cluster's data.
const DATA_VARIABLE: &str = "QUIPU_TEST_POSTGRES_DATA";
/// Variable with the command that runs `pg_ctl`, in words.
const CONTROL_VARIABLE: &str = "QUIPU_TEST_POSTGRES_CONTROL";
/// Variable with a file whose removal makes space on the disk of the database.
const BALLAST_VARIABLE: &str = "QUIPU_TEST_POSTGRES_BALLAST";
/// Variables of a failover: the addresses, the data of the first server, and the promotion.
const FAILOVER_VARIABLES: [&str; 3] =
    ["QUIPU_TEST_REPLICATED", "QUIPU_TEST_PRIMARY_DATA", "QUIPU_TEST_PROMOTE"];

/// The tests that need one server and nothing else.
const ONE_SERVER: [&str; 5] = [
    "a_write_is_there_once_wherever_its_connection_was_cut",
    "without_a_free_connection_a_call_is_refused_as_busy_and_nothing_is_lost",
    "statements_that_take_too_long_lose_and_double_nothing",
    "a_killed_database_server_loses_and_doubles_nothing",
    "killed_servers_lose_and_double_nothing",
];
/// The test of a failover.
const FAILOVER: &str = "a_failover_to_a_synchronous_replica_loses_and_doubles_nothing";
/// The test of a full disk.
const FULL_DISK: &str = "a_full_disk_of_the_database_loses_and_doubles_nothing";

/// Runs every fault.
pub fn run(checkout: &RepoCheckout, kills: u64) -> Result<()> {
    for harness in ONE_SERVER {
        let cluster =
            TestCluster::start(ServerPrograms::of_system()?, &ClusterSettings::default())?;
        let mut command = harness_command(checkout, harness, &cluster);
        command.env(KILLS_VARIABLE, kills.to_string());
        command.env(POSTMASTER_VARIABLE, kills.div_ceil(10).to_string());
        run_one(&mut command, harness)?;
    }
    fail_over(checkout)?;
    fill_disk(checkout)?;
    println!("{kills} kills and every other fault, nothing lost and nothing doubled");
    Ok(())
}

/// Lets a server fail over to a replica that acknowledges every commit.
fn fail_over(checkout: &RepoCheckout) -> Result<()> {
    let lines = |name: &str| ClusterSettings {
        lines: format!("cluster_name = '{name}'\nsynchronous_standby_names = ''\n"),
        ..ClusterSettings::default()
    };
    let primary = TestCluster::start(ServerPrograms::of_system()?, &lines("first"))?;
    let replica = primary.start_replica(&lines("second"))?;
    primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")?;
    primary.query("SELECT pg_reload_conf()")?;
    let synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    // The setting takes effect a moment later.
    std::thread::sleep(std::time::Duration::from_secs(1));
    ensure!(primary.query(synchronous)? == "1", "the replica is not synchronous");
    let mut command = harness_command(checkout, FAILOVER, &primary);
    let address = format!("postgres://postgres@{},{}/postgres", primary.host(), replica.host());
    let promote = [replica.control_words(), vec!["-w".to_owned(), "promote".to_owned()]].concat();
    command.env(FAILOVER_VARIABLES[0], address);
    command.env(FAILOVER_VARIABLES[1], primary.data());
    command.env(FAILOVER_VARIABLES[2], promote.join(" "));
    run_one(&mut command, FAILOVER)
}

/// Fills the disk of a server, and makes space again.
fn fill_disk(checkout: &RepoCheckout) -> Result<()> {
    let disk = match SmallDisk::mount() {
        Ok(disk) => disk,
        Err(error) => {
            println!("a full disk was not tried, because none can be mounted: {error:#}");
            return Ok(());
        }
    };
    let settings = ClusterSettings {
        parent: disk.path().to_owned(),
        lines: "max_wal_size = 32MB\nmin_wal_size = 32MB\n".to_owned(),
    };
    let cluster = TestCluster::start(ServerPrograms::of_system()?, &settings)?;
    let mut command = harness_command(checkout, FULL_DISK, &cluster);
    command.env(BALLAST_VARIABLE, disk.ballast());
    run_one(&mut command, FULL_DISK)
}

/// Returns the command that runs one test against a server.
fn harness_command(checkout: &RepoCheckout, harness: &str, cluster: &TestCluster) -> Command {
    // Of the whole workspace, so that no dependency is built twice.
    let mut command = checkout.cargo(&["test", "--workspace", "--locked", "--test", "app"]);
    command.args(["--test", "postgres", "--", "--nocapture", harness]);
    command.env(ADDRESS_VARIABLE, cluster.address());
    command.env(DATA_VARIABLE, cluster.data());
    command.env(CONTROL_VARIABLE, cluster.control_words().join(" "));
    command
}

fn run_one(command: &mut Command, harness: &str) -> Result<()> {
    let (tally, success) = command::run_counting(command, TestCounts::from_cargo_test_line)?;
    ensure!(success && tally.failed == 0, "the harness {harness} failed");
    // A filter that matches no test succeeds too, and would prove nothing.
    ensure!(tally.passed == 1, "the test {harness} did not run");
    Ok(())
}
