//! File formats: what other programs wrote, read in; what is remembered here, written out. A file
//! is bytes from strangers: whatever is in it, the answer is its content or an error, within bounds
//! that are known beforehand. Knows the engine's use cases, and neither a store nor a command line.

pub mod amem;
mod epitome;
mod export;
mod import;
pub mod jsonl;

pub use epitome::{EpitomeError, EpitomeExport, import_epitome};
pub use export::export_amem;
pub use import::{Imported, Step, import_amem};
pub use jsonl::{JsonlError, export_jsonl, import_jsonl};
