//! How nodes and edges are shown: under the names of the contract, with what else is known beside
//! them.

use engine::remember::ConflictSeen;

use engine::{Edge, Engine};
use model::{JsonMap, Memory, SessionId, Status};
use serde_json::{Value, json};

/// A node: its number, type, content, confidence, session and time.
pub(super) fn node(memory: &Memory) -> JsonMap {
    described("id", memory)
}

/// A node that a search found; it calls the number `node_id`.
pub(super) fn found(memory: &Memory) -> JsonMap {
    described("node_id", memory)
}

/// A node with how alive it is and how often it was used.
pub(super) fn living(engine: &Engine, memory: &Memory) -> JsonMap {
    with_life(node(memory), engine, memory)
}

/// Adds how alive a node is and how often it was used.
pub(super) fn with_life(mut shown: JsonMap, engine: &Engine, memory: &Memory) -> JsonMap {
    shown.insert("decay_score".into(), number(engine.memories().decay(memory)));
    shown.insert("access_count".into(), memory.access.count.into());
    shown
}

fn described(number_is: &str, memory: &Memory) -> JsonMap {
    let mut shown = JsonMap::new();
    shown.insert(number_is.to_owned(), memory.id.0.into());
    shown.insert("event_type".into(), memory.kind.as_str().into());
    shown.insert("content".into(), memory.text.as_str().into());
    shown.insert("confidence".into(), number(memory.confidence));
    shown.insert("session_id".into(), session(memory.session));
    shown.insert("created_at".into(), memory.valid_from.0.into());
    let mut beside = |name: &str, value: Option<Value>| {
        value.map(|value| shown.insert(name.to_owned(), value));
    };
    beside("title", memory.title.as_deref().map(Value::from));
    beside("status", (memory.status != Status::Active).then(|| memory.status.name().into()));
    beside("metadata", (!memory.metadata.is_empty()).then(|| json!(memory.metadata)));
    shown
}

/// An edge.
pub(super) fn edge(edge: &Edge) -> Value {
    json!({
        "source_id": edge.source.0,
        "target_id": edge.target.0,
        "edge_type": edge.kind.name(),
        "weight": number(edge.weight),
    })
}

/// What cannot hold beside a node, and why.
pub(super) fn conflicts(seen: &[ConflictSeen]) -> Value {
    let conflict = |one: &ConflictSeen| json!({"node_id": one.memory.0, "content": preview(&one.text), "reason": one.reason});
    seen.iter().map(conflict).collect()
}

/// A session's number, or null for what belongs to none.
pub(super) fn session(session: Option<SessionId>) -> Value {
    session.map_or(Value::Null, |id| id.0.into())
}

/// A number as it was said: 0.9, not the nearest binary fraction of single precision.
pub(super) fn number(value: f32) -> Value {
    json!((f64::from(value) * 10_000.0).round() / 10_000.0)
}

/// The beginning of a text, for a list to choose from.
pub(super) fn preview(text: &str) -> String {
    const CHARACTERS: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
