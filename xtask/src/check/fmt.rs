//! The step that holds the formatting of `rustfmt.toml`.

use anyhow::Result;

use super::Outcome;
use crate::command;
use crate::house::House;
use crate::tally::Tally;

pub fn run(house: &House) -> Result<Outcome> {
    command::run(&mut house.cargo(&["fmt", "--all", "--check"]))?;
    Ok(Tally::PASS.into())
}
