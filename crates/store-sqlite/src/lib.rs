//! The storage contract on SQLite. Each owner's memory is one file, `owners/<owner>/memory.db`; a
//! small file, `control.db`, holds owners and keys. Several processes on the same files are the
//! normal case: writers wait for each other, readers wait for nobody, and nothing is cached that
//! another process can make stale. An acknowledged write is on disk.

mod apply;
mod audit_key;
mod backup;
mod busy_handler;
mod clients;
mod connection;
mod control;
mod enum_codes;
mod error;
mod files;
mod foreign_file;
mod foreign_log;
mod group_commit;
mod health;
mod json;
mod lifecycle;
mod memory_file;
mod memory_file_reader;
mod migrate;
mod open_owners;
mod options;
mod owner;
mod presence;
mod read;
mod readers;
mod restore;
mod retention;
mod row;
mod scrub;
mod snapshot_files;
mod sqlite_store;
mod store_impl;
mod writer;

pub use backup::renew_identity;
pub use foreign_file::{
    ForeignFileError, ForeignRows, ForeignValue, read_foreign_rows, read_foreign_tables,
};
pub use memory_file::{CopiedValue, MemoryFileWriter};
pub use memory_file_reader::MemoryFileReader;
pub use options::Options;
pub use restore::{RestoreError, RestoreOutcome, RestoreRequest, restore};
pub use snapshot_files::SnapshotFiles;
pub use sqlite_store::SqliteStore;

use store::rules::{fold_name, text_key};
