//! `quipu setup`: adds the memory to the configuration of MCP clients, after it has shown what it
//! would change, and `--undo` removes it again. What is changed in which file is in `client-setup`.

mod setup_report;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::{prompt, stdin_is_terminal};
use crate::setup::Setup;
use crate::terminal::{OutputFormat, Terminal};
use clap::{Args, ValueEnum};
use client_setup::{
    ClientKind, Places, Platform, ServerEntry, SetupError, SetupJournal, SetupRequest, SetupScope,
    SetupSwitches, apply_plan, find_presence, plan_setup, preview_plan, preview_undo, undo_setup,
};
use setup_report::SetupReport;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu setup
  quipu setup claude-code codex
  quipu setup --dry-run
  quipu setup --scope project --no-instructions cursor
  quipu setup --http http://127.0.0.1:7717/mcp --key KEY gemini
  quipu setup --undo

Clients: claude-code, claude-desktop, codex, cursor, vscode, gemini, opencode,
zed, windsurf, cline, roo, continue, goose. Without a name, all that are
installed.

A backup with the ending .quipu-backup stays beside each changed file until the
setup is undone.";

/// Add the memory to your MCP clients, or remove it with --undo
///
/// Shows every change as a diff and asks before it writes. Adds the server, hooks that brief each
/// session and capture its turns, a rule that allows the tools, and a short instruction. The rest
/// of each file stays byte for byte; a second run changes nothing.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SetupArgs {
    /// Clients to set up [default: all that are installed]
    #[arg(value_name = "CLIENT", value_parser = parse_client)]
    clients: Vec<ClientKind>,
    /// Change the files without asking
    #[arg(long, short)]
    yes: bool,
    /// Show the changes only
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Settings to change: yours, or those of the project in the current directory
    #[arg(long, value_enum, default_value_t = ScopeArg::User)]
    scope: ScopeArg,
    /// Connect to a running `quipu serve` instead of starting `quipu mcp`
    #[arg(long, value_name = "URL")]
    http: Option<String>,
    /// Key to send to that server [default: the client logs in over OAuth]
    #[arg(long, value_name = "KEY", requires = "http", env = "QUIPU_KEY", hide_env_values = true)]
    key: Option<String>,
    /// Leave out the hooks
    #[arg(long)]
    no_hooks: bool,
    /// Leave out the instructions for the model
    #[arg(long)]
    no_instructions: bool,
    /// Leave out the rule that allows the tools without asking
    #[arg(long)]
    no_allow: bool,
    /// Remove what an earlier setup added
    #[arg(long)]
    undo: bool,
}

/// A value of `--scope`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeArg {
    /// Your own settings, for every project
    User,
    /// Settings of this project; the paths in them are of this machine
    Project,
}

