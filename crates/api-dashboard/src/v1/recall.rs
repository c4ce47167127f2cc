//! Operations for recall, the briefing, and exploring links.

use super::json::{EntityJson, HandoffJson, MemoryJson, NamedCount, named_counts};
use super::memories::{IdPath, LinkJson, parse_moment};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::briefing::BriefingRequest;
use engine::explore::ExploreRequest;
use engine::recall::{MemoryHit, RecallRequest};
use engine::sessions::SessionRef;
use model::{Failure, JsonMap, MemoryId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question with filters. A missing field does not filter.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallBody {
    /// Question; an empty one lists the newest memories.
    #[serde(default)]
    query: String,
    /// Kinds of the memories.
    #[serde(default)]
    kinds: Vec<String>,
    /// Tags, any of which the memory has.
    #[serde(default)]
    tags: Vec<String>,
    /// Names of projects.
    #[serde(default)]
    projects: Vec<String>,
    /// Names of collections.
    #[serde(default)]
    collections: Vec<String>,
    /// Names of agents.
    #[serde(default)]
    agents: Vec<String>,
    /// Ids of sessions.
    #[serde(default)]
    sessions: Vec<i64>,
    /// Start of the period.
    since: Option<String>,
    /// End of the period.
    until: Option<String>,
    /// Point in time: answers with what was known then.
    as_of: Option<String>,
    /// Maximum number of memories; default 10.
    limit: Option<u16>,
    /// Maximum number of tokens.
    budget_tokens: Option<u32>,
    /// True to include the score breakdown.
    #[serde(default)]
    explain: bool,
}

/// Results of a recall.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecallJson {
    /// Hits, best first.
    hits: Vec<HitJson>,
    /// Number of further matches that are not shown.
    left_out: usize,
    /// Embedding model used; missing when only keywords were searched.
    embedder: Option<String>,
}

/// A memory found by recall.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitJson {
    memory: MemoryJson,
    /// Beginning of the text, when the whole text exceeds the budget.
    cut: Option<String>,
    /// Score; comparable only within one recall.
    score: f32,
    /// Score breakdown, when requested.
    parts: Vec<ScorePartJson>,
    /// Ids of memories with the same content that are not shown.
    alike: Vec<i64>,
    /// Open review item about the memory, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    under_review: Option<String>,
}

/// Component of a score.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ScorePartJson {
    name: &'static str,
    value: f32,
}

impl From<MemoryHit> for HitJson {
    fn from(hit: MemoryHit) -> Self {
        Self {
            memory: hit.memory.into(),
            cut: hit.excerpt,
            score: hit.score,
            parts: hit
                .parts
                .into_iter()
                .map(|(name, value)| ScorePartJson { name, value })
                .collect(),
            alike: hit.repetitions.iter().map(|id| id.0).collect(),
            under_review: hit.under_review.map(|mark| mark.description()),
        }
    }
}

pub(super) async fn recall(
    context: RequestContext,
    _: NoFields,
    input: RecallBody,
) -> Result<ApiResponse<RecallJson>, Failure> {
    let recall = RecallRequest {
        query: input.query,
        kinds: input.kinds,
        tags: input.tags,
        projects: input.projects,
        collections: input.collections,
        agents: input.agents,
        sessions: input.sessions.into_iter().map(|id| SessionRef::Id(SessionId(id))).collect(),
        since: parse_moment(input.since.as_deref())?,
        until: parse_moment(input.until.as_deref())?,
        as_of: parse_moment(input.as_of.as_deref())?,
        limit: input.limit.map(usize::from),
        budget_tokens: input.budget_tokens.and_then(|tokens| usize::try_from(tokens).ok()),
        explain: input.explain,
        ..RecallRequest::default()
    };
    let recalled = context.engine.memories().recall(&context.caller, &recall).await?;
    let hits = recalled.hits.into_iter().map(HitJson::from).collect();
    ApiResponse::new(RecallJson { hits, left_out: recalled.left_out, embedder: recalled.embedder })
}

/// Parameters of a briefing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BriefingQuery {
    /// Name of the project.
    project: Option<String>,
    /// Maximum number of tokens.
    budget_tokens: Option<u32>,
}

/// Briefing for a new session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BriefingJson {
    /// Profile of the owner, as much of it as fits.
    profile: JsonMap,
    /// Summary of the last session.
    episode: Option<MemoryJson>,
    /// Open handoffs, without their documents.
    handoffs: Vec<HandoffJson>,
    /// Recent decisions.
    decisions: Vec<MemoryJson>,
    /// Important and recent memories.
    notable: Vec<MemoryJson>,
    /// Most mentioned entities.
    entities: Vec<EntityJson>,
    /// Number of active memories by project.
    projects: Vec<NamedCount>,
    /// Approximate number of tokens.
    tokens: usize,
}

pub(super) async fn briefing(
    context: RequestContext,
    _: NoFields,
    input: BriefingQuery,
) -> Result<ApiResponse<BriefingJson>, Failure> {
    let tokens = input.budget_tokens.and_then(|tokens| usize::try_from(tokens).ok());
    let brief = BriefingRequest { project: input.project, budget_tokens: tokens };
    let briefing = context.engine.memories().briefing(&context.caller, &brief).await?;
    ApiResponse::new(BriefingJson {
        profile: briefing.profile,
        episode: briefing.episode.map(MemoryJson::from),
        handoffs: briefing.handoffs.into_iter().map(HandoffJson::from).collect(),
        decisions: briefing.decisions.into_iter().map(MemoryJson::from).collect(),
        notable: briefing.notable.into_iter().map(MemoryJson::from).collect(),
        entities: briefing.entities.into_iter().map(EntityJson::from).collect(),
        projects: named_counts(briefing.inventory.projects),
        tokens: briefing.tokens,
    })
}

/// Bounds of the exploration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExploreQuery {
    /// Maximum number of links away; default 2.
    depth: Option<u8>,
    /// Maximum number of memories; default 20.
    limit: Option<u16>,
    /// True to include memories that are no longer active.
    #[serde(default)]
    history: bool,
}

/// Memories linked to a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExploreJson {
    /// Memories, nearest first.
    memories: Vec<ExploredMemoryJson>,
    /// Links between the memories.
    links: Vec<LinkJson>,
}

/// A linked memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExploredMemoryJson {
    memory: MemoryJson,
    /// Number of links away.
    depth: usize,
}

pub(super) async fn explore(
    context: RequestContext,
    path: IdPath,
    input: ExploreQuery,
) -> Result<ApiResponse<ExploreJson>, Failure> {
    let explore = ExploreRequest {
        depth: input.depth.map(usize::from),
        limit: input.limit.map(usize::from),
        with_history: input.history,
        ..ExploreRequest::around(MemoryId(path.id))
    };
    let explored = context.engine.graph().explore(&context.caller, &explore).await?;
    let visited = explored.visits.into_iter();
    let between = explored.between.into_iter();
    ApiResponse::new(ExploreJson {
        memories: visited
            .map(|(memory, depth)| ExploredMemoryJson { memory: memory.into(), depth })
            .collect(),
        links: between
            .map(|edge| LinkJson {
                source: edge.source.0,
                target: edge.target.0,
                kind: edge.kind.name(),
                label: edge.kind.words(),
                weight: edge.weight,
            })
            .collect(),
    })
}
