//! `quipu forget`: shows what would be erased, asks for confirmation, and erases it with a receipt.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::{asked, somebody_is_there};
use crate::page::Page;
use crate::screen::{Form, Screen};
use crate::setup::{Opened, Setup};
use crate::shown::{self, Memory, counted};
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
pub struct Forget {
    /// Ids of the memories to erase
    #[arg(value_name = "ID", required_unless_present = "query")]
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
struct Forgotten {
    #[serde(default)]
    forgotten: Vec<i64>,
    #[serde(default)]
    would_forget: Vec<Memory>,
    #[serde(default)]
    receipt: BTreeMap<String, usize>,
}

impl Forget {
    /// Erases the memories after confirmation.
    ///
    /// # Errors
    /// When the tool fails, or it was not confirmed.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let answer =
            setup.with_memory(async |memory| self.choose_and_forget(setup, memory).await).await?;
        let mut page = Page::new(setup.screen);
        shown::read::<Forgotten>(&answer)?.write(&mut page);
        Ok(Answer::new(answer, page))
    }

    async fn choose_and_forget(&self, setup: &Setup, memory: &Opened) -> Result<Value, Problem> {
        if self.yes {
            return memory.ask("forget", naming(&self.ids)).await;
        }
        let result = memory.ask("forget", self.look()).await?;
        let preview: Forgotten = shown::read(&result)?;
        if self.dry_run || preview.would_forget.is_empty() {
            return Ok(result);
        }
        if setup.screen.form == Form::Json || !somebody_is_there() {
            // Nobody can be asked. A search just lists its matches; given ids need --yes.
            return if self.query.is_some() { Ok(result) } else { Err(unconfirmed()) };
        }
        let mut page = Page::new(setup.screen);
        preview.write(&mut page);
        Screen::print(&page.into_text())?;
        let chosen = self.chosen(&preview)?;
        if chosen.is_empty() {
            return Err(Problem::refused(
                "nothing was erased",
                "Answer y, or enter the ids to erase.",
            ));
        }
        memory.ask("forget", naming(&chosen)).await
    }

    fn look(&self) -> JsonMap {
        match &self.query {
            Some(query) => JsonMap::from_iter([("query".to_owned(), query.as_str().into())]),
            None => {
                let mut arguments = naming(&self.ids);
                arguments.insert("dry_run".into(), true.into());
                arguments
            }
        }
    }

    /// Asks the user at the terminal which memories to erase. After a search each id must be typed,
    /// because a search also finds memories that are merely similar.
    fn chosen(&self, preview: &Forgotten) -> Result<Vec<i64>, Problem> {
        let found: Vec<i64> = preview.would_forget.iter().map(|memory| memory.id).collect();
        if self.query.is_none() {
            let count = counted(found.len(), "memory", "memories");
            let answer = asked(&format!("Erase {count} permanently? [y/N]"))?;
            let yes = matches!(answer.to_lowercase().as_str(), "y" | "yes");
            return Ok(if yes { self.ids.clone() } else { Vec::new() });
        }
        let answer = asked("Ids to erase (empty to keep all):")?;
        let words = answer.split([' ', ',']).filter(|word| !word.is_empty());
        let chosen: Option<Vec<i64>> =
            words.map(|word| word.parse().ok().filter(|id| found.contains(id))).collect();
        chosen.ok_or_else(|| {
            Problem::usage(format!("`{answer}` is not in the list"), "Enter ids from the list.")
        })
    }
}

fn naming(ids: &[i64]) -> JsonMap {
    JsonMap::from_iter([("ids".to_owned(), json!(ids))])
}

fn unconfirmed() -> Problem {
    Problem::refused("nothing was erased, because it was not confirmed", "Pass the ids and --yes.")
}

impl Forgotten {
    fn write(&self, page: &mut Page) {
        for memory in &self.would_forget {
            memory.write(page);
        }
        if !self.would_forget.is_empty() {
            page.blank().say("Nothing was erased yet.");
        } else if self.forgotten.is_empty() {
            page.say("No memories match; nothing was erased.");
        }
        if !self.forgotten.is_empty() {
            let ids: Vec<String> = self.forgotten.iter().map(ToString::to_string).collect();
            page.say(&format!("Erased permanently: {}. Removed:", ids.join(", ")));
            let removed: Vec<(&str, String)> = self
                .receipt
                .iter()
                .map(|(place, count)| (place.as_str(), count.to_string()))
                .collect();
            page.pairs(&removed);
            page.say("Earlier backups still contain it.");
        }
    }
}
