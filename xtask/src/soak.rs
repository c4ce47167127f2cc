//! `cargo xtask soak MINUTES`: lets one process of the release binary work for that long, and
//! prints how its memory, descriptors and files grow.

use anyhow::{Result, ensure};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;

const HARNESS: &str = "a_process_that_works_for_long_does_not_grow";

/// Works for so many minutes and fails when something is lost with every call.
pub fn run(checkout: &RepoCheckout, minutes: u64) -> Result<()> {
    let mut command =
        checkout.cargo(&["test", "--release", "--package", "quipu", "--tests", "--locked"]);
    command.args(["--", "--nocapture", HARNESS]);
    command.env("QUIPU_SOAK_MINUTES", minutes.to_string());
    let (tally, success) = command::run_counting(&mut command, TestCounts::from_cargo_test_line)?;
    ensure!(success && tally.failed == 0, "the harness failed");
    // A filter that matches no test succeeds too, and would prove nothing.
    ensure!(tally.passed == 1, "the test {HARNESS} did not run");
    Ok(())
}
