//! `search_references`: searches the owner's long documents, which `recall` never returns.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::references::ReferenceHit;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of documents.
const DEFAULT_LIMIT: i64 = 12;
/// Maximum value of `limit`.
const LIMIT_MAX: f64 = 100.0;
/// Maximum number of tokens of a section. A longer section is cut to the passage that matches.
const SECTION_TOKENS: usize = 600;

/// Arguments of `search_references`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Topic to look up.
    query: String,
    /// Maximum documents, 1-100.
    #[schemars(extend("default" = 12))]
    limit: Option<i64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "search_references",
    title: "Search references",
    description: "Search the owner's long documents: specs, manuals, design notes. recall \
                  never returns them, so look here when a task needs that depth. Returns \
                  path, heading and the matching section, or passage of a long section. \
                  Example: {\"query\": \"how are invoices numbered?\"}",
    input: arguments::open_schema::<Arguments>,
    output: "references: objects, hint?: string, ignored?: objects",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = render::take_ignored_arguments(&mut given, &[], caller);
    let arguments: Arguments = arguments::read(given)?;
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT);
    limits::range("limit", limit as f64, 1.0, LIMIT_MAX)?;
    let hits =
        engine.references().search(caller, &arguments.query, usize::try_from(limit).ok()).await?;
    let mut answer = JsonMap::from_iter([(
        "references".to_owned(),
        hits.iter().map(|hit| render_hit(hit, &arguments.query)).collect(),
    )]);
    let hint = hits.is_empty().then_some(
        "no document matches; the owner adds them to the references directory or with \
         quipu reference add",
    );
    render::insert_some(&mut answer, "hint", hint.map(Value::from));
    render::insert_non_empty(&mut answer, "ignored", ignored);
    Ok(Value::Object(answer))
}

fn render_hit(found: &ReferenceHit, query: &str) -> Value {
    let heading = found.hit.section.heading.join(" > ");
    let section = found.passage(query, SECTION_TOKENS);
    json!({"path": found.hit.path, "heading": heading, "section": section})
}
