//! `quipu retire`: retires everything that an agent wrote since a given time, and undoes that.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::page::Page;
use crate::setup::{Opened, Setup};
use crate::shown::counted;
use clap::Args;
use engine::maintenance::{RestoreAgent, RetireAgent};
use model::{AgentName, Moment};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu retire --agent codex --since 2026-05-03
  quipu retire --agent codex --since 2026-05-03T14:00:00Z --yes
  quipu retire --agent codex --undo";

/// Retire everything an agent wrote since a given time; can be undone
///
/// Retired memories no longer appear in a recall, and the memories that they replaced become
/// current again. The history is kept, so that it can be undone. Without --yes it only shows what
/// it would do.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Retire {
    /// Name of the agent
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// Start of the period: a date, or a date and time in UTC
    #[arg(long, value_name = "WHEN", required_unless_present = "undo", conflicts_with = "undo")]
    since: Option<String>,
    /// Undo the last retirement of this agent
    #[arg(long)]
    undo: bool,
    /// Retire them instead of only showing what would be retired
    #[arg(long, short)]
    yes: bool,
}

impl Retire {
    /// Retires the memories, or undoes it.
    ///
    /// # Errors
    /// When the date is invalid, or `--yes` is missing.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let mut page = Page::new(setup.screen);
        let value = setup
            .with_memory(async |memory| {
                if self.undo {
                    self.restore(memory, &mut page).await
                } else {
                    self.retire(memory, &mut page).await
                }
            })
            .await?;
        Ok(Answer::new(value, page))
    }

    async fn retire(&self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let since = Moment::parse(self.since.as_deref().unwrap_or_default())
            .map_err(|error| Problem::usage(error.to_string(), "Pass --since a date."))?;
        let input = RetireAgent { agent: AgentName::new(&self.agent), since, confirm: self.yes };
        let done =
            memory.engine.admin().retire_agent(&memory.using("retire"), &input).await.map_err(
                |failure| {
                    if self.yes {
                        failure.into()
                    } else {
                        Problem::refused(would(&failure.message), "Add --yes to do it.")
                    }
                },
            )?;
        let revived = counted(done.revived, "memory is", "memories are");
        page.say(&format!(
            "Retired {}; {revived} current again.",
            counted(done.retired, "memory", "memories")
        ));
        page.say(&format!("Undo with `quipu retire --agent {} --undo`.", self.agent));
        Ok(json!({ "retired": done.retired, "revived": done.revived, "at": done.at.to_string() }))
    }

    async fn restore(&self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let input = RestoreAgent { agent: AgentName::new(&self.agent), retired_at: None };
        let done = memory.engine.admin().restore_agent(&memory.using("retire"), &input).await?;
        page.say(&format!("Restored {}.", counted(done.restored, "memory", "memories")));
        Ok(json!({ "restored": done.restored, "replaced": done.replaced }))
    }
}

/// Removes the advice for agents from a message of the engine.
fn would(message: &str) -> String {
    message.split(". Call again").next().unwrap_or(message).to_owned()
}
