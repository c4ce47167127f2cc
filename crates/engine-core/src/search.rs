//! Searching the view: a question in words and in meaning, and the memories that speak of the same
//! things.

use crate::Core;
use crate::call::{Call, internal};
use crate::embedding::QuestionEmbedding;
use index::{Filter, QueryTerm, QueryTerms, Standing, View};
use model::{Failure, Memory, MemoryId, Moment, Status, limits};
use recall::{Ranked, Weights, rank, without_names};
use std::sync::Arc;

/// How many of a text's rarest words lead to what speaks of the same things.
const RARE_WORDS: usize = 6;

/// The ways in which a search compares. Without either, a search lists the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchModes {
    /// Words in common.
    pub words: bool,
    /// Likeness in meaning.
    pub meaning: bool,
}

impl Default for SearchModes {
    fn default() -> Self {
        Self { words: true, meaning: true }
    }
}

/// A search of an owner's view, as a caller asked for it.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    text: String,
    by_meaning: bool,
    weights: Weights,
}

/// The answers to a search.
pub struct SearchResults {
    /// The memories that answer, best first.
    pub ranked: Vec<Ranked>,
    /// The embedding of the question, or the reason why there is none.
    pub embedding: QuestionEmbedding,
}

impl SearchRequest {
    /// Makes a request to search by words, by meaning or by both.
    ///
    /// # Errors
    /// When the text is too long.
    pub fn new(call: &Call<'_>, text: &str, modes: SearchModes) -> Result<Self, Failure> {
        limits::bytes("query", text, limits::QUERY_BYTES)?;
        let mut weights = call.core.ranking;
        if !modes.words {
            weights = Weights { words: 0.0, pairs: 0.0, near_words: 0.0, ..weights };
        }
        let is_empty = text.trim().is_empty() || !(modes.words || modes.meaning);
        let text = if is_empty { String::new() } else { text.to_owned() };
        Ok(Self { text, by_meaning: !is_empty && modes.meaning, weights })
    }

    /// Makes even the weakest match an answer.
    #[must_use]
    pub fn include_weak(mut self) -> Self {
        self.weights.floor = 0.0;
        self
    }

    /// Searches the memories that pass a filter.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn run(&self, call: &Call<'_>, filter: &Filter) -> Result<SearchResults, Failure> {
        let dimensions = call.core.embedder.dimensions();
        let results = self.run_once(call, filter).await?;
        if call.core.embedder.dimensions() == dimensions {
            return Ok(results);
        }
        // The embedder answered for the first time, and the view has its vectors only from now on.
        self.run_once(call, filter).await
    }

    async fn run_once(&self, call: &Call<'_>, filter: &Filter) -> Result<SearchResults, Failure> {
        let view = call.view().await?;
        let (mut question, text) = view.read(|view| self.prepare(call, view));
        let (request, filter) = (self.clone(), filter.clone());
        let embedder = Arc::clone(&call.core.embedder);
        // The embedder and the ranking keep a core busy, one after the other. One blocking thread
        // does both, so that the threads that answer others are never kept waiting.
        let search = move || {
            let embedding = QuestionEmbedding::of(text, &*embedder);
            embedding.apply(&mut question, &*embedder);
            let ranked = view.read(|view| request.rank(view, &question, &filter));
            SearchResults { ranked, embedding }
        };
        tokio::task::spawn_blocking(search).await.map_err(internal)
    }

    /// Returns the question with its embedding, for a caller that ranks a view of its own.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn question(&self, call: &Call<'_>) -> Result<recall::Question, Failure> {
        let view = call.view().await?;
        let (mut question, text) = view.read(|view| self.prepare(call, view));
        let embedder = Arc::clone(&call.core.embedder);
        let embed = move || {
            QuestionEmbedding::of(text, &*embedder).apply(&mut question, &*embedder);
            question
        };
        tokio::task::spawn_blocking(embed).await.map_err(internal)
    }

    /// Ranks the memories of a view that pass a filter, best first.
    #[must_use]
    pub fn rank(&self, view: &View, question: &recall::Question, filter: &Filter) -> Vec<Ranked> {
        rank_filtered(view, question, filter, &self.weights)
    }

    /// Returns the question without its embedding, and the text to embed if meaning counts.
    fn prepare(&self, call: &Call<'_>, view: &View) -> (recall::Question, Option<String>) {
        let (caller, now) = (call.caller, call.at);
        let times = dates::dates(&self.text, now.0);
        let question = recall::Question {
            events: events(&self.text, &times),
            times: times.iter().map(|span| (Moment(span.from_us), Moment(span.until_us))).collect(),
            project: caller.surroundings.project.clone(),
            ..recall::Question::of(&self.text, now)
        };
        let text = || match call.core.ranking.leave_names_out {
            true => without_names(&self.text, &view.speakers()),
            false => self.text.clone(),
        };
        (question, self.by_meaning.then(text))
    }
}

