//! The steps that run the tests, with nextest if it is installed and cargo's own runner otherwise.
//!
//! Installing nextest takes longer than it saves on a new machine, so it is optional.

use std::process::Command;

use anyhow::Result;

use super::StepOutcome;
use crate::checkout::RepoCheckout;
use crate::command;
use crate::crash::KILLS_VARIABLE;
use crate::postgres::{ADDRESS_VARIABLE, ClusterSettings, ServerPrograms, TestCluster};
use crate::test_counts::TestCounts;

/// Number of kills in a check; `cargo xtask crash` takes the number as an argument.
const KILLS: &str = "40";

pub fn run(checkout: &RepoCheckout) -> Result<StepOutcome> {
    // Without it the tests of the store on PostgreSQL are skipped, which a check must not hide.
    let cluster = TestCluster::start(ServerPrograms::of_system()?, &ClusterSettings::default())?;
    let with = |mut command: Command| {
        command.env(KILLS_VARIABLE, KILLS).env(ADDRESS_VARIABLE, cluster.address());
        command
    };
    if has_nextest(checkout) {
        return count(&mut with(nextest(checkout)), TestCounts::from_nextest_line);
    }
    println!("cargo-nextest is not installed; using cargo test");
    count(&mut with(cargo_test(checkout)), TestCounts::from_cargo_test_line)
}

pub fn run_docs(checkout: &RepoCheckout) -> Result<StepOutcome> {
    let mut command =
        checkout.cargo(&["test", "--workspace", "--doc", "--locked", "--no-fail-fast"]);
    count(&mut command, TestCounts::from_cargo_test_line)
}

pub(super) fn has_nextest(checkout: &RepoCheckout) -> bool {
    command::output(&mut checkout.cargo(&["nextest", "--version"])).is_some()
}

fn nextest(checkout: &RepoCheckout) -> Command {
    let mut command =
        checkout.cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]);
    command.args(["--config-file", "xtask/nextest.toml"]);
    command
}

// `--tests`, not `--all-targets`: the latter would run the benchmarks too.
fn cargo_test(checkout: &RepoCheckout) -> Command {
    checkout.cargo(&["test", "--workspace", "--tests", "--locked", "--no-fail-fast"])
}

pub(super) fn count(command: &mut Command, read: fn(&str) -> TestCounts) -> Result<StepOutcome> {
    let (tally, success) = command::run_counting(command, read)?;
    if success || tally.failed > 0 {
        return Ok(tally.into());
    }
    // A broken build fails without a count and must not be reported as "0 failed".
    println!("the test run ended early");
    Ok((tally + TestCounts::FAIL).into())
}
