//! `.amem`, version 1: the file that AgenticMemory keeps a graph in. Little endian, nothing between
//! its parts:
//!
//! ```text
//! header   64 B  "AMEM", version u32, dimension u32, flags u32, node count u64, edge count u64,
//!                offsets u64 of nodes, edges, contents and vectors
//! node     72 B  id u64, type u8, 3 B free, created u64, session u32, confidence f32, uses u32, used u64,
//!                decay f32, content offset u64 and length u32, edge offset u64 and count u16, 6 B free
//! edge     32 B  source u64, target u64, type u8, 3 B free, weight f32, created u64; by source and target
//! contents       each an LZ4 block behind its length as u32
//! vectors        node count times dimension f32
//! index          optional; holds nothing that the rest does not say
//! ```
//!
//! The first free byte of a node or an edge tells what the format has no number for: a note, a
//! preference, and that something was derived and not caused. Readers that do not know it see a
//! fact, and a cause.

mod bytes;
mod fault;
mod read;
mod write;

pub use fault::AmemError;
pub use read::read;
pub use write::write;

use model::LinkKind;

/// The version that is read and written.
pub const VERSION: u32 = 1;

const MAGIC: &[u8; 4] = b"AMEM";
const HEADER_BYTES: usize = 64;
const NODE_BYTES: usize = 72;
const EDGE_BYTES: usize = 32;

/// How many numbers the vectors of a written file have. They are all zero, as in every file of the
/// original.
const DIMENSION: u32 = 128;

/// The kinds that have a number, by it.
const KINDS: [&str; 6] = ["fact", "decision", "inference", "correction", "skill", "episode"];
/// The kinds that are written as facts with a mark, by the mark.
const MARKED_KINDS: [(&str, u8); 2] = [("note", 1), ("preference", 2)];

/// The links that have a number, by it.
const LINKS: [LinkKind; 7] = [
    LinkKind::CausedBy,
    LinkKind::Supports,
    LinkKind::Contradicts,
    LinkKind::Supersedes,
    LinkKind::RelatedTo,
    LinkKind::PartOf,
    LinkKind::TemporalNext,
];
/// The mark of a cause that was a derivation.
const DERIVED: u8 = 1;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// The nodes, in the order of the file.
    pub nodes: Vec<Node>,
    /// The edges, in the order of the file.
    pub edges: Vec<Edge>,
}

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its number in the file.
    pub id: u64,
    /// What sort of thing it is.
    pub kind: String,
    /// What it says.
    pub content: String,
    /// When it was made, in Unix microseconds.
    pub created_at: i64,
    /// The session it was made in.
    pub session: u32,
    /// 0 to 1.
    pub confidence: f32,
    /// How often it was used.
    pub uses: u32,
    /// When last, in Unix microseconds.
    pub used_at: i64,
    /// How alive it is, 0 to 1.
    pub decay: f32,
}

/// An edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The node it starts at.
    pub source: u64,
    /// The node it leads to.
    pub target: u64,
    /// What the source is to the target.
    pub kind: LinkKind,
    /// 0 to 1.
    pub weight: f32,
    /// When it was made, in Unix microseconds.
    pub created_at: i64,
}
