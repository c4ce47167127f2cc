//! Reader of `.amem` files. Counts in the header are checked against the length of the file before
//! anything is allocated, each decompressed content against the longest memory, and all of them
//! together against the import limit.

use super::bytes::{FieldReader, FileBytes};
use super::error::AmemError;
use super::{
    AmemEdge, AmemGraph, AmemNode, DERIVED, EDGE_BYTES, HEADER_BYTES, KIND_MARK, KINDS, LINKS,
    MAGIC, MARKED_KINDS, NO_SESSION_MARK, NODE_BYTES, REASON_LINE, REPLACED_MARK, VERSION,
};
use model::{LinkKind, limits};
use std::collections::HashSet;

/// End of the year 9999 in Unix microseconds.
// A later time comes from damage, such as a flipped bit.
const TIME_MAX: u64 = 253_402_300_799_999_999;

/// Reads the graph from the bytes of a file.
///
/// # Errors
/// Fails when the file is of another format or version, truncated, damaged, or larger than the
/// import limit.
pub fn read(file: &[u8]) -> Result<AmemGraph, AmemError> {
    if file.len() > limits::IMPORT_BYTES {
        return Err(AmemError::TooLarge { bytes: file.len(), limit: limits::IMPORT_BYTES });
    }
    let (file, header) = (FileBytes(file), Header::read(file)?);
    let nodes = header.nodes(file)?;
    let known: HashSet<u64> = nodes.iter().map(|node| node.id).collect();
    if known.len() < nodes.len() {
        return Err(AmemError::Node { node: known.len(), what: "id (already used)" });
    }
    let edges = header.edges(file, &known)?;
    header.check_vectors(file)?;
    Ok(AmemGraph { nodes, edges })
}

struct Header {
    dimension: u32,
    node_count: u64,
    edge_count: u64,
    nodes_at: u64,
    edges_at: u64,
    contents_at: u64,
    vectors_at: u64,
}

impl Header {
    fn read(file: &[u8]) -> Result<Self, AmemError> {
        if !file.starts_with(MAGIC) {
            return Err(AmemError::NotAmem);
        }
        let mut fields =
            FieldReader::new(file.get(..HEADER_BYTES).ok_or(AmemError::Truncated("header"))?);
        fields.skip::<4>();
        let version = fields.u32();
        if version != VERSION {
            return Err(AmemError::Version(version));
        }
        let dimension = fields.u32();
        fields.skip::<4>();
        Ok(Self {
            dimension,
            node_count: fields.u64(),
            edge_count: fields.u64(),
            nodes_at: fields.u64(),
            edges_at: fields.u64(),
            contents_at: fields.u64(),
            vectors_at: fields.u64(),
        })
    }

    fn nodes(&self, file: FileBytes<'_>) -> Result<Vec<AmemNode>, AmemError> {
        let mut text_left = limits::IMPORT_BYTES;
        let records = file.records(self.nodes_at, self.node_count, NODE_BYTES, "nodes")?;
        let read = |(at, record)| node(file, self.contents_at, at, record, &mut text_left);
        records.enumerate().map(read).collect()
    }

    fn edges(&self, file: FileBytes<'_>, known: &HashSet<u64>) -> Result<Vec<AmemEdge>, AmemError> {
        let records = file.records(self.edges_at, self.edge_count, EDGE_BYTES, "edges")?;
        records.enumerate().map(|(at, record)| edge(at, record, known)).collect()
    }

    /// Checks that the vectors are complete.
    // They belong to no model that is known here and are ignored; but a complete file has them.
    fn check_vectors(&self, file: FileBytes<'_>) -> Result<(), AmemError> {
        let each = u64::from(self.dimension) * 4;
        let bytes = self.node_count.checked_mul(each).ok_or(AmemError::Truncated("vectors"))?;
        file.slice(self.vectors_at, bytes, "vectors").map(|_| ())
    }
}

