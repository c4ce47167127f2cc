//! `cargo xtask deploy`: checks the files in `deploy` with the linter or the schema of each.

use anyhow::{Context, Result};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::tools;

/// The checks: a program of the tools, and its arguments.
const CHECKS: [&[&str]; 4] = [
    &["yamllint", "--strict", "-c", "deploy/.yamllint", "deploy/compose.yaml", "deploy/kubernetes"],
    &["check-jsonschema", "--builtin-schema", "vendor.compose-spec", "deploy/compose.yaml"],
    &["kubernetes-validate", "--strict", "deploy/kubernetes/quipu.yaml"],
    &["hadolint", "deploy/Dockerfile"],
];

/// Runs every check.
pub fn run(checkout: &RepoCheckout) -> Result<()> {
    let programs = tools::deploy_checks(checkout).context("installing the linters")?;
    for check in CHECKS {
        let mut command = checkout.command(programs.join(check[0]));
        command::run(command.args(&check[1..]))?;
    }
    println!("the files in deploy are valid");
    Ok(())
}
