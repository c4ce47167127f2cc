//! Collections of free-text memories: semantic search in one, and saving to one.

use super::shown;
use super::source_ref::SourceRef;
use engine::recall::{Hit, Recall};
use engine::remember::{ConflictSeen, Happened, Remember, Remembered};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default minimum similarity. On the engine's calibrated scale it is that of the weakest match
/// that still answers a query.
const SIMILARITY: f64 = 0.7;
/// Default number of results.
const RESULTS: usize = 10;
/// Maximum number of results.
const RESULTS_MAX: usize = 100;
/// Maximum number of tokens of the results.
const TOKENS: usize = 8_000;

/// Search in one collection.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Search {
    /// Name of the collection.
    pub collection: String,
    /// Text to look for.
    pub query: String,
    /// 0 to 1; default 0.7, the weakest real match. 0 returns all, nearest first.
    pub min_similarity: Option<f64>,
    /// Maximum results; default 10.
    pub limit: Option<i64>,
}

/// Memory to save.
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
        // The tolerance absorbs the conversion from single precision.
        .filter(|hit| f64::from(hit.similarity) >= nearest - 1e-6)
        .map(result)
        .collect();
    Ok(json!({
        "collection": collection,
        "query": query,
        "resultCount": near.len(),
        "results": near,
    }))
}

/// Returns the memory that a reference names. A memory with that id in another collection is not
/// the one that was meant.
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
            format!("vectors/{collection}#{id}; recall returns valid sourceRefs"),
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
        // Links the memory to the one saved before it in the same session, as Epitome does.
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
        Happened::Duplicate => "this was already saved; nothing was added".to_owned(),
        _ => format!("saved to {collection}"),
    };
    Ok(written(answer, &done, message))
}

/// Adds the fields that every save reports: the write, its message, contradictions and notes.
pub(super) fn written(mut answer: JsonMap, done: &Remembered, message: String) -> Value {
    let id = done.id.map(|id| format!("memory-{id}")).unwrap_or_default();
    answer.insert("writeId".into(), id.into());
    answer.insert("writeStatus".into(), "accepted".into());
    answer.insert("message".into(), message.into());
    noted(answer, done)
}

/// Adds contradictions, and notes on what was changed before storing.
pub(super) fn noted(mut answer: JsonMap, done: &Remembered) -> Value {
    let conflicts: Vec<Value> = done.conflicts.iter().map(conflict).collect();
    let mut warnings = done.notes.clone();
    if !conflicts.is_empty() {
        warnings.push(format!(
            "contradictions found: {}; call review to list them and resolve them with the owner",
            conflicts.len()
        ));
    }
    shown::listed(&mut answer, "contradictions", conflicts);
    shown::listed(&mut answer, "warnings", shown::texts(&warnings));
    shown::with_warnings(answer, &warnings)
}

fn conflict(seen: &ConflictSeen) -> Value {
    json!({
        "metaId": seen.review.map(|review| review.0), "memoryId": seen.memory.0,
        "text": seen.text, "reason": seen.reason,
    })
}
