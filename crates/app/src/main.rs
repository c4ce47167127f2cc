//! The binary `quipu`: command line, configuration, wiring and signals.
//! It knows which store runs and what a terminal is; what a memory is, it leaves to the engine.

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
