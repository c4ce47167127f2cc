//! The clock of an owner during a transaction: the sequence number, the last number of everything
//! that is numbered, and the head of the audit log. Its row is locked when the transaction begins,
//! so that writers of one owner follow each other, and written back before the commit.

use super::numbers::{LastNumbers, NumberedItem};
use crate::error::{ChangeError, SqlResult};
use crate::master_key::MasterKey;
use crate::owner_transaction::OwnerTransaction;
use crate::sql_value::{SqlValue, params};
use crate::statement_plan::PlannedStatement;
use model::{AuditEvent, AuditId, Author, ContentHash, MemoryId, Moment, Seq, VectorModel};
use store::rules::{codes, text_key};
use store::{ChainHead, ChainKey, Checkpoint, CheckpointKind, Mac, StoreError, WriteError};

/// Maximum number of events between two checkpoints.
const CHECKPOINT_EVENTS_MAX: i64 = 256;
/// Maximum number of seconds between two checkpoints, as long as there are new events.
const CHECKPOINT_SECONDS_MAX: i64 = 600;

const LOCK: &str = "SELECT seq, references_seq, erased_seq, last_memory, last_event, mac,
        marked, marked_at, last_session, last_author, last_model, last_entity,
        last_observation, last_relation, last_table, last_handoff, last_document,
        last_review, last_flag, last_workspace, last_question, identity
     FROM clocks WHERE owner = $1 FOR UPDATE";
const FIND_AUTHOR: &str = "SELECT id FROM authors WHERE owner = $1 AND agent = $2 AND tool = $3
     AND dialect = $4 AND client IS NOT DISTINCT FROM $5";
const FIND_MODEL: &str = "SELECT id FROM models WHERE owner = $1 AND name = $2 AND dimensions = $3";

/// Sets what a transaction changes; the values are `$2` to `$23`.
macro_rules! set_clock {
    () => {
        "UPDATE clocks SET seq = $2, references_seq = $3, erased_seq = $4, last_memory = $5,
            last_event = $6, mac = $7, seal = $8, marked = $9, marked_at = $10, last_session = $11,
            last_author = $12, last_model = $13, last_entity = $14, last_observation = $15,
            last_relation = $16, last_table = $17, last_handoff = $18, last_document = $19,
            last_review = $20, last_flag = $21, last_workspace = $22, last_question = $23
         WHERE owner = $1"
    };
}
const WRITE: &str = set_clock!();
// A clock with the same MAC was written by no other transaction, so that everything of its owner is
// as it was; and what this statement sees, nobody can have changed once it has the lock.
const ADVANCE: &str = concat!(
    set_clock!(),
    " AND mac = $24
     AND NOT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND text_key = $25 AND status = $26)
     AND NOT EXISTS (SELECT 1 FROM tombstones WHERE owner = $1 AND hash = $27)
     AND NOT EXISTS (SELECT 1 FROM idempotency WHERE owner = $1 AND agent = $28 AND key = $29)"
);

/// Reasons for which a planned write is not made as planned.
#[derive(Debug, Default)]
pub(crate) struct Unless {
    /// An active memory has this text, or it was forgotten.
    pub(super) text: Option<ContentHash>,
    /// There was a batch of this agent under this idempotency key.
    pub(super) key: Option<(String, String)>,
}

/// The clock of an owner, locked.
#[derive(Debug, Clone)]
pub(crate) struct ClockCounters {
    values: ClockValues,
    /// The values at the beginning of the transaction.
    initial: ClockValues,
    key: ChainKey,
    /// The event and time of the last checkpoint.
    last_checkpoint: (AuditId, Moment),
    // The last author and model looked up: nearly all rows of a transaction share them.
    author: Option<(Author, i64)>,
    model: Option<(VectorModel, i64)>,
}

/// The values of a clock, which a refused batch must leave unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockValues {
    seq: Seq,
    references_seq: Seq,
    erased_seq: Seq,
    last_memory: MemoryId,
    numbers: LastNumbers,
    /// The newest event and its time.
    last_event: (AuditId, Moment),
    /// The MAC that the newest event carries.
    chain: Mac,
}

impl ClockCounters {
    /// Locks the clock of the owner and reads it.
    pub(crate) fn lock(conn: &OwnerTransaction, master: &MasterKey) -> Result<Self, ChangeError> {
        let clock = conn.first(LOCK, (), |row| {
            let values = ClockValues {
                seq: Seq(row.get(0)?),
                references_seq: Seq(row.get(1)?),
                erased_seq: Seq(row.get(2)?),
                last_memory: MemoryId(row.get(3)?),
                last_event: (AuditId(row.get(4)?), Moment(i64::MIN)),
                chain: row.get(5)?,
                numbers: LastNumbers::from_row(row, 8)?,
            };
            let last_checkpoint = (AuditId(row.get(6)?), Moment(row.get(7)?));
            Ok((values, last_checkpoint, master.of_owner(&row.get(21)?)))
        })?;
        let (values, last_checkpoint, key) = clock.ok_or(WriteError::Store(unknown_owner()))?;
        Ok(Self { values, initial: values, key, last_checkpoint, author: None, model: None })
    }

