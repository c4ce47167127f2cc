//! Texts to vectors, off the threads that answer. When the embedder fails, words alone carry on.

use crate::Core;
use embed::{EmbedError, Embedder};
use model::{JsonMap, StoredVector};
use recall::Likeness;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// How many texts go to the embedder in one call.
const TEXTS_AT_ONCE: usize = 32;
/// The longest text whose vectors are begun early: what is gained is the same for any, what a
/// refusal wastes is not.
const EARLY_EMBEDDING_BYTES_MAX: usize = 4 * 1024;

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

/// A vector that was begun before its text was admitted.
pub struct PendingVector {
    text: Embeddable,
    task: EmbeddingTask,
}

type EmbeddingTask = JoinHandle<Result<Vec<StoredVector>, EmbedError>>;

/// Who said it, where a conversation was kept.
pub fn speaker(metadata: &JsonMap) -> Option<&str> {
    metadata.get("speaker").and_then(serde_json::Value::as_str)
}

impl Core {
    /// Embeds a text; `None` when the embedder failed.
    pub async fn vector_of(&self, text: Embeddable) -> Option<StoredVector> {
        self.vectors_of(vec![text]).await.ok()?.pop()
    }

    /// Begins to embed a text as it was sent, while it is still to be admitted and screened.
    /// `None` where the embedder would take it off this machine, or a refusal would waste too much.
    #[must_use]
    pub fn begin_vector(&self, text: Embeddable) -> Option<PendingVector> {
        let worth_it = self.embedder.stays_here() && text.whole.len() <= EARLY_EMBEDDING_BYTES_MAX;
        worth_it.then(|| PendingVector { task: self.start_embedding(vec![text.clone()]), text })
    }

    /// Embeds a text that is to be stored: takes what was begun, unless screening changed the text
    /// since.
    pub async fn finish_vector(
        &self,
        pending: Option<PendingVector>,
        text: Embeddable,
    ) -> Option<StoredVector> {
        match pending.filter(|pending| pending.text == text) {
            Some(pending) => self.joined(pending.task).await.ok()?.pop(),
            None => self.vector_of(text).await,
        }
    }

    /// Embeds some texts.
    ///
    /// # Errors
    /// When the embedder failed; the cause is in the log.
    pub async fn vectors_of(
        &self,
        texts: Vec<Embeddable>,
    ) -> Result<Vec<StoredVector>, EmbedError> {
        self.joined(self.start_embedding(texts)).await
    }

    fn start_embedding(&self, texts: Vec<Embeddable>) -> EmbeddingTask {
        let embedder = Arc::clone(&self.embedder);
        tokio::task::spawn_blocking(move || embed_all(&*embedder, &texts))
    }

    /// Waits for an embedding. A thread that died is an embedder that failed: words alone carry on.
    async fn joined(&self, task: EmbeddingTask) -> Result<Vec<StoredVector>, EmbedError> {
        let died = |error| EmbedError::unavailable(self.embedder.model(), format!("{error}"));
        logged(task.await.unwrap_or_else(|error| Err(died(error))))
    }
}

fn embed_all(
    embedder: &dyn Embedder,
    texts: &[Embeddable],
) -> Result<Vec<StoredVector>, EmbedError> {
    let all: Vec<&str> = texts.iter().flat_map(Embeddable::texts).collect();
    let mut vectors = Vec::with_capacity(all.len());
    for some in all.chunks(TEXTS_AT_ONCE) {
        vectors.extend(embedder.embed(some)?.iter().map(|one| one.stored(embedder.model())));
    }
    let mut vectors = vectors.into_iter();
    let of_text = |text: &Embeddable| joined(vectors.by_ref().take(text.texts().count()));
    Ok(texts.iter().filter_map(of_text).collect())
}

/// What a question means, as far as the embedder could tell.
#[derive(Debug, Clone)]
pub enum QuestionEmbedding {
    /// Nobody asked.
    NotAsked,
    /// It was asked and told.
    Vector(Vec<f32>),
    /// It was asked and failed, for this reason.
    Unknown(String),
}

impl QuestionEmbedding {
    /// Asks an embedder what a text means, where any is meant. Takes the thread for itself.
    pub fn of(text: Option<String>, embedder: &dyn Embedder) -> Self {
        let Some(text) = text else { return Self::NotAsked };
        let made = logged(embedder.embed_question(&text));
        made.map_or_else(|error| Self::Unknown(error.to_string()), |made| Self::Vector(made.mean()))
    }

    /// Tells the ranking, and what cosines of this embedder mean, which some find out with their
    /// first question.
    pub fn apply(&self, question: &mut recall::Question, embedder: &dyn Embedder) {
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

fn logged<T>(made: Result<T, EmbedError>) -> Result<T, EmbedError> {
    made.inspect_err(|error| tracing::warn!(%error, "the embedder failed; words alone carry on"))
}
