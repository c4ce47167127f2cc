//! A pool of SQL sandboxes, one for each owner and set of readable tables, kept up to date by
//! sequence number. A statement takes its sandbox out of the pool, so that nobody waits for a lock
//! while it runs. The pool is small; the least recently used are dropped when it grows too large,
//! and all of them when no statement has run for a while.

use super::is_current;
use super::select::{ReadableTables, SqlStatement, sql_failure};
use super::sql_threads::{SQL_THREADS, SqlThreads};
use engine_core::call::{Call, internal};
use model::{ErrorCode, Failure, Moment, OwnerId, RecordId, Seq, limits};
use parking_lot::Mutex;
use sandbox::{MemoryMeter, Sandbox, SelectResult, SqlError};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::RecordChange;
use tokio::sync::Semaphore;

/// Maximum number of statements that wait for their turn.
const WAITING_MAX: usize = 64;
/// Largest number of sandboxes, whatever their size.
const POOL_SIZE: usize = 16;

/// The sandboxes of all owners, and the threads that use them.
pub(crate) struct SandboxPool {
    idle: Arc<Mutex<IdleSandboxes>>,
    meter: MemoryMeter,
    threads: SqlThreads,
    /// Places of statements that run or wait.
    places: Semaphore,
    /// Turns of statements that run. One without a turn has no copies either.
    turns: Semaphore,
}

/// Sandboxes that no statement uses.
#[derive(Default)]
struct IdleSandboxes {
    /// Least recently used first.
    sandboxes: Vec<PooledSandbox>,
    /// Number of times that sandboxes were dropped for good; one that was in use then is not put
    /// back.
    generation: u64,
}

/// A sandbox with the tables it was made for.
struct PooledSandbox {
    owner: OwnerId,
    /// Identity of the store that the rows were copied from.
    store: [u8; 16],
    tables: BTreeSet<(String, Moment)>,
    meter: Arc<MemoryMeter>,
    sandbox: Sandbox,
}

impl Default for SandboxPool {
    fn default() -> Self {
        let idle: Arc<Mutex<IdleSandboxes>> = Arc::default();
        let dropped = Arc::clone(&idle);
        let threads = SqlThreads::new(move || dropped.lock().sandboxes.clear());
        Self {
            idle,
            meter: MemoryMeter::default(),
            threads,
            places: Semaphore::new(SQL_THREADS + WAITING_MAX),
            turns: Semaphore::new(SQL_THREADS),
        }
    }
}

impl Drop for SandboxPool {
    fn drop(&mut self) {
        self.threads.close();
    }
}

impl SandboxPool {
    /// Runs a statement over copies of these tables. Returns also the tables that it read.
    pub(super) async fn run(
        &self,
        call: &Call<'_>,
        readable: ReadableTables,
        statement: SqlStatement,
    ) -> Result<(Vec<String>, SelectResult), Failure> {
        let _place = self.places.try_acquire().map_err(|_| too_many_waiting())?;
        let _turn = self.turns.acquire().await.map_err(internal)?;
        // The creation time is part of the key: a table created after another of its name was
        // erased is another table.
        let tables =
            readable.tables.iter().map(|table| (table.name.clone(), table.created_at)).collect();
        let (pooled, generation) = self.take(&call.caller.owner, call.store_id(), tables)?;
        let PooledSandbox { owner, store, tables, meter, sandbox } = pooled;
        // One that is left half-way by a dropped call is dropped with it.
        let (sandbox, outcome) = self.select(call, sandbox, readable, statement).await?;
        self.put_back(PooledSandbox { owner, store, tables, meter, sandbox }, generation);
        outcome.map_err(sql_failure)
    }

    /// Takes the sandbox for these tables. One with fewer of the owner's tables is extended when a
    /// new table appears; when all are in use, another one is created.
    fn take(
        &self,
        owner: &OwnerId,
        store: [u8; 16],
        tables: BTreeSet<(String, Moment)>,
    ) -> Result<(PooledSandbox, u64), Failure> {
        let mut idle = self.idle.lock();
        let (generation, pool) = (idle.generation, &mut idle.sandboxes);
        let ours = |one: &PooledSandbox| one.owner == *owner && one.store == store;
        let same = |one: &PooledSandbox| ours(one) && one.tables == tables;
        let fewer = |one: &PooledSandbox| ours(one) && one.tables.is_subset(&tables);
        let index = pool.iter().position(same).or_else(|| pool.iter().rposition(fewer));
        let found = index.map(|index| pool.remove(index));
        drop(idle);
        let pooled = match found {
            Some(pooled) => PooledSandbox { tables, ..pooled },
            None => {
                let meter = Arc::new(self.meter.sibling());
                let sandbox = Sandbox::new(Arc::clone(&meter)).map_err(sql_failure)?;
                PooledSandbox { owner: owner.clone(), store, tables, meter, sandbox }
            }
        };
        Ok((pooled, generation))
    }

    /// Puts a sandbox back, and drops the least recently used until the rest fits.
    fn put_back(&self, pooled: PooledSandbox, generation: u64) {
        let mut idle = self.idle.lock();
        if idle.generation != generation {
            return;
        }
        let pool = &mut idle.sandboxes;
        pool.push(pooled);
        let mut bytes: usize = pool.iter().map(|one| one.meter.bytes()).sum();
        // The one just used stays, even if it alone is past the limit.
        while pool.len() > 1 && (pool.len() > POOL_SIZE || bytes > limits::SQL_COPIES_BYTES) {
            bytes -= pool.remove(0).meter.bytes();
        }
    }

    /// Drops every sandbox of an owner.
    pub fn drop_all_of(&self, owner: &OwnerId) {
        let mut idle = self.idle.lock();
        idle.generation += 1;
        idle.sandboxes.retain(|one| one.owner != *owner);
    }

    /// Copies the tables that the statement reads, then runs it.
    async fn select(
        &self,
        call: &Call<'_>,
        sandbox: Sandbox,
        readable: ReadableTables,
        statement: SqlStatement,
    ) -> SandboxResult<(Vec<String>, SelectResult)> {
        let (at, asked) = (readable.at, statement.clone());
        let prepare = move |sandbox: &mut Sandbox| {
            // The previous caller may have been allowed to read more tables.
            sandbox.set_tables(&readable.tables)?;
            sandbox.tables_read(&asked.sql, asked.only.as_deref(), &asked.bounds)
        };
        let (mut sandbox, read) = self.use_sandbox(sandbox, prepare).await?;
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
        let (sandbox, answer) = self.use_sandbox(sandbox, run).await?;
        Ok((sandbox, answer.map(|answer| (tables, answer))))
    }

    /// Uses a sandbox on a thread for SQL.
    async fn use_sandbox<T: Send + 'static>(
        &self,
        mut sandbox: Sandbox,
        work: impl FnOnce(&mut Sandbox) -> Result<T, SqlError> + Send + 'static,
    ) -> SandboxResult<T> {
        let working = move || {
            let done = work(&mut sandbox);
            (sandbox, done)
        };
        self.threads.run(working).await
    }
}

fn too_many_waiting() -> Failure {
    let message =
        format!("{WAITING_MAX} SQL statements are already waiting; wait 1 second, then call again");
    Failure::new(ErrorCode::RateLimited, message)
}

/// Result of a statement, with the sandbox returned.
type SandboxResult<T> = Result<(Sandbox, Result<T, SqlError>), Failure>;

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
