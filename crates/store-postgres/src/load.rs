//! Takes the memory of an owner over from a file: all rows under the same ids, in one transaction.
//! The audit log is chained again under the key of the servers, because the key of the file is that
//! of another store; whoever moves it verifies it before and after.

mod chain_again;

use crate::apply::erase_owner_rows;
use crate::backup::{BackupTable, TABLES};
use crate::control::create_clock;
use crate::error::{SqlResult, StatementError};
use crate::master_key::MasterKey;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use crate::sql_value::{SqlValue, params};
use model::{KeyInfo, Moment, OwnerId};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use store::{CHAIN_START, ChainHead, StoreError};
use store_sqlite::{CopiedValue, MemoryFileReader};

/// Result of taking a memory over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadOutcome {
    Loaded,
    /// The same memory is there already, in the same state.
    Present,
}

const OTHER_MEMORY: &str = "the database has another memory under the name of this owner";

/// The statements that insert a row, by the name of the table.
static INSERTS: LazyLock<BTreeMap<&'static str, String>> =
    LazyLock::new(|| TABLES.iter().map(|table| (table.name, insert_statement(table))).collect());

/// The statements that count the rows of an owner, by the name of the table.
static COUNTS: LazyLock<BTreeMap<&'static str, String>> = LazyLock::new(|| {
    let count = |name| format!("SELECT count(*) FROM {name} WHERE owner = $1");
    TABLES.iter().map(|table| (table.name, count(table.name))).collect()
});

fn insert_statement(table: &BackupTable) -> String {
    let BackupTable { name, columns, .. } = table;
    let last = columns.split(',').count() + 1;
    let places: Vec<String> = (1..=last).map(|place| format!("${place}")).collect();
    format!("INSERT INTO {name} (owner, {columns}) VALUES ({})", places.join(", "))
}

impl PostgresStore {
    /// Takes the memory of an owner over from a backup file. Repeated after an interruption, it
    /// goes on with the owners that are missing.
    ///
    /// # Errors
    /// Fails when the file cannot be read, or the database has another memory of this owner.
    pub async fn load_owner(
        &self,
        owner: &OwnerId,
        file: &Path,
        at: Moment,
    ) -> Result<LoadOutcome, StoreError> {
        let (file, master) = (MemoryFileReader::open(file)?, self.inner.master_key.clone());
        self.change(owner, move |conn| load(conn, &master, &file, at)).await
    }

    /// Stores keys with their history; a key that is known stays as it is.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub async fn load_keys(&self, keys: Vec<KeyInfo>) -> Result<(), StoreError> {
        const KNOWN: &str = "SELECT id FROM keys WHERE hash = $1";
        const NEXT: &str =
            "UPDATE control SET last_key = last_key + 1 WHERE id = 1 RETURNING last_key";
        const ADD: &str = "INSERT INTO keys (id, owner, agent, label, prefix, hash, scope,
                created_at, expires_at, last_used_at, revoked_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        self.control(move |conn| {
            for KeyInfo { key, created_at, last_used_at, revoked_at, .. } in &keys {
                if conn.first(KNOWN, &params![key.hash.0], |row| row.get::<i64>(0))?.is_some() {
                    continue;
                }
                let id = conn.one(NEXT, &[], |row| row.get::<i64>(0))?;
                let values = params![
                    id,
                    key.owner.as_str(),
                    key.agent.as_str(),
                    &key.label,
                    &key.prefix,
                    key.hash.0,
                    key.scope.name(),
                    created_at.0,
                    key.expires_at.map(|moment| moment.0),
                    last_used_at.map(|moment| moment.0),
                    revoked_at.map(|moment| moment.0)
                ];
                conn.execute(ADD, &values)?;
            }
            Ok(())
        })
        .await
    }
}

fn load(
    conn: &OwnerTransaction,
    master: &MasterKey,
    file: &MemoryFileReader,
    at: Moment,
) -> SqlResult<LoadOutcome> {
    const CLOCK: &str = "SELECT identity, seq, last_event FROM clocks WHERE owner = $1 FOR UPDATE";
    let counters = FileCounters::read(file)?;
    let read = |row: &crate::stored_row::StoredRow| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let known: Option<([u8; 16], i64, i64)> = conn.first(CLOCK, (), read)?;
    match known {
        Some((identity, seq, _)) if identity == counters.identity && seq == counters.seq => {
            return Ok(LoadOutcome::Present);
        }
        // An owner without any event is one that a server created when it started.
        Some((_, 0, 0)) => drop(erase_owner_rows(conn)?),
        Some(_) => {
            return Err(StatementError::Refused(StoreError::Unusable { why: OTHER_MEMORY }));
        }
        None => {}
    }
    load_rows(conn, master, file, &counters, at)?;
    Ok(LoadOutcome::Loaded)
}

