//! The step for the feature `local-models`, which no other step builds: candle would cost every one
//! of them minutes.

use anyhow::Result;

use super::Outcome;
use super::tests::{count, has_nextest};
use crate::command;
use crate::house::House;
use crate::tally::Tally;

/// What is looked at: the room behind the feature, and the binary with it.
const PACKAGES: [&str; 4] = ["--package", "quipu-embed-local", "--package", "quipu"];
const FEATURES: [&str; 2] = ["--features", "quipu-embed-local/candle,quipu/local-models"];
/// The binary's other tests ran without the feature already.
const NEXTEST_FILTER: &str = "package(quipu-embed-local) or test(local_model)";

pub fn run(house: &House) -> Result<Outcome> {
    let with = |first: &[&str], last: &[&str]| {
        house.cargo(&[first, &PACKAGES, &FEATURES, &["--locked"], last].concat())
    };
    command::run(&mut with(&["clippy"], &["--all-targets", "--", "-D", "warnings"]))?;
    let tests = if has_nextest(house) {
        let mut nextest = with(&["nextest", "run"], &["--no-fail-fast", "-E", NEXTEST_FILTER]);
        count(nextest.args(["--config-file", "xtask/nextest.toml"]), Tally::in_nextest_line)?
    } else {
        count(&mut with(&["test"], &["--tests", "--no-fail-fast"]), Tally::in_cargo_test_line)?
    };
    Ok((Tally::PASS + tests.tally).into())
}
