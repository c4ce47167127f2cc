//! A pool of SQL sandboxes, one for each owner and set of readable tables, kept up to date by
//! sequence number. The pool is small; the least recently used are dropped when it grows too large.

use super::select::{Readable, Statement, sql_failure};
use super::stands;
use engine_core::call::{Call, internal};
use model::{Failure, Moment, OwnerId, RecordId, Seq, limits};
use sandbox::{Answer, Meter, Sandbox, SqlError};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use store::RecordChange;

/// Largest number of sandboxes, whatever their size.
const KEPT: usize = 16;

/// The sandboxes of all owners.
#[derive(Default)]
pub(crate) struct Copies {
    /// Least recently used first.
    kept: Mutex<Vec<Kept>>,
    meter: Meter,
}

/// A sandbox with the tables it was made for.
struct Kept {
    owner: OwnerId,
    tables: BTreeSet<(String, Moment)>,
    meter: Arc<Meter>,
    sandbox: Arc<tokio::sync::Mutex<Option<Sandbox>>>,
}

impl Copies {
    /// Runs a statement over copies of these tables. Returns also the tables that it read.
    pub(super) async fn run(
        &self,
        call: &Call<'_>,
        readable: Readable,
        statement: Statement,
    ) -> Result<(Vec<String>, Answer), Failure> {
        // The creation time is part of the key: a table created after another of its name was
        // erased is another table.
        let names =
            readable.tables.iter().map(|table| (table.name.clone(), table.created_at)).collect();
        let (sandbox, meter) = self.of(&call.caller.owner, names);
        let mut kept = sandbox.lock_owned().await;
        // Taken out while in use, so that one left half-way by a dropped call is created again.
        let sandbox = match kept.take() {
            Some(sandbox) => sandbox,
            None => Sandbox::new(meter).map_err(sql_failure)?,
        };
        let (sandbox, outcome) = select(call, sandbox, readable, statement).await?;
        *kept = Some(sandbox);
        drop(kept);
        self.make_room();
        outcome.map_err(sql_failure)
    }

    /// Returns the sandbox for these tables. One with fewer of the owner's tables is extended when
    /// a new table appears.
    fn of(
        &self,
        owner: &OwnerId,
        tables: BTreeSet<(String, Moment)>,
    ) -> (Arc<tokio::sync::Mutex<Option<Sandbox>>>, Arc<Meter>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |one: &Kept| one.owner == *owner && one.tables == tables;
        let fewer = |one: &Kept| one.owner == *owner && one.tables.is_subset(&tables);
        let place = kept.iter().position(same).or_else(|| kept.iter().rposition(fewer));
        let mut one = match place {
            Some(place) => kept.remove(place),
            None => {
                let meter = Arc::new(self.meter.beside());
                Kept {
                    owner: owner.clone(),
                    tables: BTreeSet::new(),
                    meter,
                    sandbox: Arc::default(),
                }
            }
        };
        one.tables = tables;
        let found = (Arc::clone(&one.sandbox), Arc::clone(&one.meter));
        kept.push(one);
        found
    }

    /// Drops every sandbox of an owner.
    pub fn drop_all_of(&self, owner: &OwnerId) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).retain(|one| one.owner != *owner);
    }

    /// Drops the least recently used sandboxes until the rest fits.
    fn make_room(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: usize = kept.iter().map(|one| one.meter.bytes()).sum();
        // The one just used stays, even if it alone is past the limit.
        while kept.len() > 1 && (kept.len() > KEPT || bytes > limits::SQL_COPIES_BYTES) {
            bytes -= kept.remove(0).meter.bytes();
        }
    }
}

/// Result of a statement, with the sandbox returned.
type Outcome<T> = Result<(Sandbox, Result<T, SqlError>), Failure>;

/// Copies the tables that the statement reads, then runs it.
async fn select(
    call: &Call<'_>,
    sandbox: Sandbox,
    readable: Readable,
    statement: Statement,
) -> Outcome<(Vec<String>, Answer)> {
    let (at, asked) = (readable.at, statement.clone());
    let (mut sandbox, read) = apart(sandbox, move |sandbox| {
        // The previous caller may have been allowed to read more tables.
        sandbox.hold(&readable.tables)?;
        sandbox.reads(&asked.sql, asked.only.as_deref(), &asked.bounds)
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
    let (sandbox, answer) = apart(sandbox, run).await?;
    Ok((sandbox, answer.map(|answer| (tables, answer))))
}

/// Uses a sandbox on a blocking thread.
async fn apart<T: Send + 'static>(
    mut sandbox: Sandbox,
    work: impl FnOnce(&mut Sandbox) -> Result<T, SqlError> + Send + 'static,
) -> Outcome<T> {
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
        let page = store.record_changes(table, since, after, limits::PAGE).await;
        let page = page?;
        let Some(last) = page.last() else { break };
        after = last.id;
        take_in(sandbox, table, page).map_err(sql_failure)?;
    }
    sandbox.note_copied(table, at);
    Ok(())
}

/// Applies changed rows; one whose memory is proposed, rejected or retired is removed.
fn take_in(sandbox: &mut Sandbox, table: &str, page: Vec<RecordChange>) -> Result<(), SqlError> {
    let (mut live, mut gone) = (Vec::new(), Vec::new());
    for change in page {
        match change.record.filter(|_| change.memory.is_none_or(stands)) {
            Some(record) => live.push(record),
            None => gone.push(change.id),
        }
    }
    sandbox.remove(table, &gone)?;
    sandbox.put(table, &live)
}
