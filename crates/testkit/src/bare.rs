//! What the disk itself costs: the same bytes in a bare SQLite file, committed as durably as the
//! store commits. Benchmarks hold the store against this floor in the same run.

use rusqlite::Connection;
use std::path::Path;

/// A SQLite file with one table of blobs, in WAL mode with full durability.
pub struct BareFile {
    connection: Connection,
}

#[expect(clippy::expect_used, reason = "a benchmark without its floor cannot go on")]
impl BareFile {
    /// A new file.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn create(path: &Path) -> Self {
        let connection = Connection::open(path).expect("a file can be made");
        let wal: String = connection
            .query_row("PRAGMA journal_mode=WAL", [], |row| row.get(0))
            .expect("WAL can be turned on");
        assert_eq!(wal, "wal");
        connection
            .execute_batch(
                "PRAGMA synchronous=FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB);",
            )
            .expect("a table can be made");
        Self { connection }
    }

    /// Writes blobs in one durable commit.
    ///
    /// # Panics
    /// When they cannot be written.
    pub fn commit(&self, blobs: &[&[u8]]) {
        self.connection.execute_batch("BEGIN IMMEDIATE").expect("a transaction can begin");
        for bytes in blobs {
            let mut insert = self
                .connection
                .prepare_cached("INSERT INTO rows (bytes) VALUES (?1)")
                .expect("it is plain SQL");
            insert.execute([bytes]).expect("a row can be written");
        }
        self.connection.execute_batch("COMMIT").expect("a transaction can be committed");
    }
}
