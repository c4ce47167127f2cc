//! Collections of free-text memories: searching one by meaning, and saving to one.

use super::shown;
use super::source_ref::SourceRef;
use engine::recall::{Hit, Recall};
use engine::remember::{ConflictSeen, Happened, Remember, Remembered};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// How near a memory must be unless told otherwise; on the engine's scale the weakest that still
/// answers.
const SIMILARITY: f64 = 0.7;
/// How many memories a search gives unless told otherwise.
const RESULTS: usize = 10;
/// How many it gives at most.
const RESULTS_MAX: usize = 100;
/// How many tokens a search may cost.
const TOKENS: usize = 8_000;

/// A search in one collection.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Search {
    /// The collection.
    pub collection: String,
    /// What to look for.
    pub query: String,
    /// 0 to 1; default 0.7, the weakest that still answers. 0 gives all, nearest first.
    pub min_similarity: Option<f64>,
    /// Most results; default 10.
    pub limit: Option<i64>,
}

/// A memory to save.
#[derive(Debug, Default)]
pub(super) struct Save {
    pub text: String,
    pub collection: String,
    pub metadata: JsonMap,
    pub idempotency_key: Option<String>,
    pub allow_forgotten: bool,
}

/// Searches one collection.
pub(super) async fn search(
    engine: &Engine,
    caller: &Caller,
    wanted: &Search,
) -> Result<Value, Failure> {
    let collection = super::collection(&wanted.collection)?;
    let query = wanted.query.trim();
    if query.is_empty() {
        return Err(Failure::invalid("query is empty; say what to look for"));
    }
    let nearest = wanted.min_similarity.unwrap_or(SIMILARITY);
    limits::range("minSimilarity", nearest, 0.0, 1.0)?;
    let limit = super::count("limit", wanted.limit, RESULTS, RESULTS_MAX)?;
    let input = Recall {
        collections: vec![collection.clone()],
        limit: Some(limit),
        budget_tokens: Some(TOKENS),
        however_weak: nearest < SIMILARITY,
        ..Recall::query(query)
    };
    let recalled = engine.memories().recall(caller, &input).await?;
    let near: Vec<Value> = recalled
        .hits
        .iter()
        .filter(|hit| f64::from(hit.similarity) >= nearest - 1e-6)
        .map(result)
        .collect();
    Ok(
        json!({ "collection": collection, "query": query, "resultCount": near.len(), "results": near }),
    )
}

/// The memory that a reference names. One that lies in another drawer is not what was meant.
pub(super) async fn named(
    engine: &Engine,
    caller: &Caller,
    collection: &str,
    id: MemoryId,
) -> Result<Memory, Failure> {
    let found = engine
        .memories()
        .get(caller, &[id])
        .await?
        .into_iter()
        .find(|memory| memory.collection == collection);
    found.ok_or_else(|| {
        Failure::not_found(
            "memory",
            format!("vectors/{collection}#{id}; recall gives sourceRefs that are there"),
        )
    })
}

fn result(hit: &Hit) -> Value {
    let memory = &hit.memory;
    let mut shown = JsonMap::from_iter([
        ("id".to_owned(), Value::from(memory.id.0)),
        ("text".to_owned(), hit.cut.as_deref().unwrap_or(&memory.text).into()),
        ("similarity".to_owned(), shown::rounded(hit.similarity)),
        ("metadata".to_owned(), Value::Object(memory.metadata.clone())),
        ("createdAt".to_owned(), shown::time(memory.provenance.at)),
        ("sourceRef".to_owned(), SourceRef::of(memory).to_string().into()),
        ("status".to_owned(), shown::status(memory).into()),
    ]);
    shown::optional(&mut shown, "cut", hit.cut.is_some().then_some(Value::Bool(true)));
    let alike = hit.alike.iter().map(|id| id.0.into()).collect();
    shown::listed(&mut shown, "alike", alike);
    Value::Object(shown)
}

/// Saves to a collection.
pub(super) async fn save(engine: &Engine, caller: &Caller, save: Save) -> Result<Value, Failure> {
    let collection = super::collection(&save.collection)?;
    let input = Remember {
        collection: Some(collection.clone()),
        metadata: save.metadata,
        idempotency_key: save.idempotency_key,
        allow_forgotten: save.allow_forgotten,
        // The thread of a conversation: what was saved before it in the same session.
        chained: true,
        ..Remember::text(save.text)
    };
    let done = engine.memories().remember(caller, &input).await?;
    let id = done.id.map(|id| id.0);
    let mut answer = JsonMap::from_iter([
        ("success".to_owned(), Value::Bool(true)),
        ("collection".to_owned(), collection.as_str().into()),
        ("vectorId".to_owned(), id.into()),
    ]);
    let source = done
        .id
        .map(|id| SourceRef::Memory { collection: collection.clone(), id }.to_string().into());
    shown::optional(&mut answer, "sourceRef", source);
    let message = match done.happened {
        Happened::Duplicate => "this was saved before; nothing was added".to_owned(),
        _ => format!("saved to {collection}"),
    };
    Ok(written(answer, &done, message))
}

/// What every save tells: which write it was, what it contradicts, and what was changed on the way
/// in.
pub(super) fn written(mut answer: JsonMap, done: &Remembered, message: String) -> Value {
    let id = done.id.map(|id| format!("memory-{id}")).unwrap_or_default();
    answer.insert("writeId".into(), id.into());
    answer.insert("writeStatus".into(), "accepted".into());
    answer.insert("message".into(), message.into());
    noted(answer, done)
}

/// What a save contradicts, and what was changed on the way in.
pub(super) fn noted(mut answer: JsonMap, done: &Remembered) -> Value {
    let conflicts: Vec<Value> = done.conflicts.iter().map(conflict).collect();
    let mut warnings = done.notes.clone();
    if !conflicts.is_empty() {
        warnings.push(format!(
            "this contradicts {} of what is known; call review with action list, and resolve it with the owner",
            conflicts.len()
        ));
    }
    shown::listed(&mut answer, "contradictions", conflicts);
    shown::listed(&mut answer, "warnings", shown::texts(&warnings));
    shown::with_warnings(answer, &warnings)
}

fn conflict(seen: &ConflictSeen) -> Value {
    json!({
        "metaId": seen.review.map(|review| review.0), "memoryId": seen.memory.0, "text": seen.text,
        "reason": seen.reason,
    })
}
