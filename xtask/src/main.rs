//! `cargo xtask`: everything about the project that is not plain cargo.
//!
//! `check` is what CI runs, and `tools` its first step alone; `bench` writes `docs/benchmarks.md`;
//! `crash` kills the real binary as often as asked; `screenshots` pictures the dashboard. Nothing
//! here is part of the product.

mod bench;
mod check;
mod command;
mod crash;
mod house;
mod screenshots;
mod tally;
mod tools;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::house::House;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  check       install what is missing, then format, clippy, deny, all tests and doc tests
  tools       only install what the tests need and is missing
  bench       run every benchmark in release and write docs/benchmarks.md
  screenshots take pictures of the dashboard for docs/screenshots
  style       measure how easily the source code reads, and print the figures
  crash N     kill -9 the real binary N times and look for a lost acknowledged write";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Vec<String>) -> Result<ExitCode> {
    let house = House::of_this_checkout()?;
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["check"] => Ok(check::run(&house)),
        ["tools"] => tools::run(&house).map(|outcome| outcome.tally.exit_code()),
        ["bench"] => bench::run(&house).map(|()| ExitCode::SUCCESS),
        ["screenshots"] => screenshots::run(&house).map(|()| ExitCode::SUCCESS),
        ["crash", kills] => {
            let kills =
                kills.parse().with_context(|| format!("`{kills}` is not a number of kills"))?;
            crash::run(&house, kills).map(|()| ExitCode::SUCCESS)
        }
        ["style"] => {
            print!("{}", xtask::style::report(&house.path(""))?);
            Ok(ExitCode::SUCCESS)
        }
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("no such command: {}\n\n{USAGE}", args.join(" ")),
    }
}
