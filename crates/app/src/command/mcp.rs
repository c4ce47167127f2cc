//! `quipu mcp`: MCP over standard input and output, for an agent on this machine.

use crate::command_output::CommandOutput;
use crate::config::Config;
use crate::exit::Problem;
use crate::input::stdin_is_terminal;
use crate::setup::Setup;
use crate::{reference_watcher, signals};
use clap::{Args, ValueEnum};
use dialects::{Agentic, CodeMemory, DialectApi, Epitome, Librarian, Quipu};
use engine::{ClientEnvironment, Clock, SystemClock};
use model::{ErrorCode, limits};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  claude mcp add -s user quipu -- quipu mcp
  codex mcp add quipu -- quipu mcp

Environment variables set defaults; arguments of a tool call override them:
  QUIPU_PROJECT  project [default: CLAUDE_PROJECT_DIR, or the checkout]
  QUIPU_SESSION  session key [default: CLAUDE_CODE_SESSION_ID]
  QUIPU_LOG      log level on standard error: error, warn, info [default: warn]";

/// Message at a terminal, where nobody speaks the protocol.
const AT_A_TERMINAL: &str = "`quipu mcp` is started by an agent's program, which speaks the Model \
                             Context Protocol over standard input and output";
const SETUP_HINT: &str = "To add it to the programs on this machine, run `quipu setup`; to look \
                          into the memory yourself, `quipu recall` or `quipu serve`.";

/// Variable of the original code-memory server that names the session.
const CODE_MEMORY_SESSION: &str = "CODE_MEMORY_SESSION_ID";

/// Run an MCP server on standard input and output
///
/// MCP clients start this command. Any number of servers can share a memory at the same time; each
/// sees the writes of the others on its next read. It ends when its client closes the connection.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct McpArgs {
    /// Set of tools to offer
    #[arg(long, value_enum, default_value_t = DialectArg::Quipu)]
    dialect: DialectArg,
}

/// A dialect, as a value of `--dialect`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DialectArg {
    /// Quipu's own eleven tools
    Quipu,
    /// The tools of AgenticMemory
    Agentic,
    /// The seven tools of The Librarian
    Librarian,
    /// Epitome's three tools; its nine older ones work but are not listed
    Epitome,
    /// The eleven tools of code-memory
    #[value(name = "codememory")]
    CodeMemory,
}

impl DialectArg {
    /// Creates the dialect with its settings.
    pub fn to_dialect(self, config: &Config) -> Arc<dyn DialectApi> {
        match self {
            Self::Quipu => Arc::new(Quipu::default()),
            Self::Agentic => Arc::new(Agentic::new(config.workspaces.clone())),
            Self::Librarian => Arc::new(Librarian::default()),
            Self::Epitome if config.epitome_list_all_tools => Arc::new(Epitome::listing_all()),
            Self::Epitome => Arc::new(Epitome::default()),
            Self::CodeMemory => Arc::new(CodeMemory::new(config.codememory)),
        }
    }

    /// Creates the dialect for a client on this machine.
    ///
    /// # Errors
    /// Fails when a variable of this dialect is invalid.
    fn to_local_dialect(
        self,
        config: &Config,
        environment: &ClientEnvironment,
    ) -> Result<Arc<dyn DialectApi>, Problem> {
        match (self, &config.codememory_problem, &environment.session) {
            (Self::CodeMemory, Some(problem), _) => {
                let advice = "Correct it, or remove it to use the default.";
                Err(Problem::usage(problem.clone(), advice))
            }
            (Self::CodeMemory, None, Some(_)) => {
                Ok(Arc::new(CodeMemory::new(config.codememory).with_named_session()))
            }
            _ => Ok(self.to_dialect(config)),
        }
    }

    /// Returns the client environment as the dialect expects it.
    fn with_session(self, mut environment: ClientEnvironment) -> ClientEnvironment {
        // AgenticMemory's tools write into the session of the connection, so a client that names
        // none gets one per process.
        if matches!(self, Self::Agentic) {
            let own = || format!("process {} at {}", std::process::id(), SystemClock.now().0);
            environment.session.get_or_insert_with(own);
        }
        if matches!(self, Self::CodeMemory) && environment.session.is_none() {
            let named = std::env::var(CODE_MEMORY_SESSION).ok();
            environment.session = named
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty() && name.chars().count() <= limits::NAME_CHARS);
        }
        environment
    }

    /// Returns the HTTP path: `/mcp` for Quipu's own dialect, `/mcp/NAME` for the others.
    pub fn http_path(self) -> String {
        match self {
            Self::Quipu => "/mcp".to_owned(),
            other => format!("/mcp/{}", other.to_possible_value().unwrap_or_default().get_name()),
        }
    }
}

impl McpArgs {
    /// Serves until the client disconnects or the process receives a termination signal.
    ///
    /// # Errors
    /// Fails when the memory cannot be opened, or the client violates the protocol.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        if stdin_is_terminal() {
            return Err(Problem::usage(AT_A_TERMINAL, SETUP_HINT));
        }
        let stop = signals::shutdown_token()?;
        let served = setup.with_memory(async |memory| {
            memory.background_tasks(&setup.home)?.start(stop.clone());
            reference_watcher::start(memory, &setup.home, stop.clone());
            let surroundings = self.dialect.with_session(memory.caller.environment.clone());
            let dialect = self.dialect.to_local_dialect(&setup.config, &surroundings)?;
            let local = server::LocalClient { owner: memory.caller.owner.clone(), surroundings };
            let served =
                server::serve_stdio(Arc::clone(&memory.engine), dialect, local, stop).await;
            served.map_err(|error| {
                let advice = "Start it from an MCP client; `quipu mcp --help` shows how.";
                Problem::new(ErrorCode::Internal, error.to_string(), advice)
            })
        });
        served.await?;
        Ok(CommandOutput::empty(setup.terminal))
    }
}
