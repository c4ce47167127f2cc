//! `references`: searches the owner's long documents, which `recall` never returns.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::references::ReferenceHit;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Page};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum number of tokens shown of a section.
const SECTION_TOKENS: usize = 400;

/// Arguments of `references`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Omit to list the documents.
    query: Option<String>,
    #[schemars(extend("default" = 5))]
    limit: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "references",
    title: "References",
    description: "Search the owner's long documents: specs, manuals, design notes, docs. \
                  recall never returns them. Returns path, heading and the matching section. \
                  Example: {\"query\": \"how are invoices numbered?\"}",
    input: arguments::short_schema::<Arguments>,
    output: "sections?: objects, documents?: objects, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    match arguments.query.as_deref().filter(|query| !query.trim().is_empty()) {
        Some(query) => search(engine, caller, query, arguments.limit).await,
        None => list(engine, caller, arguments.limit.unwrap_or(50)).await,
    }
}

async fn search(
    engine: &Engine,
    caller: &Caller,
    query: &str,
    limit: Option<usize>,
) -> Result<Value, Failure> {
    let hits = engine.references().search(caller, query, limit).await?;
    let mut answer = JsonMap::from_iter([(
        "sections".to_owned(),
        hits.iter().map(|hit| render_hit(hit, query)).collect(),
    )]);
    let hint = hits.is_empty().then(|| "no document matches; omit the query to list them".into());
    render::insert_some(&mut answer, "hint", hint);
    Ok(Value::Object(answer))
}

fn render_hit(found: &ReferenceHit, query: &str) -> Value {
    json!({
        "path": found.hit.path,
        "heading": found.hit.section.heading.join(" > "),
        "text": found.passage(query, SECTION_TOKENS)
    })
}

async fn list(engine: &Engine, caller: &Caller, limit: usize) -> Result<Value, Failure> {
    let listing = engine.references().list(caller, Page::first(limit)).await?;
    let documents = listing.items.iter().map(|reference| {
        json!({
            "path": reference.path,
            "title": reference.title,
            "sections": reference.sections,
        })
    });
    let mut answer = JsonMap::from_iter([("documents".to_owned(), documents.collect())]);
    let hint = match (listing.items.len(), listing.total) {
        (0, _) => {
            Some("no documents yet; the owner adds them with quipu reference add DIR".to_owned())
        }
        (shown, total) if shown < total => {
            Some(format!("{shown} of {total} documents listed; raise limit to list more"))
        }
        _ => None,
    };
    render::insert_some(&mut answer, "hint", hint.map(Value::from));
    Ok(Value::Object(answer))
}