    /// Writes the clock back if it changed, with the checkpoint that is due.
    pub(crate) fn write(&self, conn: &OwnerTransaction) -> SqlResult<()> {
        if !self.has_advanced() {
            return Ok(());
        }
        conn.send(WRITE, self.row_values())?;
        self.write_checkpoint(conn)
    }

    /// Returns whether a transaction changed the clock.
    pub(crate) fn has_advanced(&self) -> bool {
        self.values != self.initial
    }

    /// Writes the checkpoint that is due.
    pub(crate) fn write_checkpoint(&self, conn: &OwnerTransaction) -> SqlResult<()> {
        self.due_checkpoint().map_or(Ok(()), |mark| add_checkpoint(conn, &self.key, &mark))
    }

    /// Returns the statement that writes the clock back if it is as it was at the beginning.
    pub(crate) fn advance(&self, owner: &str, unless: &Unless) -> PlannedStatement {
        let mut values = params![owner.to_owned()];
        values.extend(self.row_values());
        let key = unless.key.as_ref();
        values.extend(params![
            self.initial.chain,
            unless.text.map(text_key),
            codes::ACTIVE,
            unless.text.map(|hash| hash.0),
            key.map(|(agent, _)| agent.clone()),
            key.map(|(_, key)| key.clone())
        ]);
        PlannedStatement { sql: ADVANCE.into(), values }
    }

    /// Returns the clock as the next transaction finds it if nobody else writes.
    pub(crate) fn after_commit(mut self) -> Self {
        if let Some(mark) = self.due_checkpoint() {
            self.last_checkpoint = (mark.id, mark.at);
        }
        self.initial = self.values;
        self
    }

    /// Returns the newest event at the beginning of the transaction.
    pub(crate) fn event_before(&self) -> (AuditId, Mac) {
        (self.initial.last_event.0, self.initial.chain)
    }

    /// Returns the columns that a transaction changes.
    fn row_values(&self) -> Vec<SqlValue<'static>> {
        let ClockValues { seq, references_seq, erased_seq, last_memory, chain, .. } = self.values;
        let (last, _) = self.values.last_event;
        let seal = ChainHead::new(&self.key, last, chain).seal;
        let due = self.due_checkpoint();
        let (marked, marked_at) = due.map_or(self.last_checkpoint, |mark| (mark.id, mark.at));
        let mut values = params![
            seq.0,
            references_seq.0,
            erased_seq.0,
            last_memory.0,
            last.0,
            chain,
            seal,
            marked.0,
            marked_at.0
        ];
        values.extend(self.values.numbers.parameters());
        values
    }

    /// Returns the newest event, by which a commit whose answer was lost is found again.
    pub(crate) fn newest_event(&self) -> (AuditId, Mac) {
        (self.values.last_event.0, self.values.chain)
    }

    fn due_checkpoint(&self) -> Option<Checkpoint> {
        let (id, at) = self.values.last_event;
        let unmarked = id.0 - self.last_checkpoint.0.0;
        let late = at >= self.last_checkpoint.1.plus_seconds(CHECKPOINT_SECONDS_MAX);
        let due = unmarked >= CHECKPOINT_EVENTS_MAX || (unmarked > 0 && late);
        due.then_some(Checkpoint { kind: CheckpointKind::Reached, id, mac: self.values.chain, at })
    }

    /// Assigns an event its id and its MAC.
    pub(super) fn next_event(&mut self, event: AuditEvent) -> (AuditEvent, Mac) {
        let (AuditId(last), _) = self.values.last_event;
        let event = AuditEvent { id: AuditId(last + 1), ..event };
        let mac = self.key.next_mac(&self.values.chain, &event);
        self.values.last_event = (event.id, event.at);
        self.values.chain = mac;
        (event, mac)
    }

    /// Returns the current values, for a later rollback.
    pub(crate) fn savepoint(&self) -> ClockValues {
        self.values
    }

    /// Resets the clock to earlier values.
    pub(crate) fn roll_back_to(&mut self, values: ClockValues) {
        self.values = values;
        // The rows of authors and models that were inserted meanwhile were rolled back as well.
        self.author = None;
        self.model = None;
    }

    pub(super) fn next_seq(&mut self) -> Seq {
        self.values.seq = self.values.seq.next();
        self.values.seq
    }

    pub(super) fn next_memory(&mut self) -> MemoryId {
        self.values.last_memory.0 += 1;
        self.values.last_memory
    }

    /// Advances the counter past the id of an imported memory.
    pub(super) fn advance_past(&mut self, memory: MemoryId) {
        self.values.last_memory = self.values.last_memory.max(memory);
    }

    /// Returns the numbers of everything but memories.
    pub(super) fn numbers(&mut self) -> &mut LastNumbers {
        &mut self.values.numbers
    }

    /// Records that the current batch changed a reference document.
    pub(super) fn references_changed(&mut self) {
        self.values.references_seq = self.values.seq;
    }

    /// Records that the current batch removed text for good.
    pub(super) fn text_erased(&mut self) {
        self.values.erased_seq = self.values.seq;
    }

    fn known_author(&self, author: &Author) -> Option<i64> {
        self.author.as_ref().filter(|(known, _)| known == author).map(|(_, id)| *id)
    }

    fn known_model(&self, model: &VectorModel) -> Option<i64> {
        self.model.as_ref().filter(|(known, _)| known == model).map(|(_, id)| *id)
    }

    /// Returns the id of an author, inserting it if it is new.
    pub(super) fn author(&mut self, conn: &OwnerTransaction, author: &Author) -> SqlResult<i64> {
        const ADD: &str = "INSERT INTO authors (owner, agent, tool, dialect, client, id)
             VALUES ($1, $2, $3, $4, $5, $6)";
        if let Some(id) = self.known_author(author) {
            return Ok(id);
        }
        let columns = author_columns(author);
        let id = match conn.first(FIND_AUTHOR, columns.clone(), |row| row.get(0))? {
            Some(id) => id,
            None => {
                let id = self.values.numbers.next(NumberedItem::Author);
                conn.send(ADD, [columns, params![id]].concat())?;
                id
            }
        };
        self.author = Some((author.clone(), id));
        Ok(id)
    }

    /// Returns the id of an embedding model, inserting it if it is new.
    pub(super) fn model(&mut self, conn: &OwnerTransaction, model: &VectorModel) -> SqlResult<i64> {
        const ADD: &str =
            "INSERT INTO models (owner, name, dimensions, id) VALUES ($1, $2, $3, $4)";
        if let Some(id) = self.known_model(model) {
            return Ok(id);
        }
        let dimensions = model.dimensions as i64;
        let id = match conn.first(FIND_MODEL, (&model.id, dimensions), |row| row.get(0))? {
            Some(id) => id,
            None => {
                let id = self.values.numbers.next(NumberedItem::Model);
                conn.send(ADD, (&model.id, dimensions, id))?;
                id
            }
        };
        self.model = Some((model.clone(), id));
        Ok(id)
    }
}

