//! The step that checks the formatting against `rustfmt.toml`.

use anyhow::Result;

use super::StepOutcome;
use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;

/// Checks the formatting of every crate.
pub fn run(checkout: &RepoCheckout) -> Result<StepOutcome> {
    command::run(&mut checkout.cargo(&["fmt", "--all", "--check"]))?;
    Ok(TestCounts::PASS.into())
}
