//! Rendering of memories and handoffs under the names of the contract, and the report of ignored
//! arguments.

use crate::marks::{self, MarkFields};
pub(super) use crate::optional_fields::{insert_non_empty, insert_notes, insert_some};
use engine::Caller;
use model::{Claim, Handoff, JsonMap, Memory};
use serde_json::{Value, json};

/// Metadata key that holds the confidence in words.
pub(super) const CONFIDENCE_NOTE: &str = "confidence";

/// Selects whether a result includes the ids of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdVisibility {
    Shown,
    /// Ids cost tokens, and only `flag_memory` needs them.
    Hidden,
}

/// Marks of memories, with ids as texts.
pub(super) const MARKS: MarkFields = MarkFields { id: |id| id.to_string().into(), ..marks::PLAIN };

/// Renders a memory.
pub(super) fn memory(memory: &Memory, ids: IdVisibility) -> JsonMap {
    let mut shown = JsonMap::new();
    if ids == IdVisibility::Shown {
        shown.insert("id".into(), memory.id.to_string().into());
    }
    insert_some(&mut shown, "title", memory.title.as_deref().map(Value::from));
    shown.insert("body".into(), memory.text.as_str().into());
    insert_some(&mut shown, "tags", (!memory.tags.is_empty()).then(|| json!(memory.tags)));
    insert_some(
        &mut shown,
        "applies_to",
        (!memory.applies_to.is_empty()).then(|| json!(memory.applies_to)),
    );
    insert_some(&mut shown, "confidence", memory.metadata.get(CONFIDENCE_NOTE).cloned());
    shown.insert("agent_id".into(), memory.provenance.author.agent.as_str().into());
    shown.insert("created_at".into(), memory.provenance.at.to_string().into());
    insert_some(&mut shown, "flags", (memory.flags > 0).then(|| memory.flags.into()));
    shown
}

/// Renders a claim with everything that the claimant said about itself.
pub(super) fn claim(claim: &Claim) -> Value {
    let mut shown = JsonMap::new();
    shown.insert("claimed_by".into(), claim.by.as_str().into());
    shown.insert("claimed_at".into(), claim.since.to_string().into());
    insert_some(&mut shown, "claimed_until", claim.end().map(|end| end.to_string().into()));
    for (name, text) in claim.details() {
        shown.insert(format!("claiming_{name}"), text.into());
    }
    Value::Object(shown)
}

/// Renders a handoff without its document.
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
        insert_some(&mut shown, name, value.as_deref().map(Value::from));
    }
    insert_some(&mut shown, "tags", (!handoff.tags.is_empty()).then(|| json!(handoff.tags)));
    shown.insert("created_by".into(), handoff.created_by.as_str().into());
    shown.insert("created_at".into(), handoff.created_at.to_string().into());
    shown
}

/// Arguments that the contract or an earlier version of it has, and that take no effect.
const IGNORED_ARGUMENTS: [&str; 9] = [
    "is_global",
    "requires_approval",
    "agent_id",
    "conv_id",
    "visibility",
    "category",
    "scope",
    "domain",
    "project_key",
];

/// Removes arguments that the contract allows but that must not take effect, and reports each with
/// the reason. A caller that could set them could act as another agent, push a note into every
/// session, or bypass review. Those of earlier versions pass too, except where a verb has them:
/// published plugins still send them.
pub(super) fn take_ignored_arguments(
    given: &mut JsonMap,
    own: &[&str],
    caller: &Caller,
) -> Vec<Value> {
    let names = IGNORED_ARGUMENTS.iter().filter(|name| !own.contains(name));
    let sent =
        names.filter_map(|name| Some((*name, given.remove(*name).filter(|sent| !sent.is_null())?)));
    sent.filter_map(|(name, sent)| {
        let why = match name {
            "agent_id" => agent_id_mismatch(&sent, caller)?,
            "is_global" | "requires_approval" => "only the owner decides this".to_owned(),
            _ => "the contract no longer has it; memories belong to no project or conversation, \
                  and applies_to and tags say where they are of use"
                .to_owned(),
        };
        Some(json!({"field": name, "why": why}))
    })
    .collect()
}

/// Explains why an `agent_id` that is not the caller's own is ignored.
fn agent_id_mismatch(sent: &Value, caller: &Caller) -> Option<String> {
    let own = &caller.author.agent;
    let other = sent.as_str().map_or_else(|| sent.to_string(), |name| name.trim().to_owned());
    let shown: String = other.chars().take(100).collect();
    (other != own.as_str())
        .then(|| format!("the connection identifies the caller as {own}, not {shown}"))
}
