//! The formats of the two kinds of file, and how an older file becomes a newer one: by numbered migrations
//! that are never edited. Each is applied in a transaction of its own and remembered with its checksum.

use crate::fault::store_error;
use rusqlite::{Connection, TransactionBehavior};
use sha2::{Digest, Sha256};
use store::StoreError;

/// What a kind of file is known by, and how it came to be what it is.
#[derive(Debug)]
pub(crate) struct Format {
    application_id: i32,
    migrations: &'static [&'static str],
}

/// The memory of one owner.
pub(crate) const MEMORY: Format = Format {
    application_id: i32::from_be_bytes(*b"QPme"),
    migrations: &[include_str!("../migrations/memory/0001_memory.sql")],
};

/// Owners and keys.
pub(crate) const CONTROL: Format = Format {
    application_id: i32::from_be_bytes(*b"QPco"),
    migrations: &[include_str!("../migrations/control/0001_owners_and_keys.sql")],
};

impl Format {
    /// The newest version there is.
    pub(crate) fn version(&self) -> u32 {
        // There are a handful of migrations, written by hand.
        self.migrations.len() as u32
    }
}

/// Brings a file to the newest format, and refuses one that is not ours, too new, or tampered with.
/// Several processes may do so at once.
pub(crate) fn bring_up_to_date(conn: &Connection, format: &Format) -> Result<(), StoreError> {
    let found = recognise(conn, format)?;
    for step in found..format.version() {
        apply(conn, format, step).map_err(|error| store_error(&error))?;
    }
    check_history(conn, format)
}

/// Holds every migration that was applied against the one this program knows.
pub(crate) fn check_history(conn: &Connection, format: &Format) -> Result<(), StoreError> {
    let applied = applied(conn).map_err(|error| store_error(&error))?;
    let known = (1_u32..).zip(format.migrations.iter().map(|sql| checksum(sql)));
    if applied.into_iter().eq(known) {
        return Ok(());
    }
    Err(StoreError::Damaged { cause: "a migration in the file is not the one this version knows".into() })
}

/// The version of a file that is ours or still empty.
fn recognise(conn: &Connection, format: &Format) -> Result<u32, StoreError> {
    let (application, version, objects) = snapshot(conn).map_err(|error| store_error(&error))?;
    if version > format.version() {
        return Err(StoreError::TooNew { found: version, known: format.version() });
    }
    let ours = application == format.application_id && version > 0;
    let empty = application == 0 && version == 0 && objects == 0;
    if ours || empty {
        return Ok(version);
    }
    Err(StoreError::Damaged { cause: format!("not a file of this kind (application {application:#x})") })
}

/// The stamps as of one moment: another process may be at work.
fn snapshot(conn: &Connection) -> rusqlite::Result<(i32, u32, i64)> {
    let transaction = conn.unchecked_transaction()?;
    let stamps = stamps(conn)?;
    transaction.commit()?;
    Ok(stamps)
}

/// Who made the file, its version, and how many tables and indexes it has.
fn stamps(conn: &Connection) -> rusqlite::Result<(i32, u32, i64)> {
    let objects = conn.query_one("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((application, version, objects))
}

/// Applies one migration unless another process just did.
fn apply(conn: &Connection, format: &Format, step: u32) -> rusqlite::Result<()> {
    let transaction = rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    let (_, version, _) = stamps(conn)?;
    if version == step {
        let sql = format.migrations[step as usize];
        transaction.execute_batch(sql)?;
        transaction.execute(
            "INSERT INTO migrations (version, checksum) VALUES (?1, ?2)",
            (step + 1, checksum(sql)),
        )?;
        transaction.pragma_update(None, "application_id", format.application_id)?;
        transaction.pragma_update(None, "user_version", step + 1)?;
    }
    transaction.commit()
}

fn applied(conn: &Connection) -> rusqlite::Result<Vec<(u32, [u8; 32])>> {
    let mut statement = conn.prepare("SELECT version, checksum FROM migrations ORDER BY version")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// The same wherever the file was checked out: line ends do not count.
fn checksum(sql: &str) -> [u8; 32] {
    Sha256::digest(sql.replace("\r\n", "\n")).into()
}
