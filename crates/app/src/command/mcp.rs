//! `quipu mcp`: MCP over standard input and output, for an agent on this machine.

use crate::answer::Answer;
use crate::config::Config;
use crate::exit::Problem;
use crate::setup::Setup;
use crate::{shelf, signals};
use clap::{Args, ValueEnum};
use dialects::{Agentic, CodeMemory, Dialect, Epitome, Librarian, Quipu};
use engine::{Clock, Surroundings, SystemClock};
use model::ErrorCode;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  claude mcp add -s user quipu -- quipu mcp
  codex mcp add quipu -- quipu mcp

The environment tells where the agent works; what the agent says wins over it:
  QUIPU_PROJECT  the project [default: CLAUDE_PROJECT_DIR, or the checkout]
  QUIPU_SESSION  the session's key [default: CLAUDE_CODE_SESSION_ID]
  QUIPU_LOG      what goes to standard error: error, warn, info [default: warn]";

/// Speak MCP over standard input and output: what a client starts
///
/// Any number may run at the same time on the same memory; each sees what the others wrote at its
/// next read. It ends when its client closes the pipe.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Mcp {
    /// The tools that are offered
    #[arg(long, value_enum, default_value_t = Spoken::Quipu)]
    dialect: Spoken,
}

/// The dialects that are spoken.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Spoken {
    /// Quipu's own eleven tools
    Quipu,
    /// The tools of AgenticMemory
    Agentic,
    /// The seven verbs of The Librarian
    Librarian,
    /// Epitome's three tools, and its nine older ones by name
    Epitome,
    /// The eleven tools of code-memory
    #[value(name = "codememory")]
    CodeMemory,
}

impl Spoken {
    /// The dialect itself, as it is configured.
    pub fn dialect(self, config: &Config) -> Arc<dyn Dialect> {
        match self {
            Self::Quipu => Arc::new(Quipu::default()),
            Self::Agentic => Arc::new(Agentic::new(config.workspaces.clone())),
            Self::Librarian => Arc::new(Librarian::default()),
            Self::Epitome if config.epitome_list_all_tools => Arc::new(Epitome::listing_all()),
            Self::Epitome => Arc::new(Epitome::default()),
            Self::CodeMemory => Arc::new(CodeMemory::new(config.codememory)),
        }
    }

    /// What is known of where the agent works. Where the contract has tools that write into the
    /// session of the connection, a client that names none is in one of this process.
    fn surroundings(self, mut told: Surroundings) -> Surroundings {
        if matches!(self, Self::Agentic) {
            let own = || format!("process {} at {}", std::process::id(), SystemClock.now().0);
            told.session.get_or_insert_with(own);
        }
        told
    }

    /// Where it answers over HTTP: Quipu's own at the bare path, every other under its name.
    pub fn path(self) -> String {
        match self {
            Self::Quipu => "/mcp".to_owned(),
            other => format!("/mcp/{}", other.to_possible_value().unwrap_or_default().get_name()),
        }
    }
}

impl Mcp {
    /// Speaks until the client leaves or the process is asked to end.
    ///
    /// # Errors
    /// When the memory cannot be opened, or the client does not speak the protocol.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let stop = signals::stop()?;
        let spoken = setup.with_memory(async |memory| {
            memory.upkeep(&setup.home).start(stop.clone());
            shelf::start(memory, &setup.home, stop.clone());
            let surroundings = self.dialect.surroundings(memory.caller.surroundings.clone());
            let local = server::Local { owner: memory.caller.owner.clone(), surroundings };
            let served = server::stdio(
                Arc::clone(&memory.engine),
                self.dialect.dialect(&setup.config),
                local,
                stop,
            )
            .await;
            served.map_err(|error| {
                let advice = "Start it from an MCP client; `quipu mcp --help` shows how.";
                Problem::new(ErrorCode::Internal, error.to_string(), advice)
            })
        });
        spoken.await?;
        Ok(Answer::nothing(setup.screen))
    }
}
