//! `memory_workspace_compare`: how a topic appears in each memory of a workspace.

use super::source::Search;
use super::{Asked, SPEAKS_OF};
use crate::agentic::Effect;
use crate::{Tool, arguments};
use model::{Failure, JsonMap, Workspace, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// How many matches of each memory come when nobody says.
const EACH: usize = 5;

/// Arguments of `memory_workspace_compare`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The workspace, such as ws_1.
    workspace_id: String,
    /// The topic to compare.
    item: String,
    /// How many matches of each memory at most, default 5.
    max_per_context: Option<usize>,
}

pub(super) fn tool() -> Tool {
    crate::agentic::tool::<Arguments>(
        "memory_workspace_compare",
        "Compare in a workspace",
        "What each memory of a workspace says of a topic, and which say nothing. \
         Example: {\"workspace_id\": \"ws_1\", \"item\": \"database\"}",
        "item: string, found_in: strings, missing_from: strings, details: objects, unreadable?: strings",
        Effect::Reads,
    )
}

pub(super) async fn call(asked: &Asked<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let workspace = asked.workspace(&arguments.workspace_id).await?;
    let limit = arguments.max_per_context.unwrap_or(EACH).clamp(1, limits::PAGE);
    let spoken = Spoken::of(asked, &workspace, &arguments.item, limit).await?;
    let mut answer = json!({
        "item": arguments.item,
        "found_in": spoken.labels(true),
        "missing_from": spoken.labels(false),
        "details": spoken.details(),
    });
    spoken.note_unreadable(&mut answer);
    Ok(answer)
}

/// What each memory of a workspace says of a topic.
pub(super) struct Spoken {
    /// The label of each that could be read, and what it says.
    said: Vec<(String, Vec<Value>)>,
    unreadable: Vec<String>,
}

impl Spoken {
    /// Asks every memory.
    pub async fn of(
        asked: &Asked<'_>,
        workspace: &Workspace,
        item: &str,
        limit: usize,
    ) -> Result<Self, Failure> {
        limits::bytes("item", item, limits::QUERY_BYTES)?;
        if item.trim().is_empty() {
            return Err(Failure::invalid("item is empty; name a topic"));
        }
        let search = Search { query: item, least: SPEAKS_OF, limit };
        let mut spoken = Self { said: Vec::new(), unreadable: Vec::new() };
        for context in &workspace.contexts {
            match asked.sources.search(asked.engine, asked.caller, &context.source, &search).await {
                Ok(matches) => spoken.said.push((context.label.clone(), matches)),
                Err(failure) => {
                    spoken.unreadable.push(format!("{}: {}", context.label, failure.message))
                }
            }
        }
        Ok(spoken)
    }

    /// The labels of those that speak of it, or of those that do not.
    pub fn labels(&self, speak: bool) -> Vec<&str> {
        let wanted = self.said.iter().filter(|(_, matches)| matches.is_empty() != speak);
        wanted.map(|(label, _)| label.as_str()).collect()
    }

    /// How many could be read.
    pub fn readable(&self) -> usize {
        self.said.len()
    }

    /// Names those that could not be read.
    pub fn note_unreadable(&self, answer: &mut Value) {
        if !self.unreadable.is_empty() {
            answer["unreadable"] = json!(self.unreadable);
        }
    }

    fn details(&self) -> Vec<Value> {
        let speaking = self.said.iter().filter(|(_, matches)| !matches.is_empty());
        speaking.map(|(label, matches)| json!({ "context": label, "matches": matches })).collect()
    }
}
