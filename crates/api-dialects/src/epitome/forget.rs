//! Deletion: forgets what a text states, or exactly what a `sourceRef` names, for good and
//! everywhere, with a receipt. Memories that are merely similar to the text are shown and stay.

use super::source_ref::SourceRef;
use super::{memory, shown, tables};
use engine::entities::EntityRef;
use engine::forget::Forget;
use engine::profile::{ProfileErased, field_at};
use engine::recall::{Hit, Recall};
use engine::{Caller, Engine, says_the_same};
use model::{Failure, JsonMap, Memory, MemoryId, Page, limits};
use serde_json::{Value, json};

/// Maximum number of memories that one text deletes.
const AT_ONCE: usize = 5;
/// Maximum number of similar memories shown when none states the text.
const SHOWN: usize = 5;

/// Forgets what the text states or the reference names; a dry run only shows it.
pub(super) async fn forget(
    engine: &Engine,
    caller: &Caller,
    text: &str,
    source: Option<SourceRef>,
    dry_run: bool,
) -> Result<Value, Failure> {
    match source {
        None => by_meaning(engine, caller, text, dry_run).await,
        Some(SourceRef::Memory { collection, id }) => {
            memory::named(engine, caller, &collection, id).await?;
            memories(engine, caller, vec![id], dry_run).await
        }
        Some(SourceRef::Row { table, id }) => row(engine, caller, table, id, dry_run).await,
        Some(SourceRef::Field(field)) => of_profile(engine, caller, field, dry_run).await,
        Some(SourceRef::Entity(id)) if !dry_run => {
            let gone = engine.graph().delete_entity(caller, &EntityRef::Id(id)).await?;
            Ok(answer(&[SourceRef::Entity(gone.id)], json!({ "entities": 1 })))
        }
        Some(SourceRef::Entity(id)) => {
            let named = engine.graph().entity(caller, &EntityRef::Id(id)).await?.entity;
            Ok(would(&[
                json!({ "sourceRef": SourceRef::Entity(id).to_string(), "text": named.name }),
            ]))
        }
        Some(SourceRef::Relation(_)) => Err(Failure::invalid(
            "an edge is deleted with its memory or one of its entities; give that sourceRef",
        )),
        Some(SourceRef::Version(_)) => Err(Failure::invalid(
            "the profile is forgotten field by field, in every version; give profile:<field>",
        )),
    }
}

async fn by_meaning(
    engine: &Engine,
    caller: &Caller,
    text: &str,
    dry_run: bool,
) -> Result<Value, Failure> {
    // Enough hits to delete, and to show if none of them states the text.
    let input = Recall { limit: Some(AT_ONCE + SHOWN), ..Recall::query(text) };
    let hits = engine.memories().recall(caller, &input).await?.hits;
    let mut ids: Vec<MemoryId> = Vec::new();
    // Near-duplicates that the search folded into a hit are deleted with it.
    let meant = hits.iter().filter(|hit| means(hit, text)).take(AT_ONCE);
    meant.for_each(|hit| {
        ids.extend(std::iter::once(hit.memory.id).chain(hit.alike.iter().copied()))
    });
    if ids.is_empty() {
        return Ok(nothing(&hits));
    }
    memories(engine, caller, ids, dry_run).await
}

/// Returns true if a memory states the text, in the same words or in another order and inflection
/// of them. Similarity is not enough: the most similar memory may differ in just the word that
/// matters. The memory of a row may have the row's fields appended in parentheses.
fn means(hit: &Hit, text: &str) -> bool {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let stored = hit.memory.text.as_str();
    let without_fields = stored
        .rsplit_once(" (")
        .filter(|_| hit.memory.table().is_some())
        .map(|(statement, _)| statement);
    [Some(stored), without_fields]
        .into_iter()
        .flatten()
        .any(|statement| folded(statement) == folded(text) || says_the_same(text, statement))
}

fn nothing(near: &[Hit]) -> Value {
    let candidates: Vec<Value> =
        near.iter().take(SHOWN).map(|hit| candidate(&hit.memory)).collect();
    let mut shown = JsonMap::from_iter([
        ("deleted".to_owned(), Value::from(0)),
        ("sourceRefs".to_owned(), json!([])),
        ("message".to_owned(), "nothing states exactly that; nothing was deleted".into()),
    ]);
    if !candidates.is_empty() {
        shown.insert(
            "message".into(),
            "nothing states exactly that; to delete one of these, give its sourceRef".into(),
        );
    }
    shown::listed(&mut shown, "candidates", candidates);
    Value::Object(shown)
}

fn candidate(memory: &Memory) -> Value {
    json!({ "sourceRef": SourceRef::of(memory).to_string(), "text": memory.text })
}

async fn memories(
    engine: &Engine,
    caller: &Caller,
    ids: Vec<MemoryId>,
    dry_run: bool,
) -> Result<Value, Failure> {
    let done =
        engine.memories().forget(caller, &Forget { memories: ids, query: None, dry_run }).await?;
    let Some(receipt) = &done.receipt else {
        return Ok(would(&done.memories.iter().map(candidate).collect::<Vec<_>>()));
    };
    let refs: Vec<SourceRef> = done.memories.iter().map(SourceRef::of).collect();
    Ok(answer(&refs, places(&receipt.places)))
}

/// Deletes a row together with the memory that describes it, if there is one.
async fn row(
    engine: &Engine,
    caller: &Caller,
    table: String,
    id: model::RecordId,
    dry_run: bool,
) -> Result<Value, Failure> {
    let record = tables::row(engine, caller, &table, id).await?;
    match record.memory {
        Some(memory) => memories(engine, caller, vec![memory], dry_run).await,
        None if dry_run => Ok(would(&[tables::record(&record)])),
        None => {
            engine.tables().delete_row(caller, &table, id).await?;
            Ok(answer(&[SourceRef::Row { table, id }], json!({ "records": 1 })))
        }
    }
}

async fn of_profile(
    engine: &Engine,
    caller: &Caller,
    field: String,
    dry_run: bool,
) -> Result<Value, Failure> {
    if dry_run {
        let versions = engine.profile().history(caller, Page::first(limits::PAGE)).await?.items;
        let value = versions.iter().find_map(|version| field_at(&version.data, &field));
        let value = value.ok_or_else(|| Failure::not_found("profile field", &field))?;
        let text = format!("{field}: {}", engine::profile::in_words(value));
        return Ok(would(&[
            json!({ "sourceRef": SourceRef::Field(field).to_string(), "text": text }),
        ]));
    }
    let ProfileErased { fields, receipt } = engine.profile().erase(caller, &[field]).await?;
    let refs: Vec<SourceRef> = fields.into_iter().map(SourceRef::Field).collect();
    Ok(answer(&refs, places(&receipt.places)))
}

fn places(places: &[(String, usize)]) -> Value {
    places
        .iter()
        .map(|(place, count)| (place.clone(), Value::from(*count)))
        .collect::<JsonMap>()
        .into()
}

fn answer(refs: &[SourceRef], receipt: Value) -> Value {
    json!({
        "deleted": refs.len(),
        "sourceRefs": refs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "receipt": receipt,
        "message": "deleted for good; earlier backups still contain it",
    })
}

fn would(candidates: &[Value]) -> Value {
    json!({
        "deleted": 0, "sourceRefs": [], "candidates": candidates,
        "message": "nothing was deleted; without dryRun these would be deleted",
    })
}
