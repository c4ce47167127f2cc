//! Recall: memories that answer a question, ranked, without repetitions, within a token budget.
//! Superseded, rejected, retired and expired memories never appear unless the request asks for the
//! past.

mod excerpt;
mod newer_first;
mod result_collector;
mod turns_below;
mod update_order;

use crate::Memories;
use crate::briefing::BUDGET_TOKENS;
use crate::review::{ReviewMark, review_marks};
use crate::sessions::SessionRef;
use crate::sessions::{find_session, require_session};
use crate::transcripts::is_turn;
use ::recall::{AnswerConfidence, RankedMemory, RankingWeights, ScoreParts};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::search::{SearchModes, SearchRequest, SearchResults};
use excerpt::ExcerptQuestion;
use guard::Resource;
use index::{Filter, StatusFilter};
use model::{Failure, Memory, MemoryId, Moment, Permission, SessionId, Source, limits};
use newer_first::newer_first;
pub(crate) use newer_first::{TitledTexts, newer_statements};
use result_collector::{AnswerBounds, ResultCollector};
use std::collections::HashMap;
use turns_below::{WINDOW, turns_below};
use update_order::newer_restatement_first;

/// Default number of memories.
const LIMIT: usize = 10;
const LIMIT_MAX: usize = 100;
// Repetitions are collapsed after ranking, so that some more than the limit are fetched.
const SPARE: usize = 10;

/// Input of [`Memories::recall`]. An empty list does not restrict.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecallRequest {
    /// Any text; an empty one lists the newest memories.
    pub query: String,
    pub projects: Vec<String>,
    pub sessions: Vec<SessionRef>,
    /// This session and memories without a session. An unknown session contains nothing.
    pub within: Option<SessionRef>,
    pub kinds: Vec<String>,
    /// Any of these is enough.
    pub tags: Vec<String>,
    pub collections: Vec<String>,
    pub agents: Vec<String>,
    pub ids: Vec<MemoryId>,
    /// Earliest moment, inclusive.
    pub since: Option<Moment>,
    /// Latest moment, inclusive.
    pub until: Option<Moment>,
    /// State of knowledge at this moment.
    pub as_of: Option<Moment>,
    /// 10 when missing, at most 100.
    pub limit: Option<usize>,
    /// [`BUDGET_TOKENS`] when missing.
    pub budget_tokens: Option<usize>,
    /// Adds the parts of the score to each hit.
    pub explain: bool,
    /// Includes matches so weak that no answer would be the better one, marked as weak.
    pub include_weak: bool,
    /// Looks for what may bear on a text that nobody asked the memory, such as the prompt of a
    /// coding agent. It counts as no question.
    pub is_unasked: bool,
    /// Search by words, by meaning, or both. With neither, a question lists the newest memories.
    pub search_modes: SearchModes,
}

impl RecallRequest {
    /// Creates a request with a query alone.
    #[must_use]
    pub fn query(query: impl Into<String>) -> Self {
        Self { query: query.into(), ..Self::default() }
    }
}

/// A recalled memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryHit {
    pub memory: Memory,
    /// Sentences of the text that bear most on the question, when the whole did not fit the budget.
    pub excerpt: Option<String>,
    /// Ranking score; comparable only within one recall.
    pub score: f32,
    /// Similarity to the question, 0 to 1; 0.7 is the weakest answer, for any question.
    pub similarity: f32,
    /// Similarity combined with all other factors, on the same scale.
    pub strength: f32,
    /// Parts of the score, if requested.
    pub parts: Vec<(&'static str, f32)>,
    /// Memories that say the same, which are not shown.
    pub repetitions: Vec<MemoryId>,
    /// Newer memory that gives another value to the same, or denies it.
    pub newer: Option<MemoryId>,
    /// Open review item about the memory.
    pub under_review: Option<ReviewMark>,
}

impl MemoryHit {
    /// Creates a hit that shows the whole text, without marks.
    fn new(memory: Memory, parts: &ScoreParts, explain: bool) -> Self {
        let weights = RankingWeights::default();
        Self {
            memory,
            excerpt: None,
            score: parts.total(),
            similarity: parts.similarity(&weights),
            strength: parts.strength(&weights),
            parts: if explain { parts.by_name() } else { Vec::new() },
            repetitions: Vec::new(),
            newer: None,
            under_review: None,
        }
    }

    /// Scales what lies above the weakest answer by the evidence for the whole result, so that a
    /// similar memory does not look like an answer. The order stays.
    fn weaken(&mut self, evidence: f32) {
        for value in [&mut self.similarity, &mut self.strength] {
            let above = (*value - ScoreParts::ANSWER_MIN).max(0.0);
            *value -= (1.0 - evidence) * above;
        }
    }
}

