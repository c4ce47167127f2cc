//! Correction of exactly what a `sourceRef` names: a memory gets a new version, a row new fields, a
//! profile field a new value.

use super::collections::{self, render_write};
use super::source_ref::SourceRef;
use super::{memorize, profile, render, tables};
use engine::correct::CorrectRequest;
use engine::remember::RememberStatus;
use engine::tables::{UpdateRowOutcome, UpdateRowRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId, RecordId, merge_patch};
use serde_json::Value;

/// Replaces the text, and with `data` the fields, of the named item.
pub(super) async fn correct(
    engine: &Engine,
    caller: &Caller,
    source: SourceRef,
    text: String,
    data: JsonMap,
    key: Option<String>,
) -> Result<Value, Failure> {
    match source {
        SourceRef::Memory { collection, id } => {
            collections::lookup(engine, caller, &collection, id).await?;
            correct_memory(engine, caller, id, text, key).await
        }
        SourceRef::Row { table, id } => correct_row(engine, caller, table, id, text, data).await,
        SourceRef::Field(field) => {
            let patch = match data.is_empty() {
                true => field_patch(engine, caller, &field, &text).await?,
                false => data,
            };
            profile::update(engine, caller, patch, Some(text))
                .await
                .map(|(_, answer)| Value::Object(answer))
        }
        other => Err(Failure::invalid(format!(
            "{other} cannot be corrected; correct the memory, row or profile field it comes from"
        ))),
    }
}

async fn correct_memory(
    engine: &Engine,
    caller: &Caller,
    id: MemoryId,
    text: String,
    key: Option<String>,
) -> Result<Value, Failure> {
    let input = CorrectRequest { idempotency_key: key, ..CorrectRequest::new(id, text) };
    let done = engine.memories().correct(caller, &input).await?;
    let new = done.id.unwrap_or(id);
    let shown = engine.memories().get(caller, &[new]).await?;
    let mut answer = JsonMap::from_iter([("success".to_owned(), Value::Bool(true))]);
    answer.insert("vectorId".into(), new.0.into());
    if let Some(memory) = shown.first() {
        answer.insert("collection".into(), memory.collection.as_str().into());
        answer.insert("sourceRef".into(), SourceRef::for_memory(memory).to_string().into());
    }
    let superseded = done.superseded.iter().map(|id| id.to_string().into()).collect();
    render::insert_non_empty(&mut answer, "superseded", superseded);
    let message = match done.status {
        RememberStatus::Proposed => {
            "a stronger source wrote the current text; the correction waits in review".to_owned()
        }
        _ => "corrected; the old text stays in the history".to_owned(),
    };
    Ok(render_write(answer, &done, message))
}

/// Updates the row, and rewords the memory that describes it. A text without `data` changes only
/// the field `text`, and only if the row has one.
async fn correct_row(
    engine: &Engine,
    caller: &Caller,
    table: String,
    id: RecordId,
    text: String,
    data: JsonMap,
) -> Result<Value, Failure> {
    let current = tables::find_row(engine, caller, &table, id).await?;
    let patch = match current.data.contains_key("text") && data.is_empty() {
        true => JsonMap::from_iter([("text".to_owned(), text.as_str().into())]),
        false => data,
    };
    let after = merge_patch(&current.data, &patch);
    let text = Some(memorize::text_with_fields(&text, &after));
    let changed = engine
        .tables()
        .update_row(caller, &UpdateRowRequest { table: table.clone(), row: id, patch, text })
        .await?;
    let mut answer = JsonMap::from_iter([
        ("success".to_owned(), Value::Bool(true)),
        ("table".to_owned(), table.as_str().into()),
        ("recordId".to_owned(), id.0.into()),
        ("sourceRef".to_owned(), format!("{table}:{id}").into()),
        ("writeId".to_owned(), format!("row-{table}-{id}").into()),
        ("writeStatus".to_owned(), "accepted".into()),
        ("message".to_owned(), message(&changed).into()),
    ]);
    render::insert_some(&mut answer, "vectorId", changed.memory.map(|id| id.0.into()));
    render::insert_non_empty(&mut answer, "warnings", render::texts(&changed.notes));
    Ok(Value::Object(answer))
}

fn message(changed: &UpdateRowOutcome) -> String {
    match (changed.changed.as_slice(), changed.memory) {
        ([], Some(_)) => "the fields are unchanged; the text of the row is updated".to_owned(),
        ([], None) => "nothing changed; pass the changed fields in data".to_owned(),
        (fields, _) => format!("changed {}", fields.join(", ")),
    }
}

/// Builds the patch that sets a field of the profile to a text.
async fn field_patch(
    engine: &Engine,
    caller: &Caller,
    field: &str,
    text: &str,
) -> Result<JsonMap, Failure> {
    // A caller may be granted to write the profile but not to read it; a path without places in
    // lists needs no reading.
    let profile = engine.profile().get(caller).await.ok().flatten();
    let profile = profile.map(|version| version.data).unwrap_or_default();
    engine::profile::patch_at(&profile, field, text.into())
        .ok_or_else(|| Failure::not_found("profile field", field))
}
