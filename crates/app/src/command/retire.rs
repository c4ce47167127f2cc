//! `quipu retire`: takes back everything one agent wrote since a time, at once, and undoes that.

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

/// Take back everything that one agent wrote since a time; reversible
///
/// Its memories are retired: no recall shows them, and what they had replaced holds again. Their
/// history stays, so that it can be undone. Without --yes it only says what it would do.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Retire {
    /// The agent
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// What it wrote at this time or later: a date, or a date and time in UTC
    #[arg(long, value_name = "WHEN", required_unless_present = "undo", conflicts_with = "undo")]
    since: Option<String>,
    /// Undo the last time
    #[arg(long)]
    undo: bool,
    /// Do it, instead of saying what would be done
    #[arg(long, short)]
    yes: bool,
}

impl Retire {
    /// Retires, or undoes it.
    ///
    /// # Errors
    /// When the date is none, or nobody confirmed.
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
            .map_err(|error| Problem::usage(error.to_string(), "`--since` takes a date."))?;
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
        let again = counted(done.revived, "memory holds", "memories hold");
        page.say(&format!(
            "Retired {}; {again} again.",
            counted(done.retired, "memory", "memories")
        ));
        page.say(&format!("`quipu retire --agent {} --undo` takes it back.", self.agent));
        Ok(json!({ "retired": done.retired, "revived": done.revived, "at": done.at.to_string() }))
    }

    async fn restore(&self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let input = RestoreAgent { agent: AgentName::new(&self.agent), retired_at: None };
        let done = memory.engine.admin().restore_agent(&memory.using("retire"), &input).await?;
        page.say(&format!("Restored {}.", counted(done.restored, "memory", "memories")));
        Ok(json!({ "restored": done.restored, "replaced": done.replaced }))
    }
}

/// What would be done, without the advice that is meant for agents.
fn would(message: &str) -> String {
    message.split(". Call again").next().unwrap_or(message).to_owned()
}
