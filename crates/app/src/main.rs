//! The `quipu` binary: command line, configuration, wiring and signals.
//! It picks the store and writes to the terminal; all rules about memories are in the engine.

mod background;
mod cli;
mod client_env;
mod clock;
mod command;
mod command_output;
mod config;
mod embedder;
mod exit;
mod files;
mod home_dir;
mod input;
mod leftovers;
mod logging;
mod lost_files;
mod password_file;
mod physical_memory;
mod progress;
mod reference_watcher;
mod render;
mod setup;
mod signals;
mod store_choice;
mod terminal;
mod text_page;
mod token;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli::Cli::parse().run().into()
}
