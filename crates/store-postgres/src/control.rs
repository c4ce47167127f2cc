//! The `Control` trait: owners and the keys that give access to them.

use crate::apply::{add_checkpoint, erase_owner_rows};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use async_trait::async_trait;
use model::{ContentHash, KeyId, KeyInfo, Moment, NewKey, OwnerId, Permission};
use store::{CHAIN_START, ChainHead, Checkpoint, CheckpointKind, Control, StoreError};

macro_rules! key_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, owner, agent, label, prefix, hash, scope, created_at, expires_at,
                last_used_at, revoked_at FROM keys ",
            $rest
        )
    };
}

#[async_trait]
impl Control for PostgresStore {
    async fn owners(&self) -> Result<Vec<OwnerId>, StoreError> {
        const SQL: &str = "SELECT name FROM owners ORDER BY name";
        self.control(|conn| conn.rows(SQL, &[])?.iter().map(|row| owner_from_row(row, 0)).collect())
            .await
    }

    async fn has_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT name FROM owners WHERE name = $1";
        let owner = owner.clone();
        self.control(move |conn| Ok(!conn.rows(SQL, &params![owner.as_str()])?.is_empty())).await
    }

    async fn create_owner(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        const ADD: &str = "INSERT INTO owners (name, created_at) VALUES ($1, $2)
             ON CONFLICT DO NOTHING";
        let mut identity = [0; 16];
        getrandom::fill(&mut identity)
            .map_err(|error| StoreError::Failed { cause: format!("no random numbers: {error}") })?;
        let key = self.inner.master_key.of_owner(&identity);
        let create = move |conn: &OwnerTransaction| {
            conn.execute(ADD, [at.0])?;
            let head = ChainHead::new(&key, model::AuditId(0), CHAIN_START);
            if create_clock(conn, identity, &head)? {
                let (id, mac) = (head.id, head.mac);
                let start = Checkpoint { kind: CheckpointKind::Start, id, mac, at };
                add_checkpoint(conn, &key, &start)?;
            }
            Ok(())
        };
        self.change(owner, create).await
    }

    async fn erase_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        self.change(owner, erase_owner_rows).await
    }

    async fn add_key(&self, key: NewKey, at: Moment) -> Result<KeyId, StoreError> {
        const NEXT: &str =
            "UPDATE control SET last_key = last_key + 1 WHERE id = 1 RETURNING last_key";
        const ADD: &str = "INSERT INTO keys (id, owner, agent, label, prefix, hash, scope,
                created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        self.control(move |conn| {
            let id = conn.one(NEXT, &[], |row| row.get::<i64>(0))?;
            let values = params![
                id,
                key.owner.as_str(),
                key.agent.as_str(),
                &key.label,
                &key.prefix,
                key.hash.0,
                key.scope.name(),
                at.0,
                key.expires_at.map(|moment| moment.0)
            ];
            conn.execute(ADD, &values)?;
            Ok(KeyId(id))
        })
        .await
    }

    async fn key(&self, hash: ContentHash) -> Result<Option<KeyInfo>, StoreError> {
        const SQL: &str = key_columns!("WHERE hash = $1");
        self.control(move |conn| conn.first(SQL, &params![hash.0], key_from_row)).await
    }

    async fn keys(&self, owner: &OwnerId) -> Result<Vec<KeyInfo>, StoreError> {
        const SQL: &str = key_columns!("WHERE owner = $1 ORDER BY created_at DESC, id DESC");
        let owner = owner.clone();
        self.control(move |conn| {
            conn.rows(SQL, &params![owner.as_str()])?.iter().map(key_from_row).collect()
        })
        .await
    }

    async fn revoke_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        const SQL: &str = "UPDATE keys SET revoked_at = coalesce(revoked_at, $3)
             WHERE id = $1 AND owner = $2";
        self.change_key(SQL, owner, key, at).await
    }

    async fn expire_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        const SQL: &str = "UPDATE keys SET expires_at = least(coalesce(expires_at, $3), $3)
             WHERE id = $1 AND owner = $2";
        self.change_key(SQL, owner, key, at).await
    }

    async fn touch_key(&self, key: KeyId, at: Moment) -> Result<(), StoreError> {
        // `greatest`, because servers may report the same key out of order.
        const SQL: &str = "UPDATE keys
             SET last_used_at = greatest(coalesce(last_used_at, $2), $2) WHERE id = $1";
        self.control(move |conn| conn.execute(SQL, &params![key.0, at.0]).map(|_| ())).await
    }
}

impl PostgresStore {
    async fn change_key(
        &self,
        sql: &'static str,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        let owner = owner.clone();
        self.control(move |conn| Ok(conn.execute(sql, &params![key.0, owner.as_str(), at.0])? > 0))
            .await
    }
}

/// Creates the clock of an owner. Returns false when there is one.
pub(crate) fn create_clock(
    conn: &OwnerTransaction,
    identity: [u8; 16],
    head: &ChainHead,
) -> SqlResult<bool> {
    const SQL: &str = "INSERT INTO clocks (owner, identity, seq, references_seq, erased_seq,
            last_memory, last_session, last_author, last_model, last_entity, last_observation,
            last_relation, last_table, last_handoff, last_document, last_review, last_flag,
            last_workspace, last_question, last_event, mac, seal, marked, marked_at, removed)
         VALUES ($1, $2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $3, $4, 0, 0, 0)
         ON CONFLICT DO NOTHING";
    Ok(conn.execute(SQL, params![identity, head.mac, head.seal])? > 0)
}

fn key_from_row(row: &StoredRow) -> SqlResult<KeyInfo> {
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
pub(crate) fn owner_from_row(row: &StoredRow, column: usize) -> SqlResult<OwnerId> {
    row::parse_word(row, column, |name| OwnerId::new(name).ok())
}
