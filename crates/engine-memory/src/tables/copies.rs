//! The copies that statements read: one sandbox for each owner and set of tables that is readable
//! together, kept in step by sequence number. A few are kept, and those not used for longest go
//! when they grow too large.

use super::select::{Readable, Statement, sql_failure};
use super::stands;
use engine_core::call::{Call, internal};
use model::{Failure, Moment, OwnerId, RecordId, Seq, limits};
use sandbox::{Answer, Meter, Sandbox, SqlError};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use store::RecordChange;

/// How many sandboxes are kept, whatever their size.
const KEPT: usize = 16;

/// The sandboxes of all owners that were asked for.
#[derive(Default)]
pub(crate) struct Copies {
    /// The one that was used last comes last.
    kept: Mutex<Vec<Kept>>,
    meter: Meter,
}

/// A sandbox, and what it was made for.
struct Kept {
    owner: OwnerId,
    tables: BTreeSet<(String, Moment)>,
    meter: Arc<Meter>,
    sandbox: Arc<tokio::sync::Mutex<Option<Sandbox>>>,
}

impl Copies {
    /// Runs a statement over copies of these tables. Answers also which of them it read.
    pub(super) async fn run(
        &self,
        call: &Call<'_>,
        readable: Readable,
        statement: Statement,
    ) -> Result<(Vec<String>, Answer), Failure> {
        // A table that came after another of its name was erased is another table.
        let names =
            readable.tables.iter().map(|table| (table.name.clone(), table.created_at)).collect();
        let (sandbox, meter) = self.of(&call.caller.owner, names);
        let mut kept = sandbox.lock_owned().await;
        // It is taken out while in use, so that one that a dropped call left half-way is made anew.
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

    /// The sandbox of these tables. One that held fewer of the owner's is taken further: a new
    /// table came.
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

    /// Lets go of every copy of an owner's tables.
    pub fn drop_all_of(&self, owner: &OwnerId) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).retain(|one| one.owner != *owner);
    }

    /// Lets go of those not used for longest until what is kept fits.
    fn make_room(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: usize = kept.iter().map(|one| one.meter.bytes()).sum();
        while kept.len() > 1 && (kept.len() > KEPT || bytes > limits::SQL_COPIES_BYTES) {
            bytes -= kept.remove(0).meter.bytes();
        }
    }
}

/// What a statement came to, and the sandbox back.
type Outcome<T> = Result<(Sandbox, Result<T, SqlError>), Failure>;

/// Copies what the statement reads, then runs it.
async fn select(
    call: &Call<'_>,
    sandbox: Sandbox,
    readable: Readable,
    statement: Statement,
) -> Outcome<(Vec<String>, Answer)> {
    let (at, asked) = (readable.at, statement.clone());
    let (mut sandbox, read) = apart(sandbox, move |sandbox| {
        // Whoever used it last may have been allowed more.
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

/// Does something with a sandbox on a thread where it may take its time.
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

/// Copies what changed in a table since it was last copied.
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
            // Not copied yet, or the store has gone back to an earlier time: a backup was put in
            // its place.
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

/// Takes changed rows in; one whose memory waits, was rejected or was taken out of use goes.
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