impl SetupArgs {
    /// Shows the changes, asks, and makes them.
    ///
    /// # Errors
    /// Fails when no client is found or the changes are not confirmed. A file that cannot be
    /// changed is reported, and sets the exit code.
    pub fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let places = find_places()?;
        let mut journal = SetupJournal::load(&setup.home.client_setup_file()).map_err(problem)?;
        if self.undo {
            let report = SetupReport::new(preview_undo(&journal, &self.clients), Vec::new(), true);
            if !self.confirm(setup, &report)? {
                return Ok(report.output(setup.terminal, &[]));
            }
            let results = undo_setup(&mut journal, &self.clients);
            return Ok(report.output(setup.terminal, &results));
        }
        let plan = plan_setup(&self.request(setup, &places)?, &places);
        let report = SetupReport::new(preview_plan(&plan), plan.notes.clone(), false);
        if !self.confirm(setup, &report)? {
            return Ok(report.output(setup.terminal, &[]));
        }
        setup.home.create()?;
        let results = apply_plan(&plan, &mut journal);
        Ok(report.output(setup.terminal, &results))
    }

    fn request(&self, setup: &Setup, places: &Places) -> Result<SetupRequest, Problem> {
        let binary = stable_binary(places)?;
        let home = setup.home.path().display().to_string();
        let server = match &self.http {
            Some(url) => ServerEntry::Http { url: checked_url(url)?, key: self.key.clone() },
            None => ServerEntry::Stdio { binary: binary.clone(), home: home.clone() },
        };
        // A hook works on the memory of this machine, which another machine's server does not.
        let hooks = !self.no_hooks && self.http.as_deref().is_none_or(is_loopback);
        Ok(SetupRequest {
            clients: self.chosen_clients(places)?,
            scope: match self.scope {
                ScopeArg::User => SetupScope::User,
                ScopeArg::Project => SetupScope::Project,
            },
            server,
            switches: SetupSwitches {
                hooks,
                instructions: !self.no_instructions,
                allow: !self.no_allow,
            },
            binary,
            home,
        })
    }

    fn chosen_clients(&self, places: &Places) -> Result<Vec<ClientKind>, Problem> {
        if !self.clients.is_empty() {
            return Ok(self.clients.clone());
        }
        let found: Vec<ClientKind> =
            find_presence(places).iter().map(|presence| presence.client).collect();
        if found.is_empty() {
            let hint = "Name the client, as in `quipu setup claude-code`.";
            return Err(Problem::usage("no MCP client was found on this machine", hint));
        }
        Ok(found)
    }

    /// Returns true if the changes are to be made.
    fn confirm(&self, setup: &Setup, report: &SetupReport) -> Result<bool, Problem> {
        if self.dry_run || report.changes.is_empty() {
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        if setup.terminal.format == OutputFormat::Json || !stdin_is_terminal() {
            let message = "nothing was changed, because it was not confirmed";
            let hint = "Look at the changes with --dry-run, then pass --yes.";
            return Err(Problem::refused(message, hint));
        }
        Terminal::print(&report.preview(setup.terminal).into_text())?;
        let answer = prompt("Make these changes? [y/N]")?;
        match answer.to_lowercase().as_str() {
            "y" | "yes" => Ok(true),
            _ => Err(Problem::refused("nothing was changed", "Answer y to make the changes.")),
        }
    }
}

/// Finds the directories that clients keep their files in.
///
/// # Errors
/// Fails when there is no home directory or no current directory.
pub(super) fn find_places() -> Result<Places, Problem> {
    let directory = std::env::current_dir()
        .map_err(|error| Problem::file("finding", Path::new("."), &error))?;
    Places::find(Platform::current(), &directory, |name| std::env::var_os(name)).ok_or_else(|| {
        Problem::usage("cannot determine your home directory", "Set the variable HOME.")
    })
}

fn parse_client(name: &str) -> Result<ClientKind, String> {
    ClientKind::parse(name).ok_or_else(|| {
        let names: Vec<&str> = ClientKind::ALL.iter().map(|client| client.name()).collect();
        format!("no such client; known are {}", names.join(", "))
    })
}

fn problem(error: SetupError) -> Problem {
    Problem::failed(error.to_string(), error.hint())
}

fn checked_url(url: &str) -> Result<String, Problem> {
    let is_url = url.starts_with("http://") || url.starts_with("https://");
    if !is_url || url.contains(char::is_whitespace) {
        let hint = "Pass the address of the server, such as http://127.0.0.1:7717/mcp.";
        return Err(Problem::usage(format!("`{url}` is not a URL"), hint));
    }
    Ok(url.to_owned())
}

fn is_loopback(url: &str) -> bool {
    let host = url.split("://").nth(1).unwrap_or_default();
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|local| {
        host.strip_prefix(local).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    })
}

/// Returns the absolute path of this program. A name on the search path that leads to it is
/// preferred, because it stays the same when the program is updated.
pub(super) fn stable_binary(places: &Places) -> Result<String, Problem> {
    let this = std::env::current_exe()
        .map_err(|error| Problem::file("finding", Path::new("quipu"), &error))?;
    let name = format!("quipu{}", std::env::consts::EXE_SUFFIX);
    let real = |path: &PathBuf| std::fs::canonicalize(path).ok();
    let on_path = places
        .search_path
        .iter()
        .map(|directory| directory.join(&name))
        .find(|path| path.is_absolute() && real(path).is_some() && real(path) == real(&this));
    let path = on_path.unwrap_or(this).display().to_string();
    // Shells on Windows read a backslash as an escape, and every program there accepts a slash.
    Ok(if cfg!(windows) { path.replace('\\', "/") } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_loopback() {
        for url in ["http://127.0.0.1:7717/mcp", "http://localhost/mcp", "http://[::1]:1"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["https://memory.example/mcp", "http://127.0.0.1.example/", "127.0.0.1"] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
