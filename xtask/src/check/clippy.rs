//! The step that lints every target of every crate.

use anyhow::Result;

use super::Outcome;
use crate::command;
use crate::house::House;
use crate::tally::Tally;

pub fn run(checkout: &House) -> Result<Outcome> {
    let args = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    command::run(&mut checkout.cargo(&args))?;
    Ok(Tally::PASS.into())
}
