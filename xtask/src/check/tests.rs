//! The steps that run the tests: nextest where it is installed, cargo's own runner where it is not.
//!
//! Installing nextest takes longer than it saves on a new machine, so its absence is no failure.

use std::process::Command;

use anyhow::Result;

use super::Outcome;
use crate::command;
use crate::crash::KILLS_VARIABLE;
use crate::house::House;
use crate::tally::Tally;

/// How often the check kills the binary; `cargo xtask crash` does it as often as asked.
const KILLS: &str = "100";

pub fn run(house: &House) -> Result<Outcome> {
    if has_nextest(house) {
        return count(nextest(house).env(KILLS_VARIABLE, KILLS), Tally::in_nextest_line);
    }
    println!("cargo-nextest is not installed; cargo test does it");
    count(cargo_test(house).env(KILLS_VARIABLE, KILLS), Tally::in_cargo_test_line)
}

pub fn run_docs(house: &House) -> Result<Outcome> {
    let mut command = house.cargo(&["test", "--workspace", "--doc", "--locked", "--no-fail-fast"]);
    count(&mut command, Tally::in_cargo_test_line)
}

pub(super) fn has_nextest(house: &House) -> bool {
    command::output(&mut house.cargo(&["nextest", "--version"])).is_some()
}

fn nextest(house: &House) -> Command {
    let mut command = house.cargo(&["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]);
    command.args(["--config-file", "xtask/nextest.toml"]);
    command
}

/// `--tests`, not `--all-targets`: the latter would run the benchmarks too.
fn cargo_test(house: &House) -> Command {
    house.cargo(&["test", "--workspace", "--tests", "--locked", "--no-fail-fast"])
}

pub(super) fn count(command: &mut Command, read: fn(&str) -> Tally) -> Result<Outcome> {
    let (tally, success) = command::run_counting(command, read)?;
    if success || tally.failed > 0 {
        return Ok(tally.into());
    }
    // A build that breaks fails without a count: it must not pass as "0 failed".
    println!("the run ended before its tests did");
    Ok((tally + Tally::FAIL).into())
}
