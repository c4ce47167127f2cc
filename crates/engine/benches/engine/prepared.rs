//! The bundled embedder with vectors computed before the measurement, to measure everything else.

use embed::{Bundled, EmbedError, Embedder, Embedding, VectorModel};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An embedder with prepared answers.
pub struct Prepared {
    bundled: Arc<Bundled>,
    made: Mutex<HashMap<String, Embedding>>,
}

impl Prepared {
    pub fn new(bundled: Arc<Bundled>) -> Self {
        Self { bundled, made: Mutex::default() }
    }

    /// Computes the vectors of a text and its passages.
    pub fn prepare(&self, text: &str) {
        let texts = embedded(text);
        let made = self.bundled.embed(&texts).expect("embedded");
        let known = texts.iter().map(|&text| text.to_owned()).zip(made);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).extend(known);
    }

    fn answer(&self, text: &str) -> Result<Embedding, EmbedError> {
        // Removed when used, so that the map does not grow over a run.
        let known = self.made.lock().unwrap_or_else(PoisonError::into_inner).remove(text);
        known.map_or_else(|| Ok(self.bundled.embed(&[text])?.remove(0)), Ok)
    }
}

/// Returns the texts that are embedded for a memory: the whole, and its passages.
pub fn embedded(text: &str) -> Vec<&str> {
    std::iter::once(text).chain(reading::passages(text)).collect()
}

impl Embedder for Prepared {
    fn model(&self) -> &VectorModel {
        self.bundled.model()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        texts.iter().map(|text| self.answer(text)).collect()
    }

    fn stays_here(&self) -> bool {
        true
    }
}
