//! The `quipu` binary: command line, configuration, wiring and signals.
//! It picks the store and writes to the terminal; all rules about memories are in the engine.

mod background;
mod browser;
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
mod id_argument;
mod input;
mod job_lease;
mod leftovers;
mod logging;
mod lost_files;
mod overview;
mod password_file;
mod physical_memory;
mod progress;
mod reference_watcher;
mod render;
mod server_address;
mod setup;
mod signals;
mod store_choice;
mod terminal;
mod text_page;
mod time_argument;
mod token;
mod turn_delivery;

use clap::Parser;
use clap::error::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().len() <= 1 {
        return overview::print().into();
    }
    match cli::Cli::try_parse() {
        Ok(cli) => cli.run().into(),
        // A hook must never fail a session, also not after an update with other arguments: some
        // clients take the exit code of a usage error for a veto.
        Err(error) if is_hook() && error.kind() != ErrorKind::DisplayHelp => ExitCode::SUCCESS,
        Err(error) => error.exit(),
    }
}

fn is_hook() -> bool {
    std::env::args_os().nth(1).is_some_and(|command| command == "hook")
}
