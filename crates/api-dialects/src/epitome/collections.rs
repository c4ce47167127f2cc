//! Collections of free-text memories: semantic search in one, and saving to one.

use super::render;
use super::source_ref::SourceRef;
use crate::answer_budget::{LeftOutFields, fit_answer};
use crate::marks::insert_marks;
use engine::recall::{MemoryHit, RecallRequest};
use engine::remember::{DetectedConflict, RememberOutcome, RememberRequest, RememberStatus};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default minimum similarity. On the engine's calibrated scale it is that of the weakest match
/// that still answers a query.
const DEFAULT_SIMILARITY: f64 = 0.7;
/// Default number of results.
const DEFAULT_RESULTS: usize = 10;
/// Maximum number of results.
const RESULTS_MAX: usize = 100;
/// Maximum number of tokens of the results.
const SEARCH_TOKENS: usize = 8_000;

/// Likeness from which another name is proposed.
const NAME_LIKENESS: f64 = 0.85;
/// Maximum number of names in a refusal.
const NAMES_SHOWN: usize = 20;

/// Search in one collection.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CollectionSearch {
    /// Name of the collection.
    pub collection: String,
    /// Text to look for.
    pub query: String,
    /// 0 to 1; 0.7 is the weakest real match, 0 returns all, nearest first.
    #[schemars(extend("default" = 0.7))]
    pub min_similarity: Option<f64>,
    /// Maximum results.
    #[schemars(extend("default" = 10))]
    pub limit: Option<i64>,
}

/// Memory to save.
#[derive(Debug, Default)]
pub(super) struct CollectionEntry {
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
    wanted: &CollectionSearch,
) -> Result<Value, Failure> {
    let collection = super::check_collection(&wanted.collection)?;
    let query = wanted.query.trim();
    if query.is_empty() {
        return Err(Failure::invalid("query is empty; say what to look for"));
    }
    let min_similarity = wanted.min_similarity.unwrap_or(DEFAULT_SIMILARITY);
    limits::range("minSimilarity", min_similarity, 0.0, 1.0)?;
    let limit = super::parse_count("limit", wanted.limit, DEFAULT_RESULTS, RESULTS_MAX)?;
    let input = RecallRequest {
        collections: vec![collection.clone()],
        limit: Some(limit),
        budget_tokens: Some(SEARCH_TOKENS),
        include_weak: min_similarity < DEFAULT_SIMILARITY,
        ..RecallRequest::query(query)
    };
    let recalled = engine.memories().recall(caller, &input).await?;
    let results: Vec<Value> = recalled
        .hits
        .iter()
        // The tolerance absorbs the conversion from single precision.
        .filter(|hit| f64::from(hit.similarity) >= min_similarity - 1e-6)
        .map(render_hit)
        .collect();
    if results.is_empty() {
        require_collection(engine, caller, &collection).await?;
    }
    let mut answer = JsonMap::from_iter([
        ("collection".to_owned(), collection.into()),
        ("query".to_owned(), query.into()),
        ("resultCount".to_owned(), results.len().into()),
        ("results".to_owned(), results.into()),
    ]);
    render::insert_some(
        &mut answer,
        "leftOut",
        (recalled.left_out > 0).then(|| recalled.left_out.into()),
    );
    Ok(fit_answer(Value::Object(answer), SEARCH_TOKENS, LeftOutFields::Warnings))
}

/// Refuses a collection that does not exist, with the name that was probably meant. What the caller
/// may not read does not exist for it.
async fn require_collection(
    engine: &Engine,
    caller: &Caller,
    collection: &str,
) -> Result<(), Failure> {
    let known = engine.memories().collections(caller).await?;
    let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
    if names.contains(&collection) {
        return Ok(());
    }
    let near = names
        .iter()
        .map(|name| (strsim::jaro_winkler(&name.to_lowercase(), &collection.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= NAME_LIKENESS)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let advice = match (near, names.as_slice()) {
        (Some((_, name)), _) => format!("did you mean `{name}`?"),
        (None, []) => "nothing is saved in any collection yet".to_owned(),
        (None, names) => {
            let shown: Vec<&str> = names.iter().copied().take(NAMES_SHOWN).collect();
            format!("the collections are {}", shown.join(", "))
        }
    };
    Err(Failure::not_found("collection", format!("`{collection}`; {advice}")))
}

/// Returns the memory that a reference names. A memory with that id in another collection is not
/// the one that was meant.
pub(super) async fn lookup(
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

fn render_hit(hit: &MemoryHit) -> Value {
    let memory = &hit.memory;
    let mut shown = JsonMap::from_iter([
        ("id".to_owned(), Value::from(memory.id.0)),
        ("text".to_owned(), hit.excerpt.as_deref().unwrap_or(&memory.text).into()),
        ("similarity".to_owned(), render::rounded(hit.similarity)),
        ("metadata".to_owned(), Value::Object(memory.metadata.clone())),
        ("createdAt".to_owned(), render::time(memory.provenance.at)),
        ("sourceRef".to_owned(), SourceRef::for_memory(memory).to_string().into()),
        ("status".to_owned(), render::status(memory).into()),
    ]);
    render::insert_some(&mut shown, "title", memory.title.as_deref().map(Value::from));
    render::insert_some(&mut shown, "cut", hit.excerpt.is_some().then_some(Value::Bool(true)));
    insert_marks(&mut shown, &hit.marks(), render::MARKS);
    Value::Object(shown)
}

/// Saves to a collection.
pub(super) async fn save(
    engine: &Engine,
    caller: &Caller,
    save: CollectionEntry,
) -> Result<Value, Failure> {
    let collection = super::check_collection(&save.collection)?;
    let input = RememberRequest {
        collection: Some(collection.clone()),
        metadata: save.metadata,
        idempotency_key: save.idempotency_key,
        allow_forgotten: save.allow_forgotten,
        // Links the memory to the one saved before it in the same session, as Epitome does.
        chained: true,
        ..RememberRequest::text(save.text)
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
    render::insert_some(&mut answer, "sourceRef", source);
    let message = match done.status {
        RememberStatus::Duplicate => "this was already saved; nothing was added".to_owned(),
        _ => format!("saved to {collection}"),
    };
    Ok(render_write(answer, &done, message))
}

/// Adds the fields that every save reports: the write, its message, contradictions and notes.
pub(super) fn render_write(mut answer: JsonMap, done: &RememberOutcome, message: String) -> Value {
    let id = done.id.map(|id| format!("memory-{id}")).unwrap_or_default();
    answer.insert("writeId".into(), id.into());
    answer.insert("writeStatus".into(), "accepted".into());
    answer.insert("message".into(), message.into());
    add_contradictions(answer, done)
}

/// Adds contradictions, and notes on what was changed before storing.
pub(super) fn add_contradictions(mut answer: JsonMap, done: &RememberOutcome) -> Value {
    let conflicts: Vec<Value> = done.conflicts.iter().map(render_conflict).collect();
    let mut warnings = done.sentences();
    if !conflicts.is_empty() {
        warnings.push(format!(
            "contradictions found: {}; call review to list them and resolve them with the owner",
            conflicts.len()
        ));
    }
    render::insert_non_empty(&mut answer, "contradictions", conflicts);
    render::insert_non_empty(&mut answer, "warnings", render::texts(&warnings));
    render::set_meta_warnings(answer, &warnings)
}

fn render_conflict(seen: &DetectedConflict) -> Value {
    json!({
        "metaId": seen.review.map(|review| review.0), "memoryId": seen.memory.0,
        "text": seen.text, "reason": seen.reason,
    })
}
