//! `memory_suggest`: finds the nearest memories when nothing matches exactly.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::suggest::SuggestRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of suggestions.
const DEFAULT_SUGGESTIONS: usize = 5;

/// Arguments of `memory_suggest`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Something half remembered.
    query: String,
    /// Maximum suggestions.
    #[schemars(extend("default" = 5))]
    limit: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_suggest",
    title: "Suggest memories",
    description: "Find the nearest memories to something that is not known in your words: \
                  misspelt or misremembered names, related facts. \
                  Example: {\"query\": \"deploys on Wednesday\"}",
    input: arguments::schema::<Arguments>,
    output: "query: string, count: integer, suggestions: objects",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = SuggestRequest {
        text: arguments.query.clone(),
        limit: arguments.limit.unwrap_or(DEFAULT_SUGGESTIONS),
        sources_only: false,
    };
    let alike = engine.memories().suggest(caller, &input).await?;
    let suggestions = alike.iter().map(|one| {
        let mut shown = render::search_hit(&one.memory);
        shown.insert("relevance_score".into(), render::rounded(one.similarity));
        shown.insert("matched_terms".into(), json!(one.shared));
        Value::Object(shown)
    });
    let mut suggestions: Vec<Value> = suggestions.collect();
    render::mark_hits(engine, caller, &alike, &mut suggestions).await?;
    Ok(json!({ "query": arguments.query, "count": suggestions.len(), "suggestions": suggestions }))
}
