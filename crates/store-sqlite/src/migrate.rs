//! The formats of the two kinds of file, and how an older file becomes a newer one: by numbered
//! migrations that are never edited. Each is applied in a transaction of its own and remembered
//! with its checksum.

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
    migrations: &[
        include_str!("../migrations/memory/0001_memory.sql"),
        include_str!("../migrations/memory/0002_record_changes.sql"),
        include_str!("../migrations/memory/0003_audit_chain.sql"),
        include_str!("../migrations/memory/0004_use.sql"),
        include_str!("../migrations/memory/0005_passages.sql"),
        include_str!("../migrations/memory/0006_counting.sql"),
    ],
};

/// Owners and keys.
pub(crate) const CONTROL: Format = Format {
    application_id: i32::from_be_bytes(*b"QPco"),
    migrations: &[
        include_str!("../migrations/control/0001_owners_and_keys.sql"),
        include_str!("../migrations/control/0002_clients_and_tokens.sql"),
    ],
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
    Err(StoreError::Damaged {
        cause: "a migration in the file is not the one this version knows".into(),
    })
}

/// The version of a file that is ours or still empty.
fn recognise(conn: &Connection, format: &Format) -> Result<u32, StoreError> {
    let (application, version, objects) = snapshot(conn).map_err(|error| store_error(&error))?;
    // Another kind of file has versions of its own.
    let another_kind = application != 0 && application != format.application_id;
    if version > format.version() && !another_kind {
        return Err(StoreError::TooNew { found: version, known: format.version() });
    }
    let ours = application == format.application_id && version > 0;
    let empty = application == 0 && version == 0 && objects == 0;
    if ours || empty {
        return Ok(version);
    }
    Err(StoreError::Damaged {
        cause: format!("not a file of this kind (application {application:#x})"),
    })
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
    let mut statement =
        conn.prepare("SELECT version, checksum FROM migrations ORDER BY version")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// The same wherever the file was checked out: line ends do not count.
fn checksum(sql: &str) -> [u8; 32] {
    Sha256::digest(sql.replace("\r\n", "\n")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str =
        "CREATE TABLE migrations (version INTEGER PRIMARY KEY, checksum BLOB NOT NULL) STRICT;
                         CREATE TABLE notes (text TEXT) STRICT; INSERT INTO notes VALUES ('kept');";
    const SECOND: &str = "ALTER TABLE notes ADD COLUMN title TEXT; UPDATE notes SET title = 'new';";
    const BROKEN: &str = "ALTER TABLE notes ADD COLUMN title TEXT; UPDATE notes SET nothing = 1;";

    const fn format(migrations: &'static [&'static str]) -> Format {
        Format { application_id: 7, migrations }
    }

    fn notes(conn: &Connection) -> Vec<String> {
        let mut statement = conn.prepare("SELECT text FROM notes").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn an_older_file_becomes_a_newer_one_and_keeps_its_content() {
        let conn = Connection::open_in_memory().unwrap();
        bring_up_to_date(&conn, &format(&[FIRST])).unwrap();
        bring_up_to_date(&conn, &format(&[FIRST, SECOND])).unwrap();
        assert_eq!(notes(&conn), ["kept"]);
        let title: String =
            conn.query_one("SELECT title FROM notes", [], |row| row.get(0)).unwrap();
        assert_eq!(title, "new");
        bring_up_to_date(&conn, &format(&[FIRST, SECOND])).unwrap();
        assert!(matches!(
            bring_up_to_date(&conn, &format(&[FIRST])),
            Err(StoreError::TooNew { found: 2, known: 1 })
        ));
    }

    #[test]
    fn a_migration_that_fails_half_way_leaves_the_file_as_it_was() {
        let conn = Connection::open_in_memory().unwrap();
        bring_up_to_date(&conn, &format(&[FIRST])).unwrap();
        assert!(bring_up_to_date(&conn, &format(&[FIRST, BROKEN])).is_err());
        bring_up_to_date(&conn, &format(&[FIRST, SECOND])).unwrap();
        assert_eq!(notes(&conn), ["kept"]);
    }

    #[test]
    fn a_migration_that_was_edited_is_noticed() {
        let conn = Connection::open_in_memory().unwrap();
        bring_up_to_date(&conn, &format(&[FIRST, SECOND])).unwrap();
        let edited = bring_up_to_date(&conn, &format(&[FIRST, BROKEN]));
        assert!(matches!(edited, Err(StoreError::Damaged { .. })), "{edited:?}");
    }

    #[test]
    fn line_ends_do_not_change_a_migration() {
        assert_eq!(checksum("a;\r\nb;\r\n"), checksum("a;\nb;\n"));
    }
}
