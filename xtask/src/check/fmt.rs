//! The step that checks the formatting against `rustfmt.toml`.

use anyhow::Result;

use super::Outcome;
use crate::command;
use crate::house::House;
use crate::tally::Tally;

pub fn run(checkout: &House) -> Result<Outcome> {
    command::run(&mut checkout.cargo(&["fmt", "--all", "--check"]))?;
    Ok(Tally::PASS.into())
}
