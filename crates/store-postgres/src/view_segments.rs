//! Rows of view snapshots. A snapshot is written under an id of its own beside the one before, and
//! replaces it only at the end, under the lock of the clock: so nobody waits while it is sent, and
//! none that lacks a forgetting comes after it.

use crate::error::{SqlResult, StatementError};
use crate::owner_transaction::OwnerTransaction;
use crate::sql_value::params;
use model::Seq;
use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use store::{SnapshotLabel, SnapshotWriter, StoreError};

/// Bytes of one segment. Each is one value in a row, which the database and the driver hold in
/// memory as a whole.
const SEGMENT_BYTES: usize = 4 << 20;
/// Number of segments that may wait to be sent. The view of 100,000 memories fits, so that whoever
/// wants to change it waits for the copying alone.
const WAITING_SEGMENTS_MAX: usize = 32;

/// Id of a snapshot.
pub(crate) type SnapshotId = [u8; 16];

/// Returns the last change in the newest snapshot of a format, and its id.
pub(crate) fn newest(
    conn: &OwnerTransaction,
    format: &str,
) -> SqlResult<Option<(SnapshotId, Seq)>> {
    const SQL: &str = "SELECT snapshot, seq FROM view_segments
         WHERE owner = $1 AND number = 0 AND format = $2 ORDER BY seq DESC LIMIT 1";
    conn.first(SQL, [format], |row| Ok((row.get(0)?, Seq(row.get(1)?))))
}

/// Returns the segments of the newest snapshot of a format.
pub(crate) fn read(conn: &OwnerTransaction, format: &str) -> SqlResult<Option<Vec<Vec<u8>>>> {
    const SQL: &str = "SELECT bytes FROM view_segments
         WHERE owner = $1 AND snapshot = $2 ORDER BY number";
    let Some((id, _)) = newest(conn, format)? else { return Ok(None) };
    conn.all(SQL, [id], |row| row.get(0)).map(Some)
}

/// Removes all snapshots of the owner, and returns the number of segments.
pub(crate) fn remove(conn: &OwnerTransaction) -> SqlResult<usize> {
    conn.execute("DELETE FROM view_segments WHERE owner = $1", ())
}

/// Writes a snapshot and makes it the only one. Returns false if it must not be stored; the
/// transaction is then to be rolled back.
pub(crate) fn store(
    conn: &OwnerTransaction,
    id: SnapshotId,
    label: &SnapshotLabel,
    write: SnapshotWriter,
) -> SqlResult<bool> {
    insert_segments(conn, id, label, write)?;
    replace_others(conn, id, label)
}

/// Inserts segments while others are still being written.
fn insert_segments(
    conn: &OwnerTransaction,
    id: SnapshotId,
    label: &SnapshotLabel,
    write: SnapshotWriter,
) -> SqlResult<()> {
    const SQL: &str = "INSERT INTO view_segments (owner, snapshot, number, seq, format, bytes)
         VALUES ($1, $2, $3, $4, $5, $6)";
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Vec<u8>>(WAITING_SEGMENTS_MAX);
        let fill = move || {
            let mut segments = SegmentWriter { buffer: Vec::new(), sender };
            write(&mut segments).and_then(|()| segments.flush())
        };
        let writing = std::thread::Builder::new().name("view segments".to_owned());
        let writing = writing.spawn_scoped(scope, fill).map_err(writing_failed)?;
        for (number, segment) in (0_i64..).zip(&receiver) {
            // Dropping the receiver on an error ends the other thread too.
            conn.execute(SQL, params![id, number, label.seq.0, &label.format, &segment])?;
        }
        let panicked = |_| writing_failed(io::Error::other("writing the snapshot panicked"));
        writing.join().map_err(panicked)?.map_err(writing_failed)
    })
}

/// Removes the other snapshots, unless one of them is newer or this one must not be stored.
fn replace_others(
    conn: &OwnerTransaction,
    id: SnapshotId,
    label: &SnapshotLabel,
) -> SqlResult<bool> {
    // From here on no batch of the owner can be committed, and so none that erases text.
    const CLOCK: &str = "SELECT identity, seq, erased_seq FROM clocks WHERE owner = $1 FOR UPDATE";
    const NEWER: &str = "SELECT count(*) FROM view_segments
         WHERE owner = $1 AND snapshot <> $2 AND number = 0 AND format = $3 AND seq >= $4";
    const REMOVE: &str = "DELETE FROM view_segments WHERE owner = $1 AND snapshot <> $2";
    let clock = conn.first(CLOCK, (), |row| {
        Ok((row.get::<[u8; 16]>(0)?, Seq(row.get(1)?), Seq(row.get(2)?)))
    })?;
    let Some((store, newest, erased)) = clock else { return Ok(false) };
    if store != label.store || newest < label.seq || erased > label.seq {
        return Ok(false);
    }
    let newer: i64 = conn.one(NEWER, (id, &label.format, label.seq.0), |row| row.get(0))?;
    if newer > 0 {
        return Ok(false);
    }
    conn.execute(REMOVE, [id])?;
    Ok(true)
}

/// Cuts what is written into segments, and hands them over.
struct SegmentWriter {
    buffer: Vec<u8>,
    sender: SyncSender<Vec<u8>>,
}

impl Write for SegmentWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.capacity() == 0 {
            self.buffer.reserve_exact(SEGMENT_BYTES);
        }
        let part = &bytes[..bytes.len().min(SEGMENT_BYTES - self.buffer.len())];
        self.buffer.extend_from_slice(part);
        if self.buffer.len() == SEGMENT_BYTES {
            self.flush()?;
        }
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let segment = std::mem::take(&mut self.buffer);
        let gone = |_| io::Error::new(io::ErrorKind::BrokenPipe, "the database refused a segment");
        self.sender.send(segment).map_err(gone)
    }
}

fn writing_failed(error: io::Error) -> StatementError {
    StatementError::Refused(StoreError::Failed { cause: error.to_string() })
}
