//! The command line: global options, and the path from parsed arguments to an exit code.
//! The commands themselves are in `command`.

use crate::command::Command;
use crate::command::hook::log_line;
use crate::command_output::CommandOutput;
use crate::config::{Config, EMBEDDER_SETTINGS, SETTINGS};
use crate::exit::{EXIT_CODES, Exit, Problem};
use crate::home_dir::HomeDir;
use crate::logging;
use crate::setup::{Setup, SetupOptions, env_var};
use crate::terminal::{OutputFormat, Terminal};
use clap::{Args, Parser};
use std::path::PathBuf;
use traces::{SpanLayer, TraceExport, TraceSettings};

/// A shared memory for AI agents that you can read, correct and erase.
///
/// Agents connect over MCP: `quipu mcp` uses standard input and output and needs no server;
/// `quipu serve` uses HTTP. The other commands give you what the tools give an agent. They work on
/// the same memory and can run at the same time.
#[derive(Debug, Parser)]
#[command(
    name = "quipu",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_long_help = epilogue()
)]
pub struct Cli {
    #[command(flatten)]
    shared: GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

fn epilogue() -> String {
    format!("{SETTINGS}\n\n{EMBEDDER_SETTINGS}\n\n{EXIT_CODES}")
}

/// Options that every command accepts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct GlobalArgs {
    /// Directory for all data [default: `quipu` in your user data directory]
    #[arg(long, global = true, value_name = "DIR", env = "QUIPU_HOME", hide_env_values = true)]
    home: Option<PathBuf>,
    /// Owner of the memory [default: me]
    #[arg(long, global = true, value_name = "NAME")]
    owner: Option<String>,
    /// Print JSON, for scripts
    #[arg(long, global = true)]
    json: bool,
}

impl Cli {
    /// Runs the command, prints its output or its problem, and returns the exit status.
    pub fn run(self) -> Exit {
        let format = if self.shared.json { OutputFormat::Json } else { OutputFormat::Text };
        if matches!(self.command, Command::Hook(_)) {
            return self.run_hook();
        }
        let result = self.execute(format).and_then(|output| output.print(format));
        result.unwrap_or_else(|problem| {
            Terminal::print_problem(format, &problem);
            problem.exit
        })
    }

    /// Serves a hook. It never fails: a problem goes to a log file.
    fn run_hook(self) -> Exit {
        let home = HomeDir::find(self.shared.home.as_deref(), |name| std::env::var_os(name));
        let result = self.execute(OutputFormat::Text);
        if let (Err(problem), Ok(home)) = (result, home) {
            log_line(&home, &format!("{} {}", problem.message(), problem.hint()));
        }
        Exit::Done
    }

    fn execute(self, format: OutputFormat) -> Result<CommandOutput, Problem> {
        // Packagers generate these in build environments without a home directory.
        match self.command {
            Command::Completions(completions) => return completions.run(),
            Command::Man(man) => return man.run(),
            _ => {}
        }
        let GlobalArgs { home, owner, .. } = &self.shared;
        let setup = Setup::new(&SetupOptions {
            home: home.as_deref(),
            owner: owner.as_deref(),
            store: self.command.store(),
            format,
        })?;
        let traces = self.command.serves().then(|| start_traces(&setup.config)).transpose()?;
        let (spans, traces) = traces.flatten().unzip();
        logging::init(&setup.config.log, spans)?;
        let runtime = self.command.runtime_builder().enable_all().build().map_err(|error| {
            Problem::failed(
                format!("cannot start the async runtime: {error}"),
                "Close some programs and try again.",
            )
        })?;
        let output = runtime.block_on(self.command.run(&setup));
        // A blocking thread may still be reading standard input; waiting for it would hang the
        // exit.
        runtime.shutdown_background();
        if let Some(traces) = traces {
            traces.finish();
        }
        output
    }
}

/// Starts the export of traces, if an endpoint is set. Only for servers: the variables are often
/// set for the program that starts an agent, and are inherited by all that it starts.
fn start_traces(config: &Config) -> Result<Option<(SpanLayer, TraceExport)>, Problem> {
    let settings = TraceSettings::read(config.traces.as_deref(), env_var).map_err(|error| {
        Problem::usage(error.to_string(), "Correct it, or remove it to send no traces.")
    })?;
    settings.map(TraceExport::start).transpose().map_err(|error| {
        let message = format!("cannot start the thread that sends traces: {error}");
        Problem::failed(message, "Close some programs and try again.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_definition_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_a_description_and_an_example() {
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
