//! Texts to vectors, off the threads that answer. When the embedder fails, words alone carry on.

use crate::Core;
use crate::call::internal;
use embed::{EmbedError, Embedder};
use model::{Failure, JsonMap, StoredVector};
use recall::Likeness;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// How many texts go to the embedder in one call.
const TEXTS_AT_ONCE: usize = 32;
/// The longest text whose vectors are begun early: what is gained is the same for any, what a
/// refusal wastes is not.
const BEGUN_BYTES_MAX: usize = 4 * 1024;

/// A text on its way to the embedder, and the passages of it that get vectors of their own.
#[derive(Clone, PartialEq)]
pub struct Embeddable {
    whole: String,
    passages: Vec<String>,
}

impl Embeddable {
    /// What the vectors of a memory are made from: who said it, its headline and its text; then,
    /// each by itself, the passages of a text that has several, and the occasion of a wish.
    pub fn memory(metadata: &JsonMap, title: Option<&str>, text: &str) -> Self {
        let titled = match title {
            Some(title) if !text.starts_with(title) => format!("{title}\n{text}"),
            _ => text.to_owned(),
        };
        let said = |text: &str| match speaker(metadata) {
            Some(speaker) => format!("{speaker}: {text}"),
            None => text.to_owned(),
        };
        // Nobody says an occasion: it is what somebody may ask about.
        let occasion = reading::occasion(text).map(str::to_owned);
        let passages = reading::passages(&titled).into_iter().map(said).chain(occasion).collect();
        Self { passages, whole: said(&titled) }
    }

    /// A text that is only ever looked at as a whole.
    pub fn whole(text: String) -> Self {
        Self { whole: text, passages: Vec::new() }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.whole).chain(&self.passages).map(String::as_str)
    }
}

/// Vectors in the making, begun before anybody had looked at their text.
pub struct Begun {
    of: Embeddable,
    made: JoinHandle<Result<Vec<StoredVector>, EmbedError>>,
}

/// Who said it, where a conversation was kept.
pub fn speaker(metadata: &JsonMap) -> Option<&str> {
    metadata.get("speaker").and_then(serde_json::Value::as_str)
}

impl Core {
    /// The vectors of a text, or `None` when the embedder failed.
    pub async fn vector_of(&self, text: Embeddable) -> Result<Option<StoredVector>, Failure> {
        Ok(self.vectors_of(vec![text]).await?.and_then(|mut made| made.pop()))
    }

    /// Begins the vectors of a text as somebody sent it, while it is still to be admitted and
    /// screened; `None` where the embedder would take it off this machine, or a refusal would waste
    /// too much.
    pub fn begin_vector(&self, text: Embeddable) -> Option<Begun> {
        let worth_it = self.embedder.stays_here() && text.whole.len() <= BEGUN_BYTES_MAX;
        worth_it.then(|| Begun { made: self.start(vec![text.clone()]), of: text })
    }

    /// The vectors of a text that is to be kept: those that were begun, unless it was changed
    /// since.
    pub async fn vector_begun(
        &self,
        begun: Option<Begun>,
        text: Embeddable,
    ) -> Result<Option<StoredVector>, Failure> {
        match begun.filter(|begun| begun.of == text) {
            Some(begun) => Ok(ended(begun.made).await?.ok().and_then(|mut made| made.pop())),
            None => self.vector_of(text).await,
        }
    }

    /// The vectors of some texts, or `None` when the embedder failed.
    pub async fn vectors_of(
        &self,
        texts: Vec<Embeddable>,
    ) -> Result<Option<Vec<StoredVector>>, Failure> {
        Ok(self.try_vectors_of(texts).await?.ok())
    }

    /// The vectors of some texts, or why there are none.
    pub async fn try_vectors_of(
        &self,
        texts: Vec<Embeddable>,
    ) -> Result<Result<Vec<StoredVector>, EmbedError>, Failure> {
        ended(self.start(texts)).await
    }

    fn start(&self, texts: Vec<Embeddable>) -> JoinHandle<Result<Vec<StoredVector>, EmbedError>> {
        let embedder = Arc::clone(&self.embedder);
        tokio::task::spawn_blocking(move || {
            let all: Vec<&str> = texts.iter().flat_map(Embeddable::texts).collect();
            let mut made = Vec::with_capacity(all.len());
            for some in all.chunks(TEXTS_AT_ONCE) {
                made.extend(embedder.embed(some)?.iter().map(|one| one.stored(embedder.model())));
            }
            let mut made = made.into_iter();
            Ok(texts
                .iter()
                .filter_map(|text| joined(made.by_ref().take(text.texts().count())))
                .collect())
        })
    }
}

/// What a question means, as far as the embedder could tell.
#[derive(Debug, Clone)]
pub enum Meaning {
    /// Nobody asked.
    NotAsked,
    /// It was asked and told.
    Vector(Vec<f32>),
    /// It was asked and failed, for this reason.
    Unknown(String),
}

impl Meaning {
    /// Asks an embedder what a text means, where any is meant. Takes the thread for itself.
    pub fn of(text: Option<String>, embedder: &dyn Embedder) -> Self {
        let Some(text) = text else { return Self::NotAsked };
        let made = logged(embedder.embed_question(&text));
        made.map_or_else(|error| Self::Unknown(error.to_string()), |made| Self::Vector(made.mean()))
    }

    /// Tells the ranking, and what cosines of this embedder mean, which some find out with their
    /// first question.
    pub fn tell(&self, question: &mut recall::Question, embedder: &dyn Embedder) {
        let (slope, shift) = embedder.calibration().onto_bundled();
        question.likeness = Likeness { slope, shift };
        question.vector = if let Self::Vector(vector) = self { Some(vector.clone()) } else { None };
    }

    /// Whether it helps to answer.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Vector(_))
    }

    /// Why words alone answer, though it was asked for.
    pub fn missing(self) -> Option<String> {
        if let Self::Unknown(why) = self { Some(why) } else { None }
    }
}

/// The vectors of one memory, one after another.
fn joined(mut vectors: impl Iterator<Item = StoredVector>) -> Option<StoredVector> {
    let mut all = vectors.next()?;
    vectors.for_each(|passage| all.windows.extend(passage.windows));
    Some(all)
}

/// What the embedder made, once it has.
async fn ended<T>(
    making: JoinHandle<Result<T, EmbedError>>,
) -> Result<Result<T, EmbedError>, Failure> {
    Ok(logged(making.await.map_err(internal)?))
}

fn logged<T>(made: Result<T, EmbedError>) -> Result<T, EmbedError> {
    made.inspect_err(|error| tracing::warn!(%error, "the embedder failed; words alone carry on"))
}
