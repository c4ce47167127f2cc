//! `quipu hook`: the one command behind the hooks of every client. It gives a new session the
//! briefing, a prompt the memories that answer it, and captures turns. Nothing that goes wrong here
//! may disturb the session: the exit code is 0, standard output stays empty, and a line in a log
//! file says what happened.

mod briefing_text;
mod hook_log;
mod prompt_recall;
mod turn_capture;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::{OpenMemory, Setup, env_var};
use crate::terminal::Terminal;
use clap::Args;
use client_hooks::{
    ContextBlock, HookInput, HookSession, PrivateSettings, TurnSpool, branch_of, render_context,
};
use client_setup::{ClientKind, HookEvent};
use engine::sessions::{EndSessionRequest, SessionRef};
use engine::{Caller, estimate_tokens};
use model::{AgentName, Dialect, ErrorCode, MemoryId};
use std::io::{IsTerminal, Read};
use std::time::Duration;

pub(crate) use hook_log::log_line;

const EXAMPLES: &str = "\
Examples:
  quipu hook session-start --client claude-code
  echo '{\"session_id\":\"s\",\"prompt\":\"Why Postgres?\"}' | quipu hook prompt

`quipu setup` writes these commands into the settings of clients. Events:
session-start, prompt, turn-end, compaction, session-end, or the client's own
names for them. Problems are written to `hooks/hook.log` in the home directory.";

/// Longest input that is read.
const INPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Number of turns that one hook delivers at most, so that it ends in time.
const DELIVERED_MAX: usize = 200;
/// Days without a turn after which a session counts as ended.
const IDLE_DAYS: i64 = 1;

/// Serve a hook of a coding agent, with its JSON on standard input
///
/// Never fails the session: it exits with 0, prints nothing when something goes wrong, and ends
/// after half the time that clients wait.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct HookArgs {
    /// Event that happened
    #[arg(value_name = "EVENT")]
    event: String,
    /// Client that it happened in
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

/// A hook that runs: the event, and what the client told.
pub(super) struct HookRun<'s> {
    setup: &'s Setup,
    client: Option<ClientKind>,
    event: HookEvent,
    input: HookInput,
    session: HookSession,
}

impl HookArgs {
    /// Serves the event.
    ///
    /// # Errors
    /// Fails when the memory cannot be used; the caller logs it and exits with 0.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let client = self.client.as_deref().and_then(ClientKind::parse);
        let Some(event) = HookEvent::parse(&self.event) else {
            let message = format!("`{}` is not an event that hooks handle", self.event);
            return Err(Problem::usage(message, "Run `quipu hook --help` for the events."));
        };
        end_in_time(event.timeout_seconds(client));
        let input = HookInput::parse(client, event, &read_input());
        if let Some(cwd) = &input.cwd {
            // The project is that of the session; a directory that is gone tells none.
            let _ = std::env::set_current_dir(cwd);
        }
        if private_settings(setup).reason(std::env::current_dir().ok().as_deref()).is_some() {
            return Ok(CommandOutput::empty(setup.terminal));
        }
        let session = input.session.as_deref().map_or_else(HookSession::default, |session| {
            HookSession::load(&setup.home.hook_sessions_dir(), client_name(client), session)
        });
        HookRun { setup, client, event, input, session }.serve().await?;
        Ok(CommandOutput::empty(setup.terminal))
    }
}

