//! The counters of an owner's memory during a transaction, and the ids of authors and models. They
//! are read when the transaction begins and written back once for all its batches, before it
//! commits.

use super::erased;
use crate::audit_key::{AuditKey, ChainStep};
use crate::error::ApplyError;
use model::{AuditEvent, AuditId, Author, MemoryId, Moment, Seq, VectorModel};
use rusqlite::{Connection, OptionalExtension};
use store::{ChainHead, Checkpoint, CheckpointKind, Mac, WriteError};

/// Maximum number of events between two checkpoints.
// A checkpoint costs a sync of its own, so it must be rare; events after the last one are protected
// only by the signed head in the database.
const CHECKPOINT_EVENTS_MAX: i64 = 256;
/// Maximum number of seconds between two checkpoints, as long as there are new events.
const CHECKPOINT_SECONDS_MAX: i64 = 600;

/// The counters of an owner's memory.
#[derive(Debug)]
pub(crate) struct TransactionCounters<'s> {
    counters: CounterValues,
    /// The counters at the beginning of the transaction.
    initial: CounterValues,
    audit_key: &'s AuditKey,
    /// The event and time of the last checkpoint.
    last_checkpoint: (AuditId, Moment),
    // The last author and model looked up: nearly all rows of a transaction share them.
    author: Option<(Author, i64)>,
    model: Option<(VectorModel, i64)>,
}

/// The statements about a chain that are written outside of the database after a transaction.
#[derive(Debug, Default)]
pub(crate) struct ChainRecords {
    pub(crate) step: Option<ChainStep>,
    /// The checkpoint that is due.
    pub(crate) checkpoint: Option<Checkpoint>,
}

/// The counter values, which a refused batch must leave unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CounterValues {
    seq: Seq,
    references_seq: Seq,
    last_memory: MemoryId,
    /// The newest event and its time.
    last_event: (AuditId, Moment),
    /// The MAC that the newest event carries.
    chain: Mac,
}

impl<'s> TransactionCounters<'s> {
    /// Reads the counters in a transaction that holds the write lock.
    pub(crate) fn read(conn: &Connection, audit_key: &'s AuditKey) -> Result<Self, ApplyError> {
        const SQL: &str =
            "SELECT seq, references_seq, last_memory, erased, last, mac, marked, marked_at
                           FROM meta, audit_chain";
        let (counters, erased, marked) = conn.prepare_cached(SQL)?.query_one([], |row| {
            let counters = CounterValues {
                seq: Seq(row.get(0)?),
                references_seq: Seq(row.get(1)?),
                last_memory: MemoryId(row.get(2)?),
                last_event: (AuditId(row.get(4)?), Moment(i64::MIN)),
                chain: row.get(5)?,
            };
            let marked = (AuditId(row.get(6)?), Moment(row.get(7)?));
            Ok((counters, row.get::<_, bool>(3)?, marked))
        })?;
        // Checked in every write transaction, so that no write is lost in a file that another
        // process is about to delete.
        if erased {
            return Err(WriteError::Store(erased::error()).into());
        }
        Ok(Self {
            counters,
            initial: counters,
            audit_key,
            last_checkpoint: marked,
            author: None,
            model: None,
        })
    }

    /// Writes the counters back if they changed. Returns what is to be written outside of the
    /// database after the commit.
    pub(crate) fn write(&self, conn: &Connection) -> rusqlite::Result<ChainRecords> {
        const SQL: &str = "UPDATE meta SET seq = ?1, references_seq = ?2, last_memory = ?3";
        const CHAIN: &str =
            "UPDATE audit_chain SET last = ?1, mac = ?2, seal = ?3, marked = ?4, marked_at = ?5";
        let CounterValues { seq, references_seq, last_memory, last_event: (last, _), chain } =
            self.counters;
        if self.counters == self.initial {
            return Ok(ChainRecords::default());
        }
        conn.prepare_cached(SQL)?.execute((seq.0, references_seq.0, last_memory.0))?;
        // Recorded as written although it is appended only after the commit: a checkpoint of a
        // transaction that then fails would report events as missing that never existed.
        let due = self.due_checkpoint();
        let (marked, marked_at) = due.map_or(self.last_checkpoint, |mark| (mark.id, mark.at));
        let seal = ChainHead::new(self.audit_key.chain_key(), last, chain).seal;
        conn.prepare_cached(CHAIN)?.execute((last.0, chain, seal, marked.0, marked_at.0))?;
        Ok(ChainRecords { step: self.chain_step(), checkpoint: due })
    }