/// Copies all rows of a file under an owner who has none, except perhaps a clock, and chains the
/// audit log.
pub(crate) fn load_rows(
    conn: &OwnerTransaction,
    master: &MasterKey,
    file: &MemoryFileReader,
    counters: &FileCounters,
    at: Moment,
) -> SqlResult<()> {
    const OWNER: &str = "INSERT INTO owners (name, created_at) VALUES ($1, $2)
         ON CONFLICT DO NOTHING";
    const IDENTITY: &str = "UPDATE clocks SET identity = $2 WHERE owner = $1";
    let key = master.of_owner(&counters.identity);
    conn.execute(OWNER, [at.0])?;
    create_clock(conn, counters.identity, &ChainHead::new(&key, model::AuditId(0), CHAIN_START))?;
    // The clock of a memory that is being replaced stays, because its writers wait for it.
    conn.execute(IDENTITY, [counters.identity])?;
    let mut episodes = Vec::new();
    for table in &TABLES {
        episodes.extend(copy_table(conn, file, table)?);
    }
    set_episodes(conn, episodes)?;
    add_derived_columns(conn)?;
    counters.write(conn)?;
    chain_again::chain_again(conn, &key, counters.last_event, at)
}

/// Copies the rows of a table. Returns the episodes of sessions, which name memories that come
/// later.
fn copy_table(
    conn: &OwnerTransaction,
    file: &MemoryFileReader,
    table: &'static BackupTable,
) -> SqlResult<Vec<(CopiedValue, CopiedValue)>> {
    let sql: &'static str = &INSERTS[table.name];
    let episode = table.columns.split(", ").position(|column| column == "episode");
    let (mut episodes, mut copied) = (Vec::new(), 0_i64);
    file.read::<StatementError>(table.name, table.columns, |mut row| {
        copied += 1;
        if let Some(at) = episode {
            let named = std::mem::replace(&mut row[at], CopiedValue::Null);
            episodes.push((row[0].clone(), named));
        }
        conn.execute(sql, row.into_iter().map(SqlValue::from).collect::<Vec<_>>()).map(|_| ())
    })?;
    let count: &'static str = &COUNTS[table.name];
    let found: i64 = conn.one(count, (), |row| row.get(0))?;
    if found != copied {
        let cause = format!("{copied} rows of {} were copied, and {found} are there", table.name);
        return Err(StatementError::Refused(StoreError::Failed { cause }));
    }
    Ok(episodes)
}

fn set_episodes(
    conn: &OwnerTransaction,
    episodes: Vec<(CopiedValue, CopiedValue)>,
) -> SqlResult<()> {
    const SQL: &str = "UPDATE sessions SET episode = $3 WHERE owner = $1 AND id = $2";
    for (session, episode) in episodes {
        if episode != CopiedValue::Null {
            conn.execute(SQL, vec![SqlValue::from(session), SqlValue::from(episode)])?;
        }
    }
    Ok(())
}

/// Fills what the database has in columns and tables of its own, for filters.
fn add_derived_columns(conn: &OwnerTransaction) -> SqlResult<()> {
    const NAMED: &str = "SELECT id, metadata FROM memories
         WHERE owner = $1 AND metadata LIKE '%record_table%'";
    const NAME: &str = "UPDATE memories SET record_table = $3 WHERE owner = $1 AND id = $2";
    const LABELED: &str = "SELECT id, tags FROM memories WHERE owner = $1 AND tags IS NOT NULL";
    const LABEL: &str = "INSERT INTO memory_tags (owner, tag, memory)
         SELECT DISTINCT m.owner, tag, m.id FROM memories m, unnest($2::text[]) tag
         WHERE m.owner = $1 AND m.id = $3";
    for row in conn.rows(NAMED, ())? {
        let metadata = row.map(1)?;
        if let Some(table) = metadata.get("record_table").and_then(|name| name.as_str()) {
            conn.execute(NAME, (row.get::<i64>(0)?, table))?;
        }
    }
    for row in conn.rows(LABELED, ())? {
        let tags: Vec<String> =
            row.list(1)?.into_iter().filter(|tag| !tag.contains('\0')).collect();
        conn.execute(LABEL, (tags, row.get::<i64>(0)?))?;
    }
    Ok(())
}

