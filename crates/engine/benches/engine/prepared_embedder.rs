//! The bundled embedder with vectors computed before the measurement, to measure everything else.

use embed::{BundledEmbedder, EmbedError, Embedder, Embedding, VectorModel};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// An embedder with prepared answers.
pub struct PreparedEmbedder {
    bundled: Arc<BundledEmbedder>,
    answers: Mutex<HashMap<String, Embedding>>,
}

impl PreparedEmbedder {
    pub fn new(bundled: Arc<BundledEmbedder>) -> Self {
        Self { bundled, answers: Mutex::default() }
    }

    /// Computes the vectors of a text and its passages.
    pub fn prepare(&self, text: &str) {
        let texts = embedded_texts(text);
        let made = self.bundled.embed(&texts).expect("embedded");
        let known = texts.iter().map(|&text| text.to_owned()).zip(made);
        self.answers.lock().extend(known);
    }

    fn answer(&self, text: &str) -> Result<Embedding, EmbedError> {
        // Removed when used, so that the map does not grow over a run.
        let known = self.answers.lock().remove(text);
        known.map_or_else(|| Ok(self.bundled.embed(&[text])?.remove(0)), Ok)
    }
}

/// Returns the texts that are embedded for a memory: the whole, and its passages.
pub fn embedded_texts(text: &str) -> Vec<&str> {
    std::iter::once(text).chain(reading::passages(text)).collect()
}

impl Embedder for PreparedEmbedder {
    fn model(&self) -> &VectorModel {
        self.bundled.model()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        texts.iter().map(|text| self.answer(text)).collect()
    }

    fn is_local(&self) -> bool {
        true
    }
}