impl HookRun<'_> {
    async fn serve(mut self) -> Result<(), Problem> {
        // First to disk, so that no later failure loses it.
        turn_capture::capture(&mut self)?;
        match self.event {
            HookEvent::SessionStart => {
                HookSession::remove_old(&self.setup.home.hook_sessions_dir());
                self.brief().await
            }
            HookEvent::Prompt => self.recall().await,
            HookEvent::SessionEnd => self.end_session().await,
            HookEvent::TurnEnd | HookEvent::Compaction => {
                if self.spool().is_empty() {
                    return Ok(());
                }
                self.with_memory(async |run, memory| {
                    run.deliver(memory).await;
                    Ok(())
                })
                .await
            }
        }
    }

    async fn brief(self) -> Result<(), Problem> {
        self.with_memory(async |run, memory| {
            if run.input.has_lost_context() {
                run.session.clear_context();
            }
            let caller = run.caller(memory);
            let branch = std::env::current_dir().ok().as_deref().and_then(branch_of);
            let content = briefing_text::briefing(&memory.engine, &caller, branch).await?;
            let block = content.map(|content| ContextBlock::new(&content));
            if let Some(block) = block.filter(|it| run.session.briefing.as_ref() != Some(&it.hash))
            {
                run.session.briefing = Some(block.hash.clone());
                run.inject(memory, &block, &[]).await?;
            }
            // After the output, which is what the client waits for.
            run.deliver(memory).await;
            // Not every client tells the end of a session.
            let before = memory.engine.now().plus_days(-IDLE_DAYS);
            memory.engine.sessions().end_idle(&caller, before).await?;
            Ok(())
        })
        .await
    }

    /// Delivers the last turns, and sums the session up.
    async fn end_session(self) -> Result<(), Problem> {
        let Some(session) = self.input.session.clone() else { return Ok(()) };
        self.with_memory(async |run, memory| {
            run.deliver(memory).await;
            let session = Some(SessionRef::Key(session));
            let request = EndSessionRequest { session, ..EndSessionRequest::default() };
            match memory.engine.sessions().end(&run.caller(memory), &request).await {
                // Nothing was said or remembered in it.
                Err(failure) if failure.code == ErrorCode::NotFound => Ok(()),
                done => done.map(drop).map_err(Problem::from),
            }
        })
        .await
    }

    async fn recall(self) -> Result<(), Problem> {
        let mode = self.setup.config.hooks.prompt;
        let query = self.input.prompt.as_deref().and_then(prompt_recall::question);
        let Some(query) = query.filter(|_| mode != crate::config::PromptMode::Off) else {
            return Ok(());
        };
        self.with_memory(async |run, memory| {
            let caller = run.caller(memory);
            let found =
                prompt_recall::recall(&memory.engine, &caller, &query, mode, &run.session).await?;
            if let Some(found) = found {
                run.session.shown.extend(found.ids.iter().map(|id| id.0));
                run.inject(memory, &ContextBlock::new(&found.content), &found.ids).await?;
            }
            Ok(())
        })
        .await
    }

    async fn with_memory(
        mut self,
        work: impl AsyncFnOnce(&mut Self, &OpenMemory) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let setup = self.setup;
        setup.with_memory(async |memory| work(&mut self, memory).await).await
    }

    /// Prints a block, and notes that the session has it and what it cost.
    async fn inject(
        &mut self,
        memory: &OpenMemory,
        block: &ContextBlock,
        memories: &[MemoryId],
    ) -> Result<(), Problem> {
        let output = render_context(self.client, self.event, &self.input, &block.text);
        if output.is_empty() {
            return Ok(());
        }
        Terminal::print(&output)?;
        self.session.note_injected(block);
        self.save_session()?;
        let (caller, tokens) = (self.caller(memory), estimate_tokens(&block.text));
        memory.engine.sessions().note_injected(&caller, memories, tokens).await?;
        Ok(())
    }

    fn save_session(&self) -> Result<(), Problem> {
        let Some(session) = &self.input.session else { return Ok(()) };
        let directory = self.setup.home.hook_sessions_dir();
        let saved = self.session.save(&directory, client_name(self.client), session);
        saved.map_err(|error| Problem::file("writing", &directory, &error))
    }

    async fn deliver(&self, memory: &OpenMemory) {
        memory.turn_delivery().deliver(&memory.engine, &self.spool(), DELIVERED_MAX).await;
    }

    fn spool(&self) -> TurnSpool {
        TurnSpool::new(&self.setup.home.spool_dir(&self.setup.config.owner))
    }

    /// Returns the client as the caller, so that its grants count.
    fn caller(&self, memory: &OpenMemory) -> Caller {
        let agent = AgentName::new(client_name(self.client));
        let owner = memory.caller.owner.clone();
        let mut caller = Caller::agent(owner, agent, Dialect::CommandLine).with_tool("hook");
        caller.environment = memory.caller.environment.clone();
        caller.environment.session.clone_from(&self.input.session);
        caller
    }
}

/// Returns the settings of private mode.
pub(super) fn private_settings(setup: &Setup) -> PrivateSettings {
    PrivateSettings {
        variable: env_var("QUIPU_PRIVATE"),
        switch: setup.home.private_file(),
        directories: setup.config.hooks.private_dirs.clone(),
    }
}

fn client_name(client: Option<ClientKind>) -> &'static str {
    client.map_or("unknown", ClientKind::name)
}

/// Ends the process after half the time that its client waits. Everything that matters is on disk
/// by then, or stays in the spool for the next process.
fn end_in_time(timeout_seconds: u64) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(timeout_seconds * 500));
        std::process::exit(0);
    });
}

fn read_input() -> String {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return String::new();
    }
    let mut bytes = Vec::new();
    // Without input a hook does what it can.
    let _ = stdin.lock().take(INPUT_BYTES_MAX).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
