//! `memory_evidence`: returns the memories about something in full, with their edges.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::links::MemoryLinks;
use engine::similar::{SimilarMemory, SimilarRequest, SimilarityTarget};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of results.
const DEFAULT_RESULTS: usize = 10;
/// Minimum similarity of evidence.
const MIN_SIMILARITY: f32 = 0.3;

/// Arguments of `memory_evidence`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Text to find evidence for.
    query: String,
    /// Maximum results.
    #[schemars(extend("default" = 10))]
    max_results: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_evidence",
    title: "Evidence",
    description: "The memories about something, in full: content, times, session, usage and edges. \
                  Example: {\"query\": \"why did we leave MongoDB\", \"max_results\": 3}",
    input: arguments::schema::<Arguments>,
    output: "query: string, count: integer, evidence: objects",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = SimilarRequest {
        to: SimilarityTarget::Text(arguments.query.clone()),
        kinds: Vec::new(),
        min: MIN_SIMILARITY,
        limit: arguments.max_results.unwrap_or(DEFAULT_RESULTS),
        // A quote is no evidence beside the memory that it was taken from.
        sources_only: true,
    };
    let alike = engine.memories().similar(caller, &input).await?;
    let ids: Vec<MemoryId> = alike.iter().map(|one| one.memory.id).collect();
    let links = engine.graph().links_of(caller, &ids).await?;
    let mut evidence: Vec<Value> =
        alike.iter().zip(&links).map(|(one, links)| render_evidence(engine, one, links)).collect();
    render::mark_hits(engine, caller, &alike, &mut evidence).await?;
    Ok(json!({ "query": arguments.query, "count": evidence.len(), "evidence": evidence }))
}

fn render_evidence(engine: &Engine, alike: &SimilarMemory, links: &MemoryLinks) -> Value {
    let memory = &alike.memory;
    let mut shown = render::add_usage(render::search_hit(memory), engine, memory);
    shown.insert("last_accessed".into(), render::last_accessed(memory));
    shown.insert("score".into(), render::rounded(alike.similarity));
    shown.insert("matched_terms".into(), json!(alike.shared));
    shown.insert("outgoing_edges".into(), links.outgoing.iter().map(render::edge).collect());
    shown.insert("incoming_edges".into(), links.incoming.iter().map(render::edge).collect());
    let source =
        memory.session.map_or_else(|| "no session".to_owned(), |id| format!("session:{id}"));
    shown.insert("source".into(), source.into());
    Value::Object(shown)
}
