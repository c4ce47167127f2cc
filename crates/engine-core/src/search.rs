//! Search in the view: by the words and the meaning of a question, and for memories on the same
//! subject as a text.

use crate::Core;
use crate::call::{Call, internal};
use crate::embedding::QuestionEmbedding;
use crate::views::OwnerView;
use index::{DocSet, Filter, QueryTerm, QueryTerms, StatusFilter, View};
use metrics::TRACE_TARGET;
use model::{Failure, Memory, MemoryId, Moment, Status, limits};
use recall::{
    AnswerConfidence, CorrectedQuestion, RankedMemory, RankingWeights, passage_similarities, rank,
    without_speaker_names,
};
use std::collections::HashMap;
use std::sync::Arc;

// More words would find more candidates than a write can compare; the rarest are the most telling.
const RARE_WORDS: usize = 6;
/// Results whose passages are compared with the question: those that an answer of the default limit
/// may show.
const COMPARED_RESULTS: usize = 30;

/// Ways to compare a question with memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchModes {
    /// Words in common.
    pub words: bool,
    /// Likeness in meaning.
    pub embedding: bool,
}

impl Default for SearchModes {
    fn default() -> Self {
        Self { words: true, embedding: true }
    }
}

/// A search of an owner's view, as a caller asked for it.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    text: String,
    /// True when the question is to be embedded.
    by_meaning: bool,
    /// Ranking weights; those of words are 0 for a search by meaning alone.
    weights: RankingWeights,
}

/// Result of a search.
pub struct SearchResults {
    /// The memories that answer, best first.
    pub ranked: Vec<RankedMemory>,
    /// The embedding of the question, or the reason why there is none.
    pub embedding: QuestionEmbedding,
    /// Confidence that the memories answer the question; `None` without a question.
    pub confidence: Option<AnswerConfidence>,
    /// Similarity to the question of each passage of the first memories.
    pub passages: HashMap<MemoryId, Vec<f32>>,
}

impl SearchRequest {
    /// Creates a search by words, by meaning or both.
    pub fn new(call: &Call<'_>, text: &str, modes: SearchModes) -> Result<Self, Failure> {
        limits::bytes("query", text, limits::QUERY_BYTES)?;
        let mut weights = call.core.ranking;
        // Near words and word pairs are words too.
        if !modes.words {
            weights = RankingWeights { words: 0.0, bigrams: 0.0, near_words: 0.0, ..weights };
        }
        let is_empty = text.trim().is_empty() || !(modes.words || modes.embedding);
        let text = if is_empty { String::new() } else { text.to_owned() };
        Ok(Self { text, by_meaning: !is_empty && modes.embedding, weights })
    }

    /// Accepts even the weakest match as an answer.
    #[must_use]
    pub fn include_weak(mut self) -> Self {
        self.weights.floor = 0.0;
        self
    }

    /// Returns the memories that pass a filter and answer the question, best first.
    pub async fn run(&self, call: &Call<'_>, filter: &Filter) -> Result<SearchResults, Failure> {
        let dimensions = call.core.embedder.dimensions();
        let view = call.view().await?;
        let results = self.run_once(call, &view, filter).await?;
        let is_complete = call.core.embedder.dimensions() == dimensions;
        if is_complete && !view.read(View::is_damaged) {
            return Ok(results);
        }
        // The embedder answered for the first time, so the view can take its vectors only from now
        // on; or the search has read a damaged part of the snapshot, and the view is built again.
        self.run_once(call, &call.view().await?, filter).await
    }

