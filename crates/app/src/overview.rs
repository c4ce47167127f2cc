//! The page that `quipu` prints without arguments: the commands that one needs first, and all
//! others by purpose.

use crate::cli::Cli;
use crate::exit::{Exit, Problem};
use crate::setup::env_var;
use crate::terminal::{OutputFormat, Terminal};
use crate::text_page::TextPage;
use clap::CommandFactory;

/// Every command, by purpose.
const GROUPS: &[(&str, &[&str])] = &[
    ("Start here", &["setup", "remember", "recall", "list", "serve"]),
    ("Memories", &["show", "correct", "verify", "review", "retire", "forget"]),
    ("Tables, sessions, documents", &["tables", "session", "handoff", "reference"]),
    ("Agents", &["mcp", "hook", "capture", "private", "keys", "grants", "login", "password"]),
    ("Move and keep", &["import", "export", "backup", "restore", "move", "migrate"]),
    ("Server", &["service", "owners", "groups", "ready"]),
    ("Look after it", &["status", "doctor", "audit", "eval", "demo", "completions", "man"]),
];

/// Prints the page.
pub fn print() -> Exit {
    let terminal = Terminal::new(OutputFormat::Text, env_var);
    let printed = Terminal::print(&page(terminal).into_text());
    printed.map_or_else(|problem: Problem| problem.exit, |()| Exit::Done)
}

fn page(terminal: Terminal) -> TextPage {
    let command = Cli::command();
    let mut page = TextPage::new(terminal);
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.add_text(&format!("{}.", about.trim_end_matches('.')));
    page.blank().add_text("Usage: quipu COMMAND [OPTIONS]");
    let row = |name: &&str| {
        let found = command.find_subcommand(name);
        let about = found.and_then(clap::Command::get_about).map(ToString::to_string);
        vec![(*name).to_owned(), about.unwrap_or_default()]
    };
    for (title, names) in GROUPS {
        page.heading(title).columns(&names.iter().map(row).collect::<Vec<_>>());
    }
    page.blank().add_text(
        "`quipu COMMAND --help` explains a command with examples; `quipu --help` lists settings \
         and exit codes.",
    );
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = Cli::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }

    #[test]
    fn five_commands_come_first() {
        assert_eq!(GROUPS[0].1.len(), 5);
    }
}