    /// Returns the step that the chain made in this transaction.
    fn chain_step(&self) -> Option<ChainStep> {
        let ((from, _), (to, at)) = (self.initial.last_event, self.counters.last_event);
        let (from, to) = ((from, self.initial.chain), (to, self.counters.chain));
        (from != to).then_some(ChainStep { from, to, at })
    }

    fn due_checkpoint(&self) -> Option<Checkpoint> {
        let (id, at) = self.counters.last_event;
        let unmarked = id.0 - self.last_checkpoint.0.0;
        let late = at >= self.last_checkpoint.1.plus_seconds(CHECKPOINT_SECONDS_MAX);
        let due = unmarked >= CHECKPOINT_EVENTS_MAX || (unmarked > 0 && late);
        due.then_some(Checkpoint {
            kind: CheckpointKind::Reached,
            id,
            mac: self.counters.chain,
            at,
        })
    }

    /// Assigns an event its id and its MAC.
    pub(super) fn next_event(&mut self, event: AuditEvent) -> (AuditEvent, Mac) {
        let (AuditId(last), _) = self.counters.last_event;
        let event = AuditEvent { id: AuditId(last + 1), ..event };
        let mac = self.audit_key.chain_key().next_mac(&self.counters.chain, &event);
        self.counters.last_event = (event.id, event.at);
        self.counters.chain = mac;
        (event, mac)
    }

    /// Returns the current values, for a later rollback.
    pub(crate) fn savepoint(&self) -> CounterValues {
        self.counters
    }

    /// Resets the counters to earlier values.
    pub(crate) fn roll_back_to(&mut self, values: CounterValues) {
        self.counters = values;
        // The rows of authors and models that were inserted meanwhile were rolled back as well.
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

    /// Advances the counter past the id of an imported memory.
    pub(super) fn advance_past(&mut self, memory: MemoryId) {
        self.counters.last_memory = self.counters.last_memory.max(memory);
    }

    /// Records that the current batch changed a reference document.
    pub(super) fn references_changed(&mut self) {
        self.counters.references_seq = self.counters.seq;
    }

    /// Returns the id of an author, inserting it if it is new.
    pub(super) fn author(&mut self, conn: &Connection, author: &Author) -> rusqlite::Result<i64> {
        match &self.author {
            Some((known, id)) if known == author => Ok(*id),
            _ => {
                let id = author_id(conn, author)?;
                self.author = Some((author.clone(), id));
                Ok(id)
            }
        }
    }

    /// Returns the id of an embedding model, inserting it if it is new.
    pub(super) fn model(
        &mut self,
        conn: &Connection,
        model: &VectorModel,
    ) -> rusqlite::Result<i64> {
        match &self.model {
            Some((known, id)) if known == model => Ok(*id),
            _ => {
                let id = model_id(conn, model)?;
                self.model = Some((model.clone(), id));
                Ok(id)
            }
        }
    }
}

fn author_id(conn: &Connection, author: &Author) -> rusqlite::Result<i64> {
    const FIND: &str =
        "SELECT id FROM authors WHERE agent = ?1 AND tool = ?2 AND dialect = ?3 AND client IS ?4";
    const ADD: &str = "INSERT INTO authors (agent, tool, dialect, client) VALUES (?1, ?2, ?3, ?4)";
    let params = (author.agent.as_str(), &author.tool, author.dialect.name(), &author.client);
    let found = conn.prepare_cached(FIND)?.query_row(params, |row| row.get(0)).optional()?;
    found.map_or_else(|| conn.prepare_cached(ADD)?.insert(params), Ok)
}

fn model_id(conn: &Connection, model: &VectorModel) -> rusqlite::Result<i64> {
    const FIND: &str = "SELECT id FROM models WHERE name = ?1 AND dimensions = ?2";
    const ADD: &str = "INSERT INTO models (name, dimensions) VALUES (?1, ?2)";
    let params = (&model.id, model.dimensions as i64);
    let found = conn.prepare_cached(FIND)?.query_row(params, |row| row.get(0)).optional()?;
    found.map_or_else(|| conn.prepare_cached(ADD)?.insert(params), Ok)
}
