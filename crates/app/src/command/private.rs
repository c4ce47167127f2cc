//! `quipu private`: turns private mode on and off. While it is on, hooks read and store nothing.

use crate::command::hook::private_settings;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files::write_new;
use crate::setup::Setup;
use crate::text_page::TextPage;
use clap::{Args, ValueEnum};
use client_hooks::{MARKER_FILE, PrivateReason};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  quipu private
  quipu private on
  quipu private off
  quipu private on --here

Further ways: the variable QUIPU_PRIVATE=1 for one session, a file
`.quipu-private` in a directory, and the setting `private_dirs`.
Private mode concerns hooks; tools that an agent calls by itself still work.";

/// Turn private mode on or off, or show it
///
/// While it is on, hooks do nothing: no briefing, no recall, and no turn is captured.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct PrivateArgs {
    /// New state [default: show the current one]
    #[arg(value_enum)]
    state: Option<PrivateState>,
    /// Only in this directory and below it
    #[arg(long, requires = "state")]
    here: bool,
}

/// A state of private mode.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PrivateState {
    On,
    Off,
}

impl PrivateArgs {
    /// Changes or shows the state.
    ///
    /// # Errors
    /// Fails when the file that stands for it cannot be written or removed.
    pub fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let path = if self.here { PathBuf::from(MARKER_FILE) } else { setup.home.private_file() };
        match self.state {
            Some(PrivateState::On) => {
                setup.home.create()?;
                write_new(&path, "Hooks of Quipu do nothing while this file exists.\n")?;
            }
            Some(PrivateState::Off) => remove(&path)?,
            None => {}
        }
        let reason = private_settings(setup).reason(std::env::current_dir().ok().as_deref());
        let mut page = TextPage::new(setup.terminal);
        page.add_text(&describe(reason.as_ref()));
        Ok(CommandOutput::new(json!({ "private": reason.is_some() }), page))
    }
}

fn remove(path: &std::path::Path) -> Result<(), Problem> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Problem::file("removing", path, &error))
        }
        _ => Ok(()),
    }
}

fn describe(reason: Option<&PrivateReason>) -> String {
    match reason {
        None => "Private mode is off: hooks brief sessions and capture turns.".to_owned(),
        Some(PrivateReason::Variable) => "Private mode is on, because of QUIPU_PRIVATE.".to_owned(),
        Some(PrivateReason::Switch) => {
            "Private mode is on everywhere. `quipu private off` turns it off.".to_owned()
        }
        Some(PrivateReason::Marker(path)) => {
            format!("Private mode is on here, because of {}.", path.display())
        }
        Some(PrivateReason::Directory(path)) => {
            format!("Private mode is on here: {} is in `private_dirs`.", path.display())
        }
    }
}
