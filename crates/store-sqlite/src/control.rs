//! The file of owners and keys, and the `Control` trait on top of it. It is rarely written, so a
//! write is one transaction on one connection, without group commit.

use crate::connection::{self, ConnectionRole, Database};
use crate::error::store_error;
use crate::files::create_private_file;
use crate::owner::blocking;
use crate::readers::{ReaderPool, in_read_transaction};
use crate::{Options, SqliteStore, migrate, row};
use async_trait::async_trait;
use model::{ContentHash, KeyId, KeyInfo, Moment, NewKey, OwnerId, Permission};
use parking_lot::Mutex;
use rusqlite::{
    Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior, params,
};
use std::path::Path;
use std::sync::Arc;
use store::{Control, StoreError};

macro_rules! key_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, owner, agent, label, prefix, hash, scope, created_at, expires_at, \
             last_used_at, revoked_at
             FROM keys ",
            $rest
        )
    };
}

/// The file of owners and keys.
#[derive(Debug, Clone)]
pub(crate) struct ControlFile {
    // Closed first, because only the writer empties the write-ahead log when it is closed.
    readers: Arc<ReaderPool>,
    writer: Arc<Mutex<Database>>,
}

impl ControlFile {
    /// Opens the file, creating it if it does not exist.
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self, StoreError> {
        create_private_file(path)?;
        let writer = connection::open(path, &migrate::CONTROL, ConnectionRole::Write, options)?;
        let readers = ReaderPool::new(path.to_owned(), &migrate::CONTROL, options.clone());
        Ok(Self { writer: Arc::new(Mutex::new(writer)), readers: Arc::new(readers) })
    }

    /// Returns true when the owner exists.
    pub(crate) fn has_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT EXISTS (SELECT 1 FROM owners WHERE name = ?1)";
        self.readers
            .read(|conn| conn.prepare_cached(SQL)?.query_one([owner.as_str()], |row| row.get(0)))
    }

    /// Adds an owner to the list; does nothing when the name exists.
    pub(crate) fn add_owner(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        const SQL: &str = "INSERT OR IGNORE INTO owners (name, created_at) VALUES (?1, ?2)";
        self.write(SQL, (owner.as_str(), at.0)).map(|_| ())
    }

    /// Removes an owner from the list. Returns false when there is no such owner.
    pub(crate) fn remove_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        Ok(self.write("DELETE FROM owners WHERE name = ?1", [owner.as_str()])? > 0)
    }

    /// Removes all keys and tokens of an owner.
    pub(crate) fn remove_credentials(&self, owner: &OwnerId) -> Result<(), StoreError> {
        // The tokens of a family go with it, by `ON DELETE CASCADE`.
        self.write("DELETE FROM families WHERE owner = ?1", [owner.as_str()])?;
        self.write("DELETE FROM keys WHERE owner = ?1", [owner.as_str()]).map(|_| ())
    }

    fn write(&self, sql: &'static str, params: impl Params) -> Result<usize, StoreError> {
        self.with_writer(|conn| conn.prepare_cached(sql)?.execute(params))
    }

    /// Runs a change on the write connection. Blocks.
    fn with_writer<T>(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        // A panic unlocks the mutex and cannot leave a change half done: one statement is atomic in
        // SQLite, and a transaction rolls back when it is dropped.
        let database = self.writer.lock();
        change(&database.conn).map_err(|error| store_error(&error))
    }

    /// Changes the file in several statements of one transaction.
    pub(crate) async fn write_transaction<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let in_transaction = |conn: &Connection| {
            let transaction = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
            let changed = change(&transaction)?;
            transaction.commit()?;
            Ok(changed)
        };
        self.write_statement(in_transaction).await
    }

    /// Changes the file in a single statement, which SQLite makes a transaction.
    pub(crate) async fn write_statement<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let file = self.clone();
        blocking(move || file.with_writer(change)).await
    }

    /// Reads in several statements that see the same snapshot.
    pub(crate) async fn read_snapshot<T: Send + 'static>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.read_statement(move |conn| in_read_transaction(conn, &read)).await
    }

    /// Reads in a single statement.
    async fn read_statement<T: Send + 'static>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.readers.try_read(&read) {
            Some(outcome) => outcome,
            None => {
                let readers = Arc::clone(&self.readers);
                blocking(move || readers.read(read)).await
            }
        }
    }
}

