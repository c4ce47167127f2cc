//! Recall, the briefing, and walks along links.

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

/// A question. Whatever is missing lets all through.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The question; an empty one lists the newest.
    #[serde(default)]
    query: String,
    /// Only of these kinds.
    #[serde(default)]
    kinds: Vec<String>,
    /// Only with any of these labels.
    #[serde(default)]
    tags: Vec<String>,
    /// Only of these projects.
    #[serde(default)]
    projects: Vec<String>,
    /// Only from these drawers.
    #[serde(default)]
    collections: Vec<String>,
    /// Only by these agents.
    #[serde(default)]
    agents: Vec<String>,
    /// Only of these sessions.
    #[serde(default)]
    sessions: Vec<i64>,
    /// Only from this moment on.
    since: Option<String>,
    /// Only up to this moment.
    until: Option<String>,
    /// As it was known at that moment.
    as_of: Option<String>,
    /// How many at most; 10 when missing.
    limit: Option<u16>,
    /// How many tokens at most.
    budget_tokens: Option<u32>,
    /// Whether each hit tells how its score came about.
    #[serde(default)]
    explain: bool,
}

/// What is known about a question.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Recollection {
    /// The answers, best first.
    hits: Vec<HitShown>,
    /// How many more match and are not shown.
    left_out: usize,
    /// The embedder whose vectors helped.
    embedder: Option<String>,
}

/// A memory that answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HitShown {
    memory: MemoryShown,
    /// The beginning of its text, when the whole did not fit the budget.
    cut: Option<String>,
    /// How well it answers; only comparable within one recall.
    score: f32,
    /// How the score came about, when asked.
    parts: Vec<Part>,
    /// Memories that say the same, and are not shown.
    alike: Vec<i64>,
}

/// A part of a score.
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
    desk: Desk,
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
    let recalled = desk.engine.memories().recall(&desk.caller, &recall).await?;
    let hits = recalled.hits.into_iter().map(HitShown::from).collect();
    Answer::of(Recollection { hits, left_out: recalled.left_out, embedder: recalled.embedder })
}

/// What to be briefed on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Briefed {
    /// The project.
    project: Option<String>,
    /// How many tokens it may cost.
    budget_tokens: Option<u32>,
}

/// What a new session should know.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BriefingShown {
    /// About the owner, as much of it as fits.
    profile: JsonMap,
    /// How the last session ended.
    episode: Option<MemoryShown>,
    /// Work that waits to be taken up, without the documents.
    handoffs: Vec<HandoffShown>,
    /// What was decided lately.
    decisions: Vec<MemoryShown>,
    /// What is most important or was written last.
    notable: Vec<MemoryShown>,
    /// Who and what is talked about most.
    entities: Vec<EntityShown>,
    /// Active memories by project.
    projects: Vec<Counted>,
    /// What it costs, roughly.
    tokens: usize,
}

pub(super) async fn briefing(
    desk: Desk,
    _: Nothing,
    input: Briefed,
) -> Result<Answer<BriefingShown>, Failure> {
    let tokens = input.budget_tokens.and_then(|tokens| usize::try_from(tokens).ok());
    let brief = Brief { project: input.project, budget_tokens: tokens };
    let briefing = desk.engine.memories().briefing(&desk.caller, &brief).await?;
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

/// How far to walk.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reach {
    /// How many links away at most; 2 when missing.
    depth: Option<u8>,
    /// How many memories at most; 20 when missing.
    limit: Option<u16>,
    /// Whether memories that no longer hold are walked over too.
    #[serde(default)]
    history: bool,
}

/// What a walk came by.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Walked {
    /// The memories, nearest first.
    memories: Vec<Visited>,
    /// Every link between them.
    links: Vec<LinkShown>,
}

/// A memory that a walk came by.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Visited {
    memory: MemoryShown,
    /// How many links away it is.
    depth: usize,
}

pub(super) async fn explore(
    desk: Desk,
    path: ById,
    input: Reach,
) -> Result<Answer<Walked>, Failure> {
    let explore = Explore {
        depth: input.depth.map(usize::from),
        limit: input.limit.map(usize::from),
        with_history: input.history,
        ..Explore::around(MemoryId(path.id))
    };
    let explored = desk.engine.graph().explore(&desk.caller, &explore).await?;
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
