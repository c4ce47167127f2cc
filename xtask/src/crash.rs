//! `cargo xtask crash N`: runs the kill -9 harnesses on the release binary: N kills of processes
//! that write, up to 500 of agents that remember, correct, hand over and forget, up to 500 of
//! processes of all dialects, and up to 200 of processes that restore while others write.

use anyhow::{Result, ensure};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;

/// Environment variable with the number of processes to kill.
pub const KILLS_VARIABLE: &str = "QUIPU_CRASH_KILLS";

/// Environment variable with the number of restores to kill.
const RESTORE_KILLS_VARIABLE: &str = "QUIPU_RESTORE_KILLS";
/// Most restores that are killed, each of which takes about a second.
const RESTORE_KILLS_MAX: u64 = 200;

/// Environment variable with the number of agents to kill.
const TOOL_KILLS_VARIABLE: &str = "QUIPU_TOOL_KILLS";
/// Most agents that are killed, after each three of which every file is searched.
const TOOL_KILLS_MAX: u64 = 500;

/// Environment variable with the number of processes of all dialects to kill.
const DIALECT_KILLS_VARIABLE: &str = "QUIPU_DIALECT_KILLS";

const HARNESSES: [&str; 4] = [
    "killed_agents_lose_no_acknowledged_write_and_leave_nothing_that_is_gone",
    "killed_processes_lose_no_acknowledged_write",
    "killed_processes_of_all_dialects_lose_no_acknowledged_write",
    "a_restore_that_is_killed_leaves_the_old_or_the_new_memory_and_loses_no_write",
];

/// Kills `kills` processes and fails when an acknowledged write was lost.
pub fn run(checkout: &RepoCheckout, kills: u64) -> Result<()> {
    let mut command =
        checkout.cargo(&["test", "--release", "--package", "quipu", "--tests", "--locked"]);
    command.args(["--", "--nocapture"]).args(HARNESSES);
    command.env(KILLS_VARIABLE, kills.to_string());
    command.env(RESTORE_KILLS_VARIABLE, kills.min(RESTORE_KILLS_MAX).to_string());
    command.env(TOOL_KILLS_VARIABLE, kills.min(TOOL_KILLS_MAX).to_string());
    command.env(DIALECT_KILLS_VARIABLE, kills.min(TOOL_KILLS_MAX).to_string());
    let (tally, success) = command::run_counting(&mut command, TestCounts::from_cargo_test_line)?;
    ensure!(success && tally.failed == 0, "the harness failed");
    // A filter that matches no test succeeds too, and would prove nothing.
    let all = tally.passed == HARNESSES.len() as u64;
    ensure!(all, "of the tests {}, {} ran", HARNESSES.join(" and "), tally.passed);
    println!("{kills} kills, nothing lost");
    Ok(())
}
