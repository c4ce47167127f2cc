//! `quipu forget`: shows what would be erased, asks for confirmation, and erases it with a receipt.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::input::{prompt, stdin_is_terminal};
use crate::render::{self, MemoryOutput, count_with_noun};
use crate::setup::{OpenMemory, Setup};
use crate::terminal::{OutputFormat, Terminal};
use crate::text_page::TextPage;
use clap::Args;
use model::JsonMap;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  quipu forget 17
  quipu forget --query \"old address\"
  quipu forget 17 18 --yes";

/// Erase memories permanently and print a receipt
///
/// A memory is erased with its history, from the store, search, vectors, links, tables and
/// entities. Only a hash of the text remains, so that it is not stored again unnoticed. You see
/// what would be erased and are asked to confirm. Earlier backups still contain it.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ForgetArgs {
    /// Ids of the memories to erase
    #[arg(
        value_name = "ID",
        required_unless_present = "query",
        value_parser = id_argument::memory_id
    )]
    ids: Vec<i64>,
    /// Search for memories and choose which ones to erase
    #[arg(long, value_name = "WORDS", conflicts_with_all = ["ids", "yes"])]
    query: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Only show what would be erased
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// Result of the tool `forget`.
#[derive(Debug, Deserialize)]
struct ForgetOutput {
    #[serde(default)]
    forgotten: Vec<i64>,
    #[serde(default)]
    would_forget: Vec<MemoryOutput>,
    #[serde(default)]
    receipt: BTreeMap<String, usize>,
    owed: Option<String>,
    #[serde(default)]
    remade_episodes: Vec<i64>,
    #[serde(default)]
    also_say_this: Vec<MemoryOutput>,
    #[serde(default)]
    newer_value_stays: Vec<MemoryOutput>,
}

impl ForgetArgs {
    /// Erases the memories after confirmation.
    ///
    /// # Errors
    /// Fails when the tool fails, or it was not confirmed.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let answer =
            setup.with_memory(async |memory| self.choose_and_forget(setup, memory).await).await?;
        let mut page = TextPage::new(setup.terminal);
        render::parse_result::<ForgetOutput>(&answer)?.render(&mut page);
        Ok(CommandOutput::new(answer, page))
    }

    async fn choose_and_forget(
        &self,
        setup: &Setup,
        memory: &OpenMemory,
    ) -> Result<Value, Problem> {
        if self.yes {
            return memory.call_tool("forget", ids_argument(&self.ids)).await;
        }
        let result = memory.call_tool("forget", self.preview_arguments()).await?;
        let preview: ForgetOutput = render::parse_result(&result)?;
        if self.dry_run || preview.would_forget.is_empty() {
            return Ok(result);
        }
        if setup.terminal.format == OutputFormat::Json || !stdin_is_terminal() {
            // Nobody can be asked. A search just lists its matches; given ids need --yes.
            return if self.query.is_some() { Ok(result) } else { Err(unconfirmed()) };
        }
        let mut page = TextPage::new(setup.terminal);
        preview.render(&mut page);
        Terminal::print(&page.into_text())?;
        let chosen = self.prompt_for_ids(&preview)?;
        if chosen.is_empty() {
            return Err(Problem::refused(
                "nothing was erased",
                "Answer y, or enter the ids to erase.",
            ));
        }
        memory.call_tool("forget", ids_argument(&chosen)).await
    }

    fn preview_arguments(&self) -> JsonMap {
        match &self.query {
            Some(query) => JsonMap::from_iter([("query".to_owned(), query.as_str().into())]),
            None => {
                let mut arguments = ids_argument(&self.ids);
                arguments.insert("dry_run".into(), true.into());
                arguments
            }
        }
    }

    /// Asks the user at the terminal which memories to erase. After a search each id must be typed,
    /// because a search also finds memories that are merely similar.
    fn prompt_for_ids(&self, preview: &ForgetOutput) -> Result<Vec<i64>, Problem> {
        let found: Vec<i64> = preview.would_forget.iter().map(|memory| memory.id).collect();
        if self.query.is_none() {
            let count = count_with_noun(found.len(), "memory", "memories");
            let answer = prompt(&format!("Erase {count} permanently? [y/N]"))?;
            let yes = matches!(answer.to_lowercase().as_str(), "y" | "yes");
            return Ok(if yes { self.ids.clone() } else { Vec::new() });
        }
        let answer = prompt("Ids to erase (empty to keep all):")?;
        let words = answer.split([' ', ',']).filter(|word| !word.is_empty());
        let chosen: Option<Vec<i64>> =
            words.map(|word| word.parse().ok().filter(|id| found.contains(id))).collect();
        chosen.ok_or_else(|| {
            Problem::usage(format!("`{answer}` is not in the list"), "Enter ids from the list.")
        })
    }
}

fn ids_argument(ids: &[i64]) -> JsonMap {
    JsonMap::from_iter([("ids".to_owned(), json!(ids))])
}

fn unconfirmed() -> Problem {
    Problem::refused("nothing was erased, because it was not confirmed", "Pass the ids and --yes.")
}

impl ForgetOutput {
    fn render(&self, page: &mut TextPage) {
        for memory in &self.would_forget {
            memory.render(page);
        }
        if !self.would_forget.is_empty() {
            page.blank().add_text("Nothing has been erased yet.");
        } else if self.forgotten.is_empty() {
            page.add_text("No memories match; nothing was erased.");
        }
        if !self.forgotten.is_empty() {
            let ids: Vec<String> = self.forgotten.iter().map(ToString::to_string).collect();
            let ids = ids.join(", ");
            page.add_text(&if self.receipt.is_empty() {
                format!("Erased before: {ids}. Nothing was left to remove.")
            } else {
                format!("Erased permanently: {ids}. Removed:")
            });
            let removed: Vec<(&str, String)> = self
                .receipt
                .iter()
                .map(|(place, count)| (place.as_str(), count.to_string()))
                .collect();
            page.pairs(&removed);
            page.add_text("Earlier backups still contain it.");
            if let Some(note) = &self.owed {
                page.add_text(note);
            }
        }
        if !self.remade_episodes.is_empty() {
            let ids: Vec<String> = self.remade_episodes.iter().map(ToString::to_string).collect();
            let what = if self.forgotten.is_empty() {
                "Episodes that quote it and would be made again"
            } else {
                "Episodes made again without it"
            };
            page.add_text(&format!("{what}: {}.", ids.join(", ")));
        }
        if !self.newer_value_stays.is_empty() {
            page.blank().add_text("This was said later with another value, and stays:");
            self.newer_value_stays.iter().for_each(|memory| memory.render(page));
        }
        if !self.also_say_this.is_empty() {
            page.blank().add_text("These contain the same text and stay unless you erase them:");
            self.also_say_this.iter().for_each(|memory| memory.render(page));
        }
    }
}
