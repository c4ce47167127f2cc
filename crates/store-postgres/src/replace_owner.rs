//! Restore of one owner in a database: the present memory is kept as a backup file, and replaced by
//! that of another file, in one transaction that holds the lock of the owner's clock. Writers of
//! the owner wait for it and then find another identity; views of it are built again.

use crate::apply::{erase_memory_rows, erase_owner_rows};
use crate::backup;
use crate::error::{SqlResult, StatementError};
use crate::load::{FileCounters, load_rows};
use crate::master_key::MasterKey;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use model::{Moment, OwnerId};
use std::path::PathBuf;
use store::StoreError;
use store_sqlite::MemoryFileReader;

/// A file to put in the place of an owner's memory.
#[derive(Debug, Clone)]
pub struct OwnerReplacement {
    /// A memory file of this version with an identity of its own.
    pub file: PathBuf,
    /// File for the replaced memory; must not exist yet.
    pub kept: PathBuf,
    pub at: Moment,
    /// Allows to replace a memory that exists.
    pub replace: bool,
    /// Also ends every key, token and login session, and the password.
    pub reset_credentials: bool,
}

/// Result of replacing an owner's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceOutcome {
    /// There was none before.
    Added,
    /// The one before is in the file that was named.
    Replaced,
    /// There is one already, and nothing was changed.
    Refused,
}

impl PostgresStore {
    /// Puts the memory of a file in the place of an owner's.
    ///
    /// # Errors
    /// Fails when the file cannot be read, the present memory cannot be kept, or the database
    /// fails. The memory in the database is then as it was. A file with the kept one may be left:
    /// when the connection is lost while the database commits, nobody knows whether it did.
    pub async fn replace_owner(
        &self,
        owner: &OwnerId,
        replacement: OwnerReplacement,
    ) -> Result<ReplaceOutcome, StoreError> {
        let file = MemoryFileReader::open(&replacement.file)?;
        let master = self.inner.master_key.clone();
        self.change(owner, move |conn| replace(conn, &master, &file, &replacement)).await
    }
}

fn replace(
    conn: &OwnerTransaction,
    master: &MasterKey,
    file: &MemoryFileReader,
    replacement: &OwnerReplacement,
) -> SqlResult<ReplaceOutcome> {
    // From here on no batch of the owner can be committed, so that the kept copy has the last one.
    const CLOCK: &str = "SELECT last_event FROM clocks WHERE owner = $1 FOR UPDATE";
    let last_event: Option<i64> = conn.first(CLOCK, (), |row| row.get(0))?;
    // An owner without any event is one that a server created when it started.
    let exists = last_event.is_some_and(|last| last > 0);
    if exists && !replacement.replace {
        return Ok(ReplaceOutcome::Refused);
    }
    let counters = FileCounters::read(file)?;
    if exists {
        backup::copy(conn, &replacement.kept)?.map_err(StatementError::Refused)?;
    }
    if replacement.reset_credentials {
        erase_owner_rows(conn)?;
    } else {
        erase_memory_rows(conn)?;
    }
    load_rows(conn, master, file, &counters, replacement.at)?;
    Ok(if exists { ReplaceOutcome::Replaced } else { ReplaceOutcome::Added })
}
