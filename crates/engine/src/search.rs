//! Searching the view: a question in words and in meaning, and the memories that speak of the same things.

use crate::call::Call;
use crate::{Caller, Engine};
use index::{Filter, Standing, View};
use model::{Failure, Memory, MemoryId, Moment, Status, StoredVector, limits};
use recall::{Ranked, Weights, rank};

/// Something to search for.
pub(crate) struct Question {
    text: String,
    vector: Option<Vec<f32>>,
}

impl Question {
    /// A question that somebody asked.
    pub async fn asked(engine: &Engine, text: &str) -> Result<Self, Failure> {
        limits::bytes("query", text, limits::QUERY_BYTES)?;
        let vector =
            if text.trim().is_empty() { None } else { engine.question_vector(text.to_owned()).await? };
        Ok(Self { text: text.to_owned(), vector })
    }

    /// What a memory speaks of, by its text and the vectors it has already.
    pub fn about(text: &str, vector: Option<&StoredVector>) -> Self {
        let first =
            vector.and_then(|stored| stored.windows.get(..stored.model.dimensions + size_of::<f32>()));
        let vector = first.and_then(|bytes| embed::Quantised::from_bytes(bytes).ok());
        Self { text: text.to_owned(), vector: vector.map(|vector| vector.to_vector()) }
    }

    /// Whether meaning helps to answer it.
    pub fn has_meaning(&self) -> bool {
        self.vector.is_some()
    }

    /// The question as the ranking takes it.
    pub fn for_ranking(&self, caller: &Caller, now: Moment) -> recall::Question {
        let times = reading::dates(&self.text, now.0).into_iter();
        recall::Question {
            vector: self.vector.clone(),
            times: times.map(|span| (Moment(span.from_us), Moment(span.until_us))).collect(),
            project: caller.surroundings.project.clone(),
            ..recall::Question::of(&self.text, now)
        }
    }
}

impl Engine {
    /// The memories that hold now and speak of the same things, nearest first.
    pub(crate) async fn near(
        &self,
        call: &Call<'_>,
        question: &Question,
        limit: usize,
    ) -> Result<Vec<Memory>, Failure> {
        let view = self.views.current(self, &call.caller.owner).await?;
        let asked = question.for_ranking(call.caller, call.at);
        let ranked = view.read(|view| ranked(view, &asked, &Filter::default(), call.at));
        let ids: Vec<MemoryId> = ranked.iter().take(limit).map(|one| one.id).collect();
        self.standing(call, &ids, &Standing::Current).await
    }

    /// Memories by id that still stand as the view said: the store may have moved on since.
    pub(crate) async fn standing(
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

/// What of the memories that pass a filter answers the question, best first.
pub(crate) fn ranked(view: &View, question: &recall::Question, filter: &Filter, now: Moment) -> Vec<Ranked> {
    let within = view.filter(filter, now);
    rank(view, question, &within, &Weights::default())
}
