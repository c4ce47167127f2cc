//! Rendering of memories for a model: ids, names and dates. Fields with their usual value are left
//! out, since every field costs tokens.

pub(super) use crate::optional_fields::{insert_non_empty, insert_notes, insert_some};
use model::{JsonMap, Kind, Memory, Moment, Status};
use serde_json::{Value, json};

/// Renders a memory.
pub(super) fn memory(memory: &Memory) -> JsonMap {
    let mut shown = JsonMap::new();
    shown.insert("id".into(), memory.id.0.into());
    insert_some(
        &mut shown,
        "kind",
        (memory.kind != Kind::note()).then(|| memory.kind.as_str().into()),
    );
    if let Some(title) = &memory.title {
        shown.insert("title".into(), title.as_str().into());
    }
    shown.insert("text".into(), memory.text.as_str().into());
    shown.insert("date".into(), memory.valid_from.date().into());
    shown.insert("by".into(), memory.provenance.author.agent.as_str().into());
    insert_some(&mut shown, "project", memory.project.as_deref().map(Value::from));
    insert_some(&mut shown, "session", memory.session.map(|session| session.0.into()));
    insert_some(&mut shown, "tags", (!memory.tags.is_empty()).then(|| json!(memory.tags)));
    insert_some(&mut shown, "until", memory.valid_to.map(|end| end.date().into()));
    insert_some(
        &mut shown,
        "status",
        (memory.status != Status::Active).then(|| memory.status.name().into()),
    );
    insert_some(&mut shown, "flagged", (memory.flags > 0).then(|| memory.flags.into()));
    // Agents and the owner have a trust of 70 and more; below it a model should see the origin.
    insert_some(
        &mut shown,
        "source",
        (memory.provenance.trust.0 < 70).then(|| memory.provenance.origin.name().into()),
    );
    shown
}

/// Renders memories.
pub(super) fn memories<'m>(all: impl IntoIterator<Item = &'m Memory>) -> Vec<Value> {
    all.into_iter().map(|one| Value::Object(memory(one))).collect()
}

/// Renders a point in time.
pub(super) fn time(moment: Moment) -> Value {
    moment.to_string().into()
}

/// Rounds to two decimal places; more are noise to a model.
pub(super) fn rounded(number: f32) -> Value {
    json!((f64::from(number) * 100.0).round() / 100.0)
}
