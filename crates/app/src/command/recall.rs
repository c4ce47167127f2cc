//! `quipu recall`: what is known about a question, or the briefing that a new session gets.

mod briefing;

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::arguments;
use crate::page::{Page, Style};
use crate::setup::Setup;
use crate::shown::{self, Memory};
use briefing::Briefing;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const EXAMPLES: &str = "\
Examples:
  quipu recall which database for billing
  quipu recall \"what did we decide about retries?\" --kind decision --since 2026-01-01
  quipu recall --explain deploy
  quipu recall --as-of 2026-03-01 staging port
  quipu recall";

/// Recall what is known about something; without a question, what a new session is told
///
/// Any words are a question. The best matches come first, without repetitions. What was corrected,
/// rejected or has expired is not shown, unless --as-of asks what was believed then.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Recall {
    /// A question or some words, in any language
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    #[command(flatten)]
    filters: Filters,
}

/// What narrows a recall, named as the tool `recall` names it.
#[derive(Debug, Args, Serialize)]
struct Filters {
    /// Only of this project
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
    /// Only of this session, by number or key
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only of this kind; repeat it for more
    #[arg(long = "kind", short, value_name = "KIND")]
    kinds: Vec<String>,
    /// Only with this label; repeat it for more
    #[arg(long = "tag", short, value_name = "TAG")]
    tags: Vec<String>,
    /// Only from this date on, as in 2026-05-03
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only up to this date
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// What was believed on this date
    #[arg(long, value_name = "DATE")]
    as_of: Option<String>,
    /// How many at most [default: 10]
    #[arg(long, short = 'n', value_name = "1-100")]
    limit: Option<usize>,
    /// How many tokens at most, as for an agent [default: 1500]
    #[arg(long = "budget", value_name = "TOKENS")]
    budget_tokens: Option<usize>,
    /// Show how each score came about
    #[arg(long)]
    explain: bool,
}

/// What the tool answers.
#[derive(Debug, Deserialize)]
struct Recalled {
    #[serde(default)]
    memories: Vec<Memory>,
    #[serde(default)]
    left_out: usize,
    embedder: Option<String>,
    words_alone: Option<String>,
    briefing: Option<Briefing>,
}

impl Recall {
    /// Recalls.
    ///
    /// # Errors
    /// As the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let mut given = arguments(&self.filters)?;
        if !self.query.is_empty() {
            given.insert("query".into(), self.query.join(" ").into());
        }
        let answer = setup.with_memory(async |memory| memory.ask("recall", given).await).await?;
        let mut page = Page::new(setup.screen);
        write(&mut page, &answer)?;
        Ok(Answer::new(answer, page))
    }
}

/// Writes what `recall` answered on a page.
///
/// # Errors
/// When it is not what `recall` answers.
pub fn write(page: &mut Page, answer: &Value) -> Result<(), Problem> {
    let recalled: Recalled = shown::read(answer)?;
    if let Some(briefing) = recalled.briefing {
        briefing.write(page);
        return Ok(());
    }
    for (position, memory) in recalled.memories.iter().enumerate() {
        if position > 0 {
            page.blank();
        }
        memory.write(page);
    }
    if recalled.memories.is_empty() {
        page.say("Nothing is remembered about this. Other words or fewer filters may find more.");
    }
    if recalled.left_out > 0 {
        let more = format!(
            "{} more match; -n shows more of them, --budget longer texts.",
            recalled.left_out
        );
        page.blank().paragraph(0, Style::Faint, &more);
    }
    if let Some(embedder) = recalled.embedder {
        page.blank().paragraph(0, Style::Faint, &format!("embedder: {embedder}"));
    }
    if let Some(why) = recalled.words_alone {
        page.paragraph(0, Style::Faint, &format!("Words alone answered: {why}"));
    }
    Ok(())
}