/// Sends the query for the clock ahead.
pub(super) fn ask_clock(conn: &OwnerTransaction) -> SqlResult<()> {
    conn.query_ahead(LOCK, ())
}

/// Sends the query for an author ahead, unless it is known.
pub(super) fn ask_author(
    conn: &OwnerTransaction,
    counters: Option<&ClockCounters>,
    author: &Author,
) -> SqlResult<()> {
    match counters.and_then(|counters| counters.known_author(author)) {
        Some(_) => Ok(()),
        None => conn.query_ahead(FIND_AUTHOR, author_columns(author)),
    }
}

/// Sends the query for a model ahead, unless it is known.
pub(super) fn ask_model(
    conn: &OwnerTransaction,
    counters: Option<&ClockCounters>,
    model: &VectorModel,
) -> SqlResult<()> {
    match counters.and_then(|counters| counters.known_model(model)) {
        Some(_) => Ok(()),
        None => conn.query_ahead(FIND_MODEL, (&model.id, model.dimensions as i64)),
    }
}

fn author_columns(author: &Author) -> Vec<SqlValue<'_>> {
    params![author.agent.as_str(), &author.tool, author.dialect.name(), &author.client]
}

/// Stores a signed checkpoint of the audit log, and tells it to the server's log: a copy outside of
/// the database reveals what somebody with access to all of it could hide.
pub(crate) fn add_checkpoint(
    conn: &OwnerTransaction,
    key: &ChainKey,
    mark: &Checkpoint,
) -> SqlResult<()> {
    // The owner comes from a row, as Citus needs it under row-level security.
    const SQL: &str = "INSERT INTO checkpoints (owner, number, line)
         SELECT c.owner, coalesce(max(p.number), 0) + 1, $2
         FROM clocks c LEFT JOIN checkpoints p ON p.owner = c.owner
         WHERE c.owner = $1 GROUP BY c.owner";
    let line = mark.to_line(key);
    tracing::info!(target: "quipu::audit", line, "checkpoint of an audit log");
    conn.send(SQL, [line])
}

/// Creates the error of an owner that does not exist, or does not exist any more.
pub(crate) fn unknown_owner() -> StoreError {
    StoreError::Failed { cause: "there is no such owner".to_owned() }
}
