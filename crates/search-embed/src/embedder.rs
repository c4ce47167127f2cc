//! The embedder trait and the embedding of a text. The trait is synchronous, since embedding is
//! CPU-bound or blocking: asynchronous callers run it on a blocking thread.

use model::{StoredVectors, VectorModel};

use crate::{Calibration, QuantisedVector};

/// Unit vector of a piece of text, so that a dot product is the cosine.
pub type Vector = Vec<f32>;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Returns the model of the vectors. Vectors of different models are never compared. An
    /// embedder that was never used may not know its dimensions yet: they are 0 until then and
    /// never change afterwards.
    fn model(&self) -> &VectorModel;

    /// Returns the number of dimensions of each vector.
    fn dimensions(&self) -> usize {
        self.model().dimensions
    }

    /// Embeds each text, in order. One call with many texts is cheaper than many calls.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError>;

    /// Embeds a question. Some models need a prefix that marks a text as one.
    fn embed_question(&self, question: &str) -> Result<Embedding, EmbedError> {
        let embedding = self.embed(&[question])?.pop();
        embedding.ok_or_else(|| EmbedError::unavailable(self.model(), "it returned no vector"))
    }

    /// Returns true if texts do not leave this machine. Only then may the embedder receive a text
    /// that has not been screened for secrets.
    fn is_local(&self) -> bool {
        false
    }

    /// Returns the calibration of the model's cosines.
    fn calibration(&self) -> Calibration {
        Calibration::BUNDLED
    }
}

/// Reason why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// More texts than one call accepts.
    #[error("{count} texts in one call; the limit is {limit}")]
    TooManyTexts { count: usize, limit: usize },
    /// The embedder cannot be reached or answers incorrectly; the same call may succeed later.
    #[error("the embedder {model} is unavailable: {reason}")]
    Unavailable {
        model: String,
        /// Cause and advice. Never contains a text or a key.
        reason: String,
    },
}

impl EmbedError {
    /// Creates the error for an embedder that is unavailable.
    pub fn unavailable(model: &VectorModel, reason: impl Into<String>) -> Self {
        Self::Unavailable { model: model.id.clone(), reason: reason.into() }
    }
}

/// Embedding of one text: one vector per window, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// Vectors in the order of the text. A short text has one window.
    pub windows: Vec<Vector>,
}

impl Embedding {
    /// Returns one vector for the whole text, for a question that is longer than a window: the
    /// normalised mean of the windows.
    pub fn mean(&self) -> Vector {
        let mut sum = vec![0.0; self.windows.first().map_or(0, Vec::len)];
        for window in &self.windows {
            sum.iter_mut().zip(window).for_each(|(sum, value)| *sum += value);
        }
        normalise(&mut sum);
        sum
    }

    /// Returns one vector for the whole text in which each window counts half as much as the one
    /// before it, since a text usually names its subject first. Measured to be better than one
    /// vector per window, with which long texts win by having more chances, and than the plain
    /// mean, in which the end drowns the beginning.
    pub fn front_weighted_mean(&self) -> Vector {
        let mut sum = vec![0.0; self.windows.first().map_or(0, Vec::len)];
        let mut weight = 1.0;
        for window in &self.windows {
            sum.iter_mut().zip(window).for_each(|(sum, value)| *sum += weight * value);
            weight *= 0.5;
        }
        normalise(&mut sum);
        sum
    }

    /// Returns the form in which a store saves it.
    pub fn to_stored(&self, model: &VectorModel) -> StoredVectors {
        StoredVectors {
            model: model.clone(),
            data: QuantisedVector::new(&self.front_weighted_mean()).to_bytes(),
        }
    }
}

/// Normalises a vector to length 1; a zero vector stays unchanged.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-12);
    vector.iter_mut().for_each(|value| *value /= length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_windows_has_length_one_and_lies_between_them() {
        let embedding = Embedding { windows: vec![vec![1.0, 0.0], vec![0.0, 1.0]] };
        assert_eq!(embedding.mean(), vec![0.5f32.sqrt(); 2]);
    }

    #[test]
    fn the_mean_of_one_window_is_that_window() {
        assert_eq!(Embedding { windows: vec![vec![0.6, 0.8]] }.mean(), vec![0.6, 0.8]);
    }

    #[test]
    fn the_stored_form_weights_the_beginning_most() {
        let embedding = Embedding { windows: vec![vec![1.0, 0.0], vec![0.0, -1.0]] };
        let stored = embedding.to_stored(&VectorModel { id: "test".into(), dimensions: 2 });
        let vector = QuantisedVector::from_bytes(&stored.data).unwrap().to_vector();
        assert!((vector[0] + 2.0 * vector[1]).abs() < 0.01, "{vector:?}");
    }

    #[test]
    fn a_short_text_is_stored_as_its_only_window() {
        let embedding = Embedding { windows: vec![vec![0.6, 0.8]] };
        let stored = embedding.to_stored(&VectorModel { id: "test".into(), dimensions: 2 });
        assert_eq!(stored.data, QuantisedVector::new(&[0.6, 0.8]).to_bytes());
    }
}