#[async_trait]
impl Control for SqliteStore {
    async fn owners(&self) -> Result<Vec<OwnerId>, StoreError> {
        const SQL: &str = "SELECT name FROM owners ORDER BY name";
        self.control()
            .read_snapshot(|conn| {
                conn.prepare_cached(SQL)?.query_map([], |row| owner_from_row(row, 0))?.collect()
            })
            .await
    }

    async fn has_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let (control, owner) = (self.control().clone(), owner.clone());
        blocking(move || control.has_owner(&owner)).await
    }

    async fn create_owner(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        self.create(owner, at).await
    }

    async fn erase_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        self.erase(owner).await
    }

    async fn add_key(&self, key: NewKey, at: Moment) -> Result<KeyId, StoreError> {
        const SQL: &str =
            "INSERT INTO keys (owner, agent, label, prefix, hash, scope, created_at, expires_at)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let add = move |conn: &Connection| {
            let expires = key.expires_at.map(|moment| moment.0);
            let (owner, agent, scope) = (key.owner.as_str(), key.agent.as_str(), key.scope.name());
            let params =
                params![owner, agent, key.label, key.prefix, key.hash.0, scope, at.0, expires];
            conn.prepare_cached(SQL)?.insert(params).map(KeyId)
        };
        self.control().write_statement(add).await
    }

    async fn key(&self, hash: ContentHash) -> Result<Option<KeyInfo>, StoreError> {
        const SQL: &str = key_columns!("WHERE hash = ?1");
        self.control()
            .read_statement(move |conn| {
                conn.prepare_cached(SQL)?.query_row([hash.0], key_from_row).optional()
            })
            .await
    }

    async fn keys(&self, owner: &OwnerId) -> Result<Vec<KeyInfo>, StoreError> {
        const SQL: &str = key_columns!("WHERE owner = ?1 ORDER BY created_at DESC, id DESC");
        let owner = owner.clone();
        let read = move |conn: &Connection| {
            conn.prepare_cached(SQL)?.query_map([owner.as_str()], key_from_row)?.collect()
        };
        self.control().read_snapshot(read).await
    }

    async fn revoke_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        const SQL: &str =
            "UPDATE keys SET revoked_at = coalesce(revoked_at, ?3) WHERE id = ?1 AND owner = ?2";
        let owner = owner.clone();
        let revoke = move |conn: &Connection| {
            conn.prepare_cached(SQL)?.execute((key.0, owner.as_str(), at.0))
        };
        Ok(self.control().write_statement(revoke).await? > 0)
    }

    async fn expire_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        const SQL: &str = "UPDATE keys SET expires_at = min(coalesce(expires_at, ?3), ?3) \
            WHERE id = ?1 AND owner = ?2";
        let owner = owner.clone();
        let end = move |conn: &Connection| {
            conn.prepare_cached(SQL)?.execute((key.0, owner.as_str(), at.0))
        };
        Ok(self.control().write_statement(end).await? > 0)
    }

    async fn touch_key(&self, key: KeyId, at: Moment) -> Result<(), StoreError> {
        // `max`, because processes may report the same key out of order.
        const SQL: &str =
            "UPDATE keys SET last_used_at = max(coalesce(last_used_at, ?2), ?2) WHERE id = ?1";
        self.control()
            .write_statement(move |conn| conn.prepare_cached(SQL)?.execute((key.0, at.0)))
            .await
            .map(|_| ())
    }
}

fn key_from_row(row: &Row<'_>) -> rusqlite::Result<KeyInfo> {
    Ok(KeyInfo {
        id: KeyId(row.get(0)?),
        key: NewKey {
            owner: owner_from_row(row, 1)?,
            agent: row::agent(row, 2)?,
            label: row.get(3)?,
            prefix: row.get(4)?,
            hash: ContentHash(row.get(5)?),
            scope: row::parse_word(row, 6, Permission::parse)?,
            expires_at: row::optional_moment(row, 8)?,
        },
        created_at: row::moment(row, 7)?,
        last_used_at: row::optional_moment(row, 9)?,
        revoked_at: row::optional_moment(row, 10)?,
    })
}

/// Reads the owner in a column.
pub(crate) fn owner_from_row(row: &Row<'_>, column: usize) -> rusqlite::Result<OwnerId> {
    row::parse_word(row, column, |name| OwnerId::new(name).ok())
}
