//! A pool of SQL sandboxes, one for each owner and set of readable tables, kept up to date by
//! sequence number. The pool is small; the least recently used are dropped when it grows too large.

use super::is_current;
use super::select::{ReadableTables, SqlStatement, sql_failure};
use engine_core::call::{Call, internal};
use model::{Failure, Moment, OwnerId, RecordId, Seq, limits};
use parking_lot::Mutex;
use sandbox::{MemoryMeter, Sandbox, SelectResult, SqlError};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::RecordChange;

/// Largest number of sandboxes, whatever their size.
const POOL_SIZE: usize = 16;

/// The sandboxes of all owners.
#[derive(Default)]
pub(crate) struct SandboxPool {
    /// Least recently used first.
    sandboxes: Mutex<Vec<PooledSandbox>>,
    meter: MemoryMeter,
}

/// A sandbox with the tables it was made for.
struct PooledSandbox {
    owner: OwnerId,
    /// Identity of the store that the rows were copied from.
    store: [u8; 16],
    tables: BTreeSet<(String, Moment)>,
    meter: Arc<MemoryMeter>,
    sandbox: Arc<tokio::sync::Mutex<Option<Sandbox>>>,
}

impl SandboxPool {
    /// Runs a statement over copies of these tables. Returns also the tables that it read.
    pub(super) async fn run(
        &self,
        call: &Call<'_>,
        readable: ReadableTables,
        statement: SqlStatement,
    ) -> Result<(Vec<String>, SelectResult), Failure> {
        // The creation time is part of the key: a table created after another of its name was
        // erased is another table.
        let names =
            readable.tables.iter().map(|table| (table.name.clone(), table.created_at)).collect();
        let (sandbox, meter) = self.acquire(&call.caller.owner, call.store_id(), names);
        let mut slot = sandbox.lock_owned().await;
        // Taken out while in use, so that one left half-way by a dropped call is created again.
        let sandbox = match slot.take() {
            Some(sandbox) => sandbox,
            None => Sandbox::new(meter).map_err(sql_failure)?,
        };
        let (sandbox, outcome) = select(call, sandbox, readable, statement).await?;
        *slot = Some(sandbox);
        drop(slot);
        self.evict();
        outcome.map_err(sql_failure)
    }

    /// Returns the sandbox for these tables. One with fewer of the owner's tables is extended when
    /// a new table appears.
    fn acquire(
        &self,
        owner: &OwnerId,
        store: [u8; 16],
        tables: BTreeSet<(String, Moment)>,
    ) -> (Arc<tokio::sync::Mutex<Option<Sandbox>>>, Arc<MemoryMeter>) {
        let mut pool = self.sandboxes.lock();
        let ours = |one: &PooledSandbox| one.owner == *owner && one.store == store;
        let same = |one: &PooledSandbox| ours(one) && one.tables == tables;
        let fewer = |one: &PooledSandbox| ours(one) && one.tables.is_subset(&tables);
        let index = pool.iter().position(same).or_else(|| pool.iter().rposition(fewer));
        let mut one = match index {
            Some(index) => pool.remove(index),
            None => {
                let meter = Arc::new(self.meter.sibling());
                PooledSandbox {
                    owner: owner.clone(),
                    store,
                    tables: BTreeSet::new(),
                    meter,
                    sandbox: Arc::default(),
                }
            }
        };
        one.tables = tables;
        let found = (Arc::clone(&one.sandbox), Arc::clone(&one.meter));
        pool.push(one);
        found
    }

    /// Drops every sandbox of an owner.
    pub fn drop_all_of(&self, owner: &OwnerId) {
        self.sandboxes.lock().retain(|one| one.owner != *owner);
    }

    /// Drops the least recently used sandboxes until the rest fits.
    fn evict(&self) {
        let mut pool = self.sandboxes.lock();
        let mut bytes: usize = pool.iter().map(|one| one.meter.bytes()).sum();
        // The one just used stays, even if it alone is past the limit.
        while pool.len() > 1 && (pool.len() > POOL_SIZE || bytes > limits::SQL_COPIES_BYTES) {
            bytes -= pool.remove(0).meter.bytes();
        }
    }
}

/// Result of a statement, with the sandbox returned.
type SandboxResult<T> = Result<(Sandbox, Result<T, SqlError>), Failure>;

/// Copies the tables that the statement reads, then runs it.
async fn select(
    call: &Call<'_>,
    sandbox: Sandbox,
    readable: ReadableTables,
    statement: SqlStatement,
) -> SandboxResult<(Vec<String>, SelectResult)> {
    let (at, asked) = (readable.at, statement.clone());
    let (mut sandbox, read) = run_blocking(sandbox, move |sandbox| {
        // The previous caller may have been allowed to read more tables.
        sandbox.set_tables(&readable.tables)?;
        sandbox.tables_read(&asked.sql, asked.only.as_deref(), &asked.bounds)
    })
    .await?;
    let tables = match read {
        Ok(tables) => tables,
        Err(error) => return Ok((sandbox, Err(error))),
    };
    for table in &tables {
        catch_up(call, &mut sandbox, table, at).await?;
    }
    let run = move |sandbox: &mut Sandbox| {
        sandbox.run(&statement.sql, statement.only.as_deref(), &statement.bounds)
    };
    let (sandbox, answer) = run_blocking(sandbox, run).await?;
    Ok((sandbox, answer.map(|answer| (tables, answer))))
}

/// Uses a sandbox on a blocking thread.
async fn run_blocking<T: Send + 'static>(
    mut sandbox: Sandbox,
    work: impl FnOnce(&mut Sandbox) -> Result<T, SqlError> + Send + 'static,
) -> SandboxResult<T> {
    let working = tokio::task::spawn_blocking(move || {
        let done = work(&mut sandbox);
        (sandbox, done)
    });
    working.await.map_err(internal)
}

/// Copies the changes of a table since it was last copied.
async fn catch_up(
    call: &Call<'_>,
    sandbox: &mut Sandbox,
    table: &str,
    at: Seq,
) -> Result<(), Failure> {
    let since = match sandbox.copied_upto(table) {
        Some(upto) if upto == at => return Ok(()),
        Some(upto) if upto < at => upto,
        _ => {
            // Not copied yet, or the store is at an earlier state: it was replaced by a backup.
            sandbox.clear(table).map_err(sql_failure)?;
            Seq::ZERO
        }
    };
    let (store, mut after) = (call.store(), RecordId(0));
    loop {
        let page = store.record_changes(table, since, after, limits::PAGE_ITEMS).await;
        let page = page?;
        let Some(last) = page.last() else { break };
        after = last.id;
        apply_changes(sandbox, table, page).map_err(sql_failure)?;
    }
    sandbox.note_copied(table, at);
    Ok(())
}

/// Applies changed rows; one whose memory is proposed, rejected or retired is removed.
fn apply_changes(
    sandbox: &mut Sandbox,
    table: &str,
    page: Vec<RecordChange>,
) -> Result<(), SqlError> {
    let (mut live, mut gone) = (Vec::new(), Vec::new());
    for change in page {
        match change.record.filter(|_| change.memory.is_none_or(is_current)) {
            Some(record) => live.push(record),
            None => gone.push(change.id),
        }
    }
    sandbox.remove(table, &gone)?;
    sandbox.put(table, &live)
}
