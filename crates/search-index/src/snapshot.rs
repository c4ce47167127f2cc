//! Serialised form of a view, so that opening a store does not have to index every memory again.
//!
//! A snapshot is a cache, never the truth. It is keyed by database, sequence number, format,
//! tokeniser version and embedding model; every section has checksums; and every number that is
//! later used as an index is validated. Any mismatch is an error, and the view is rebuilt from the
//! store. Postings, word pairs and vectors in a mapped file are checked where they are first read:
//! damage there cannot panic, and [`View::is_damaged`] tells that the answer is to be asked for
//! again. Where the bytes are stored is up to the caller.

mod input;
mod sections;
#[cfg(test)]
mod tests;

use crate::block_checksums::DamageMark;
use crate::columns::Columns;
use crate::fact_table::FactTable;
use crate::interner::StringInterner;
use crate::links::LinkTable;
use crate::mapped_array::MappedArray;
use crate::postings::{BaseSegment, Postings};
use crate::ragged_array::RaggedArray;
use crate::session_order::SessionOrder;
use crate::vectors::{PassageVectors, VectorRows, Vectors};
use crate::{DocId, View};
use bytemuck::Pod;
use input::StreamSource;
pub use input::{MappedUse, SnapshotSource};
use model::{Seq, Status, VectorModel};
pub(crate) use sections::{SectionReader, SectionWriter};
use std::io::{self, Read, Write};

/// Format version. Must be raised whenever the meaning of the bytes changes.
const FORMAT: u32 = 9;
const MAGIC: [u8; 8] = *b"quipuidx";

/// Identity that a snapshot must match to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotKey {
    /// Id assigned when the database was created.
    pub database: u128,
    /// Newest change of the store. A snapshot may be older, never newer.
    pub newest: Seq,
    /// Embedding model whose vectors are wanted.
    pub model: Option<VectorModel>,
}

/// Reason why a snapshot cannot be used. In every case the view is rebuilt from the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Another format or tokeniser version, or not a snapshot at all.
    #[error("the snapshot has a different format")]
    OtherFormat,
    #[error("the snapshot belongs to another database")]
    OtherDatabase,
    #[error("the snapshot contains vectors of another model")]
    OtherModel,
    /// The store was restored to a state before the snapshot.
    #[error("the snapshot is newer than the store")]
    AheadOfStore,
    /// Truncated or altered.
    #[error("the snapshot is damaged")]
    Damaged,
    #[error("the snapshot cannot be read: {0}")]
    Io(io::Error),
}

impl SnapshotKey {
    /// Returns the name of the format that a snapshot must have, with everything that decides
    /// whether this program can use it: versions, byte order and embedding model.
    #[must_use]
    pub fn format_name(model: Option<&VectorModel>) -> String {
        let order = if cfg!(target_endian = "little") { "le" } else { "be" };
        let model = String::from_utf8_lossy(&encode_model(model)).into_owned();
        format!("{FORMAT}.{}.{order} {model}", words::VERSION)
    }
}

impl View {
    /// Compacts the view and writes it to `out`, as a few large writes and many small ones.
    ///
    /// # Errors
    /// Returns the error of `out` if a write fails, and one if the view is damaged.
    pub fn write_snapshot(&mut self, database: u128, out: impl Write) -> io::Result<()> {
        self.compact();
        self.write_compacted(database, out)
    }

