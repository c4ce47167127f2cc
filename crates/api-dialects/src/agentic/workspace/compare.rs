//! `memory_workspace_compare`: shows what each memory of a workspace says about a topic.

use super::sources::SourceSearch;
use super::{TOPIC_SCORE_MIN, WorkspaceAccess};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use model::{Failure, JsonMap, Workspace, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of matches per memory.
const DEFAULT_PER_CONTEXT: usize = 5;

/// Arguments of `memory_workspace_compare`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the workspace, such as ws_1.
    workspace_id: String,
    /// Topic to compare.
    item: String,
    /// Maximum matches per memory.
    #[schemars(extend("default" = 5))]
    max_per_context: Option<usize>,
}

pub(crate) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_workspace_compare",
    title: "Compare in a workspace",
    description: "Show what each memory of a workspace says about a topic, and which say nothing. \
                  Example: {\"workspace_id\": \"ws_1\", \"item\": \"database\"}",
    input: arguments::schema::<Arguments>,
    output: "item: string, found_in: strings, missing_from: strings, details: objects, \
             unreadable?: strings",
    always_load: false,
};

pub(crate) async fn call(access: &WorkspaceAccess<'_>, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let workspace = access.workspace(&arguments.workspace_id).await?;
    let limit =
        arguments.max_per_context.unwrap_or(DEFAULT_PER_CONTEXT).clamp(1, limits::PAGE_ITEMS);
    let mentions = TopicMentions::search(access, &workspace, &arguments.item, limit).await?;
    let mut answer = json!({
        "item": arguments.item,
        "found_in": mentions.present_in(),
        "missing_from": mentions.absent_from(),
        "details": mentions.details(),
    });
    mentions.note_unreadable(&mut answer);
    Ok(answer)
}

/// Matches for a topic in each memory of a workspace.
pub(super) struct TopicMentions {
    /// Label and matches of each readable memory.
    by_context: Vec<(String, Vec<Value>)>,
    unreadable: Vec<String>,
}

impl TopicMentions {
    /// Searches every memory of the workspace.
    pub async fn search(
        access: &WorkspaceAccess<'_>,
        workspace: &Workspace,
        item: &str,
        limit: usize,
    ) -> Result<Self, Failure> {
        limits::bytes("item", item, limits::QUERY_BYTES)?;
        let search = SourceSearch { query: item, min_score: TOPIC_SCORE_MIN, limit };
        let mut mentions = Self { by_context: Vec::new(), unreadable: Vec::new() };
        for context in &workspace.contexts {
            match access.state.search(access.engine, access.caller, &context.source, &search).await
            {
                Ok(matches) => mentions.by_context.push((context.label.clone(), matches)),
                // One unreadable source must not hide the others.
                Err(failure) => {
                    mentions.unreadable.push(format!("{}: {}", context.label, failure.message))
                }
            }
        }
        Ok(mentions)
    }

    /// Returns the labels of the memories with matches.
    pub fn present_in(&self) -> Vec<&str> {
        self.matching().map(|(label, _)| label.as_str()).collect()
    }

    /// Returns the labels of the memories without matches.
    pub fn absent_from(&self) -> Vec<&str> {
        let silent = self.by_context.iter().filter(|(_, matches)| matches.is_empty());
        silent.map(|(label, _)| label.as_str()).collect()
    }

    /// Returns the number of readable memories.
    pub fn readable(&self) -> usize {
        self.by_context.len()
    }

    /// Adds the memories that could not be read, if any.
    pub fn note_unreadable(&self, answer: &mut Value) {
        if !self.unreadable.is_empty() {
            answer["unreadable"] = json!(self.unreadable);
        }
    }

    fn details(&self) -> Vec<Value> {
        let matching = self.matching();
        matching.map(|(label, matches)| json!({ "context": label, "matches": matches })).collect()
    }

    fn matching(&self) -> impl Iterator<Item = &(String, Vec<Value>)> {
        self.by_context.iter().filter(|(_, matches)| !matches.is_empty())
    }
}