/// Result of a recall.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallResults {
    /// Best first.
    pub hits: Vec<MemoryHit>,
    /// Probability from 0 to 1 that the first hits answer the question; `None` without a question.
    /// For a text that nobody asked, the evidence alone.
    pub confidence: Option<f32>,
    /// True if the hits may only be similar to the question, or there is none.
    pub weak: bool,
    /// Number of further matches.
    pub left_out: usize,
    /// Id of the embedder; `None` when only words were searched.
    pub embedder: Option<String>,
    /// Reason why only words were searched although there is an embedder.
    pub words_only_reason: Option<String>,
}

impl<'e> Memories<'e> {
    /// Returns the memories that answer a question.
    ///
    /// # Errors
    /// Fails when the query is too long, a session is unknown, or the store cannot be read.
    pub fn recall(
        self,
        caller: &'e Caller,
        input: &'e RecallRequest,
    ) -> UseCaseFuture<'e, RecallResults> {
        Box::pin(async move {
            let call = Call::begin_any(
                self.core,
                caller,
                &self.requested_resources(caller, input).await?,
                Permission::Read,
                input,
            )
            .await?;
            let request = SearchRequest::new(&call, &input.query, input.search_modes)?;
            // The floor that separates answers from noise is a weight of the ranking.
            let request = if input.include_weak { request.include_weak() } else { request };
            let filter = filter_of(&call, input).await?;
            let mut found = request.run(&call, &filter).await?;
            if withholds(input, &found) {
                found.ranked.clear();
            }
            let hits = self.collect_hits(&call, input, &filter, &found).await?;
            let SearchResults { ranked, embedding, confidence, .. } = found;
            let shown: Vec<MemoryId> = hits.iter().map(|hit| hit.memory.id).collect();
            let repeated: usize = hits.iter().map(|hit| hit.repetitions.len()).sum();
            let weak = confidence.as_ref().is_some_and(AnswerConfidence::is_weak);
            let unanswered = confidence.as_ref().is_some_and(AnswerConfidence::is_no_answer);
            let answers = if unanswered { 0 } else { shown.len() };
            self.log_recall(&call, input, &shown, answers).await?;
            Ok(RecallResults {
                left_out: ranked.len().saturating_sub(hits.len() + repeated),
                embedder: embedding.is_available().then(|| self.core.embedder().model().id.clone()),
                words_only_reason: embedding.failure(),
                weak,
                confidence: confidence.map(|confidence| stated_confidence(input, &confidence)),
                hits,
            })
        })
    }

    /// Logs the shown memories. Only a search of the whole memory counts as a question: not an
    /// empty query, not a search among given ids, not one of the past, and none of the dashboard.
    /// `answers` is the number of results, and 0 where they probably answer nothing.
    async fn log_recall(
        self,
        call: &Call<'_>,
        input: &RecallRequest,
        shown: &[MemoryId],
        answers: usize,
    ) -> Result<(), Failure> {
        let note = format!("recalled {}", shown.len());
        let is_question =
            !input.query.trim().is_empty() && input.ids.is_empty() && input.as_of.is_none();
        let is_question = is_question && !input.is_unasked;
        // The owner's own looking is not what agents ask.
        if !is_question || call.is_browsing() {
            call.note_shown(note, shown).await;
            return Ok(());
        }
        let asked = self.core.asked(call, &input.query, answers);
        call.note_question(note, shown, asked).await;
        Ok(())
    }

    /// Returns the resources that a request names: each collection, and the table whose rows are
    /// described in it. A caller who may read none of them is refused, instead of getting an empty
    /// result.
    async fn requested_resources(
        self,
        caller: &Caller,
        input: &RecallRequest,
    ) -> Result<Vec<Resource>, Failure> {
        if input.collections.is_empty() {
            return Ok(vec![Resource::Memories(None)]);
        }
        let tables = self.core.store_of(&caller.owner).tables().await?;
        let of_rows =
            input.collections.iter().filter(|name| tables.iter().any(|table| table.name == **name));
        let collections =
            input.collections.iter().map(|name| Resource::for_source(Source::new(name, None)));
        Ok(collections.chain(of_rows.map(|name| Resource::Tables(Some(name.clone())))).collect())
    }

    /// Reads the best memories, collapses repetitions and fills the budget.
    async fn collect_hits(
        self,
        call: &Call<'_>,
        input: &RecallRequest,
        filter: &Filter,
        found: &SearchResults,
    ) -> Result<Vec<MemoryHit>, Failure> {
        let ranked = &found.ranked;
        let limit = input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let ids: Vec<MemoryId> = ranked.iter().take(limit + SPARE).map(|one| one.id).collect();
        let mut memories = self.core.still_current(call, &ids, &filter.status).await?;
        let window = WINDOW.max(limit + SPARE);
        let by_id: HashMap<MemoryId, &RankedMemory> =
            ranked.iter().take(window).map(|one| (one.id, one)).collect();
        if weighs_turns(input) && memories.iter().any(is_turn) {
            let ids: Vec<MemoryId> = ranked.iter().take(window).map(|one| one.id).collect();
            memories = self.core.still_current(call, &ids, &filter.status).await?;
            turns_below(&mut memories, &by_id);
            memories.truncate(limit + SPARE);
        }
        // A list of the newest, or of what held in the past, keeps its order.
        let asks = !input.query.trim().is_empty() && input.as_of.is_none();
        let texts = TitledTexts::new(&memories);
        let texts = texts.lazy();
        let mut marks = marks_of(call, input, &memories).await?;
        let newer = match asks {
            true => newer_first(&mut memories, &texts, &marks),
            false => HashMap::new(),
        };
        let confidence = found.confidence.as_ref();
        if let Some(confidence) = confidence.filter(|_| asks) {
            newer_restatement_first(&mut memories, &by_id, &confidence.words, &texts);
        }
        let weak = confidence.filter(|confidence| confidence.is_weak());
        let bounds = AnswerBounds {
            limit,
            tokens: input.budget_tokens.unwrap_or(BUDGET_TOKENS),
            is_weak: weak.is_some(),
            reader: &call.caller.author.agent,
        };
        let question = confidence.map(|it| ExcerptQuestion::new(&it.words)).unwrap_or_default();
        let mut answer = ResultCollector::new(bounds, question, &found.passages);
        for memory in memories {
            let Some(text) = texts.get(&memory.id) else { continue };
            let parts = by_id.get(&memory.id).map(|one| one.parts).unwrap_or_default();
            let mut hit = MemoryHit::new(memory, &parts, input.explain);
            hit.newer = newer.get(&hit.memory.id).copied();
            hit.under_review = marks.remove(&hit.memory.id);
            if let Some(confidence) = weak {
                hit.weaken(confidence.evidence);
            }
            answer.offer(hit, text);
        }
        Ok(answer.finish())
    }
}

