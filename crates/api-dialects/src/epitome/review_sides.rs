//! The two sides of a review entry, and the outcome of a decision in words. An entry is about two
//! contradicting memories, a flagged memory, or a profile change that waits for the owner.

use super::render;
use super::source_ref::SourceRef;
use engine::erasure::ErasureView;
use engine::profile::field_at;
use engine::review::ReviewView;
use model::{JsonMap, Memory, Resolution, ReviewKind, Status, changed_fields, merge_patch};
use serde_json::{Value, json};

/// Returns the profile change that an entry proposes.
pub(super) fn proposed_profile(view: &ReviewView) -> Option<&JsonMap> {
    view.item.details.get("profile").and_then(Value::as_object)
}

/// Renders both sides in the form of Epitome's contradictions. `profile` is the current profile.
pub(super) fn sides(view: &ReviewView, profile: &JsonMap) -> Value {
    let mut sides = match (proposed_profile(view), &view.erasure) {
        (Some(wanted), _) => profile_sides(profile, wanted),
        (None, Some(erasure)) => erasure_sides(view, erasure),
        (None, None) => memory_sides(view),
    };
    sides["agent"] = view.item.raised_by.as_str().into();
    sides["detectedAt"] = render::time(view.item.raised_at);
    sides["resolution"] = "manual_review".into();
    sides
}

fn memory_sides(view: &ReviewView) -> Value {
    let text = |memory: Option<&Memory>| memory.map(|memory| memory.titled_text().into_owned());
    let id = |memory: Option<&Memory>| memory.map(|memory| memory.id.0);
    let source =
        |memory: Option<&Memory>| memory.map(|memory| SourceRef::for_memory(memory).to_string());
    let (old, new) = (view.against.as_ref(), view.subject.as_ref());
    json!({
        "field": view.item.reason, "oldValue": text(old), "newValue": text(new),
        "oldMetaId": id(old), "newMetaId": id(new), "oldSourceRef": source(old),
        "newSourceRef": source(new),
    })
}

/// Renders the texts that would be deleted as the current values, with nothing in their place.
fn erasure_sides(view: &ReviewView, erasure: &ErasureView) -> Value {
    let others = erasure.others.iter().map(|other| other.as_str().into());
    let texts = erasure.memories.iter().map(Memory::titled_text).chain(others);
    let first = erasure.memories.first();
    let source = first.map(|memory| SourceRef::for_memory(memory).to_string());
    json!({
        "field": view.item.reason, "oldValue": texts.collect::<Vec<_>>(), "newValue": null,
        "oldMetaId": first.map(|memory| memory.id.0), "newMetaId": null, "oldSourceRef": source,
        "newSourceRef": null,
    })
}

/// Renders the fields that would change, with their current and their proposed values.
fn profile_sides(profile: &JsonMap, wanted: &JsonMap) -> Value {
    let after = merge_patch(profile, wanted);
    let fields = changed_fields(profile, &after);
    let values = |document: &JsonMap| -> JsonMap {
        let value = |field: &String| field_at(document, field).cloned().unwrap_or_default();
        fields.iter().map(|field| (field.clone(), value(field))).collect()
    };
    let source = fields.first().map(|field| SourceRef::Field(field.clone()).to_string());
    json!({
        "field": fields.join(", "), "oldValue": values(profile), "newValue": values(&after),
        "oldMetaId": null, "newMetaId": null, "oldSourceRef": source, "newSourceRef": source,
    })
}

/// Describes the outcome of a decision.
pub(super) fn describe_outcome(view: &ReviewView, resolution: Resolution) -> String {
    let text =
        |memory: Option<&Memory>| memory.map_or("it".into(), Memory::titled_text).into_owned();
    let (newer, older) = (text(view.subject.as_ref()), text(view.against.as_ref()));
    let is_rejected = view.subject.as_ref().is_some_and(|one| one.status == Status::Rejected);
    match (view.item.kind, resolution) {
        _ if view.erasure.is_some() => match resolution {
            Resolution::Confirm => "deleted as proposed".to_owned(),
            _ => "nothing was deleted".to_owned(),
        },
        _ if proposed_profile(view).is_some() => match resolution {
            Resolution::Confirm => "the profile was changed as proposed".to_owned(),
            _ => "the profile was left unchanged".to_owned(),
        },
        (ReviewKind::Flag, Resolution::Confirm) => {
            format!("the flag is confirmed: \"{newer}\" is no longer used")
        }
        (ReviewKind::Flag, _) => format!("the flag is dismissed: \"{newer}\" stays valid"),
        (_, Resolution::Confirm | Resolution::KeepBoth) if is_rejected => {
            format!("\"{newer}\" was rejected before and stays rejected")
        }
        (_, Resolution::Confirm) => {
            format!("\"{newer}\" is valid; what it contradicted is no longer used")
        }
        (_, Resolution::Reject) => format!("\"{newer}\" is rejected; the older memory stays valid"),
        (_, Resolution::KeepBoth) if !view.folded.is_empty() => {
            let rivals =
                view.rivals().into_iter().map(|memory| format!("\"{}\"", memory.titled_text()));
            format!("all stay valid: {}", rivals.collect::<Vec<_>>().join(", "))
        }
        (_, Resolution::KeepBoth) => format!("both stay valid: \"{newer}\" and \"{older}\""),
    }
}
