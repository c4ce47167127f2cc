//! The step that lints every target of every crate.

use anyhow::Result;

use super::StepOutcome;
use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;

/// Lints every target of every crate; a warning is an error.
pub fn run(checkout: &RepoCheckout) -> Result<StepOutcome> {
    let args = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    command::run(&mut checkout.cargo(&args))?;
    Ok(TestCounts::PASS.into())
}
