//! `cargo xtask crash N`: runs the kill -9 harness on the release binary N times.

use anyhow::{Result, ensure};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;

/// Environment variable with the number of processes to kill.
pub const KILLS_VARIABLE: &str = "QUIPU_CRASH_KILLS";

const HARNESS: &str = "killed_processes_lose_no_acknowledged_write";

/// Kills `kills` processes and fails when an acknowledged write was lost.
pub fn run(checkout: &RepoCheckout, kills: u64) -> Result<()> {
    let mut command = checkout.cargo(&[
        "test",
        "--release",
        "--package",
        "quipu",
        "--tests",
        "--locked",
        HARNESS,
    ]);
    command.args(["--", "--nocapture"]).env(KILLS_VARIABLE, kills.to_string());
    let (tally, success) = command::run_counting(&mut command, TestCounts::from_cargo_test_line)?;
    ensure!(success && tally.failed == 0, "the harness failed");
    // A filter that matches no test succeeds too, and would prove nothing.
    ensure!(tally.passed > 0, "there is no test called {HARNESS}");
    println!("{kills} kills, nothing lost");
    Ok(())
}