    async fn run_once(
        &self,
        call: &Call<'_>,
        view: &Arc<OwnerView>,
        filter: &Filter,
    ) -> Result<SearchResults, Failure> {
        let view = Arc::clone(view);
        let (task, filter) = (SearchTask::new(self, call), filter.clone());
        let embedder = Arc::clone(&call.core.embedder);
        // The embedder and the ranking keep a core busy, one after the other. One blocking thread
        // does both, so that the threads that answer others are never kept waiting.
        let search = move || {
            let (asked, mut question, text) = view.read(|view| {
                let (asked, question) = task.correct_and_prepare(view, &filter);
                let text = task.text_to_embed(view, &asked);
                (asked, question, text)
            });
            let embedding = QuestionEmbedding::embed(text, &*embedder);
            embedding.apply(&mut question, &*embedder);
            let (ranked, confidence, passages) = view.read(|view| {
                let within = view.filter(&filter, question.now);
                let weights = &task.request.weights.for_question(view, &within, &asked);
                let ranked = rank(view, &question, &within, weights);
                let asked = (asked.as_str(), &question);
                let estimate =
                    || AnswerConfidence::estimate(view, &within, asked, &ranked, weights);
                let confidence = (!question.is_empty()).then(estimate);
                let first = &ranked[..ranked.len().min(COMPARED_RESULTS)];
                let passages = passage_similarities(view, &question, first);
                (ranked, confidence, passages)
            });
            SearchResults { ranked, embedding, confidence, passages }
        };
        let span = tracing::info_span!(target: TRACE_TARGET, "search");
        tokio::task::spawn_blocking(move || span.in_scope(search)).await.map_err(internal)
    }

    /// Returns the ranking question with its embedding, for [`SearchRequest::rank`].
    pub async fn question(&self, call: &Call<'_>) -> Result<recall::RecallQuery, Failure> {
        let view = call.view().await?;
        let task = SearchTask::new(self, call);
        let embedder = Arc::clone(&call.core.embedder);
        let embed = move || {
            let mut question = task.prepare(&task.request.text);
            let text = view.read(|view| task.text_to_embed(view, &task.request.text));
            QuestionEmbedding::embed(text, &*embedder).apply(&mut question, &*embedder);
            question
        };
        let span = tracing::Span::current();
        tokio::task::spawn_blocking(move || span.in_scope(embed)).await.map_err(internal)
    }

    /// Ranks the memories of a view that pass a filter.
    #[must_use]
    pub fn rank(
        &self,
        view: &View,
        question: &recall::RecallQuery,
        filter: &Filter,
    ) -> Vec<RankedMemory> {
        rank_filtered(view, question, filter, &self.weights)
    }

    /// Ranks the memories of a document set.
    #[must_use]
    pub fn rank_within(
        &self,
        view: &View,
        question: &recall::RecallQuery,
        within: &DocSet,
    ) -> Vec<RankedMemory> {
        rank(view, question, within, &self.weights)
    }

    /// Returns the similarity of a ranked memory by itself, from 0 to 1; 0.7 is the weakest answer.
    #[must_use]
    pub fn similarity(&self, ranked: &RankedMemory) -> f32 {
        ranked.parts.similarity(&self.weights)
    }
}

/// A search with what it needs of its call, so that another thread can do it.
struct SearchTask {
    request: SearchRequest,
    now: Moment,
    project: Option<String>,
}

impl SearchTask {
    fn new(request: &SearchRequest, call: &Call<'_>) -> Self {
        let project = call.caller.environment.project.clone();
        Self { request: request.clone(), now: call.at, project }
    }

    /// Returns the question in the spelling of the memories that it searches, as text and for the
    /// ranking.
    fn correct_and_prepare(&self, view: &View, filter: &Filter) -> (String, recall::RecallQuery) {
        let text = &self.request.text;
        let correct = || CorrectedQuestion::correct(view, &view.filter(filter, self.now), text);
        let corrects = self.request.weights.correct_spelling && !text.is_empty();
        match corrects.then(correct).flatten() {
            Some(corrected) => {
                let mut question = self.prepare(&corrected.text);
                question.terms.terms.extend(corrected.terms);
                (corrected.text, question)
            }
            None => (text.clone(), self.prepare(text)),
        }
    }

    /// Returns the ranking question of a text, without its embedding.
    fn prepare(&self, text: &str) -> recall::RecallQuery {
        let times = dates::dates(text, self.now.0);
        recall::RecallQuery {
            events: events(text, &times),
            times: times.iter().map(|span| (Moment(span.from_us), Moment(span.until_us))).collect(),
            project: self.project.clone(),
            ..recall::RecallQuery::from_text(text, self.now)
        }
    }

