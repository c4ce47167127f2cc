//! JSON Lines: Quipu's own export. A line is one thing as it is kept, with its number, its times
//! and whoever wrote it; the first line says which version of the format this is. Nothing is named
//! before the line that holds it, except what sums a session up. Fields that are empty are left
//! out; moments are RFC 3339 in UTC.
//!
//! ```text
//! {"type":"quipu","version":1}
//! {"type":"session","id":1,"agent":"claude","started_at":"2026-05-03T12:00:00Z"}
//! {"type":"memory","id":7,"kind":"decision","text":"We ship on Tuesdays.","collection":"memories",…}
//! {"type":"link","source":7,"target":3,"kind":"supersedes","weight":1.0,…}
//! ```

mod heard;
mod lines;
mod moments;
mod read;
mod shapes;
mod told;
mod write;

pub use lines::{from_line, to_line};
pub use read::import_jsonl;
pub use write::{Exported, export_jsonl};

use model::Failure;

/// The version that is read and written.
pub const VERSION: u32 = 1;
/// The first line of a file.
pub const HEADER: &str = r#"{"type":"quipu","version":1}"#;

/// Longest line, in bytes: the largest document, each of its characters escaped.
const LINE_BYTES: u64 = 6 * model::limits::REFERENCE_BYTES as u64 + 1024 * 1024;

/// Why a file could not be read in, or written.
#[derive(Debug, thiserror::Error)]
pub enum JsonlError {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// It does not begin as an export does.
    #[error("this is no export of Quipu: its first line is not {HEADER}")]
    NoExport,
    /// It is of a version that is not known here.
    #[error("the export is of version {0}; this program reads version {VERSION}")]
    Newer(u32),
    /// A line cannot be understood. Those before it were read in.
    #[error("line {line}: {why}")]
    Line {
        /// Which.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The memory refused.
    #[error(transparent)]
    Memory(#[from] Failure),
}