    /// Writes a view that was compacted, so that others can read it meanwhile.
    ///
    /// # Errors
    /// Returns the error of `out` if a write fails, and one if the view is damaged or not
    /// compacted.
    pub fn write_compacted(&self, database: u128, out: impl Write) -> io::Result<()> {
        // The bytes of forgotten memories must not leave the process.
        if !self.is_compacted() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the view is not compacted"));
        }
        self.check_mapped();
        if self.is_damaged() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, SnapshotError::Damaged));
        }
        let mut out = SectionWriter::new(out);
        out.raw(&MAGIC)?;
        out.section(&encode_header(database, self.seq, self.model.as_ref()))?;
        self.write_lists(&mut out)?;
        self.columns.table.write(&mut out)?;
        out.array(self.sessions.neighbours())?;
        let base = self.postings.base();
        out.array(&base.text)?;
        out.array(&base.text_ends)?;
        out.array(&base.list_ends)?;
        out.blocks(&base.docs)?;
        out.blocks(&base.counts)?;
        let (rows, passages) = self.vectors.parts();
        out.blocks(&rows.codes)?;
        out.array(&rows.inverse_norms)?;
        out.array(&rows.sign_bits)?;
        write_blocks(&mut out, passages.packed().parts())?;
        out.finish()
    }

    /// Returns true if a part of the snapshot was read that is not what was written. Answers may
    /// have been wrong; the view is to be rebuilt from the store.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.damage.is_set()
    }

    /// Checks everything that was not read yet.
    fn check_mapped(&self) {
        let (rows, passages) = self.vectors.parts();
        rows.codes.check_all();
        passages.packed().parts().1.check_all();
        self.pairs.parts().1.check_all();
        self.postings.base().docs.check_all();
        self.postings.base().counts.check_all();
    }

    /// Reads a view from `length` bytes, if they match the key.
    ///
    /// # Errors
    /// Returns an error if the bytes are of another format, database, model or time, or damaged.
    pub fn read_snapshot(
        input: impl Read,
        length: u64,
        key: &SnapshotKey,
    ) -> Result<Self, SnapshotError> {
        Self::open_snapshot(StreamSource(input), length, key)
    }

    /// Opens a view in `length` bytes, if they match the key. What the source maps takes memory
    /// only as far as it is read.
    ///
    /// # Errors
    /// Returns an error if the bytes are of another format, database, model or time, or damaged.
    pub fn open_snapshot(
        source: impl SnapshotSource,
        length: u64,
        key: &SnapshotKey,
    ) -> Result<Self, SnapshotError> {
        Self::read_sections(SectionReader::new(source, length), key)
    }

    fn read_sections<R: SnapshotSource>(
        mut input: SectionReader<R>,
        key: &SnapshotKey,
    ) -> Result<Self, SnapshotError> {
        if input.raw()? != MAGIC {
            return Err(SnapshotError::OtherFormat);
        }
        let mut view = Self::new(key.model.clone());
        view.seq = check_header(&input.section()?, key)?;
        // The order of the sections is fixed by the format and mirrors `write_snapshot`.
        let (names, tags, entities, links) = read_lists(&mut input)?;
        view.pairs = read_blocks(&mut input, &view.damage)?;
        let table = FactTable::read(&mut input)?;
        let neighbours = input.array()?;
        let base = BaseSegment {
            text: input.array()?,
            text_ends: input.array()?,
            list_ends: input.array()?,
            docs: input.blocks(&view.damage, Some(table.id.len()))?,
            counts: input.blocks(&view.damage, None)?,
        };
        let rows = VectorRows {
            codes: input.blocks(&view.damage, None)?,
            inverse_norms: input.array()?,
            sign_bits: input.array()?,
        };
        let packed = read_blocks(&mut input, &view.damage)?;
        input.expect_end()?;
        let dimensions = key.model.as_ref().map_or(0, |model| model.dimensions);
        let passages = PassageVectors::from_packed(dimensions, packed);
        view.vectors =
            Vectors::from_parts(dimensions, rows, passages).ok_or(SnapshotError::Damaged)?;
        (view.names, view.tags, view.entities, view.links) = (names, tags, entities, links);
        view.restore(table, base, neighbours)
    }

    fn write_lists<W: Write>(&self, out: &mut SectionWriter<W>) -> io::Result<()> {
        let text: String = self.names.iter().collect();
        let lengths: Vec<u32> = self.names.iter().map(|name| name.len() as u32).collect();
        out.section(text.as_bytes())?;
        out.section(&lengths)?;
        let (links, hints) = self.links.parts();
        write_parts(out, self.tags.parts())?;
        write_parts(out, self.entities.parts())?;
        write_parts(out, links.parts())?;
        out.section(hints)?;
        write_blocks(out, self.pairs.parts())
    }

    /// Installs columns and postings, and rebuilds everything that is derived from them.
    fn restore(
        mut self,
        table: FactTable,
        base: BaseSegment,
        neighbours: MappedArray<[u32; 2]>,
    ) -> Result<Self, SnapshotError> {
        let docs = table.id.len();
        if !self.is_consistent(&table) || !base.is_consistent() {
            return Err(SnapshotError::Damaged);
        }
        self.by_id = table.id.iter().zip(0..).map(|(&id, doc)| (id, DocId(doc))).collect();
        self.columns = Columns::from_table(table);
        self.postings = Postings::from_base(base, docs);
        self.sessions = SessionOrder::from_neighbours(neighbours, &self.columns)
            .ok_or(SnapshotError::Damaged)?;
        // A memory id that occurs twice would leave one document unreachable.
        if self.by_id.len() == docs { Ok(self) } else { Err(SnapshotError::Damaged) }
    }

    /// Returns true if every number in the columns and lists refers to something that exists. A
    /// checksum only proves that the bytes are what some program wrote.
    fn is_consistent(&self, table: &FactTable) -> bool {
        let docs = table.id.len();
        let names = self.names.len();
        // The largest number of all: a loop without an end in the middle vectorises.
        let largest = |numbers: &[u32]| numbers.iter().fold(0, |max, &number| max.max(number));
        let named = |column: &MappedArray<u32>| {
            column.parts().into_iter().all(|part| (largest(part) as usize) < names)
        };
        let spans = [
            self.tags.parts().0,
            self.entities.parts().0,
            self.links.parts().0.parts().0,
            self.pairs.parts().0,
            self.vectors.parts().1.packed().parts().0,
        ];
        u32::try_from(docs).is_ok()
            && table.names().into_iter().all(named)
            && named(self.tags.parts().1)
            && table.status.iter().all(|&status| usize::from(status) < Status::ALL.len())
            && spans.iter().all(|spans| spans.len() <= docs)
            && self.vectors.row_count() <= docs
    }
}

