//! The formats of the two kinds of file, and the migrations from older to newer ones. Migrations
//! are numbered and never edited; each is applied in a transaction of its own and recorded with its
//! checksum.

mod column_types;

use crate::error::store_error;
use rusqlite::{Connection, TransactionBehavior};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use store::StoreError;

/// The identification of a kind of file and its migrations, oldest first.
#[derive(Debug)]
pub(crate) struct DatabaseFormat {
    application_id: i32,
    migrations: &'static [&'static str],
    /// Steps that SQL cannot express, by the version that they complete.
    data_steps: &'static [(u32, DataStep)],
}

/// A step of a migration, in the transaction of its statements and after them.
type DataStep = fn(&Connection) -> rusqlite::Result<()>;

/// The format of an owner's memory.
pub(crate) const MEMORY: DatabaseFormat = DatabaseFormat {
    application_id: i32::from_be_bytes(*b"QPme"),
    migrations: &[
        include_str!("../migrations/memory/0001_memory.sql"),
        include_str!("../migrations/memory/0002_record_changes.sql"),
        include_str!("../migrations/memory/0003_audit_chain.sql"),
        include_str!("../migrations/memory/0004_use.sql"),
        include_str!("../migrations/memory/0005_passages.sql"),
        include_str!("../migrations/memory/0006_counting.sql"),
        include_str!("../migrations/memory/0007_record_versions.sql"),
        include_str!("../migrations/memory/0008_erasure.sql"),
        include_str!("../migrations/memory/0009_session_starts.sql"),
        include_str!("../migrations/memory/0010_merges.sql"),
        include_str!("../migrations/memory/0011_recent_questions.sql"),
    ],
    data_steps: &[(7, column_types::infer_again)],
};

/// The format of the file of owners and keys.
pub(crate) const CONTROL: DatabaseFormat = DatabaseFormat {
    application_id: i32::from_be_bytes(*b"QPco"),
    migrations: &[
        include_str!("../migrations/control/0001_owners_and_keys.sql"),
        include_str!("../migrations/control/0002_clients_and_tokens.sql"),
    ],
    data_steps: &[],
};

impl DatabaseFormat {
    /// Returns the newest version of the format.
    pub(crate) fn version(&self) -> u32 {
        // A handful of migrations, written by hand, fits.
        self.migrations.len() as u32
    }
}

/// Migrates a file to the newest format. Refuses one that belongs to another program, is too new,
/// or has an edited migration. Several processes may do so at once. Returns the version it had.
pub(crate) fn upgrade(conn: &Connection, format: &DatabaseFormat) -> Result<u32, StoreError> {
    let found = detect_version(conn, format)?;
    for step in found..format.version() {
        apply(conn, format, step).map_err(|error| store_error(&error))?;
    }
    check_history(conn, format)?;
    Ok(found)
}

/// Returns the tables, indexes, triggers and views of a file that none of its migrations made.
pub(crate) fn foreign_objects(
    conn: &Connection,
    format: &DatabaseFormat,
) -> Result<Vec<String>, StoreError> {
    let version = detect_version(conn, format)?;
    let compare = || -> rusqlite::Result<Vec<String>> {
        let blank = Connection::open_in_memory()?;
        (0..version).try_for_each(|step| apply(&blank, format, step))?;
        let known = objects(&blank)?;
        Ok(objects(conn)?.into_iter().filter(|object| !known.contains(object)).collect())
    };
    compare().map_err(|error| store_error(&error))
}

