//! Search in the view: by the words and the meaning of a question, and for memories on the same
//! subject as a text.

use crate::call::{Call, internal};
use crate::embedding::Meaning;
use crate::views::OwnerView;
use crate::{Engine, Senses};
use index::{Filter, QueryTerm, QueryTerms, Standing, View};
use model::{Failure, Memory, MemoryId, Moment, Status, limits};
use recall::{Ranked, Weights, rank, without_names};
use std::sync::Arc;

// More words would find more candidates than a write can compare; the rarest are the most telling.
const RARE_WORDS: usize = 6;

/// A question as it was asked.
pub(crate) struct Asked {
    text: String,
    /// True when the question is to be embedded.
    meant: bool,
    /// Ranking weights; those of words are 0 for a search by meaning alone.
    weights: Weights,
}

/// A question ready for ranking, with its embedding.
pub(crate) struct Question {
    asked: recall::Question,
    weights: Weights,
}

/// Result of a search.
pub(crate) struct Answered {
    /// Best first.
    pub ranked: Vec<Ranked>,
    pub meaning: Meaning,
}

impl Asked {
    /// Creates a question to be searched by words, by meaning or both.
    pub fn by(call: &Call<'_>, text: &str, senses: Senses) -> Result<Self, Failure> {
        limits::bytes("query", text, limits::QUERY_BYTES)?;
        let usual = call.engine.ranking;
        // Near words and word pairs are words too.
        let wordless = Weights { words: 0.0, pairs: 0.0, near_words: 0.0, ..usual };
        let weights = if senses.words { usual } else { wordless };
        let is_empty = text.trim().is_empty() || !(senses.words || senses.meaning);
        let text = if is_empty { String::new() } else { text.to_owned() };
        Ok(Self { text, meant: !is_empty && senses.meaning, weights })
    }

    /// Accepts even the weakest match as an answer.
    pub fn however_weak(mut self) -> Self {
        self.weights.floor = 0.0;
        self
    }

    /// Returns the memories that pass a filter and answer the question.
    pub async fn answered(&self, call: &Call<'_>, filter: &Filter) -> Result<Answered, Failure> {
        let before = call.engine.embedder.dimensions();
        let answered = self.answered_as_known(call, filter.clone()).await?;
        if call.engine.embedder.dimensions() == before {
            return Ok(answered);
        }
        // The embedder answered for the first time, so the view can take its vectors only from now
        // on.
        self.answered_as_known(call, filter.clone()).await
    }

    async fn answered_as_known(
        &self,
        call: &Call<'_>,
        filter: Filter,
    ) -> Result<Answered, Failure> {
        let answer = move |question: Question, meaning, view: &OwnerView| Answered {
            ranked: view.read(|view| question.ranked(view, &filter)),
            meaning,
        };
        self.understood(call, answer).await
    }

    /// Embeds the question and continues with the result on the same blocking thread. Embedder and
    /// ranking each keep a core busy, so neither may run on an event loop thread.
    async fn understood<T: Send + 'static>(
        &self,
        call: &Call<'_>,
        go_on: impl FnOnce(Question, Meaning, &OwnerView) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let view = call.engine.views.current(call.engine, &call.caller.owner).await?;
        let meant = view.read(|view| self.meant_in(call, view));
        let mut question = Question { asked: self.for_ranking(call), weights: self.weights };
        let embedder = Arc::clone(&call.engine.embedder);
        let work = move || {
            let meaning = Meaning::of(meant, &*embedder);
            meaning.tell(&mut question.asked, &*embedder);
            go_on(question, meaning, &view)
        };
        tokio::task::spawn_blocking(work).await.map_err(internal)
    }

    /// Returns the text to embed, if any.
    fn meant_in(&self, call: &Call<'_>, view: &View) -> Option<String> {
        let whole = || self.text.clone();
        // The name of a speaker is in every message of a conversation, and would dominate the
        // vector.
        let named = || without_names(&self.text, &view.speakers());
        self.meant.then(|| if call.engine.ranking.leave_names_out { named() } else { whole() })
    }

    /// Builds the ranking question, without its embedding.
    fn for_ranking(&self, call: &Call<'_>) -> recall::Question {
        let (caller, now) = (call.caller, call.at);
        let times = dates::dates(&self.text, now.0);
        recall::Question {
            events: events(&self.text, &times),
            times: times.iter().map(|span| (Moment(span.from_us), Moment(span.until_us))).collect(),
            project: caller.surroundings.project.clone(),
            ..recall::Question::of(&self.text, now)
        }
    }
}

