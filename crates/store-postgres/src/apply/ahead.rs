//! Queries that a job of a group begins with, sent together before the first of them is needed:
//! a write waits for one answer instead of five. Each is the query that the job then asks, with the
//! same parameters; what is not asked for is dropped. A plan assumes that those for what would
//! stand in its way find nothing, and the statement that advances the clock checks it.

use super::counters::{self, ClockCounters, Unless};
use super::{idempotency, memory};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::read::memory::{ask_forgotten, assume_not_forgotten};
use crate::write_queue::WriteJob;
use store::{AddMemory, Batch, Change};

/// Sends the queries of a job. Without counters the clock is still to be locked, which is the first
/// query.
pub(crate) fn ask(
    conn: &OwnerTransaction,
    counters: Option<&ClockCounters>,
    job: &WriteJob,
) -> SqlResult<()> {
    conn.drop_ahead();
    if counters.is_none() {
        counters::ask_clock(conn)?;
    }
    match job {
        WriteJob::Batch(batch) => ask_of_batch(conn, counters, batch),
        WriteJob::Reads(uses) => match uses.first() {
            Some(read) => counters::ask_author(conn, counters, &read.event.author),
            None => Ok(()),
        },
        WriteJob::Usage(_) => Ok(()),
    }
}

fn ask_of_batch(
    conn: &OwnerTransaction,
    counters: Option<&ClockCounters>,
    batch: &Batch,
) -> SqlResult<()> {
    let author = &batch.event.author;
    idempotency::ask(conn, &author.agent, batch.idempotency.as_ref())?;
    // Only what the first change asks: the others may ask for what it has changed.
    match batch.changes.first() {
        Some(Change::AddMemory(add)) => ask_of_memory(conn, counters, add),
        _ => counters::ask_author(conn, counters, author),
    }
}

fn ask_of_memory(
    conn: &OwnerTransaction,
    counters: Option<&ClockCounters>,
    add: &AddMemory,
) -> SqlResult<()> {
    let hash = add.memory.hash();
    memory::ask_same_text(conn, add, hash)?;
    ask_forgotten(conn, hash)?;
    counters::ask_author(conn, counters, &add.memory.provenance.author)?;
    match &add.vector {
        Some(vector) => counters::ask_model(conn, counters, &vector.model),
        None => Ok(()),
    }
}

/// Assumes what a plan of a job needs, and returns what must be checked for it.
pub(crate) fn assume(conn: &OwnerTransaction, job: &WriteJob) -> Unless {
    let WriteJob::Batch(batch) = job else { return Unless::default() };
    let mut unless = Unless::default();
    if let Some(idempotency) = &batch.idempotency {
        let agent = &batch.event.author.agent;
        idempotency::assume_new(conn, agent, &idempotency.key);
        unless.key = Some((agent.as_str().to_owned(), idempotency.key.clone()));
    }
    if let Some(Change::AddMemory(add)) = batch.changes.first() {
        let hash = add.memory.hash();
        memory::assume_no_same_text(conn, add, hash);
        assume_not_forgotten(conn, hash);
        unless.text = Some(hash);
    }
    unless
}
