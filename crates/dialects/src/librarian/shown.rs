//! How memories and handoffs are shown under the contract's names.

pub(super) use crate::fields::{listed, notes, optional};
use model::{Handoff, JsonMap, Memory};
use serde_json::{Value, json};

/// Where the words of a confidence are kept.
pub(super) const CONFIDENCE_NOTE: &str = "confidence";

/// Whether an answer tells the id of each memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// Yes.
    Told,
    /// No: they cost tokens, and only a flag needs them.
    LeftOut,
}

/// A memory.
pub(super) fn memory(memory: &Memory, ids: Ids) -> JsonMap {
    let mut shown = JsonMap::new();
    if ids == Ids::Told {
        shown.insert("id".into(), memory.id.to_string().into());
    }
    optional(&mut shown, "title", memory.title.as_deref().map(Value::from));
    shown.insert("body".into(), memory.text.as_str().into());
    optional(&mut shown, "tags", (!memory.tags.is_empty()).then(|| json!(memory.tags)));
    optional(&mut shown, "applies_to", (!memory.applies_to.is_empty()).then(|| json!(memory.applies_to)));
    optional(&mut shown, "confidence", memory.metadata.get(CONFIDENCE_NOTE).cloned());
    shown.insert("agent_id".into(), memory.provenance.author.agent.as_str().into());
    shown.insert("created_at".into(), memory.provenance.at.to_string().into());
    optional(&mut shown, "flags", (memory.flags > 0).then(|| memory.flags.into()));
    shown
}

/// A handoff without its document.
pub(super) fn handoff(handoff: &Handoff) -> JsonMap {
    let mut shown = JsonMap::new();
    shown.insert("handoff_id".into(), handoff.id.to_string().into());
    shown.insert("title".into(), handoff.title.as_str().into());
    for (name, value) in [
        ("project_key", &handoff.project),
        ("cwd", &handoff.cwd),
        ("harness", &handoff.harness),
        ("source_ref", &handoff.source_ref),
    ] {
        optional(&mut shown, name, value.as_deref().map(Value::from));
    }
    optional(&mut shown, "tags", (!handoff.tags.is_empty()).then(|| json!(handoff.tags)));
    shown.insert("created_by".into(), handoff.created_by.as_str().into());
    shown.insert("created_at".into(), handoff.created_at.to_string().into());
    shown
}

/// What was sent and not used.
pub(super) fn ignored(fields: impl IntoIterator<Item = (&'static str, String)>) -> Vec<Value> {
    fields.into_iter().map(|(field, why)| json!({"field": field, "why": why})).collect()
}

/// What is said of an `agent_id` that a caller sent.
pub(super) fn agent_ignored(
    given: Option<&String>,
    caller: &engine::Caller,
) -> Option<(&'static str, String)> {
    let own = &caller.author.agent;
    let other = given.filter(|given| given.trim() != own.as_str())?;
    let other: String = other.chars().take(100).collect();
    Some(("agent_id", format!("who calls is known from the connection: {own}, not {other}")))
}