impl Question {
    /// Embeds a question for a search by words and meaning.
    pub async fn asked(call: &Call<'_>, text: &str) -> Result<Self, Failure> {
        Self::asked_by(call, text, Senses::default()).await
    }

    /// Embeds a question for a search by words, by meaning or both.
    pub async fn asked_by(call: &Call<'_>, text: &str, senses: Senses) -> Result<Self, Failure> {
        Asked::by(call, text, senses)?.understood(call, |question, _, _| question).await
    }

    /// Returns the memories that pass a filter and answer the question, best first.
    pub fn ranked(&self, view: &View, filter: &Filter) -> Vec<Ranked> {
        ranked(view, &self.asked, filter, &self.weights)
    }

    /// Returns the ranking question.
    pub fn for_ranking(self) -> recall::Question {
        self.asked
    }
}

impl Engine {
    /// Returns the current memories on the same subject, nearest first.
    pub(crate) async fn near(
        &self,
        call: &Call<'_>,
        question: &Question,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let view = self.views.current(self, &call.caller.owner).await?;
        let ranked = view.read(|view| question.ranked(view, &call.filter()));
        let ids: Vec<MemoryId> = ranked.iter().take(limit).map(|one| one.id).collect();
        self.standing(call, &ids, &Standing::Current).await
    }

    /// Returns the current memories that share the rarest words of a text, best first. Cheap enough
    /// for every write, and what contradicts a text usually names the same things.
    pub(crate) async fn sharing_rare_words(
        &self,
        call: &Call<'_>,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let terms = QueryTerms::of(text).content_words();
        self.holding(call, |view| rarest(view, terms), limit).await
    }

    /// Returns the current memories with words of a text, best first. A match in the title ranks
    /// high.
    pub(crate) async fn speaking_of(
        &self,
        call: &Call<'_>,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let terms = QueryTerms::of(text);
        self.holding(call, |_| terms, limit).await
    }

    /// Returns the current memories with any of these words, best first.
    async fn holding(
        &self,
        call: &Call<'_>,
        terms: impl FnOnce(&View) -> QueryTerms,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let view = self.views.current(self, &call.caller.owner).await?;
        let ids: Vec<MemoryId> = view.read(|view| {
            let within = view.filter(&call.filter(), call.at);
            let found = view.lexical(&terms(view), &self.ranking.bm25, &within, limit);
            found.hits.iter().map(|hit| hit.id).collect()
        });
        self.standing(call, &ids, &Standing::Current).await
    }

    /// Returns memories by id whose status is still the one the view reported.
    pub(crate) async fn standing(
        &self,
        call: &Call<'_>,
        ids: &[MemoryId],
        standing: &Standing,
    ) -> Result<Vec<Memory>, Failure> {
        let mut memories = call.memories(ids).await?;
        // The store may have changed since the view was read.
        if *standing == Standing::Current {
            memories.retain(|memory| memory.status == Status::Active);
        }
        Ok(memories)
    }
}

/// Returns whether two titles are the same, ignoring case and white space.
pub(crate) fn same_title(one: &str, other: &str) -> bool {
    model::ContentHash::of(one) == model::ContentHash::of(other)
}

/// Returns the terms that the fewest memories contain, of those that any contains.
fn rarest(view: &View, mut terms: QueryTerms) -> QueryTerms {
    let mut known: Vec<(usize, QueryTerm)> =
        terms.terms.drain(..).map(|term| (view.document_frequency(&term.text), term)).collect();
    known.retain(|(holding, _)| *holding > 0);
    known.sort_by_key(|(holding, term)| (*holding, term.position));
    QueryTerms { terms: known.into_iter().take(RARE_WORDS).map(|(_, term)| term).collect() }
}

/// Returns the events by which a question gives a time; an event with a date in it is left out,
/// because the date says more.
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

/// Ranks the memories that pass a filter.
pub(crate) fn ranked(
    view: &View,
    question: &recall::Question,
    filter: &Filter,
    weights: &Weights,
) -> Vec<Ranked> {
    let within = view.filter(filter, question.now);
    rank(view, question, &within, weights)
}
