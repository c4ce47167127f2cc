//! The command line as a whole: what can be asked of every command, and the road from words to an
//! exit code.

use crate::answer::Answer;
use crate::command::Command;
use crate::config::{EMBEDDER_SETTINGS, SETTINGS};
use crate::exit::{EXIT_CODES, Exit, Problem};
use crate::logging;
use crate::screen::{Form, Screen};
use crate::setup::{Asked, Setup};
use clap::{Args, Parser};
use std::path::PathBuf;

/// A memory for AI agents, shared by all of them, that you can read, correct and erase.
///
/// Agents reach it over MCP: `quipu mcp` speaks over a pipe and needs no server; `quipu serve`
/// speaks over HTTP. The other commands do for a person what the tools do for an agent, on the same
/// memory and at the same time.
#[derive(Debug, Parser)]
#[command(name = "quipu", version, arg_required_else_help = true, max_term_width = 100, after_long_help = epilogue())]
pub struct Cli {
    #[command(flatten)]
    shared: Shared,
    #[command(subcommand)]
    command: Command,
}

fn epilogue() -> String {
    format!("{SETTINGS}\n\n{EMBEDDER_SETTINGS}\n\n{EXIT_CODES}")
}

/// What can be asked of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
struct Shared {
    /// Where everything is stored [default: `quipu` in your data directory]
    #[arg(long, global = true, value_name = "DIR", env = "QUIPU_HOME", hide_env_values = true)]
    home: Option<PathBuf>,
    /// Whose memory is meant [default: me]
    #[arg(long, global = true, value_name = "NAME")]
    owner: Option<String>,
    /// Answer in JSON, for scripts
    #[arg(long, global = true)]
    json: bool,
}

impl Cli {
    /// Does what was asked, answers, and says how it ended.
    pub fn run(self) -> Exit {
        let form = if self.shared.json { Form::Json } else { Form::Text };
        let ended = self.answer(form).and_then(|answer| answer.print(form));
        ended.unwrap_or_else(|problem| {
            Screen::tell(form, &problem);
            problem.exit
        })
    }

    fn answer(self, form: Form) -> Result<Answer, Problem> {
        if let Command::Completions(completions) = self.command {
            // Packagers run this where there is no home.
            return completions.run();
        }
        let Shared { home, owner, .. } = &self.shared;
        let setup = Setup::new(&Asked { home: home.as_deref(), owner: owner.as_deref(), form })?;
        logging::start(&setup.config.log)?;
        let runtime = self.command.runtime().enable_all().build().map_err(|error| {
            Problem::failed(
                format!("the system gave no event loop: {error}"),
                "Close some programs and try again.",
            )
        })?;
        let answer = runtime.block_on(self.command.run(&setup));
        // A thread may still wait for a line of standard input; the process does not.
        runtime.shutdown_background();
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_tells_what_it_does_and_shows_an_example() {
        fn check(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            let example =
                command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            assert!(example.contains("quipu "), "{} shows no example", command.get_name());
        }
        for command in
            Cli::command().get_subcommands().filter(|command| command.get_name() != "help")
        {
            check(command);
        }
    }
}
