//! `quipu remember`: stores a text, a table row, profile fields, or every line of a stream.

mod each_line;

use super::kind_argument::misspelt_kind;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::input::{json_object, read_text, tool_arguments};
use crate::render::{self, RememberOutput};
use crate::setup::Setup;
use crate::text_page::{Style, TextPage};
use clap::Args;
use model::{JsonMap, LinkKind, limits};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  quipu remember -k decision \"We chose PostgreSQL for its row-level security.\"
  quipu remember --table meals --data '{\"food\": \"pizza\", \"calories\": 800}'
  quipu remember --profile '{\"diet\": \"vegan\"}'
  git log -1 --format=%B | quipu remember --kind note --tag release
  quipu remember --each-line < facts.txt";

/// Remember a decision, fact, preference, table row or profile field
///
/// The text is taken from the arguments, or from standard input if there are none. Every agent can
/// recall it immediately. Prints the id of the memory, whether it existed already, and what it
/// contradicts.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RememberArgs {
    /// Text to remember: one idea, in a self-contained sentence
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    #[command(flatten)]
    details: RememberDetails,
    /// Assign it to no project, even inside a checkout
    #[arg(long, conflicts_with = "project")]
    everywhere: bool,
    /// Store every line of standard input as a memory, printing its id once it is on disk
    #[arg(long, conflicts_with_all = ["text", "table", "profile", "idempotency_key"])]
    each_line: bool,
}

/// Attributes of a memory, under the parameter names of the tool `remember`.
#[derive(Debug, Clone, Args, Serialize)]
struct RememberDetails {
    /// Short title
    #[arg(long)]
    title: Option<String>,
    /// fact, decision, preference, inference, skill, episode, note or a custom kind [default: note]
    #[arg(long, short)]
    kind: Option<String>,
    /// Tag; can be repeated
    #[arg(long = "tag", short, value_name = "TAG")]
    tags: Vec<String>,
    /// Project it belongs to [default: the current checkout]
    #[arg(long, short, value_name = "NAME")]
    project: Option<String>,
    /// Session it belongs to, by id or key
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Priority, from 1 (highest) to 5 [default: 3]
    #[arg(long, value_name = "1-5")]
    priority: Option<u8>,
    /// Confidence, from 0 to 1 [default: 0.9]
    #[arg(long, value_name = "0-1")]
    confidence: Option<f32>,
    /// Link to another memory, such as caused_by:17; can be repeated
    #[arg(long = "link", value_name = "KIND:ID", value_parser = link)]
    links: Vec<LinkArg>,
    /// Id of a memory it replaces; can be repeated
    #[arg(long, value_name = "ID", value_parser = id_argument::memory_id)]
    supersedes: Vec<i64>,
    /// Date after which it no longer holds, such as 2026-05-03
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
    /// Date it refers to [default: today]
    #[arg(long, value_name = "DATE")]
    when: Option<String>,
    /// Table to add --data to; created on first use
    #[arg(long, value_name = "NAME", requires = "data")]
    table: Option<String>,
    /// Table row to add, as a JSON object
    #[arg(long, value_name = "JSON", requires = "table", value_parser = json_object)]
    data: Option<JsonMap>,
    /// Profile fields to change, as a JSON object; null removes a field
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    profile: Option<JsonMap>,
    /// Origin, if not you: inferred, or outside for quoted text
    #[arg(long, value_name = "inferred|outside")]
    source: Option<String>,
    /// Key that makes retries safe: the same key is written only once
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Store it even if this text was forgotten before
    #[arg(long)]
    allow_forgotten: bool,
}

#[derive(Debug, Clone, Serialize)]
struct LinkArg {
    to: i64,
    kind: &'static str,
}

fn link(text: &str) -> Result<LinkArg, String> {
    let (kind, to) = text.split_once(':').ok_or("expected KIND:ID, such as caused_by:17")?;
    let known = || LinkKind::ALL.map(LinkKind::name).join(", ");
    let kind = LinkKind::parse(kind)
        .ok_or_else(|| format!("`{kind}` is not a link kind; use {}", known()))?;
    let to = id_argument::memory_id(to)?;
    Ok(LinkArg { to, kind: kind.name() })
}

impl RememberArgs {
    /// Stores the memory, or every line of standard input as one.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let given = tool_arguments(&self.details)?;
        if self.each_line {
            return each_line::remember_lines(setup, &given, self.everywhere).await;
        }
        // A row or a profile change needs no text, so standard input is not read for one.
        let text_optional = self.details.table.is_some() || self.details.profile.is_some();
        let text = if text_optional && self.text.is_empty() {
            None
        } else {
            read_text(&self.text, limits::TEXT_BYTES)?
        };
        if text.is_none() && !text_optional {
            return Err(Problem::usage(
                "there is nothing to remember",
                "Pass a text: quipu remember \"We chose Postgres.\"",
            ));
        }
        let answer = setup.with_memory(async |memory| {
            let memory = if self.everywhere { &memory.outside_projects() } else { memory };
            memory.call_tool("remember", with_text(given, text)).await
        });
        let answer = answer.await?;
        let mut page = TextPage::new(setup.terminal);
        render::parse_result::<RememberOutput>(&answer)?.render(&mut page);
        if let Some(meant) = self.details.kind.as_deref().and_then(misspelt_kind) {
            page.paragraph(0, Style::Warn, &meant);
        }
        Ok(CommandOutput::new(answer, page))
    }
}

fn with_text(mut given: JsonMap, text: Option<String>) -> JsonMap {
    given.extend(text.map(|text| ("text".to_owned(), text.into())));
    given
}
