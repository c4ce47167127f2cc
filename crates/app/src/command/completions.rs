//! `quipu completions`: prints shell completion scripts.

use crate::cli::Cli;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::terminal::{OutputFormat, Terminal};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

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
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "quipu", &mut script);
        Terminal::print(&String::from_utf8_lossy(&script))?;
        Ok(CommandOutput::empty(Terminal {
            format: OutputFormat::Text,
            width: None,
            colours: false,
            interactive: false,
        }))
    }
}
