//! Re-embedding after a change of the model. Vectors are computed again in the background, a few at
//! a time; meanwhile memories without a vector are found by words alone. Vectors of two models are
//! never compared.

use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::embedding::Embeddable;
use engine_memory::counts::visible_counts;
use guard::Resource;
use model::Permission;
use store::{Change, Counts};

/// Progress of embedding an owner's memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingProgress {
    /// Id of the current model.
    pub model: String,
    /// Number of memories with vectors of this model.
    pub done: usize,
    /// Number of all memories.
    pub total: usize,
}

impl EmbeddingProgress {
    /// Derives the progress from the counts of the store.
    pub(crate) fn from_counts(model: &str, counts: &Counts) -> Self {
        let done =
            counts.vectors.iter().filter(|(id, _)| id == model).map(|(_, count)| count).sum();
        let total = counts.memories.iter().map(|(_, count)| count).sum();
        Self { model: model.to_owned(), done, total }
    }

    /// Returns whether every memory has its vectors.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done >= self.total
    }
}

/// Result of one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReembedOutcome {
    /// Number of memories that got vectors; there may be more.
    Embedded(usize),
    Complete,
    /// The embedder failed with this reason; nothing was changed.
    Stopped(String),
}

impl<'e> Admin<'e> {
    /// Returns the length of a vector.
    #[must_use]
    pub fn embedding_dimensions(self) -> usize {
        self.core.embedder().model().dimensions
    }

    /// Returns the progress of embedding.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn embedding_progress(self, caller: &'e Caller) -> UseCaseFuture<'e, EmbeddingProgress> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &())
                    .await?;
            let counts = visible_counts(&call).await?;
            call.note_shown("showed the embedding progress", &[]).await;
            Ok(EmbeddingProgress::from_counts(&self.core.embedder().model().id, &counts))
        })
    }

    /// Embeds at most `limit` memories that have no vector of the current model.
    ///
    /// # Errors
    /// Fails when the store cannot be read or written.
    pub fn reembed(self, caller: &'e Caller, limit: usize) -> UseCaseFuture<'e, ReembedOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &limit)
                    .await?;
            call.admit_whole(Resource::Memories(None), Permission::Write).await?;
            let model = &self.core.embedder().model().id;
            let without = call.store().memories_without_vector(model, limit).await?;
            if without.is_empty() {
                return Ok(ReembedOutcome::Complete);
            }
            let texts = without
                .iter()
                .map(|memory| {
                    Embeddable::memory(&memory.metadata, memory.title.as_deref(), &memory.text)
                })
                .collect();
            // An error ends the round quietly: the caller waits and tries again, since embedders
            // come back.
            let vectors = match self.core.vectors_of(texts).await {
                Ok(vectors) => vectors,
                Err(error) => return Ok(ReembedOutcome::Stopped(error.to_string())),
            };
            let changes: Vec<Change> = without
                .iter()
                .zip(vectors)
                .map(|(memory, vector)| Change::SetVector { memory: memory.id, vector })
                .collect();
            let count = changes.len();
            call.write(format!("re-embedded {count} memories"), changes).await?;
            Ok(ReembedOutcome::Embedded(count))
        })
    }
}
