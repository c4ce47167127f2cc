//! `quipu service`: keeps `quipu serve` running in the background, as a user unit of systemd or an
//! agent of launchd. It needs no administrator, and touches no file but its own.

mod service_file;

use crate::command::setup::{find_places, stable_binary};
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files::replace_file;
use crate::setup::Setup;
use crate::text_page::TextPage;
use clap::{Args, Subcommand};
use serde_json::json;
use service_file::{ServiceFile, ServiceSettings};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

const EXAMPLES: &str = "\
Examples:
  quipu service install
  quipu service install --listen 127.0.0.1:8080
  quipu service status
  quipu service uninstall

The service starts when you log in. For a server without logins on Linux, run
`loginctl enable-linger` once. Its other settings are those of `config.toml`.";

/// Keep `quipu serve` running in the background
///
/// On Linux it is a user unit of systemd, on macOS an agent of launchd. Agents that start
/// `quipu mcp` need no service; it is for the dashboard and for clients over HTTP.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ServiceArgs {
    #[command(subcommand)]
    action: ServiceAction,
}

#[derive(Debug, Subcommand)]
enum ServiceAction {
    /// Write the service file and start the service
    #[command(after_long_help = "Example:\n  quipu service install")]
    Install {
        /// Address to listen on [default: that of `config.toml`, or 127.0.0.1:7717]
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<SocketAddr>,
        /// Only write the file
        #[arg(long)]
        no_start: bool,
    },
    /// Stop the service and remove its file; the memory stays
    #[command(after_long_help = "Example:\n  quipu service uninstall")]
    Uninstall,
    /// Show whether the service is installed and runs
    #[command(after_long_help = "Example:\n  quipu service status")]
    Status,
}

impl ServiceArgs {
    /// Installs, removes or shows the service.
    ///
    /// # Errors
    /// Fails when the platform has no service that is known, or the file cannot be written.
    pub fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let places = find_places()?;
        let file = ServiceFile::of_platform(&places).ok_or_else(|| {
            let message = "this system has no service manager that Quipu knows";
            Problem::usage(message, "Start `quipu serve` at login by other means.")
        })?;
        match self.action {
            ServiceAction::Install { listen, no_start } => {
                let settings = ServiceSettings {
                    binary: stable_binary(&places)?,
                    home: setup.home.path().display().to_string(),
                    listen: listen.map(|address| address.to_string()),
                };
                setup.home.create()?;
                install(setup, &file, &settings, no_start)
            }
            ServiceAction::Uninstall => uninstall(setup, &file),
            ServiceAction::Status => Ok(status(setup, &file)),
        }
    }
}

fn install(
    setup: &Setup,
    file: &ServiceFile,
    settings: &ServiceSettings,
    no_start: bool,
) -> Result<CommandOutput, Problem> {
    refuse_strange_file(file)?;
    if let Some(folder) = file.path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| Problem::file("creating", folder, &error))?;
    }
    let was_there = file.path.exists();
    replace_file(&file.path, &file.text(settings))?;
    let started = !no_start && file.start_commands(was_there).iter().all(|words| succeeds(words));
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("Wrote {}.", file.path.display()));
    page.add_text(&match (started, no_start) {
        (true, _) => "The service runs, and starts when you log in.".to_owned(),
        (false, true) => format!("Start it with `{}`.", last_of(&file.start_commands(false))),
        (false, false) => format!(
            "It could not be started here. Try `{}`, which says why.",
            last_of(&file.start_commands(false))
        ),
    });
    let value = json!({ "file": file.path, "installed": true, "started": started });
    Ok(CommandOutput::new(value, page))
}

fn uninstall(setup: &Setup, file: &ServiceFile) -> Result<CommandOutput, Problem> {
    refuse_strange_file(file)?;
    let installed = file.path.exists();
    let mut page = TextPage::new(setup.terminal);
    if installed {
        // It may not run, or there may be no service manager any more; the file goes anyway.
        for words in file.stop_commands() {
            succeeds(&words);
        }
        std::fs::remove_file(&file.path)
            .map_err(|error| Problem::file("removing", &file.path, &error))?;
        for words in file.forget_commands() {
            succeeds(&words);
        }
        page.add_text(&format!("Removed {}.", file.path.display()));
    } else {
        page.add_text("The service is not installed.");
    }
    Ok(CommandOutput::new(json!({ "file": file.path, "removed": installed }), page))
}

fn status(setup: &Setup, file: &ServiceFile) -> CommandOutput {
    let installed = file.path.exists();
    let running = installed && succeeds(&file.probe_command());
    let mut page = TextPage::new(setup.terminal);
    page.add_text(match (installed, running) {
        (false, _) => "The service is not installed. `quipu service install` installs it.",
        (true, true) => "The service is installed and runs.",
        (true, false) => "The service is installed, but does not run.",
    });
    if installed {
        page.add_text(&format!("Its file is {}.", file.path.display()));
    }
    let value = json!({ "file": file.path, "installed": installed, "running": running });
    CommandOutput::new(value, page)
}

/// Refuses to touch a file of the same name that somebody else wrote.
fn refuse_strange_file(file: &ServiceFile) -> Result<(), Problem> {
    match std::fs::read_to_string(&file.path) {
        Ok(text) if !ServiceFile::is_ours(&text) => {
            let message = format!("{} was not written by Quipu", file.path.display());
            Err(Problem::refused(message, "Move it away, then try again."))
        }
        _ => Ok(()),
    }
}

/// Runs a command of the service manager silently.
fn succeeds(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn last_of(commands: &[Vec<String>]) -> String {
    commands.last().map(|words| words.join(" ")).unwrap_or_default()
}
