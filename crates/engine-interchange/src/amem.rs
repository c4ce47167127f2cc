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
//! The first free byte of a node or an edge marks what the format has no code for: a note, a
//! preference, and a derivation as opposed to a cause. Readers that ignore it see a fact, and a
//! cause.

mod bytes;
mod error;
mod read;
mod write;

pub use error::AmemError;
pub use read::read;
pub use write::write;

use model::LinkKind;

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
/// Kinds without a type code, written as facts with this marker byte.
const MARKED_KINDS: [(&str, u8); 2] = [("note", 1), ("preference", 2)];

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
    pub content: String,
    /// Time of creation in Unix microseconds.
    pub created_at: i64,
    pub session: u32,
    /// Between 0 and 1.
    pub confidence: f32,
    /// Number of accesses.
    pub uses: u32,
    /// Time of the last access in Unix microseconds.
    pub used_at: i64,
    /// Remaining strength between 0 and 1.
    pub decay: f32,
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
