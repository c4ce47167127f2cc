//! Embedding of texts on blocking threads. When the embedder fails, search continues with words
//! alone.

mod queue;

use crate::Core;
use embed::{EmbedError, Embedder};
use metrics::TRACE_TARGET;
use model::{JsonMap, StoredVectors};
use recall::CosineScale;
use std::sync::Arc;
use tokio::task::JoinHandle;

pub use queue::{EmbeddedTexts, EmbeddingQueue};

/// Number of texts passed to the embedder in one call; bounds its memory and a request's size.
const TEXTS_AT_ONCE: usize = 32;
// Longest text that is embedded before it is admitted. The time saved is the same for any text, but
// a refusal wastes more work the longer it is.
const EARLY_EMBEDDING_BYTES_MAX: usize = 4 * 1024;

/// A text to embed, with the passages that get vectors of their own.
#[derive(Clone, PartialEq)]
pub struct Embeddable {
    whole: String,
    passages: Vec<String>,
}

impl Embeddable {
    /// Builds the texts of a memory: speaker, title and text; then each passage of a text that has
    /// several, and the occasion of a permanent wish.
    pub fn memory(metadata: &JsonMap, title: Option<&str>, text: &str) -> Self {
        let titled = match title {
            // Many notes repeat the title as their first line, which must not count twice.
            Some(title) if !text.starts_with(title) => format!("{title}\n{text}"),
            _ => text.to_owned(),
        };
        let said = |text: &str| match speaker(metadata) {
            Some(speaker) => format!("{speaker}: {text}"),
            None => text.to_owned(),
        };
        // An occasion has no speaker: it is compared with questions, which have none either.
        let occasion = reading::instruction_trigger(text).map(str::to_owned);
        let passages = reading::passages(&titled).into_iter().map(said).chain(occasion).collect();
        Self { passages, whole: said(&titled) }
    }

    /// Builds a text without passages.
    pub fn whole(text: String) -> Self {
        Self { whole: text, passages: Vec::new() }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.whole).chain(&self.passages).map(String::as_str)
    }
}

/// Vectors being computed for a text that was not screened yet.
pub struct PendingVector {
    text: Embeddable,
    task: EmbeddingTask,
}

type EmbeddingTask = JoinHandle<Result<Vec<StoredVectors>, EmbedError>>;

/// Returns the speaker of a message in a stored conversation.
pub fn speaker(metadata: &JsonMap) -> Option<&str> {
    metadata.get("speaker").and_then(serde_json::Value::as_str)
}

impl Core {
    /// Embeds a text; `None` when the embedder failed.
    pub async fn vector_of(&self, text: Embeddable) -> Option<StoredVectors> {
        self.vectors_of(vec![text]).await.ok()?.pop()
    }

    /// Starts to embed a text before it is admitted and screened. Returns `None` for embedders that
    /// send it off this machine, and for long texts.
    #[must_use]
    pub fn start_vector(&self, text: Embeddable) -> Option<PendingVector> {
        let worth_it = self.embedder.is_local() && text.whole.len() <= EARLY_EMBEDDING_BYTES_MAX;
        worth_it.then(|| PendingVector { task: self.start_embedding(vec![text.clone()]), text })
    }

    /// Returns the vectors of a text to store: the started ones, unless screening changed the text.
    pub async fn finish_vector(
        &self,
        pending: Option<PendingVector>,
        text: Embeddable,
    ) -> Option<StoredVectors> {
        match pending.filter(|pending| pending.text == text) {
            Some(pending) => self.joined(pending.task).await.ok()?.pop(),
            None => self.vector_of(text).await,
        }
    }

    /// Embeds several texts, or returns the embedder's error.
    pub async fn vectors_of(
        &self,
        texts: Vec<Embeddable>,
    ) -> Result<Vec<StoredVectors>, EmbedError> {
        let mut queue = self.embedding_queue(texts.len());
        queue.add(texts);
        queue.finish().await
    }

