//! The step that checks the dependencies against the rules in `deny.toml`.
//!
//! Advisories need a database from the network. When it cannot be reached, the step reports that
//! and continues: the check must also run on a machine without network access.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::Outcome;
use crate::command;
use crate::house::House;
use crate::tally::Tally;
use crate::tools;

/// Time limit for the download of the advisory database.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

pub fn run(checkout: &House) -> Result<Outcome> {
    let program = tools::cargo_deny(checkout).context("cargo-deny is not installed")?;
    let deny = |args: &[&str]| {
        let mut command = checkout.command(&program);
        command.args(args);
        command
    };
    let tree = passed(&mut deny(&[
        "--locked",
        "check",
        "--hide-inclusion-graph",
        "bans",
        "licenses",
        "sources",
    ]));
    if !fetched(deny(&["fetch", "db"]))? {
        let note = "advisories were not checked: the advisory database could not be reached";
        return Ok(Outcome { tally: tree, note: Some(note.to_owned()) });
    }
    let advisories =
        passed(&mut deny(&["--frozen", "check", "--hide-inclusion-graph", "advisories"]));
    Ok((tree + advisories).into())
}

fn fetched(mut fetch: Command) -> Result<bool> {
    // git ends a stalled transfer by itself, so that none keeps running after the time limit.
    fetch.env("GIT_HTTP_LOW_SPEED_LIMIT", "1000").env("GIT_HTTP_LOW_SPEED_TIME", "20");
    command::run_within(fetch.env("GIT_TERMINAL_PROMPT", "0"), FETCH_LIMIT)
}

fn passed(command: &mut Command) -> Tally {
    match command::run(command) {
        Ok(()) => Tally::PASS,
        Err(error) => {
            println!("{error:#}");
            Tally::FAIL
        }
    }
}
