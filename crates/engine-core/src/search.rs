//! Searching the view: a question in words and in meaning, and the memories that speak of the same
//! things.

use crate::Core;
use crate::call::{Call, internal};
use crate::embedding::Meaning;
use crate::views::OwnerView;
use index::{Filter, QueryTerm, QueryTerms, Standing, View};
use model::{Failure, Memory, MemoryId, Moment, Status, limits};
use recall::{Ranked, Weights, rank, without_names};
use std::sync::Arc;

/// How many of a text's rarest words lead to what speaks of the same things.
const RARE_WORDS: usize = 6;

/// What counts in a search. Without either, a question lists the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Senses {
    /// Words in common.
    pub words: bool,
    /// Likeness in meaning.
    pub meaning: bool,
}

impl Default for Senses {
    fn default() -> Self {
        Self { words: true, meaning: true }
    }
}

/// Something to search for, as it was asked.
pub struct Asked {
    text: String,
    /// Whether its meaning counts.
    meant: bool,
    /// What words count; none where the caller wants meaning alone.
    weights: Weights,
}

/// Something to search for, understood.
pub struct Question {
    asked: recall::Question,
    weights: Weights,
}

/// What a question was answered with.
pub struct Answered {
    /// What answers it, best first.
    pub ranked: Vec<Ranked>,
    /// What it means, as far as the embedder could tell.
    pub meaning: Meaning,
}

impl Asked {
    /// A question to be answered by words, by meaning or by both.
    pub fn by(call: &Call<'_>, text: &str, senses: Senses) -> Result<Self, Failure> {
        limits::bytes("query", text, limits::QUERY_BYTES)?;
        let usual = call.core.ranking;
        let wordless = Weights { words: 0.0, pairs: 0.0, near_words: 0.0, ..usual };
        let weights = if senses.words { usual } else { wordless };
        let is_empty = text.trim().is_empty() || !(senses.words || senses.meaning);
        let text = if is_empty { String::new() } else { text.to_owned() };
        Ok(Self { text, meant: !is_empty && senses.meaning, weights })
    }

    /// The same question, for which even the weakest match is an answer.
    pub fn however_weak(mut self) -> Self {
        self.weights.floor = 0.0;
        self
    }

    /// What of the memories that pass a filter answers it.
    pub async fn answered(&self, call: &Call<'_>, filter: &Filter) -> Result<Answered, Failure> {
        let before = call.core.embedder.dimensions();
        let answered = self.answered_as_known(call, filter.clone()).await?;
        if call.core.embedder.dimensions() == before {
            return Ok(answered);
        }
        // The embedder answered for the first time, and the view has its vectors only from now on.
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

    /// Finds out what it means and goes on with that. The embedder and the ranking use a core to
    /// the full, one after the other on one thread, which is none of those that answer others
    /// meanwhile.
    async fn understood<T: Send + 'static>(
        &self,
        call: &Call<'_>,
        go_on: impl FnOnce(Question, Meaning, &OwnerView) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let view = call.core.views.current(call.core, &call.caller.owner).await?;
        let meant = view.read(|view| self.meant_in(call, view));
        let mut question = Question { asked: self.for_ranking(call), weights: self.weights };
        let embedder = Arc::clone(&call.core.embedder);
        let work = move || {
            let meaning = Meaning::of(meant, &*embedder);
            meaning.tell(&mut question.asked, &*embedder);
            go_on(question, meaning, &view)
        };
        tokio::task::spawn_blocking(work).await.map_err(internal)
    }

    /// The text whose meaning counts, if any does.
    fn meant_in(&self, call: &Call<'_>, view: &View) -> Option<String> {
        let whole = || self.text.clone();
        let named = || without_names(&self.text, &view.speakers());
        self.meant.then(|| if call.core.ranking.leave_names_out { named() } else { whole() })
    }

    /// The question as the ranking takes it, but for its meaning.
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
    /// A question that somebody asked.
    pub async fn asked(call: &Call<'_>, text: &str) -> Result<Self, Failure> {
        Self::asked_by(call, text, Senses::default()).await
    }

    /// A question that somebody asked, to be answered by words, by meaning or by both.
    pub async fn asked_by(call: &Call<'_>, text: &str, senses: Senses) -> Result<Self, Failure> {
        Asked::by(call, text, senses)?.understood(call, |question, _, _| question).await
    }

    /// What of the memories that pass a filter answers it, best first.
    pub fn ranked(&self, view: &View, filter: &Filter) -> Vec<Ranked> {
        ranked(view, &self.asked, filter, &self.weights)
    }

    /// The question as the ranking takes it.
    pub fn for_ranking(self) -> recall::Question {
        self.asked
    }
}

impl Core {
    /// The memories that hold now and speak of the same things, nearest first.
    pub async fn near(
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
        let view = self.views.current(self, &call.caller.owner).await?;
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
pub fn ranked(
    view: &View,
    question: &recall::Question,
    filter: &Filter,
    weights: &Weights,
) -> Vec<Ranked> {
    let within = view.filter(filter, question.now);
    rank(view, question, &within, weights)
}
