//! Text embedding: the [`Embedder`] trait, the bundled model [`BundledEmbedder`] that needs no
//! download, [`QuantisedVector`], the form in which vectors are stored and scanned, and
//! [`Calibration`], which makes the cosines of different models comparable. The same model gives a
//! text the same vectors every time, and the bundled model accepts any text. This crate does not
//! know memories, stores or ranking, and does no I/O; embedders that do are separate crates.

mod bundled;
mod calibration;
mod embedder;
mod quantised;

pub use bundled::{
    BundledEmbedder, CrossEncoder, Kernel, MAX_TEXT_BYTES, MAX_TEXTS, MAX_WINDOWS, PAIR_TOKENS_MAX,
    TextPair, WINDOW_TOKENS,
};
pub use calibration::{CALIBRATION_ANSWERS, CALIBRATION_QUESTIONS, Calibration};
pub use embedder::{EmbedError, Embedder, Embedding, Vector, normalise};
pub use model::VectorModel;
pub use quantised::{InvalidVectorBytes, QuantisedVector};
