//! The steps that run the tests, with nextest if it is installed and cargo's own runner otherwise.
//!
//! Installing nextest takes longer than it saves on a new machine, so it is optional.

use std::process::Command;

use anyhow::Result;

use super::Outcome;
use crate::command;
use crate::crash::KILLS_VARIABLE;
use crate::house::House;
use crate::tally::Tally;

/// Number of kills in a check; `cargo xtask crash` takes the number as an argument.
const KILLS: &str = "100";

pub fn run(checkout: &House) -> Result<Outcome> {
    if has_nextest(checkout) {
        return count(nextest(checkout).env(KILLS_VARIABLE, KILLS), Tally::in_nextest_line);
    }
    println!("cargo-nextest is not installed; using cargo test");
    count(cargo_test(checkout).env(KILLS_VARIABLE, KILLS), Tally::in_cargo_test_line)
}

pub fn run_docs(checkout: &House) -> Result<Outcome> {
    let mut command =
        checkout.cargo(&["test", "--workspace", "--doc", "--locked", "--no-fail-fast"]);
    count(&mut command, Tally::in_cargo_test_line)
}

pub(super) fn has_nextest(checkout: &House) -> bool {
    command::output(&mut checkout.cargo(&["nextest", "--version"])).is_some()
}

fn nextest(checkout: &House) -> Command {
    let mut command =
        checkout.cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]);
    command.args(["--config-file", "xtask/nextest.toml"]);
    command
}

// `--tests`, not `--all-targets`: the latter would run the benchmarks too.
fn cargo_test(checkout: &House) -> Command {
    checkout.cargo(&["test", "--workspace", "--tests", "--locked", "--no-fail-fast"])
}

pub(super) fn count(command: &mut Command, read: fn(&str) -> Tally) -> Result<Outcome> {
    let (tally, success) = command::run_counting(command, read)?;
    if success || tally.failed > 0 {
        return Ok(tally.into());
    }
    // A broken build fails without a count and must not be reported as "0 failed".
    println!("the test run ended early");
    Ok((tally + Tally::FAIL).into())
}
