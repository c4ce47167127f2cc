//! Re-embedding: when the model changes, the vectors of the old one are of no use. They are made
//! anew a few at a time, in the background, while words alone find what has none yet. Vectors of
//! two models are never compared.

use crate::Admin;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::embedding::Embeddable;
use engine_memory::counted::counted;
use guard::Resource;
use model::{Failure, Permission};
use store::{Change, Counts};

/// How far the vectors of an owner's memories are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingProgress {
    /// The model that makes them.
    pub model: String,
    /// How many memories have vectors of this model.
    pub done: usize,
    /// How many memories there are.
    pub total: usize,
}

impl EmbeddingProgress {
    /// As told by what there is of everything.
    pub(crate) fn of(model: &str, counts: &Counts) -> Self {
        let done =
            counts.vectors.iter().filter(|(id, _)| id == model).map(|(_, count)| count).sum();
        let total = counts.memories.iter().map(|(_, count)| count).sum();
        Self { model: model.to_owned(), done, total }
    }

    /// Whether every memory has its vectors.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done >= self.total
    }
}

/// How a round of re-embedding went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reembedded {
    /// So many memories got their vectors; there may be more.
    Made(usize),
    /// Every memory has its vectors.
    Complete,
    /// The embedder failed, for this reason; nothing was changed.
    Stopped(String),
}

impl Admin<'_> {
    /// How many numbers a vector has.
    #[must_use]
    pub fn embedding_dimensions(self) -> usize {
        self.core.embedder().model().dimensions
    }

    /// How far the vectors are.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn embedding_progress(self, caller: &Caller) -> Result<EmbeddingProgress, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &()).await?;
        let counts = counted(&call).await?;
        call.note_shown("showed how far the vectors are", &[]).await;
        Ok(EmbeddingProgress::of(&self.core.embedder().model().id, &counts))
    }

    /// Makes the vectors of at most `limit` memories that have none of the current model.
    ///
    /// # Errors
    /// When the store cannot answer or write.
    pub async fn reembed(self, caller: &Caller, limit: usize) -> Result<Reembedded, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &limit)
                .await?;
        call.admit_whole(Resource::Memories(None), Permission::Write).await?;
        let model = &self.core.embedder().model().id;
        let without = call.store().memories_without_vector(model, limit).await?;
        if without.is_empty() {
            return Ok(Reembedded::Complete);
        }
        let texts = without
            .iter()
            .map(|memory| {
                Embeddable::memory(&memory.metadata, memory.title.as_deref(), &memory.text)
            })
            .collect();
        let vectors = match self.core.vectors_of(texts).await {
            Ok(vectors) => vectors,
            Err(error) => return Ok(Reembedded::Stopped(error.to_string())),
        };
        let changes: Vec<Change> = without
            .iter()
            .zip(vectors)
            .map(|(memory, vector)| Change::SetVector { memory: memory.id, vector })
            .collect();
        let made = changes.len();
        call.write(format!("embedded {made} anew"), changes).await?;
        Ok(Reembedded::Made(made))
    }
}
