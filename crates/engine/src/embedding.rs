//! Texts to vectors, off the threads that answer. When the embedder fails, words alone carry on.

use crate::Engine;
use crate::call::internal;
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
        Ok(kept_going(tokio::task::spawn_blocking(work).await.map_err(internal)?))
    }

    /// The vector of a question, or `None` when the embedder failed.
    pub(crate) async fn question_vector(&self, question: String) -> Result<Option<Vec<f32>>, Failure> {
        let embedder = Arc::clone(&self.embedder);
        let work = move || Ok(embedder.embed(&[&question])?.pop().map(|embedding| embedding.mean()));
        Ok(kept_going(tokio::task::spawn_blocking(work).await.map_err(internal)?).flatten())
    }
}

fn kept_going<T>(made: Result<T, embed::EmbedError>) -> Option<T> {
    made.inspect_err(|error| tracing::warn!(%error, "the embedder failed; words alone carry on")).ok()
}