/// Returns the objects of a file in words, such as `trigger t on memories`.
fn objects(conn: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    // SQLite's own statistics and indexes of constraints are not made by a statement.
    const SQL: &str = "SELECT CASE WHEN sql LIKE 'CREATE VIRTUAL%' THEN 'virtual ' ELSE '' END
            || type || ' ' || name || ' on ' || tbl_name FROM sqlite_schema
        WHERE NOT (type = 'table' AND name LIKE 'sqlite\\_stat%' ESCAPE '\\')
            AND NOT (type = 'index' AND name LIKE 'sqlite\\_autoindex%' ESCAPE '\\')";
    let mut statement = conn.prepare(SQL)?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Compares the checksums of all applied migrations with those of this program.
pub(crate) fn check_history(conn: &Connection, format: &DatabaseFormat) -> Result<(), StoreError> {
    let applied = applied_migrations(conn).map_err(|error| store_error(&error))?;
    let known = (1_u32..).zip(format.migrations.iter().map(|sql| checksum(sql)));
    if applied.into_iter().eq(known) {
        return Ok(());
    }
    Err(StoreError::Damaged {
        cause: "a migration in the file differs from the one in this version".into(),
    })
}

/// Checks that a file is of this kind and not newer, without migrating it.
pub(crate) fn check_known(conn: &Connection, format: &DatabaseFormat) -> Result<(), StoreError> {
    detect_version(conn, format).map(|_| ())
}

/// Returns the version of a file that is of this kind or still empty.
fn detect_version(conn: &Connection, format: &DatabaseFormat) -> Result<u32, StoreError> {
    let (application, version, objects) = read_stamps(conn).map_err(|error| store_error(&error))?;
    // The kind is checked before the version: the version of another kind of file says nothing, and
    // a misplaced file must be reported as damage and not as too new.
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

/// Reads the stamps in one transaction.
fn read_stamps(conn: &Connection) -> rusqlite::Result<(i32, u32, i64)> {
    // Another process may be migrating the file: read one by one, the stamps might not agree.
    let transaction = conn.unchecked_transaction()?;
    let stamps = query_stamps(conn)?;
    transaction.commit()?;
    Ok(stamps)
}

/// Returns the application id of a file, its version, and its number of tables and indexes.
fn query_stamps(conn: &Connection) -> rusqlite::Result<(i32, u32, i64)> {
    let objects = conn.query_one("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((application, version, objects))
}

/// Applies one migration unless another process just did.
fn apply(conn: &Connection, format: &DatabaseFormat, step: u32) -> rusqlite::Result<()> {
    let transaction = rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    // Read again under the write lock: another process may have applied this step meanwhile.
    let (_, version, _) = query_stamps(conn)?;
    if version == step {
        let sql = format.migrations[step as usize];
        transaction.execute_batch(sql)?;
        for (_, run) in format.data_steps.iter().filter(|(version, _)| *version == step + 1) {
            run(&transaction)?;
        }
        transaction.execute(
            "INSERT INTO migrations (version, checksum) VALUES (?1, ?2)",
            (step + 1, checksum(sql)),
        )?;
        transaction.pragma_update(None, "application_id", format.application_id)?;
        transaction.pragma_update(None, "user_version", step + 1)?;
    }
    transaction.commit()
}

fn applied_migrations(conn: &Connection) -> rusqlite::Result<Vec<(u32, [u8; 32])>> {
    let mut statement =
        conn.prepare("SELECT version, checksum FROM migrations ORDER BY version")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Computes the checksum of a migration.
fn checksum(sql: &str) -> [u8; 32] {
    // Git may check the files out with other line ends, which must not change the checksum.
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

    const fn format(migrations: &'static [&'static str]) -> DatabaseFormat {
        DatabaseFormat { application_id: 7, migrations, data_steps: &[] }
    }

    fn notes(conn: &Connection) -> Vec<String> {
        let mut statement = conn.prepare("SELECT text FROM notes").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn an_older_file_is_upgraded_and_keeps_its_content() {
        let conn = Connection::open_in_memory().unwrap();
        upgrade(&conn, &format(&[FIRST])).unwrap();
        upgrade(&conn, &format(&[FIRST, SECOND])).unwrap();
        assert_eq!(notes(&conn), ["kept"]);
        let title: String =
            conn.query_one("SELECT title FROM notes", [], |row| row.get(0)).unwrap();
        assert_eq!(title, "new");
        upgrade(&conn, &format(&[FIRST, SECOND])).unwrap();
        assert!(matches!(
            upgrade(&conn, &format(&[FIRST])),
            Err(StoreError::TooNew { found: 2, known: 1 })
        ));
    }

    #[test]
    fn a_migration_that_fails_half_way_leaves_the_file_as_it_was() {
        let conn = Connection::open_in_memory().unwrap();
        upgrade(&conn, &format(&[FIRST])).unwrap();
        assert!(upgrade(&conn, &format(&[FIRST, BROKEN])).is_err());
        upgrade(&conn, &format(&[FIRST, SECOND])).unwrap();
        assert_eq!(notes(&conn), ["kept"]);
    }

    #[test]
    fn a_migration_that_was_edited_is_noticed() {
        let conn = Connection::open_in_memory().unwrap();
        upgrade(&conn, &format(&[FIRST, SECOND])).unwrap();
        let edited = upgrade(&conn, &format(&[FIRST, BROKEN]));
        assert!(matches!(edited, Err(StoreError::Damaged { .. })), "{edited:?}");
    }

    #[test]
    fn line_ends_do_not_change_a_migration() {
        assert_eq!(checksum("a;\r\nb;\r\n"), checksum("a;\nb;\n"));
    }
}
