//! Turns text into vectors: the [`Embedder`] contract, the [`Bundled`] model that needs no download, and
//! [`Quantised`], the form in which vectors are kept and scanned. It promises that a text always gets the same
//! vectors from the same model, and that the bundled model takes any text. It does not know memories, stores or
//! ranking, and does no I/O.

mod bundled;
mod embedder;
mod quantised;

pub use bundled::{Bundled, Kernel, MAX_TEXT_BYTES, MAX_TEXTS, MAX_WINDOWS, WINDOW_TOKENS};
pub use embedder::{EmbedError, Embedder, Embedding, Vector};
pub use model::VectorModel;
pub use quantised::{NotQuantised, Quantised};
