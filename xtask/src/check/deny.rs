//! The step that looks at what we depend on, with `deny.toml` as the rules.
//!
//! Advisories need a database from the network. Where it cannot be reached the step says so plainly
//! and goes on: a machine without that network must still be able to run the check.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::Outcome;
use crate::command;
use crate::house::House;
use crate::tally::Tally;
use crate::tools;

/// How long the advisory database may take to arrive.
const FETCH_LIMIT: Duration = Duration::from_secs(60);

pub fn run(house: &House) -> Result<Outcome> {
    let program = tools::cargo_deny(house).context("cargo-deny is not installed")?;
    let deny = |args: &[&str]| {
        let mut command = house.command(&program);
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
    // A stalled transfer ends by itself, so that no git is left behind when the limit is reached.
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
