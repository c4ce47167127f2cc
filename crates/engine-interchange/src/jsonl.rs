//! JSON Lines, Quipu's own export format. Each line is one stored item with its id, its times and
//! its provenance; the first line holds the version of the format. A line refers only to items on
//! earlier lines, except for the episode of a session. Empty fields are omitted; times are RFC 3339
//! in UTC.
//!
//! ```text
//! {"type":"quipu","version":1}
//! {"type":"session","id":1,"agent":"claude","started_at":"2026-05-03T12:00:00Z"}
//! {"type":"memory","id":7,"kind":"decision","text":"We ship on Tuesdays.",…}
//! {"type":"link","source":7,"target":3,"kind":"supersedes","weight":1.0,…}
//! ```

mod decode;
mod encode;
mod export;
mod import;
mod line_types;
mod lines;
mod timestamp;

pub use export::{ExportCounts, export_jsonl};
pub use import::import_jsonl;
pub use lines::{from_line, to_line};

use model::Failure;

/// Version of the format that is read and written.
pub const VERSION: u32 = 1;
/// First line of every export.
pub const HEADER: &str = r#"{"type":"quipu","version":1}"#;

/// Maximum length of a line, in bytes.
// The largest reference document with every byte escaped as `\u00xx`, plus space for its fields.
const LINE_BYTES: u64 = 6 * model::limits::REFERENCE_BYTES as u64 + 1024 * 1024;

/// Error of an import or export of JSON Lines.
#[derive(Debug, thiserror::Error)]
pub enum JsonlError {
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// The first line is not the header of an export.
    #[error("not a Quipu export: the first line is not {HEADER}")]
    NotAnExport,
    /// The version of the format is not supported.
    #[error("the export has format version {0}; this program reads version {VERSION}")]
    UnsupportedVersion(u32),
    /// A line is invalid. The lines before it were imported.
    #[error("line {line}: {why}")]
    Line { line: usize, why: String },
    /// The engine refused the operation.
    #[error(transparent)]
    Engine(#[from] Failure),
}