fn node(
    file: FileBytes<'_>,
    contents_at: u64,
    at: usize,
    record: &[u8],
    text_left: &mut usize,
) -> Result<AmemNode, AmemError> {
    let damaged = |what| AmemError::Node { node: at, what };
    let mut fields = FieldReader::new(record);
    let id = fields.u64();
    let (number, mark) = (fields.u8(), fields.u8());
    let kind = kind(number, mark & KIND_MARK).ok_or_else(|| damaged("type"))?;
    let title_length = fields.u16();
    let created_at = time(fields.u64()).ok_or_else(|| damaged("time"))?;
    let (session, shown) =
        (fields.u32(), unit_interval(fields.f32()).ok_or_else(|| damaged("confidence"))?);
    let (uses, used_at) = (fields.u32(), time(fields.u64()).ok_or_else(|| damaged("access time"))?);
    let decay = unit_interval(fields.f32()).ok_or_else(|| damaged("decay"))?;
    let offset = contents_at.checked_add(fields.u64()).ok_or(AmemError::Truncated("contents"))?;
    let packed = file.slice(offset, u64::from(fields.u32()), "contents")?;
    let content = decompress(packed).map_err(damaged)?;
    *text_left = text_left
        .checked_sub(content.len())
        .ok_or(AmemError::TextTooLarge { limit: limits::IMPORT_BYTES })?;
    fields.skip::<10>();
    let (kept, reason_length) = (unit_interval(fields.f32()), fields.u16());
    // Another program may have given a new confidence since, which counts then.
    let is_replaced = mark & REPLACED_MARK != 0 && shown == 0.0;
    let confidence = kept.filter(|_| is_replaced).unwrap_or(shown);
    let (title, content, reason) = split_lines(content, title_length, reason_length);
    Ok(AmemNode {
        id,
        kind,
        title,
        content,
        reason,
        created_at,
        session: (mark & NO_SESSION_MARK == 0 || session != 0).then_some(session),
        confidence,
        uses,
        used_at,
        decay,
        is_replaced,
    })
}

/// Splits a content into title, text and reason. Lengths that do not fit it split nothing: another
/// program may have changed the content and kept the bytes.
fn split_lines(
    content: String,
    title_length: u16,
    reason_length: u16,
) -> (Option<String>, String, Option<String>) {
    let title = content.get(..usize::from(title_length)).filter(|title| !title.is_empty());
    let title = title.filter(|title| content[title.len()..].starts_with('\n'));
    let start = title.map_or(0, |title| title.len() + 1);
    let reason_at = content.len().checked_sub(usize::from(reason_length));
    let reason = reason_at.and_then(|at| content.get(at..)).filter(|reason| !reason.is_empty());
    let end = reason.and_then(|reason| {
        let before = &content[..content.len() - reason.len()];
        before.ends_with(REASON_LINE).then(|| before.len() - REASON_LINE.len())
    });
    let reason = reason.filter(|_| end.is_some_and(|end| end >= start));
    let text = &content[start..reason.and(end).unwrap_or(content.len())];
    (title.map(str::to_owned), text.to_owned(), reason.map(str::to_owned))
}

fn edge(at: usize, record: &[u8], known: &HashSet<u64>) -> Result<AmemEdge, AmemError> {
    let damaged = |what| AmemError::Edge { edge: at, what };
    let mut fields = FieldReader::new(record);
    let (source, target) = (fields.u64(), fields.u64());
    if !known.contains(&source) || !known.contains(&target) {
        return Err(damaged("end (no such node)"));
    }
    let kind = link(fields.u8(), fields.u8()).ok_or_else(|| damaged("type"))?;
    fields.skip::<2>();
    let weight = unit_interval(fields.f32()).ok_or_else(|| damaged("weight"))?;
    let created_at = time(fields.u64()).ok_or_else(|| damaged("time"))?;
    Ok(AmemEdge { source, target, kind, weight, created_at })
}

/// Decompresses a content to at most the longest memory, whatever its length field says.
fn decompress(packed: &[u8]) -> Result<String, &'static str> {
    let (length, block) = packed.split_first_chunk::<4>().ok_or("content")?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > limits::TEXT_BYTES {
        return Err("content (too long)");
    }
    let mut text = vec![0; length];
    let unpacked = lz4_flex::block::decompress_into(block, &mut text).map_err(|_| "content")?;
    text.truncate(unpacked);
    if unpacked != length {
        return Err("content");
    }
    String::from_utf8(text).map_err(|_| "content (not UTF-8)")
}

fn kind(number: u8, mark: u8) -> Option<String> {
    let plain = KINDS.get(usize::from(number))?;
    let marked = MARKED_KINDS.iter().find(|(_, known)| number == 0 && *known == mark);
    Some(marked.map_or(*plain, |(name, _)| name).to_owned())
}

fn link(number: u8, mark: u8) -> Option<LinkKind> {
    match (LINKS.get(usize::from(number))?, mark) {
        (LinkKind::CausedBy, DERIVED) => Some(LinkKind::DerivedFrom),
        (kind, _) => Some(*kind),
    }
}

fn time(micros: u64) -> Option<i64> {
    (micros <= TIME_MAX).then(|| i64::try_from(micros).ok()).flatten()
}

fn unit_interval(value: f32) -> Option<f32> {
    (0.0..=1.0).contains(&value).then_some(value)
}
