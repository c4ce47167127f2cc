//! `.amem`, version 1: the file in which AgenticMemory stores a graph. Little endian, without
//! padding between its sections:
//!
//! ```text
//! header   64 B  "AMEM", version u32, dimension u32, flags u32, node count u64, edge count u64,
//!                offsets u64 of nodes, edges, contents and vectors
//! node     72 B  id u64, type u8, 3 B free, created u64, session u32, confidence f32,
//!                access count u32, last access u64, decay f32, content offset u64 and length u32,
//!                edge offset u64 and count u16, 6 B free
//! edge     32 B  source u64, target u64, type u8, 3 B free, weight f32, created u64;
//!                sorted by source and target
//! contents       each an LZ4 block preceded by its length as u32
//! vectors        node count times dimension f32
//! index          optional; derived from the rest
//! ```
//!
//! The free bytes hold what the format has no place for, so that readers that ignore them see a
//! plain graph. The first of an edge marks a derivation as opposed to a cause. The first of a node
//! marks a note or a preference, which are facts otherwise, a node without a session, and one that
//! was replaced: AgenticMemory hides it by a confidence of 0, and the true value is in the last six
//! bytes, as f32, before the length of the reason as u16. The other two of the first three are the
//! length of the title. Title and reason are the first and the last line of the content.

mod bytes;
mod error;
mod read;
mod write;

pub use error::AmemError;
pub use read::read;
pub use write::write;

use model::{LinkKind, limits};

/// Version of the format that is read and written.
pub const VERSION: u32 = 1;

const MAGIC: &[u8; 4] = b"AMEM";
const HEADER_BYTES: usize = 64;
const NODE_BYTES: usize = 72;
const EDGE_BYTES: usize = 32;

/// Dimension of the vectors in a written file.
// AgenticMemory itself writes 128 zeros per node, so the vectors carry nothing.
const DIMENSION: u32 = 128;

/// Kinds indexed by their type code.
const KINDS: [&str; 6] = ["fact", "decision", "inference", "correction", "skill", "episode"];
/// Kinds without a type code, written as facts with this in the marker byte.
const MARKED_KINDS: [(&str, u8); 2] = [("note", 1), ("preference", 2)];

/// Bits of the marker byte that name a kind.
const KIND_MARK: u8 = 0x3f;
/// Bit of a node without a session, which is in session 0 for other readers.
const NO_SESSION_MARK: u8 = 0x40;
/// Bit of a node that was replaced.
const REPLACED_MARK: u8 = 0x80;
/// Separator between the text of a node and the reason of a correction.
const REASON_LINE: &str = "\nReason: ";

/// Kinds of links indexed by their type code.
const LINKS: [LinkKind; 7] = [
    LinkKind::CausedBy,
    LinkKind::Supports,
    LinkKind::Contradicts,
    LinkKind::Supersedes,
    LinkKind::RelatedTo,
    LinkKind::PartOf,
    LinkKind::TemporalNext,
];
/// Marker byte of a cause that was a derivation.
const DERIVED: u8 = 1;

/// Content of an `.amem` file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AmemGraph {
    pub nodes: Vec<AmemNode>,
    pub edges: Vec<AmemEdge>,
}

/// A node of the graph, which becomes a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct AmemNode {
    pub id: u64,
    pub kind: String,
    /// Title, which is the first line of the content in the file.
    pub title: Option<String>,
    pub content: String,
    /// Reason of a correction, which is the last line of the content in the file.
    pub reason: Option<String>,
    /// Time of creation in Unix microseconds.
    pub created_at: i64,
    /// Session; `None` is session 0 for other readers.
    pub session: Option<u32>,
    /// Between 0 and 1. That of a replaced node is 0 for other readers.
    pub confidence: f32,
    /// Number of accesses.
    pub uses: u32,
    /// Time of the last access in Unix microseconds.
    pub used_at: i64,
    /// Remaining strength between 0 and 1.
    pub decay: f32,
    /// True if another node replaced it.
    pub is_replaced: bool,
}

impl AmemNode {
    /// Returns the content with its title and reason, as other readers see it. Those that would
    /// make it longer than a content may be are left out, the reason first.
    #[must_use]
    pub fn full_text(&self) -> String {
        self.lines().concat()
    }

    /// Returns the title, the content and the reason with their separators.
    fn lines(&self) -> [String; 3] {
        content_lines(self.title.as_deref(), &self.content, self.reason.as_deref())
    }
}

/// Returns the lines of a content: title, text and reason, each with its separator.
pub(crate) fn content_lines(title: Option<&str>, text: &str, reason: Option<&str>) -> [String; 3] {
    let title = title.map(|title| format!("{title}\n")).unwrap_or_default();
    let reason = reason.map(|reason| format!("{REASON_LINE}{reason}")).unwrap_or_default();
    let left = limits::TEXT_BYTES.saturating_sub(text.len());
    if title.len() + reason.len() <= left {
        [title, text.to_owned(), reason]
    } else if title.len() <= left {
        [title, text.to_owned(), String::new()]
    } else {
        [String::new(), text.to_owned(), String::new()]
    }
}

/// An edge of the graph, which becomes a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmemEdge {
    pub source: u64,
    pub target: u64,
    pub kind: LinkKind,
    /// Between 0 and 1.
    pub weight: f32,
    /// Time of creation in Unix microseconds.
    pub created_at: i64,
}
