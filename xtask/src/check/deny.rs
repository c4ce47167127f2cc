//! The step that checks the dependencies against the rules in `deny.toml`.
//!
//! Advisories need a database from the network. When it cannot be reached, the step reports that
//! and continues: the check must also run on a machine without network access.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::StepOutcome;
use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;
use crate::tools;

/// Time limit for the download of the advisory database.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

/// Checks the dependencies against `deny.toml`.
pub fn run(checkout: &RepoCheckout) -> Result<StepOutcome> {
    let program = tools::cargo_deny(checkout).context("cargo-deny is not installed")?;
    let deny = |args: &[&str]| {
        let mut command = checkout.command(&program);
        command.args(args);
        command
    };
    let tree = run_check(&mut deny(&[
        "--locked",
        "check",
        "--hide-inclusion-graph",
        "bans",
        "licenses",
        "sources",
    ]));
    if !fetch_advisories(deny(&["fetch", "db"]))? {
        let note = "advisories were not checked: the advisory database could not be reached";
        return Ok(StepOutcome { counts: tree, note: Some(note.to_owned()) });
    }
    let advisories =
        run_check(&mut deny(&["--frozen", "check", "--hide-inclusion-graph", "advisories"]));
    Ok((tree + advisories).into())
}

fn fetch_advisories(mut fetch: Command) -> Result<bool> {
    // git ends a stalled transfer by itself, so that none keeps running after the time limit.
    fetch.env("GIT_HTTP_LOW_SPEED_LIMIT", "1000").env("GIT_HTTP_LOW_SPEED_TIME", "20");
    command::run_within(fetch.env("GIT_TERMINAL_PROMPT", "0"), FETCH_LIMIT)
}

fn run_check(command: &mut Command) -> TestCounts {
    match command::run(command) {
        Ok(()) => TestCounts::PASS,
        Err(error) => {
            println!("{error:#}");
            TestCounts::FAIL
        }
    }
}
