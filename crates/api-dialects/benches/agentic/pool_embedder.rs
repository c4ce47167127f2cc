//! An embedder for filling a store: real questions, and texts with vectors of a pool.

use embed::{BundledEmbedder, EmbedError, Embedder, Embedding};
use model::VectorModel;
use testkit::bench::{Xorshift, text};

/// Number of vectors in the pool.
const POOL: usize = 512;

/// Embedder whose texts get one of a few vectors.
pub struct PoolEmbedder {
    model: BundledEmbedder,
    pool: Vec<Embedding>,
}

impl PoolEmbedder {
    pub fn new() -> Self {
        let (model, mut rng) = (BundledEmbedder::new(), Xorshift::new(3));
        let texts: Vec<String> = (0..POOL).map(|_| text(&mut rng, 24)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let pool = texts.chunks(64).flat_map(|some| model.embed(some).unwrap()).collect();
        Self { model, pool }
    }
}

impl Embedder for PoolEmbedder {
    fn model(&self) -> &VectorModel {
        self.model.model()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        Ok(texts.iter().map(|text| self.pool[text.len() * 31 % POOL].clone()).collect())
    }

    fn embed_question(&self, question: &str) -> Result<Embedding, EmbedError> {
        self.model.embed_question(question)
    }

    fn is_local(&self) -> bool {
        true
    }
}