impl Core {
    /// Returns the active memories that answer a search, best first.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn near(
        &self,
        call: &Call<'_>,
        request: &SearchRequest,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let ranked = request.run(call, &call.filter()).await?.ranked;
        let ids: Vec<MemoryId> = ranked.iter().take(limit).map(|one| one.id).collect();
        self.standing(call, &ids, &Standing::Current).await
    }

    /// The memories that hold now and share the rarest words of a text, most first. Cheap enough
    /// for every write: whatever contradicts a text speaks of the same things by name.
    pub async fn sharing_rare_words(
        &self,
        call: &Call<'_>,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let terms = QueryTerms::of(text).content_words();
        self.holding(call, |view| rarest(view, terms), limit).await
    }

    /// The memories that hold now and have words of a text, best first: those that are headed by it
    /// come early.
    pub async fn speaking_of(
        &self,
        call: &Call<'_>,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let terms = QueryTerms::of(text);
        self.holding(call, |_| terms, limit).await
    }

    /// The memories that hold now and have any of these words, best first.
    async fn holding(
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
        self.standing(call, &ids, &Standing::Current).await
    }

    /// Memories by id that still stand as the view said: the store may have moved on since.
    pub async fn standing(
        &self,
        call: &Call<'_>,
        ids: &[MemoryId],
        standing: &Standing,
    ) -> Result<Vec<Memory>, Failure> {
        let mut memories = call.memories(ids).await?;
        if *standing == Standing::Current {
            memories.retain(|memory| memory.status == Status::Active);
        }
        Ok(memories)
    }
}

/// Whether two headlines are the same; case and white space do not count.
pub fn same_title(one: &str, other: &str) -> bool {
    model::ContentHash::of(one) == model::ContentHash::of(other)
}

/// The few terms that fewest memories hold, of those that any holds.
fn rarest(view: &View, mut terms: QueryTerms) -> QueryTerms {
    let mut known: Vec<(usize, QueryTerm)> =
        terms.terms.drain(..).map(|term| (view.document_frequency(&term.text), term)).collect();
    known.retain(|(holding, _)| *holding > 0);
    known.sort_by_key(|(holding, term)| (*holding, term.position));
    QueryTerms { terms: known.into_iter().take(RARE_WORDS).map(|(_, term)| term).collect() }
}

/// What happened at the times that a question tells by events; one with a date in it tells its time
/// by that.
fn events(text: &str, times: &[dates::TimeSpan]) -> Vec<recall::Event> {
    let dated = |event: &dates::Event| {
        times
            .iter()
            .any(|time| time.range.start < event.range.end && event.range.start < time.range.end)
    };
    let undated = dates::events(text).into_iter().filter(|event| !dated(event));
    let read = |event: dates::Event| recall::Event {
        side: match event.side {
            dates::Side::Before => recall::Side::Before,
            dates::Side::After => recall::Side::After,
            dates::Side::During => recall::Side::During,
        },
        terms: QueryTerms::of(&text[event.range]).content_words(),
    };
    undated.map(read).collect()
}

/// What of the memories that pass a filter answers the question, best first.
pub fn rank_filtered(
    view: &View,
    question: &recall::Question,
    filter: &Filter,
    weights: &Weights,
) -> Vec<Ranked> {
    let within = view.filter(filter, question.now);
    rank(view, question, &within, weights)
}
