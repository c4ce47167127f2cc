//! `cargo xtask local-models`: lints and tests the feature `local-models`. It is no step of the
//! check, because candle adds minutes to a build that few need.

use anyhow::Result;

use super::StepOutcome;
use super::tests::{count, has_nextest};
use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;

/// Checked packages: the crate behind the feature, and the binary that enables it.
const PACKAGES: [&str; 4] = ["--package", "quipu-embed-local", "--package", "quipu"];
const FEATURES: [&str; 2] = ["--features", "quipu-embed-local/candle,quipu/local-models"];
/// Tests that depend on the feature.
// The other tests of the binary already ran without it.
const NEXTEST_FILTER: &str = "package(quipu-embed-local) or test(local_model)";

/// Lints and tests the packages with the feature `local-models`.
pub fn run(checkout: &RepoCheckout) -> Result<StepOutcome> {
    let with = |first: &[&str], last: &[&str]| {
        checkout.cargo(&[first, &PACKAGES, &FEATURES, &["--locked"], last].concat())
    };
    command::run(&mut with(&["clippy"], &["--all-targets", "--", "-D", "warnings"]))?;
    let tests = if has_nextest(checkout) {
        let mut nextest = with(&["nextest", "run"], &["--no-fail-fast", "-E", NEXTEST_FILTER]);
        count(nextest.args(["--config-file", "xtask/nextest.toml"]), TestCounts::from_nextest_line)?
    } else {
        count(
            &mut with(&["test"], &["--tests", "--no-fail-fast"]),
            TestCounts::from_cargo_test_line,
        )?
    };
    Ok((TestCounts::PASS + tests.counts).into())
}
