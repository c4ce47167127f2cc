//! Embedder that runs a BERT-family model from a local directory on the CPU. It reads the files
//! that sentence-transformers models come with and downloads nothing. The crate is empty unless the
//! feature `candle` is on, since candle takes longer to build than everything else together. It
//! does not know memories or stores.

#![cfg(feature = "candle")]

mod bert;
mod files;
mod local;
mod pieces;
mod pooling;
mod shape;

pub use files::LocalError;
pub use local::{Local, Settings};
pub use pooling::Pooling;