    /// Returns the text to embed, if any.
    fn text_to_embed(&self, view: &View, text: &str) -> Option<String> {
        // The name of a speaker is in every message of a conversation, and would dominate the
        // vector.
        let text = || match self.request.weights.ignore_speaker_names {
            true => without_speaker_names(text, &view.speakers()),
            false => text.to_owned(),
        };
        self.request.by_meaning.then(text)
    }
}

impl Core {
    /// Returns the current memories that answer a search, best first.
    pub async fn nearest_memories(
        &self,
        call: &Call<'_>,
        request: &SearchRequest,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let ranked = request.run(call, &call.filter()).await?.ranked;
        let ids: Vec<MemoryId> = ranked.iter().take(limit).map(|one| one.id).collect();
        self.still_current(call, &ids, &StatusFilter::Current).await
    }

    /// Returns the current memories that share the rarest words of a text, best first. Cheap enough
    /// for every write, and what contradicts a text usually names the same things.
    pub async fn sharing_rare_words(
        &self,
        call: &Call<'_>,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let terms = QueryTerms::parse(text).content_words();
        self.lexical_search(call, |view| rarest(view, terms), limit).await
    }

    /// Returns the current memories with words of a text, best first. A match in the title ranks
    /// high.
    pub async fn memories_with_words(
        &self,
        call: &Call<'_>,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let terms = QueryTerms::parse(text);
        self.lexical_search(call, |_| terms, limit).await
    }

    /// Returns the current memories with any of these words, best first.
    async fn lexical_search(
        &self,
        call: &Call<'_>,
        terms: impl FnOnce(&View) -> QueryTerms,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let view = call.view().await?;
        let ids: Vec<MemoryId> = view.read(|view| {
            let within = view.filter(&call.filter(), call.at);
            let found = view.lexical(&terms(view), &self.ranking.bm25, &within, limit);
            found.hits.iter().map(|hit| hit.id).collect()
        });
        self.still_current(call, &ids, &StatusFilter::Current).await
    }

    /// Returns memories by id whose status is still the one the view reported.
    pub async fn still_current(
        &self,
        call: &Call<'_>,
        ids: &[MemoryId],
        status: &StatusFilter,
    ) -> Result<Vec<Memory>, Failure> {
        let mut memories = call.memories(ids).await?;
        // The store may have changed since the view was read.
        if *status == StatusFilter::Current {
            memories.retain(|memory| memory.status == Status::Active);
        }
        Ok(memories)
    }
}

/// Returns whether two titles are the same, ignoring case and white space.
pub fn same_title(one: &str, other: &str) -> bool {
    model::ContentHash::of_text(one) == model::ContentHash::of_text(other)
}

/// Returns the terms that the fewest memories contain, of those that any contains.
fn rarest(view: &View, mut terms: QueryTerms) -> QueryTerms {
    let mut known: Vec<(usize, QueryTerm)> =
        terms.terms.drain(..).map(|term| (view.document_frequency(&term.text), term)).collect();
    known.retain(|(frequency, _)| *frequency > 0);
    known.sort_by_key(|(frequency, term)| (*frequency, term.position));
    QueryTerms { terms: known.into_iter().take(RARE_WORDS).map(|(_, term)| term).collect() }
}

/// Returns the events by which a question gives a time; an event with a date in it is left out,
/// because the date says more.
fn events(text: &str, times: &[dates::TimeSpan]) -> Vec<recall::QueryEvent> {
    let dated = |event: &dates::EventReference| {
        times
            .iter()
            .any(|time| time.range.start < event.range.end && event.range.start < time.range.end)
    };
    let undated = dates::events(text).into_iter().filter(|event| !dated(event));
    let read = |event: dates::EventReference| recall::QueryEvent {
        side: match event.side {
            dates::EventPosition::Before => recall::EventSide::Before,
            dates::EventPosition::After => recall::EventSide::After,
            dates::EventPosition::During => recall::EventSide::During,
        },
        terms: QueryTerms::parse(&text[event.range]).content_words(),
    };
    undated.map(read).collect()
}

/// Ranks the memories that pass a filter.
pub fn rank_filtered(
    view: &View,
    question: &recall::RecallQuery,
    filter: &Filter,
    weights: &RankingWeights,
) -> Vec<RankedMemory> {
    let within = view.filter(filter, question.now);
    rank(view, question, &within, weights)
}
