//! Operations for recall, the briefing, and exploring links.

use super::memories::{ById, LinkShown, moment};
use super::shown::{Counted, EntityShown, HandoffShown, MemoryShown, counted};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::briefing::Brief;
use engine::explore::Explore;
use engine::recall::{Hit, Recall};
use engine::sessions::SessionRef;
use model::{Failure, JsonMap, MemoryId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question with filters. A missing field does not filter.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
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
pub(crate) struct Recollection {
    /// Hits, best first.
    hits: Vec<HitShown>,
    /// Number of further matches that are not shown.
    left_out: usize,
    /// Embedding model used; missing when only keywords were searched.
    embedder: Option<String>,
}

/// A memory found by recall.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitShown {
    memory: MemoryShown,
    /// Beginning of the text, when the whole text exceeds the budget.
    cut: Option<String>,
    /// Score; comparable only within one recall.
    score: f32,
    /// Score breakdown, when requested.
    parts: Vec<Part>,
    /// Ids of memories with the same content that are not shown.
    alike: Vec<i64>,
}

/// Component of a score.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Part {
    name: &'static str,
    value: f32,
}

impl From<Hit> for HitShown {
    fn from(hit: Hit) -> Self {
        Self {
            memory: hit.memory.into(),
            cut: hit.cut,
            score: hit.score,
            parts: hit.parts.into_iter().map(|(name, value)| Part { name, value }).collect(),
            alike: hit.alike.iter().map(|id| id.0).collect(),
        }
    }
}

pub(super) async fn recall(
    context: Desk,
    _: Nothing,
    input: Question,
) -> Result<Answer<Recollection>, Failure> {
    let recall = Recall {
        query: input.query,
        kinds: input.kinds,
        tags: input.tags,
        projects: input.projects,
        collections: input.collections,
        agents: input.agents,
        sessions: input.sessions.into_iter().map(|id| SessionRef::Id(SessionId(id))).collect(),
        since: moment(input.since.as_deref())?,
        until: moment(input.until.as_deref())?,
        as_of: moment(input.as_of.as_deref())?,
        limit: input.limit.map(usize::from),
        budget_tokens: input.budget_tokens.and_then(|tokens| usize::try_from(tokens).ok()),
        explain: input.explain,
        ..Recall::default()
    };
    let recalled = context.engine.memories().recall(&context.caller, &recall).await?;
    let hits = recalled.hits.into_iter().map(HitShown::from).collect();
    Answer::of(Recollection { hits, left_out: recalled.left_out, embedder: recalled.embedder })
}

/// Parameters of a briefing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Briefed {
    /// Name of the project.
    project: Option<String>,
    /// Maximum number of tokens.
    budget_tokens: Option<u32>,
}

/// Briefing for a new session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BriefingShown {
    /// Profile of the owner, as much of it as fits.
    profile: JsonMap,
    /// Summary of the last session.
    episode: Option<MemoryShown>,
    /// Open handoffs, without their documents.
    handoffs: Vec<HandoffShown>,
    /// Recent decisions.
    decisions: Vec<MemoryShown>,
    /// Important and recent memories.
    notable: Vec<MemoryShown>,
    /// Most mentioned entities.
    entities: Vec<EntityShown>,
    /// Number of active memories by project.
    projects: Vec<Counted>,
    /// Approximate number of tokens.
    tokens: usize,
}

pub(super) async fn briefing(
    context: Desk,
    _: Nothing,
    input: Briefed,
) -> Result<Answer<BriefingShown>, Failure> {
    let tokens = input.budget_tokens.and_then(|tokens| usize::try_from(tokens).ok());
    let brief = Brief { project: input.project, budget_tokens: tokens };
    let briefing = context.engine.memories().briefing(&context.caller, &brief).await?;
    Answer::of(BriefingShown {
        profile: briefing.profile,
        episode: briefing.episode.map(MemoryShown::from),
        handoffs: briefing.handoffs.into_iter().map(HandoffShown::from).collect(),
        decisions: briefing.decisions.into_iter().map(MemoryShown::from).collect(),
        notable: briefing.notable.into_iter().map(MemoryShown::from).collect(),
        entities: briefing.entities.into_iter().map(EntityShown::from).collect(),
        projects: counted(briefing.exists.projects),
        tokens: briefing.tokens,
    })
}

/// Bounds of the exploration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reach {
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
pub(crate) struct Walked {
    /// Memories, nearest first.
    memories: Vec<Visited>,
    /// Links between the memories.
    links: Vec<LinkShown>,
}

/// A linked memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Visited {
    memory: MemoryShown,
    /// Number of links away.
    depth: usize,
}

pub(super) async fn explore(
    context: Desk,
    path: ById,
    input: Reach,
) -> Result<Answer<Walked>, Failure> {
    let explore = Explore {
        depth: input.depth.map(usize::from),
        limit: input.limit.map(usize::from),
        with_history: input.history,
        ..Explore::around(MemoryId(path.id))
    };
    let explored = context.engine.graph().explore(&context.caller, &explore).await?;
    let visited = explored.visits.into_iter();
    let between = explored.between.into_iter();
    Answer::of(Walked {
        memories: visited.map(|(memory, depth)| Visited { memory: memory.into(), depth }).collect(),
        links: between
            .map(|edge| LinkShown {
                source: edge.source.0,
                target: edge.target.0,
                kind: edge.kind.name(),
                weight: edge.weight,
            })
            .collect(),
    })
}