/// Returns the open reviews about memories. A review is about the present, so results of the past
/// carry none.
async fn marks_of(
    call: &Call<'_>,
    input: &RecallRequest,
    memories: &[Memory],
) -> Result<HashMap<MemoryId, ReviewMark>, Failure> {
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    if input.as_of.is_some() { Ok(HashMap::new()) } else { review_marks(call, &ids).await }
}

/// Returns true if turns of transcripts are weighed below statements: in a search of everything,
/// not in one that asks for them, for a session, or for what is newest.
fn weighs_turns(input: &RecallRequest) -> bool {
    !input.query.trim().is_empty()
        && input.collections.is_empty()
        && input.sessions.is_empty()
        && input.ids.is_empty()
}

/// Returns the confidence that a result states. Questions about a conversation mostly have an
/// answer in it; a text that nobody asked the memory is no such question, so the evidence alone
/// counts.
fn stated_confidence(input: &RecallRequest, confidence: &AnswerConfidence) -> f32 {
    if input.is_unasked { confidence.evidence } else { confidence.probability }
}

/// Returns true if the question is answered with nothing: what was found is not about it. Memories
/// that the caller named by their ids are always returned.
fn withholds(input: &RecallRequest, found: &SearchResults) -> bool {
    let is_unknown = found.confidence.as_ref().is_some_and(AnswerConfidence::is_nothing_known);
    is_unknown && !input.include_weak && input.ids.is_empty() && input.search_modes.words
}

async fn filter_of(call: &Call<'_>, input: &RecallRequest) -> Result<Filter, Failure> {
    limits::count("ids", input.ids.len(), limits::IDS_PER_CALL)?;
    Ok(Filter {
        status: input.as_of.map_or(StatusFilter::Current, StatusFilter::AsOf),
        ids: (!input.ids.is_empty()).then(|| input.ids.clone()),
        kinds: input.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect(),
        collections: input.collections.clone(),
        projects: input.projects.clone(),
        sessions: session_ids(call, input).await?,
        or_no_session: input.within.is_some(),
        agents: input.agents.clone(),
        tags_any: input
            .tags
            .iter()
            .map(|tag| tag.trim().to_owned())
            .filter(|tag| !tag.is_empty())
            .collect(),
        since: input.since,
        until: input.until,
        ..call.filter()
    })
}

async fn session_ids(call: &Call<'_>, input: &RecallRequest) -> Result<Vec<SessionId>, Failure> {
    let mut ids = Vec::new();
    for session in &input.sessions {
        ids.push(match session {
            SessionRef::Id(id) => *id,
            SessionRef::Key(_) => require_session(call, session).await?.id,
        });
    }
    if let Some(session) = &input.within {
        ids.extend(find_session(call, session).await?.map(|session| session.id));
    }
    Ok(ids)
}
