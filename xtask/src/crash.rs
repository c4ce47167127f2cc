//! `cargo xtask crash N`: the kill -9 harness on the binary as it is shipped, as often as asked.

use anyhow::{Result, ensure};

use crate::command;
use crate::house::House;
use crate::tally::Tally;

/// Tells the harness how many processes to kill.
pub const KILLS_VARIABLE: &str = "QUIPU_CRASH_KILLS";

const HARNESS: &str = "killed_processes_lose_no_acknowledged_write";

/// Kills `kills` processes and fails when the harness finds anything lost.
pub fn run(house: &House, kills: u64) -> Result<()> {
    let mut command =
        house.cargo(&["test", "--release", "--package", "quipu", "--tests", "--locked", HARNESS]);
    command.args(["--", "--nocapture"]).env(KILLS_VARIABLE, kills.to_string());
    let (tally, success) = command::run_counting(&mut command, Tally::in_cargo_test_line)?;
    ensure!(success && tally.failed == 0, "the harness found a fault");
    // A filter that matches nothing succeeds too; that would be no proof.
    ensure!(tally.passed > 0, "there is no test called {HARNESS}");
    println!("{kills} kills, nothing lost");
    Ok(())
}
