//! The `quipu` binary: command line, configuration, wiring and signals.
//! It picks the store and writes to the terminal; all rules about memories are in the engine.

mod answer;
mod cli;
mod clock;
mod command;
mod config;
mod embedder;
mod exit;
mod files;
mod home;
mod input;
mod logging;
mod page;
mod password;
mod progress;
mod screen;
mod setup;
mod shelf;
mod shown;
mod signals;
mod surroundings;
mod token;
mod upkeep;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::Cli::parse().run().into()
}
