//! The contract between whoever needs vectors and whatever makes them. It is synchronous, since an
//! embedder uses a core to the full: asynchronous callers put it on a blocking thread.

use model::{StoredVector, VectorModel};

use crate::{Calibration, Quantised};

/// The numbers that stand for a piece of text; of length 1, so that a dot product is the cosine.
pub type Vector = Vec<f32>;

/// Something that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Who makes the vectors. Vectors of different models are never compared. An embedder that has
    /// not answered yet may not know its dimensions; they are 0 until then, and never change after.
    fn model(&self) -> &VectorModel;

    /// How many numbers each vector has.
    fn dimensions(&self) -> usize {
        self.model().dimensions
    }

    /// One embedding for each text, in order. Many texts in one call are cheaper than many calls.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError>;

    /// The embedding of a question. Some models want to be told that a text is one.
    fn embed_question(&self, question: &str) -> Result<Embedding, EmbedError> {
        let made = self.embed(&[question])?.pop();
        made.ok_or_else(|| EmbedError::unavailable(self.model(), "it gave no vector for a text"))
    }

    /// Whether a text that it is handed stays on this machine. Only then it may be handed one that
    /// nobody has looked through for secrets yet.
    fn stays_here(&self) -> bool {
        false
    }

    /// What the cosines of its vectors mean.
    fn calibration(&self) -> Calibration {
        Calibration::BUNDLED
    }
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// More texts than one call takes.
    #[error("{count} texts in one call; at most {limit} are taken")]
    TooManyTexts {
        /// How many were given.
        count: usize,
        /// How many are taken.
        limit: usize,
    },
    /// The embedder is out of reach or answers wrongly; the same call may succeed later.
    #[error("the embedder {model} does not answer: {reason}")]
    Unavailable {
        /// Which embedder.
        model: String,
        /// What went wrong and what to do about it. Never holds a text or a key.
        reason: String,
    },
}

impl EmbedError {
    /// The embedder does not answer, for this reason.
    pub fn unavailable(model: &VectorModel, reason: impl Into<String>) -> Self {
        Self::Unavailable { model: model.id.clone(), reason: reason.into() }
    }
}

/// What one text means: a vector for each window of it, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The windows' vectors in the order of the text. A short text has one window.
    pub windows: Vec<Vector>,
}

impl Embedding {
    /// One vector for the whole text, for a question that is longer than a window: the windows'
    /// mean at length 1.
    pub fn mean(&self) -> Vector {
        let mut sum = vec![0.0; self.windows.first().map_or(0, Vec::len)];
        for window in &self.windows {
            sum.iter_mut().zip(window).for_each(|(sum, value)| *sum += value);
        }
        normalise(&mut sum);
        sum
    }

    /// One vector for the whole text that leans to its beginning: each window counts half as much
    /// as the one before it. A text says first what it is about. Measured against one vector a
    /// window, where long texts win by having more chances, and against the plain mean, where their
    /// ends drown their beginnings.
    pub fn leaning(&self) -> Vector {
        let mut sum = vec![0.0; self.windows.first().map_or(0, Vec::len)];
        let mut weight = 1.0;
        for window in &self.windows {
            sum.iter_mut().zip(window).for_each(|(sum, value)| *sum += weight * value);
            weight *= 0.5;
        }
        normalise(&mut sum);
        sum
    }

    /// The form in which a store keeps it.
    pub fn stored(&self, model: &VectorModel) -> StoredVector {
        StoredVector { model: model.clone(), windows: Quantised::new(&self.leaning()).to_bytes() }
    }
}

/// Brings a vector to length 1; one of length 0 stays.
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
    fn the_stored_form_leans_to_the_beginning() {
        let embedding = Embedding { windows: vec![vec![1.0, 0.0], vec![0.0, -1.0]] };
        let stored = embedding.stored(&VectorModel { id: "test".into(), dimensions: 2 });
        let vector = Quantised::from_bytes(&stored.windows).unwrap().to_vector();
        assert!((vector[0] + 2.0 * vector[1]).abs() < 0.01, "{vector:?}");
    }

    #[test]
    fn a_short_text_is_stored_as_its_only_window() {
        let embedding = Embedding { windows: vec![vec![0.6, 0.8]] };
        let stored = embedding.stored(&VectorModel { id: "test".into(), dimensions: 2 });
        assert_eq!(stored.windows, Quantised::new(&[0.6, 0.8]).to_bytes());
    }
}
