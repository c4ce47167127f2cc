//! A view as bytes, so that opening need not read every memory again.
//!
//! A snapshot is a shortcut, never the truth: it is keyed by the database, the sequence number, the
//! format, the tokeniser and the embedding model, every section carries a checksum, and every
//! number that is later used as an index is checked. Whatever does not fit is an error, and the
//! view is rebuilt from the store. Where the bytes are kept is the caller's to know.

mod sections;
#[cfg(test)]
mod tests;

use crate::columns::{Columns, Table};
use crate::links::Links;
use crate::lists::Lists;
use crate::names::Names;
use crate::postings::{Base, Postings};
use crate::sessions::SessionOrder;
use crate::vectors::{Passages, Rows, Vectors};
use crate::{Doc, View, tokens};
use bytemuck::Pod;
use model::{Seq, Status, VectorModel};
pub(crate) use sections::{SectionReader, SectionWriter};
use std::io::{self, Read, Write};

/// Changes whenever the bytes of a snapshot change their meaning.
const FORMAT: u32 = 5;
const MAGIC: [u8; 8] = *b"quipuidx";

/// What a snapshot must belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotKey {
    /// The id the database was given when it was made.
    pub database: u128,
    /// The store's newest change. A snapshot may lie behind it, never ahead.
    pub newest: Seq,
    /// The model whose vectors are wanted.
    pub model: Option<VectorModel>,
}

/// Why a snapshot cannot be used. In every case the view is rebuilt from the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It is of another version, or no snapshot at all.
    #[error("the snapshot is in another format")]
    OtherFormat,
    /// It belongs to another database.
    #[error("the snapshot belongs to another database")]
    OtherDatabase,
    /// Its vectors are of another model.
    #[error("the snapshot holds vectors of another model")]
    OtherModel,
    /// The store has gone back to a time before it.
    #[error("the snapshot is ahead of the store")]
    Ahead,
    /// It was cut off or altered.
    #[error("the snapshot is damaged")]
    Damaged,
    /// It could not be read.
    #[error("the snapshot cannot be read: {0}")]
    Io(io::Error),
}

impl View {
    /// Compacts the view and writes it out, in a few large pieces and many small ones.
    ///
    /// # Errors
    /// When `out` does not take the bytes.
    pub fn write_snapshot(&mut self, database: u128, out: impl Write) -> io::Result<()> {
        self.compact();
        let mut out = SectionWriter::new(out);
        out.raw(&MAGIC)?;
        out.section(&header(database, self.seq, self.model.as_ref()))?;
        self.write_lists(&mut out)?;
        self.columns.table.write(&mut out)?;
        let base = self.postings.base();
        out.section(&base.text)?;
        out.section(&base.text_ends)?;
        out.section(&base.list_ends)?;
        out.section(&base.docs)?;
        out.section(&base.counts)?;
        let (rows, passages) = self.vectors.parts();
        out.section(&rows.codes)?;
        out.section(&rows.inverse_norms)?;
        out.section(&rows.bits)?;
        write_parts(&mut out, passages.packed().parts())?;
        out.finish()
    }

    /// Reads a view back from `length` bytes, if they are what the key asks for.
    ///
    /// # Errors
    /// When they are of another format, database, model or time, or damaged in any way.
    pub fn read_snapshot(
        input: impl Read,
        length: u64,
        key: &SnapshotKey,
    ) -> Result<Self, SnapshotError> {
        let mut input = SectionReader::new(input, length);
        if input.raw()? != MAGIC {
            return Err(SnapshotError::OtherFormat);
        }
        let mut view = Self::new(key.model.clone());
        view.seq = check_header(&input.section()?, key)?;
        let (names, tags, entities, links) = read_lists(&mut input)?;
        view.pairs = read_parts(&mut input)?;
        let table = Table::read(&mut input)?;
        let base = Base {
            text: input.section()?,
            text_ends: input.section()?,
            list_ends: input.section()?,
            docs: input.section()?,
            counts: input.section()?,
        };
        let rows = Rows {
            codes: input.section()?,
            inverse_norms: input.section()?,
            bits: input.section()?,
        };
        let packed = read_parts(&mut input)?;
        input.finish()?;
        let dimensions = key.model.as_ref().map_or(0, |model| model.dimensions);
        let passages = Passages::from_packed(dimensions, packed);
        view.vectors =
            Vectors::from_parts(dimensions, rows, passages).ok_or(SnapshotError::Damaged)?;
        (view.names, view.tags, view.entities, view.links) = (names, tags, entities, links);
        view.restore(table, base)
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
        write_parts(out, self.pairs.parts())
    }

