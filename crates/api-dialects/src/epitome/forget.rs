//! Deletion: forgets what a text states, or exactly what a `sourceRef` names, for good and
//! everywhere, with a receipt. Memories that are merely similar to the text are shown and stay, and
//! what the caller did not write itself waits for the owner.

use super::source_ref::SourceRef;
use super::{collections, render, tables};
use engine::entities::{EntityRef, EraseEntityOutcome};
use engine::erasure::ErasureProposal;
use engine::forget::ForgetRequest;
use engine::forget_candidates::ForgetCandidate;
use engine::profile::{EraseProfileOutcome, field_at};
use engine::{Caller, Engine, ForgetReceipt};
use model::{Failure, JsonMap, Memory, MemoryId, Page, limits};
use serde_json::{Value, json};

/// Maximum number of memories that one text deletes.
const MEMORIES_MAX: usize = 5;
/// Maximum number of similar memories shown when none states the text.
const CANDIDATES_MAX: usize = 5;

/// Forgets what the text states or the reference names; a dry run only shows it.
pub(super) async fn forget(
    engine: &Engine,
    caller: &Caller,
    text: &str,
    source: Option<SourceRef>,
    dry_run: bool,
) -> Result<Value, Failure> {
    match source {
        None => forget_by_meaning(engine, caller, text, dry_run).await,
        Some(SourceRef::Memory { collection, id }) => {
            collections::lookup(engine, caller, &collection, id).await?;
            forget_memories(engine, caller, vec![id], dry_run).await
        }
        Some(SourceRef::Row { table, id }) => forget_row(engine, caller, table, id, dry_run).await,
        Some(SourceRef::Field(field)) => forget_profile_field(engine, caller, field, dry_run).await,
        Some(SourceRef::Entity(id)) if !dry_run => {
            let EraseEntityOutcome { entity, proposal } =
                engine.graph().delete_entity(caller, &EntityRef::Id(id)).await?;
            let gone = SourceRef::Entity(entity.id);
            Ok(proposal.as_ref().map_or_else(
                || render_deleted(&[gone], json!({ "entities": 1 })),
                |waiting| render_proposed(JsonMap::new(), waiting),
            ))
        }
        Some(SourceRef::Entity(id)) => {
            let named = engine.graph().entity(caller, &EntityRef::Id(id)).await?.entity;
            Ok(render_dry_run(&[
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

/// Deletes what says the same as the text. What is only similar is shown with what differs.
async fn forget_by_meaning(
    engine: &Engine,
    caller: &Caller,
    text: &str,
    dry_run: bool,
) -> Result<Value, Failure> {
    let found = engine.memories().forget_candidates(caller, text).await?;
    let same = found.iter().filter(|one| one.same).take(MEMORIES_MAX);
    let ids: Vec<MemoryId> = same.map(|one| one.memory.id).collect();
    if ids.is_empty() {
        return Ok(render_no_match(&found));
    }
    forget_memories(engine, caller, ids, dry_run).await
}

fn render_no_match(near: &[ForgetCandidate]) -> Value {
    let candidates: Vec<Value> = near.iter().take(CANDIDATES_MAX).map(near_candidate).collect();
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
    render::insert_non_empty(&mut shown, "candidates", candidates);
    Value::Object(shown)
}

fn near_candidate(near: &ForgetCandidate) -> Value {
    let mut shown = candidate(&near.memory);
    shown["differs"] = near.difference.as_str().into();
    shown
}

fn candidate(memory: &Memory) -> Value {
    let source = SourceRef::for_memory(memory).to_string();
    let mut shown = json!({ "sourceRef": source, "text": memory.text });
    if let Some(title) = &memory.title {
        shown["title"] = title.as_str().into();
    }
    shown
}

async fn forget_memories(
    engine: &Engine,
    caller: &Caller,
    ids: Vec<MemoryId>,
    dry_run: bool,
) -> Result<Value, Failure> {
    let done = engine.memories().forget(caller, &ForgetRequest { memories: ids, dry_run }).await?;
    if done.receipt.is_none() && done.proposal.is_none() {
        return Ok(render_dry_run(&done.memories.iter().map(candidate).collect::<Vec<_>>()));
    }
    let refs: Vec<SourceRef> = done.memories.iter().map(SourceRef::for_memory).collect();
    let mut deleted = done
        .receipt
        .as_ref()
        .map(|receipt| deleted_fields(&refs, receipt_counts(&receipt.removed)))
        .unwrap_or_default();
    let owed = done.receipt.as_ref().and_then(ForgetReceipt::owed_note);
    let also_say = also_say(&done.also_say).filter(|_| done.receipt.is_some());
    let kept = kept(&done.kept).filter(|_| done.receipt.is_some());
    let messages: Vec<String> = also_say.into_iter().chain(kept).chain(owed).collect();
    if !messages.is_empty() {
        deleted.insert("message".into(), messages.join(" ").into());
    }
    Ok(match &done.proposal {
        Some(waiting) => render_proposed(deleted, waiting),
        None => Value::Object(deleted),
    })
}

/// Names the memories that contain the deleted text too.
fn also_say(memories: &[Memory]) -> Option<String> {
    let refs = memories.iter().map(|memory| SourceRef::for_memory(memory).to_string());
    let refs = refs.collect::<Vec<_>>().join(", ");
    (!refs.is_empty()).then(|| {
        format!("deleted for good; earlier backups still contain it, and so do {refs}, which stay")
    })
}

/// Names the statements that gave another value later.
fn kept(memories: &[Memory]) -> Option<String> {
    let refs = memories.iter().map(|memory| SourceRef::for_memory(memory).to_string());
    let refs = refs.collect::<Vec<_>>().join(", ");
    (!refs.is_empty()).then(|| format!("what was said later with another value stays: {refs}"))
}

/// Deletes a row together with the memory that describes it, if there is one.
async fn forget_row(
    engine: &Engine,
    caller: &Caller,
    table: String,
    id: model::RecordId,
    dry_run: bool,
) -> Result<Value, Failure> {
    let record = tables::find_row(engine, caller, &table, id).await?;
    match record.memory {
        Some(memory) => forget_memories(engine, caller, vec![memory], dry_run).await,
        None if dry_run => Ok(render_dry_run(&[tables::render_row(&record)])),
        None => {
            let done = engine.tables().delete_row(caller, &table, id).await?;
            Ok(match &done.proposal {
                Some(waiting) => render_proposed(JsonMap::new(), waiting),
                None => render_deleted(&[SourceRef::Row { table, id }], json!({ "records": 1 })),
            })
        }
    }
}

async fn forget_profile_field(
    engine: &Engine,
    caller: &Caller,
    field: String,
    dry_run: bool,
) -> Result<Value, Failure> {
    if dry_run {
        let versions =
            engine.profile().history(caller, Page::first(limits::PAGE_ITEMS)).await?.items;
        let value = versions.iter().find_map(|version| field_at(&version.data, &field));
        let value = value.ok_or_else(|| Failure::not_found("profile field", &field))?;
        let text = format!("{field}: {}", engine::profile::value_to_text(value));
        return Ok(render_dry_run(&[
            json!({ "sourceRef": SourceRef::Field(field).to_string(), "text": text }),
        ]));
    }
    let EraseProfileOutcome { fields, receipt, proposal } =
        engine.profile().erase(caller, &[field]).await?;
    if let Some(waiting) = &proposal {
        return Ok(render_proposed(JsonMap::new(), waiting));
    }
    let refs: Vec<SourceRef> = fields.into_iter().map(SourceRef::Field).collect();
    Ok(render_deleted(&refs, receipt_counts(&receipt.removed)))
}

fn receipt_counts(places: &[(String, usize)]) -> Value {
    places
        .iter()
        .map(|(place, count)| (place.clone(), Value::from(*count)))
        .collect::<JsonMap>()
        .into()
}

fn render_deleted(refs: &[SourceRef], receipt: Value) -> Value {
    Value::Object(deleted_fields(refs, receipt))
}

fn deleted_fields(refs: &[SourceRef], receipt: Value) -> JsonMap {
    JsonMap::from_iter([
        ("deleted".to_owned(), refs.len().into()),
        ("sourceRefs".to_owned(), refs.iter().map(|one| Value::from(one.to_string())).collect()),
        ("receipt".to_owned(), receipt),
        ("message".to_owned(), "deleted for good; earlier backups still contain it".into()),
    ])
}

/// Renders a deletion of which at least a part waits for the owner.
fn render_proposed(mut deleted: JsonMap, waiting: &ErasureProposal) -> Value {
    let message = match deleted.get("message").and_then(Value::as_str) {
        Some(done) => format!("{done}; {}", waiting.message()),
        None => waiting.message(),
    };
    deleted.entry("deleted").or_insert_with(|| 0.into());
    deleted.entry("sourceRefs").or_insert_with(|| json!([]));
    deleted.insert("message".into(), message.into());
    deleted.insert("writeStatus".into(), "pending_review".into());
    deleted.insert("reviewId".into(), waiting.review.0.into());
    Value::Object(deleted)
}

fn render_dry_run(candidates: &[Value]) -> Value {
    json!({
        "deleted": 0, "sourceRefs": [], "candidates": candidates,
        "message": "nothing was deleted; without dryRun these would be deleted, or proposed to the \
                    owner where others wrote them",
    })
}
