//! Embedder that runs a BERT-family model from a local directory on the CPU. It reads the files
//! that sentence-transformers models come with and downloads nothing. The crate is empty unless the
//! feature `candle` is on, since candle takes longer to build than everything else together. It
//! does not know memories or stores.

#![cfg(feature = "candle")]

mod bert;
mod local;
mod model_config;
mod model_files;
mod pooling;
mod window_tokenizer;

pub use local::{LocalEmbedder, LocalSettings};
pub use model_files::LocalError;
pub use pooling::Pooling;
