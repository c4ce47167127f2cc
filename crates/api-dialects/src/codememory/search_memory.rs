//! `search_memory`: searches the memories of a session, best first. Lower scores are better.

use super::render::SessionNames;
use super::settings::check_share;
use super::{CodeMemoryContext, CodeMemorySettings, ranking};
use crate::marks::{self, insert_marks};
use crate::tool_table::ToolDefinition;
use crate::{arguments, schema};
use engine::recall::{MemoryHit, RecallRequest};
use engine::{Caller, Engine};
use model::{Dialect, Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum number of tokens of the texts of a result. A memory beyond it is cut and marked as cut.
const BUDGET_TOKENS: usize = 16_000;

/// Arguments of `search_memory`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Question, words, path or error, with any punctuation. Empty for the newest.
    query: String,
    /// Session to search; memories without a session are included.
    #[schemars(required)]
    session_id: Option<String>,
    /// Maximum memories, 1-100.
    #[schemars(extend("default" = 12))]
    limit: Option<i64>,
    /// Share of the newest matches to keep, above 0 to 1. The best match always stays.
    #[schemars(extend("default" = 0.6))]
    top_p: Option<f64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "search_memory",
    title: "Search memory",
    description: "Search what was stored in this session, by words and by meaning. Returns a \
                  list, best first: a lower score is better; fts_hit means that words matched \
                  too. Example: {\"query\": \"sqlite-vec embedding dimension mismatch\", \
                  \"session_id\": \"shop:2026-01-04\", \"limit\": 8, \"top_p\": 0.7}",
    input: arguments::schema::<Arguments>,
    output: schema::LIST,
    always_load: true,
};

pub(super) async fn call(
    context: &CodeMemoryContext<'_>,
    given: JsonMap,
) -> Result<Value, Failure> {
    let CodeMemoryContext { engine, caller, state: settings } = *context;
    let arguments: Arguments = arguments::read(given)?;
    let limit = arguments.limit(settings)?;
    let (top_p, candidates) = arguments.top_p_and_candidates(settings, limit)?;
    let session = arguments.session_id.as_deref().unwrap_or_default();
    let session = engine.sessions().resolve_session_name(caller, session).await?;
    let input = RecallRequest {
        within: settings.enable_session_scope.then_some(session),
        // Whoever searches a session gets the nearest that it has; the score says how near.
        include_weak: settings.enable_vec && settings.enable_fts,
        search_modes: settings.search_modes(),
        limit: Some(candidates.min(CodeMemorySettings::TOP_K_MAX)),
        budget_tokens: Some(BUDGET_TOKENS),
        // The parts of the engine's score are needed to compute the score of the contract.
        explain: true,
        ..RecallRequest::query(arguments.query)
    };
    let mut hits = engine.memories().recall(caller, &input).await?.hits;
    if input.within.is_some() {
        hits.extend(other_dialects(engine, caller, input, &hits).await?);
    }
    let names = SessionNames::load(engine, caller, hits.iter().map(|hit| &hit.memory)).await?;
    let best = ranking::rank(&hits, settings, top_p, engine.now());
    Ok(best.iter().take(limit).map(|one| render_item(&names, one)).collect())
}

impl Arguments {
    fn limit(&self, settings: &CodeMemorySettings) -> Result<usize, Failure> {
        let Some(limit) = self.limit else { return Ok(settings.top_k) };
        limits::range("limit", limit as f64, 1.0, CodeMemorySettings::TOP_K_MAX as f64)?;
        Ok(limit as usize)
    }

    /// Returns `top_p` and the number of candidates. An empty query asks for the newest: more
    /// candidates would let older memories in by their priority, and the default `top_p` would
    /// remove some of the newest.
    fn top_p_and_candidates(
        &self,
        settings: &CodeMemorySettings,
        limit: usize,
    ) -> Result<(f64, usize), Failure> {
        let search_modes = settings.search_modes();
        let blank = self.query.trim().is_empty() || !(search_modes.words || search_modes.embedding);
        let (usual, times) = if blank { (1.0, 1) } else { (settings.top_p, settings.oversample_k) };
        Ok((check_share("top_p", self.top_p.unwrap_or(usual))?, limit * times))
    }
}

/// Returns what other dialects wrote in sessions of theirs. A session is the scope of what was
/// stored through these tools; to other dialects it is only the occasion of a memory.
async fn other_dialects(
    engine: &Engine,
    caller: &Caller,
    input: RecallRequest,
    known: &[MemoryHit],
) -> Result<Vec<MemoryHit>, Failure> {
    let limit = input.limit;
    let everywhere = RecallRequest {
        within: None,
        include_weak: false,
        limit: Some(CodeMemorySettings::TOP_K_MAX),
        ..input
    };
    let mut found = engine.memories().recall(caller, &everywhere).await?.hits;
    found.retain(|hit| {
        hit.memory.provenance.author.dialect != Dialect::CodeMemory
            && known.iter().all(|one| one.memory.id != hit.memory.id)
    });
    found.truncate(limit.unwrap_or(CodeMemorySettings::TOP_K_MAX));
    Ok(found)
}

fn render_item(names: &SessionNames, one: &ranking::ScoredHit<'_>) -> Value {
    let mut item = names.memory(&one.hit.memory);
    if let Some(cut) = &one.hit.excerpt {
        item.insert("content".into(), cut.as_str().into());
        item.insert("cut".into(), true.into());
    }
    insert_marks(&mut item, &one.hit.marks(), marks::PLAIN);
    item.insert("score".into(), json!((one.score * 1e4).round() / 1e4));
    item.insert("fts_hit".into(), one.fts_hit.into());
    Value::Object(item)
}
