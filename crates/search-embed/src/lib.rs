//! Turns text into vectors: the [`Embedder`] contract, the [`Bundled`] model that needs no
//! download, [`Quantised`], the form in which vectors are kept and scanned, and [`Calibration`],
//! which makes the cosines of models comparable. It promises that a text always gets the same
//! vectors from the same model, and that the bundled model takes any text. It does not know
//! memories, stores or ranking, and does no I/O; embedders that do have rooms of their own.

mod bundled;
mod calibration;
mod embedder;
mod quantised;

pub use bundled::{Bundled, Kernel, MAX_TEXT_BYTES, MAX_TEXTS, MAX_WINDOWS, WINDOW_TOKENS};
pub use calibration::{CALIBRATION_ANSWERS, CALIBRATION_QUESTIONS, Calibration};
pub use embedder::{EmbedError, Embedder, Embedding, Vector, normalise};
pub use model::VectorModel;
pub use quantised::{NotQuantised, Quantised};
