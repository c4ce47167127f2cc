//! `cargo xtask`: developer commands beyond plain cargo.
//!
//! `check` is what CI runs, and `tools` is its first step alone; `bench` writes
//! `docs/benchmarks.md`; `crash` kills the release binary a given number of times; `soak` lets it
//! work for long; `fuzz` runs the parsers on changed samples; `sbom` writes the bill of materials;
//! `style` prints figures on the source code; `screenshots` takes pictures of the dashboard;
//! `postgres` runs a command with a PostgreSQL server that is thrown away, `citus` the tests on a
//! cluster, `team-faults` faults under load, and `team-load` the load alone; `clients` runs the
//! real coding agents; `deploy` checks the files in `deploy`;
//! `packaging`, `dist` and `site` make what is shipped. Nothing here is part of the product.

mod bench;
mod check;
mod checkout;
mod citus;
mod clients;
mod command;
mod crash;
mod deploy;
mod dist;
mod fuzz;
mod packaging;
mod postgres;
mod quipu_binary;
mod sbom;
mod screenshots;
mod site;
mod soak;
mod team_faults;
mod team_load;
mod test_counts;
mod tools;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::checkout::RepoCheckout;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  check       install missing tools, then run fmt, clippy, deny, all tests and doc tests
  tools       install the tools that the tests need
  local-models  lint and test the feature local-models, which takes minutes to build
  bench       run all benchmarks in release mode and write docs/benchmarks.md
  screenshots take screenshots of the dashboard for docs/screenshots
  postgres [--version 17|18] [COMMAND…]  run a command, or the tests of the store, with a
              PostgreSQL server
  citus --url URL [--cluster 'PROGRAM DIRECTORY']  run the tests of the store and the load on a
              cluster of Citus; the program kills and starts its nodes
  team-faults N  cut connections, kill servers N times and PostgreSQL N/10 times under load, fail
              over, fill the disk
  team-load OWNERS MEMORIES  measure recalls and writes through two servers over PostgreSQL
  deploy      check the files in deploy with the linter or the schema of each
  style       measure how easily the source code reads, and print the figures
  fuzz [SEC]  run the parsers on samples that are changed at random, for 300 seconds by default
  clients [CLIENT…]    run the real coding agents from setup to undo, against a scripted model
  packaging [--check]  write the generated files of plugins; --check validates all packages
  dist [TARGET…] [--binary FILE]  build and pack archives, packages and bundles; --index only
              writes checksums
  site        build the documentation as a site in target/site
  sbom [FILE] write the bill of materials of the binary (CycloneDX)
  crash N     kill -9 the release binary N times and check that no acknowledged write is lost
  soak M      let the release binary work for M minutes and print how it grows";

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
    let checkout = RepoCheckout::current()?;
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["check"] => Ok(check::run(&checkout)),
        ["local-models"] => {
            check::local_models::run(&checkout).map(|outcome| outcome.counts.exit_code())
        }
        ["tools"] => tools::run(&checkout).map(|outcome| outcome.counts.exit_code()),
        ["bench"] => bench::run(&checkout).map(|()| ExitCode::SUCCESS),
        ["screenshots"] => screenshots::run(&checkout).map(|()| ExitCode::SUCCESS),
        ["crash", kills] => {
            let kills =
                kills.parse().with_context(|| format!("`{kills}` is not a number of kills"))?;
            crash::run(&checkout, kills).map(|()| ExitCode::SUCCESS)
        }
        ["soak", minutes] => {
            let minutes = minutes
                .parse()
                .with_context(|| format!("`{minutes}` is not a number of minutes"))?;
            soak::run(&checkout, minutes).map(|()| ExitCode::SUCCESS)
        }
        ["fuzz"] => fuzz::run(&checkout, fuzz::SECONDS_DEFAULT).map(|()| ExitCode::SUCCESS),
        ["fuzz", seconds] => {
            let seconds = seconds
                .parse()
                .with_context(|| format!("`{seconds}` is not a number of seconds"))?;
            fuzz::run(&checkout, seconds).map(|()| ExitCode::SUCCESS)
        }
        ["sbom"] => sbom::run(&checkout, None).map(|()| ExitCode::SUCCESS),
        ["sbom", file] => sbom::run(&checkout, Some(file)).map(|()| ExitCode::SUCCESS),
        ["clients", names @ ..] => clients::run(&checkout, names),
        ["packaging"] => packaging::run(&checkout),
        ["packaging", "--check"] => packaging::validate(&checkout),
        ["dist", words @ ..] => dist::run(&checkout, words).map(|()| ExitCode::SUCCESS),
        ["site"] => site::run(&checkout).map(|()| ExitCode::SUCCESS),
        ["postgres", words @ ..] => postgres::run(&checkout, words),
        ["citus", "--url", url] => citus::run(&checkout, url, None).map(|()| ExitCode::SUCCESS),
        ["citus", "--url", url, "--cluster", cluster] => {
            citus::run(&checkout, url, Some(*cluster)).map(|()| ExitCode::SUCCESS)
        }
        ["team-load", owners, memories] => {
            let number =
                |word: &str| word.parse().with_context(|| format!("`{word}` is not a number"));
            team_load::run(&checkout, number(owners)?, number(memories)?)
                .map(|()| ExitCode::SUCCESS)
        }
        ["deploy"] => deploy::run(&checkout).map(|()| ExitCode::SUCCESS),
        ["team-faults", kills] => {
            let kills =
                kills.parse().with_context(|| format!("`{kills}` is not a number of kills"))?;
            team_faults::run(&checkout, kills).map(|()| ExitCode::SUCCESS)
        }
        ["style"] => {
            print!("{}", xtask::style::report(&checkout.path(""))?);
            Ok(ExitCode::SUCCESS)
        }
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("unknown command: {}\n\n{USAGE}", args.join(" ")),
    }
}