    /// Takes over columns and postings, and everything that follows from them.
    fn restore(mut self, table: Table, base: Base) -> Result<Self, SnapshotError> {
        let places = table.id.len();
        if !self.fits(&table) || !base.is_sound(places) {
            return Err(SnapshotError::Damaged);
        }
        self.by_id.reserve(places);
        self.by_id.extend(table.id.iter().zip(0..).map(|(&id, place)| (id, Doc(place))));
        self.columns = Columns::from_table(table);
        self.postings = Postings::from_base(base, places);
        let keys = self.columns.live().iter().filter_map(|doc| self.session_key(doc));
        self.sessions = SessionOrder::new(keys, &self.by_id);
        if self.by_id.len() == places { Ok(self) } else { Err(SnapshotError::Damaged) }
    }

    /// Whether every number in the columns and lists stands for something.
    fn fits(&self, table: &Table) -> bool {
        let places = table.id.len();
        let names = self.names.len();
        let named = |numbers: &[u32]| numbers.iter().all(|&number| (number as usize) < names);
        let spans = [
            self.tags.parts().0,
            self.entities.parts().0,
            self.links.parts().0.parts().0,
            self.pairs.parts().0,
            self.vectors.parts().1.packed().parts().0,
        ];
        u32::try_from(places).is_ok()
            && table.names().into_iter().all(|column| named(column))
            && named(self.tags.parts().1)
            && table.status.iter().all(|&status| usize::from(status) < Status::ALL.len())
            && spans.iter().all(|spans| spans.len() <= places)
            && self.vectors.row_count() <= places
    }
}

fn write_parts<W: Write, T: Pod>(
    out: &mut SectionWriter<W>,
    (spans, items): (&[[u32; 2]], &[T]),
) -> io::Result<()> {
    out.section(spans)?;
    out.section(items)
}

fn read_parts<R: Read, T: Pod + PartialEq>(
    input: &mut SectionReader<R>,
) -> Result<Lists<T>, SnapshotError> {
    Lists::from_parts(input.section()?, input.section()?).ok_or(SnapshotError::Damaged)
}

type ReadLists = (Names, Lists<u32>, Lists<i64>, Links);

fn read_lists<R: Read>(input: &mut SectionReader<R>) -> Result<ReadLists, SnapshotError> {
    let names = read_names(&input.section()?, &input.section()?).ok_or(SnapshotError::Damaged)?;
    let (tags, entities, links) = (read_parts(input)?, read_parts(input)?, read_parts(input)?);
    Ok((names, tags, entities, Links::from_parts(links, input.section()?)))
}

fn read_names(text: &[u8], lengths: &[u32]) -> Option<Names> {
    let mut rest = std::str::from_utf8(text).ok()?;
    let mut names = Names::default();
    for (number, &length) in lengths.iter().enumerate() {
        let (name, after) = rest.split_at_checked(length as usize)?;
        if names.intern(name) as usize != number {
            return None;
        }
        rest = after;
    }
    rest.is_empty().then_some(names)
}

/// What the snapshot belongs to, as bytes.
fn header(database: u128, seq: Seq, model: Option<&VectorModel>) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(FORMAT.to_ne_bytes()); // In the machine's own order: another order is another format.
    bytes.extend(tokens::VERSION.to_le_bytes());
    bytes.extend(database.to_le_bytes());
    bytes.extend(seq.0.to_le_bytes());
    bytes.extend(model_bytes(model));
    bytes
}

fn model_bytes(model: Option<&VectorModel>) -> Vec<u8> {
    model.map_or_else(Vec::new, |model| format!("{} {}", model.dimensions, model.id).into_bytes())
}

fn check_header(bytes: &[u8], key: &SnapshotKey) -> Result<Seq, SnapshotError> {
    let expected = header(key.database, key.newest, key.model.as_ref());
    let (versions, rest) = bytes.split_at_checked(8).ok_or(SnapshotError::Damaged)?;
    let (database, rest) = rest.split_at_checked(16).ok_or(SnapshotError::Damaged)?;
    let (seq, model) = rest.split_first_chunk().ok_or(SnapshotError::Damaged)?;
    let seq = Seq(i64::from_le_bytes(*seq));
    if versions != &expected[..8] {
        Err(SnapshotError::OtherFormat)
    } else if database != key.database.to_le_bytes() {
        Err(SnapshotError::OtherDatabase)
    } else if model != model_bytes(key.model.as_ref()) {
        Err(SnapshotError::OtherModel)
    } else if seq > key.newest {
        Err(SnapshotError::Ahead)
    } else {
        Ok(seq)
    }
}
