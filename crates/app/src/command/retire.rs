//! `quipu retire`: retires single memories, or everything that an agent wrote since a given time,
//! and undoes that.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use crate::time_argument;
use clap::Args;
use engine::maintenance::{RestoreAgentRequest, RetireAgentRequest};
use model::{AgentName, Memory, MemoryId, Moment};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu retire 17 18
  quipu retire --undo 17
  quipu retire --agent codex --since 2026-05-03
  quipu retire --agent codex --since 2026-05-03T14:00:00Z --yes
  quipu retire --agent codex --undo";

/// Retire memories, or everything an agent wrote since a given time; can be undone
///
/// Retired memories no longer appear in a recall. The history is kept, so that it can be undone;
/// --undo also brings back a memory that a newer one replaced, beside that one.
/// With --agent the memories that the retired ones replaced become current again, and without --yes
/// it only shows what it would do.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RetireArgs {
    /// Ids of the memories to retire
    #[arg(
        value_name = "ID",
        required_unless_present = "agent",
        value_parser = id_argument::memory_id
    )]
    ids: Vec<i64>,
    /// Name of the agent
    #[arg(long, value_name = "NAME", conflicts_with = "ids")]
    agent: Option<String>,
    /// Start of the period: a date, a time in UTC, yesterday, 3d or 2w
    #[arg(
        long,
        value_name = "WHEN",
        value_parser = time_argument::since,
        required_unless_present_any = ["undo", "ids"],
        conflicts_with_all = ["undo", "ids"]
    )]
    since: Option<String>,
    /// Restore these memories, or undo the last retirement of this agent
    #[arg(long)]
    undo: bool,
    /// Retire them instead of only showing what would be retired
    #[arg(long, short)]
    yes: bool,
}

impl RetireArgs {
    /// Retires the memories, or undoes it.
    ///
    /// # Errors
    /// Fails when the date is invalid, or `--yes` is missing.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut page = TextPage::new(setup.terminal);
        let value = setup
            .with_memory(async |memory| match (&self.agent, self.undo) {
                (Some(agent), true) => restore_agent(agent, memory, &mut page).await,
                (Some(agent), false) => self.retire_agent(agent, memory, &mut page).await,
                (None, true) => self.restore(memory, &mut page).await,
                (None, false) => self.retire(memory, &mut page).await,
            })
            .await?;
        Ok(CommandOutput::new(value, page))
    }

    fn memory_ids(&self) -> Vec<MemoryId> {
        self.ids.iter().copied().map(MemoryId).collect()
    }

    async fn retire(&self, memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
        let (caller, ids) = (memory.caller_for("retire"), self.memory_ids());
        let done = memory.engine.memories().retire(&caller, &ids).await?;
        let count = count_with_noun(done.memories.len(), "memory", "memories");
        let named = id_words(&done.memories);
        page.add_text(&format!("Retired {count}. Undo with `quipu retire --undo {named}`."));
        Ok(json!({ "retired": done.memories.len() }))
    }

    async fn restore(&self, memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
        let (caller, ids) = (memory.caller_for("retire"), self.memory_ids());
        let restored = memory.engine.memories().unretire(&caller, &ids).await?;
        let count = count_with_noun(restored.len(), "memory", "memories");
        page.add_text(&format!("Restored {count}."));
        Ok(json!({ "restored": restored.len() }))
    }

    async fn retire_agent(
        &self,
        agent: &str,
        memory: &OpenMemory,
        page: &mut TextPage,
    ) -> Result<Value, Problem> {
        let since = Moment::parse(self.since.as_deref().unwrap_or_default())
            .map_err(|error| Problem::usage(error.to_string(), "Pass a date to --since."))?;
        let input = RetireAgentRequest { agent: AgentName::new(agent), since, confirm: self.yes };
        let done = memory
            .engine
            .admin()
            .retire_agent(&memory.caller_for("retire"), &input)
            .await
            .map_err(|failure| {
            if self.yes {
                failure.into()
            } else {
                Problem::refused(without_agent_advice(&failure.message), "Add --yes to do it.")
            }
        })?;
        let revived = count_with_noun(done.revived, "memory is", "memories are");
        page.add_text(&format!(
            "Retired {}; {revived} current again.",
            count_with_noun(done.retired, "memory", "memories")
        ));
        page.add_text(&format!("Undo with `quipu retire --agent {agent} --undo`."));
        Ok(json!({ "retired": done.retired, "revived": done.revived, "at": done.at.to_string() }))
    }
}

async fn restore_agent(
    agent: &str,
    memory: &OpenMemory,
    page: &mut TextPage,
) -> Result<Value, Problem> {
    let input = RestoreAgentRequest { agent: AgentName::new(agent), retired_at: None };
    let done = memory.engine.admin().restore_agent(&memory.caller_for("retire"), &input).await?;
    page.add_text(&format!("Restored {}.", count_with_noun(done.restored, "memory", "memories")));
    Ok(json!({ "restored": done.restored, "replaced": done.replaced }))
}

fn id_words(memories: &[Memory]) -> String {
    memories.iter().map(|memory| memory.id.to_string()).collect::<Vec<_>>().join(" ")
}

/// Removes the advice for agents from a message of the engine.
fn without_agent_advice(message: &str) -> String {
    message.split(". Call again").next().unwrap_or(message).to_owned()
}
