//! Baseline for write benchmarks: the same bytes in a bare SQLite file, committed as durably as the
//! store commits. It shows the cost of the disk itself, in the same run.

use rusqlite::Connection;
use std::path::Path;

/// A SQLite file with one table of blobs, in WAL mode with full durability.
pub struct BareSqliteFile {
    connection: Connection,
}

#[expect(clippy::expect_used, reason = "a benchmark without its baseline cannot continue")]
impl BareSqliteFile {
    /// Creates the file.
    ///
    /// # Panics
    /// The file cannot be created.
    #[must_use]
    pub fn create(path: &Path) -> Self {
        let connection = Connection::open(path).expect("the file can be created");
        let wal: String = connection
            .query_row("PRAGMA journal_mode=WAL", [], |row| row.get(0))
            .expect("WAL can be enabled");
        assert_eq!(wal, "wal");
        connection
            .execute_batch(
                "PRAGMA synchronous=FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB);",
            )
            .expect("the table can be created");
        Self { connection }
    }

    /// Writes blobs in one durable commit.
    ///
    /// # Panics
    /// They cannot be written.
    pub fn commit(&self, blobs: &[&[u8]]) {
        self.connection.execute_batch("BEGIN IMMEDIATE").expect("a transaction can begin");
        for bytes in blobs {
            let mut insert = self
                .connection
                .prepare_cached("INSERT INTO rows (bytes) VALUES (?1)")
                .expect("the statement is valid");
            insert.execute([bytes]).expect("a row can be written");
        }
        self.connection.execute_batch("COMMIT").expect("a transaction can be committed");
    }
}
