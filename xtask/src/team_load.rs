//! `cargo xtask team-load OWNERS MEMORIES`: recalls and writes through two servers, beside SQLite
//! and bare statements in the same run, with a PostgreSQL server of its own that syncs to disk.

use anyhow::Result;

use crate::checkout::RepoCheckout;
use crate::command;
use crate::postgres::{ADDRESS_VARIABLE, ClusterSettings, ServerPrograms, TestCluster};

/// Variable with the number of owners and of the memories of each.
const SIZE_VARIABLE: &str = "QUIPU_TEAM_LOAD";
/// Settings of a small server in use; the default of 128 MB would measure the disk.
const LINES: &str = "shared_buffers = 1GB\nmax_wal_size = 4GB\n";

/// Runs both benchmarks.
pub fn run(checkout: &RepoCheckout, owners: u64, memories: u64) -> Result<()> {
    let settings = ClusterSettings { lines: LINES.to_owned(), ..ClusterSettings::default() };
    let cluster = TestCluster::start(ServerPrograms::of_system()?, &settings)?;
    for bench in ["load", "teams"] {
        // As it is shipped: a release build does not optimise what talks to PostgreSQL.
        let words = ["bench", "--profile", "dist", "--workspace", "--bench", bench];
        let mut command = checkout.cargo(&words);
        command.env(ADDRESS_VARIABLE, cluster.address());
        command.env(SIZE_VARIABLE, format!("{owners} {memories}"));
        command::run(&mut command)?;
    }
    Ok(())
}
