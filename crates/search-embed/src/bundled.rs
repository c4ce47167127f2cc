//! The embedder inside the binary: quipu-embed-2, a small BERT-like transformer with 256
//! dimensions for English and 25 other languages. It needs no download, no key and no start-up
//! work: weights are read in place. Int8 matrix products keep a question under half a millisecond
//! on one core, at a cosine of 0.9995 or more to the published float weights.

mod activations;
mod aligned;
mod attention;
mod char_class;
mod cross_encoder;
mod elementwise;
mod forward;
mod kernel;
mod layout;
mod tokenizer;
mod vocabulary;
mod weights;
mod windows;

use model::VectorModel;

use crate::embedder::normalise;
use crate::{EmbedError, Embedder, Embedding, Vector};
pub use cross_encoder::{CrossEncoder, PAIR_TOKENS_MAX, TextPair};
use forward::ForwardPass;
pub use kernel::Kernel;
use layout::{WIDTH, WINDOW};

/// Number of tokens that share one context and yield one vector.
pub const WINDOW_TOKENS: usize = WINDOW;
/// Maximum number of windows per text. A longer text is sampled with evenly spaced windows.
pub const MAX_WINDOWS: usize = 64;
/// Maximum number of bytes of a text that are read; the rest is ignored.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Maximum number of texts per call.
pub const MAX_TEXTS: usize = 1024;

/// Number of token rows that go through the layers together. With as many, the time to read all
/// weights no longer counts, and 1 MiB of rows is little memory.
const BATCH_ROWS: usize = 8 * WINDOW;

/// Embedder that runs the bundled model.
#[derive(Debug, Clone)]
pub struct BundledEmbedder {
    model: VectorModel,
    kernel: Kernel,
}

impl BundledEmbedder {
    /// Creates the embedder with the fastest kernel for this processor. Costs next to nothing.
    pub fn new() -> Self {
        Self::with_kernel(Kernel::best())
    }

    /// Creates the embedder with a given kernel, for comparisons.
    pub fn with_kernel(kernel: Kernel) -> Self {
        let id = concat!("quipu-embed-2@", env!("QUIPU_EMBED_DIGEST")).to_owned();
        Self { model: VectorModel { id, dimensions: WIDTH }, kernel }
    }

    /// Returns the number of tokens of a text in all its windows, which is what it costs.
    pub fn count_tokens(&self, text: &str) -> usize {
        windows::windows(&tokenizer::tokenize(truncate_text(text))).map(<[u32]>::len).sum()
    }

    /// Returns the vector of each window.
    fn embed_windows(&self, windows: &[&[u32]]) -> Vec<Vector> {
        let mut pass = ForwardPass::new(windows);
        self.kernel.run(&mut pass);
        pass.means().iter().map(normalised).collect()
    }
}

impl Default for BundledEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedder for BundledEmbedder {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn is_local(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        if texts.len() > MAX_TEXTS {
            return Err(EmbedError::TooManyTexts { count: texts.len(), limit: MAX_TEXTS });
        }
        let ids: Vec<Vec<u32>> =
            texts.iter().map(|text| tokenizer::tokenize(truncate_text(text))).collect();
        let counts: Vec<usize> = ids.iter().map(|ids| windows::windows(ids).count()).collect();
        let all: Vec<&[u32]> = ids.iter().flat_map(|ids| windows::windows(ids)).collect();
        let mut vectors = windows::batches(&all, |window| window.len(), BATCH_ROWS)
            .flat_map(|batch| self.embed_windows(batch));
        Ok(counts
            .iter()
            .map(|count| Embedding { windows: vectors.by_ref().take(*count).collect() })
            .collect())
    }
}

/// Returns the vector of a window: the mean of its tokens has the direction of their sum.
fn normalised(mean: &[f32; WIDTH]) -> Vector {
    let mut vector = mean.to_vec();
    normalise(&mut vector);
    vector
}

/// Truncates a text to [`MAX_TEXT_BYTES`] at a character boundary.
fn truncate_text(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_truncated_between_characters() {
        let text = "é".repeat(MAX_TEXT_BYTES);
        assert_eq!(truncate_text(&format!("a{text}")).len(), MAX_TEXT_BYTES - 1);
        assert_eq!(truncate_text("short"), "short");
    }
}
