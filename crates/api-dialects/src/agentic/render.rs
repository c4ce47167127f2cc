//! Rendering of nodes and edges under the names of the contract, with further fields where a memory
//! has them.

use crate::marks::{self, MarkFields};
use engine::remember::DetectedConflict;
use engine::similar::SimilarMemory;
use engine::{Caller, Engine, LinkEdge};
use model::{Failure, JsonMap, Memory, SessionId, Status};
use serde_json::{Value, json};

/// Marks of nodes; the contract has no field for flags.
pub(super) const MARKS: MarkFields = MarkFields { with_flags: true, ..marks::PLAIN };

/// Renders a node: id, type, content, confidence, session and time.
pub(super) fn node(memory: &Memory) -> JsonMap {
    describe("id", memory)
}

/// Renders a node that a search returned: the contract calls its id `node_id` there.
pub(super) fn search_hit(memory: &Memory) -> JsonMap {
    describe("node_id", memory)
}

/// Renders a node with its decay score and its number of uses.
pub(super) fn node_with_usage(engine: &Engine, memory: &Memory) -> JsonMap {
    add_usage(node(memory), engine, memory)
}

/// Adds the decay score and the number of uses.
pub(super) fn add_usage(mut shown: JsonMap, engine: &Engine, memory: &Memory) -> JsonMap {
    shown.insert("decay_score".into(), rounded(engine.memories().decay(memory)));
    shown.insert("access_count".into(), memory.access.count.into());
    shown
}

/// Renders the time of the last use. A node that no call has returned yet was last accessed when it
/// was created.
pub(super) fn last_accessed(memory: &Memory) -> Value {
    memory.access.last.unwrap_or(memory.valid_from).0.into()
}

fn describe(id_field: &str, memory: &Memory) -> JsonMap {
    let mut shown = JsonMap::new();
    shown.insert(id_field.to_owned(), memory.id.0.into());
    shown.insert("event_type".into(), memory.kind.as_str().into());
    shown.insert("content".into(), memory.text.as_str().into());
    shown.insert("confidence".into(), rounded(memory.confidence));
    shown.insert("session_id".into(), session(memory.session));
    shown.insert("created_at".into(), memory.valid_from.0.into());
    let mut optional = |name: &str, value: Option<Value>| {
        value.map(|value| shown.insert(name.to_owned(), value));
    };
    optional("title", memory.title.as_deref().map(Value::from));
    optional("agent", Some(memory.provenance.author.agent.as_str().into()));
    optional("status", (memory.status != Status::Active).then(|| memory.status.name().into()));
    optional("metadata", (!memory.metadata.is_empty()).then(|| json!(memory.metadata)));
    shown
}

/// Inserts the marks of search results into their rendered nodes.
pub(super) async fn mark_hits(
    engine: &Engine,
    caller: &Caller,
    hits: &[SimilarMemory],
    nodes: &mut [Value],
) -> Result<(), Failure> {
    let memories: Vec<Memory> = hits.iter().map(|hit| hit.memory.clone()).collect();
    marks::mark_listing(engine, caller, &memories, nodes, MARKS).await
}

/// Renders an edge.
pub(super) fn edge(edge: &LinkEdge) -> Value {
    json!({
        "source_id": edge.source.0,
        "target_id": edge.target.0,
        "edge_type": edge.kind.name(),
        "weight": rounded(edge.weight),
    })
}

/// Renders the contradictions of a node, each with the reason.
pub(super) fn conflicts(detected: &[DetectedConflict]) -> Value {
    let conflict = |one: &DetectedConflict| {
        let content = preview(&one.text);
        json!({"node_id": one.memory.0, "content": content, "reason": one.reason})
    };
    detected.iter().map(conflict).collect()
}

/// Renders the id of a session, or null.
pub(super) fn session(session: Option<SessionId>) -> Value {
    session.map_or(Value::Null, |id| id.0.into())
}

/// Rounds to four decimal places, so that 0.9 in single precision is not rendered as 0.8999999761.
pub(super) fn rounded(value: f32) -> Value {
    json!((f64::from(value) * 10_000.0).round() / 10_000.0)
}

/// Returns the beginning of a text in one line.
pub(super) fn preview(text: &str) -> String {
    const CHARACTERS: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
