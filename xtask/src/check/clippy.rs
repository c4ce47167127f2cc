//! The step that lints every target of every room.

use anyhow::Result;

use super::Outcome;
use crate::command;
use crate::house::House;
use crate::tally::Tally;

pub fn run(house: &House) -> Result<Outcome> {
    let args = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    command::run(&mut house.cargo(&args))?;
    Ok(Tally::PASS.into())
}
