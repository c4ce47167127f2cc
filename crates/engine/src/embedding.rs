//! Texts to vectors, off the threads that answer. When the embedder fails, words alone carry on.

use crate::Engine;
use crate::call::internal;
use embed::EmbedError;
use model::{Failure, JsonMap, StoredVector};
use std::sync::Arc;

/// How many texts go to the embedder in one call.
const TEXTS_AT_ONCE: usize = 32;

/// What a memory's vector is made from: who said it, its headline and its text.
pub(crate) fn embedded_text(metadata: &JsonMap, title: Option<&str>, text: &str) -> String {
    let titled = match title {
        Some(title) if !text.starts_with(title) => format!("{title}\n{text}"),
        _ => text.to_owned(),
    };
    match speaker(metadata) {
        Some(speaker) => format!("{speaker}: {titled}"),
        None => titled,
    }
}

/// Who said it, where a conversation was kept.
pub(crate) fn speaker(metadata: &JsonMap) -> Option<&str> {
    metadata.get("speaker").and_then(serde_json::Value::as_str)
}

impl Engine {
    /// The vectors of a text, or `None` when the embedder failed.
    pub(crate) async fn vector_of(&self, text: String) -> Result<Option<StoredVector>, Failure> {
        Ok(self.vectors_of(vec![text]).await?.and_then(|mut made| made.pop()))
    }

    /// The vectors of some texts, or `None` when the embedder failed.
    pub(crate) async fn vectors_of(&self, texts: Vec<String>) -> Result<Option<Vec<StoredVector>>, Failure> {
        Ok(self.try_vectors_of(texts).await?.ok())
    }

    /// The vectors of some texts, or why there are none.
    pub(crate) async fn try_vectors_of(
        &self,
        texts: Vec<String>,
    ) -> Result<Result<Vec<StoredVector>, EmbedError>, Failure> {
        let embedder = Arc::clone(&self.embedder);
        let work = move || {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut stored = Vec::with_capacity(texts.len());
            for some in texts.chunks(TEXTS_AT_ONCE) {
                stored
                    .extend(embedder.embed(some)?.iter().map(|embedding| embedding.stored(embedder.model())));
            }
            Ok(stored)
        };
        Ok(logged(tokio::task::spawn_blocking(work).await.map_err(internal)?))
    }

    /// What a question means, or why words alone have to answer it.
    pub(crate) async fn meaning_of(&self, question: String) -> Result<Meaning, Failure> {
        let embedder = Arc::clone(&self.embedder);
        let work = move || embedder.embed_question(&question).map(|embedding| embedding.mean());
        let made = tokio::task::spawn_blocking(work).await.map_err(internal)?;
        Ok(logged(made).map_or_else(|error| Meaning::Unknown(error.to_string()), Meaning::Vector))
    }
}

/// What a question means, as far as the embedder could tell.
#[derive(Debug, Clone)]
pub(crate) enum Meaning {
    /// Nobody asked.
    NotAsked,
    /// It was asked and told.
    Vector(Vec<f32>),
    /// It was asked and failed, for this reason.
    Unknown(String),
}

fn logged<T>(made: Result<T, EmbedError>) -> Result<T, EmbedError> {
    made.inspect_err(|error| tracing::warn!(%error, "the embedder failed; words alone carry on"))
}