    /// Creates a queue for about as many texts.
    #[must_use]
    pub fn embedding_queue(&self, texts: usize) -> EmbeddingQueue {
        EmbeddingQueue::new(Arc::clone(&self.embedder), texts)
    }

    /// Starts to embed several texts on a blocking thread.
    fn start_embedding(&self, texts: Vec<Embeddable>) -> EmbeddingTask {
        let embedder = Arc::clone(&self.embedder);
        // An embedder computes for milliseconds or waits for a server; on an event loop thread it
        // would stall every other call of that thread.
        let span = tracing::info_span!(target: TRACE_TARGET, "embed", texts = texts.len());
        tokio::task::spawn_blocking(move || span.in_scope(|| embed_all(&*embedder, &texts)))
    }

    /// Waits for an embedding. A panic of its thread is reported as a failure of the embedder.
    async fn joined(&self, task: EmbeddingTask) -> Result<Vec<StoredVectors>, EmbedError> {
        let died = |error| EmbedError::unavailable(self.embedder.model(), format!("{error}"));
        log_failure(task.await.unwrap_or_else(|error| Err(died(error))))
    }
}

fn embed_all(
    embedder: &dyn Embedder,
    texts: &[Embeddable],
) -> Result<Vec<StoredVectors>, EmbedError> {
    let all: Vec<&str> = texts.iter().flat_map(Embeddable::texts).collect();
    let mut vectors = Vec::with_capacity(all.len());
    for some in all.chunks(TEXTS_AT_ONCE) {
        vectors.extend(embedder.embed(some)?.iter().map(|one| one.to_stored(embedder.model())));
    }
    let mut vectors = vectors.into_iter();
    let of_text = |text: &Embeddable| concatenate(vectors.by_ref().take(text.texts().count()));
    Ok(texts.iter().filter_map(of_text).collect())
}

/// Embedding of a question.
#[derive(Debug, Clone)]
pub enum QuestionEmbedding {
    /// Not needed, or the caller searches by words alone.
    NotRequested,
    Vector(Vec<f32>),
    /// Failed, with the reason.
    Failed(String),
}

impl QuestionEmbedding {
    /// Embeds a question, if there is one. Blocks the thread.
    pub fn embed(text: Option<String>, embedder: &dyn Embedder) -> Self {
        let Some(text) = text else { return Self::NotRequested };
        let span = tracing::info_span!(target: TRACE_TARGET, "embed", texts = 1);
        let embedding = span.in_scope(|| log_failure(embedder.embed_question(&text)));
        embedding.map_or_else(
            |error| Self::Failed(error.to_string()),
            |embedding| Self::Vector(embedding.mean()),
        )
    }

    /// Sets the vector of a ranking question, and the calibration of the embedder's cosines.
    pub fn apply(&self, question: &mut recall::RecallQuery, embedder: &dyn Embedder) {
        // Read after embedding: some embedders learn their calibration with the first question.
        let (slope, shift) = embedder.calibration().to_bundled_scale();
        question.cosine_scale = CosineScale { slope, shift };
        question.vector = if let Self::Vector(vector) = self { Some(vector.clone()) } else { None };
    }

    /// Returns whether there is a vector.
    pub fn is_available(&self) -> bool {
        matches!(self, Self::Vector(_))
    }

    /// Returns the reason why the embedder failed, if it did.
    pub fn failure(self) -> Option<String> {
        if let Self::Failed(why) = self { Some(why) } else { None }
    }
}

/// Concatenates the vectors of one memory.
fn concatenate(mut vectors: impl Iterator<Item = StoredVectors>) -> Option<StoredVectors> {
    let mut all = vectors.next()?;
    vectors.for_each(|passage| all.data.extend(passage.data));
    Some(all)
}

fn log_failure<T>(task: Result<T, EmbedError>) -> Result<T, EmbedError> {
    task.inspect_err(|error| tracing::warn!(%error, "the embedder failed; using words alone"))
}
