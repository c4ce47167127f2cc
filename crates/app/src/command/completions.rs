//! `quipu completions`: prints shell completion scripts.

use crate::cli::Cli;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::terminal::{OutputFormat, Terminal};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, CommandFactory, ValueHint};
use clap_complete::{Shell, generate};
use client_setup::ClientKind;
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  quipu completions bash > ~/.local/share/bash-completion/completions/quipu
  quipu completions zsh > ~/.zfunc/_quipu
  quipu completions fish > ~/.config/fish/completions/quipu.fish";

/// Print a shell completion script
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// Shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints the script.
    ///
    /// # Errors
    /// Fails when standard output cannot be written.
    pub fn run(self) -> Result<CommandOutput, Problem> {
        let (mut command, mut script) = (completed_command(), Vec::new());
        generate(self.shell, &mut command, "quipu", &mut script);
        let mut script = String::from_utf8_lossy(&script).into_owned();
        match self.shell {
            Shell::Fish => add_fish_positionals(&command, &mut script),
            // Below an argument without an action, zsh completes no options either.
            Shell::Zsh => script = script.replace(":' \\\n", ":()' \\\n"),
            _ => {}
        }
        Terminal::print(&script)?;
        Ok(CommandOutput::empty(Terminal {
            format: OutputFormat::Text,
            width: None,
            colours: false,
            interactive: false,
        }))
    }
}

/// Returns the commands as the scripts complete them: only paths are completed with files, and
/// clients with their names.
fn completed_command() -> Command {
    // The parser of the command itself says which name is wrong, and tells the script none of them.
    let names = ClientKind::ALL.map(ClientKind::name);
    let clients = |clients: Arg| clients.value_parser(PossibleValuesParser::new(names));
    without_files(Cli::command()).mut_subcommand("setup", |setup| setup.mut_arg("clients", clients))
}

/// Marks every value that is no path, which shells complete with files otherwise.
fn without_files(command: Command) -> Command {
    let mark = |argument: Arg| {
        let takes_values = argument.get_action().takes_values();
        if takes_values && argument.get_value_hint() == ValueHint::Unknown {
            argument.value_hint(ValueHint::Other)
        } else {
            argument
        }
    };
    command.mut_args(mark).mut_subcommands(without_files)
}

/// Adds the values of positional arguments, which the generator for fish leaves out.
fn add_fish_positionals(command: &Command, script: &mut String) {
    for outer in command.get_subcommands() {
        let using = format!("__fish_quipu_using_subcommand {}", outer.get_name());
        if !outer.has_subcommands() {
            add_fish_values(outer, &using, script);
        }
        for inner in outer.get_subcommands() {
            let using = format!("{using}; and __fish_seen_subcommand_from {}", inner.get_name());
            add_fish_values(inner, &using, script);
        }
    }
}

fn add_fish_values(command: &Command, using: &str, script: &mut String) {
    let is_path = |argument: &Arg| argument.get_value_hint() != ValueHint::Other;
    let values = command.get_positionals().flat_map(Arg::get_possible_values);
    let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
    let line = format!("complete -c quipu -n \"{using}\" -f");
    // Writing to a string cannot fail.
    if !values.is_empty() {
        _ = writeln!(script, "{line} -a \"{}\"", values.join(" "));
    } else if !command.get_positionals().any(is_path) {
        _ = writeln!(script, "{line}");
    }
}
