//! The storage contract on SQLite. Each owner's memory is one file, `owners/<owner>/memory.db`; a
//! small file, `control.db`, holds owners and keys. Several processes on the same files are the
//! normal case: writers wait for each other, readers wait for nobody, and nothing is cached that
//! another process can make stale. An acknowledged write is on disk.

mod apply;
mod backup;
mod clients;
mod codes;
mod control;
mod fault;
mod files;
mod group;
mod health;
mod json;
mod migrate;
mod open;
mod options;
mod owner;
mod patience;
mod read;
mod readers;
mod recognise;
mod retention;
mod row;
mod scrub;
mod seals;
mod shelf;
mod sqlite;
mod verbs;
mod writer;

pub use backup::renew_identity;
pub use options::Options;
pub use sqlite::SqliteStore;

use recognise::{fold, text_key};
