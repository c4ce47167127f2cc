//! The counters of an owner's memory while a transaction is open, and what is known by number.
//! They are read when it begins and written back, once for all batches, before it commits.

use super::erased;
use crate::fault::Fault;
use model::{Author, MemoryId, Seq, VectorModel};
use rusqlite::{Connection, OptionalExtension};
use store::WriteError;

/// The counters of an owner's memory.
#[derive(Debug)]
pub(crate) struct Ledger {
    counters: Counters,
    kept: Counters,
    author: Option<(Author, i64)>,
    model: Option<(VectorModel, i64)>,
}

/// What a refused batch must leave as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    seq: Seq,
    references_seq: Seq,
    last_memory: MemoryId,
}

impl Ledger {
    /// Reads the counters in a transaction that nobody else can write in.
    pub(crate) fn read(conn: &Connection) -> Result<Self, Fault> {
        const SQL: &str = "SELECT seq, references_seq, last_memory, erased FROM meta";
        let (counters, erased) = conn.prepare_cached(SQL)?.query_one([], |row| {
            let counters = Counters {
                seq: Seq(row.get(0)?),
                references_seq: Seq(row.get(1)?),
                last_memory: MemoryId(row.get(2)?),
            };
            Ok((counters, row.get::<_, bool>(3)?))
        })?;
        if erased {
            return Err(WriteError::Store(erased::error()).into());
        }
        Ok(Self { counters, kept: counters, author: None, model: None })
    }

    /// Writes the counters back, if they moved.
    pub(crate) fn write(&self, conn: &Connection) -> rusqlite::Result<()> {
        const SQL: &str = "UPDATE meta SET seq = ?1, references_seq = ?2, last_memory = ?3";
        let Counters { seq, references_seq, last_memory } = self.counters;
        if self.counters != self.kept {
            conn.prepare_cached(SQL)?.execute((seq.0, references_seq.0, last_memory.0))?;
        }
        Ok(())
    }

    /// The counters as they stand, to come back to.
    pub(crate) fn mark(&self) -> Counters {
        self.counters
    }

    /// Takes back what was counted since a mark. Numbers given to authors and models meanwhile are void too.
    pub(crate) fn back_to(&mut self, mark: Counters) {
        self.counters = mark;
        self.author = None;
        self.model = None;
    }

    pub(super) fn next_seq(&mut self) -> Seq {
        self.counters.seq = self.counters.seq.next();
        self.counters.seq
    }

    pub(super) fn next_memory(&mut self) -> MemoryId {
        self.counters.last_memory.0 += 1;
        self.counters.last_memory
    }

    /// Notes that a document changed in the batch that is being applied.
    pub(super) fn references_changed(&mut self) {
        self.counters.references_seq = self.counters.seq;
    }

    /// The number of an author. Most batches have one author, so the last one asked for is remembered.
    pub(super) fn author(&mut self, conn: &Connection, author: &Author) -> rusqlite::Result<i64> {
        match &self.author {
            Some((known, id)) if known == author => Ok(*id),
            _ => {
                let id = number_of_author(conn, author)?;
                self.author = Some((author.clone(), id));
                Ok(id)
            }
        }
    }

    /// The number of a model.
    pub(super) fn model(&mut self, conn: &Connection, model: &VectorModel) -> rusqlite::Result<i64> {
        match &self.model {
            Some((known, id)) if known == model => Ok(*id),
            _ => {
                let id = number_of_model(conn, model)?;
                self.model = Some((model.clone(), id));
                Ok(id)
            }
        }
    }
}

fn number_of_author(conn: &Connection, author: &Author) -> rusqlite::Result<i64> {
    const FIND: &str =
        "SELECT id FROM authors WHERE agent = ?1 AND tool = ?2 AND dialect = ?3 AND client IS ?4";
    const ADD: &str = "INSERT INTO authors (agent, tool, dialect, client) VALUES (?1, ?2, ?3, ?4)";
    let params = (author.agent.as_str(), &author.tool, author.dialect.name(), &author.client);
    let found = conn.prepare_cached(FIND)?.query_row(params, |row| row.get(0)).optional()?;
    found.map_or_else(|| conn.prepare_cached(ADD)?.insert(params), Ok)
}

fn number_of_model(conn: &Connection, model: &VectorModel) -> rusqlite::Result<i64> {
    const FIND: &str = "SELECT id FROM models WHERE name = ?1 AND dimensions = ?2";
    const ADD: &str = "INSERT INTO models (name, dimensions) VALUES (?1, ?2)";
    let params = (&model.id, model.dimensions as i64);
    let found = conn.prepare_cached(FIND)?.query_row(params, |row| row.get(0)).optional()?;
    found.map_or_else(|| conn.prepare_cached(ADD)?.insert(params), Ok)
}
