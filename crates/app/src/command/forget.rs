//! `quipu forget`: shows what would go, asks, and erases with a receipt.

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

/// Forget memories for good, from every place, with a receipt
///
/// A memory goes with its history: from rows, search, vectors, links, tables and the entities that
/// mention it. What stays is a hash of the text, so that it is not quietly captured again. You see
/// first what would go, and are asked. Backups made earlier still hold it.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Forget {
    /// The memories to forget
    #[arg(value_name = "ID", required_unless_present = "query")]
    ids: Vec<i64>,
    /// Show what speaks of this, and choose from it
    #[arg(long, value_name = "WORDS", conflicts_with_all = ["ids", "yes"])]
    query: Option<String>,
    /// Do not ask: for scripts
    #[arg(long, short)]
    yes: bool,
    /// Only show what would go
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// What the tool answers.
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
    /// Forgets.
    ///
    /// # Errors
    /// As the tool fails, and when nobody confirmed.
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
        let looked = memory.ask("forget", self.look()).await?;
        let would: Forgotten = shown::read(&looked)?;
        if self.dry_run || would.would_forget.is_empty() {
            return Ok(looked);
        }
        if setup.screen.form == Form::Json || !somebody_is_there() {
            // A search only shows; ids want a word of confirmation.
            return if self.query.is_some() { Ok(looked) } else { Err(unconfirmed()) };
        }
        let mut page = Page::new(setup.screen);
        would.write(&mut page);
        Screen::print(&page.into_text())?;
        let chosen = self.chosen(&would)?;
        if chosen.is_empty() {
            return Err(Problem::refused(
                "nothing was forgotten",
                "Answer y, or name the numbers.",
            ));
        }
        memory.ask("forget", naming(&chosen)).await
    }

    fn look(&self) -> JsonMap {
        match &self.query {
            Some(query) => JsonMap::from_iter([("query".to_owned(), query.as_str().into())]),
            None => {
                let mut look = naming(&self.ids);
                look.insert("dry_run".into(), true.into());
                look
            }
        }
    }

    /// What the person at the terminal chose. After a search each id is to be named: what merely
    /// sounds alike is among what was found.
    fn chosen(&self, would: &Forgotten) -> Result<Vec<i64>, Problem> {
        let found: Vec<i64> = would.would_forget.iter().map(|memory| memory.id).collect();
        if self.query.is_none() {
            let question =
                format!("Forget {} for good? [y/N]", counted(found.len(), "memory", "memories"));
            let said = asked(&question)?;
            let yes = matches!(said.to_lowercase().as_str(), "y" | "yes");
            return Ok(if yes { self.ids.clone() } else { Vec::new() });
        }
        let said = asked("Forget which? Numbers, or nothing to keep all:")?;
        let words = said.split([' ', ',']).filter(|word| !word.is_empty());
        let chosen: Option<Vec<i64>> =
            words.map(|word| word.parse().ok().filter(|id| found.contains(id))).collect();
        chosen.ok_or_else(|| {
            Problem::usage(format!("`{said}` is not among them"), "Name numbers from the list.")
        })
    }
}

fn naming(ids: &[i64]) -> JsonMap {
    JsonMap::from_iter([("ids".to_owned(), json!(ids))])
}

fn unconfirmed() -> Problem {
    Problem::refused(
        "nothing was forgotten, for nobody confirmed it",
        "Name the ids and add --yes.",
    )
}

impl Forgotten {
    fn write(&self, page: &mut Page) {
        for memory in &self.would_forget {
            memory.write(page);
        }
        if !self.would_forget.is_empty() {
            page.blank().say("Nothing was removed yet.");
        } else if self.forgotten.is_empty() {
            page.say("Nothing matches; nothing was removed.");
        }
        if !self.forgotten.is_empty() {
            let ids: Vec<String> = self.forgotten.iter().map(ToString::to_string).collect();
            page.say(&format!("Forgotten for good: {}. Removed from:", ids.join(", ")));
            let places: Vec<(&str, String)> = self
                .receipt
                .iter()
                .map(|(place, count)| (place.as_str(), count.to_string()))
                .collect();
            page.pairs(&places);
            page.say("Backups made earlier still hold it.");
        }
    }
}