fn write_parts<W: Write, T: Pod>(
    out: &mut SectionWriter<W>,
    (spans, items): (&MappedArray<[u32; 2]>, &MappedArray<T>),
) -> io::Result<()> {
    out.array(spans)?;
    out.array(items)
}

fn write_blocks<W: Write, T: Pod>(
    out: &mut SectionWriter<W>,
    (spans, items): (&MappedArray<[u32; 2]>, &MappedArray<T>),
) -> io::Result<()> {
    out.array(spans)?;
    out.blocks(items)
}

fn read_parts<R: SnapshotSource, T: Pod + PartialEq>(
    input: &mut SectionReader<R>,
) -> Result<RaggedArray<T>, SnapshotError> {
    RaggedArray::from_parts(input.array()?, input.array()?).ok_or(SnapshotError::Damaged)
}

fn read_blocks<R: SnapshotSource, T: Pod + PartialEq>(
    input: &mut SectionReader<R>,
    damage: &DamageMark,
) -> Result<RaggedArray<T>, SnapshotError> {
    let (spans, items) = (input.array()?, input.blocks(damage, None)?);
    RaggedArray::from_parts(spans, items).ok_or(SnapshotError::Damaged)
}

type ReadLists = (StringInterner, RaggedArray<u32>, RaggedArray<i64>, LinkTable);

fn read_lists<R: SnapshotSource>(input: &mut SectionReader<R>) -> Result<ReadLists, SnapshotError> {
    let names = read_names(&input.section()?, &input.section()?).ok_or(SnapshotError::Damaged)?;
    let (tags, entities, links) = (read_parts(input)?, read_parts(input)?, read_parts(input)?);
    Ok((names, tags, entities, LinkTable::from_parts(links, input.section()?)))
}

fn read_names(text: &[u8], lengths: &[u32]) -> Option<StringInterner> {
    let mut rest = std::str::from_utf8(text).ok()?;
    let mut names = StringInterner::default();
    for (number, &length) in lengths.iter().enumerate() {
        let (name, after) = rest.split_at_checked(length as usize)?;
        if names.intern(name) as usize != number {
            return None;
        }
        rest = after;
    }
    rest.is_empty().then_some(names)
}

/// Encodes the identity of a snapshot.
fn encode_header(database: u128, seq: Seq, model: Option<&VectorModel>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Native byte order, since the sections are raw memory: a machine of the other endianness sees
    // a different format and rebuilds.
    bytes.extend(FORMAT.to_ne_bytes());
    bytes.extend(words::VERSION.to_le_bytes());
    bytes.extend(database.to_le_bytes());
    bytes.extend(seq.0.to_le_bytes());
    bytes.extend(encode_model(model));
    bytes
}

fn encode_model(model: Option<&VectorModel>) -> Vec<u8> {
    model.map_or_else(Vec::new, |model| format!("{} {}", model.dimensions, model.id).into_bytes())
}

fn check_header(bytes: &[u8], key: &SnapshotKey) -> Result<Seq, SnapshotError> {
    let expected = encode_header(key.database, key.newest, key.model.as_ref());
    let (versions, rest) = bytes.split_at_checked(8).ok_or(SnapshotError::Damaged)?;
    let (database, rest) = rest.split_at_checked(16).ok_or(SnapshotError::Damaged)?;
    let (seq, model) = rest.split_first_chunk().ok_or(SnapshotError::Damaged)?;
    let seq = Seq(i64::from_le_bytes(*seq));
    if versions != &expected[..8] {
        Err(SnapshotError::OtherFormat)
    } else if database != key.database.to_le_bytes() {
        Err(SnapshotError::OtherDatabase)
    } else if model != encode_model(key.model.as_ref()) {
        Err(SnapshotError::OtherModel)
    } else if seq > key.newest {
        Err(SnapshotError::AheadOfStore)
    } else {
        Ok(seq)
    }
}
