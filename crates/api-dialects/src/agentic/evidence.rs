//! `memory_evidence`: returns the memories about something in full, with their edges.

use super::{Effect, shown};
use crate::{Tool, arguments};
use engine::similar::{Alike, Likeness, Similar};
use engine::ties::Ties;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of results.
const RESULTS: usize = 10;
/// Minimum similarity of evidence.
const FROM: f32 = 0.3;

/// Arguments of `memory_evidence`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Text to find evidence for.
    query: String,
    /// Maximum results; default 10.
    max_results: Option<usize>,
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments>(
        "memory_evidence",
        "Evidence",
        "The memories about something, in full: content, times, session, usage and edges. \
         Example: {\"query\": \"why did we leave MongoDB\", \"max_results\": 3}",
        "query: string, count: integer, evidence: objects",
        Effect::Reads,
    )
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = Similar {
        to: Likeness::Text(arguments.query.clone()),
        kinds: Vec::new(),
        min: FROM,
        limit: arguments.max_results.unwrap_or(RESULTS),
    };
    let alike = engine.memories().similar(caller, &input).await?;
    let ids: Vec<MemoryId> = alike.iter().map(|one| one.memory.id).collect();
    let links = engine.graph().ties(caller, &ids).await?;
    let evidence: Vec<Value> =
        alike.iter().zip(&links).map(|(one, links)| piece(engine, one, links)).collect();
    Ok(json!({ "query": arguments.query, "count": evidence.len(), "evidence": evidence }))
}

fn piece(engine: &Engine, alike: &Alike, links: &Ties) -> Value {
    let memory = &alike.memory;
    let mut shown = shown::with_life(shown::found(memory), engine, memory);
    // A node that no call has returned yet was last accessed when it was created.
    let used = memory.access.last.unwrap_or(memory.valid_from);
    shown.insert("last_accessed".into(), used.0.into());
    shown.insert("score".into(), shown::number(alike.likeness));
    shown.insert("matched_terms".into(), json!(alike.shared));
    shown.insert("outgoing_edges".into(), links.outgoing.iter().map(shown::edge).collect());
    shown.insert("incoming_edges".into(), links.incoming.iter().map(shown::edge).collect());
    let source =
        memory.session.map_or_else(|| "no session".to_owned(), |id| format!("session:{id}"));
    shown.insert("source".into(), source.into());
    Value::Object(shown)
}
