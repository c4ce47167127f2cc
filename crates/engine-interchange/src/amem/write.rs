//! Writer of `.amem` files, with the layout that AgenticMemory produces: nodes by id, edges by
//! source and target, compressed contents, zero vectors. The optional index is omitted; readers
//! rebuild it.

use super::{
    AmemEdge, AmemGraph, AmemNode, DERIVED, DIMENSION, EDGE_BYTES, HEADER_BYTES, KINDS, LINKS,
    MAGIC, MARKED_KINDS, NO_SESSION_MARK, NODE_BYTES, REASON_LINE, REPLACED_MARK, VERSION,
};
use model::LinkKind;
use std::collections::HashMap;

/// Returns the bytes of a file with this graph. Nodes and edges may be in any order.
#[must_use]
pub fn write(graph: &AmemGraph) -> Vec<u8> {
    let mut nodes: Vec<&AmemNode> = graph.nodes.iter().collect();
    nodes.sort_by_key(|node| node.id);
    let mut edges: Vec<&AmemEdge> = graph.edges.iter().collect();
    edges.sort_by_key(|edge| (edge.source, edge.target));
    let ranges = edge_ranges(&edges);
    let (mut table, mut contents) = (Vec::new(), Vec::new());
    for node in &nodes {
        let lines = node.lines();
        let packed = lz4_flex::block::compress_prepend_size(lines.concat().as_bytes());
        let range = ranges.get(&node.id).copied().unwrap_or_default();
        let content = AmemRange { offset: contents.len(), length: packed.len() };
        push_node(&mut table, node, (content, &lines), range);
        contents.extend(packed);
    }
    let mut file = header(nodes.len(), edges.len(), contents.len());
    file.extend(table);
    edges.iter().for_each(|edge| push_edge(&mut file, edge));
    file.extend(contents);
    file.resize(file.len() + nodes.len() * DIMENSION as usize * 4, 0);
    file
}

/// A range of bytes or of edges.
#[derive(Debug, Clone, Copy, Default)]
struct AmemRange {
    offset: usize,
    length: usize,
}

/// Returns the edges of each node: the byte offset in the edge table and their number.
fn edge_ranges(edges: &[&AmemEdge]) -> HashMap<u64, AmemRange> {
    let mut ranges: HashMap<u64, AmemRange> = HashMap::new();
    for (position, edge) in edges.iter().enumerate() {
        let range = ranges
            .entry(edge.source)
            .or_insert(AmemRange { offset: position * EDGE_BYTES, length: 0 });
        range.length += 1;
    }
    ranges
}

fn header(nodes: usize, edges: usize, contents: usize) -> Vec<u8> {
    let edges_at = HEADER_BYTES + nodes * NODE_BYTES;
    let contents_at = edges_at + edges * EDGE_BYTES;
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    header.extend(DIMENSION.to_le_bytes());
    header.extend(0_u32.to_le_bytes());
    for number in [nodes, edges, HEADER_BYTES, edges_at, contents_at, contents_at + contents] {
        header.extend((number as u64).to_le_bytes());
    }
    header
}

fn push_node(
    table: &mut Vec<u8>,
    node: &AmemNode,
    (content, [title, _, reason]): (AmemRange, &[String; 3]),
    edges: AmemRange,
) {
    let (number, kind_mark) = kind(&node.kind);
    let (replaced, unbound) = (node.is_replaced, node.session.is_none());
    let mark_if = |applies: bool, mark: u8| if applies { mark } else { 0 };
    let mark = kind_mark | mark_if(replaced, REPLACED_MARK) | mark_if(unbound, NO_SESSION_MARK);
    // AgenticMemory hides a replaced node by its confidence; the true one is at the end.
    let (shown, kept) = if replaced { (0.0, node.confidence) } else { (node.confidence, 0.0) };
    table.extend(node.id.to_le_bytes());
    table.extend([number, mark]);
    table.extend(length_of(title, "\n").to_le_bytes());
    table.extend(micros(node.created_at));
    table.extend(node.session.unwrap_or(0).to_le_bytes());
    table.extend(shown.to_le_bytes());
    table.extend(node.uses.to_le_bytes());
    table.extend(micros(node.used_at));
    table.extend(node.decay.to_le_bytes());
    table.extend((content.offset as u64).to_le_bytes());
    // A content is at most as long as a memory, and the number of links of a memory fits in u16.
    table.extend(u32::try_from(content.length).unwrap_or(u32::MAX).to_le_bytes());
    table.extend((edges.offset as u64).to_le_bytes());
    table.extend(u16::try_from(edges.length).unwrap_or(u16::MAX).to_le_bytes());
    table.extend(kept.to_le_bytes());
    table.extend(length_of(reason, REASON_LINE).to_le_bytes());
}

/// Returns the length of a line without its separator; 0 for one that is left out.
fn length_of(line: &str, separator: &str) -> u16 {
    // Titles and reasons are far shorter than the field can count.
    u16::try_from(line.len().saturating_sub(separator.len())).unwrap_or(0)
}

fn push_edge(file: &mut Vec<u8>, edge: &AmemEdge) {
    let (number, mark) = link(edge.kind);
    file.extend(edge.source.to_le_bytes());
    file.extend(edge.target.to_le_bytes());
    file.extend([number, mark, 0, 0]);
    file.extend(edge.weight.to_le_bytes());
    file.extend(micros(edge.created_at));
}

/// Returns the type code and the marker of a kind; any other kind is written as a fact.
fn kind(name: &str) -> (u8, u8) {
    let mark = MARKED_KINDS.iter().find(|(known, _)| *known == name).map_or(0, |(_, mark)| *mark);
    let number = KINDS.iter().position(|known| *known == name).unwrap_or(0);
    (number as u8, mark)
}

fn link(kind: LinkKind) -> (u8, u8) {
    if kind == LinkKind::DerivedFrom {
        return (0, DERIVED);
    }
    (LINKS.iter().position(|known| *known == kind).unwrap_or(0) as u8, 0)
}

/// Encodes a time; the format has none before 1970.
fn micros(at: i64) -> [u8; 8] {
    at.max(0).to_le_bytes()
}