/// The counters of a memory file.
pub(crate) struct FileCounters {
    identity: [u8; 16],
    seq: i64,
    references_seq: i64,
    last_memory: i64,
    erased_seq: i64,
    last_event: i64,
    removed: i64,
    /// The last ids of tables whose ids are never assigned twice.
    last_ids: BTreeMap<String, i64>,
}

impl FileCounters {
    /// Reads the counters of a file.
    pub(crate) fn read(file: &MemoryFileReader) -> SqlResult<Self> {
        let meta = only_row(file, "meta", "identity, seq, references_seq, last_memory")?;
        let chain = only_row(file, "audit_chain", "last, removed")?;
        let erasure = only_row(file, "erasure", "newest")?;
        let mut last_ids = BTreeMap::new();
        file.read::<StatementError>("sqlite_sequence", "name, seq", |row| {
            if let [CopiedValue::Text(table), CopiedValue::Integer(last)] = &row[..] {
                last_ids.insert(table.clone(), *last);
            }
            Ok(())
        })?;
        let identity = match &meta[0] {
            CopiedValue::Blob(bytes) => bytes.as_slice().try_into().map_err(|_| damaged())?,
            _ => return Err(damaged()),
        };
        Ok(Self {
            identity,
            seq: integer(&meta[1])?,
            references_seq: integer(&meta[2])?,
            last_memory: integer(&meta[3])?,
            erased_seq: integer(&erasure[0])?,
            last_event: integer(&chain[0])?,
            removed: integer(&chain[1])?,
            last_ids,
        })
    }

    fn write(&self, conn: &OwnerTransaction) -> SqlResult<()> {
        const SQL: &str = "UPDATE clocks SET seq = $2, references_seq = $3, erased_seq = $4,
                last_memory = $5, removed = $6, last_entity = $7, last_observation = $8,
                last_relation = $9, last_document = $10, last_review = $11, last_flag = $12,
                last_question = $13,
                last_session = (SELECT coalesce(max(id), 0) FROM sessions WHERE owner = $1),
                last_author = (SELECT coalesce(max(id), 0) FROM authors WHERE owner = $1),
                last_model = (SELECT coalesce(max(id), 0) FROM models WHERE owner = $1),
                last_table = (SELECT coalesce(max(id), 0) FROM tables WHERE owner = $1),
                last_handoff = (SELECT coalesce(max(id), 0) FROM handoffs WHERE owner = $1),
                last_workspace = (SELECT coalesce(max(id), 0) FROM workspaces WHERE owner = $1)
             WHERE owner = $1";
        let last = |table: &str| self.last_ids.get(table).copied().unwrap_or(0);
        let values = params![
            self.seq,
            self.references_seq,
            self.erased_seq,
            self.last_memory,
            self.removed,
            last("entities"),
            last("observations"),
            last("relations"),
            last("documents"),
            last("reviews"),
            last("flags"),
            last("questions")
        ];
        conn.execute(SQL, values).map(|_| ())
    }
}

fn only_row(
    file: &MemoryFileReader,
    table: &'static str,
    columns: &'static str,
) -> SqlResult<Vec<CopiedValue>> {
    let mut found = None;
    file.read::<StatementError>(table, columns, |row| {
        found = Some(row);
        Ok(())
    })?;
    found.ok_or_else(damaged)
}

fn integer(value: &CopiedValue) -> SqlResult<i64> {
    if let CopiedValue::Integer(number) = value { Ok(*number) } else { Err(damaged()) }
}

fn damaged() -> StatementError {
    let cause = "the file has no counters".to_owned();
    StatementError::Refused(StoreError::Damaged { cause })
}

impl From<CopiedValue> for SqlValue<'_> {
    fn from(value: CopiedValue) -> Self {
        match value {
            CopiedValue::Null => Self::Null,
            CopiedValue::Integer(number) => Self::Integer(number),
            CopiedValue::Real(number) => Self::Number(number),
            CopiedValue::Text(text) => Self::Text(text.into()),
            CopiedValue::Blob(bytes) => Self::Bytes(bytes.into()),
        }
    }
}
